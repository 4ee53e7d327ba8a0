//! The parts that programs consist of, one function per feature of the language.

mod branches;
mod closures;
mod conditional;
mod conversions;
mod derives;
mod effects;
mod enums;
mod exchanges;
mod flags;
mod generic_traits;
mod inferred;
mod instances;
mod items_inside;
mod iterators;
mod lists;
mod literals;
mod loops;
mod memory;
mod methods;
mod modules;
mod operators;
mod patterns;
mod places;
mod references;
mod standard;
mod standard_traits;
mod texts;
mod traits;
mod user_operators;
mod values;
mod vec_calls;
mod vecs;
mod wholes;

use super::generator::Generator;
use super::random::Random;
use super::source::{Node, group, line};
use super::types::Ty;

/// Adds statements to a body, and the items that they need.
pub type Feature = fn(&mut Generator, &mut Vec<Node>);

/// The function of a feature, its name in reports, and how often it is chosen.
pub const FEATURES: &[(&str, Feature, usize)] = &[
    ("arithmetic", values::arithmetic, 4),
    ("assignments", values::assignments, 4),
    ("assertions", values::assertions, 3),
    ("constants", values::constants, 3),
    ("aliases", values::aliases, 1),
    ("shadowing", values::shadowing, 3),
    ("structs", values::structs, 3),
    ("integers", values::integers, 4),
    ("run-time branches", branches::run_time, 4),
    ("compile-time branches", branches::compile_time, 3),
    ("early returns", branches::early_returns, 3),
    ("unrolled loops", loops::unrolled, 3),
    ("run-time loops", loops::run_time, 4),
    ("while loops", loops::while_loops, 2),
    ("labels", loops::labels, 3),
    ("let patterns", patterns::lets, 3),
    ("match", patterns::matches, 4),
    ("slice patterns", patterns::slices, 3),
    ("run-time guards", patterns::run_time_guards, 1),
    ("cfg on items", conditional::items, 3),
    ("cfg inside", conditional::inside, 3),
    ("modules", modules::modules, 3),
    ("imports", modules::imports, 3),
    ("methods", methods::methods, 4),
    ("generics", methods::generics, 3),
    ("trait dispatch", traits::dispatch, 4),
    ("associated items", traits::associated, 3),
    ("traits of built-in types", traits::built_in, 3),
    ("places as arguments", places::arguments, 4),
    ("mutable fields", places::fields, 3),
    ("references in variables", references::variables, 1),
    ("reference patterns", references::patterns, 1),
    ("returned references", references::returned, 1),
    ("functions that are called", instances::values, 4),
    ("functions with fixed structs", instances::fixed, 4),
    ("methods that are called", instances::methods, 3),
    ("order of evaluation", effects::order, 4),
    ("indices with effects", effects::indices, 3),
    ("words", memory::words, 3),
    ("slices", memory::slices, 3),
    ("hints", memory::hints, 3),
    ("algebraic precompiles", memory::algebraic, 3),
    ("byte hashes", memory::byte_hashes, 2),
    ("borrowed arrays", wholes::borrowed_arrays, 3),
    ("builders", wholes::builders, 2),
    ("slices that meet", wholes::meeting, 3),
    ("own names of the prelude", wholes::own_names, 1),
    ("methods with effects", operators::effects, 3),
    ("order of assigning operators", operators::assigning, 3),
    ("types from results", inferred::types, 2),
    ("lengths from results", inferred::lengths, 2),
    ("names of the standard library", standard::names, 3),
    ("traits with numbers", generic_traits::numbers, 4),
    ("traits with types", generic_traits::types, 4),
    ("aliases with arguments", generic_traits::aliases, 3),
    ("structs of flags", flags::structs, 4),
    ("hints in loops and branches", flags::hints, 3),
    ("closing assertions", flags::closing, 3),
    ("closures", closures::closures, 3),
    ("derives", derives::derives, 3),
    ("enums", enums::enums, 3),
    ("items inside", items_inside::items_inside, 3),
    ("iterators", iterators::iterators, 3),
    ("lists", lists::lists, 3),
    ("literals", literals::literals, 3),
    ("texts", texts::texts, 2),
    ("conversions", conversions::conversions, 3),
    ("exchanges", exchanges::exchanges, 3),
    ("user operators", user_operators::user_operators, 3),
    ("standard traits", standard_traits::standard_traits, 3),
];

