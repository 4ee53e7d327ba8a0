//! Literals whose types come from elsewhere in the program.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::Ty;

/// Literals that get their type from a later use, an element, a field, a parameter or a result.
pub fn literals(g: &mut Generator, body: &mut Vec<Node>) {
    for _ in 0..g.random.between(1, 3) {
        one(g, body);
    }
}

fn one(g: &mut Generator, body: &mut Vec<Node>) {
    let int = g.any_int();
    let ty = int.name();
    let (v, w) = (g.fresh("v"), g.fresh("w"));
    let (a, b, c) = (
        g.random.between(2, 20),
        g.random.between(0, 20),
        g.random.between(1, 7),
    );
    let known = g.int(int, 1).0;
    // What shows the type of `v`: its negation in bits.
    let mut shown = format!("!{v}");
    let text = match g.random.below(15) {
        0 => format!("let mut {v} = {a};\n{v} += {b};\n{v} = {v} * 2;\nlet {w}: {ty} = {v};"),
        1 => {
            shown = format!("!{v}[0]");
            format!("let {v} = [{a}, {b}, {c}];\nlet {w}: {ty} = {v}[1];")
        }
        2 => {
            shown = format!("!{v}[0]");
            format!(
                "let mut {v} = Vec::new();\n{v}.push({a});\n{v}.push({known});\nlet {w} = {v}[1];"
            )
        }
        3 => {
            let name = g.fresh("Pair");
            g.items
                .push(line(format!("struct {name}<T> {{ a: T, b: T }}")));
            shown = format!("!{v}.a");
            format!("let {v} = {name} {{ a: {a}, b: {known} }};\nlet {w} = {v}.b;")
        }
        4 => {
            shown = format!("!{v}.unwrap_or({b})");
            format!("let {v} = Some({a});\nlet {w}: Option<{ty}> = {v};\nlet {w} = {w}.unwrap();")
        }
        5 => {
            let function = g.fresh("half");
            g.items.push(line(format!(
                "fn {function}(x: {ty}) -> {ty} {{ let y = {c}; x / y + !y / {a} }}"
            )));
            format!("let {v} = {a};\nlet {w} = {function}({v});")
        }
        6 => format!("let ({v}, {w}) = ({a}, {b});\nlet {w}: {ty} = {v} % 5 + {w};"),
        7 => format!("let mut {v} = 0;\nfor i in 0..{c} {{\n{v} += i;\n}}\nlet {w}: {ty} = {v};"),
        8 if int.signed() => {
            format!("let {v} = -{a};\nlet {w}: {ty} = {v} - {b} % {c};")
        }
        9 => format!("let {v} = {a} << 2 >> 1;\nlet {w}: {ty} = {v} | {b};"),
        10 => {
            let condition = g.bool(1);
            format!("let {v} = if {condition} {{ {a} }} else {{ {b} }};\nlet {w}: {ty} = {v};")
        }
        11 => {
            // A type that is found nowhere.
            shown = format!("{v} as {ty}");
            format!(
                "let mut {v} = 0;\nlet {w} = {a};\nwhile {v} < {w} {{\n{v} += 1;\n}}\nlet {w} = {known};"
            )
        }
        12 => format!("let {w} = {known};\nlet {v} = if {w} == {a} {{ {b} }} else {{ {w} }};"),
        13 => {
            let function = g.fresh("first");
            g.items
                .push(line(format!("fn {function}<T>(a: T, _b: T) -> T {{ a }}")));
            format!("let {w} = {known};\nlet {v} = {function}({a}, {w});")
        }
        _ => format!(
            "let {w} = {known};\nlet {v} = match {w} % 3 {{\n0 => {a},\n1 => {b},\n_ => {w},\n}};"
        ),
    };
    body.push(line(text));
    g.observe(&format!("({shown})"), &Ty::Int(int), body);
    g.observe(&w, &Ty::Int(int), body);
}
