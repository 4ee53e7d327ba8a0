//! `cfg` on items, members, statements and expressions. Neither rustc nor Droste builds them with
//! `test` set.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::Ty;

impl Generator {
    /// Returns two conditions, of which the first holds.
    fn cfgs(&mut self) -> (&'static str, &'static str) {
        match self.random.below(10) {
            0..=6 => ("#[cfg(not(test))]", "#[cfg(test)]"),
            7 => ("#[cfg(all())]", "#[cfg(any())]"),
            8 => ("#[cfg(not(all(test)))]", "#[cfg(any(test))]"),
            _ => (
                "#[cfg(not(all(test, test)))]",
                "#[cfg(all(test, not(test)))]",
            ),
        }
    }

    /// Returns both texts under their conditions, in random order.
    fn either(&mut self, holds: &str, fails: &str) -> String {
        let (yes, no) = self.cfgs();
        let (holds, fails) = (format!("{yes}\n{holds}"), format!("{no}\n{fails}"));
        if self.random.chance(50) {
            format!("{holds}\n{fails}")
        } else {
            format!("{fails}\n{holds}")
        }
    }

    /// Adds an item of two forms, of which one is compiled.
    fn either_item(&mut self, holds: &str, fails: &str) {
        let text = self.either(holds, fails);
        self.items.push(line(text));
    }
}

/// Constants, functions, structs, impls and modules.
pub fn items(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("q");
    let (a, b) = (g.random.between(2, 50), g.random.between(51, 99));
    let observed = match g.random.below(8) {
        0 | 1 => {
            let name = name.to_uppercase();
            g.either_item(
                &format!("const {name}: usize = {a};"),
                &format!("const {name}: usize = {b};"),
            );
            format!("felt({name})")
        }
        2 => {
            g.either_item(
                &format!("fn {name}(x: Felt) -> Felt {{ x * felt({a}) }}"),
                &format!("fn {name}(x: Felt) -> Felt {{ x + felt({b}) }}"),
            );
            format!("{name}({})", g.felt(1))
        }
        3 => {
            g.either_item(
                &format!("pub mod {name} {{ pub const K: usize = {a}; }}"),
                &format!("pub mod {name} {{ pub const K: usize = {b}; }}"),
            );
            format!("felt({name}::K)")
        }
        4 => {
            let methods = g.either(
                &format!("fn get(&self) -> Felt {{ self.x * felt({a}) }}"),
                &format!("fn get(&self) -> Felt {{ self.x + felt({b}) }}"),
            );
            let name = name.to_uppercase();
            g.items.push(line(format!("struct {name} {{ x: Felt }}")));
            g.items
                .push(group(format!("impl {name}"), vec![line(methods)]));
            format!("{name} {{ x: {} }}.get()", g.felt(1))
        }
        5 => {
            // A method whose condition holds takes precedence over the trait's default.
            let name = name.to_uppercase();
            g.items.push(line(format!(
                "trait T{name} {{ fn get(&self) -> Felt {{ felt({b}) }} }}\nstruct {name} {{ x: Felt }}"
            )));
            let (yes, no) = g.cfgs();
            let condition = if g.random.chance(60) { yes } else { no };
            let method = line(format!(
                "{condition}\nfn get(&self) -> Felt {{ self.x + felt({a}) }}"
            ));
            g.items
                .push(group(format!("impl T{name} for {name}"), vec![method]));
            format!("{name} {{ x: {} }}.get()", g.felt(1))
        }
        6 => {
            let name = name.to_uppercase();
            g.items.push(line(format!("struct {name};")));
            g.either_item(
                &format!("impl {name} {{ const K: usize = {a}; }}"),
                &format!("impl {name} {{ const K: usize = {b}; }}"),
            );
            format!("felt({name}::K)")
        }
        _ => {
            let module = g.fresh("q");
            g.items.push(line(format!(
                "mod {module} {{ pub const A: usize = {a}; pub const B: usize = {b}; }}"
            )));
            let name = name.to_uppercase();
            g.either_item(
                &format!("use {module}::A as {name};"),
                &format!("use {module}::B as {name};"),
            );
            format!("felt({name})")
        }
    };
    g.observe(&observed, &Ty::Felt, body);
}

/// Statements, expressions, match arms, and fields of struct expressions.
pub fn inside(g: &mut Generator, body: &mut Vec<Node>) {
    let (a, b) = (g.random.between(2, 50), g.random.between(51, 99));
    let (first, second) = (g.felt(1), g.felt(1));
    let name = g.fresh("v");
    match g.random.below(7) {
        0 | 1 => {
            let text = g.either(
                &format!("let {name} = {first} * felt({a});"),
                &format!("let {name} = {second} + felt({b});"),
            );
            body.push(line(text));
        }
        2 => {
            let text = g.either(
                &format!("{{ acc += felt({a}); }}"),
                &format!("{{ acc += felt({b}); }}"),
            );
            body.push(line(format!("{text}\nlet {name} = {first};")));
        }
        3 => {
            let (yes, no) = g.cfgs();
            let condition = if g.random.chance(50) { yes } else { no };
            body.push(line(format!(
                "{condition}\nassert_ne!({first}, {second} - {second} + felt({a}));"
            )));
            body.push(line(format!("let {name} = {second};")));
        }
        4 => {
            let text = g.either(
                &format!("0 | 1 => felt({a}),"),
                &format!("0 | 1 => felt({b}),"),
            );
            let value = g.random.below(3);
            body.push(line(format!(
                "let {name} = match {value} {{\n{text}\n_ => {first} }};"
            )));
        }
        5 => {
            let text = g.either(
                &format!("const {name}K: usize = {a};"),
                &format!("const {name}K: usize = {b};"),
            );
            body.push(line(format!("{text}\nlet {name} = felt({name}K);")));
        }
        _ => {
            let structure = g.fresh("Q");
            let fields = g.either("x: Felt,", "x: Felt, y: Felt,");
            g.items
                .push(line(format!("struct {structure} {{\n{fields}\n}}")));
            let values = g.either(
                &format!("x: {first},"),
                &format!("x: {second}, y: {second},"),
            );
            body.push(line(format!(
                "let {name} = {structure} {{\n{values}\n}}.x;"
            )));
        }
    }
    g.declare(&name, Ty::Felt, false);
    g.observe(&name, &Ty::Felt, body);
}
