//! What a statement claims about elements, against its definition call by call, and what of a trace
//! it leaves free.

use std::collections::BTreeSet;

use p3_binary_field::TowerLevel;
use p3_field::PrimeCharacteristicRing;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::calls::{Hash, HashCalls};
use crate::circuit::{Circuit, WORDS};
use crate::error::BinaryError;
use crate::field::{K, dot, eq_table};
use crate::opening::{COLUMNS, values_of};
use crate::paths::{MerklePaths, Path, input, message_offset, node};
use crate::proof::{MIN_BITS, Proof, elements_of, prove, verify};
use crate::reduction::ReductionError;
use crate::shape::StatementShape;
use crate::statement::tests::{calls, paths};
use crate::statement::{PublicClaims, Statement};
use crate::trace::{ELEMENTS, circuit, index, pack, rows_of_call};
use crate::tree_hash::Blake3;
use crate::witness::Witness;
use crate::zerocheck::ZerocheckError;

/// Depth and number of paths: powers of two and others, one node and one path.
const SHAPES: [(usize, usize); 9] = [
    (1, 1),
    (1, 8),
    (1, 9),
    (2, 4),
    (3, 4),
    (4, 4),
    (5, 3),
    (7, 1),
    (64, 1),
];

/// Where a node's parts are, from the tables of words of the hashes: rows, and elements of them.
struct Places {
    left: (usize, usize),
    right: (usize, usize),
    digest: (usize, usize),
    /// Row by row, in the order of the claims.
    constants: Vec<(usize, Vec<usize>)>,
}

fn places(hash: Hash) -> Places {
    match hash {
        // h4..h7, then counter, length and flags; h.
        Hash::Blake3 => Places {
            left: (0, 2),
            right: (0, 4),
            digest: (7, 2),
            constants: vec![(0, vec![0, 1]), (7, vec![6, 7])],
        },
        // h4..h7, then v12..v15; h; h.
        Hash::Blake2s => Places {
            left: (1, 2),
            right: (1, 4),
            digest: (11, 2),
            constants: vec![(1, vec![0, 1]), (11, vec![6, 7]), (0, vec![6, 7])],
        },
        // Padding and capacity: lanes 8 to 24.
        Hash::KeccakF | Hash::KeccakRate => Places {
            left: (0, 0),
            right: (0, 2),
            digest: (24, 0),
            constants: vec![(0, (4..13).collect()), (24, vec![])],
        },
    }
}

/// Claims about random points, with those.
struct Example {
    statement: MerklePaths,
    circuit: Circuit,
    log_calls: usize,
    calls: Vec<K>,
    elements: Vec<K>,
    eta: K,
    claims: PublicClaims,
    /// The true trace.
    trace: Vec<K>,
    inputs: Vec<u8>,
}

pub fn elements(random: &mut SmallRng, count: usize) -> Vec<K> {
    (0..count).map(|_| K::from_repr(random.random())).collect()
}

impl Example {
    fn new(hash: Hash, depth: usize, count: usize, random: &mut SmallRng) -> Self {
        let (statement, siblings) = paths(hash, depth, count);
        let circuit = circuit(hash);
        let inputs = statement.inputs(&siblings).unwrap();
        let about = Statement::Paths(&statement);
        let list = inputs.chunks(hash.input_bytes()).collect();
        let trace = elements_of(&about.shape(), &circuit, list);
        let log_calls = about.shape().log_calls();
        let calls = elements(random, log_calls);
        let points = elements(random, 4);
        let eta = K::from_repr(random.random());
        let claims = PublicClaims::new(&about, &circuit, &calls, &points, eta);
        Self {
            claims,
            log_calls,
            calls,
            elements: points,
            eta,
            trace,
            inputs,
            circuit,
            statement,
        }
    }

    fn index(&self, call: usize, row: usize, element: usize) -> usize {
        index(self.log_calls, call, row, element)
    }

    fn weights(&self) -> Vec<K> {
        let mut weights = K::zero_vec(self.trace.len());
        add_to(&self.claims, &mut weights);
        weights
    }

