//! The type of a machine's tables, and the machine of a program.
//!
//! Plonky3 proves a list of tables that all have one type. [`machine!`](crate::machine!) makes this
//! type: an enum whose methods call those of the table it holds. [`Machine`] holds the tables that
//! a program needs.

use std::collections::BTreeSet;

use droste_native::whir::TableShape;
#[cfg(feature = "prover")]
use droste_native::{Blake3Suite, KeccakSuite, Poseidon2Suite, Poseidon16Suite};
use thiserror::Error;

#[cfg(feature = "prover")]
pub use crate::fri::provable::Provable;

use crate::isa::{Op, Program};
#[cfg(feature = "prover")]
use crate::precompile;
use crate::precompile::{BUILT_IN, Precompile};
use crate::tables::Table;
use crate::tables::blocks::BlocksTable;
use crate::tables::cpu::CpuTable;
use crate::tables::program::ProgramTable;
use crate::tables::words::WordsTable;

crate::machine! {
    /// The tables of the standard machine.
    pub enum StandardTables {
        /// Extension arithmetic, lanes, block equality, random combinations.
        Ext(crate::tables::ext::ExtTable),
        /// Extension arithmetic and random combinations of degree 4.
        Ext4(crate::tables::ext4::Ext4Table),
        /// Poseidon-16: compression, sponge, Merkle paths.
        Poseidon16(crate::tables::poseidon16::Poseidon16CallTable),
        /// Tweaked hashes in Poseidon-16: Winternitz chains, Merkle paths.
        Poseidon16Tweaked(crate::tables::poseidon16_tweaked::Poseidon16TweakedTable),
        /// Low bits of field elements.
        Low24Bits(crate::tables::low_24_bits::Low24BitsTable),
        /// Multilinear extensions of powers.
        PowerWeights(crate::tables::power_weights::PowerWeightsTable),
        /// Products in GF(2^128).
        BinaryProducts(crate::tables::binary_products::BinaryProductsTable),
        /// Arithmetic in the challenge field of proofs over BabyBear.
        BabyBear(crate::tables::baby_bear::BabyBearTable),
        /// Products of words of field elements in GF(2^128).
        WordProducts(crate::tables::word_products::WordProductsTable),
        /// Pairs of carries or bytes, which products in GF(2^128) and arithmetic over BabyBear look
        /// up.
        CarryPairs(crate::tables::carry_pairs::CarryPairsTable),
        /// Parents in Poseidon2: compression, Merkle paths.
        Poseidon2Parent(crate::tables::poseidon2_parent::Poseidon2ParentTable),
        /// Sponges in Poseidon2.
        Poseidon2Sponge(crate::tables::poseidon2_sponge::Poseidon2SpongeTable),
        /// Poseidon2 of width 16 with constants of the program's own: compression, sponge, Merkle
        /// paths.
        Poseidon2Narrow(crate::tables::poseidon2_16::Poseidon2NarrowTable),
        /// Sponges in Poseidon2 of width 24 with constants of the program's own.
        Poseidon2Wide(crate::tables::poseidon2_24::Poseidon2WideTable),
        /// Field elements to 16-bit limbs.
        Limbs(crate::tables::limbs::LimbsTable),
        /// Blake3: chunks, parents, Merkle paths.
        Blake3Calls(crate::tables::blake3::Blake3CallTable),
        /// Compressions of Blake3.
        Blake3(crate::tables::blake3::Blake3Table),
        /// Pairs of bytes, which compressions of Blake3 look up.
        BytePairs(crate::tables::byte_pairs::BytePairsTable),
        /// Keccak-256: hashes, Merkle paths.
        KeccakCalls(crate::tables::keccak::KeccakCallTable),
        /// The Keccak sponge over lanes: hashes, Merkle paths.
        KeccakSpongeCalls(crate::tables::keccak_sponge::KeccakSpongeCallTable),
        /// Permutations of Keccak.
        Keccak(crate::tables::keccak::KeccakTable),
        /// Spread bytes, which permutations of Keccak look up.
        Spread(crate::tables::spread::SpreadTable),
    }
}

