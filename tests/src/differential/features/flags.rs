//! Structs of flags that are known only at run time, and hints in loops and branches.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::Ty;

/// Structs with fields of type `bool`, set, passed on, copied, and changed in branches and loops.
pub fn structs(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("F");
    let never = g.never_inline(40);
    let [a, b] = [0; 2].map(|_: usize| g.random.below(4));
    g.items.push(line(format!(
        "#[derive(Clone, Copy)]\nstruct {name} {{ on: bool, x: Felt, pair: (bool, [bool; 2]) }}\n\
         impl {name} {{ fn new(x: Felt) -> Self {{ Self {{ on: x == felt({a}), x, pair: (x != felt({b}), [true, x == felt(1)]) }} }} \
         fn set(&mut self, x: Felt) {{ self.on = self.x == x || self.pair.0; self.pair.1[0] = !self.on; }} \
         fn all(&self) -> bool {{ self.on && self.pair.0 && self.pair.1[1] }} \
         fn shown(&self) -> Felt {{ let mut s = self.x; if self.on {{ s = s * felt(3) + felt(1); }} if self.pair.0 {{ s += felt(100); }} if self.pair.1[0] {{ s += felt(7); }} if self.pair.1[1] != self.on {{ s += felt(900); }} s }} }}\n\
         {never}fn turned_{name}(f: {name}) -> {name} {{ {name} {{ on: !f.on, pair: (f.on, [f.pair.0, f.all()]), ..f }} }}\n\
         {never}fn read_{name}(f: &{name}, x: Felt) -> Felt {{ if f.on || f.pair.1[0] {{ x * f.x }} else {{ x + felt(5) }} }}"
    )));
    let (x, y, v) = (g.unknown(body), g.felt(1), g.fresh("v"));
    body.push(line(format!(
        "let {v}y = {y};\nlet mut {v} = {name}::new({x});\nlet {v}o = {v};"
    )));
    for _ in 0..g.random.between(1, 3) {
        let (flag, other) = (g.flag(1), g.flag(1));
        let text = match g.random.below(8) {
            0 => format!("{v}.set({v}y);"),
            1 => format!("{v} = turned_{name}({v});"),
            2 => format!("if {flag} {{ {v}.on = {other}; }} else {{ {v}.pair.0 = {v}.on; }}"),
            3 => format!("if {v}.pair.0 {{ {v} = turned_{name}({v}o); }}"),
            4 => format!("for i in count(3) {{ {v}.on = {v}.on && {v}.x != i; {v}.x += i; }}"),
            5 => format!("for i in 0..3 {{ {v}.pair.1[i % 2] = {v}.x == felt(i) || {flag}; }}"),
            6 => format!("{v}.pair = ({flag}, [{other}, {v}.all()]);"),
            // Most loops and branches cannot turn what is known into what is not.
            _ => {
                if g.refused() {
                    format!("{v}.on = false;\nfor i in count(2) {{ {v}.on = {v}.x == i; }}")
                } else {
                    format!("{v}.on = true;\nif {flag} {{ {v}.on = {other}; }}")
                }
            }
        };
        body.push(line(text));
    }
    for value in [
        format!("{v}.shown()"),
        format!("{v}o.shown()"),
        format!("turned_{name}({v}).shown()"),
        format!("read_{name}(&{v}, {v}y)"),
    ] {
        g.observe(&value, &Ty::Felt, body);
    }
    g.observe(&format!("{v}.all()"), &Ty::Flag, body);
}

