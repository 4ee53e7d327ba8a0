//! Patterns of `let` and of `match`.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::{Int, Ty};

impl Generator {
    /// Returns a pattern that matches every value of the type, and declares the variables that it
    /// binds.
    fn pattern(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.random.chance(25) {
            if self.random.chance(20) {
                return "_".into();
            }
            let (name, mutable) = (self.fresh("p"), self.random.chance(30));
            self.declare(&name, ty.clone(), mutable);
            return if mutable { format!("mut {name}") } else { name };
        }
        match ty {
            Ty::Array(element, n) => {
                let parts: Vec<_> = (0..*n).map(|_| self.pattern(element, depth - 1)).collect();
                if self.random.chance(20) && *n > 1 {
                    return format!("[{}, ..]", parts[0]);
                }
                format!("[{}]", parts.join(", "))
            }
            Ty::Tuple(types) => {
                let parts: Vec<_> = types.iter().map(|ty| self.pattern(ty, depth - 1)).collect();
                if self.random.chance(15) && parts.len() > 1 {
                    return format!("(.., {})", parts[parts.len() - 1]);
                }
                format!("({},)", parts.join(", "))
            }
            Ty::Struct(id, ..) => {
                let fields = self.fields(ty);
                let (name, tuple) = (self.structs[*id].name.clone(), self.structs[*id].tuple);
                let mut parts = Vec::new();
                // Only at the top level: below it, another field may have the same name, and the
                // shorthand would bind it twice.
                let short = !tuple && depth == 3 && self.random.chance(30);
                for i in self.random.order(fields.len()) {
                    let (field, ty) = &fields[i];
                    if short {
                        parts.push(field.clone());
                        self.declare(field, ty.clone(), false);
                    } else {
                        parts.push(format!("{field}: {}", self.pattern(ty, depth - 1)));
                    }
                }
                if self.random.chance(25) {
                    parts.pop();
                    parts.push("..".into());
                }
                format!("{name} {{ {} }}", parts.join(", "))
            }
            _ => {
                let name = self.fresh("p");
                self.declare(&name, ty.clone(), false);
                name
            }
        }
    }
}

/// `let` with nested patterns.
pub fn lets(g: &mut Generator, body: &mut Vec<Node>) {
    let ty = match g.random.below(3) {
        0 => g.some_struct(),
        1 => {
            let first = g.some_type(1);
            Ty::Tuple(vec![first, Ty::Felt, g.some_type(1)])
        }
        _ => Ty::array(g.some_type(1), 2),
    };
    let value = g.value(&ty, 2);
    let mark = g.variables.len();
    let pattern = g.pattern(&ty, 3);
    // A variable of a part that `..` has replaced is not bound.
    let bound: Vec<_> = g.variables.drain(mark..).collect();
    let words: Vec<&str> = pattern.split(|c: char| !c.is_alphanumeric()).collect();
    let bound = bound
        .into_iter()
        .filter(|variable| words.contains(&variable.name.as_str()));
    let bound: Vec<_> = bound.collect();
    body.push(line(format!("let {pattern} = {value};")));
    for variable in &bound {
        g.observe(&variable.name, &variable.ty, body);
    }
    g.variables.extend(bound);
    g.simple_statement(body);
}

