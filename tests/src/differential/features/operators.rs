//! What is on the right of `&&` and `||`, and when an assigning operator reads its two sides.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::Ty;

/// Methods that assert, read hints or change their object, in places where Rust may not evaluate
/// them: on the right of `&&` and `||`, in conditions, in guards.
pub fn effects(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("C");
    let effect = |g: &mut Generator| match g.random.below(4) {
        0 | 1 => "assert_ne!(self.x, other.x);",
        2 => "let h = hint_felt().any(); assert_ne!(h, self.x);",
        _ => "assert!(self.x != other.x + felt(1));",
    };
    let [equal, add, and] = [0; 3].map(|_: usize| effect(g));
    let by = g.random.between(1, 5);
    g.items.push(line(format!(
        "#[derive(Clone, Copy)]\nstruct {name} {{ x: Felt, n: usize }}\n\
         impl {name} {{ fn is(&self, other: &{name}) -> bool {{ {equal} self.x == other.x }} fn is_not(&self, other: &{name}) -> bool {{ !self.is(other) }} \
         fn plus(self, other: {name}) -> {name} {{ {add} {name} {{ x: self.x + other.x, n: self.n }} }} fn alike(self, other: {name}) -> bool {{ {and} self.n == other.n }} \
         fn bump(&mut self, x: Felt) -> bool {{ self.x += felt({by}); self.x == x }} fn step(&mut self) -> bool {{ self.n += 1; self.x += felt({by}); self.n == 3 }} }}"
    )));
    let (x, v) = (g.unknown(body), g.fresh("v"));
    let small = g.random.below(4);
    let (n, m) = (g.random.between(1, 3), g.random.between(1, 3));
    body.push(line(format!(
        "let mut {v} = {name} {{ x: {x}, n: {n} }};\nlet {v}w = {name} {{ x: felt({small}), n: {m} }};"
    )));
    // The deciding condition is often one without which the assertion would fail.
    let decides = match g.random.below(4) {
        0 => format!("{x} != felt({small})"),
        1 => format!("{x} == felt({small})"),
        2 => g.flag(1),
        _ => g.bool(1),
    };
    let decides = format!("({decides})");
    let known = format!("({})", g.bool(1));
    let operator = g.random.pick(&["&&", "||"]);
    let right = match g.random.below(6) {
        0 | 1 => format!("{v}.is(&{v}w)"),
        2 => format!("{v}.is_not(&{v}w)"),
        3 => format!("{v}.plus({v}w).x == felt({})", 2 * small + 1),
        4 => format!("{v}.alike({v}w)"),
        _ => format!("{v}.bump(felt({}))", small + by),
    };
    let condition = match g.random.below(4) {
        0 => format!("{decides} {operator} ({x} != felt(1) && {right})"),
        1 => format!("!({decides} {operator} {right})"),
        _ => format!("{decides} {operator} {right}"),
    };
    let guard = match g.random.below(3) {
        0 => format!("{v}.alike({v}w)"),
        1 => format!("{known} {operator} {v}.alike({v}w)"),
        _ => format!("{v}.step()"),
    };
    let t = g.fresh("t");
    let text = match g.random.below(8) {
        0..=2 => format!("let {t} = if {condition} {{ felt(4) }} else {{ felt(7) }};"),
        3 => format!("let {t} = {condition};\nlet {t} = if {t} {{ {x} }} else {{ felt(3) }};"),
        4 => format!("assert!({condition} || {x} == {x} + felt(0));\nlet {t} = {v}.x;"),
        5 => format!(
            "let mut {t} = {x};\nif {known} {operator} {v}.alike({v}w) {{ {t} += felt(9); }} else if {v}.step() {{ {t} += felt(5); }}"
        ),
        // If the pattern of an arm does not match, its guard is not evaluated.
        _ => {
            let first = if g.refused() {
                format!("1 | {n} if {guard} => felt(1)")
            } else {
                format!("1 if {guard} => felt(1)")
            };
            let second = if g.refused() {
                format!("_ if {condition} => felt(4)")
            } else {
                format!("_ if {v}.alike({v}w) => felt(4)")
            };
            format!(
                "let {t} = {v}.n;\nlet {t} = match {t} {{\n    {first},\n    2..=3 if {v}.step() => felt(2),\n    2 if {guard} => felt(3),\n    {second},\n    _ => felt(5),\n}};"
            )
        }
    };
    body.push(line(text));
    // A hint too many, or too few, makes this one another hint.
    body.push(line(format!("let {t}h = hint_felt().any();")));
    for value in [
        t.clone(),
        format!("{t}h"),
        format!("{v}.x"),
        format!("felt({v}.n)"),
    ] {
        g.observe(&value, &Ty::Felt, body);
    }
}

