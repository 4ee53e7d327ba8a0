//! Loops, unrolled and at run time, and `break` and `continue`.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::{Int, Ty};

/// Loops over ranges and arrays, which the compiler unrolls.
pub fn unrolled(g: &mut Generator, body: &mut Vec<Node>) {
    let index = g.fresh("i");
    let n = g.random.between(0, 4);
    let array = g.let_new(&Ty::array(Ty::Felt, 4), true, body);
    let sum = g.let_new(&Ty::Int(Int::Usize), true, body);
    let in_main = std::mem::replace(&mut g.in_main, false);
    let inside = g.scoped(|g, body| {
        g.declare(&index, Ty::Int(Int::Usize), false);
        body.push(line(format!(
            "{array}[{index}] = {array}[3 - {index}] + felt({index});"
        )));
        body.push(line(format!("{sum} = {sum} % 1000 + {index} * 2;")));
        if g.random.chance(40) {
            let way = g.random.pick(&["continue", "break"]);
            body.push(line(format!("if {index} == {} {{ {way}; }}", n / 2)));
        }
        g.simple_statements(body);
    });
    let range = match g.random.below(4) {
        0 | 1 => format!("0..{n}"),
        2 => format!("{}..={}", n.min(1), n.min(3)),
        _ => format!("{}..{n}", n / 2),
    };
    body.push(group(format!("for {index} in {range}"), inside));
    g.observe(&array, &Ty::array(Ty::Felt, 4), body);
    g.observe(&sum, &Ty::Int(Int::Usize), body);
    let ty = g.some_type(1);
    let list = g.let_new(&Ty::array(ty.clone(), 3), false, body);
    let element = g.fresh("e");
    let inside = g.scoped(|g, body| {
        g.declare(&element, ty.clone(), false);
        g.observe(&element, &ty, body);
        g.simple_statement(body);
    });
    g.in_main = in_main;
    body.push(group(format!("for {element} in {list}"), inside));
}

/// Loops that run in the machine.
pub fn run_time(g: &mut Generator, body: &mut Vec<Node>) {
    let carried = g.some_run_time_type(1);
    let state = g.let_new(&carried, true, body);
    let index = g.fresh("i");
    let iterator = match g.random.below(3) {
        0 => format!("count({})", g.random.below(4)),
        1 => format!("count({})", g.int_below(Int::Usize, 1, 4)),
        _ => {
            // A number of iterations that is small whatever the input is.
            let (x, n) = (g.unknown(body), g.fresh("n"));
            let most = g.random.between(1, 3);
            body.push(line(format!(
                "let {n} = if {x} == felt(0) {{ felt({most}) }} else if {x} == felt(1) {{ felt(1) }} else {{ felt(0) }};"
            )));
            format!("count_to({n})")
        }
    };
    let inside = g.run_time(|g, body| {
        g.declare(&index, Ty::Felt, false);
        let value = g.value(&carried, 2);
        g.simple_statement(body);
        body.push(line(format!("{state} = {value};")));
        if g.random.chance(30) {
            let inner = g.fresh("i");
            let inside = g.run_time(|g, body| {
                g.declare(&inner, Ty::Felt, false);
                g.simple_statements(body);
            });
            body.push(group(format!("for {inner} in count(2)"), inside));
        }
        g.simple_statements(body);
        g.observe(&index, &Ty::Felt, body);
    });
    let pattern = if g.random.chance(10) {
        format!("mut {index}")
    } else {
        index
    };
    body.push(group(format!("for {pattern} in {iterator}"), inside));
    g.observe(&state, &carried, body);
}

/// `while` with conditions known at compile time.
pub fn while_loops(g: &mut Generator, body: &mut Vec<Node>) {
    let int = g.some_int();
    let (name, counter) = (int.name(), g.fresh("w"));
    let (limit, step) = (g.random.between(1, 12), g.random.between(1, 4));
    body.push(line(format!("let mut {counter} = 0_{name};")));
    let in_main = std::mem::replace(&mut g.in_main, false);
    let inside = g.scoped(|g, body| {
        g.declare(&counter, Ty::Int(int), false);
        body.push(line(format!("{counter} += {step};")));
        if g.random.chance(40) {
            let way = g.random.pick(&["continue", "break"]);
            body.push(line(format!("if {counter} % 3 == 2 {{ {way}; }}")));
        }
        g.simple_statements(body);
    });
    g.in_main = in_main;
    let condition = match g.random.below(3) {
        0 => format!("{counter} < {limit}"),
        1 => format!("{counter} * 2 <= {limit} && {counter} != 7"),
        _ => format!("!({counter} >= {limit})"),
    };
    body.push(group(format!("while {condition}"), inside));
    g.observe(&counter, &Ty::Int(int), body);
}

/// Labelled loops and blocks, of which some have values.
pub fn labels(g: &mut Generator, body: &mut Vec<Node>) {
    let (a, b) = (g.random.below(3), g.random.below(3));
    let value = g.felt(1);
    let way = g.random.pick(&[
        "break 'outer",
        "continue 'outer",
        "break 'inner",
        "continue",
        "break",
    ]);
    match g.random.below(6) {
        0 | 1 => {
            let leave = line(format!("if i == {a} && j == {b} {{ {way}; }}"));
            let inside = vec![
                leave,
                line(format!("acc = acc * felt(3) + felt(i * 10 + j) + {value};")),
            ];
            let outer = vec![
                group("'inner: for j in 0..3", inside),
                line("acc = acc * felt(5) + felt(i);"),
            ];
            body.push(group("'outer: for i in 0..3", outer));
        }
        2 => {
            let leave = line(format!("if i == {a} && j == {b} {{ {way}; }}"));
            let inside = vec![
                line("j += 1;"),
                leave,
                line("acc = acc * felt(3) + felt(i * 7 + j);"),
            ];
            let outer = vec![
                line("let mut j = 0;"),
                group("'inner: while j < 3", inside),
                line("acc += felt(j);"),
            ];
            body.push(group("'outer: for i in 0..3", outer));
        }
        3 | 4 => {
            let (name, n, k) = (g.fresh("v"), g.fresh("n"), g.random.between(2, 4));
            let inner = vec![
                line(format!("{n} += 1;")),
                line(format!(
                    "if {n} == {a} + 3 {{ break 'outer {value} + felt({n}); }}"
                )),
                line(format!("if {n} % {k} == {} {{ break {n} * {k}; }}", b % k)),
            ];
            let outer = vec![
                Node::Group("let m = loop {".into(), inner, "};".into()),
                line("acc = acc * felt(3) + felt(m);"),
                line(format!("if m == {a} * {k} {{ continue; }}")),
                line(format!("if {n} > {b} {{ break acc; }}")),
            ];
            body.push(line(format!("let mut {n} = 0_usize;")));
            let open = format!("let {name} = 'outer: loop {{");
            body.push(Node::Group(open, outer, "};".into()));
            g.observe(&format!("({name} + felt({n}))"), &Ty::Felt, body);
        }
        _ => {
            let int = g.int_below(Int::Usize, 1, 4);
            let mut inside = vec![
                line(format!("if {int} == {a} {{ break 'block {value}; }}")),
                line("acc += felt(8);"),
            ];
            let name = g.fresh("v");
            inside.push(line("acc * felt(2)"));
            body.push(Node::Group(
                format!("let {name} = 'block: {{"),
                inside,
                "};".into(),
            ));
            g.observe(&name, &Ty::Felt, body);
        }
    }
}
