//! The claims of openings against the native ones of their graph, which is made here from trees and
//! hashes alone.

use droste_binary::field::K;
use droste_binary::statement::{Places as NativePlaces, PublicClaims, Statement};
use droste_binary::trace::circuit;
use droste_binary::{Hash, HashGraph, Output, Source, StatementShape};
use droste_gadgets::prelude::{Block, Felt, Slice};
use droste_gadgets::verify::binary::field::{complements, first_entries, powers};
use droste_gadgets::verify::binary::grid::layout::{
    BLAKE3, Copied, FIRST, Grid, K64, KECCAK, Leaf, NEXT, NODE, PARENT, Places, Step, Tree,
    is_supported, log_calls, log_queries, message_element, region_blocks, row_blocks, steps,
};
use droste_gadgets::verify::binary::grid::value::claimed;
use droste_gadgets::verify::binary::grid::weights::{num_claims, weight};
use droste_gadgets::verify::binary::grid::{GridStatement, Known};
use droste_gadgets::verify::binary::shape::{LOG_ELEMENTS, Place, Shape};
use droste_gadgets::verify::binary::statement::Statement as _;
use droste_gadgets::{Hint, NativeTape, SOURCES};
use droste_native::F;
use droste_native::hash::keccak::keccak_f;
use droste_native::precompile::binary_to_block;
use droste_vm::compiler::compile_file;
use droste_vm::executor::execute;
use p3_binary_field::TowerLevel;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use sha3::{Digest as _, Keccak256};

use super::parts::{element, run};
use super::program_of;
use crate::program::literal;
use crate::tape::machine_tape;

type Digest = [u8; 32];

/// Hash, and words of the leaves: those of two heights, then one tree each.
const GRIDS: [(usize, [usize; 5]); 3] = [
    (K64, [5, 37, 67, 68, 1]),
    (KECCAK, [33, 34, 35, 1, 68]),
    (BLAKE3, [1, 16, 17, 300, 600]),
];

/// Bits of an index.
const INDEX_BITS: usize = 5;

const fn bit_hash(hash: usize) -> Hash {
    match hash {
        BLAKE3 => Hash::Blake3,
        _ => Hash::KeccakRate,
    }
}

fn grid(hash: usize, words: [usize; 5], queries: usize) -> Grid {
    let places = NativePlaces::of(bit_hash(hash));
    let place = |(row, element): (usize, usize)| Place { row, element };
    let copies = places.copies().map(|(first, other)| Copied {
        first: place(first),
        other: place(other),
    });
    let offset = places.offsets().last().unwrap();
    let leaf = |words: usize, first_bit: usize, depth: usize| Leaf {
        words,
        depth,
        first_bit,
    };
    let tree = |leaves: Vec<Leaf>, cap_levels: usize| Tree { leaves, cap_levels };
    Grid {
        hash,
        queries,
        index_bits: INDEX_BITS,
        trees: vec![
            tree(vec![leaf(words[0], 0, 2), leaf(words[1], 2, 1)], 2),
            tree(vec![leaf(words[2], 1, 4)], 0),
            tree(vec![leaf(words[3], 3, 0)], 2),
            tree(vec![leaf(words[4], 2, 2), leaf(words[0], 4, 0)], 1),
        ],
        places: Places {
            inputs: places.inputs().map(place).collect(),
            outputs: places.outputs().iter().copied().map(place).collect(),
            copies: copies.collect(),
        },
        offset: binary_to_block(offset)[..5]
            .iter()
            .map(|lane| lane.as_canonical_u32())
            .collect(),
    }
}

/// The digest of bytes, of whole words of 32 bits.
fn digest(hash: usize, bytes: &[u8]) -> Digest {
    match hash {
        KECCAK => Keccak256::digest(bytes).into(),
        BLAKE3 => *blake3::hash(bytes).as_bytes(),
        _ => {
            let mut state = [0_u64; 25];
            for block in bytes.chunks(136) {
                for (lane, bytes) in state.iter_mut().zip(block.chunks(8)) {
                    let mut whole = [0; 8];
                    whole[..bytes.len()].copy_from_slice(bytes);
                    *lane = u64::from_le_bytes(whole);
                }
                keccak_f(&mut state);
            }
            let lanes = state.iter().flat_map(|lane| lane.to_le_bytes());
            lanes.take(32).collect::<Vec<u8>>().try_into().unwrap()
        }
    }
}