#[cfg(feature = "prover")]
crate::provable! { StandardTables: Poseidon16Suite, Poseidon2Suite, Blake3Suite, KeccakSuite }

/// A type that can be each table of a machine. [`machine!`](crate::machine!) implements it.
pub trait MachineTables:
    Table + Clone + From<CpuTable> + From<ProgramTable> + From<WordsTable> + From<BlocksTable>
{
    /// Returns the tables of all precompiles in the order in which traces are made: a table that
    /// counts lookups of another comes before it.
    fn precompile_tables() -> Vec<Self>;

    /// Returns the types of these tables, in the same order, as the machine's list names them.
    fn precompile_types() -> Vec<&'static str>;
}

/// Why a machine cannot be made: a precompile or table that it does not have, or a key that does
/// not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MachineError {
    /// The program calls the precompile of this identity, which no table receives.
    #[error("{}", unserved(*.0))]
    UnknownPrecompile(u32),
    /// A key names these tables: one of them does not exist, or they are in a wrong order.
    #[error("the key's tables {0:?} are not those of any program on this machine")]
    UnknownTables(Vec<String>),
    /// Plonky3 cannot prove this table soundly as it is declared.
    #[error("table {table}: {reason}")]
    Table {
        /// Name of the table.
        table: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The identity in a key is not that of this machine: the key was made for other constraints.
    #[error(
        "the key was made for a machine with other constraints, lookups or settings than this one"
    )]
    Identity,
    /// The number of digests in a key's commitment is not the one that its settings imply.
    #[error("the key's program commitment has {found} digests, expected {expected}")]
    CapSize {
        /// Digests expected.
        expected: usize,
        /// Digests found.
        found: usize,
    },
}

/// What [`MachineError::UnknownPrecompile`] says. A verifier alone does not link what it takes to
/// name tables: it makes no machine for a program.
#[cfg(not(feature = "prover"))]
fn unserved(identity: u32) -> String {
    format!("the program calls precompile {identity}, which no table of this machine serves")
}

/// What [`MachineError::UnknownPrecompile`] says: for a built-in precompile, which tables to list.
#[cfg(feature = "prover")]
fn unserved(identity: u32) -> String {
    let Some(precompile) = precompile::find(identity, &[]) else {
        return format!(
            "the program calls precompile {identity}, which no table of this machine serves: list \
             its table in `machine!`"
        );
    };
    let tables = StandardTables::precompile_tables().into_iter();
    let serving = tables
        .zip(StandardTables::precompile_types())
        .filter(|(table, _)| table.precompiles().contains(precompile))
        .map(|(_, name)| format!("`{}`", name.trim_start_matches("crate::")));
    format!(
        "the program calls `{}` (precompile {identity}), which no table of this machine serves: \
         list {} in `machine!`",
        precompile.name,
        serving.collect::<Vec<_>>().join(", ")
    )
}

/// Returns what a list with one entry for each table of a machine has for the program table.
pub const fn program_entry<T>(list: &[T]) -> Option<&T> {
    match list {
        [.., program, _words, _blocks] => Some(program),
        _ => None,
    }
}

/// Largest number of tables in a key that is read.
pub const MAX_TABLES: usize = 256;

/// The machine of a program: the tables `cpu`, those of the precompiles that it calls, `program`,
/// `words` and `blocks`.
#[derive(Clone, Debug)]
pub struct Machine<T> {
    tables: Vec<T>,
}

impl<T: MachineTables> Machine<T> {
    /// Makes the machine of programs that call these precompiles.
    ///
    /// # Errors
    /// If no table serves one of them, or Plonky3 cannot prove one of the tables soundly.
    pub fn new(program: ProgramTable, precompiles: &BTreeSet<u32>) -> Result<Self, MachineError> {
        let available = T::precompile_tables();
        let served = |id: u32| {
            let mut served = available.iter().flat_map(Table::precompiles);
            served.any(|precompile| precompile.identity == id)
        };
        if let Some(&id) = precompiles.iter().find(|&&id| !served(id)) {
            return Err(MachineError::UnknownPrecompile(id));
        }
        let used = |table: &T| {
            let mut served = table.precompiles().iter();
            served.any(|precompile| precompiles.contains(&precompile.identity))
        };
        Self::of_tables(program, available.into_iter().filter(used).collect())
    }

