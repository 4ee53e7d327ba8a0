//! Circuits that verify the openings of a proof in a batch.

use std::time::Instant;

use droste_gadgets::verify::binary::grid::layout::Grid;
use droste_native::with_suite;
use droste_vm::fri::Verifier;
use droste_vm::machine::{Provable, StandardTables};

use super::{
    BinaryShapeError, ChildShape, Children, FriVerifier, Openings, RecursionCircuit, Result,
    Verifies,
};
use crate::binary::{GridProgram, OpeningsError, grid_of};
use crate::tape::TapeSuite;

impl RecursionCircuit {
    /// As [`Self::over_fri`], of one proof whose openings are in a batch
    /// ([`Openings::Batch`]). The proof has the same key in claims.
    ///
    /// # Errors
    /// As for [`Self::over_fri`], or if no batch has these openings.
    pub fn over_fri_opened<H: TapeSuite>(
        verifier: &Verifier<H, StandardTables>,
        log_heights: &[usize],
    ) -> Result<Self>
    where
        StandardTables: Provable<H>,
    {
        let start = Instant::now();
        let shape = ChildShape::new(verifier.key(), log_heights);
        let fri = FriVerifier::new(verifier, log_heights)?.in_batch()?;
        Self::new(
            Children::Opened { shape },
            Verifies::Fri(Box::new(fri)),
            start,
        )
    }

    /// The circuit that verifies one proof of this shape over FRI, on the standard machine, with its
    /// openings in a batch.
    ///
    /// # Errors
    /// If the standard machine makes no such proofs, no batch has their openings, or no program can
    /// be generated.
    pub fn of_shape_opened(shape: &ChildShape) -> Result<Self> {
        with_suite!(shape.hash, H => {
            let verifier = shape.verifier::<H, StandardTables>()?;
            Self::over_fri_opened(&verifier, &shape.log_heights)
        })
    }

    /// How the program verifies openings.
    pub const fn openings(&self) -> Openings {
        self.children.openings()
    }

    /// Proven bits of every proof that the program accepts as a child if its openings are in a
    /// batch: whoever relies on the proof relies on the batch, too.
    ///
    /// # Errors
    /// If no batch has them.
    pub fn bits_in_batch(&self) -> Result<usize, BinaryShapeError> {
        match &self.verifies {
            Verifies::Fri(fri) => {
                let openings = GridProgram::of(&fri.shape)?;
                Ok(fri.security_with(&openings).bits())
            }
            Verifies::Whir(_) | Verifies::Binary(_) => Err(OpeningsError::Stack.into()),
        }
    }

