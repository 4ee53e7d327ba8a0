//! Bindings, assignments, assertions, constants.

use super::super::generator::{Function, Generator};
use super::super::source::{Node, group, line};
use super::super::types::{Int, Ty};

/// A value that is computed and revealed.
pub fn arithmetic(g: &mut Generator, body: &mut Vec<Node>) {
    let ty = g.some_run_time_type(1);
    let mutable = g.random.chance(60);
    let name = g.let_new(&ty, mutable, body);
    g.observe(&name, &ty, body);
}

/// Assignments to variables, fields and elements, plain and compound.
pub fn assignments(g: &mut Generator, body: &mut Vec<Node>) {
    for _ in 0..g.random.between(1, 3) {
        let ty = g.some_type(1);
        let target = match g.target(&ty) {
            Some(target) => target,
            None => g.let_new(&ty, true, body),
        };
        let value = g.value(&ty, 2);
        let text = match &ty {
            Ty::Felt | Ty::Ext if g.random.chance(50) => {
                let operator = g.random.pick(&["+=", "-=", "*="]);
                if g.is_in_vec(&target) {
                    format!("let t = {value};\n{target} {operator} t;")
                } else {
                    format!("{target} {operator} {value};")
                }
            }
            Ty::Int(int) if !int.signed() && g.random.chance(40) => {
                let operator = g.random.pick(&["|=", "&=", "^=", "/=", "%=", ">>=", "<<="]);
                let value = match operator {
                    "/=" | "%=" => format!("{value} % 9 + 1"),
                    ">>=" | "<<=" => format!("{value} % {}", int.bits()),
                    _ => value,
                };
                format!("{target} {operator} {value};")
            }
            _ => format!("{target} = {value};"),
        };
        body.push(line(text));
        g.observe(&target, &ty, body);
    }
    if g.random.chance(20) {
        let (a, b) = (
            g.let_new(&Ty::Felt, true, body),
            g.let_new(&Ty::Felt, true, body),
        );
        let value = g.felt(1);
        let choice = if g.refused() {
            1
        } else {
            2 * g.random.below(2)
        };
        let text = match choice {
            0 => format!("({a}, {b}) = ({b}, {value});"),
            1 => format!("[{a}, {b}] = [{b} + {value}, {a}];"),
            _ => format!("(_, {b}) = ({value}, {a});"),
        };
        body.push(line(text));
        g.observe(&format!("({a} - {b})"), &Ty::Felt, body);
    }
}

/// Assertions that hold, and some that small inputs break.
pub fn assertions(g: &mut Generator, body: &mut Vec<Node>) {
    let x = g.unknown(body);
    let (a, b) = (g.felt(2), g.random.below(5));
    let text = match g.random.below(14) {
        0 | 1 => format!("assert_eq!({a}, {a});"),
        2 => format!("assert_ne!({x}, felt({b}));"),
        3 => format!("assert!({x} != felt({b}) || {x} == {x});"),
        4 => format!("assert!({x} != felt({b}));"),
        5 => format!("assert_ne!({x} * {x} + felt(3), Felt::ZERO);"),
        6 => {
            let ty = g.some_run_time_type(2);
            let name = g.let_new(&ty, false, body);
            format!("assert_eq!({name}, {name});")
        }
        7 => format!("assert_eq!([{x}, {a}], [{x}, {a}], \"they {{}} differ\", 1);"),
        8 => format!("assert_eq!(({x} + {x}) * {x}, {x} * {x} * felt(2));"),
        9 => {
            let ext = g.ext(2);
            format!("assert_eq!({ext} * {x} - {ext}, {ext} * ({x} - Felt::ONE));")
        }
        10 => {
            let flag = g.flag(2);
            format!("assert!({flag} || !{flag});")
        }
        11 => format!("assert!(!({x} == felt({b})), \"it is {{}}\", {b});"),
        12 if g.refused() => format!("debug_assert_ne!({x}, felt({b}));"),
        _ => format!("let _ = ({x} - felt({b})).inverse();"),
    };
    body.push(line(text));
    g.observe(&x, &Ty::Felt, body);
}