    /// Makes the machine whose tables have these names.
    ///
    /// # Errors
    /// If these are not the tables of a machine, in order, or Plonky3 cannot prove one of the
    /// tables soundly.
    pub fn named(program: ProgramTable, names: &[String]) -> Result<Self, MachineError> {
        let precompiles = T::precompile_tables()
            .into_iter()
            .filter(|table| names.iter().any(|name| name == table.name()))
            .collect();
        let machine = Self::of_tables(program, precompiles)?;
        if machine.names() != names {
            return Err(MachineError::UnknownTables(names.to_vec()));
        }
        Ok(machine)
    }

    fn of_tables(program: ProgramTable, precompiles: Vec<T>) -> Result<Self, MachineError> {
        let tables: Vec<T> = std::iter::once(CpuTable.into())
            .chain(precompiles)
            .chain([program.into(), WordsTable.into(), BlocksTable.into()])
            .collect();
        tables.iter().try_for_each(check_table)?;
        Ok(Self { tables })
    }

    /// Returns the tables, in the order in which traces are made and proved.
    pub fn tables(&self) -> &[T] {
        &self.tables
    }

    /// Returns the index of the program table.
    pub fn program_index(&self) -> usize {
        self.tables.len() - 3
    }

    /// Returns the names of the tables, in order.
    pub fn names(&self) -> Vec<String> {
        self.tables
            .iter()
            .map(|table| table.name().to_owned())
            .collect()
    }

    /// Returns the sizes of tables of these heights.
    pub fn shapes(&self, log_heights: &[usize]) -> Vec<TableShape> {
        let tables = self.tables.iter().zip(log_heights);
        tables
            .map(|(table, &log_height)| TableShape {
                log_height,
                width: table.width(),
                preprocessed_width: table.preprocessed_width(),
            })
            .collect()
    }
}

/// The tables of the standard machine, with those of all precompiles.
#[cfg(test)]
pub(crate) fn standard_tables() -> Vec<StandardTables> {
    let program = ProgramTable::of_height(6);
    let machine = Machine::of_tables(program, StandardTables::precompile_tables());
    machine.unwrap().tables
}

/// Checks what Plonky3 assumes about a table without checking it.
fn check_table<T: Table>(table: &T) -> Result<(), MachineError> {
    let fixed = table.preprocessed_width() > 0;
    let reason = if table.assumes_boolean_trace() {
        "it declares columns that hold bits, which nothing enforces"
    } else if !table.public_boundary_io().is_empty() {
        "it has boundary public values, which batch proofs do not bind"
    } else if table.num_periodic_columns() > 0 {
        "it has periodic columns, which messages cannot read"
    } else if fixed && table.fixed_log_height().is_none() {
        "it has preprocessed columns but no fixed height"
    } else {
        return Ok(());
    };
    Err(MachineError::Table {
        table: table.name(),
        reason,
    })
}

/// Returns the users' precompiles of a machine, for
/// [`compile_with`](crate::compiler::compile_with).
pub fn custom_precompiles<T: MachineTables>() -> Vec<Precompile> {
    let tables = T::precompile_tables();
    let mut custom: Vec<Precompile> = Vec::new();
    for precompile in tables.iter().flat_map(Table::precompiles) {
        // A precompile that several tables serve is listed once. One whose identity is no user's is
        // listed, too: the compiler says what is wrong with it.
        if !BUILT_IN.contains(precompile) && !custom.contains(precompile) {
            custom.push(*precompile);
        }
    }
    custom
}

/// Returns the identities of the precompiles that a program calls.
pub fn precompiles_of(program: &Program) -> BTreeSet<u32> {
    program
        .instructions
        .iter()
        .filter(|instruction| instruction.op == Op::Call)
        .map(|instruction| instruction.id)
        .collect()
}
