//! Proves a rule on its children.

use std::time::Instant;

use droste_native::HashId;
use droste_vm::executor::{Tape, execute};
use droste_vm::machine::precompiles_of;
use droste_vm::record::Execution;
use droste_vm::whir;

use super::circuits::TooLow;
use super::instance::{Instance, Taken};
use super::leaf::only_path;
use super::paper::{MAX_CYCLES, failed};
use super::tape::{Said, family_item, glue, paper_child, said_state};
use super::{Family, Fold, FoldClaim, FoldError, Folded, UnverifiedFold};
use crate::aggregate::{Aggregate, Step};
use crate::circuit::{CircuitError, PRECOMPILES, RecursionCircuit, rows_of_tables};
use crate::keys::power;
use crate::resources::cpu_time;
use crate::tape::machine_tape;

/// A child of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Child<'a> {
    /// A node of the fold.
    Node(&'a Folded),
    /// The proof of an accepted program, wrapped by an aggregator of the fold's shape.
    Leaf(&'a Aggregate),
    /// A proof of another fold.
    Foreign(ForeignChild<'a>),
}

/// A proof of another fold.
#[derive(Clone, Copy, Debug)]
pub enum ForeignChild<'a> {
    /// The proof itself, which has this fold's shape.
    Root(&'a Folded),
    /// A proof of another shape, wrapped by an aggregator of this fold's shape.
    Wrapped {
        /// What the proof says.
        fold: &'a FoldClaim,
        /// The wrap.
        wrap: &'a Aggregate,
    },
}

/// Why a child is not what a slot takes, in words.
type Mismatch = String;

impl<'a> Child<'a> {
    /// The proof that the rule verifies.
    const fn proof(&self) -> &'a whir::Proof {
        match *self {
            Self::Node(fold) | Self::Foreign(ForeignChild::Root(fold)) => fold.proof(),
            Self::Leaf(wrap) | Self::Foreign(ForeignChild::Wrapped { wrap, .. }) => wrap.proof(),
        }
    }

    /// What it says to a rule of a fold with this list, whose slot takes this.
    fn said<'b>(&self, family: &'b Family, taken: &'b Taken) -> Result<Said<'b>, Mismatch>
    where
        'a: 'b,
    {
        match (taken, *self) {
            (Taken::Node, Child::Node(node)) => {
                let place = place(family, node).ok_or("a node of another fold")?;
                Ok(Said::Node {
                    place,
                    family: node.key(),
                    counters: node.counters(),
                    state: node.state(),
                })
            }
            (Taken::Leaf { kind, path, .. }, Child::Leaf(wrap)) => {
                let found = only_path(wrap.tree());
                let (keys, statement) = found.ok_or("a join of several proofs")?;
                if keys == *path {
                    return Ok(Said::Leaf { statement });
                }
                Err(if keys.last() == path.last() {
                    format!(
                        "a proof of leaf {kind} that was wrapped by another path, since its \
                         program ran at another size or it was wrapped with another preset or \
                         arity: a sample of this size adds the path"
                    )
                } else {
                    "a wrap of a proof of another program".to_owned()
                })
            }
            // Whoever has its file need not know which of two folds it is of.
            (
                Taken::Foreign { of, .. },
                Child::Foreign(ForeignChild::Root(root)) | Child::Node(root),
            ) if of.wraps.is_empty() => {
                let place = place(&of.family, root).ok_or("a node of a third fold")?;
                Ok(Said::Foreign {
                    family: &of.family,
                    wrapped: None,
                    place,
                    counters: root.counters(),
                    state: root.state(),
                })
            }
            (Taken::Foreign { of, .. }, Child::Foreign(ForeignChild::Wrapped { fold, wrap }))
                if !of.wraps.is_empty() =>
            {
                let found = only_path(wrap.tree());
                let (mut keys, statement) = found.ok_or("a join of several proofs")?;
                let key = keys.pop().ok_or("a proof without a wrap")?;
                if keys != of.wraps {
                    return Err("a fold that was wrapped by another path".to_owned());
                }
                if fold.family != of.family || fold.statement() != statement {
                    return Err(
                        "a wrap of another fold, or one that says something else".to_owned()
                    );
                }
                let place = of.family.place(key).ok_or("a wrap of another program")?;
                Ok(Said::Foreign {
                    family: &of.family,
                    wrapped: Some((key, statement)),
                    place,
                    counters: fold.counters,
                    state: &fold.state,
                })
            }
            (_, Child::Node(_)) => Err("a node of this fold".to_owned()),
            (_, Child::Leaf(_)) => Err("a wrap of a program's proof".to_owned()),
            (_, Child::Foreign(ForeignChild::Root(_))) => Err("a node of another fold".to_owned()),
            (_, Child::Foreign(ForeignChild::Wrapped { .. })) => {
                Err("a wrap of a node of another fold".to_owned())
            }
        }
    }
}

/// The place in a fold's list of the rule of which this is a proof, if it is a node of the fold.
fn place(family: &Family, node: &Folded) -> Option<usize> {
    let is_own = node.family() == family;
    is_own.then(|| family.place(node.rule())).flatten()
}

/// What has been read of children for a program.
struct Opened<'a> {
    instance: &'a Instance,
    said: Vec<Said<'a>>,
}

