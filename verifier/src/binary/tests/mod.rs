//! Programs that verify binary proofs: honest proofs, changed ones, and those of dishonest provers.

mod claims;
mod dishonest;
mod grid;
mod parts;

use droste_binary::field::K;
use droste_binary::paths::{Digest, MerklePaths, Path, root};
use droste_binary::statement::Statement;
use droste_binary::{
    Hash, HashCalls, HashGraph, Poseidon16, Proof, StatementShape, Witness, prove, verify,
};
use droste_gadgets::prelude::quartic;
use droste_gadgets::{Hint, NativeTape, SOURCES, run_native};
use droste_native::F;
use droste_vm::compiler::compile_file;
use droste_vm::executor::execute;
use droste_vm::key::KeyDigest;
use p3_field::{PrimeCharacteristicRing, PrimeField32};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::circuit::{BinaryShape, CallsShape, Children, PathsShape, RecursionCircuit};
use crate::claim::{Claim, ClaimTree};
use crate::tape::machine_tape;

/// Paths of random leaves and siblings.
fn paths(hash: Hash, depth: usize, count: usize) -> (MerklePaths, Vec<Vec<Digest>>) {
    let mut random = SmallRng::seed_from_u64(1);
    let path = |_| {
        let (leaf, index): (Digest, u64) = (random.random(), random.random());
        let index = index >> (64 - depth);
        let siblings: Vec<Digest> = (0..depth).map(|_| random.random()).collect();
        let root = root(hash, &leaf, index, &siblings).unwrap();
        (Path { leaf, index, root }, siblings)
    };
    let (list, siblings) = (0..count).map(path).unzip();
    (MerklePaths::new(hash, depth, list).unwrap(), siblings)
}

/// The program that verifies proofs of statements of this shape.
fn program_of(shape: StatementShape) -> BinaryProgram {
    BinaryProgram::new(BinaryShape::of(shape).unwrap()).unwrap()
}

/// Paths, the program that verifies proofs of their shape, and a proof.
pub(super) fn proved(
    hash: Hash,
    depth: usize,
    count: usize,
) -> (MerklePaths, BinaryProgram, Proof<Poseidon16>) {
    let (paths, siblings) = paths(hash, depth, count);
    let proof = prove::<Poseidon16>(Witness::of_paths(&paths, &siblings).unwrap()).unwrap();
    verify(&paths, &proof).unwrap();
    (paths.clone(), program_of(paths.shape()), proof)
}

/// Calls of random inputs.
pub(super) fn calls(hash: Hash, count: usize) -> HashCalls {
    let mut random = SmallRng::seed_from_u64(2);
    let inputs = (0..count).map(|_| {
        let mut input = vec![0; hash.input_bytes()];
        random.fill(&mut input[..]);
        input
    });
    HashCalls::of_inputs(hash, inputs).unwrap()
}

/// Calls, the program that verifies proofs of their shape, and a proof.
pub(super) fn proved_calls(
    hash: Hash,
    count: usize,
) -> (HashCalls, BinaryProgram, Proof<Poseidon16>) {
    let calls = calls(hash, count);
    let proof = prove::<Poseidon16>(&calls).unwrap();
    verify(&calls, &proof).unwrap();
    (calls.clone(), program_of(calls.shape()), proof)
}

/// A key, which is the caller's choice.
const KEY: KeyDigest = KeyDigest([F::new(7); 8]);

fn claim(list: Statement<'_>) -> [u32; 8] {
    let leaf = ClaimTree {
        key: KEY,
        claim: Claim::Statement(statement(list)),
    };
    let claim = Claim::Children(vec![leaf]).statement();
    claim.map(|lane| lane.as_canonical_u32())
}

/// The tape, without which a failure would be printed with all hints.
fn recorded(program: &BinaryProgram, list: Statement<'_>, proof: &Proof<Poseidon16>) -> NativeTape {
    match tape(program, list, proof) {
        Ok(tape) => tape,
        Err(error) => panic!("{error}"),
    }
}

/// In both runs, with the claim of the native statement.
fn both_accept(list: Statement<'_>, program: &BinaryProgram, proof: &Proof<Poseidon16>) {
    let tape = recorded(program, list, proof);
    let expected = claim(list);
    assert_eq!(run_native(&tape, &[], || program.run(KEY)), Ok(expected));
    let compiled = compile_file("binary.rs", &program.text(KEY), SOURCES).unwrap();
    let run = execute(&compiled, &[], &machine_tape(&tape), 1 << 20).unwrap();
    let statement = run.statement.map(|lane| lane.as_canonical_u32());
    assert_eq!(statement, expected, "{:?}", list.shape());
}