/// A call of one query: its sources name other calls of the query, and a value for each of the
/// witness.
struct Call {
    sources: Vec<Source>,
    witness: Vec<[u8; 16]>,
    expected: Option<Digest>,
}

/// The calls of a query.
struct Calls {
    hash: usize,
    calls: Vec<Call>,
}

fn elements(bytes: &[u8]) -> Vec<[u8; 16]> {
    let whole = |part: &[u8]| {
        let mut whole = [0; 16];
        whole[..part.len()].copy_from_slice(part);
        whole
    };
    bytes.chunks(16).map(whole).collect()
}

fn values(bytes: &[u8]) -> Vec<Source> {
    elements(bytes).into_iter().map(Source::value).collect()
}

fn outputs(call: usize) -> Vec<Source> {
    (0..2).map(|i| Source::output(call, i)).collect()
}

impl Calls {
    fn push(&mut self, sources: Vec<Source>, witness: Vec<[u8; 16]>) -> usize {
        self.calls.push(Call {
            sources,
            witness,
            expected: None,
        });
        self.calls.len() - 1
    }

    /// A compression of BLAKE3, of a block of at most 64 bytes.
    fn compress(&mut self, before: Option<usize>, block: &[Source], end: [u32; 3]) -> usize {
        let iv = [
            0x6A09_E667_u32,
            0xBB67_AE85,
            0x3C6E_F372,
            0xA54F_F53A,
            0x510E_527F,
            0x9B05_688C,
            0x1F83_D9AB,
            0x5BE0_CD19,
        ];
        let iv: Vec<u8> = iv.iter().flat_map(|word| word.to_le_bytes()).collect();
        let mut sources = before.map_or_else(|| values(&iv), outputs);
        sources.extend(block);
        sources.resize(6, Source::value([0; 16]));
        let [counter, length, flags] = end;
        let last = [counter, 0, length, flags];
        let last: Vec<u8> = last.iter().flat_map(|word| word.to_le_bytes()).collect();
        sources.extend(values(&last));
        let witness = Vec::new();
        self.push(sources, witness)
    }

    fn blake3_leaf(&mut self, bytes: &[u8]) -> usize {
        let (one, mut ends) = (bytes.len() <= 1024, Vec::new());
        for (number, chunk) in bytes.chunks(1024).enumerate() {
            let (mut before, blocks) = (None, chunk.len().div_ceil(64));
            for (i, block) in chunk.chunks(64).enumerate() {
                let last = i + 1 == blocks;
                let flags = u32::from(i == 0) | u32::from(last) << 1 | u32::from(last && one) << 3;
                let end = [number as u32, block.len() as u32, flags];
                before = Some(self.compress(before, &values(block), end));
            }
            ends.extend(before);
        }
        while ends.len() > 1 {
            let flags = if ends.len() == 2 { 12 } else { 4 };
            let pairs = ends.chunks(2).map(|pair| match *pair {
                [left, right] => {
                    let children = [outputs(left), outputs(right)].concat();
                    self.compress(None, &children, [0, 64, flags])
                }
                _ => pair[0],
            });
            ends = pairs.collect();
        }
        ends[0]
    }

    fn leaf(&mut self, bytes: &[u8]) -> usize {
        if self.hash == BLAKE3 {
            return self.blake3_leaf(bytes);
        }
        let mut bytes = bytes.to_vec();
        let padded = self.hash == KECCAK;
        if padded {
            bytes.push(1);
            bytes.resize(bytes.len().next_multiple_of(136), 0);
            *bytes.last_mut().unwrap() |= 0x80;
        }
        let mut before = None;
        for block in bytes.chunks(136) {
            let known = elements(block);
            let source = |element: usize| match (before, known.get(element)) {
                (Some(call), Some(&value)) if padded => Source::Known {
                    output: Some(Output { call, element }),
                    value,
                },
                (_, Some(&value)) => Source::value(value),
                (Some(call), None) => Source::output(call, element),
                (None, None) => Source::value([0; 16]),
            };
            let sources = (0..13).map(source).collect();
            before = Some(self.push(sources, Vec::new()));
        }
        before.unwrap()
    }