    /// The path and the level of a call, but of those that fill the trace up.
    fn path(&self, call: usize) -> Option<(Path, usize)> {
        let depth = self.statement.depth();
        let path = self.statement.paths().get(call / depth);
        path.map(|&path| (path, call % depth))
    }

    /// Where the child is that a call has from its path.
    fn child(&self, call: usize) -> (usize, usize) {
        let places = places(self.statement.hash());
        match self.path(call) {
            Some((path, level)) if path.index >> level & 1 == 1 => places.right,
            _ => places.left,
        }
    }

    /// How far a trace is from all claims, by the powers of the challenge.
    fn difference(&self, trace: &[K]) -> K {
        let hash = self.statement.hash();
        let places = places(hash);
        let at = |call, (row, element)| trace[self.index(call, row, element)];
        let halves = |digest: [u8; 32]| {
            let (halves, _) = digest.as_chunks::<16>();
            [0, 1].map(|d| K::from_repr(u128::from_le_bytes(halves[d])))
        };
        let weights = eq_table(&self.elements);
        let mut claims = K::zero_vec(4 + places.constants.len());
        for (call, weight) in eq_table(&self.calls).into_iter().enumerate() {
            let child = self.child(call);
            let (leaf, root) = match self.path(call) {
                Some((path, level)) => (
                    (level == 0).then_some(path.leaf),
                    (level + 1 == self.statement.depth()).then_some(path.root),
                ),
                None => (Some([0; 32]), Some(node(hash, &[0; 32], &[0; 32]))),
            };
            for d in 0..2 {
                let before = match leaf {
                    Some(leaf) => halves(leaf)[d],
                    None => at(call - 1, (places.digest.0, places.digest.1 + d)),
                };
                claims[d] += weight * (at(call, (child.0, child.1 + d)) + before);
                if let Some(root) = root {
                    let digest = at(call, (places.digest.0, places.digest.1 + d));
                    claims[2 + d] += weight * (digest + halves(root)[d]);
                }
            }
            for (claim, (row, own)) in claims[4..].iter_mut().zip(&places.constants) {
                for &g in own {
                    // The true trace has the constants in each call.
                    let constant = self.trace[self.index(0, *row, g)];
                    *claim += weight * weights[g] * (at(call, (*row, g)) + constant);
                }
            }
        }
        claims
            .iter()
            .rev()
            .fold(K::ZERO, |sum, &claim| (sum + claim) * self.eta)
    }

    /// The elements that claims are about.
    fn claimed(&self) -> BTreeSet<usize> {
        let places = places(self.statement.hash());
        let mut claimed = BTreeSet::new();
        for call in 0..1 << self.log_calls {
            for (row, first) in [self.child(call), places.digest] {
                claimed.extend([0, 1].map(|d| self.index(call, row, first + d)));
            }
            for (row, own) in &places.constants {
                claimed.extend(own.iter().map(|&g| self.index(call, *row, g)));
            }
        }
        claimed
    }
}

/// Adds the weights of claims to those of all elements.
pub fn add_to(claims: &PublicClaims, weights: &mut [K]) {
    let length = weights.len() / COLUMNS;
    let own = values_of(|scales| {
        let mut folded = K::zero_vec(length);
        claims.add_folded(scales, &mut folded);
        folded
    });
    for (weight, own) in weights.iter_mut().zip(own) {
        *weight += own;
    }
}

fn examples() -> impl Iterator<Item = Example> {
    let mut random = SmallRng::seed_from_u64(40);
    let shapes = SHAPES.into_iter();
    let shapes = shapes.flat_map(|shape| Hash::ALL.map(|hash| (hash, shape)));
    shapes.map(move |(hash, (depth, count))| Example::new(hash, depth, count, &mut random))
}

#[test]
fn claims_about_paths_are_their_definition() {
    let mut random = SmallRng::seed_from_u64(41);
    for example in examples() {
        let weights = example.weights();
        assert_eq!(dot(&weights, &example.trace), example.claims.value);
        assert_eq!(example.difference(&example.trace), K::ZERO);
        let trace = elements(&mut random, weights.len());
        let difference = dot(&weights, &trace) + example.claims.value;
        assert_eq!(difference, example.difference(&trace));
        assert_ne!(difference, K::ZERO);

        let mut point = |count| elements(&mut random, count);
        let (row, call) = (point(example.circuit.log_rows), point(example.log_calls));
        let element = point(4);
        let whole = [call.as_slice(), &element, &row].concat();
        assert_eq!(
            example.claims.evaluate(&row, &call, &element),
            dot(&weights, &eq_table(&whole))
        );
    }
}

