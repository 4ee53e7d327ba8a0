//! Proofs over WHIR: the same programs and the same damage as over FRI.

use droste_native::changes::{Changes, LENGTHS, Node};
use droste_native::codec::DecodeError;
use droste_native::field::MODULUS;
use droste_native::whir::WhirSettings;
use droste_native::{F, Poseidon16Suite};
use droste_vm::compiler::Compiled;
use droste_vm::fri;
use droste_vm::heights::Heights;
use droste_vm::isa::{Op, id};
use droste_vm::key::KeyHeights;
use droste_vm::machine::StandardTables;
use droste_vm::record::Execution;
use droste_vm::stack::{Prove, ProveError, Verify};
use droste_vm::tables::Table;
use droste_vm::verifier::{VerifyError, VerifyOptions};
use droste_vm::whir::{Key, MAX_BYTES, Proof, ProvingKey, Verifier, decode, encode};
use p3_air::BaseAir;
use p3_field::PrimeCharacteristicRing;
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use crate::common::{
    add, everything, fibonacci, halt, imm, instruction, program, recursion, run, statement, toy,
};

type Whir = ProvingKey<StandardTables>;

fn programs() -> Vec<(&'static str, Compiled)> {
    vec![
        (
            "nothing",
            program(vec![add(imm(1), imm(1), imm(2)), halt()]),
        ),
        ("fibonacci", fibonacci(40)),
        ("recursion", recursion()),
    ]
}

fn execute(compiled: &Compiled) -> Execution {
    let public = &statement()[..compiled.public_inputs];
    run(compiled, public)
}

fn whir(compiled: &Compiled) -> Whir {
    Whir::new(&compiled.program, WhirSettings::toy(), Heights::Minimal).unwrap()
}

fn fri(compiled: &Compiled) -> fri::ProvingKey<Poseidon16Suite, StandardTables> {
    fri::ProvingKey::new(&compiled.program, toy(), Heights::Minimal).unwrap()
}

fn whir_verifier(key: &Whir) -> Verifier<StandardTables> {
    Verifier::new(key.key().clone()).unwrap()
}

/// What any stack must do with honest runs and with every changed cell of `changes`.
fn check_stack<P: Prove, V: Verify<Proof = P::Proof>>(
    prover: &P,
    verifier: &V,
    execution: &Execution,
    changes: &[(usize, usize, usize)],
) {
    let honest = prover.prove_run(execution).unwrap();
    let accepted = verifier
        .report(&execution.statement, VerifyOptions::min_bits(0), &honest)
        .unwrap();
    assert_eq!(accepted.statement, execution.statement);
    assert!(
        verifier
            .report(&execution.statement, VerifyOptions::min_bits(1000), &honest)
            .is_err()
    );
    let mut other = execution.statement;
    other[7] += F::ONE;
    assert!(
        verifier
            .report(&other, VerifyOptions::min_bits(0), &honest)
            .is_err()
    );

    let traces = prover.traces(execution).unwrap();
    for &(table, row, column) in changes {
        let mut changed = traces.clone();
        let trace = &mut changed[table];
        let at = (row % trace.height()) * trace.width() + column % trace.width();
        trace.values[at] += F::ONE;
        let proof = prover.prove_traces(execution.statement, &changed);
        let accepted = proof.ok().and_then(|proof| {
            verifier
                .report(&execution.statement, VerifyOptions::min_bits(0), &proof)
                .ok()
        });
        assert!(
            accepted.is_none(),
            "table {table}, row {row}, column {column}"
        );
    }
    // Another statement than that of the traces.
    let proof = prover.prove_traces(other, &traces);
    assert!(
        proof.ok().is_none_or(|proof| verifier
            .report(&other, VerifyOptions::min_bits(0), &proof)
            .is_err()),
        "the statement is bound"
    );
}

#[test]
fn both_stacks_prove_the_same_programs() {
    for (name, compiled) in programs() {
        println!("{name}");
        let execution = execute(&compiled);
        let (whir, fri) = (whir(&compiled), fri(&compiled));
        assert_eq!(whir.machine().names(), fri.machine().names());
        let verifier = fri::Verifier::<_, StandardTables>::new(fri.key().clone()).unwrap();
        let tables = whir.machine().tables().len();
        let changes: Vec<_> = (0..tables)
            .filter(|&table| table != whir.machine().program_index())
            .map(|table| (table, 1, 0))
            .collect();
        check_stack(&fri, &verifier, &execution, &changes);
        check_stack(&whir, &whir_verifier(&whir), &execution, &changes);
        // The verifier that a proving key shares its machine with refuses the same.
        check_stack(&whir, &whir.verifier(), &execution, &changes);
    }
}

