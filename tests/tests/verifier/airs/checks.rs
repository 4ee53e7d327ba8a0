//! Checks that damage to an honest proof does not reach; each test breaks one of them alone.

use droste_gadgets::{Hint, NativeTape, SOURCES};
use droste_native::{Config, EF, F, FriSettings, Poseidon16Suite};
use droste_verifier::airs::{AirError, BatchCircuit, Seed};
use droste_verifier::circuit::CircuitError;
use droste_verifier::codegen::CodegenError;
use droste_verifier::shape::ShapeError;
use droste_verifier::tape::machine_tape;
use droste_vm::compiler::compile_file;
use droste_vm::executor::execute;
use p3_air::{Air, BaseAir, BoundaryEnd, BoundaryPublic};
use p3_batch_stark::BatchProof;
use p3_field::{PrimeCharacteristicRing, PrimeField32, TwoAdicField};
use p3_lookup::{Count, InteractionBuilder};
use p3_matrix::dense::RowMajorMatrix;

use super::common::{Batch, prove};
use super::dishonest::{Dishonest, VALUE, WORK};
use super::tables::{FREE, Plain, Table};

/// An AIR of one column that has to be refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Odd {
    Nothing,
    /// Sends up to this many messages per row.
    Messages(u32),
    /// Has a constraint of this degree.
    Degree(u32),
    /// Assumes that its columns are bits, without a constraint for it.
    Boolean,
    /// Relies on the proof system to bind a public value.
    Boundary,
    /// Declares no preprocessed column, but has one.
    Undeclared,
    /// Has a preprocessed column of another height.
    Height,
}

const BOUNDARY: [BoundaryPublic; 1] = [BoundaryPublic::new(0, BoundaryEnd::First, 0)];

impl BaseAir<F> for Odd {
    fn width(&self) -> usize {
        1
    }

    fn num_public_values(&self) -> usize {
        usize::from(*self == Self::Boundary)
    }

    fn preprocessed_trace(&self) -> Option<RowMajorMatrix<F>> {
        let rows = match self {
            Self::Undeclared => 4,
            Self::Height => 8,
            _ => return None,
        };
        Some(RowMajorMatrix::new_col(F::zero_vec(rows)))
    }

    fn preprocessed_width(&self) -> usize {
        usize::from(*self == Self::Height)
    }

    fn public_boundary_io(&self) -> &[BoundaryPublic] {
        match self {
            Self::Boundary => &BOUNDARY,
            _ => &[],
        }
    }

