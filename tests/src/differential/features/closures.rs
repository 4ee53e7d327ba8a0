//! Closures: what they capture and change, called here, in functions, in branches and in loops.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::Ty;

/// Closures that change a variable of the function around them.
fn changing(g: &mut Generator, body: &mut Vec<Node>) {
    let (h, f, c, v) = (g.fresh("h"), g.fresh("f"), g.fresh("c"), g.fresh("v"));
    let k = g.random.between(2, 9);
    g.items.push(line(format!(
        "fn {h}a(mut f: impl FnMut(Felt), x: Felt) {{ f(x); f(x + felt({k})); }}\n\
         fn {h}b<F: FnMut(Felt)>(f: &mut F, x: Felt) {{ {h}a(&mut *f, x); f(felt(1)); }}"
    )));
    let (start, value) = (g.felt(1), g.felt(1));
    let kind = g.random.below(5);
    let (start, code, end) = match kind {
        0 => (start, format!("{c} = {c} * felt({k}) + x;"), c.clone()),
        1 => (
            start,
            format!("if x == {v} {{ {c} = {c} + x; }} else {{ {c} = {c} * felt({k}); }}"),
            c.clone(),
        ),
        2 => (
            format!("({start}, felt({k}))"),
            format!("{c}.0 = {c}.0 * felt({k}) + x;"),
            format!("{c}.0 * felt(7) + {c}.1"),
        ),
        3 => (
            format!("[{start}, felt({k}), felt(1)]"),
            format!("{c}[1] = {c}[0] * x + {c}[1];"),
            format!("{c}[0] * felt(7) + {c}[1]"),
        ),
        _ => (
            format!("vec![{start}]"),
            format!("{c}.push(x * {c}[0]);"),
            format!("{c}[{c}.len() - 1] + felt({c}.len())"),
        ),
    };
    body.push(line(format!(
        "let {v} = {value};\nlet mut {c} = {start};\nlet mut {f} = |x: Felt| {{ {code} }};"
    )));
    for _ in 0..g.random.between(1, 4) {
        // A `Vec` does not grow in a run.
        let text = match g.random.below(if kind == 4 { 6 } else { 8 }) {
            0 => format!("{f}({v});"),
            1 => format!("{h}a(&mut {f}, {v});"),
            2 => format!("{h}b(&mut {f}, felt({k}));"),
            3 => format!("{h}a(|y| {f}(y * felt(2)), {v});"),
            4 => format!("for i in 0..2_usize {{ {f}(felt(i)); }}"),
            5 => {
                format!("{{ let mut inner = |y: Felt| {f}(y + {v}); inner({v}); inner(felt(2)); }}")
            }
            6 => format!("if {v} == felt({k}) {{ {f}(felt(3)); }}"),
            _ => format!("for i in count(3) {{ {f}(i); }}"),
        };
        body.push(line(text));
        if kind == 2 && g.random.chance(40) {
            body.push(line(format!("{c}.1 = {c}.1 * felt(3) + {v};")));
        }
    }
    g.observe(&format!("({end})"), &Ty::Felt, body);
}

/// Closures and functions that are values, and closures with a state of their own.
fn values(g: &mut Generator, body: &mut Vec<Node>) {
    let (h, f, v) = (g.fresh("h"), g.fresh("f"), g.fresh("v"));
    let (k, inline) = (g.random.between(2, 9), g.never_inline(20));
    g.items.push(line(format!(
        "{inline}fn {h}a(f: impl Fn(Felt) -> Felt, x: Felt) -> Felt {{ f(x) * felt(3) + f(felt({k})) }}\n\
         fn {h}b(k: Felt) -> impl Fn(Felt) -> Felt {{ move |x| x * k + felt({k}) }}\n\
         fn {h}c(x: Felt) -> Felt {{ x * x + felt({k}) }}\n\
         fn {h}d(k: usize) -> impl FnMut() -> usize {{ let mut n = k; move || {{ n = n * 3 % 101; n }} }}\n\
         struct {h}E(Felt);\n\
         struct {h}F<F: Fn(Felt) -> Felt> {{ f: F }}"
    )));
    let value = g.felt(1);
    body.push(line(format!("let {v} = {value};")));
    let start = g.felt(1);
    let text = match g.random.below(8) {
        0 => format!("{h}a({h}b({v}), {start})"),
        1 => format!("{h}a({h}c, {start})"),
        2 => format!("{h}a(|x| x * {v} - felt({k}), {start})"),
        3 => format!(
            "{{ let {f}: [fn(Felt) -> Felt; 2] = [{h}c, |x| x + felt({k})]; {f}[0]({v}) + {f}[1]({start}) }}"
        ),
        4 => format!(
            "{{ let mut {f} = {h}d({k}); let first = {f}(); felt(first * 1000 + {f}()) + {v} }}"
        ),
        5 => format!(
            "{{ let mut n = {start}; let mut {f} = move |x: Felt| {{ n = n * felt(5) + x; n }}; \
             let mut copy = {f}; {f}({v}); n = n + {f}(felt(1)); n + {f}(n) * copy({v}) }}"
        ),
        6 => format!("{{ let {f} = {h}E; {f}({v}).0 + (|a: Felt, b: Felt| a * b)({v}, {start}) }}"),
        _ => format!(
            "{{ let {f} = {h}F {{ f: |x: Felt| x * {v} + felt({k}) }}; ({f}.f)({start}) + ({f}.f)({v}) }}"
        ),
    };
    g.observe(&text, &Ty::Felt, body);
}

/// Closures of all kinds.
pub fn closures(g: &mut Generator, body: &mut Vec<Node>) {
    if g.random.chance(60) {
        changing(g, body);
    } else {
        values(g, body);
    }
}
