//! Nodes of rules whose functions take so many cycles and permutations, beside plain joins of as
//! many proofs; and what is around the function.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use droste_gadgets::SOURCES;
use droste_native::F;
use droste_native::stark::security::Preset;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::{CircuitKey, LeafProof};
use droste_verifier::fold::{
    Child, Counters, Fold, FoldError, Folded, PaperChild, PaperRun, Room, Source,
};
use droste_vm::compiler::compile_file;
use droste_vm::executor::{Tape, execute};
use droste_vm::heights::Heights;
use droste_vm::record::Execution;
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

use super::{Arguments, Lanes, Result, counts, figure, tape};
use crate::race::duel;

/// Permutations of a function.
const PERMUTATIONS: usize = 64;

/// Number of instructions after which a run counts as failed.
const LIMIT: u64 = 1 << 26;

/// Folds that are tried until the function has room: a table more in each.
const ATTEMPTS: usize = 8;

/// The state is two blocks. A chain of any values begins with `start`.
const STATE: &str = "use droste_gadgets::fold::State;
use droste_gadgets::prelude::*;

#[derive(Clone, Copy)]
pub struct Pair {
    pub from: Block,
    pub to: Block,
}

impl State for Pair {
    const BLOCKS: usize = 2;

    fn blocks(&self) -> Vec<Block> {
        vec![self.from, self.to]
    }

    fn of(blocks: &[Block]) -> Self {
        Self {
            from: blocks[0],
            to: blocks[1],
        }
    }
}

pub fn start() -> Pair {
    // Every value is admissible.
    let value = hint_slice(1).any().block(0);
    Pair {
        from: value,
        to: value,
    }
}
";

/// What a join has around the verifier of its children. They are not verified here, as on paper.
const CLAIM: &str = "use droste_gadgets::fold::paper_child;
use droste_gadgets::prelude::*;
use droste_gadgets::verify::recursion::reveal_claim;

pub fn main() {
    let mut children = Vec::new();
    for _child in 0..CHILDREN {
        children.push(paper_child());
    }
    reveal_claim(Felt::ONE, &children);
}
";

/// The rules `start` and `node`, which takes so many nodes. Its function has a loop of so many
/// turns, and one of permutations; or it does nothing.
fn rules(children: usize, turns: Option<usize>) -> std::result::Result<Source, FoldError> {
    let mut text = STATE.to_owned();
    let nodes: Vec<String> = (0..children)
        .map(|node| format!("n{node}: &Pair"))
        .collect();
    let (nodes, last) = (nodes.join(", "), children - 1);
    let to = match turns {
        None => format!("n{last}.to"),
        Some(_) => format!("work(n0.from, n{last}.to)"),
    };
    let _ = write!(
        text,
        "
pub fn node({nodes}) -> Pair {{
    Pair {{
        from: n0.from,
        to: {to},
    }}
}}
"
    );
    if let Some(turns) = turns {
        let _ = write!(
            text,
            "
fn work(left: Block, right: Block) -> Block {{
    let mut x = right.lane(0);
    for i in count({turns}) {{
        x = x * x + i;
    }}
    let mut y = right;
    for _permutation in count({PERMUTATIONS}) {{
        y = poseidon16_compress(y, left);
    }}
    let (a, b, c, d) = (y.lane(1), y.lane(2), y.lane(3), y.lane(4));
    Block::new([x, y.lane(0), a, b, c, d, y.lane(5), y.lane(6)])
}}
"
        );
    }
    Source::new("bench", text)
}

/// Measures what is around a node of so many children, and nodes of such functions beside a join.
pub fn measure(arguments: &Arguments, children: usize) -> Result<Vec<Value>> {
    let preset = arguments.preset;
    let around = counts(&on_paper(preset, children, None)?.execution);
    let claim = claim(children)?;
    let mut rows = vec![json!({
        "what": "glue",
        "children": children,
        "cycles": around[0],
        "permutations": around[1],
        "claim_cycles": claim[0],
        "claim_permutations": claim[1],
    })];
    let bare = Fold::of(rules(children, None)?, preset).build()?;
    let (join, join_run) = join(preset, children, &first(&bare, children)?)?;
    for &cycles in &arguments.cycles {
        let turns = turns(preset, children, around[0] + cycles)?;
        let whole = counts(&on_paper(preset, children, Some(turns))?.execution);
        let source = rules(children, Some(turns))?;
        let (fold, child, as_joins) = with_room(&source, preset, children)?;
        let (node, run) = node(&fold, children, &child)?;
        let (nodes, joins) = duel(
            arguments.rounds,
            1,
            || drop(node.prove(&run).expect("the node is proved")),
            || drop(join.prove(&join_run).expect("the join is proved")),
        );
        let (nodes, joins) = (nodes.milliseconds(), joins.milliseconds());
        let ratios = nodes.iter().zip(&joins).map(|(node, join)| node / join);
        let ratios: Vec<f64> = ratios.collect();
        rows.push(json!({
            "what": "node",
            "preset": preset.name(),
            "children": children,
            "cycles": whole[0] - around[0],
            "permutations": whole[1] - around[1],
            "as_joins": as_joins,
            "log_heights": fold.aggregator().log_heights(),
            "node_cycles": run.cycles.len(),
            "join_cycles": join_run.cycles.len(),
            "ratio": figure(ratios),
            "node_ms": figure(nodes),
            "join_ms": figure(joins),
        }));
    }
    Ok(rows)
}