    /// The openings of a child as a batch, whether or not the program verifies them so.
    ///
    /// # Errors
    /// If no batch has them.
    pub fn grid(&self) -> Result<Grid, BinaryShapeError> {
        match &self.verifies {
            Verifies::Fri(fri) => match &fri.openings {
                Some(openings) => Ok(openings.grid.clone()),
                None => grid_of(&fri.shape),
            },
            Verifies::Whir(_) | Verifies::Binary(_) => Err(OpeningsError::Stack.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use droste_native::{F, FriSettings, HashId, KeccakSuite, Poseidon16Suite};
    use droste_vm::isa::id;
    use droste_vm::machine::Machine;
    use droste_vm::tables::program::ProgramTable;
    use p3_air::{Air, AirBuilder, BaseAir, WindowAccess};

    use super::*;
    use crate::airs::{AirError, Seed, UniCircuit};
    use crate::binary::ShapeError;
    use crate::circuit::CircuitError;
    use crate::cost::{cheaper_openings, is_batch_cheaper};

    /// An AIR whose only column is a bit.
    struct Bit;

    impl BaseAir<F> for Bit {
        fn width(&self) -> usize {
            1
        }
    }

    impl<AB: AirBuilder<F = F>> Air<AB> for Bit {
        fn eval(&self, builder: &mut AB) {
            let main = builder.main();
            builder.assert_bool(main.current_slice()[0]);
        }
    }

    /// Whoever relies on a proof in a batch relies on the batch, too.
    #[test]
    fn bits_are_those_of_both_proofs() {
        let settings = FriSettings {
            num_queries: 200,
            ..FriSettings::toy()
        };
        let tables = UniCircuit::<KeccakSuite, _>::new(Bit, settings, 5, Seed::Key).unwrap();
        assert_eq!(tables.openings(), Openings::Tables);
        assert!(tables.bits() >= 120, "{}", tables.bits());
        let own = tables.security().without.clone();
        let program = GridProgram::new(tables.grid().unwrap()).unwrap();
        assert_eq!(tables.bits_in_batch(), Ok(101));
        // There are calls enough, but nobody has chosen fewer bits.
        assert!(is_batch_cheaper(HashId::Keccak, program.calls()));
        assert_eq!(cheaper_openings(&tables), Openings::Tables);

        let batch = tables.in_batch().unwrap();
        assert_eq!(batch.openings(), Openings::Batch);
        assert_eq!(batch.grid().as_ref(), Ok(&program.grid));
        let both = batch.security().without.clone();
        let (term, terms) = both.terms.split_last().unwrap();
        assert_eq!(terms, own.terms);
        let weakest = own.weakest().unwrap().bits;
        let error = (-weakest).exp2() + (-program.bound.sum()).exp2();
        assert!((term.bits + error.log2()).abs() < 1e-9);
        // The proof's error is far below that of the batch.
        assert_eq!(program.bound.sum() as usize, 101);
        assert_eq!(batch.bits(), 101);
        assert_eq!(batch.bits_in_batch(), Ok(101));
        assert_eq!(cheaper_openings(&batch), Openings::Batch);

        let again = batch.in_batch().unwrap();
        assert_eq!(again.security().without, both);
    }

    /// Recipes say nothing of how long a program is, so the work of deriving a key from one is
    /// estimated by a bound. Here tables have eight heights, caps are the largest, and each fold is a
    /// tree.
    #[test]
    fn programs_are_as_short_as_their_recipes_say() {
        let precompiles = [
            id::EXT,
            id::POSEIDON16_SPONGE,
            id::LIMBS,
            id::KECCAK_HASH,
            id::BINARY_PRODUCT,
        ];
        let program = ProgramTable::of_height(0);
        let machine = Machine::<StandardTables>::new(program, &precompiles.into()).unwrap();
        let settings = FriSettings {
            num_queries: 100,
            cap_height: 8,
            max_log_arity: 1,
            ..FriSettings::toy()
        };
        let shape = ChildShape {
            hash: HashId::Keccak,
            settings: settings.into(),
            tables: machine.names(),
            log_heights: (0..machine.tables().len()).map(|i| 8 + i % 8).collect(),
            fixed: true,
        };
        let children = Children::leaf(shape.clone(), Openings::Batch);
        children.check().unwrap();
        let circuit = RecursionCircuit::of_shape_opened(&shape).unwrap();
        assert_eq!(*circuit.children(), children);
        let length = circuit.compiled().program.instructions.len();
        assert!(length <= children.instructions(), "{length}");
    }

    #[test]
    fn trees_of_elements_are_refused_by_name() {
        let toy = FriSettings::toy();
        let circuit = UniCircuit::<Poseidon16Suite, _>::new(Bit, toy, 3, Seed::Key).unwrap();
        let error = OpeningsError::Trees(HashId::Poseidon16.name());
        let expected = ShapeError::Openings(error);
        assert_eq!(circuit.grid(), Err(expected.clone()));
        let Err(AirError::Circuit(CircuitError::BinaryShape(found))) = circuit.in_batch() else {
            panic!("a batch has the openings of {}", HashId::Poseidon16.name());
        };
        assert_eq!(found, expected);
    }
}
