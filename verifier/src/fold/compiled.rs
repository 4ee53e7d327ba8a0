//! The programs of a fold's rules: their texts, from the signatures in the rules file, and what is
//! compiled of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use droste_gadgets::SOURCES;
use droste_vm::compiler::{CompileError, Compiled, Location, SourceMap, Span, compile_file};
use droste_vm::executor::{Tape, execute};
use droste_vm::isa::Op;
use droste_vm::key::KeyDigest;
use droste_vm::machine::{Machine, StandardTables, precompiles_of};
use droste_vm::tables::program::ProgramTable;
use p3_field::PrimeField32;

use super::instance::{ForeignText, Instance, LeafText, Taken, instances, placeholders};
use super::source::{Declared, Given, RuleSignature, Slot, Source};
use super::{FoldError, MAX_BLOCKS, MAX_SOURCE};
use crate::aggregate::tables_of_r;
use crate::circuit::{PRECOMPILES, WhirVerifier};
use crate::program::fold::{RULES, RuleText, SlotText};

/// Largest number of cycles of the program that reveals how many blocks a state has.
const PROBE_CYCLES: u64 = 1 << 16;

/// The rules of a fold, as texts.
#[derive(Debug)]
pub(super) struct Rules {
    source: Source,
    /// Rules files that it imports: those of other folds.
    others: Vec<Source>,
    state: String,
    /// Path of the type of the states.
    state_path: String,
    blocks: usize,
    signatures: Vec<RuleSignature>,
    folds: Vec<Arc<ForeignText>>,
    instances: Vec<Instance>,
}

/// What rules are made from.
pub(super) struct Parts {
    pub source: Source,
    /// Accepted programs. If there are none, they are placeholders: rules on paper need no keys.
    pub leaves: Option<Vec<LeafText>>,
    pub folds: Vec<ForeignText>,
    /// Rules files of other folds.
    pub others: Vec<Source>,
}

impl Rules {
    /// Reads the signatures of a rules file and makes the instances of its rules.
    ///
    /// # Errors
    /// If the file declares no rules, or too many, or its state has no blocks, or too many.
    pub fn new(parts: Parts) -> Result<Self, FoldError> {
        let Parts {
            source,
            leaves,
            folds,
            others,
        } = parts;
        let others = distinct(&source, others)?;
        let Declared { state, span, rules } = {
            let types: Vec<(&str, &str)> = folds.iter().map(ForeignText::state_type).collect();
            source.declared(Given {
                leaves: leaves.as_ref().map(Vec::len),
                folds: &types,
            })?
        };
        let leaves = leaves.unwrap_or_else(|| placeholders(&rules));
        let folds: Vec<Arc<ForeignText>> = folds.into_iter().map(Arc::new).collect();
        let instances = instances(&rules, &leaves, &folds)?;
        let mut made = Self {
            state_path: format!("{RULES}::{}::{state}", source.stem()),
            source,
            others,
            state,
            blocks: 0,
            signatures: rules,
            folds,
            instances,
        };
        made.blocks = made.count_blocks()?;
        if !(1..=MAX_BLOCKS).contains(&made.blocks) {
            let message = format!("a state has {} blocks", made.blocks);
            return made
                .source
                .refuse(span, message, format!("1 to {MAX_BLOCKS}"));
        }
        Ok(made)
    }