    fn assumes_boolean_trace(&self) -> bool {
        *self == Self::Boolean
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for Odd {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let x: AB::Expr = p3_air::WindowAccess::current_slice(&main)[0].into();
        builder.assert_bool(x.clone());
        if let Self::Degree(degree) = *self {
            let power = (1..degree).fold(x.clone(), |power, _| power * x.clone());
            builder.assert_eq(power, x.clone());
        }
        if let Self::Messages(weight) = *self {
            let count = Count::bounded(x.clone(), weight);
            builder.push_local_interaction(vec![(vec![x.clone()], count)]);
        }
    }
}

fn refusal(air: Odd, settings: FriSettings, log_heights: &[usize]) -> Option<AirError> {
    BatchCircuit::<Poseidon16Suite, Odd>::new(vec![air], settings, log_heights, Seed::Key).err()
}

#[test]
fn airs_that_cannot_be_proved_are_refused() {
    use {AirError as E, CircuitError as C};
    let toy = FriSettings::toy();
    assert!(refusal(Odd::Nothing, toy, &[2]).is_none());
    for odd in [Odd::Boolean, Odd::Undeclared, Odd::Height] {
        let refusal = refusal(odd, toy, &[2]);
        assert!(matches!(refusal, Some(E::Air { table: 0, .. })), "{odd:?}");
    }
    let boundary = refusal(Odd::Boundary, toy, &[2]);
    let expected = CodegenError::BoundaryPublic("table_0".into());
    assert!(matches!(boundary, Some(E::Circuit(C::Codegen(error))) if error == expected));
    assert!(matches!(
        refusal(Odd::Nothing, toy, &[23]),
        Some(E::Air { .. })
    ));
    let count = ShapeError::Heights {
        tables: 1,
        heights: 2,
    };
    assert!(
        matches!(refusal(Odd::Nothing, toy, &[2, 2]), Some(E::Circuit(C::Shape(e))) if e == count)
    );
    let settings = FriSettings {
        num_queries: 0,
        ..toy
    };
    assert!(matches!(
        refusal(Odd::Nothing, settings, &[2]),
        Some(E::Settings(_))
    ));
    let settings = FriSettings {
        cap_height: 5,
        ..toy
    };
    // The cap would not bind a matrix that is shorter than itself.
    assert!(matches!(
        refusal(Odd::Nothing, settings, &[2]),
        Some(E::Circuit(C::Shape(ShapeError::Height { min: 3, .. })))
    ));
}

/// At blowup 2 the field has codewords of 2^23 rows, but no domain for a quotient in four chunks.
#[test]
fn heights_without_a_quotient_domain_are_refused() {
    let toy = FriSettings {
        log_blowup: 1,
        ..FriSettings::toy()
    };
    assert!(refusal(Odd::Degree(3), toy, &[23]).is_none());
    assert!(refusal(Odd::Degree(5), toy, &[22]).is_none());
    assert!(matches!(
        refusal(Odd::Degree(5), toy, &[23]),
        Some(AirError::Circuit(CircuitError::Shape(ShapeError::Height {
            log_height: 23,
            max: 22,
            ..
        })))
    ));
}

#[test]
fn too_many_messages_have_no_program() {
    let toy = FriSettings::toy();
    assert!(refusal(Odd::Messages(1 << 28), toy, &[2]).is_none());
    // 2^29 messages on each of 4 rows are more than the field has elements.
    let refusal = refusal(Odd::Messages(1 << 29), toy, &[2]);
    let expected = ShapeError::TooManyMessages { messages: 1 << 31 };
    assert!(
        matches!(refusal, Some(AirError::Circuit(CircuitError::Shape(error))) if error == expected)
    );
}

/// Whether a program accepts hints.
fn accepts(program: &str, hints: Vec<Hint>) -> bool {
    let compiled = compile_file("check.rs", program, SOURCES).unwrap();
    execute(
        &compiled,
        &[],
        &machine_tape(&NativeTape { hints }),
        1 << 16,
    )
    .is_ok()
}

#[test]
fn points_of_the_domain_are_refused() {
    let program = "
use droste_gadgets::constraints::vanishing;
use droste_gadgets::prelude::*;

pub fn main() {
    let zeta = hint_ext().checked();
    let outside = vanishing(zeta, 3).inverse();
    let apart = (zeta - Felt::new(5)).inverse();
    reveal((outside * apart).coeff(0));
}
";
    let accepts = |zeta: F| accepts(program, vec![Hint::Ext(EF::from(zeta))]);
    assert!(accepts(F::from_u32(7)));
    // A query point that equals an opening point is refused.
    assert!(!accepts(F::from_u32(5)));
    let generator = F::two_adic_generator(3);
    for point in generator.powers().take(8) {
        assert!(!accepts(point), "{point}");
    }
}

/// The polynomials of a table of one row are constants, so the combined opening must be zero. A
/// prover who claims another opened value passes every other check, since nothing is folded at that
/// height.
#[test]
fn a_table_of_one_row_is_bound() {
    let tables = [
        (Table::Plain(Plain::Free), 0),
        (Table::Plain(Plain::Fibonacci), 3),
    ];
    let settings = FriSettings {
        num_queries: 2,
        ..FriSettings::toy()
    };
    let (airs, log_heights): (Vec<Table>, Vec<usize>) = tables.iter().copied().unzip();
    let dishonest =
        BatchCircuit::<Dishonest<VALUE>, Table>::new(airs, settings, &log_heights, Seed::Key)
            .unwrap();
    let (proof, public_values) = prove(&dishonest, &tables, 7);
    let mut changed = serde_json::to_value(&proof).unwrap();
    let opened =
        &mut changed["opened_values"]["instances"][0]["base_opened_values"]["trace_local"][1];
    *opened = serde_json::to_value(EF::from(FREE + F::ONE)).unwrap();

    let honest = Batch::<Poseidon16Suite>::new(&tables, settings, Seed::Key);
    assert_eq!(
        honest.circuit.air_key().digest(),
        dishonest.air_key().digest()
    );
    type Proof = BatchProof<Config<Poseidon16Suite>>;
    let changed_proof: Proof = serde_json::from_value(changed).unwrap();
    let rejection = honest.circuit.verify(&changed_proof, &public_values);
    assert!(matches!(rejection, Err(AirError::Rejected(_))));

    // The machine rejects it too, given a tape whose opened values are those of the transcript.
    let mut tape = dishonest.tape(&proof, &public_values).unwrap();
    let mut told = 0;
    for hint in &mut tape.hints {
        // The opened values come first on the tape. Rows opened by queries, which follow, keep the
        // trace's value.
        if let Hint::Slice(blocks) = hint
            && told == 0
        {
            for lane in blocks.iter_mut().flatten().flatten() {
                if *lane == FREE {
                    *lane += F::ONE;
                    told += 1;
                }
            }
        }
    }
    assert_eq!(told, 1);
    let text = honest.circuit.text();
    let runs = |checks: &[(&str, &str)]| {
        let gadgets = with_other_checks(checks);
        let gadgets: Vec<(&str, &str)> = gadgets
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect();
        let compiled = compile_file("airs.rs", text, &gadgets).unwrap();
        execute(&compiled, &[], &machine_tape(&tape), 1 << 22).is_ok()
    };
    assert!(!runs(&[]));
    // No other check fails: without this one, and with the value left out of the last fold, the run
    // succeeds.
    assert!(runs(&[
        ("assert_eq!(reduced, Ext::ZERO);", ""),
        ("value = reduced[rolls[i].height] *", "let _unused ="),
    ]));
    assert_ne!(FREE.as_canonical_u32(), 0);
}

/// The gadget library's sources, with pieces of their text replaced.
fn with_other_checks(checks: &[(&str, &str)]) -> Vec<(&'static str, String)> {
    for (check, _) in checks {
        assert!(SOURCES.iter().any(|(_, text)| text.contains(check)));
    }
    let replaced = |text: &str| {
        let mut text = text.to_owned();
        for (check, other) in checks {
            text = text.replace(check, other);
        }
        text
    };
    let gadgets = SOURCES.iter().map(|(path, text)| (*path, replaced(text)));
    gadgets.collect()
}

/// Proof of work is checked at every site: a prover who does none passes every other check.
#[test]
fn proof_of_work_is_checked_at_every_site() {
    let tables = [
        (Table::Range { log_height: 3 }, 3),
        (Table::Keys { columns: 1 }, 3),
    ];
    let none = FriSettings {
        num_queries: 1,
        ..FriSettings::toy()
    };
    let sites: [fn(&mut FriSettings) -> &mut usize; 5] = [
        |settings| &mut settings.batch_grinding_bits,
        |settings| &mut settings.commit_grinding_bits,
        |settings| &mut settings.query_grinding_bits,
        |settings| &mut settings.lookup_grinding_bits,
        |settings| &mut settings.ood_grinding_bits,
    ];
    let (airs, log_heights): (Vec<Table>, Vec<usize>) = tables.iter().copied().unzip();
    for site in sites {
        let mut settings = none;
        *site(&mut settings) = 12;
        let dishonest = BatchCircuit::<Dishonest<WORK>, Table>::new(
            airs.clone(),
            settings,
            &log_heights,
            Seed::Key,
        )
        .unwrap();
        let (proof, public_values) = prove(&dishonest, &tables, 7);
        let honest = Batch::<Poseidon16Suite>::new(&tables, settings, Seed::Key);
        let value = serde_json::to_value(&proof).unwrap();
        type Proof = BatchProof<Config<Poseidon16Suite>>;
        let idle: Proof = serde_json::from_value(value).unwrap();
        assert!(honest.circuit.verify(&idle, &public_values).is_err());

        let tape = machine_tape(&dishonest.tape(&proof, &public_values).unwrap());
        let text = honest.circuit.text();
        let compiled = compile_file("airs.rs", text, SOURCES).unwrap();
        assert!(execute(&compiled, &[], &tape, 1 << 22).is_err());
        // No other check fails: gadgets that accept any low bits accept the proof.
        let checks = [(
            "assert_eq!(Bits::new(word[0], 4).part(0, n), Felt::ZERO);",
            "",
        )];
        let gadgets = with_other_checks(&checks);
        let gadgets: Vec<(&str, &str)> = gadgets
            .iter()
            .map(|(path, text)| (*path, text.as_str()))
            .collect();
        let compiled = compile_file("airs.rs", text, &gadgets).unwrap();
        assert!(execute(&compiled, &[], &tape, 1 << 22).is_ok());
    }
}
