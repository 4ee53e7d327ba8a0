//! Compared with the native verifier.

mod refusals;

use std::iter::zip;

use droste_native::stark::challenger::{self, ExtensionTranscript, Sent};
use droste_native::stark::suite::{Commitment, SuiteCap};
use droste_native::visit::Visitor;
use droste_native::whir::{
    Claim, Committed, Layout, Opening as Proof, OpeningError, Rows, TableShape, WhirSettings,
};
use droste_native::{EF, F, HashSuite};
use p3_challenger::CanObserve;
use p3_field::PrimeCharacteristicRing;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::assembler::{Code, Op};
use crate::calldata::Bytes;
use crate::field::{self, encode};
use crate::machine::{gas, run};
use crate::transcript;

type Suite = KeccakSuite;

const BUFFER: u64 = 0x100;
const PHASE: u64 = 0x80;
const SELECTOR: u32 = 0x1234_5678;

/// Tables with random columns, committed to, and claims about them.
struct Case {
    scheme: Scheme<Suite>,
    main: Committed<Suite>,
    preprocessed: Option<Committed<Suite>>,
    claims: Vec<(Claim, EF)>,
    shapes: Vec<ClaimShape>,
    y: EF,
    rho: Vec<EF>,
}

/// What is proved of it.
#[derive(Clone)]
struct Proved {
    outside: Vec<Sent<EF>>,
    claims: Vec<(Claim, EF)>,
    opening: Proof<Suite>,
}

const fn shape(log_height: usize, width: usize, preprocessed_width: usize) -> TableShape {
    TableShape {
        log_height,
        width,
        preprocessed_width,
    }
}

const fn toy(log_block: usize) -> WhirSettings {
    WhirSettings {
        security_level: 8,
        log_block,
        log_blowup: 2,
        second_log_blowup: 4,
        ..WhirSettings::toy()
    }
}

/// Proofs of work at every step.
const fn grinding(log_block: usize) -> WhirSettings {
    WhirSettings {
        security_level: 128,
        grinding_bits: 8,
        ..toy(log_block)
    }
}

/// Powers of `y`, the highest first.
fn powers(y: EF, count: usize) -> Vec<EF> {
    (0..count).rev().map(|bit| y.exp_power_of_2(bit)).collect()
}

impl Case {
    fn new(settings: &WhirSettings, shapes: &[TableShape]) -> Self {
        let mut rng = SmallRng::seed_from_u64(1);
        let layout = Layout::new(shapes, settings.log_block).unwrap();
        let mut main = vec![F::ZERO; layout.main_cells()];
        let mut preprocessed = vec![F::ZERO; layout.preprocessed_cells()];
        for (table, shape) in shapes.iter().enumerate() {
            for column in 0..shape.width {
                let cells = &mut main[layout.main_column(table, column).unwrap()];
                cells.fill_with(|| rng.random());
            }
            for column in 0..shape.preprocessed_width {
                let cells = &mut preprocessed[layout.preprocessed_column(table, column).unwrap()];
                cells.fill_with(|| rng.random());
            }
        }
        let y = rng.random();
        let rho: Vec<EF> = (0..layout.log_block()).map(|_| rng.random()).collect();
        let stack = stack(&layout, &main, &preprocessed);
        let claims = claims_of(&layout, y, &rho);
        let shapes = ClaimShape::of(&claims, y).unwrap();
        let values = claims.iter().map(|claim| naive_sum(claim, &stack));
        let claims = zip(claims.clone(), values).collect();
        let scheme = Scheme::new(settings, layout).unwrap();
        Self {
            main: scheme.commit(main),
            preprocessed: (!preprocessed.is_empty()).then(|| scheme.commit(preprocessed)),
            scheme,
            claims,
            shapes,
            y,
            rho,
        }
    }

    fn caps(&self) -> (&Commitment<Suite>, Option<&Commitment<Suite>>) {
        let preprocessed = self.preprocessed.as_ref();
        (self.main.cap(), preprocessed.map(Committed::cap))
    }

    fn prove(&self) -> Proved {
        self.prove_with(&mut Suite::challenger())
    }

    fn prove_with(&self, challenger: &mut dyn challenger::Transcript<Suite>) -> Proved {
        challenger.observe(self.main.cap().clone());
        let preprocessed = self.preprocessed.as_ref();
        let scheme = &self.scheme;
        let outside = scheme
            .outside(&self.main, preprocessed, challenger)
            .unwrap();
        let values = outside.values().to_vec();
        for &(_, value) in &self.claims {
            challenger.observe_extension(value);
        }
        let claims: Vec<Claim> = self.claims.iter().map(|(claim, _)| claim.clone()).collect();
        let opening = scheme.open(&self.main, preprocessed, outside, &claims, challenger);
        Proved {
            outside: values,
            claims: self.claims.clone(),
            opening: opening.unwrap(),
        }
    }