    /// The rules file.
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// All files: the rules file, then those that it imports.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        std::iter::once(&self.source).chain(&self.others)
    }

    /// Name of the type of the states.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// Path of that type in a generated text.
    pub fn state_path(&self) -> &str {
        &self.state_path
    }

    /// Number of blocks of a state.
    pub const fn blocks(&self) -> usize {
        self.blocks
    }

    /// The other fold of this number.
    pub fn other(&self, fold: usize) -> Option<&ForeignText> {
        self.folds.get(fold).map(Arc::as_ref)
    }

    /// Number of other folds.
    pub const fn others(&self) -> usize {
        self.folds.len()
    }

    /// The programs of all rules, in order.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// Number of programs, which is that of the fold's keys.
    pub const fn count(&self) -> usize {
        self.instances.len()
    }

    /// Number of the program of this name.
    ///
    /// # Errors
    /// [`FoldError::NoRule`].
    pub fn instance(&self, name: &str) -> Result<usize, FoldError> {
        let mut instances = self.instances.iter();
        let found = instances.position(|instance| instance.name == name);
        found.ok_or_else(|| self.no_rule(name))
    }

    /// Largest number of slots of a rule.
    pub fn most_slots(&self) -> usize {
        let slots = self.instances.iter().map(|instance| instance.slots.len());
        slots.max().unwrap_or(0)
    }

    /// The program of this number.
    ///
    /// # Errors
    /// [`FoldError::NoRule`].
    pub fn program(&self, number: usize) -> Result<&Instance, FoldError> {
        let found = self.instances.get(number);
        found.ok_or_else(|| self.no_rule(&number.to_string()))
    }

    /// Name of the program of this number.
    pub fn name(&self, number: usize) -> &str {
        let instance = self.instances.get(number);
        instance.map_or("", |instance| &instance.name)
    }

    /// What the slots of a program take.
    pub fn slots(&self, number: usize) -> &[Slot] {
        let instance = self.instances.get(number);
        let mut signatures = self.signatures.iter();
        let rule = instance.and_then(|of| signatures.find(|rule| rule.name == of.function));
        rule.map_or(&[], |rule| &rule.slots)
    }

    /// What a slot of a program takes, in words.
    pub fn words(&self, number: usize, slot: usize) -> String {
        let instance = self.instances.get(number);
        let taken = instance.and_then(|instance| instance.slots.get(slot));
        taken.map_or_else(String::new, Taken::words)
    }

    /// If a slot of a program takes a leaf: the keys of its wraps, the last one first, and its own.
    pub fn path(&self, number: usize, slot: usize) -> &[KeyDigest] {
        let instance = self.instances.get(number);
        match instance.and_then(|instance| instance.slots.get(slot)) {
            Some(Taken::Leaf { path, .. }) => path,
            _ => &[],
        }
    }

    /// That there is no rule of this name.
    pub fn no_rule(&self, name: &str) -> FoldError {
        let names: Vec<&str> = (self.instances.iter())
            .map(|instance| instance.name.as_str())
            .collect();
        FoldError::NoRule {
            name: name.to_owned(),
            rules: names.join(", "),
        }
    }

    /// Paths and texts of all files that a rule's program may import from.
    pub fn libraries(&self) -> Vec<(&str, &str)> {
        let own = self.sources().map(|source| (source.path(), source.text()));
        SOURCES.iter().copied().chain(own).collect()
    }

    /// Calls `of` with what the text of a program is written from.
    fn with_text<T>(&self, instance: &Instance, of: impl FnOnce(&RuleText<'_>) -> T) -> T {
        let slots: Vec<SlotText> = instance.slots.iter().map(Taken::text).collect();
        of(&RuleText {
            module: self.source.stem(),
            state: &self.state,
            function: &instance.function,
            rules: self.instances.len(),
            slots: &slots,
            behind: instance.slots.iter().map(Taken::behind).sum(),
        })
    }

    /// The text of a program whose children `verifier` verifies.
    pub fn text(&self, instance: &Instance, verifier: &WhirVerifier) -> String {
        self.with_text(instance, |text| text.program(verifier))
    }

    /// The text of the same, but that nothing is verified.
    pub fn paper_text(&self, instance: &Instance) -> String {
        self.with_text(instance, |text| text.paper())
    }

    /// Compiles the program of this number on paper.
    ///
    /// # Errors
    /// If it does not compile, or calls what the recursion machine does not have.
    pub fn compile_paper(&self, number: usize) -> Result<Compiled, FoldError> {
        let instance = self.program(number)?;
        let text = self.paper_text(instance);
        let compiled = compile_file("rule.rs", &text, &self.libraries());
        let compiled = compiled.map_err(|error| self.does_not_compile(instance, error))?;
        self.check_precompiles(instance, &compiled)?;
        Ok(compiled)
    }

    /// That a rule does not compile. If it reveals something, the compiler sees that only where the
    /// generated `main` reveals one element too many: then the call is named.
    pub fn does_not_compile(&self, instance: &Instance, source: Box<CompileError>) -> FoldError {
        if !is_rules(source.source_code.name())
            && let Some(refused) = self.sources().find_map(Source::refuse_statement)
        {
            return refused;
        }
        FoldError::Rule {
            rule: instance.name.clone(),
            source,
        }
    }

    /// Compiles a `main` with this body.
    ///
    /// # Errors
    /// If it does not compile.
    pub fn probe(&self, body: &str) -> Result<Compiled, FoldError> {
        let text = format!(
            "use droste_gadgets::fold::State;\n\
             use droste_gadgets::prelude::*;\n\n\
             fn blocks<S: State>() -> usize {{\n    S::BLOCKS\n}}\n\n\
             pub fn main() {{\n{body}}}\n"
        );
        compile_file("probe.rs", &text, &self.libraries()).map_err(FoldError::Compile)
    }

    /// Number of blocks of a state, which a program reveals.
    fn count_blocks(&self) -> Result<usize, FoldError> {
        let state = self.state_path();
        let compiled = self.probe(&format!("    reveal(felt(blocks::<{state}>()));\n"))?;
        let run = execute(&compiled, &[], &Tape::default(), PROBE_CYCLES);
        let run = run.map_err(|error| FoldError::Run {
            rule: self.state.clone(),
            reason: error.reason(),
            run: Box::new(error),
        })?;
        let [blocks, ..] = run.statement;
        Ok(blocks.as_canonical_u32() as usize)
    }

    /// Refuses a program that calls a precompile for which the recursion machine R has no table:
    /// its proofs would be on another machine.
    ///
    /// # Errors
    /// Where it calls which.
    pub fn check_precompiles(
        &self,
        instance: &Instance,
        compiled: &Compiled,
    ) -> Result<(), FoldError> {
        let of_r = tables_of_r()?;
        for id in precompiles_of(&compiled.program) {
            let precompiles = &BTreeSet::from(PRECOMPILES) | &BTreeSet::from([id]);
            let machine = Machine::<StandardTables>::new(ProgramTable::of_height(0), &precompiles)?;
            if machine.names() == of_r {
                continue;
            }
            let called = compiled.precompile(id).map_or("a precompile", |it| it.name);
            let mut instructions = compiled.program.instructions.iter();
            let pc = instructions.position(|it| it.op == Op::Call && it.id == id);
            let place = pc.and_then(|pc| place_in_rules(&compiled.source_map, pc));
            let message = format!(
                "the rule `{}` calls `{called}`, for which the recursion machine has no table",
                instance.name
            );
            let help = "hash bytes in a leaf program, and take its digest";
            let file = place.and_then(|place| {
                let file = compiled.source_map.files.get(place.span.file as usize)?;
                let source = self.sources().find(|source| source.path() == file.path)?;
                Some((source, place.span))
            });
            // There is one, since the generated `main` calls nothing else.
            let (source, span) = file.unwrap_or((&self.source, Span::default()));
            return source.refuse(span, message, help);
        }
        Ok(())
    }
}

