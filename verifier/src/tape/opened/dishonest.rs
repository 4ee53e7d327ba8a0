//! Provers of false openings: one equation of the graph is false of their trace, all others are
//! true, and they follow the protocol.
//!
//! Their proof is that of the graph without this equation, which `droste_binary` accepts: a program
//! that had forgotten the equation would accept it, too.

use std::collections::VecDeque;

use droste_binary::proof::DOMAIN;
use droste_binary::trace::{Trace, circuit, elements_of_calls};
use droste_binary::univariate::Subfield;
use droste_binary::{Statement, TreeHash, opening, reduction, verify_bound};
use droste_gadgets::prelude::{Block, Felt, Slice};
use droste_gadgets::record::{Prover, RecordError, record};
use droste_gadgets::verify::binary::grid::layout::{K64, KECCAK};
use droste_gadgets::verify::binary::grid::{GridStatement, Known, verify_openings};
use droste_gadgets::verify::binary::shape::Shape;
use droste_native::stark::challenger::{Observe, Sent};

use super::tests::openings;
use super::*;
use crate::binary::{GridProgram, messages};

/// The query in whose calls the equation is.
const QUERY: usize = 1;

/// An equation.
#[derive(Clone, Copy, Debug)]
enum Equation {
    /// An element of the input of a step is what it is made of.
    Input { step: usize, element: usize },
    /// An element of the output of a step, a root, is that of the cap.
    Root { step: usize, element: usize },
}

/// A prover that makes its proof once it knows the digest.
struct Liar<P> {
    prove: P,
    messages: VecDeque<Vec<F>>,
}

impl<P: FnMut(&[F; 8]) -> Proof<Poseidon16>> Prover for Liar<P> {
    type Error = usize;

    fn message(&mut self, n: usize) -> Result<Vec<F>, usize> {
        let next = self.messages.pop_front();
        next.filter(|own| own.len() == n).ok_or(n)
    }

    fn told(&mut self, values: Vec<F>) {
        if let Ok(digest) = <[F; 8]>::try_from(values) {
            self.messages = messages(&(self.prove)(&digest));
        }
    }
}

/// The proof of a prover that commits to the trace of these inputs, right or wrong.
fn prove_inputs(graph: &HashGraph, inputs: &[u8], digest: &[F; 8]) -> Proof<Poseidon16> {
    let statement = Statement::Graph(graph);
    let (hash, shape) = (graph.hash(), graph.shape());
    let (circuit, padding) = (circuit(hash), shape.padding());
    let mut inputs: Vec<&[u8]> = inputs.chunks(hash.input_bytes()).collect();
    inputs.resize(1 << shape.log_calls(), &padding);
    let elements = elements_of_calls(hash, &circuit, &inputs);
    let committed = opening::commit::<Poseidon16>(&shape.settings(&circuit).unwrap(), elements);
    let mut transcript = Poseidon16::transcript(DOMAIN);
    digest.observe(&mut transcript);
    let root = Sent::send(committed.root(), &mut transcript);
    let trace = Trace::new(committed.message(), &circuit);
    let subfield = Subfield::new();
    let (reduction, weights, values, claim) =
        reduction::prove(&statement, &circuit, &trace, &subfield, &mut transcript);
    let opening = committed.open(&weights.table(&values), claim, &mut transcript);
    Proof {
        root,
        reduction,
        opening,
    }
}

/// What a prover has committed to.
struct False {
    /// What is known, with the caps that its roots are in.
    openings: GridOpenings,
    /// The graph without the equation.
    without: HashGraph,
    /// The values of its witness elements.
    witness: Vec<Element>,
    /// The inputs of all calls.
    inputs: Vec<u8>,
}

/// Openings, and the shape of the proof about them.
struct Case {
    program: GridProgram,
    openings: GridOpenings,
}

impl Case {
    fn new(hash: usize, words: [usize; 4]) -> Self {
        let (grid, openings) = openings(hash, words);
        let program = GridProgram::new(grid).unwrap();
        Self { program, openings }
    }

    const fn grid(&self) -> &Grid {
        &self.program.grid
    }

    /// The number of a query's call.
    fn call(&self, step: usize, query: usize) -> usize {
        step << log_queries(self.grid()) | query
    }

    /// The steps that are roots, each with each query, in the order of trees.
    fn roots(&self) -> Vec<(usize, usize)> {
        let all = steps(self.grid());
        let ends = (0..all.len()).filter(|&step| all[step].end > 0);
        let queries = self.openings.indices.len();
        ends.flat_map(|end| (0..queries).map(move |query| (end, query)))
            .collect()
    }