fn is_accepted(hash: Hash, depth: usize, count: usize) {
    let (paths, program, proof) = proved(hash, depth, count);
    both_accept(Statement::Paths(&paths), &program, &proof);
}

#[test]
fn honest_proofs_are_accepted() {
    for (i, hash) in Hash::ALL.into_iter().enumerate() {
        is_accepted(hash, 1 << i, 8 << i);
        is_accepted(hash, 4 >> i, 16);
    }
}

/// Elements of 128 bits have five lanes, which are read as those of challenges.
#[test]
fn challenges_of_degree_4_are_refused() {
    let (paths, program, proof) = proved(Hash::Blake3, 1, 8);
    let main = "pub fn main() {\n";
    let text = program.text(KEY);
    assert!(text.contains(main));
    let text = text.replace(main, &format!("{main}    quartic();\n"));
    let error = compile_file("binary.rs", &text, SOURCES).unwrap_err();
    assert!(error.message.contains("false at compile time"), "{error}");
    let place = &error.source_code.inner()[error.span.offset()..];
    assert!(
        place.starts_with("assert_eq!(Ext::degree(), LANES)"),
        "{error}"
    );

    let tape = recorded(&program, Statement::Paths(&paths), &proof);
    let refused = run_native(&tape, &[], || {
        quartic();
        program.run(KEY);
    });
    refused.unwrap_err();
}

/// One path, whose list is filled up; the deepest paths, whose indices take several lanes; more
/// paths than a group has.
#[test]
fn extreme_lists_are_accepted() {
    is_accepted(Hash::Blake3, 8, 1);
    is_accepted(Hash::KeccakF, 32, 1);
    is_accepted(Hash::Blake2s, 64, 2);
    is_accepted(Hash::Blake3, 1, 128);
}

/// One group of calls, and several.
#[test]
fn honest_proofs_about_calls_are_accepted() {
    for hash in Hash::ALL {
        for count in [8, 16, 128] {
            let (calls, program, proof) = proved_calls(hash, count);
            both_accept(Statement::Calls(&calls), &program, &proof);
        }
    }
}

/// Numbers of calls for which there is no program: no power of two, and too few.
#[test]
fn other_lists_of_calls_have_no_shape() {
    for hash in Hash::ALL {
        for count in [1, 4, 9, 12, 24] {
            let any = (vec![0; hash.input_bytes()], vec![0; hash.output_bytes()]);
            let list = HashCalls::new(hash, std::iter::repeat_n(any, count)).unwrap();
            let most = hash.max_calls();
            let expected = Err(ShapeError::Calls { calls: count, most });
            assert_eq!(BinaryShape::of(list.shape()).map(drop), expected);
        }
    }
    let graph = HashGraph::new(Hash::Blake3);
    let expected = Err(ShapeError::Graph);
    assert_eq!(BinaryShape::of(graph.shape()).map(drop), expected);
}

/// Numbers of recipes for which there is no program.
#[test]
fn other_numbers_have_no_program() {
    let calls = |hash, log_calls| BinaryShape::from(CallsShape { hash, log_calls });
    let paths = |hash, log_depth, log_paths| {
        BinaryShape::from(PathsShape {
            hash,
            log_depth,
            log_paths,
        })
    };
    for (shape, expected) in [
        (calls(3, 3), ShapeError::Hash(3)),
        (
            calls(0, 2),
            ShapeError::Calls {
                calls: 4,
                most: 1 << 19,
            },
        ),
        (
            calls(1, 19),
            ShapeError::Calls {
                calls: 1 << 19,
                most: 1 << 18,
            },
        ),
        (
            calls(2, usize::MAX),
            ShapeError::Calls {
                calls: usize::MAX,
                most: 1 << 17,
            },
        ),
        (paths(3, 1, 2), ShapeError::Hash(3)),
        (paths(0, 1, 1), ShapeError::Numbers { paths: 2, depth: 2 }),
        (
            paths(0, 7, 1),
            ShapeError::Numbers {
                paths: 2,
                depth: 128,
            },
        ),
        (
            paths(2, 1, 17),
            ShapeError::Numbers {
                paths: 1 << 17,
                depth: 2,
            },
        ),
        (
            paths(0, usize::MAX, usize::MAX),
            ShapeError::Numbers {
                paths: usize::MAX,
                depth: usize::MAX,
            },
        ),
    ] {
        assert_eq!(BinaryProgram::new(shape), Err(expected));
    }
}

/// Inputs and outputs.
type Calls = Vec<[Vec<u8>; 2]>;