/// Also those of byte hashes, whose rows follow one another in groups.
#[test]
fn every_table_has_proofs() {
    let compiled = everything();
    // No table may be taller than a row of the stack is long, and for two permutations of Keccak the
    // table of spread bytes has 2^15 rows.
    let settings = WhirSettings {
        log_block: 15,
        ..WhirSettings::toy()
    };
    let whir = Whir::new(&compiled.program, settings, Heights::Minimal).unwrap();
    let mut changes = vec![];
    for (index, table) in whir.machine().tables().iter().enumerate() {
        if ["blake3", "keccak"].contains(&table.name()) {
            let (message, last) = (BaseAir::<F>::width(table) - 1, usize::MAX);
            // The last cell of idle rows, one of a row that is not, the step of the last row.
            changes.extend([(index, 0, message), (index, last, message)]);
            changes.extend([(index, 1, message / 2), (index, last, 0)]);
        }
    }
    assert_eq!(changes.len(), 8);
    check_stack(&whir, &whir_verifier(&whir), &execute(&compiled), &changes);
}

/// One proof with everything about it.
struct Case {
    key: Whir,
    verifier: Verifier<StandardTables>,
    execution: Execution,
}

impl Case {
    fn new(compiled: &Compiled) -> Self {
        let key = whir(compiled);
        Self {
            verifier: whir_verifier(&key),
            execution: execute(compiled),
            key,
        }
    }

    fn prove(&self) -> Proof {
        self.key.prove_run(&self.execution).unwrap()
    }
}

/// Whatever changes in a trace, both stacks refuse it or neither does: columns of every table, on
/// the first rows and on the last one, which row 0 follows in one stack and nothing in the other.
#[test]
fn both_stacks_refuse_the_same_changes() {
    let compiled = recursion();
    let case = Case::new(&compiled);
    let fri = fri(&compiled);
    let verifier = fri::Verifier::<_, StandardTables>::new(fri.key().clone()).unwrap();
    let statement = case.execution.statement;
    let honest = case.key.traces(&case.execution).unwrap();
    let (mut refused, mut free) = ([0, 0], 0);
    for (table, trace) in honest.iter().enumerate() {
        let (width, height) = (trace.width(), trace.height());
        for row in [0, 1, height - 1] {
            // Other columns in other rows keep the number of proofs small.
            for column in (row % 3..width).step_by(if width > 100 { 12 } else { 3 }) {
                let mut changed = honest.clone();
                changed[table].values[row * width + column] += F::ONE;
                let of_fri = fri.prove_traces(statement, &changed).unwrap();
                let of_fri = verifier.verify(&statement, VerifyOptions::min_bits(0), &of_fri);
                match case.key.prove_traces(statement, &changed) {
                    Err(ProveError::Unbalanced { .. }) => refused[0] += 1,
                    Err(ProveError::Violated(_) | ProveError::Zerocheck(_)) => refused[1] += 1,
                    Err(error) => panic!("table {table}, row {row}, column {column}: {error}"),
                    Ok(proof) => {
                        case.verifier
                            .verify(&statement, VerifyOptions::min_bits(0), &proof)
                            .unwrap();
                        of_fri.as_ref().unwrap();
                        free += 1;
                        continue;
                    }
                }
                assert!(of_fri.is_err(), "table {table}, row {row}, column {column}");
            }
        }
    }
    println!("{refused:?} refused, {free} free");
    assert!(refused[0] > 10 && refused[1] > 10, "{refused:?}");
}