/// A wrong element changes the sum exactly if it is the child on a path, a digest or a constant.
#[test]
fn one_wrong_element_is_noticed() {
    for example in examples() {
        let weights = example.weights().into_iter().enumerate();
        let noticed = weights.filter(|&(_, weight)| weight != K::ZERO);
        let noticed: BTreeSet<usize> = noticed.map(|(i, _)| i).collect();
        assert_eq!(noticed, example.claimed());
    }
}

/// One node of a path has another input in one bit, and the output that belongs to it. What is not
/// its message is noticed in the input already.
#[test]
fn a_node_with_another_input_is_noticed() {
    let mut random = SmallRng::seed_from_u64(42);
    for hash in Hash::ALL {
        let example = Example::new(hash, 3, 3, &mut random);
        let (weights, length) = (example.weights(), hash.input_bytes());
        let message = 8 * message_offset(hash)..8 * (message_offset(hash) + 64);
        let output = places(hash).digest;
        for call in [1, 3, 5] {
            for bit in 0..8 * length {
                let mut input = example.inputs[call * length..][..length].to_vec();
                input[bit / 8] ^= 1 << (bit % 8);
                let mut rows = vec![[0; WORDS]; 1 << example.circuit.log_rows];
                rows_of_call(hash, &input, &mut rows);
                let (mut all, mut of_input) = (K::ZERO, K::ZERO);
                for (row, words) in rows.iter().enumerate() {
                    for (element, value) in pack(words).into_iter().enumerate() {
                        let i = example.index(call, row, element);
                        let change = weights[i] * (value + example.trace[i]);
                        all += change;
                        let is_output =
                            row == output.0 && (output.1..output.1 + 2).contains(&element);
                        if !is_output {
                            of_input += change;
                        }
                    }
                }
                assert_ne!(all, K::ZERO, "{hash}, call {call}, bit {bit}");
                assert!(
                    message.contains(&bit) || of_input != K::ZERO,
                    "{hash}, call {call}, bit {bit}"
                );
            }
        }
    }
}

/// A wrong element of a trace of calls changes the sum exactly if it holds inputs or outputs.
#[test]
fn one_wrong_input_or_output_is_noticed() {
    let mut random = SmallRng::seed_from_u64(43);
    for hash in Hash::ALL {
        let (list, circuit) = (calls(hash, 9), circuit(hash));
        let statement = Statement::Calls(&list);
        let inputs = list.calls().map(|(input, _)| input).collect();
        let trace = elements_of(&statement.shape(), &circuit, inputs);
        let (point, element) = (elements(&mut random, 4), elements(&mut random, 4));
        let claims = PublicClaims::new(&statement, &circuit, &point, &element, K::from_repr(3));
        let mut weights = K::zero_vec(trace.len());
        add_to(&claims, &mut weights);
        assert_eq!(dot(&weights, &trace), claims.value, "{hash}");
        for (i, weight) in weights.iter().enumerate() {
            let (element, row) = (i >> 4 & 15, i >> 8);
            let public = circuit.public.iter();
            let public = public.filter(|public| public.row == row);
            let public = public.fold(0, |all, public| all | public.elements);
            assert!(element < ELEMENTS);
            assert_eq!(*weight != K::ZERO, public >> element & 1 == 1, "{hash} {i}");
        }
    }
}