    fn node(&mut self, children: &[Source], witness: Vec<[u8; 16]>) -> usize {
        if self.hash == BLAKE3 {
            let call = self.compress(None, children, [0, 64, 0b1011]);
            self.calls[call].witness = witness;
            return call;
        }
        let mut sources = children.to_vec();
        sources.resize(13, Source::value([0; 16]));
        if self.hash == KECCAK {
            let mut byte = [0; 16];
            byte[0] = 1;
            sources[4] = Source::value(byte);
            let mut last = [0; 16];
            last[7] = 0x80;
            sources[8] = Source::value(last);
        }
        self.push(sources, witness)
    }
}

/// What is known of a query.
struct Query {
    index: usize,
    /// Of each tree, the rows.
    rows: Vec<Vec<Vec<F>>>,
}

fn bytes_of(row: &[F]) -> Vec<u8> {
    let words = row.iter().map(|x| x.to_unique_u32().to_le_bytes());
    words.flatten().collect()
}

/// The calls of a query, with siblings that are random. Puts the roots into the caps.
fn calls_of(grid: &Grid, query: &Query, caps: &mut [Vec<Digest>], random: &mut SmallRng) -> Calls {
    let hash = grid.hash;
    let mut all = Calls {
        hash,
        calls: Vec::new(),
    };
    for ((tree, rows), cap) in grid.trees.iter().zip(&query.rows).zip(caps) {
        let (mut call, mut node) = (None, [0; 32]);
        for (leaf, row) in tree.leaves.iter().zip(rows) {
            let bytes = bytes_of(row);
            let own = all.leaf(&bytes);
            let of_row = digest(hash, &bytes);
            let mut last = match call {
                None => {
                    node = of_row;
                    own
                }
                Some(before) => {
                    node = digest(hash, &[node, of_row].concat());
                    let children = [outputs(before), outputs(own)].concat();
                    all.node(&children, Vec::new())
                }
            };
            for bit in leaf.first_bit..leaf.first_bit + leaf.depth {
                let sibling: Digest = random.random();
                let free = vec![Source::Witness; 2];
                let mut children = [outputs(last), free];
                let mut digests = [node, sibling];
                if query.index >> bit & 1 == 1 {
                    children.reverse();
                    digests.reverse();
                }
                node = digest(hash, &digests.concat());
                last = all.node(&children.concat(), elements(&sibling));
            }
            call = Some(last);
        }
        let top = query.index >> (INDEX_BITS - tree.cap_levels);
        cap[top] = node;
        all.calls[call.unwrap()].expected = Some(node);
    }
    all
}

/// A word that the first call of the last query has in addition: its number, and the element.
type Extra = Option<(usize, F)>;

