//! Items inside functions and blocks, with the names of items, variables and parameters around them.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::Ty;

/// Adds the items of a block to its statements, in any place.
fn scatter(g: &mut Generator, items: Vec<Node>, statements: Vec<Node>) -> Vec<Node> {
    let mut nodes = statements;
    for item in items {
        let place = g.random.below(nodes.len() + 1);
        nodes.insert(place, item);
    }
    nodes
}

/// Returns some constants, functions and modules that hide those around a block.
fn hiding(g: &mut Generator, name: &str) -> Vec<Node> {
    let up = name.to_uppercase();
    let (a, b) = (g.random.between(2, 90), g.random.between(2, 9));
    let mut items = Vec::new();
    if g.random.chance(60) {
        items.push(line(format!("const {up}: usize = {a};")));
    }
    if g.random.chance(60) {
        items.push(line(format!(
            "fn h_{name}(n: usize) -> usize {{ n * {b} + {up} }}"
        )));
    }
    if g.random.chance(30) {
        items.push(line(format!(
            "mod m_{name} {{ pub const {up}: usize = {b}; pub fn two() -> usize {{ {up} * 2 + super::{up} }} }}"
        )));
    }
    if g.random.chance(40) {
        items.push(line(format!("use p_{name}::k_{name};")));
    }
    if g.random.chance(20) {
        items.push(line("const _: usize = 1;\nconst _: usize = 2;"));
    }
    items
}

/// A function whose blocks declare items, and a block of the body that does.
pub fn items_inside(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("i");
    let up = name.to_uppercase();
    let numbers: Vec<_> = (0..4).map(|_| g.random.between(2, 90)).collect();
    let [a, b, c, d] = [0, 1, 2, 3].map(|index| numbers[index]);
    g.items.push(line(format!(
        "const {up}: usize = {a};\n\
         fn h_{name}(n: usize) -> usize {{ n + {b} }}\n\
         fn k_{name}(n: usize) -> usize {{ n + {c} }}\n\
         mod m_{name} {{ pub fn two() -> usize {{ super::{up} + 1 }} }}\n\
         mod p_{name} {{ pub fn k_{name}(n: usize) -> usize {{ n * {d} }} }}"
    )));
    let sum = format!("h_{name}(3) * 7 + k_{name}(5) + m_{name}::two() * 3 + {up} + self::{up}");
    let innermost = vec![line(format!("third = {sum};"))];
    let items = hiding(g, &name);
    let innermost = scatter(g, items, innermost);
    let inner = vec![
        line(format!("let {name} = {sum};")),
        line(format!("second = {name} % 1000;")),
        group("", innermost),
    ];
    let items = hiding(g, &name);
    let inner = scatter(g, items, inner);
    let mut items = hiding(g, &name);
    items.extend(types(g, &name));
    let statements = vec![
        line(format!(
            "let (first, mut second, mut third) = ({sum}, 0_usize, 0_usize);"
        )),
        group("", inner),
        line(format!(
            "let made = L{name} {{ x }};\nlet choice = B{name}(first % 50);"
        )),
    ];
    let mut statements = scatter(g, items, statements);
    statements.push(line(format!(
        "made.total(&choice) * felt(11) + made.total(&A{name}) + felt(first + second % 100 * 3 + third % 100)"
    )));
    let never = g.never_inline(30);
    let header = if g.random.chance(30) {
        format!("{never}fn f_{name}<T{name}: Copy, const N{up}: usize>(x: Felt) -> Felt")
    } else {
        format!("{never}fn f_{name}(x: Felt) -> Felt")
    };
    let generic = header.contains('<');
    g.items.push(group(header, statements));
    let value = g.felt(1);
    let turbofish = if generic { "::<bool, 3>" } else { "" };
    g.observe(&format!("f_{name}{turbofish}({value})"), &Ty::Felt, body);
    let items = hiding(g, &name);
    let block = scatter(g, items, vec![line(format!("acc += felt({sum});"))]);
    body.push(group("", block));
    g.observe(&format!("felt({sum})"), &Ty::Felt, body);
}

/// Returns a struct, an enum and a trait that a function declares.
fn types(g: &mut Generator, name: &str) -> Vec<Node> {
    let (a, up) = (g.random.between(2, 90), name.to_uppercase());
    [
        format!("struct L{name} {{ x: Felt }}"),
        format!("enum E{name} {{ A{name}, B{name}(usize) }}"),
        format!("use E{name}::*;"),
        format!("trait T{name}L {{ fn total(&self, e: &E{name}) -> Felt; }}"),
        format!(
            "impl T{name}L for L{name} {{ fn total(&self, e: &E{name}) -> Felt {{ \
             match e {{ A{name} => self.x * felt({a}), B{name}(n) => self.x + felt(*n + {up}) }} }} }}"
        ),
    ]
    .into_iter()
    .map(line)
    .collect()
}