    /// The graph of all calls, without roots, and the sources of each call. `change` gets the
    /// source that is the equation's, if there is one.
    fn calls(
        &self,
        equation: Option<Equation>,
        change: impl Fn(&mut Source),
    ) -> (HashGraph, Vec<Vec<Source>>) {
        let grid = self.grid();
        let hash = hash_of(grid.hash);
        let (mut graph, mut all) = (HashGraph::new(hash), Vec::new());
        for (number, step) in steps(grid).iter().enumerate() {
            for query in 0..1 << log_queries(grid) {
                let output = |step: usize, element: usize| Output {
                    call: self.call(step, query),
                    element,
                };
                let mut call = match self.openings.rows.get(query) {
                    Some(rows) => {
                        let index = self.openings.indices[query];
                        sources(grid.hash, step, &words(&region(grid, rows)), index, output)
                    }
                    None => vec![Source::Witness; hash.input_elements()],
                };
                if let Some(Equation::Input { step, element }) = equation
                    && (step, QUERY) == (number, query)
                {
                    change(&mut call[element]);
                }
                graph.push(&call).unwrap();
                all.push(call);
            }
        }
        (graph, all)
    }

    /// The trace in which this equation is false, and no other one.
    fn without(&self, equation: Option<Equation>) -> False {
        let hash = hash_of(self.grid().hash);
        let length = hash.input_bytes();
        // With another value, of which the rest of the trace is made.
        let (mut changed, _) = self.calls(equation, |source| match source {
            Source::Known { value, .. } => value[0] ^= 1,
            Source::Witness => panic!("the graph has no such equation"),
        });
        let calls = changed.len();
        // Inputs of more calls show what roots are.
        for (step, query) in self.roots() {
            let call = self.call(step, query);
            let mut sources = vec![Source::value([0; 16]); hash.input_elements()];
            sources[0] = Source::output(call, 0);
            sources[1] = Source::output(call, 1);
            changed.push(&sources).unwrap();
        }
        let witness = self.openings.witness(self.grid());
        let mut inputs = changed.inputs(&witness).unwrap();
        let roots = inputs.split_off(calls * length);

        let (mut openings, all) = (self.openings.clone(), steps(self.grid()));
        let (mut without, sources) = self.calls(equation, |source| *source = Source::Witness);
        for ((step, query), root) in self.roots().into_iter().zip(roots.chunks(length)) {
            let tree = all[step].end - 1;
            let levels = self.grid().trees[tree].cap_levels;
            let top = openings.indices[query] >> (self.grid().index_bits - levels);
            let digest = &mut openings.caps[tree][top];
            digest.copy_from_slice(&root[..32]);
            let call = self.call(step, query);
            let values = elements(digest);
            for (number, value) in values.into_iter().enumerate() {
                match equation {
                    Some(Equation::Root { step: own, element })
                        if (own, QUERY, element) == (step, query, number) =>
                    {
                        digest[16 * number] ^= 1;
                    }
                    _ => {
                        let element = number;
                        without.expect(Output { call, element }, value).unwrap();
                    }
                }
            }
        }
        let all = sources.iter().flatten().zip(inputs.as_chunks::<16>().0);
        let free = all.filter(|(source, _)| **source == Source::Witness);
        let witness = free.map(|(_, value)| *value).collect();
        False {
            openings,
            without,
            witness,
            inputs,
        }
    }

    /// Verifies the proof of a prover who knows the digest. The error is the text of the failure.
    fn verify(
        &self,
        openings: &GridOpenings,
        prove: impl FnMut(&[F; 8]) -> Proof<Poseidon16>,
    ) -> Result<(), String> {
        let grid = self.grid();
        let shape: &Shape = &self.program.shape;
        let regions: Vec<F> = (openings.rows.iter().zip(&openings.indices))
            .flat_map(|(rows, &index)| {
                let mut region = region(grid, rows);
                region.push(F::from_usize(index));
                region.resize(region.len().next_multiple_of(LANES), F::ZERO);
                region
            })
            .collect();
        let limbs = |cap: &Vec<Digest>| -> Vec<F> {
            let limbs = cap.as_flattened().as_chunks::<2>().0.iter();
            limbs
                .map(|&limb| F::from_u16(u16::from_le_bytes(limb)))
                .collect()
        };
        let caps: Vec<Vec<F>> = openings.caps.iter().map(limbs).collect();
        let mut liar = Liar {
            prove,
            messages: VecDeque::new(),
        };
        let verified = record(&mut liar, || {
            let statement = GridStatement {
                grid: grid.clone(),
                known: Known {
                    regions: slice(&regions),
                    caps: caps.iter().map(|cap| slice(cap)).collect(),
                },
            };
            verify_openings(shape, &statement);
        });
        match verified {
            Ok(_) => Ok(()),
            Err(RecordError::Program { failure, .. }) => Err(failure.0),
            Err(RecordError::Prover(n)) => panic!("no message of {n} elements"),
        }
    }