/// A table may be full, except that the last row of a table of calls is padding.
#[test]
fn tables_of_calls_keep_a_row_of_padding() {
    // Sixty-three calls of one row and one row of padding fill the table; one call more does not
    // fit.
    for (calls, fits) in [(63, true), (64, false)] {
        let call = |_| {
            let compress = instruction(Op::Call, imm(4), imm(5), imm(10));
            droste_vm::isa::Instruction {
                id: id::POSEIDON16_COMPRESS,
                ..compress
            }
        };
        let mut body: Vec<_> = (0..calls).map(call).collect();
        body.push(halt());
        let mut compiled = program(body);
        compiled.constants = vec![[F::ONE; 8]; 5];
        compiled.globals = 64;
        let execution = execute(&compiled);
        let heights = Heights::Uniform(7);
        let settings = WhirSettings::toy();
        let key = Whir::new(&compiled.program, settings, heights).unwrap();
        assert!(key.prove_run(&execution).is_ok());
        let heights = key.machine().names();
        let index = heights
            .iter()
            .position(|name| name == "poseidon16")
            .unwrap();
        let mut exact = vec![7; heights.len()];
        exact[index] = 6;
        let key = Whir::new(&compiled.program, settings, Heights::Exact(exact)).unwrap();
        let made = key.prove_run(&execution);
        assert_eq!(made.is_ok(), fits, "{calls} calls");
        if !fits {
            assert!(matches!(
                made,
                Err(ProveError::TooManyRows { rows: 65, .. })
            ));
        }
    }
}

/// Proofs are the same whoever makes them, with any number of threads.
#[test]
fn proofs_are_deterministic() {
    let compiled = recursion();
    let settings = WhirSettings {
        security_level: 40,
        grinding_bits: 8,
        ..WhirSettings::toy()
    };
    let key = Whir::new(&compiled.program, settings, Heights::Minimal).unwrap();
    let execution = execute(&compiled);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| encode(&key.prove_run(&execution).unwrap()).unwrap())
    };
    let first = with(1);
    for threads in [1, 2, 5] {
        assert!(with(threads) == first, "{threads} threads");
    }
    let proof = decode(&first).unwrap();
    whir_verifier(&key)
        .verify(&execution.statement, VerifyOptions::min_bits(0), &proof)
        .unwrap();
}

#[test]
fn keys_statements_heights_and_bits_are_checked() {
    let case = Case::new(&fibonacci(40));
    let proof = case.prove();
    let verify = |expected: &[F], bits, proof: &Proof| {
        let options = VerifyOptions::min_bits(bits);
        case.verifier.verify(expected, options, proof)
    };
    let report = verify(&statement(), 0, &proof).unwrap();
    assert_eq!(report.key, case.key.key().digest());
    assert_eq!(report.tables.len(), 4);
    let bits = report.security.bits();
    verify(&[], bits, &proof).unwrap();
    assert!(matches!(
        verify(&[], bits + 1, &proof),
        Err(VerifyError::Security { found, .. }) if found == bits
    ));
    assert!(matches!(
        verify(&[F::ONE], 0, &proof),
        Err(VerifyError::Statement { index: 0, .. })
    ));
    assert!(matches!(
        verify(&[F::ONE; 9], 0, &proof),
        Err(VerifyError::StatementLength(9))
    ));

    // Other programs, settings and heights have other keys, none of which accepts the proof.
    let mut digests = vec![case.key.key().digest()];
    let settings = WhirSettings::toy();
    let other = |compiled: &Compiled, settings, heights| {
        Whir::new(&compiled.program, settings, heights).unwrap()
    };
    let security_level = settings.security_level + 1;
    let keys = [
        (
            other(&fibonacci(41), settings, Heights::Minimal),
            "another program",
        ),
        (
            other(&fibonacci(40), settings, Heights::Uniform(10)),
            "heights Free",
        ),
        (
            other(&fibonacci(40), settings, Heights::Uniform(11)),
            "heights Free",
        ),
        (
            other(
                &fibonacci(40),
                WhirSettings {
                    security_level,
                    ..settings
                },
                Heights::Minimal,
            ),
            "security_level 4, expected 5",
        ),
        (
            other(&fibonacci(40), settings.of_rows(13), Heights::Minimal),
            "tables of up to 2^12 rows, expected 2^13 rows",
        ),
    ];
    for (key, words) in keys {
        assert!(!digests.contains(&key.key().digest()));
        digests.push(key.key().digest());
        let verifier = whir_verifier(&key);
        assert!(matches!(
            verifier.verify(&[], VerifyOptions::min_bits(0), &proof),
            Err(VerifyError::Key { differs, .. }) if differs.0.starts_with(words)
        ));
        // Nor does it if the proof claims that key.
        let mut claimed = decode(&encode(&proof).unwrap()).unwrap();
        claimed.key = key.key().clone();
        assert!(
            verifier
                .verify(&[], VerifyOptions::min_bits(0), &claimed)
                .is_err()
        );
    }

    // Heights that are impossible, and heights that are not the proof's.
    for change in [0, 3, 5, 23, 63, usize::MAX] {
        for table in 0..4 {
            let mut changed = decode(&encode(&proof).unwrap()).unwrap();
            changed.log_heights[table] = change;
            assert!(verify(&[], 0, &changed).is_err());
        }
    }
    for count in [0, 3] {
        let mut changed = decode(&encode(&proof).unwrap()).unwrap();
        changed.log_heights.truncate(count);
        assert!(matches!(
            verify(&[], 0, &changed),
            Err(VerifyError::Heights { .. })
        ));
    }
    let mut taller = decode(&encode(&proof).unwrap()).unwrap();
    taller.log_heights[0] += 1;
    assert!(verify(&[], 0, &taller).is_err());
}