/// Where in a rules file the call is that leads to the instruction at `pc`.
pub(super) fn place_in_rules(map: &SourceMap, pc: usize) -> Option<Location> {
    let mut at = map.locations.get(pc).copied();
    while let Some(location) = at {
        let file = map.files.get(location.span.file as usize)?;
        if is_rules(&file.path) {
            return Some(location);
        }
        let site = map.sites.get(location.site as usize)?;
        at = site.parent.map(|parent| Location {
            span: site.call,
            site: parent,
        });
    }
    None
}

/// Whether the compiler has a rules file under this path.
pub(super) fn is_rules(path: &str) -> bool {
    path.split_once('/').is_some_and(|(of, _)| of == RULES)
}

/// The rules files of other folds, each once, if no two are different modules of one name, and all
/// are short.
fn distinct(own: &Source, others: Vec<Source>) -> Result<Vec<Source>, FoldError> {
    let mut all: Vec<Source> = vec![];
    for other in others {
        let same = all.iter().chain([own]).find(|it| it.stem() == other.stem());
        match same {
            None => all.push(other),
            Some(same) if *same == other => {}
            Some(_) => return Err(FoldError::SameStem(other.stem().to_owned())),
        }
    }
    let lengths = all.iter().chain([own]).map(|source| source.text().len());
    let length: usize = lengths.sum();
    if length > MAX_SOURCE {
        return Err(FoldError::TooLong(length));
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