    /// Openings are accepted, and those of which one of these equations is false are not.
    fn is_refused_without(&self, equations: &[Equation]) {
        let honest = self.without(None);
        assert_eq!(honest.openings.graph(self.grid()).unwrap(), honest.without);
        let graph = &honest.without;
        let accepted = self.verify(&honest.openings, |digest| {
            prove_inputs(graph, &honest.inputs, digest)
        });
        assert_eq!(accepted, Ok(()));
        for (i, &equation) in equations.iter().enumerate() {
            let lie = self.without(Some(equation));
            let graph = lie.openings.graph(self.grid()).unwrap();
            assert_ne!(graph, lie.without);
            let refused = self.verify(&lie.openings, |digest| {
                let witness = Witness::of_graph(&lie.without, &lie.witness).unwrap();
                assert_eq!(witness.inputs().concat(), lie.inputs);
                let proof = prove_bound::<Poseidon16>(witness, digest).unwrap();
                verify_bound(&lie.without, digest, &proof).unwrap();
                proof
            });
            assert!(refused.is_err(), "{equation:?}");
            if i == 0 {
                // A prover who claims the equation that is false.
                let refused = self.verify(&lie.openings, |digest| {
                    prove_inputs(&graph, &lie.inputs, digest)
                });
                assert!(refused.is_err(), "{equation:?}");
            }
        }
    }
}

/// Blocks with these lanes.
fn slice(lanes: &[F]) -> Slice {
    let blocks = lanes.as_chunks::<LANES>().0.iter();
    let blocks: Vec<Block> = blocks
        .map(|block| Block::new(block.map(Felt::from)))
        .collect();
    Slice::from_blocks(blocks)
}

/// One of each kind of equation: roots, known words, constants, what further blocks take, the child
/// of a node that the index names on either side, and both children of a parent.
fn false_openings_are_refused(hash: usize, words: [usize; 4], others: &[(usize, usize)]) {
    let case = Case::new(hash, words);
    let all = steps(case.grid());
    let of_kind = |kind: usize| all.iter().position(|step| step.kind == kind).unwrap();
    let child = message_element(hash);
    let last = hash_of(hash).input_elements() - 1;
    let index = case.openings.indices[QUERY];
    let named = |is_right: usize| {
        let is_named = |step: &Step| step.kind == NODE && index >> step.bit & 1 == is_right;
        let step = all.iter().position(is_named).unwrap();
        (step, child + 2 * is_right)
    };
    let root = all.iter().rposition(|step| step.end > 0).unwrap();
    let mut equations = vec![Equation::Root {
        step: root,
        element: 1,
    }];
    let parent = of_kind(PARENT);
    let inputs = [
        (of_kind(FIRST), child),
        (of_kind(FIRST), last),
        (of_kind(NEXT), child),
        named(0),
        named(1),
        (of_kind(NODE), last),
        (parent, child + 1),
        (parent, child + 2),
    ];
    let others = others
        .iter()
        .map(|&(kind, element)| (of_kind(kind), element));
    let inputs = inputs.into_iter().chain(others);
    equations.extend(inputs.map(|(step, element)| Equation::Input { step, element }));
    case.is_refused_without(&equations);
}

/// What is kept of the rate, and of the capacity.
#[test]
fn false_openings_in_the_sponge_of_keccak_are_refused() {
    let others = [(NEXT, 5), (NEXT, 12)];
    false_openings_are_refused(K64, [37, 68, 3, 2], &others);
}

/// Padding of a further block and of a node, and the capacity.
#[test]
fn false_openings_in_keccak_are_refused() {
    let others = [(NEXT, 8), (NEXT, 12), (NODE, 4), (NODE, 8)];
    false_openings_are_refused(KECCAK, [35, 36, 1, 2], &others);
}

/// Chaining values, lengths and flags.
#[test]
fn false_openings_in_blake3_are_refused() {
    let others = [(FIRST, 0), (NEXT, 0), (NEXT, 1), (NEXT, 6)];
    false_openings_are_refused(BLAKE3, [32, 17, 257, 1], &others);
}