    fn is_accepted(&self, proof: &Proved) -> bool {
        self.verify(proof).is_ok()
    }

    /// The indices of the queries to each commitment, if the proof is accepted.
    fn verify(&self, proof: &Proved) -> Result<Vec<Vec<usize>>, OpeningError> {
        let mut challenger = Suite::challenger();
        let (main, preprocessed) = self.caps();
        challenger.observe(main.clone());
        let mut claims = self
            .scheme
            .sample_outside(&proof.outside, &mut challenger)?;
        for &(_, value) in &proof.claims {
            challenger.observe_extension(value);
        }
        claims.extend(proof.claims.clone());
        let opening = &proof.opening;
        let scheme = &self.scheme;
        scheme.verify(main, preprocessed, &claims, opening, &mut challenger)
    }

    /// Root, values outside the domain, values of claims, opening; digests.
    fn data(&self, proof: &Proved) -> Vec<u8> {
        let mut bytes = Bytes::default();
        bytes.commitment(self.main.cap());
        bytes.one_by_one(&proof.outside);
        proof
            .claims
            .iter()
            .for_each(|&(_, value)| bytes.elements(&[value]));
        proof.opening.visit(&mut bytes);
        bytes.finish()
    }

    fn memory(&self) -> Memory {
        let outside = 0x1000;
        let num_outside = self.scheme.schedule().stack.outside;
        let values = word(outside, num_outside);
        let slots = word(values, num_outside + self.shapes.len());
        let opened_point = word(slots, 1);
        Memory {
            outside,
            values,
            slots,
            opened_point,
            opened_coordinates: self.rho.len(),
            work: word(opened_point, self.rho.len()),
        }
    }

    fn statements(&self, a: &mut Assembler) {
        self.statements_with(a, 2);
    }

    /// The same, with this number of roots at most.
    fn statements_with(&self, a: &mut Assembler, num_roots: usize) {
        let memory = self.memory();
        let opening = Opening::new(&self.scheme, &self.shapes, memory).unwrap();
        a.store(memory.slots, encode(self.y));
        for (index, &coordinate) in self.rho.iter().enumerate() {
            a.store(word(memory.opened_point, index), encode(coordinate));
        }
        let mut transcript = Transcript::new(BUFFER);
        transcript.observe(a, 0, DIGEST_BYTES);
        opening.sample_outside(a, &mut transcript, DIGEST_BYTES);
        let mut place = DIGEST_BYTES + opening.outside_bytes();
        let values = word(memory.values, opening.num_outside());
        for index in 0..self.shapes.len() {
            transcript.observe(a, place, PACKED_BYTES);
            a.store(word(values, index), Element::read(place).expr);
            place += PACKED_BYTES;
        }
        let mut roots = vec![Expr::from(0).calldata()];
        if let (_, Some(cap)) = self.caps() {
            roots.push(crate::assembler::Word::from_be_bytes(cap.digests()[0]).into());
        }
        roots.truncate(num_roots);
        let digests = place + opening.proof_bytes();
        opening.verify(a, &mut transcript, place, digests, &roots);
        let size = Expr::Op(Op::CallDataSize, vec![]);
        a.revert_if(Expr::Op(Op::Xor, vec![load(opening.digests()), size]));
    }

    fn setup(&self, a: &mut Assembler) {
        field::define(a);
        transcript::define(a);
        let opening = Opening::new(&self.scheme, &self.shapes, self.memory());
        opening.unwrap().define(a, &Transcript::new(BUFFER));
    }

    fn contract(&self) -> Code {
        let mut a = Assembler::new();
        a.report_phases(PHASE, SELECTOR);
        self.setup(&mut a);
        self.statements(&mut a);
        a.assemble().unwrap()
    }
}

/// All cells.
fn stack(layout: &Layout, main: &[F], preprocessed: &[F]) -> Vec<F> {
    let block = 1 << layout.log_block();
    let mut stack = vec![F::ZERO; 1 << layout.variables()];
    let rows = [layout.main_rows(), layout.preprocessed_rows()];
    for (rows, cells) in zip(rows, [main, preprocessed]) {
        for (row, cells) in zip(rows, cells.chunks_exact(block)) {
            stack[row * block..][..block].copy_from_slice(cells);
        }
    }
    stack
}