/// Constants of modules, of functions, and functions that are `const`.
pub fn constants(g: &mut Generator, body: &mut Vec<Node>) {
    let (name, int) = (g.fresh("K"), g.some_int());
    let value = g.random.between(1, 40);
    let ty = int.name();
    g.items.push(line(format!("const {name}: {ty} = {value};")));
    let observed = match g.random.below(5) {
        0 => {
            // A constant in a block is visible before its declaration, and shadows one outside.
            let inner = g.random.between(41, 90);
            let read = format!("{name} as usize");
            body.push(group(
                "",
                vec![
                    line(format!("acc += felt({read});")),
                    line(format!("const {name}: {ty} = {inner};")),
                    line(format!("acc = acc * felt(7) + felt({read});")),
                ],
            ));
            name
        }
        1 => {
            let list = g.fresh("K");
            let values: Vec<_> = (0..3).map(|_| g.random.below(200).to_string()).collect();
            let values = values.join(", ");
            g.items
                .push(line(format!("const {list}: [{ty}; 3] = [{values}];")));
            format!("({list}[{name} as usize % 3] / 2 + {list}[2] / 2)")
        }
        2 => {
            let function = g.fresh("c");
            g.items.push(line(format!(
                "const fn {function}(x: {ty}) -> {ty} {{ let mut y = x % 50; if y > 7 {{ y = y / 2 + 1; }} y + {name} }}"
            )));
            let other = g.fresh("K");
            g.items
                .push(line(format!("const {other}: {ty} = {function}({value});")));
            g.functions.push(Function {
                path: function,
                parameters: vec![Ty::Int(int)],
                result: Ty::Int(int),
            });
            other
        }
        3 => {
            let other = g.fresh("K");
            g.items.push(line(format!(
                "const {other}: Felt = Felt::new({name} as u32 * 3);\nconst {other}E: Ext = Ext::new([{name} as u32, 2, 0, 1, 0]);"
            )));
            g.observe(&other, &Ty::Felt, body);
            g.observe(&format!("{other}E"), &Ty::Ext, body);
            name
        }
        _ => {
            let array = g.fresh("v");
            let value = g.felt(1);
            body.push(line(format!(
                "let {array} = [{value}; {name} as usize % 4 + 1];"
            )));
            g.observe(&format!("{array}[{array}.len() - 1]"), &Ty::Felt, body);
            name
        }
    };
    g.observe(&observed, &Ty::Int(int), body);
}

/// Type aliases.
pub fn aliases(g: &mut Generator, body: &mut Vec<Node>) {
    let ty = g.some_type(2);
    let alias = g.fresh("Alias");
    let written = g.type_name(&ty);
    let value = g.value(&ty, 2);
    let name = g.fresh("v");
    if g.random.chance(50) {
        g.items.push(line(format!("type {alias} = {written};")));
        body.push(line(format!("let {name}: {alias} = {value};")));
    } else {
        g.items
            .push(line(format!("type {alias}<T> = (T, {written});")));
        body.push(line(format!(
            "let {name}: {alias}<usize> = (3, {value});\nlet {name} = {name}.1;"
        )));
    }
    g.declare(&name, ty.clone(), false);
    g.observe(&name, &ty, body);
}

/// Blocks, and shadowed variables.
pub fn shadowing(g: &mut Generator, body: &mut Vec<Node>) {
    let x = g.let_new(&Ty::Felt, true, body);
    let inner = g.scoped(|g, body| {
        let value = g.felt(1);
        body.push(line(format!("let {x} = {x} + {value};")));
        g.declare(&x, Ty::Felt, false);
        let ty = g.some_type(1);
        let value = g.value(&ty, 1);
        body.push(line(format!("let mut {x} = ({x}, {value});")));
        g.declare(&x, Ty::Tuple(vec![Ty::Felt, ty]), true);
        g.simple_statement(body);
        body.push(line(format!("{x}.0 += {x}.0;")));
        g.observe(&format!("{x}.0"), &Ty::Felt, body);
    });
    body.push(group("", inner));
    g.observe(&x, &Ty::Felt, body);
    let y = g.fresh("v");
    let value = g.felt(1);
    body.push(line(format!(
        "let {y} = {{ let {x} = {x} * {x}; {x} + {{ let {x} = {value}; {x} - {x} * {x} }} + {x} }};"
    )));
    g.declare(&y, Ty::Felt, false);
    g.observe(&format!("({x} + {y})"), &Ty::Felt, body);
}

/// Nested structs that are built, updated and copied.
pub fn structs(g: &mut Generator, body: &mut Vec<Node>) {
    let ty = g.some_struct();
    let name = g.let_new(&ty, true, body);
    let copy = g.fresh("v");
    let clone = g.random.pick(&["", ".clone()"]);
    body.push(line(format!("let mut {copy} = {name}{clone};")));
    g.declare(&copy, ty.clone(), true);
    let fields = g.fields(&ty);
    let (field, of) = fields[g.random.below(fields.len())].clone();
    if g.is_run_time(&of) || g.region == 0 {
        let value = g.value(&of, 2);
        body.push(line(format!("{name}.{field} = {value};")));
    }
    g.simple_statement(body);
    g.observe(&name, &ty, body);
    g.observe(&copy, &ty, body);
}

/// Narrow integers.
pub fn integers(g: &mut Generator, body: &mut Vec<Node>) {
    for _ in 0..g.random.between(1, 4) {
        let int = g.any_int();
        let mutable = g.random.chance(50);
        let name = g.let_new(&Ty::Int(int), mutable, body);
        g.observe(&name, &Ty::Int(int), body);
    }
    let name = g.let_new(&Ty::Int(Int::Usize), true, body);
    let value = g.int_below(Int::Usize, 2, 50);
    body.push(line(format!("{name} = {name} % 100 + {value};")));
    g.observe(&name, &Ty::Int(Int::Usize), body);
    let flag = g.let_new(&Ty::Bool, false, body);
    g.observe(&flag, &Ty::Bool, body);
}