/// The order in which `+=` and similar operators read their two sides. For integers it is the value
/// first. In generic code, with a reference on the right, and for field elements, it is the place
/// first.
pub fn assigning(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("as");
    let factor = g.random.between(2, 9);
    g.items.push(line(format!(
        "fn {name}_n(k: &mut usize) -> usize {{ *k += 1; *k % 4 }}\n\
         fn {name}_f(k: &mut usize, x: &mut Felt) -> Felt {{ *k += 1; *x = *x * felt({factor}) + felt(*k); *x }}\n\
         fn {name}_any<T: std::ops::AddAssign + Copy>(v: &mut [T; 4], w: &[T; 4], k: &mut usize) {{ v[{name}_n(k)] += w[{name}_n(k)]; }}\n\
         fn {name}_one<T: std::ops::AddAssign>(v: &mut T, x: T) {{ *v += x; }}\n\
         fn {name}_set(n: &mut usize, m: usize) -> usize {{ *n += {{ *n = m; m + 1 }}; *n }}\n\
         #[derive(Clone, Copy)]\nstruct {name}S {{ x: Felt, n: usize }}"
    ).replace(&format!("{name}S"), &name.to_uppercase())));
    let (structure, v) = (name.to_uppercase(), g.fresh("v"));
    let list = |g: &mut Generator| (0..4).map(|_| g.felt(1)).collect::<Vec<_>>().join(", ");
    let (first, second) = (list(g), list(g));
    let numbers: Vec<_> = (0..8)
        .map(|_| g.random.between(1, 20).to_string())
        .collect();
    let (x, e, start) = (g.felt(1), g.ext(1), g.random.below(4));
    body.push(line(format!(
        "let mut {v} = [{first}];\nlet {v}w = [{second}];\nlet mut {v}n = [{}_usize, {}];\nlet {v}m = [{}_usize, {}];\n\
         let mut {v}k = {start}_usize;\nlet mut {v}x = {x};\nlet mut {v}e = {e};\nlet mut {v}s = {structure} {{ x: {v}x, n: {start} }};",
        numbers[0],
        numbers[1..4].join(", "),
        numbers[4],
        numbers[5..].join(", "),
    )));
    let at = match g.random.below(3) {
        0 => format!("{{ {v}k += 3; {v}k % 4 }}"),
        _ => format!("{name}_n(&mut {v}k)"),
    };
    let f = format!("{name}_f(&mut {v}k, &mut {v}x)");
    let op = g.random.pick(&["+=", "+=", "*=", "-="]);
    let int = g.random.pick(&["+=", "*=", "|=", "^=", "<<=", "%="]);
    let i = g.random.below(4);
    let texts = [
        format!("{v}[{at}] {op} {f};"),
        format!("{v}[{at}] {op} {v}w[{at}];"),
        format!("{name}_any(&mut {v}, &{v}w, &mut {v}k);"),
        format!("{name}_one(&mut {v}[{at}], {f});"),
        format!("{name}_one(&mut {v}n[{at}], {name}_n(&mut {v}k));"),
        format!("{v}n[{i}] {int} {{ {v}n[{i}] = {v}k + 2; {v}n[{i}] % 7 + 1 }};"),
        format!(
            "{v}k {int} {{ {v}k = {}; 1 + {v}n[{i}] % 3 }};",
            g.random.below(9)
        ),
        format!("{v}s.n {int} {{ {v}s.n = 6; {name}_n(&mut {v}k) + 1 }};"),
        format!("{v}n[{i}] += {name}_set(&mut {v}k, {start});"),
        format!("{v}n[{i}] += {name}_set(&mut {v}n[{i}], {start});"),
        format!("{v}e {op} {f};"),
        format!("{v}e += {structure} {{ x: {f}, n: 1 }}.x;"),
        format!("{v}s.x {op} {{ {v}k += 1; {v}[{v}k % 4] }};"),
    ];
    // Droste refuses these, since it cannot determine the order.
    let refused = [
        format!("{v}n[{at}] += {v}m[{at}];"),
        format!("{v}n[{at}] += &{v}m[{at}];"),
        format!("{name}_any(&mut {v}n, &{v}m, &mut {v}k);"),
        format!("{v}n[{v}k % 4] += {{ {v}k += 1; {v}k }};"),
    ];
    for _ in 0..2 {
        let from = if g.random.chance(12) {
            &refused[..]
        } else {
            &texts
        };
        body.push(line(from[g.random.below(from.len())].clone()));
    }
    g.observe(&v, &Ty::array(Ty::Felt, 4), body);
    g.observe(&format!("{v}e"), &Ty::Ext, body);
    for value in [
        format!("{v}x"),
        format!("{v}s.x"),
        format!("felt({v}s.n % 65536)"),
        format!("felt({v}k % 65536)"),
        format!("felt(({v}n[0] % 1000) * 1000 + {v}n[1] % 1000)"),
        format!("felt(({v}n[2] % 1000) * 1000 + {v}n[3] % 1000)"),
    ] {
        g.observe(&value, &Ty::Felt, body);
    }
}
