//! Branches and early returns.

use super::super::generator::{Function, Generator};
use super::super::source::{Node, group, line};
use super::super::types::{Int, Ty};

/// `if` on a condition known only at run time, as a statement and as a value.
pub fn run_time(g: &mut Generator, body: &mut Vec<Node>) {
    let _ = g.unknown(body);
    let before = g.let_new(&Ty::Felt, true, body);
    let ty = g.some_run_time_type(1);
    let changed = g.let_new(&ty, true, body);
    let condition = g.flag(2);
    let side = |g: &mut Generator| {
        g.run_time(|g, body| {
            g.simple_statements(body);
            let value = g.value(&ty, 2);
            match g.random.below(3) {
                0 => body.push(line(format!("{changed} = {value};"))),
                1 => body.push(line(format!("{before} += {before} + felt(5);"))),
                _ => {}
            }
        })
    };
    let then = side(g);
    body.push(group(format!("if {condition}"), then));
    if g.random.chance(60) {
        let otherwise = side(g);
        let open = if g.random.chance(30) {
            format!("else if {}", g.flag(1))
        } else {
            "else".into()
        };
        let Some(Node::Group(open_then, then, _)) = body.pop() else {
            return;
        };
        body.push(Node::Group(open_then, then, "}".into()));
        // The `else` is a node of its own. Shrinking may remove the `if` alone, which leaves a text
        // that rustc refuses.
        body.push(group(open, otherwise));
    }
    let (name, condition) = (g.fresh("v"), g.flag(1));
    let (yes, no) = (g.value(&ty, 2), g.value(&ty, 2));
    let written = g.type_name(&ty);
    let text = match g.random.below(3) {
        0 => format!(
            "let {name}: {written} = if {condition} {{ {before} += felt(3); {yes} }} else {{ {no} }};"
        ),
        1 => {
            let (second, other) = (g.flag(1), g.value(&ty, 1));
            format!(
                "let {name}: {written} = if {condition} {{ {yes} }} else if {second} {{ {other} }} else {{ {no} }};"
            )
        }
        _ => format!(
            "let {name}: {written}; if {condition} {{ {name} = {yes}; }} else {{ {name} = {no}; }}"
        ),
    };
    body.push(line(text));
    g.declare(&name, ty.clone(), false);
    g.observe(&name, &ty, body);
    g.observe(&changed, &ty, body);
    g.observe(&before, &Ty::Felt, body);
}

/// `if` on a condition known at compile time.
pub fn compile_time(g: &mut Generator, body: &mut Vec<Node>) {
    let int = g.some_int();
    let counter = g.let_new(&Ty::Int(int), true, body);
    let condition = g.bool(2);
    let then = g.scoped(|g, body| {
        let value = g.int(int, 1).0;
        body.push(line(format!("{counter} = {value};")));
        g.simple_statements(body);
    });
    let otherwise = g.scoped(|g, body| g.simple_statements(body));
    body.push(Node::Group(format!("if {condition} {{"), then, "}".into()));
    body.push(group("else", otherwise));
    g.observe(&counter, &Ty::Int(int), body);
    let ty = g.some_type(1);
    let (name, condition) = (g.fresh("v"), g.bool(2));
    let (yes, no) = (g.value(&ty, 2), g.value(&ty, 2));
    body.push(line(format!(
        "let {name} = if {condition} {{ {yes} }} else {{ {no} }};"
    )));
    g.declare(&name, ty.clone(), false);
    g.observe(&name, &ty, body);
}

/// Functions that return before their end.
pub fn early_returns(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("early");
    let parameters = [("n", Ty::Int(Int::Usize), false), ("x", Ty::Felt, false)];
    let limit = g.random.between(1, 6);
    let inner = g.function(&parameters, |g, body| {
        g.start("x", body);
        let factor = g.random.between(2, 9);
        match g.random.below(5) {
            0 => {
                let value = g.felt(2);
                let then = vec![line("acc += felt(2);"), line(format!("return acc + {value};"))];
                body.push(group(format!("if n > {limit}"), then));
                g.simple_statements(body);
            }
            1 => {
                let stop = group(format!("if i * n > {limit}"), vec![line("return acc;")]);
                let steps = vec![line(format!("acc = acc * felt({factor}) + felt(i);")), stop];
                body.push(group("for i in 0..5", steps));
            }
            2 => {
                let stop = group(
                    format!("if i + j + n == {limit}"),
                    vec![line("return acc * felt(100) + felt(i);")],
                );
                let inside = group("for j in 0..3", vec![line("acc += x + felt(j);"), stop]);
                body.push(group("for i in 0..3", vec![inside, line("acc += acc;")]));
            }
            3 => body.push(line(format!(
                "acc += match n {{ 0 => return x, 1 => felt(4), {limit} => return acc * acc, _ => x * x }};"
            ))),
            _ => body.push(line(format!(
                "let y = if n == {limit} {{ return felt(77) * x }} else {{ x + felt(n) }};\nacc += y * acc;"
            ))),
        }
        if g.random.chance(50) {
            body.push(line("return acc + felt(1);"));
        } else {
            body.push(line("acc * felt(3)"));
        }
    });
    g.item(format!("fn {name}(n: usize, x: Felt) -> Felt"), inner);
    for n in [0, limit, limit + 1] {
        let value = g.felt(1);
        g.observe(&format!("{name}({n}, {value})"), &Ty::Felt, body);
    }
    g.functions.push(Function {
        path: name,
        parameters: vec![Ty::Int(Int::Usize), Ty::Felt],
        result: Ty::Felt,
    });
}