/// The graph of all calls, and the values of its witness elements.
fn graph_of(
    grid: &Grid,
    queries: &[Query],
    extra: Extra,
    caps: &mut [Vec<Digest>],
    random: &mut SmallRng,
) -> (HashGraph, Vec<[u8; 16]>) {
    let mut calls: Vec<Calls> = (queries.iter())
        .map(|query| calls_of(grid, query, caps, random))
        .collect();
    if let Some((word, added)) = extra {
        let call = &mut calls.last_mut().unwrap().calls[0];
        let source = &mut call.sources[message_element(grid.hash) + word / 4];
        let Source::Known { value, .. } = source else {
            panic!("{source:?}")
        };
        let bytes = value[4 * (word % 4)..].iter_mut();
        for (byte, added) in bytes.zip(added.to_unique_u32().to_le_bytes()) {
            *byte ^= added;
        }
    }
    let (mut graph, mut witness) = (HashGraph::new(bit_hash(grid.hash)), Vec::new());
    let number = queries.len().next_power_of_two();
    for step in 0..calls[0].calls.len() {
        for query in 0..number {
            let Some(own) = calls.get(query).map(|calls| &calls.calls[step]) else {
                let elements = bit_hash(grid.hash).input_elements();
                graph.push(&vec![Source::Witness; elements]).unwrap();
                witness.extend(vec![[0; 16]; elements]);
                continue;
            };
            let sources = own.sources.iter().map(|&source| match source {
                Source::Known {
                    output: Some(Output { call, element }),
                    value,
                } => {
                    let call = call * number + query;
                    let output = Some(Output { call, element });
                    Source::Known { output, value }
                }
                other => other,
            });
            let call = graph.push(&sources.collect::<Vec<_>>()).unwrap();
            witness.extend(&own.witness);
            if let Some(expected) = own.expected {
                // Queries may have the same place in a cap, so that only one of them has its root.
                let tree =
                    (0..step).filter(|&before| calls[query].calls[before].expected.is_some());
                let tree = tree.count();
                let top = queries[query].index >> (INDEX_BITS - grid.trees[tree].cap_levels);
                let last = caps[tree][top];
                assert!(queries.len() > 1 || last == expected);
                for (element, value) in elements(&last).into_iter().enumerate() {
                    graph.expect(Output { call, element }, value).unwrap();
                }
            }
        }
    }
    (graph, witness)
}

/// The blocks of a query's region.
fn region_of(grid: &Grid, query: &Query) -> Vec<[F; 8]> {
    let (run, run_blocks) = if grid.hash == BLAKE3 { (8, 1) } else { (34, 5) };
    let mut region = Vec::new();
    for row in query.rows.iter().flatten() {
        let first = region.len();
        for (i, &word) in row.iter().enumerate() {
            let block = first + run_blocks * (i / run) + i % run / 8;
            region.resize(region.len().max(block + 1), [F::ZERO; 8]);
            region[block][i % run % 8] = word;
        }
    }
    let mut last = [F::ONE; 8];
    last[0] = F::from_usize(query.index);
    region.push(last);
    region
}

/// A grid with what is known of its queries, the caps, its graph and the witness.
struct Opened {
    grid: Grid,
    regions: Vec<[F; 8]>,
    caps: Vec<Vec<Digest>>,
    graph: HashGraph,
    witness: Vec<[u8; 16]>,
}

fn opened(hash: usize, words: [usize; 5], queries: usize, random: &mut SmallRng) -> Opened {
    let indices: Vec<usize> = (0..queries)
        .map(|_| random.random_range(0..1 << INDEX_BITS))
        .collect();
    opened_at(hash, words, &indices, None, random)
}

/// Likewise, at these indices.
fn opened_at(
    hash: usize,
    words: [usize; 5],
    indices: &[usize],
    extra: Extra,
    random: &mut SmallRng,
) -> Opened {
    let grid = grid(hash, words, indices.len());
    let queries: Vec<Query> = (indices.iter())
        .map(|&index| Query {
            index,
            rows: (grid.trees.iter())
                .map(|tree| {
                    let leaves = tree.leaves.iter();
                    let row = |leaf: &Leaf| -> Vec<F> {
                        let words = (0..leaf.words).map(|_| random.random::<u32>());
                        words.map(F::from_u32).collect()
                    };
                    leaves.map(row).collect()
                })
                .collect(),
        })
        .collect();
    let mut caps: Vec<Vec<Digest>> = (grid.trees.iter())
        .map(|tree| (0..1 << tree.cap_levels).map(|_| random.random()).collect())
        .collect();
    let (graph, witness) = graph_of(&grid, &queries, extra, &mut caps, random);
    let regions = queries.iter().flat_map(|query| region_of(&grid, query));
    let regions = regions.collect();
    Opened {
        grid,
        regions,
        caps,
        graph,
        witness,
    }
}