/// `match` on integers and bools: numbers, ranges, alternatives, constants, guards, bindings.
pub fn matches(g: &mut Generator, body: &mut Vec<Node>) {
    let int = [Int::U8, Int::U32, Int::Usize][g.random.below(3)];
    let name = int.name();
    let constant = g.fresh("K");
    let known = g.random.below(12);
    let local = g.random.chance(40);
    let declared = line(format!("const {constant}: {name} = {known};"));
    if local {
        body.push(declared);
    } else {
        g.items.push(declared);
    }
    let bound = g.fresh("m");
    let mut arms = Vec::new();
    for _ in 0..g.random.between(1, 4) {
        let (low, high) = (g.random.below(8), g.random.between(8, 30));
        let pattern = match g.random.below(9) {
            0 => format!("{low}"),
            1 => format!("{low}..={high}"),
            2 => format!("{low}..{high}"),
            3 => format!("{low} | {high}"),
            4 => constant.clone(),
            5 => format!("{low} | 10..=12 | {constant}"),
            6 => format!("{bound} if {bound} % 3 == {}", g.random.below(3)),
            7 => format!("{bound} @ {low}..={high}"),
            _ => format!("{bound} if {bound} > {low} && {bound} != {high}"),
        };
        let binds = pattern.contains(&bound);
        let mark = g.variables.len();
        if binds {
            g.declare(&bound, Ty::Int(int), false);
        }
        let mut value = g.felt(1);
        if binds {
            value = format!("{value} + felt({bound} as usize % 1000)");
        }
        g.variables.truncate(mark);
        if g.random.chance(20) {
            value = format!("{{ acc += felt(6); {value} }}");
        }
        arms.push(format!("    {pattern} => {value},"));
    }
    let last = if g.random.chance(30) {
        format!("{bound} => felt({bound} as usize % 100)")
    } else {
        format!("_ => {}", g.felt(1))
    };
    arms.push(format!("    {last},"));
    let scrutinee = if g.random.chance(50) {
        format!("{}_{name}", g.random.below(16))
    } else {
        g.int(int, 2).0
    };
    let result = g.fresh("v");
    body.push(line(format!(
        "let {result} = match {scrutinee} {{\n{}\n}};",
        arms.join("\n")
    )));
    g.observe(&result, &Ty::Felt, body);
    tuples(g, body);
}

fn tuples(g: &mut Generator, body: &mut Vec<Node>) {
    let (a, b) = (g.random.below(3), g.random.below(3));
    let (x, y) = (g.int_below(Int::Usize, 1, 3), g.bool(1));
    let value = g.felt(1);
    let text = match g.random.below(6) {
        0 => format!(
            "match ({x}, {y}) {{ ({a}, true) => {value}, (n, false) if n > {b} => felt(n), (_, true) => felt(20), _ => felt(30) }}"
        ),
        1 => format!(
            "match [{x}, {b}] {{ [{a}, _] => {value}, [_, {a}] => felt(21), [m, n] => felt(m * 5 + n) }}"
        ),
        2 => format!("match {y} {{ true => {value}, false => felt(31) }}"),
        3 => {
            let name = g.fresh("P");
            g.items
                .push(line(format!("struct {name} {{ a: usize, b: bool }}")));
            format!(
                "match ({name} {{ a: {x}, b: {y} }}) {{ {name} {{ a: {a}, .. }} => {value}, {name} {{ b: true, a }} => felt(a + 40), {name} {{ a: n, b: _ }} => felt(n) }}"
            )
        }
        4 => {
            let name = g.fresh("P");
            g.items.push(line(format!("struct {name}(usize, Felt);")));
            format!(
                "match {name}({x}, {value}) {{ {name}({a}, f) => f * f, {name}(1 | 2, f) => f + felt(2), {name}(n, f) => f - felt(n) }}"
            )
        }
        _ => format!(
            "match ({x}, ({y}, {value})) {{ (0 | 2, (true, f)) => f, (n, (false, f)) => f * felt(n), (_, (_, f)) => f + f }}"
        ),
    };
    g.observe(&format!("({text})"), &Ty::Felt, body);
}