/// The features of `Vec`s.
pub const VECS: &[(&str, Feature, usize)] = &[
    ("vecs", vecs::changes, 4),
    ("vecs of vecs", vecs::nested, 3),
    ("vecs in branches", vecs::branches, 3),
    ("vecs in run-time loops", vecs::loops, 2),
    ("functions of vecs", vec_calls::read, 3),
    ("functions that change vecs", vec_calls::change, 4),
    ("functions that return vecs", vec_calls::returned, 3),
    ("structs of vecs", vec_calls::structs, 3),
];

/// Returns the feature of this name.
pub fn feature(name: &str) -> Option<Feature> {
    let mut known = FEATURES.iter();
    known
        .find(|feature| feature.0 == name)
        .map(|feature| feature.1)
}

impl Generator {
    /// Adds one statement of a random feature.
    pub fn some_statement(&mut self, body: &mut Vec<Node>) {
        if self.fuel == 0 {
            return;
        }
        self.fuel -= 1;
        let features = if self.of_vecs && self.random.chance(70) {
            VECS
        } else {
            FEATURES
        };
        let total = features.iter().map(|feature| feature.2).sum();
        let mut choice = self.random.below(total);
        for (name, feature, weight) in features {
            if choice < *weight {
                self.features.insert(name);
                return feature(self, body);
            }
            choice -= weight;
        }
    }

    /// Adds one statement that needs no items, so that it can be inside loops, branches and
    /// functions.
    pub fn simple_statement(&mut self, body: &mut Vec<Node>) {
        if self.fuel > 0 && self.random.chance(25) {
            return self.some_statement(body);
        }
        match self.random.below(5) {
            0 => values::arithmetic(self, body),
            1 | 2 => values::assignments(self, body),
            _ => {
                let value = self.felt(2);
                self.observe(&value, &Ty::Felt, body);
            }
        }
    }

    /// Observes some of `calls`, which return field elements. In `percent` of a hundred cases it
    /// also observes one of `refused`, which Droste refuses and must not misread.
    pub fn observe_some(
        &mut self,
        calls: &[String],
        (percent, refused): (usize, &[String]),
        body: &mut Vec<Node>,
    ) {
        for _ in 0..5 {
            let call = calls[self.random.below(calls.len())].clone();
            self.observe(&call, &Ty::Felt, body);
        }
        if self.random.chance(percent) && !refused.is_empty() {
            let call = refused[self.random.below(refused.len())].clone();
            self.observe(&call, &Ty::Felt, body);
        }
    }

    /// Adds some simple statements.
    pub fn simple_statements(&mut self, body: &mut Vec<Node>) {
        for _ in 0..self.random.between(1, 3) {
            self.simple_statement(body);
        }
    }

    /// Declares `acc`, which every body needs that observes values.
    pub fn start(&mut self, value: &str, body: &mut Vec<Node>) {
        body.push(line(format!("let mut acc = {value};")));
        self.declare("acc", Ty::Felt, true);
    }
}

/// Returns program `index` of `seed`, which has a few randomly chosen features, and the names of
/// these features.
pub fn program(seed: u64, index: u64) -> (Vec<Node>, Vec<&'static str>) {
    let mut generator = Generator::new(Random::new(seed, index));
    let generator = &mut generator;
    // So that what they find in the others does not depend on these.
    generator.of_vecs = index % 4 == 3;
    generator.fuel = generator.random.between(2, 6);
    let body = generator.scoped(|generator, body| {
        generator.start("Felt::ONE", body);
        for _ in 0..generator.random.between(1, 3) {
            generator.unknown(body);
        }
        while generator.fuel > 0 {
            generator.some_statement(body);
        }
        body.push(line("reveal(acc);"));
    });
    let mut nodes = vec![line("use droste_gadgets::prelude::*;")];
    // Items with the names that generic parameters usually have.
    for (item, name) in [
        ("const", "N"),
        ("struct", "T"),
        ("const", "M"),
        ("struct", "U"),
    ] {
        if generator.random.chance(20) {
            nodes.push(line(match item {
                "const" => format!("const {name}: usize = {};", generator.random.between(1, 5)),
                _ => format!("#[derive(Clone, Copy)]\nstruct {name} {{ x: Felt }}"),
            }));
        }
    }
    nodes.append(&mut generator.items);
    let main = group("pub fn main()", body);
    let place = 1 + generator.random.below(nodes.len());
    nodes.insert(place, main);
    (nodes, generator.features.iter().copied().collect())
}