/// The sum of the products of all cells with their weights.
fn naive_sum(claim: &Claim, stack: &[F]) -> EF {
    let variables = claim.variables();
    let weights = (0..stack.len()).map(|position| {
        let bit = |variable| EF::from_bool((position >> (variables - 1 - variable)) & 1 == 1);
        claim.evaluate(&(0..variables).map(bit).collect::<Vec<_>>())
    });
    zip(stack, weights)
        .map(|(&cell, weight)| weight * cell)
        .sum()
}

/// Of each region, the values of its columns and those of the next rows of half of them.
fn claims_of(layout: &Layout, y: EF, rho: &[EF]) -> Vec<Claim> {
    let mut claims = vec![];
    let tables = layout.tables().iter();
    for region in tables
        .flat_map(|table| [table.main, table.preprocessed])
        .flatten()
    {
        let point = rho[rho.len() - region.log_height..].to_vec();
        let slots = |log_slots: usize| {
            let mut factors = region.selector(layout.variables());
            factors.extend((log_slots..region.log_slots).map(|_| [EF::ONE, EF::ZERO]));
            factors.extend(
                powers(y, log_slots)
                    .into_iter()
                    .map(|power| [EF::ONE, power]),
            );
            factors
        };
        claims.push(Claim {
            factors: slots(region.log_slots),
            rows: Rows::At(point.clone()),
        });
        claims.push(Claim {
            factors: slots(region.log_slots.saturating_sub(1)),
            rows: Rows::Next(point),
        });
    }
    claims
}

/// Several tables of different heights, with and without preprocessed columns.
const fn mixed() -> [TableShape; 5] {
    [
        shape(5, 7, 0),
        shape(8, 3, 2),
        shape(4, 20, 1),
        shape(8, 0, 1),
        shape(7, 1, 3),
    ]
}

/// One and more commitments, one and two trees, with and without proofs of work.
fn cases() -> Vec<Case> {
    let two_rounds = WhirSettings {
        later_fold: 2,
        blowup_step: 1,
        ..grinding(9)
    };
    vec![
        Case::new(&toy(4), &[shape(4, 1, 0)]),
        Case::new(&toy(6), &[shape(6, 3, 0), shape(5, 2, 1)]),
        Case::new(&toy(8), &mixed()),
        Case::new(&grinding(8), &mixed()),
        Case::new(&two_rounds, &mixed()),
    ]
}

#[test]
fn openings_are_accepted_as_the_native_verifier_accepts_them() {
    for case in cases() {
        let proof = case.prove();
        assert!(case.is_accepted(&proof));
        let schedule = case.scheme.schedule();
        assert!(
            run(&case.contract(), &case.data(&proof)).is_some(),
            "{schedule:?}"
        );
    }
}

/// Other parts have worked in the same memory before: nothing is taken to be zero.
#[test]
fn memory_may_be_used() {
    let end = 1_u64 << 17;
    for case in cases() {
        let opening = Opening::new(&case.scheme, &case.shapes, case.memory()).unwrap();
        assert!(opening.places.coordinates < end / 2);
        let mut a = Assembler::new();
        case.setup(&mut a);
        a.block(|a| {
            a.bind("to", case.memory().work);
            a.repeat_while(|a| {
                a.store(var("to"), crate::assembler::Word::from_limbs([u64::MAX; 4]));
                a.advance("to", ELEMENT_BYTES);
                var("to").lt(end)
            });
        });
        case.statements(&mut a);
        let proof = case.prove();
        assert!(run(&a.assemble().unwrap(), &case.data(&proof)).is_some());
    }
}

#[test]
fn caps_are_refused() {
    let settings = WhirSettings {
        cap_height: 2,
        ..toy(6)
    };
    let case = Case::new(&settings, &[shape(6, 3, 0)]);
    let opening = Opening::new(&case.scheme, &case.shapes, case.memory());
    assert_eq!(opening.err(), Some(UnsupportedOpening::Cap(4)));
}

#[test]
fn gas_is_as_it_was() {
    let case = Case::new(&grinding(8), &mixed());
    let data = case.data(&case.prove());
    let used = gas(|a| case.setup(a), |a| case.statements(a), &data);
    assert_eq!((used, case.contract().bytes.len()), (2032341, 18352));
}

#[test]
fn a_tree_without_a_root_is_refused() {
    let case = Case::new(&toy(6), &[shape(6, 3, 0), shape(5, 2, 1)]);
    let mut a = Assembler::new();
    case.setup(&mut a);
    case.statements_with(&mut a, 1);
    let refused = AssemblerError::Length {
        what: "roots",
        expected: 2,
        found: 1,
    };
    assert_eq!(a.assemble(), Err(refused));
}