/// A key from outside is checked as a whole.
#[test]
fn changed_keys_are_refused() {
    let key = Case::new(&recursion()).key.key().clone();
    let changes: [&dyn Fn(&mut Key); 13] = [
        &|key| key.settings.security_level += 1,
        &|key| key.settings.cap_height = 1,
        &|key| key.settings.cap_height = 17,
        &|key| key.settings.later_fold = 0,
        &|key| key.heights = KeyHeights::Fixed(vec![8; 6]),
        &|key| key.heights = KeyHeights::Fixed(vec![8; 5]),
        &|key| key.program_log_height = 3,
        &|key| key.program_log_height = usize::MAX,
        &|key| key.machine_id[0] += F::ONE,
        &|key| key.program.push([F::ONE; 8]),
        &|key| key.program.extend([[F::ONE; 8]; 2]),
        &|key| key.program.clear(),
        &|key| key.tables.swap(0, 1),
    ];
    for (index, change) in changes.iter().enumerate() {
        let mut changed = key.clone();
        change(&mut changed);
        assert!(
            Verifier::<StandardTables>::new(changed).is_err(),
            "change {index}"
        );
    }
    let mut other = key.clone();
    other.program_log_height += 1;
    assert_ne!(other.digest(), key.digest());
    let mut other = key.clone();
    other.program[0][0] += F::ONE;
    assert_ne!(other.digest(), key.digest());
    // Digests of a commitment can be of any program: such a key verifies no proof of this one.
    let verifier = Verifier::<StandardTables>::new(other.clone()).unwrap();
    let case = Case::new(&recursion());
    let mut proof = case.prove();
    proof.key = other;
    assert!(matches!(
        verifier.verify(&[], VerifyOptions::min_bits(0), &proof),
        Err(VerifyError::Fractions(_) | VerifyError::Zerocheck(_) | VerifyError::WhirOpening(_))
    ));
}

/// Changes every number and every list of a proof, in every place that is not like another one.
#[test]
fn changed_proofs_are_refused() {
    /// What a number, a list or an optional value may be changed to.
    fn others(node: &Node) -> Vec<Node> {
        match node {
            Node::Number(number, width) => [number ^ 1, MODULUS.into(), width.max()]
                .map(|number| Node::Number(number, *width))
                .to_vec(),
            Node::Element(element) => [element ^ 1, MODULUS - 1 - element, MODULUS, u32::MAX]
                .map(Node::Element)
                .to_vec(),
            Node::List(list) => {
                let edited = |edit: fn(&mut Vec<Node>)| {
                    let mut list = list.clone();
                    edit(&mut list);
                    Node::List(list)
                };
                let [longer, shorter, empty] = LENGTHS.map(edited);
                vec![longer, shorter, empty, edited(|list| list.reverse())]
            }
            Node::Option(_) => vec![Node::Option(None)],
            _ => vec![],
        }
    }

    let case = Case::new(&recursion());
    let proof = case.prove();
    let read = decode::<Poseidon16Suite>(&encode(&proof).unwrap()).unwrap();
    case.verifier
        .verify(&case.execution.statement, VerifyOptions::min_bits(0), &read)
        .unwrap();
    let changes = Changes::new(&proof).unwrap();
    let places = changes.places(|place| place.kind != "key" && place.is_end());
    let mut rejected = 0;
    for place in &places {
        for (number, other) in others(place.node).into_iter().enumerate() {
            if let Some(proof) = changes.with(place, |node| *node = other) {
                let verdict = case
                    .verifier
                    .verify(&[], VerifyOptions::min_bits(0), &proof);
                assert!(verdict.is_err(), "{}, change {number}", place.name);
                rejected += 1;
            }
        }
    }
    println!("{} places, {rejected} changes rejected", places.len());
    assert!(rejected > 300);
}