/// Kind, hash, depth, number, order, and each bit of paths are in the digest.
#[test]
fn digests_are_of_all_of_a_statement() {
    let mut seen = BTreeSet::new();
    let mut is_new = |statement: Statement<'_>| seen.insert(statement.digest::<Blake3>());
    for hash in Hash::ALL {
        let (zeros, end) = (
            input(hash, &[0; 32], &[0; 32]),
            node(hash, &[0; 32], &[0; 32]),
        );
        let zero = |index| Path {
            leaf: [0; 32],
            index,
            root: end,
        };
        for count in 1..5 {
            let list = HashCalls::of_inputs(hash, vec![&zeros; count]).unwrap();
            assert!(is_new(Statement::Calls(&list)));
            for depth in [1, 2, 64] {
                let list = MerklePaths::new(hash, depth, vec![zero(0); count]).unwrap();
                assert!(is_new(Statement::Paths(&list)));
            }
        }
        let list = paths(hash, 64, 2).0.paths().to_vec();
        for bit in 0..2 * 576 {
            let mut list = list.clone();
            let path = &mut list[bit / 576];
            let byte = |digest: &mut [u8; 32], bit: usize| digest[bit / 8] ^= 1 << (bit % 8);
            match bit % 576 {
                bit @ 0..256 => byte(&mut path.leaf, bit),
                bit @ 256..512 => byte(&mut path.root, bit - 256),
                bit => path.index ^= 1 << (bit - 512),
            }
            let list = MerklePaths::new(hash, 64, list).unwrap();
            assert!(is_new(Statement::Paths(&list)), "{hash}, bit {bit}");
        }
        let order = vec![list[1], list[0]];
        let order = MerklePaths::new(hash, 64, order).unwrap();
        assert!(is_new(Statement::Paths(&order)));
    }
}

/// Four paths of depth 2, their eight nodes as paths of depth 1, and as calls: true statements
/// about one trace. None has the proof of another.
#[test]
fn proofs_of_another_kind_or_depth_are_refused() {
    for hash in Hash::ALL {
        let (deep, siblings) = paths(hash, 2, 4);
        let inputs = deep.inputs(&siblings).unwrap();
        let calls = HashCalls::of_inputs(hash, inputs.chunks(hash.input_bytes())).unwrap();
        let digests = calls
            .calls()
            .map(|(_, output)| *output.first_chunk().unwrap());
        let digests: Vec<[u8; 32]> = digests.collect();
        let nodes = (0..8).map(|call| {
            let (path, level) = (deep.paths()[call / 2], call % 2);
            Path {
                leaf: [path.leaf, digests[call - level]][level],
                index: path.index >> level & 1,
                root: digests[call],
            }
        });
        let flat = MerklePaths::new(hash, 1, nodes.collect()).unwrap();
        let siblings_of_nodes: Vec<_> = siblings
            .iter()
            .flatten()
            .map(|&sibling| [sibling])
            .collect();
        let proofs = [
            prove::<Blake3>(&calls).unwrap(),
            prove(Witness::of_paths(&deep, &siblings).unwrap()).unwrap(),
            prove(Witness::of_paths(&flat, &siblings_of_nodes).unwrap()).unwrap(),
        ];
        assert!(proofs.iter().all(|proof| proof.root == proofs[0].root));
        let verify_as = |kind: usize, proof: &Proof<Blake3>| match kind {
            0 => verify(&calls, proof),
            1 => verify(&deep, proof),
            _ => verify(&flat, proof),
        };
        for (own, proof) in proofs.iter().enumerate() {
            for kind in 0..3 {
                let verified = verify_as(kind, proof);
                if kind == own {
                    assert!(verified.is_ok());
                } else {
                    let constraints = ReductionError::Zerocheck(ZerocheckError::Constraints);
                    assert_eq!(verified, Err(BinaryError::Reduction(constraints)));
                }
            }
        }
    }
}

/// Proofs about the most nodes, and one more path is an error.
#[test]
fn one_hundred_bits_of_paths() {
    let path = Path {
        leaf: [0; 32],
        index: 0,
        root: [0; 32],
    };
    for hash in Hash::ALL {
        for depth in [1, 3, 32, 64] {
            let most = hash.max_calls() / depth;
            for count in [1, most] {
                let shape = StatementShape::Paths {
                    hash,
                    depth,
                    paths: count,
                };
                let bits = shape.security().unwrap().sum();
                assert!(bits >= MIN_BITS, "{hash}, {count} of {depth}");
            }
            assert!(MerklePaths::new(hash, depth, vec![path; most + 1]).is_err());
        }
    }
}
