//! Compares evaluators with Plonky3's constraint folder on random values.

mod airs;
mod baby_bear;
mod compiled;
#[rustfmt::skip]
mod generated;
mod identities;
mod machine;
mod reference;

use airs::Sample;
use droste_native::{EF, EF4, F, HashSuite, Poseidon16Suite};
use droste_vm::tables::cpu::CpuTable;
use droste_vm::whir::system::System;
use p3_air::{Air, BaseAir, ExtensionBuilder};
use p3_batch_stark::folder::VerifierConstraintFolderWithLookups;
use p3_batch_stark::{BatchShape, BatchVerifierTranscript};
use p3_commit::{PeriodicColumns, PolynomialSpace};
use p3_field::PrimeCharacteristicRing;
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_koala_bear::{KOALABEAR_POSEIDON1_RC_16, MDSKoalaBearData};
use p3_lookup::{InteractionSymbolicBuilder, LogUpGadget, Lookups};
use p3_monty_31::MDSUtils;
use p3_poseidon1::Poseidon1Constants;
use p3_poseidon1_air::Poseidon1Air;
use reference::{Config, QuarticConfig, expected, expected_in_the_quartic_field, random_opening};

use super::whir::WhirTable;
use super::{
    Buses, CodegenError, FriEvaluators, Input, StraightLine, TableSource, check_results, generate,
};

/// Lookups of an AIR, packed as a batch prover packs them at the given degree.
fn lookups<A: Air<InteractionSymbolicBuilder<F, EF>>>(air: &A, degree: usize) -> Lookups<F> {
    Lookups::from_air::<EF, A>(air).pack_same_bus(&LogUpGadget::new(), degree)
}

/// An AIR that the tests can check.
trait Checkable:
    Air<InteractionSymbolicBuilder<F, EF>>
    + for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config>>
{
}

impl<A> Checkable for A where
    A: Air<InteractionSymbolicBuilder<F, EF>>
        + for<'a> Air<VerifierConstraintFolderWithLookups<'a, Config>>
{
}

/// Generates evaluators and compares each with Plonky3's folder on several random openings.
fn check<A: Checkable>(airs: &[(&str, A)], degree: usize) -> FriEvaluators {
    let packed: Vec<Lookups<F>> = airs.iter().map(|(_, air)| lookups(air, degree)).collect();
    let sources: Vec<TableSource<'_, A>> = airs
        .iter()
        .zip(&packed)
        .map(|((name, air), lookups)| TableSource {
            name,
            air,
            lookups,
            preprocessed_width: BaseAir::<F>::preprocessed_width(air),
            log_height: 6,
        })
        .collect();
    let evaluators = generate::<EF, _>(&sources).unwrap();
    for (table, source) in evaluators.tables.iter().zip(&sources) {
        for seed in 0..4 {
            let opened = random_opening(&table.shape, evaluators.buses.count, seed);
            assert_eq!(
                table.program.evaluate(&opened).unwrap(),
                [expected(source.air, source.lookups, &table.shape, &opened)],
                "table {}, seed {seed}",
                table.name
            );
        }
        println!(
            "{}: {} columns, {} constraints, {} instructions",
            table.name,
            table.shape.main_width,
            table.shape.num_constraints,
            table.program.len()
        );
    }
    evaluators
}

fn samples(degree: usize) -> FriEvaluators {
    let airs = [
        ("everything", Sample::Everything),
        ("narrow", Sample::Narrow),
        ("constants", Sample::Constants),
    ];
    check(&airs, degree)
}

#[test]
fn sample_tables_match_p3() {
    // At degree 2 no messages are packed, at 3 pairs, at 5 all three.
    for degree in [2, 3, 5] {
        samples(degree);
    }
}

