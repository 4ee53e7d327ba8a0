//! Runs of programs, and claims about them as GKR would leave them.

use droste_native::gkr::Fraction;
use droste_native::lanes::{Packed, PackedExt};
use droste_native::stark::challenger::Poseidon16Challenger;
use droste_native::whir::WhirSettings;
use droste_native::{EF, F};
use droste_vm::compiler::Compiled;
use droste_vm::heights::Heights;
use droste_vm::machine::StandardTables;
use droste_vm::stack::Prove;
use droste_vm::whir::ProvingKey;
use droste_vm::whir::cells::Cells;
use droste_vm::whir::challenges::LookupChallenges;
use droste_vm::whir::hypercube::eq_evaluations;
use droste_vm::whir::leaves::leaves;
use droste_vm::whir::system::{Shape, System};
use droste_vm::whir::zerocheck::{
    LeafClaim, Opened, Proved, ProvingError, Reduction, ZerocheckError, ZerocheckProof, check,
    prove, verify,
};
use p3_air::BaseAir;
use p3_challenger::{CanObserve, FieldChallenger};
use p3_field::{PackedFieldExtension, PackedValue, PrimeCharacteristicRing};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;

use crate::common::{run, statement};

/// A run: the cells of the tables, and everything that is not proved here.
pub struct Run {
    pub system: System,
    pub shape: Shape,
    pub main: Vec<Vec<F>>,
    pub preprocessed: Vec<Vec<F>>,
    pub public_values: Vec<F>,
    pub challenges: LookupChallenges,
}

impl Run {
    pub fn new(compiled: &Compiled, heights: Heights) -> Self {
        let settings = WhirSettings::toy();
        let key = ProvingKey::<StandardTables>::new(&compiled.program, settings, heights).unwrap();
        let execution = run(compiled, &statement()[..compiled.public_inputs]);
        let traces = key.traces(&execution).unwrap();
        Self::of_traces(
            key.machine().tables(),
            &traces,
            execution.statement.to_vec(),
        )
    }

    pub fn of_traces(
        tables: &[StandardTables],
        traces: &[RowMajorMatrix<F>],
        public_values: Vec<F>,
    ) -> Self {
        let system = System::new(tables).unwrap();
        let log_heights: Vec<usize> = traces
            .iter()
            .map(|trace| trace.height().ilog2() as usize)
            .collect();
        let shape = Shape::new(&system, &log_heights).unwrap();
        let (mut main, mut preprocessed) = (vec![], vec![]);
        for ((table, trace), of_system) in tables.iter().zip(traces).zip(system.tables()) {
            let mut cells = vec![F::ZERO; trace.values.len()];
            of_system.main.transpose(trace, &mut cells);
            main.push(cells);
            let fixed = table.preprocessed_trace();
            let mut cells = vec![F::ZERO; fixed.as_ref().map_or(0, |fixed| fixed.values.len())];
            if let Some(fixed) = fixed {
                of_system.preprocessed.transpose(&fixed, &mut cells);
            }
            preprocessed.push(cells);
        }
        let mut challenger = challenger(0);
        Self {
            system,
            shape,
            main,
            preprocessed,
            public_values,
            challenges: LookupChallenges {
                alpha: challenger.sample_algebra_element(),
                beta: challenger.sample_algebra_element(),
            },
        }
    }

    pub fn cells(&self) -> Vec<Cells<'_>> {
        let cells = self.main.iter().zip(&self.preprocessed);
        cells
            .map(|(main, preprocessed)| Cells { main, preprocessed })
            .collect()
    }

    pub fn packed_leaves(&self) -> Vec<Fraction<Packed, PackedExt>> {
        leaves(
            &self.system,
            &self.shape,
            &self.cells(),
            &self.public_values,
            &self.challenges,
        )
        .unwrap()
    }

    pub fn leaves(&self) -> (Vec<F>, Vec<EF>) {
        let leaves = self.packed_leaves();
        let lane = |packed: &PackedExt, lane| PackedFieldExtension::<F, EF>::extract(packed, lane);
        let leaves = leaves.iter().flat_map(|leaf| {
            let numerators = leaf.numerator.as_slice().iter().copied();
            numerators.zip((0..Packed::WIDTH).map(move |i| lane(&leaf.denominator, i)))
        });
        leaves.unzip()
    }

    /// A claim at a random point, as GKR would leave it.
    pub fn claim(&self) -> LeafClaim {
        let (numerators, denominators) = self.leaves();
        let mut challenger = challenger(1);
        let point: Vec<EF> = (0..self.shape.log_leaves())
            .map(|_| challenger.sample_algebra_element())
            .collect();
        let eq = eq_evaluations(&point);
        let mut numerator = EF::ZERO;
        let mut denominator = EF::ZERO;
        for (index, &eq) in eq.iter().enumerate() {
            numerator += eq * numerators.get(index).copied().unwrap_or(F::ZERO);
            denominator += eq * denominators.get(index).copied().unwrap_or(EF::ONE);
        }
        LeafClaim {
            numerator,
            denominator,
            point,
            theta: challenger.sample_algebra_element(),
        }
    }

    pub fn prove(&self, claim: &LeafClaim) -> Result<Proved, ProvingError> {
        prove(
            &self.system,
            &self.shape,
            &self.cells(),
            &self.public_values,
            claim,
            &self.challenges,
            &mut challenger(2),
        )
    }

    pub fn verify(
        &self,
        claim: &LeafClaim,
        proof: &ZerocheckProof,
        opened: &[Opened],
    ) -> Result<Reduction, ZerocheckError> {
        let (system, shape) = (&self.system, &self.shape);
        let reduction = verify(system, shape, claim, proof, &mut challenger(2))?;
        check(
            system,
            shape,
            claim,
            &self.challenges,
            &self.public_values,
            &reduction,
            opened,
        )?;
        Ok(reduction)
    }
}

pub fn challenger(seed: usize) -> Poseidon16Challenger {
    let mut challenger = Poseidon16Challenger::default();
    challenger.observe(F::from_usize(seed));
    challenger
}