/// Patterns of slices: their ends and what is between them, alternatives that bind, and `let else`.
pub fn slices(g: &mut Generator, body: &mut Vec<Node>) {
    let (f, v, never) = (g.fresh("ends"), g.fresh("v"), g.never_inline(20));
    let [a, b, c] = [0; 3].map(|_: usize| g.random.below(4));
    g.items.push(line(format!(
        "fn {f}(list: &[usize], x: Felt) -> Felt {{ match list {{ [] => felt({a}), [{b}] => x * x, [one] => x + felt(*one), \
         [first, .., last] if first == last => x - felt(*first), [n, {c}] | [{c}, n, ..] => x * felt(*n), \
         [first @ (1 | 2), rest @ ..] => {f}(rest, x) * felt(*first), [most @ .., {a}] => {f}(most, x + felt(most.len())), \
         [.., y, z] => x + felt(y * 3 + z) }} }}\n\
         {never}fn {f}inner(list: &[Felt]) -> Felt {{ match list {{ [] => felt({a}), [x] => *x, [x, inner @ .., y] => *x * felt({b}) + *y + {f}inner(inner) }} }}"
    )));
    let values: Vec<_> = (0..g.random.below(6))
        .map(|_| g.int_below(Int::Usize, 1, 4))
        .collect();
    let (x, y) = (g.unknown(body), g.felt(1));
    let (n, p) = (g.random.between(1, 4), g.fresh("p"));
    body.push(line(format!(
        "let {v}: Vec<usize> = vec![{}];\nlet {v}x = [{x}, {y}, felt({a}), {x} * {x}];",
        values.join(", ")
    )));
    body.push(line(match g.random.below(5) {
        0 => format!(
            "let [{p}, {p}r @ .., {p}e] = {v}x;\nacc = acc * {p} + {p}e + {p}r[1] * felt({p}r.len());"
        ),
        1 => format!(
            "let [{p}, ..] = {v}[..] else {{ panic!(\"{{}}\", {v}.len()) }};\nacc = acc * felt({p});"
        ),
        2 => format!(
            "let {p} = if let [{p}, _] | [_, _, {p}] = {v}x[..{n}] {{ {p} }} else {{ felt({b}) }};\nacc = acc * felt(3) + {p};"
        ),
        3 => format!(
            "let mut {p} = &{v}[..];\nwhile let [first, rest @ ..] = {p} {{ acc = acc * felt(5) + felt(*first); {p} = rest; }}"
        ),
        _ => format!(
            "if let ([{p}, ..], [.., {p}e]) = (&{v}[..], &{v}x[..{n}]) {{ acc += felt(*{p}) * *{p}e; }}"
        ),
    }));
    for value in [
        format!("{f}(&{v}, {x})"),
        format!("{f}(&{v}[{v}.len() / 2..], {y})"),
        format!("{f}inner(&{v}x)"),
        format!("{f}inner(&{v}x[..{n}])"),
    ] {
        g.observe(&value, &Ty::Felt, body);
    }
}

/// Guards that are known only at run time.
pub fn run_time_guards(g: &mut Generator, body: &mut Vec<Node>) {
    let x = g.unknown(body);
    let scrutinee = g.int_below(Int::Usize, 1, 3);
    let (a, k) = (g.random.below(3), g.random.below(4));
    let (first, second) = (g.felt(1), g.felt(1));
    let flag = g.flag(1);
    let effect = if g.random.chance(40) {
        format!("assert_ne!({x}, felt({k}));")
    } else {
        "acc += felt(2);".into()
    };
    let text = match g.random.below(3) {
        0 => format!(
            "match {scrutinee} {{ {a} if {x} == felt({k}) => {{ {effect} {first} }} n => {second} + felt(n) }}"
        ),
        1 => format!(
            "match {scrutinee} {{ n if {flag} => {{ {effect} {first} + felt(n) }} {a} => {second}, _ => felt(9) }}"
        ),
        _ => format!(
            "match ({scrutinee}, {x}) {{ ({a}, y) if y != felt({k}) => y * y, (_, y) if {flag} => {{ {effect} {first} }} (_, y) => y + {second} }}"
        ),
    };
    let name = g.fresh("v");
    body.push(line(format!("let {name} = {text};")));
    g.declare(&name, Ty::Felt, false);
    g.observe(&name, &Ty::Felt, body);
}