/// Generates evaluators for challenges of degree 4 and compares each with Plonky3's folder.
fn check_in_the_quartic_field<A>(airs: &[(&str, A)], packing: usize)
where
    A: Air<InteractionSymbolicBuilder<F, EF>>
        + for<'a> Air<VerifierConstraintFolderWithLookups<'a, QuarticConfig>>,
{
    let packed: Vec<Lookups<F>> = airs.iter().map(|(_, air)| lookups(air, packing)).collect();
    let tables = airs.iter().zip(&packed);
    let sources: Vec<TableSource<'_, A>> = tables
        .map(|((name, air), lookups)| TableSource {
            name,
            air,
            lookups,
            preprocessed_width: BaseAir::<F>::preprocessed_width(air),
            log_height: 6,
        })
        .collect();
    let evaluators = generate::<EF4, _>(&sources).unwrap();
    for (table, source) in evaluators.tables.iter().zip(&sources) {
        let shape = &table.shape;
        assert_eq!(shape.permutation_width() % 4, 0);
        for seed in 0..4 {
            let opened = random_opening::<EF4>(shape, evaluators.buses.count, seed);
            let expected =
                expected_in_the_quartic_field(source.air, source.lookups, shape, &opened);
            assert_eq!(table.program.evaluate(&opened).unwrap(), [expected]);
        }
    }
}

#[test]
fn sample_tables_match_p3_in_the_quartic_field() {
    for packing in [2, 3, 5] {
        check_in_the_quartic_field(
            &[
                ("everything", Sample::Everything),
                ("narrow", Sample::Narrow),
                ("constants", Sample::Constants),
            ],
            packing,
        );
    }
}

/// An AIR whose only constraint is the generator of the extension of degree 5.
struct Generator;

impl BaseAir<F> for Generator {
    fn width(&self) -> usize {
        1
    }
}

impl Air<InteractionSymbolicBuilder<F, EF>> for Generator {
    fn eval(&self, builder: &mut InteractionSymbolicBuilder<F, EF>) {
        builder.assert_zero_ext(EF::new([0, 1, 0, 0, 0].map(F::new)));
    }
}

#[test]
fn constants_of_another_extension_are_refused() {
    let source = || TableSource {
        name: "sample",
        air: &Generator,
        lookups: &[],
        preprocessed_width: 0,
        log_height: 3,
    };
    assert!(generate::<EF, _>(&[source()]).is_ok());
    assert_eq!(
        generate::<EF4, _>(&[source()]).unwrap_err(),
        CodegenError::ExtensionConstant("sample".to_owned())
    );
}

#[test]
fn shapes_are_p3s() {
    let evaluators = samples(3);
    let [everything, narrow, constants] = &evaluators.tables[..] else {
        panic!("three tables");
    };
    let shape = &everything.shape;
    // One local lookup, two of bytes, one of memory (a pair), one exclusive.
    assert_eq!(shape.num_lookups, 5);
    assert_eq!(shape.permutation_width(), 30);
    assert!(shape.main_next && shape.preprocessed_next && shape.has_terminal());
    assert_eq!(shape.preprocessed_width, 2);
    assert_eq!(shape.periodic_columns.len(), 2);
    assert_eq!(narrow.shape.num_lookups, 2);
    assert!(!narrow.shape.main_next);
    assert_eq!(constants.shape.permutation_width(), 0);
    assert!(!constants.shape.has_terminal());
    assert_eq!(constants.shape.quotient_chunks(false), 1);
    assert_eq!(constants.shape.quotient_chunks(true), 2);
    // The local lookup is bus 0; named buses follow in order of appearance, exclusive lookups
    // first.
    assert_eq!(shape.buses, [0, 1, 2, 2, 1]);
    assert_eq!(narrow.shape.buses, [2, 1]);
    assert_eq!(evaluators.buses.count, 3);
    assert_eq!(evaluators.buses.message_width, 3);
}

#[test]
fn periodic_columns_match_p3() {
    let table = &samples(3).tables[0];
    let columns = &table.shape.periodic_columns;
    let domain = TwoAdicMultiplicativeCoset::<F>::new(F::ONE, 6).unwrap();
    for seed in 0..4 {
        let opened = random_opening::<EF>(&table.shape, 3, seed);
        let screened = PeriodicColumns::new(columns, 64).unwrap();
        assert_eq!(
            table.periodic.evaluate(&opened).unwrap(),
            domain.evaluate_periodic_columns_at(screened, opened.point)
        );
    }
}