fn slice(blocks: &[[F; 8]]) -> Slice {
    let blocks: Vec<Block> = (blocks.iter())
        .map(|block| Block::new(block.map(Felt::from)))
        .collect();
    Slice::from_blocks(blocks)
}

fn limbs(cap: &[Digest]) -> Vec<[F; 8]> {
    let bytes = cap.as_flattened();
    let (limbs, _) = bytes.as_chunks::<2>();
    let limbs: Vec<F> = (limbs.iter())
        .map(|&limb| F::from_u16(u16::from_le_bytes(limb)))
        .collect();
    let (blocks, _) = limbs.as_chunks::<8>();
    blocks.to_vec()
}

fn blocks(list: &[K]) -> Vec<Block> {
    list.iter().map(|&x| element(x)).collect()
}

/// The block and the lane of each word of a query's rows, in its region.
fn places_of_words(grid: &Grid) -> Vec<(usize, usize)> {
    let (run, run_blocks) = if grid.hash == BLAKE3 { (8, 1) } else { (34, 5) };
    let (mut places, mut first) = (Vec::new(), 0);
    for leaf in grid.trees.iter().flat_map(|tree| &tree.leaves) {
        let words = 0..leaf.words;
        places.extend(words.map(|i| (first + run_blocks * (i / run) + i % run / 8, i % run % 8)));
        first += row_blocks(grid.hash, leaf.words);
    }
    places
}

impl Opened {
    /// The statement in a native run.
    fn statement(&self) -> GridStatement {
        GridStatement {
            grid: self.grid.clone(),
            known: Known {
                regions: slice(&self.regions),
                caps: self.caps.iter().map(|cap| slice(&limbs(cap))).collect(),
            },
        }
    }

    /// The native claims at random points.
    fn claims(&self, random: &mut SmallRng) -> Sampled {
        let log_calls = log_calls(&self.grid);
        let circuit = circuit(bit_hash(self.grid.hash));
        let mut point = |n: usize| -> Vec<K> {
            let coordinates = (0..n).map(|_| K::from_repr(random.random()));
            coordinates.collect()
        };
        let (calls, elements, eta) = (point(log_calls), point(LOG_ELEMENTS), point(1)[0]);
        let other = [
            point(log_calls),
            point(LOG_ELEMENTS),
            point(circuit.log_rows),
        ];
        let statement = Statement::Graph(&self.graph);
        let native = PublicClaims::new(&statement, &circuit, &calls, &elements, eta);
        let [of_calls, of_elements, rows] = &other;
        Sampled {
            calls,
            elements,
            eta,
            value: native.value,
            weight: native.evaluate(rows, of_calls, of_elements),
            point: other.concat(),
        }
    }

    /// Compares value and weight with those of the native claims, at random points.
    fn check(&self, shape: &Shape, random: &mut SmallRng) -> Result<(), String> {
        let native = self.claims(random);
        run(Vec::new(), || {
            let statement = self.statement();
            let list = statement.read(shape);
            let (calls, elements) = (blocks(&native.calls), blocks(&native.elements));
            let claims = statement.claims(shape, &list, &calls, &elements, element(native.eta));
            assert_eq!(claims.value, element(native.value), "value");
            let weight = statement.weight(shape, &list, &claims, &blocks(&native.point));
            assert_eq!(weight, element(native.weight), "weight");
        })
    }

    /// Likewise, of these steps.
    fn check_steps(&self, steps: &[Step], native: &Sampled) -> Result<(), String> {
        run(Vec::new(), || {
            let GridStatement { grid, known } = self.statement();
            let (calls, eta) = (blocks(&native.calls), element(native.eta));
            let powers = powers(eta, eta, num_claims(&grid.places));
            let (queries, high) = calls.split_at(log_queries(&grid));
            let of_steps = first_entries(&complements(high), high, steps.len());
            let value = claimed(&grid, steps, &known, queries, &of_steps, &powers);
            assert_eq!(value, element(native.value), "value");
            let point = blocks(&native.point);
            let weight = weight(&grid, steps, &known, &calls, &of_steps, &powers, &point);
            assert_eq!(weight, element(native.weight), "weight");
        })
    }

