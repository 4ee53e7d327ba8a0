//! Why a fold cannot be made, or a rule not be proved.

use std::collections::BTreeMap;
use std::io;

use droste_vm::compiler::CompileError;
use droste_vm::executor::RunError;
use droste_vm::key::KeyDigest;
use droste_vm::machine::MachineError;
use droste_vm::stack::ProveError;
use droste_vm::verifier::VerifyError;
use thiserror::Error;

use super::{FamilyError, RefusedFold};
use crate::aggregate::{AcceptError, AggregateError};
use crate::circuit::CircuitError;
use crate::fold::{MAX_PATHS, MAX_RULES, MAX_SOURCE, RECIPE_VERSION};
use crate::keys::RecipeError;

/// Rows of tables as `--room` takes them.
fn options(rows: &BTreeMap<String, usize>) -> String {
    let words: Vec<_> = (rows.iter())
        .map(|(table, rows)| format!("{table}={rows}"))
        .collect();
    words.join(",")
}

/// Why a fold cannot be made, or a rule not be proved.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum FoldError {
    /// A file of rules cannot be read.
    #[error("{path}")]
    Read {
        /// The file.
        path: String,
        /// What is wrong with it.
        #[source]
        source: io::Error,
    },
    /// The name of a file of rules is that of no module.
    #[error(
        "`{0}` is no name for a module of rules: expected lower-case letters, digits and `_`, a \
         letter first, and no name of a crate"
    )]
    Stem(String),
    /// Two files of rules have one name, or another fold's has that of this one's.
    #[error("two different files of rules have the name `{0}`: rename one of them")]
    SameStem(String),
    /// The files of rules are too long.
    #[error("the rules have {0} bytes of text, expected at most {MAX_SOURCE}")]
    TooLong(usize),
    /// The rules do not compile, or their signatures are none of rules.
    #[error("the rules do not compile")]
    Compile(#[source] Box<CompileError>),
    /// A rule does not compile.
    #[error("the rule `{rule}` does not compile")]
    Rule {
        /// Name of the rule.
        rule: String,
        /// What is wrong with it.
        #[source]
        source: Box<CompileError>,
    },
    /// There are no rules, or too many.
    #[error("{0} rules, counting one for each path of a leaf, expected 1 to {MAX_RULES}")]
    Rules(usize),
    /// Two rules have one key, so nobody could tell their proofs apart.
    #[error("the rules `{first}` and `{second}` are the same program")]
    SameRule {
        /// Name of one.
        first: String,
        /// Name of the other.
        second: String,
    },
    /// No rule has this name.
    #[error("there is no rule `{name}`: the rules are {rules}")]
    NoRule {
        /// The name.
        name: String,
        /// Names of the rules.
        rules: String,
    },
    /// A rule takes another number of proofs.
    #[error("the rule `{rule}` takes {expected} proofs, {found} were given")]
    Children {
        /// Name of the rule.
        rule: String,
        /// Number of its slots.
        expected: usize,
        /// Number of proofs given.
        found: usize,
    },
    /// A rule takes another kind of proof in one of its slots.
    #[error("child {child} of the rule `{rule}` is {found}, expected {expected}")]
    Child {
        /// Name of the rule.
        rule: String,
        /// Number of the slot, from 0.
        child: usize,
        /// What the slot takes.
        expected: String,
        /// What was given.
        found: String,
    },
    /// A fold that was given as a child is refused.
    #[error("child {child}")]
    Refused {
        /// Number of the slot, from 0.
        child: usize,
        /// Why it is refused.
        #[source]
        source: RefusedFold,
    },
    /// The function of a rule fails on its children.
    #[error("the rule `{rule}` fails: {reason}")]
    Run {
        /// Name of the rule.
        rule: String,
        /// What fails.
        reason: String,
        /// Where it fails. It is no cause of its own: the reason has its text.
        run: Box<RunError>,
    },
    /// The function of a rule is too large for the fold's shape.
    #[error(
        "`{rule}` takes {needs} rows of table {table}, the fold has {room}: --room {}",
        options(suggested)
    )]
    Room {
        /// Name of the rule.
        rule: String,
        /// Name of the table.
        table: String,
        /// Rows that the function takes.
        needs: usize,
        /// Rows that the verifier of the rule's children leaves free.
        room: usize,
        /// Rows to ask for, of every table that has too few ([`Room::Least`](super::super::Room)).
        suggested: BTreeMap<String, usize>,
    },
    /// No shape has the room that was asked for.
    #[error("no shape of the preset has this room")]
    NoShape,
    /// Room was asked for in a table that the recursion machine does not have.
    #[error("the recursion machine has no table `{name}`, expected one of {tables}")]
    Table {
        /// The name.
        name: String,
        /// Names of its tables.
        tables: String,
    },
    /// A leaf kind cannot be used.
    #[error("leaf {leaf}: {source}")]
    Leaf {
        /// Number of the leaf kind, from 0.
        leaf: usize,
        /// What is wrong with it.
        #[source]
        source: Box<LeafKindError>,
    },
    /// A fold ends at so many proofs.
    #[error(
        "a counter of the result would be {0}, which is out of its range: start again from a \
         checkpoint"
    )]
    Counter(u64),
    /// The run of a rule says something else than the rule computed, which is an error of this
    /// crate.
    #[error("the run says another statement than its rule")]
    Statement,
    /// The recipe has another version.
    #[error("the recipe has version {0}, expected {RECIPE_VERSION}")]
    Version(u32),
    /// The derived rules are others than those of the recipe.
    #[error(
        "the fold key is {found}, expected {expected}: the recipe is of other programs, or of \
         another version of Droste"
    )]
    Key {
        /// Fold key of the recipe.
        expected: KeyDigest,
        /// Fold key that was derived.
        found: KeyDigest,
    },
    /// The proofs of another fold do not have the shape of this one's.
    #[error(
        "the proofs of the other fold {0} have another shape: wrap one with this fold's shape, and \
         give the wrap"
    )]
    ForeignShape(usize),
    /// Another fold cannot be used.
    #[error("other fold {fold}: {source}")]
    Foreign {
        /// Number of the fold, from 0.
        fold: usize,
        /// What is wrong with its wraps.
        #[source]
        source: Box<LeafKindError>,
    },
    /// The proof of a rule that was just made is refused, which is an error of this crate or of the
    /// cache of keys.
    #[error("the rule's own proof is refused")]
    Own(#[source] RefusedFold),
    /// The recipe is that of other rules or programs.
    #[error("the recipe is of other sources: {0} differs")]
    Source(String),
    /// The keys of the rules are no list of a fold.
    Family(#[from] FamilyError),
    /// The circuit of a rule cannot be made, or its run not be proved.
    Circuit(#[from] CircuitError),
    /// There is no machine of the fold's shape.
    Machine(#[from] MachineError),
    /// The key of a wrap cannot be derived.
    Recipe(Box<RecipeError>),
    /// A child cannot be wrapped, or there is no last proof.
    Aggregate(#[from] AggregateError),
    /// A run cannot be proved.
    Prove(#[from] ProveError),
    /// A proof is not valid.
    Verify(#[from] VerifyError),
}

/// Why proofs of a program cannot be leaves of a fold.
#[derive(Debug, Error)]
#[error(transparent)]
pub enum LeafKindError {
    /// The sample is a proof of another program.
    #[error("its sample is no proof of the program, but of one with the key {key}")]
    OtherProgram {
        /// Key of the sample's program.
        key: KeyDigest,
    },
    /// The key is known as one of a recursion program or a rule, whose proofs hide others.
    #[error(
        "{0} is the key of a recursion program or of a rule: a leaf is the proof of an ordinary \
         program"
    )]
    Recursion(KeyDigest),
    /// The proofs have the shape of wraps, joins and rules, so they may hide others.
    #[error("its proof has the canonical shape of {0}, as wraps, joins and rules have")]
    Canonical(String),
    /// The sample is an aggregate of several proofs.
    #[error("the sample has more than one leaf")]
    Tree,
    /// The keys of the sample's wraps are only claimed.
    #[error("its keys were not derived here")]
    Claimed,
    /// There is no wrap above the proof.
    #[error("there is no wrap above its proof, and at least one is needed")]
    Unwrapped,
    /// The wraps do not lead to the fold's shape.
    #[error(
        "its last wrap does not have the shape of the fold: wrap its proof with the fold's preset, \
         the arity of its largest rule and its room"
    )]
    Shape,
    /// There are no paths from the program to the canonical shape, or too many.
    #[error("it has {0} paths, expected 1 to {MAX_PATHS}")]
    Paths(usize),
    /// The key of a wrap cannot be derived.
    Recipe(Box<RecipeError>),
    /// The sample is not accepted.
    Accept(#[from] AcceptError),
}