#[test]
fn periods_divide_the_height() {
    let air = Sample::Everything;
    let source = TableSource {
        name: "sample",
        air: &air,
        lookups: &[],
        preprocessed_width: 2,
        log_height: 1,
    };
    assert_eq!(
        generate::<EF, _>(&[source]).unwrap_err(),
        CodegenError::PeriodicColumn {
            table: "sample".to_owned(),
            column: 1,
            length: 4,
            log_height: 1
        }
    );
}

/// The bases that Plonky3's transcript derives differ by `beta^message_width` times the differences
/// of our bus numbers.
#[test]
fn buses_are_numbered_as_p3_numbers_them() {
    let airs = [Sample::Narrow, Sample::Everything, Sample::Constants];
    let packed = airs.map(|air| lookups(&air, 3));
    let buses = Buses::number(packed.iter().map(|l| &l[..])).unwrap();
    let mut challenger = Poseidon16Suite::challenger();
    let shape = BatchShape {
        trace_widths: vec![airs::WIDTH; 3],
        public_value_counts: vec![0; 3],
        preprocessed_widths: vec![0; 3],
        has_preprocessed_commitment: false,
        num_lookup_instances: 2,
        lookup_pow_bits: 0,
        has_randomization_commitment: false,
        ood_pow_bits: 0,
    };
    let mut transcript = BatchVerifierTranscript::<_, F, EF, F>::new(&mut challenger, shape);
    transcript.instance_bindings(&[3, 3, 3]);
    transcript.main_phase(F::ONE, &[[F::ONE; 0]; 3]);
    let challenges = transcript
        .lookup_phase(&packed, &LogUpGadget::new(), Some(F::ZERO))
        .unwrap();
    transcript.abort();

    let pairs: Vec<(usize, EF)> = buses
        .of_lookups
        .iter()
        .zip(&challenges)
        .flat_map(|(buses, pairs)| buses.iter().copied().zip(pairs.iter().copied().step_by(2)))
        .collect();
    assert_eq!(pairs.len(), 7);
    let offset = challenges[0][1].exp_u64(buses.message_width as u64);
    for &(bus, base) in &pairs {
        let (first, alpha) = pairs[0];
        assert_eq!(
            base - alpha,
            offset * (F::from_usize(bus) - F::from_usize(first))
        );
    }
    assert_eq!(buses.count, 3);
}

#[test]
fn messages_of_different_widths_are_refused() {
    let mut packed = lookups(&Sample::Narrow, 2).to_vec();
    let extra = packed[1].elements[0][0].clone();
    packed[0].elements[0].push(extra);
    let narrow = lookups(&Sample::Everything, 2);
    assert_eq!(
        Buses::number([&packed[..], &narrow[..]]),
        Err(CodegenError::BusWidth {
            bus: "bytes".to_owned(),
            expected: 2,
            found: 1
        })
    );
}

type Poseidon = Poseidon1Air<F, 16, 3, 0, 4, 20>;

fn poseidon() -> Poseidon {
    let constants = Poseidon1Constants::<F, 16> {
        rounds_f: 8,
        rounds_p: 20,
        mds_circ_col: MDSKoalaBearData::MATRIX_CIRC_MDS_16_COL,
        round_constants: KOALABEAR_POSEIDON1_RC_16.to_vec(),
    };
    let (full, partial) = constants.to_optimized();
    Poseidon1Air::new(full, partial)
}

#[test]
fn poseidon_matches_p3() {
    let evaluators = check(&[("poseidon", poseidon())], 3);
    assert!(evaluators.tables[0].program.len() <= 1600);
}

#[test]
fn keccak_matches_p3() {
    let evaluators = check(&[("keccak", p3_keccak_air::KeccakAir {})], 3);
    assert!(evaluators.tables[0].program.len() <= 22_000);
}