    /// A program that does the same in the machine, with regions and caps as hints and challenges
    /// of degree 4.
    fn text(&self, shape: &Shape, native: &Sampled) -> String {
        let lanes = |x: K| {
            binary_to_block(x)
                .map(|lane| lane.as_canonical_u32())
                .to_vec()
        };
        let list = |list: &[K]| {
            let elements: Vec<Vec<u32>> = list.iter().map(|&x| lanes(x)).collect();
            literal(&elements)
        };
        let caps: Vec<String> = (self.caps.iter())
            .map(|cap| format!("hint_slice({}).any()", 2 * cap.len()))
            .collect();
        format!(
            "use droste_gadgets::prelude::*;
             use droste_gadgets::verify::binary::field::constant;
             use droste_gadgets::verify::binary::grid::layout::{{Copied, Grid, Leaf, Places, Tree}};
             use droste_gadgets::verify::binary::grid::{{GridStatement, Known}};
             use droste_gadgets::verify::binary::shape::{{
                 Circuit, Common, Constant, Constants, Group, Place, Product, Rotation, Round,
                 Shape, Term,
             }};
             use droste_gadgets::verify::binary::statement::Statement;

             fn elements(list: &[Vec<u32>]) -> Vec<Block> {{
                 let mut all = Vec::new();
                 for element in list {{
                     all.push(constant(element));
                 }}
                 all
             }}

             pub fn main() {{
                 quartic();
                 let shape = {};
                 let grid = {};
                 let regions = hint_slice({}).any();
                 let caps = vec![{}];
                 let statement = GridStatement {{ grid, known: Known {{ regions, caps }} }};
                 let list = statement.read(&shape);
                 let calls = elements(&{});
                 let others = elements(&{});
                 let eta = constant(&{});
                 let claims = statement.claims(&shape, &list, &calls, &others, eta);
                 assert_eq!(claims.value, constant(&{}));
                 let point = elements(&{});
                 let weight = statement.weight(&shape, &list, &claims, &point);
                 assert_eq!(weight, constant(&{}));
             }}",
            literal(shape),
            literal(&self.grid),
            self.regions.len(),
            caps.join(", "),
            list(&native.calls),
            list(&native.elements),
            literal(&lanes(native.eta)),
            literal(&lanes(native.value)),
            list(&native.point),
            literal(&lanes(native.weight)),
        )
    }

    /// The hints of that program.
    fn tape(&self) -> NativeTape {
        let caps = self.caps.iter().map(|cap| limbs(cap));
        let slices = std::iter::once(self.regions.clone()).chain(caps);
        let hints = slices.map(|blocks| {
            let blocks = blocks.into_iter().map(|block| block.map(Some));
            Hint::Slice(blocks.collect())
        });
        NativeTape {
            hints: hints.collect(),
        }
    }
}

/// The claims of a graph at random points.
struct Sampled {
    /// A point over calls.
    calls: Vec<K>,
    /// One over elements, which the claims of a graph have no use for.
    elements: Vec<K>,
    /// The challenge whose powers claims have.
    eta: K,
    value: K,
    /// Another point, over calls, elements and rows.
    point: Vec<K>,
    /// What the elements weigh there.
    weight: K,
}

/// Any shape: the claims of a grid depend on none.
fn any_shape() -> Shape {
    let calls = StatementShape::Calls {
        hash: Hash::Blake3,
        calls: 8,
    };
    program_of(calls).shape
}

/// The calls are those of the hash, and the claims are those of the graph.
#[test]
fn claims_of_grids_are_those_of_their_graphs() {
    let (shape, mut random) = (any_shape(), SmallRng::seed_from_u64(1));
    for (hash, words) in GRIDS {
        for queries in [1, 2, 5] {
            let opened = opened(hash, words, queries, &mut random);
            let Opened { grid, graph, .. } = &opened;
            assert!(words.iter().all(|&words| is_supported(hash, words)));
            assert_eq!(graph.shape().log_calls(), log_calls(grid));
            assert_eq!(opened.regions.len(), queries * region_blocks(grid));
            if queries == 1 {
                graph.inputs(&opened.witness).unwrap();
            }
            opened.check(&shape, &mut random).unwrap();
        }
    }
}