/// Bytes of a file that are changed at any place: it is not decoded, or not accepted.
#[test]
fn changed_files_are_refused() {
    let case = Case::new(&fibonacci(40));
    let honest = encode(&case.prove()).unwrap();
    let decode = decode::<Poseidon16Suite>;
    decode(&honest).unwrap();
    for at in (0..honest.len()).step_by(honest.len() / 600) {
        for flip in [1, 0x80] {
            let mut bytes = honest.clone();
            bytes[at] ^= flip;
            if let Ok(proof) = decode(&bytes) {
                assert!(
                    case.verifier
                        .verify(&[], VerifyOptions::min_bits(0), &proof)
                        .is_err(),
                    "byte {at}"
                );
            }
        }
    }
    for length in [0, 7, 11, 12, 100, honest.len() - 1] {
        assert!(decode(&honest[..length]).is_err());
    }
    let longer = [honest, vec![0]].concat();
    assert!(decode(&longer).is_err());
    let most = MAX_BYTES;
    let found = most + 1;
    let error = decode(&vec![0; found]).unwrap_err();
    assert_eq!(error, DecodeError::TooLong { found, most });
}

#[test]
fn traces_of_the_wrong_shape_are_errors() {
    let case = Case::new(&fibonacci(40));
    let honest = case.key.traces(&case.execution).unwrap();
    let statement = case.execution.statement;
    let refused =
        |traces: &[RowMajorMatrix<F>]| case.key.prove_traces(statement, traces).unwrap_err();
    assert!(matches!(
        refused(&[]),
        ProveError::TraceShape { height: 0, .. }
    ));
    assert!(matches!(
        refused(&honest[..3]),
        ProveError::TraceShape { .. }
    ));
    let mut narrower = honest.clone();
    narrower[0] = RowMajorMatrix::new(vec![F::ZERO; 64], 1);
    assert!(matches!(
        refused(&narrower),
        ProveError::TraceShape { width: 1, .. }
    ));
    for height in [0, 1, 8, 24] {
        let mut shorter = honest.clone();
        let width = shorter[0].width();
        shorter[0] = RowMajorMatrix::new(vec![F::ZERO; height * width], width);
        assert!(matches!(
            refused(&shorter),
            ProveError::TraceShape { .. } | ProveError::Refused(VerifyError::Heights { .. })
        ));
    }
}

/// The preset for the recursion machine has the bits of its name at R's heights, and says what
/// limits them.
#[test]
fn the_preset_has_its_bits_at_the_heights_of_r() {
    let compiled = recursion();
    let heights = |log: usize| vec![log, log, log - 1, log - 2, log - 1, log - 1, log];
    for log_height in [14, 15, 16] {
        let heights = Heights::Exact(heights(log_height));
        let settings = WhirSettings::proven_100();
        let key = Whir::new(&compiled.program, settings, heights.clone()).unwrap();
        let Heights::Exact(log_heights) = heights else {
            unreachable!()
        };
        let security = whir_verifier(&key).security(&log_heights).unwrap();
        println!("2^{log_height}: {} bits, {security:?}", security.bits());
        assert!((100..=123).contains(&security.bits()), "2^{log_height}");
        assert!(security.without.terms.len() >= 5);
    }
    // Toy settings have none to speak of.
    let key = Whir::new(&compiled.program, WhirSettings::toy(), Heights::Uniform(10)).unwrap();
    let security = whir_verifier(&key).security(&[10; 7]).unwrap();
    assert!(security.bits() < 10);
}