impl Fold {
    /// Proves that a rule returns its state on these children, in the order of its parameters;
    /// `hints` are those of its function. Of the programs of the rule, which differ in the paths of
    /// leaves, it is the one that takes these.
    ///
    /// # Errors
    /// If the rule takes other children, or fails on these, or takes more rows than there are.
    pub fn prove(
        &self,
        rule: &str,
        children: &[Child<'_>],
        hints: &Tape,
    ) -> Result<Folded, FoldError> {
        let Opened { instance, said } = self.open(rule, children)?;
        let counters = self.rules.counted(instance.number, &said)?;
        let start = Instant::now();
        let circuit = self.circuits.circuit(instance.number)?;
        let compile = start.elapsed();

        let start = Instant::now();
        let run = self.run(&circuit, instance, (children, &said), hints)?;
        self.check_rows(&circuit, &run, instance, (children, &said), hints)?;
        let (key, blocks) = (self.key(), self.blocks());
        let state = said_state(&run, key, counters, blocks).ok_or(FoldError::Statement)?;
        let execute = start.elapsed();

        let (cpu, start) = (cpu_time(), Instant::now());
        let key = self.circuits.key(&circuit)?;
        let proof = key.prove(&run)?;
        let (prove, prove_cpu) = (start.elapsed(), cpu_time().saturating_sub(cpu));
        let start = Instant::now();
        let report = key.verify(&proof)?;
        let step = Step {
            hash: HashId::Poseidon16,
            children: children.len(),
            canonical: self.aggregator.is_canonical(&proof),
            cycles: run.cycles.len(),
            compile,
            execute,
            prove,
            prove_cpu,
            verify: start.elapsed(),
            report: report.clone(),
        };
        (self.progress)(&step);
        let fold = UnverifiedFold {
            family: self.family().clone(),
            counters,
            state,
            proof,
        };
        Folded::made(fold, report, step, self.evidence()).map_err(FoldError::Own)
    }

    /// All hints of a rule's run on these children, `hints` being those of its function.
    ///
    /// # Errors
    /// If the rule takes other children.
    pub fn tape(
        &self,
        rule: &str,
        children: &[Child<'_>],
        hints: &Tape,
    ) -> Result<Tape, FoldError> {
        let Opened { instance, said } = self.open(rule, children)?;
        let circuit = self.circuits.circuit(instance.number)?;
        self.tape_of(&circuit, (children, &said), hints)
    }

    /// The first program of a rule that takes these children, and what they say.
    fn open<'a>(&'a self, rule: &str, children: &'a [Child<'a>]) -> Result<Opened<'a>, FoldError> {
        let mut refused = None;
        for instance in self.rules.instances() {
            // A name such as `block#1` is that of one program.
            if instance.function != rule && instance.name != rule {
                continue;
            }
            let (expected, found) = (instance.slots.len(), children.len());
            if expected != found {
                return Err(FoldError::Children {
                    rule: rule.to_owned(),
                    expected,
                    found,
                });
            }
            match self.said(instance, children) {
                Ok(said) => return Ok(Opened { instance, said }),
                // That of the first one says the most: the others differ in paths only.
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        Err(refused.unwrap_or_else(|| self.rules.no_rule(rule)))
    }

    /// What children say to a program.
    fn said<'a>(
        &'a self,
        instance: &'a Instance,
        children: &'a [Child<'a>],
    ) -> Result<Vec<Said<'a>>, FoldError> {
        let both = instance.slots.iter().zip(children).enumerate();
        let said = both.map(|(number, (taken, child))| {
            let said = child.said(self.family(), taken).and_then(|said| {
                let canonical = self.aggregator.check_canonical(child.proof());
                canonical.map_err(|error| format!("a proof of another shape ({error})"))?;
                Ok(said)
            });
            said.map_err(|found| FoldError::Child {
                rule: instance.name.clone(),
                child: number,
                expected: taken.words(),
                found,
            })
        });
        said.collect()
    }

    /// The hints of a program's run on proofs and what they say.
    fn tape_of(
        &self,
        circuit: &RecursionCircuit,
        (children, said): (&[Child<'_>], &[Said<'_>]),
        hints: &Tape,
    ) -> Result<Tape, FoldError> {
        let mut items = vec![family_item(self.family())];
        let proofs: Vec<&whir::Proof> = children.iter().map(Child::proof).collect();
        if !proofs.is_empty() {
            items.extend(machine_tape(&circuit.tape(&proofs)?).items);
        }
        items.extend(glue(said));
        items.extend(hints.items.iter().cloned());
        Ok(Tape { items })
    }

    /// Runs a rule's program on proofs and what they say.
    fn run(
        &self,
        circuit: &RecursionCircuit,
        instance: &Instance,
        children: (&[Child<'_>], &[Said<'_>]),
        hints: &Tape,
    ) -> Result<Execution, FoldError> {
        let tape = self.tape_of(circuit, children, hints)?;
        let run = circuit.run_items(&tape);
        run.map_err(|error| match error {
            CircuitError::Run(error) => {
                let own = hints.items.len();
                let around = tape.items.len() - own;
                failed(&instance.name, error, self.rules.source(), (around, own))
            }
            error => error.into(),
        })
    }

    /// Refuses a run that takes more rows than there are.
    fn check_rows(
        &self,
        circuit: &RecursionCircuit,
        run: &Execution,
        instance: &Instance,
        (children, said): (&[Child<'_>], &[Said<'_>]),
        hints: &Tape,
    ) -> Result<(), FoldError> {
        let rows = circuit.needed_rows(run)?;
        let tables = rows.iter().zip(&self.circuits.shape().log_heights);
        let tables = tables.map(|(table, &log_height)| (table, power(log_height)));
        let too_low: Vec<_> = tables.filter(|((_, rows), most)| rows > most).collect();
        if too_low.is_empty() {
            return Ok(());
        }
        // What is not the verifier of the children.
        let compiled = self.paper().compiled(&instance.name)?;
        let mut items = vec![family_item(self.family())];
        items.extend(children.iter().map(|child| {
            let proof = child.proof();
            paper_child(proof.key.digest(), proof.statement)
        }));
        items.extend(glue(said));
        items.extend(hints.items.iter().cloned());
        let run = execute(compiled, &[], &Tape { items }, MAX_CYCLES);
        let run = run.map_err(|error| CircuitError::Run(Box::new(error)))?;
        let precompiles = &PRECOMPILES.into() | &precompiles_of(&compiled.program);
        let paper = rows_of_tables(&compiled.program, &run, &precompiles)?;
        let too_low = too_low.into_iter().map(|((table, rows), most)| {
            let needs = paper.iter().find(|(name, _)| name == table);
            TooLow {
                table: table.clone(),
                needs: needs.map_or(*rows, |(_, rows)| *rows),
                rows: *rows,
                most,
            }
        });
        (self.circuits).check_room(instance, &too_low.collect::<Vec<_>>())
    }
}