/// The machine computes the same, in a program of degree 4, and refuses another word.
#[test]
fn the_machine_has_the_claims_of_grids() {
    let (shape, mut random) = (any_shape(), SmallRng::seed_from_u64(4));
    for (hash, words) in GRIDS {
        let mut opened = opened(hash, words, 3, &mut random);
        let native = opened.claims(&mut random);
        let text = opened.text(&shape, &native);
        let compiled = compile_file("grid.rs", &text, SOURCES).unwrap();
        let accepts = |opened: &Opened| {
            let tape = machine_tape(&opened.tape());
            execute(&compiled, &[], &tape, 1 << 20).is_ok()
        };
        assert!(accepts(&opened));
        opened.regions[0][0] += F::ONE;
        assert!(!accepts(&opened));
    }
}

/// Whether a failure is that of another assertion than those of claims.
fn is_no_claim(error: &str) -> bool {
    !error.contains("value") && !error.contains("weight")
}

/// Each known word, index bit and limb is in the claims.
#[test]
fn claims_of_grids_have_all_that_is_known() {
    let (shape, mut random) = (any_shape(), SmallRng::seed_from_u64(2));
    for (hash, words) in GRIDS {
        let mut opened = opened(hash, words, 2, &mut random);
        let blocks = region_blocks(&opened.grid);
        let honest = opened.regions.clone();
        // A word of each lane, and the first and the last ones, of both queries in turn.
        let words = places_of_words(&opened.grid);
        let mut sample: Vec<(usize, usize)> = (0..8)
            .map(|lane| {
                let of_lane: Vec<_> = words.iter().filter(|place| place.1 == lane).collect();
                *of_lane[random.random_range(0..of_lane.len())]
            })
            .collect();
        for place in [words[0], words[words.len() - 1]] {
            sample.extend([place, place]);
        }
        for (i, (block, lane)) in sample.into_iter().enumerate() {
            opened.regions[blocks * (i % 2) + block][lane] += F::ONE;
            let error = opened.check(&shape, &mut random).unwrap_err();
            assert!(error.contains("value"), "{error}");
            opened.regions.clone_from(&honest);
        }
        for bit in 0..INDEX_BITS {
            let index = honest[blocks - 1][0].as_canonical_u32() ^ 1 << bit;
            opened.regions[blocks - 1][0] = F::from_u32(index);
            let error = opened.check(&shape, &mut random).unwrap_err();
            assert!(error.contains("value") || error.contains("weight"));
        }
        // All that the claims have of it is that of the index, so only its bound is broken.
        opened.regions[blocks - 1][0] += F::from_u32(1 << INDEX_BITS);
        let error = opened.check(&shape, &mut random).unwrap_err();
        assert!(is_no_claim(&error), "{error}");
        opened.regions.clone_from(&honest);
        // The only entry of a cap without levels.
        for byte in 0..32 {
            opened.caps[1][0][byte] ^= 1;
            let error = opened.check(&shape, &mut random).unwrap_err();
            assert!(error.contains("value"), "{error}");
            opened.caps[1][0][byte] ^= 1;
        }
        opened.check(&shape, &mut random).unwrap();
    }
}