/// A run of the rule `node` on paper.
fn on_paper(preset: Preset, children: usize, turns: Option<usize>) -> Result<PaperRun> {
    let paper = Fold::of(rules(children, turns)?, preset).paper()?;
    let child = PaperChild::Node {
        counters: Counters::START,
        state: vec![[F::ONE; 8]; paper.blocks()],
    };
    Ok(paper.run("node", &vec![child; children], &Tape::default())?)
}

/// Turns of the loop with which the rule `node` takes so many cycles on paper.
fn turns(preset: Preset, children: usize, cycles: usize) -> Result<usize> {
    let of = |turns| -> Result<usize> { Ok(on_paper(preset, children, Some(turns))?.cycles()) };
    let (few, twice) = (of(PERMUTATIONS)?, of(2 * PERMUTATIONS)?);
    let each = ((twice - few) / PERMUTATIONS).max(1);
    Ok(PERMUTATIONS + cycles.saturating_sub(few) / each)
}

/// Cycles and permutations of what a join reveals of its children.
fn claim(children: usize) -> Result<[usize; 2]> {
    let text = CLAIM.replace("CHILDREN", &children.to_string());
    let compiled = compile_file("claim.rs", &text, SOURCES)?;
    let said: [Lanes; 2] = [[F::ONE; 8]; 2];
    let run = execute(&compiled, &[], &tape(&vec![&said[..]; children]), LIMIT)?;
    Ok(counts(&run))
}

/// A node on nodes without children.
fn first(fold: &Fold, children: usize) -> std::result::Result<Folded, FoldError> {
    let start = fold.prove("start", &[], &tape(&[&[[F::ONE; 8]]]))?;
    fold.prove(
        "node",
        &vec![Child::Node(&start); children],
        &Tape::default(),
    )
}

/// The fold of these rules with the room that it turns out to need, a node of it, and whether it
/// has the shape of joins.
fn with_room(source: &Source, preset: Preset, children: usize) -> Result<(Fold, Folded, bool)> {
    let mut asked = BTreeMap::new();
    for _attempt in 0..ATTEMPTS {
        let as_joins = asked.is_empty();
        let room = if as_joins {
            Room::Joins
        } else {
            Room::Least(asked.clone())
        };
        let made = Fold::of(source.clone(), preset).with_room(room).build();
        match made.and_then(|fold| Ok((first(&fold, children)?, fold))) {
            Ok((node, fold)) => return Ok((fold, node, as_joins)),
            // As whoever follows the advice of the error.
            Err(FoldError::Room { suggested, .. }) => asked.extend(suggested),
            Err(error) => return Err(error.into()),
        }
    }
    Err(format!("the room that errors suggest is not enough: {asked:?}").into())
}

/// The key of the rule `node`, and its run on nodes.
fn node(fold: &Fold, children: usize, child: &Folded) -> Result<(Arc<CircuitKey>, Execution)> {
    let nodes = vec![Child::Node(child); children];
    let tape = fold.tape("node", &nodes, &Tape::default())?;
    let (circuit, aggregator) = (fold.circuit("node")?, fold.aggregator());
    let run = execute(circuit.compiled(), &[], &tape, LIMIT)?;
    let heights = Heights::Exact(aggregator.log_heights().to_vec());
    Ok((circuit.key(*aggregator.settings(), &heights)?, run))
}

/// The key of a plain join, and its run on proofs of the same shape.
fn join(preset: Preset, children: usize, child: &Folded) -> Result<(Arc<CircuitKey>, Execution)> {
    let (aggregator, child) = (Aggregator::for_preset(preset, children), child.proof());
    let circuit = aggregator.circuits().circuit(child.shape(), children)?;
    let run = circuit.execute(&vec![child; children])?;
    let heights = Heights::Exact(aggregator.log_heights().to_vec());
    Ok((circuit.key(*aggregator.settings(), &heights)?, run))
}
