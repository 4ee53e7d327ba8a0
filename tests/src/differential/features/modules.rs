//! Inline modules, imports, globs and renamed imports.

use super::super::generator::{Function, Generator};
use super::super::source::{Node, group, line};
use super::super::types::Ty;

/// Items of nested modules, named by their paths.
pub fn modules(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("m");
    let (a, b, c) = (
        g.random.between(2, 90),
        g.random.between(2, 90),
        g.random.between(2, 90),
    );
    // Items outside have the same names, so that a path that is resolved in the wrong module
    // computes something else.
    let outside = format!("{name}_k");
    g.items.push(line(format!(
        "const {}: usize = {a};",
        outside.to_uppercase()
    )));
    let deep = vec![
        line("use droste_gadgets::prelude::*;"),
        line(format!(
            "pub const {}: usize = {b};",
            outside.to_uppercase()
        )),
        line(format!(
            "pub fn own() -> usize {{ {} }}",
            outside.to_uppercase()
        )),
        line(format!(
            "pub fn outer() -> usize {{ super::super::{0} + super::{0} }}",
            outside.to_uppercase()
        )),
        line("pub fn step(x: Felt) -> Felt { x * felt(own()) + felt(super::own()) }"),
        line("pub struct P { pub x: Felt, y: Felt }"),
        line(
            "impl P { pub fn new(x: Felt) -> Self { P { x, y: super::shift(x) } } pub fn y(&self) -> Felt { self.y } }",
        ),
    ];
    let items = vec![
        line("use droste_gadgets::prelude::*;"),
        line(format!(
            "pub const {}: usize = {c};",
            outside.to_uppercase()
        )),
        line(format!(
            "pub fn own() -> usize {{ self::{} }}",
            outside.to_uppercase()
        )),
        line("pub fn shift(x: Felt) -> Felt { x + felt(own()) }"),
        group("pub mod deep", deep),
    ];
    g.items.push(group(format!("pub mod {name}"), items));
    let value = g.felt(1);
    let calls = [
        format!("felt({name}::own())"),
        format!("felt({name}::deep::own() + self::{name}::deep::outer())"),
        format!("{name}::deep::step({value})"),
        format!("{name}::shift({value})"),
        format!("{name}::deep::P::new({value}).y()"),
        format!(
            "felt({} + {name}::{})",
            outside.to_uppercase(),
            outside.to_uppercase()
        ),
        format!("{name}::deep::P::new({value}).x"),
    ];
    for _ in 0..3 {
        let call = calls[g.random.below(calls.len())].clone();
        g.observe(&call, &Ty::Felt, body);
    }
    g.functions.push(Function {
        path: format!("{name}::deep::step"),
        parameters: vec![Ty::Felt],
        result: Ty::Felt,
    });
}

/// `use` with globs, renames and lists, inside modules and functions.
pub fn imports(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("m");
    let (a, b) = (g.random.between(2, 90), g.random.between(2, 90));
    g.items.push(line(format!(
        "mod {name}a {{ pub const {up}: usize = {a}; pub fn f_{name}(x: usize) -> usize {{ x + {a} }} pub struct S{name}(pub usize); }}\n\
         mod {name}b {{ pub const {up}: usize = {b}; pub fn f_{name}(x: usize) -> usize {{ x * {b} }} pub struct S{name}(pub usize); impl S{name} {{ pub fn n(&self) -> usize {{ self.0 + {b} }} }} }}",
        up = name.to_uppercase(),
    )));
    let up = name.to_uppercase();
    let inner = match g.random.below(9) {
        0 => {
            g.items.push(line(format!(
                "use {name}a::{up};\nuse {name}b::{up} as OTHER_{up};"
            )));
            format!("felt({up} * 3 + OTHER_{up})")
        }
        1 => {
            g.items.push(line(format!("use {name}b::*;")));
            format!("felt({up} + f_{name}(2) + S{name}(4).n())")
        }
        2 => {
            // An item of the module itself takes precedence over one from a glob.
            let own = g.random.between(2, 90);
            g.items
                .push(line(format!("use {name}a::*;\nconst {up}: usize = {own};")));
            format!("felt({up} * 2 + f_{name}(1))")
        }
        3 => {
            g.items.push(line(format!(
                "use {name}a::*;\nuse {name}b::{{f_{name}, {up}}};"
            )));
            format!("felt({up} * 2 + f_{name}(1) + S{name}(4).0)")
        }
        4 => {
            // What a module imports is not in scope outside of it.
            let own = g.random.between(2, 90);
            g.items.push(line(format!(
                "fn f_{name}(x: usize) -> usize {{ x + 1000 }}\nconst {up}: usize = {own};\n\
                 mod {name}c {{ use super::{name}b::*; pub fn go() -> usize {{ f_{name}(3) + {up} }} }}"
            )));
            format!("felt(f_{name}(5) + {up} + {name}c::go())")
        }
        5 => {
            g.items.push(line(format!(
                "mod {name}c {{ pub use super::{name}a::{{{up} as K{up}, f_{name}}}; pub mod d {{ pub use super::super::{name}b::f_{name} as other; }} }}\n\
                 use {name}c::d;"
            )));
            format!("felt({name}c::K{up} + {name}c::f_{name}(5) + d::other(3))")
        }
        6 => {
            g.items.push(line(format!(
                "mod {name}c {{ use super::{name}a::f_{name} as f_here; pub fn go() -> usize {{ f_here(1) }} }}\n\
                 mod {name}d {{ use super::{name}b::f_{name} as f_here; pub fn go() -> usize {{ f_here(1) }} }}"
            )));
            format!("felt({name}c::go() * 100 + {name}d::go())")
        }
        7 => {
            g.items.push(line(format!("use self::{name}a as {name}x;\nuse crate_{name}::*;\nmod crate_{name} {{ pub const Z{up}: usize = 5; }}")));
            format!("felt({name}x::f_{name}(Z{up}))")
        }
        _ => {
            // Items of the prelude are renamed, and an item of the program is used with them.
            let own = g.random.between(2, 90);
            g.items.push(line(format!(
                "mod {name}c {{ use droste_gadgets::prelude::{{Felt as Element, felt as element}}; fn count(n: usize) -> Element {{ element(n + {own}) }} pub fn go(x: Element) -> Element {{ x + count(2) }} }}"
            )));
            format!("{name}c::go({})", g.felt(1))
        }
    };
    if g.random.chance(30) {
        let inside = vec![
            line(format!("use {name}b::f_{name} as g_{name};")),
            line(format!("acc += felt(g_{name}(2));")),
        ];
        body.push(group("", inside));
    }
    g.observe(&inner, &Ty::Felt, body);
}