/// Words after a row are zero in its last element, and free after it.
#[test]
fn words_after_rows_are_zero() {
    let (shape, mut random) = (any_shape(), SmallRng::seed_from_u64(3));
    // The first row has 5 words in the one hash, 33 in the others.
    let firsts = [(K64, 5, 5..8), (KECCAK, 33, 33..34), (BLAKE3, 5, 5..8)];
    for (hash, first, zeros) in firsts {
        let words = [first, 34, 34, 34, 34];
        let mut opened = opened(hash, words, 2, &mut random);
        let place = |word: usize| (word / 8, word % 8);
        let further = zeros.clone();
        for word in zeros {
            let (block, lane) = place(word);
            opened.regions[block][lane] = F::ONE;
            opened.check(&shape, &mut random).unwrap_err();
            opened.regions[block][lane] = F::ZERO;
        }
        // Another message, which the graph has, too: claims agree.
        for word in further {
            let (block, lane) = place(word);
            let extra = Some((word, F::TWO));
            let mut other = opened_at(hash, words, &[3, 22], extra, &mut random);
            let region = region_blocks(&other.grid);
            other.regions[region + block][lane] = F::TWO;
            let error = other.check(&shape, &mut random).unwrap_err();
            assert!(is_no_claim(&error), "{error}");
        }
        if hash == KECCAK {
            // After the last element of a run.
            let (block, lane) = place(36);
            opened.regions[block][lane] = F::ONE;
        }
        opened.check(&shape, &mut random).unwrap();
    }
}

#[test]
fn leaves_that_keep_half_an_element_are_refused() {
    // Of a second block of the overwrite sponge.
    for (rest, expected) in [(1, false), (2, false), (3, true), (4, true), (33, true)] {
        assert_eq!(is_supported(K64, 34 + rest), expected);
        assert!(is_supported(K64, rest) && is_supported(KECCAK, 34 + rest));
        assert!(is_supported(BLAKE3, 34 + rest));
    }
    assert!(is_supported(K64, 68) && is_supported(K64, 1312));
    assert!(!is_supported(KECCAK, 0));
}

/// Each part of a step is in the claims.
#[test]
fn claims_of_grids_are_those_of_their_steps() {
    type Change = fn(&mut Step);
    let mut random = SmallRng::seed_from_u64(5);
    // The first or the last step of a kind, and what is changed.
    let all: [(usize, bool, Change); 13] = [
        (FIRST, true, |step| step.words -= 1),
        (FIRST, true, |step| step.block += 1),
        (FIRST, false, |step| step.kind = NEXT),
        (NEXT, true, |step| step.kind = FIRST),
        (NEXT, true, |step| step.from -= 1),
        (NODE, true, |step| step.bit += 1),
        (NODE, false, |step| step.from -= 1),
        (NODE, true, |step| step.kind = PARENT),
        (PARENT, true, |step| step.from -= 1),
        (PARENT, true, |step| step.other -= 1),
        (PARENT, true, |step| {
            std::mem::swap(&mut step.from, &mut step.other);
        }),
        (PARENT, true, |step| step.end = 1),
        (PARENT, true, |step| step.kind = NODE),
    ];
    let of_blake3: [(usize, bool, Change); 4] = [
        (FIRST, true, |step| step.flags ^= 8),
        (NEXT, true, |step| step.counter += 1),
        (NODE, true, |step| step.flags ^= 4),
        (PARENT, true, |step| step.flags ^= 1),
    ];
    for (hash, words) in GRIDS {
        // No bit after another one is the same in both.
        let opened = opened_at(hash, words, &[0b01010, 0b00110], None, &mut random);
        let native = opened.claims(&mut random);
        let honest = steps(&opened.grid);
        opened.check_steps(&honest, &native).unwrap();
        let own: &[(usize, bool, Change)] = if hash == BLAKE3 { &of_blake3 } else { &[] };
        for (i, &(kind, is_first, change)) in all.iter().chain(own).enumerate() {
            let is = |step: &Step| step.kind == kind;
            let place = if is_first {
                honest.iter().position(is)
            } else {
                honest.iter().rposition(is)
            };
            let mut changed = honest.clone();
            change(&mut changed[place.unwrap()]);
            let refused = opened.check_steps(&changed, &native);
            assert!(refused.is_err(), "change {i} in trees of kind {hash}");
        }
        // The root of one tree in the cap of another one, of as many digests, and in none.
        let end = honest.iter().position(|step| step.end == 1).unwrap();
        for other in [3, 0] {
            let mut changed = honest.clone();
            changed[end].end = other;
            let refused = opened.check_steps(&changed, &native);
            assert!(refused.is_err(), "end {other} in trees of kind {hash}");
        }
    }
}