#[test]
fn blake3_matches_p3() {
    let evaluators = check(&[("blake", p3_blake3_air::Blake3Air {})], 3);
    assert!(evaluators.tables[0].program.len() <= 43_000);
}

#[test]
fn generation_is_deterministic() {
    assert_eq!(samples(3).text(), samples(3).text());
}

#[test]
fn missing_values_are_named() {
    let evaluators = samples(3);
    let mut opened = random_opening::<EF>(&evaluators.tables[0].shape, evaluators.buses.count, 1);
    opened.main.clear();
    assert!(matches!(
        evaluators.tables[0].program.evaluate(&opened),
        Err(CodegenError::MissingInput(Input::Main { .. }))
    ));
}

#[test]
fn bad_names_are_refused() {
    let air = Sample::Constants;
    let source = |name| TableSource {
        name,
        air: &air,
        lookups: &[],
        preprocessed_width: 0,
        log_height: 3,
    };
    for name in ["", "Cpu", "2cpu", "a-b", "a b"] {
        assert_eq!(
            generate::<EF, _>(&[source(name)]).unwrap_err(),
            CodegenError::Name(name.to_owned())
        );
    }
    assert_eq!(
        generate::<EF, _>(&[source("cpu"), source("cpu")]).unwrap_err(),
        CodegenError::DuplicateName("cpu".to_owned())
    );
}

/// The checked-in text of the sample tables, compiled as Rust by `generated`.
const SNAPSHOT: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/codegen/tests/generated.rs"
);

#[test]
fn snapshot_is_current() {
    let text = samples(3).text();
    let stored = std::fs::read_to_string(SNAPSHOT).unwrap_or_default();
    assert!(
        text == stored,
        "generated text differs from {SNAPSHOT}: run the ignored test `write_snapshot` and review"
    );
}

#[test]
#[ignore = "writes the snapshot: cargo test -p droste-verifier --lib write_snapshot -- --ignored"]
fn write_snapshot() {
    std::fs::write(SNAPSHOT, samples(3).text()).unwrap();
}

#[test]
fn lists_of_different_lengths_are_refused() {
    let airs = [Sample::Narrow, Sample::Constants];
    let names = ["narrow", "constants"].map(String::from);
    let lookups = [0, 1].map(|i| lookups(&airs[i], 3));
    let list = |names, lookups, log_heights| {
        let sources = TableSource::list(names, &airs, lookups, log_heights);
        sources.map(|sources| sources.len())
    };
    let refused = |what, found| {
        Err(CodegenError::Count {
            what,
            expected: 2,
            found,
        })
    };
    assert_eq!(list(&names, &lookups, &[6, 6]), Ok(2));
    assert_eq!(list(&names[1..], &lookups, &[6, 6]), refused("names", 1));
    assert_eq!(
        list(&names, &lookups[1..], &[6, 6]),
        refused("lists of lookups", 1)
    );
    assert_eq!(list(&names, &lookups, &[6]), refused("heights", 1));
    assert_eq!(list(&names, &lookups, &[6, 6, 6]), refused("heights", 3));
}

#[test]
fn a_message_without_a_bus_is_refused() {
    let system = System::new(&[CpuTable]).unwrap();
    let mut table = system.tables()[0].clone();
    let expected = table.buses.len();
    assert!(WhirTable::new(&table, "cpu".to_owned()).is_ok());
    table.buses.pop();
    let refused = CodegenError::Buses {
        table: "cpu".to_owned(),
        expected,
        found: expected - 1,
    };
    let found = WhirTable::new(&table, "cpu".to_owned());
    assert_eq!(found.err(), Some(refused));
}

#[test]
fn an_evaluator_without_its_result_is_refused() {
    let nothing = StraightLine::default();
    let check = |expected| check_results("eval_cpu".to_owned(), &nothing, expected);
    let refused = CodegenError::Results {
        evaluator: "eval_cpu".to_owned(),
        expected: 1,
        found: 0,
    };
    assert_eq!((check(0), check(1)), (Ok(()), Err(refused)));
}