/// Hints that are read in run-time loops and branches, on the right of `&&`, and in functions that
/// are called there.
pub fn hints(g: &mut Generator, body: &mut Vec<Node>) {
    let (name, v) = (g.fresh("read"), g.fresh("v"));
    let never = g.never_inline(60);
    g.items.push(line(format!(
        "{never}fn {name}(x: Felt) -> Felt {{ let b = hint_felt().bit(); let mut y = x * b; if b == felt(1) {{ y += hint_felt().any(); }} else {{ y += hint_ext().checked().coeff(3); }} y }}"
    )));
    let (x, flag, n) = (g.unknown(body), g.flag(1), g.random.between(1, 3));
    body.push(line(format!("let mut {v} = {x};")));
    let read = |g: &mut Generator| match g.random.below(5) {
        0 => format!("{v} = {v} * felt(3) + hint_felt().any();"),
        1 => format!("{v} += hint_ext().checked().coeff({n});"),
        2 => format!("{v} = {v} * felt(5) + hint_slice(2).any().block(1).lane({n});"),
        3 => format!("{v} = {name}({v});"),
        _ => format!(
            "{v} += if {v} == felt(1) && hint_felt().bit() == felt(1) {{ felt(2) }} else {{ felt(3) }};"
        ),
    };
    let [first, second, third] = [0; 3].map(|_: usize| read(g));
    let node = match g.random.below(5) {
        0 => group(
            format!("for i in count({n})"),
            vec![
                line(first),
                group("if i == felt(1)", vec![line(second)]),
                group("else", vec![line(third)]),
            ],
        ),
        1 => group(
            format!("for i in count_to(if {x} == felt(2) {{ felt(2) }} else {{ felt(1) }})"),
            vec![
                line(format!("{v} += i;")),
                line(first),
                group("for _ in count(2)", vec![line(second)]),
            ],
        ),
        2 => group(
            format!("if {flag}"),
            vec![
                line(first),
                group(format!("if {x} == felt(1)"), vec![line(second)]),
                line(third),
            ],
        ),
        3 => group(
            format!("for i in 0..{n}"),
            vec![
                group(format!("if {flag} || {x} == felt(i)"), vec![line(first)]),
                line(second),
            ],
        ),
        _ => group(
            format!("if {flag}"),
            vec![group(
                format!("for _ in count({n})"),
                vec![line(first), line(second)],
            )],
        ),
    };
    body.push(node);
    // A hint too many, or too few, makes this one another hint.
    body.push(line(format!("let {v}h = hint_felt().any();")));
    g.observe(&v, &Ty::Felt, body);
    g.observe(&format!("{v}h"), &Ty::Felt, body);
}

/// Values that are only compared with a hint or an input, so that the instruction that computes
/// them compares them. The assertions hold if all inputs and hints are one, and seldom otherwise.
pub fn closing(g: &mut Generator, body: &mut Vec<Node>) {
    let (v, x) = (g.fresh("v"), g.unknown(body));
    body.push(line(format!(
        "let ({v}, {v}w) = (hint_felt().any(), hint_felt().any());\nlet {v}e = hint_ext().checked();"
    )));
    let ones = |g: &mut Generator| match g.random.below(6) {
        0 => format!("{x} * {v}"),
        1 => format!("({x} + {v} - {v}w)"),
        2 => format!("{v}.inverse() * {v}w"),
        3 => format!("({x} * {v} + felt(2) - {v}w - felt(1))"),
        4 => format!("{v}e.coeff(2)"),
        _ => format!("(-{v} * {x} + felt(2))"),
    };
    for _ in 0..g.random.between(1, 2) {
        let (one, two) = (ones(g), ones(g));
        let (left, right) = match g.random.below(8) {
            0..=2 => (one, "hint_felt().any()".to_owned()),
            3 => (one, two),
            4 => (format!("{v}e * {one}"), "hint_ext().checked()".to_owned()),
            5 => (
                format!("({v}e + {v}e * {two} - {v}e)"),
                format!("{v}e * {one}"),
            ),
            6 => (
                format!("Block::new([{one}; 8])"),
                "hint_slice(1).any().block(0)".to_owned(),
            ),
            _ => (
                format!("Ext::from_coeffs([{one}, {v}, {two}, {v}w, {x}])"),
                format!("{v}e"),
            ),
        };
        let text = if g.random.chance(50) {
            format!("assert_eq!({left}, {right});")
        } else {
            format!("assert_eq!({right}, {left});")
        };
        body.push(line(text));
    }
    for value in [v.clone(), format!("{v}w"), format!("{v}e.coeff(1)")] {
        g.observe(&value, &Ty::Felt, body);
    }
}