/// One bit of each element of an input or an output, and calls in another order, with the proof and
/// hints that fit.
#[test]
fn other_calls_are_refused() {
    for hash in Hash::ALL {
        let (calls, program, proof) = proved_calls(hash, 8);
        let list: Calls = (calls.calls())
            .map(|(input, output)| [input.to_vec(), output.to_vec()])
            .collect();
        let is_refused = |change: &dyn Fn(&mut Calls)| {
            let mut other = list.clone();
            change(&mut other);
            let other = other.into_iter().map(|[input, output]| (input, output));
            let other = HashCalls::new(hash, other).unwrap();
            let result = tape(&program, &other, &proof);
            matches!(result, Err(BinaryTapeError::Rejected { .. }))
        };
        for part in 0..2 {
            for byte in (0..list[0][part].len()).step_by(8) {
                assert!(is_refused(&|list| list[5][part][byte] ^= 0x10), "{byte}");
            }
        }
        assert!(is_refused(&|list| list.swap(2, 3)));
    }
}

/// A proof about another number of calls, and about calls of another hash.
#[test]
fn proofs_about_other_numbers_of_calls_have_no_tape() {
    let (_, program, _) = proved_calls(Hash::Blake3, 8);
    for (hash, count) in [(Hash::Blake3, 16), (Hash::Blake2s, 8)] {
        let (calls, _, proof) = proved_calls(hash, count);
        let result = tape(&program, &calls, &proof);
        assert!(matches!(result, Err(BinaryTapeError::Length { .. })));
    }
}

#[test]
fn other_lists_have_no_shape() {
    for (depth, count) in [(1, 4), (2, 2), (3, 8), (2, 12)] {
        let (paths, _) = paths(Hash::Blake3, depth, count);
        let expected = ShapeError::Numbers {
            paths: count,
            depth,
        };
        assert_eq!(BinaryShape::of(paths.shape()), Err(expected));
    }
}

/// Each hint of an honest tape, changed: messages of the proof and hints of the program alike. None
/// leads to a statement, natively or in the machine.
#[test]
fn changed_tapes_are_refused() {
    let (paths, program, proof) = proved(Hash::KeccakF, 2, 4);
    changed_hints_are_refused(Statement::Paths(&paths), &program, &proof);
}

/// Likewise of a list of calls, whose entries are hints.
#[test]
fn changed_tapes_of_calls_are_refused() {
    let (calls, program, proof) = proved_calls(Hash::KeccakF, 8);
    changed_hints_are_refused(Statement::Calls(&calls), &program, &proof);
}

fn changed_hints_are_refused(
    list: Statement<'_>,
    program: &BinaryProgram,
    proof: &Proof<Poseidon16>,
) {
    let tape = recorded(program, list, proof);
    let compiled = compile_file("binary.rs", &program.text(KEY), SOURCES).unwrap();
    // Rows and paths of the queries are most of the hints.
    let queries = proof.opening.rounds.iter().map(|round| round.queries.len());
    let others = tape.hints.len() - 2 * queries.sum::<usize>();
    for hint in 0..tape.hints.len() {
        if hint > others / 2 && hint + others < tape.hints.len() && hint % 32 > 1 {
            continue;
        }
        let Hint::Slice(blocks) = &tape.hints[hint] else {
            panic!("another hint than blocks")
        };
        let places = [(0, 0), (blocks.len() / 2, 2), (blocks.len() - 1, 0)];
        for (block, lane) in places {
            for added in [F::ONE, -F::ONE, F::from_u32(1 << 30)] {
                let mut changed = tape.clone();
                let Hint::Slice(blocks) = &mut changed.hints[hint] else {
                    continue;
                };
                // Lanes that a hash gives their values.
                if let Some(value) = &mut blocks[block][lane] {
                    *value += added;
                    let result = run_native(&changed, &[], || program.run(KEY));
                    assert!(result.is_err(), "hint {hint}, block {block}, lane {lane}");
                    if added == F::ONE {
                        let run = execute(&compiled, &[], &machine_tape(&changed), 1 << 20);
                        assert!(run.is_err(), "hint {hint}, block {block}, lane {lane}");
                    }
                }
            }
        }
    }
}

/// A change of a proof.
type Change = fn(&mut Proof<Poseidon16>);

/// Each part of a proof, changed; the program's own hints are those that fit.
#[test]
fn changed_proofs_are_refused() {
    let changes: [(&str, Change); 18] = [
        ("root", |p| p.root.forge()[1] += F::ONE),
        ("bits", |p| p.reduction.zerocheck.bits.forge()[63] += K::ONE),
        ("first round", |p| {
            p.reduction.zerocheck.rounds[0].forge()[0] += K::ONE;
        }),
        ("last round", |p| {
            let last = p.reduction.zerocheck.rounds.last_mut().unwrap();
            last.forge()[2] += K::ONE;
        }),
        ("operand", |p| {
            p.reduction.zerocheck.operands.forge()[3] += K::ONE
        }),
        ("rest", |p| p.reduction.zerocheck.rests.forge()[0] += K::ONE),
        ("constant over columns", |p| {
            p.reduction.columns.rounds[0].forge().constant += K::ONE;
        }),
        ("leading over columns", |p| {
            p.reduction.columns.rounds[10].forge().leading += K::ONE;
        }),
        ("value", |p| p.reduction.columns.values.forge()[0] += K::ONE),
        ("next value", |p| {
            p.reduction.columns.values.forge()[1] += K::ONE
        }),
        ("first sum", |p| p.reduction.bits.forge()[0] += K::ONE),
        ("last sum", |p| p.reduction.bits.forge()[127] += K::ONE),
        ("fold", |p| {
            p.opening.rounds[0].messages[3].forge().leading += K::ONE;
        }),
        ("row", |p| {
            let query = &mut p.opening.rounds[0].queries[7];
            query.row.forge()[2] += K::ONE;
        }),
        ("path", |p| {
            let query = &mut p.opening.rounds[0].queries[9];
            query.path[1][4] += F::ONE;
        }),
        ("last polynomial", |p| {
            p.opening.last_polynomial.forge()[5] += K::ONE
        }),
        ("last message", |p| {
            p.opening.last_messages[0].forge().constant += K::ONE
        }),
        ("second root", |p| {
            if let Some(root) = p.opening.roots.first_mut() {
                root.forge()[0] += F::ONE;
            } else {
                p.opening.last_messages[1].forge().leading += K::ONE;
            }
        }),
    ];
    // One round, and two.
    for (hash, depth, count) in [(Hash::Blake3, 2, 4), (Hash::KeccakF, 4, 4)] {
        let (paths, shape, proof) = proved(hash, depth, count);
        for (part, change) in changes {
            let mut changed = proof.clone();
            change(&mut changed);
            let result = tape(&shape, &paths, &changed);
            let is_rejected = matches!(result, Err(BinaryTapeError::Rejected { .. }));
            assert!(is_rejected, "{part} of {hash}");
        }
    }
}

#[test]
fn other_paths_are_refused() {
    for hash in Hash::ALL {
        let (paths, shape, proof) = proved(hash, 2, 8);
        let changes: [fn(&mut Path); 4] = [
            |path| path.leaf[0] ^= 1,
            |path| path.index ^= 1,
            |path| path.index ^= 2,
            |path| path.root[31] ^= 0x80,
        ];
        for change in changes {
            let mut list = paths.paths().to_vec();
            change(&mut list[5]);
            let other = MerklePaths::new(hash, 2, list).unwrap();
            let result = tape(&shape, &other, &proof);
            let is_rejected = matches!(result, Err(BinaryTapeError::Rejected { .. }));
            assert!(is_rejected, "{hash}");
        }
    }
}

/// A proof about another number of paths.
#[test]
fn proofs_of_another_shape_have_no_tape() {
    let (_, shape, _) = proved(Hash::Blake3, 2, 4);
    let (paths, _, proof) = proved(Hash::Blake3, 2, 8);
    let result = tape(&shape, &paths, &proof);
    assert!(matches!(result, Err(BinaryTapeError::Length { .. })));
}

/// Recipes say nothing of how long a program is, so the work of deriving a key from one is
/// estimated by a bound. The longest programs have the most groups of paths, or the most
/// constraints.
#[test]
fn programs_are_as_short_as_their_recipes_say() {
    for hash in Hash::ALL {
        let most = hash.max_calls().ilog2() as usize;
        let paths = [0, 6].map(|log_depth| {
            BinaryShape::Paths(PathsShape {
                hash: hash.number(),
                log_depth,
                log_paths: most - log_depth,
            })
        });
        let calls = BinaryShape::Calls(CallsShape {
            hash: hash.number(),
            log_calls: most,
        });
        for shape in paths.into_iter().chain([calls]) {
            let circuit = RecursionCircuit::over_binary(shape).unwrap();
            let length = circuit.compiled().program.instructions.len();
            assert!(
                length <= Children::from(shape).instructions(),
                "{shape:?}, {length}"
            );
            assert!(circuit.bits() >= 100, "{shape:?}");
        }
    }
}
