//! The tables of one machine as one type, and the machine of a program.
//!
//! Plonky3 proves a list of tables of a single type: [`machine!`](crate::machine!) makes it, an enum
//! that hands every method on to the table. [`Machine`] picks the tables that a program needs.

use std::collections::BTreeSet;

use droste_native::{Blake3Family, KeccakFamily, Poseidon16Family};
use thiserror::Error;

pub use crate::provable::Provable;

use crate::isa::{Op, Program};
use crate::precompile::Precompile;
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
        /// Poseidon-16: compression, sponge, Merkle paths.
        Poseidon16(crate::tables::poseidon16::Poseidon16Table),
        /// Field elements to 16-bit limbs.
        Limbs(crate::tables::limbs::LimbsTable),
        /// Blake3: chunks, parents, Merkle paths.
        Blake3Calls(crate::tables::blake3::Blake3CallTable),
        /// Compressions of Blake3.
        Blake3(crate::tables::blake3::Blake3Table),
        /// Keccak-256: hashes, Merkle paths.
        KeccakCalls(crate::tables::keccak::KeccakCallTable),
        /// Permutations of Keccak.
        Keccak(crate::tables::keccak::KeccakTable),
    }
}

crate::provable! { StandardTables: Poseidon16Family, Blake3Family, KeccakFamily }

/// A type that can be each table of a machine; made by [`machine!`](crate::machine!).
pub trait MachineTables:
    Table + Clone + From<CpuTable> + From<ProgramTable> + From<WordsTable> + From<BlocksTable>
{
    /// The tables of all precompiles, in the order in which traces are made: a table that counts
    /// look-ups of another stands before it.
    fn precompile_tables() -> Vec<Self>;
}

/// A precompile or table that the machine does not have.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MachineError {
    /// The program calls a precompile that no table receives.
    #[error("no table of this machine serves precompile {id}")]
    UnknownPrecompile {
        /// Its identity.
        id: u32,
    },
    /// A key names a table that does not exist, or names tables in another order.
    #[error("the list of tables {found:?} is not that of any program of this machine")]
    UnknownTables {
        /// The list.
        found: Vec<String>,
    },
    /// A table cannot be proved as it is.
    #[error("table {table}: {reason}")]
    Table {
        /// Its name.
        table: &'static str,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The identity in a key is not that of its machine: the key was made by other constraints.
    #[error("the key's machine has other constraints, look-ups or settings than this one")]
    Identity,
    /// The number of digests in a key's commitment does not follow from its settings.
    #[error("the key's program commitment has {found} digests, expected {expected}")]
    CapSize {
        /// Digests expected.
        expected: usize,
        /// Digests found.
        found: usize,
    },
}

/// Most tables of a machine of which keys are read.
pub const MAX_TABLES: usize = 256;

/// The tables of a program's machine: `cpu`, those of the precompiles it calls, `program`, `words`,
/// `blocks`.
#[derive(Clone, Debug)]
pub struct Machine<T> {
    tables: Vec<T>,
}

impl<T: MachineTables> Machine<T> {
    /// The machine of programs that call these precompiles.
    ///
    /// # Errors
    /// If no table serves one of them, or a table cannot be proved.
    pub fn new(program: ProgramTable, precompiles: &BTreeSet<u32>) -> Result<Self, MachineError> {
        let available = T::precompile_tables();
        let served = |id: &u32| {
            available
                .iter()
                .any(|table| table.precompiles().contains(id))
        };
        if let Some(&id) = precompiles.iter().find(|id| !served(id)) {
            return Err(MachineError::UnknownPrecompile { id });
        }
        let used = |table: &T| {
            table
                .precompiles()
                .iter()
                .any(|id| precompiles.contains(id))
        };
        Self::of_tables(program, available.into_iter().filter(used).collect())
    }

    /// The machine with the tables of these names.
    ///
    /// # Errors
    /// If they are not the tables of a machine, in order, or a table cannot be proved.
    pub fn named(program: ProgramTable, names: &[String]) -> Result<Self, MachineError> {
        let precompiles = T::precompile_tables()
            .into_iter()
            .filter(|table| names.iter().any(|name| name == table.name()))
            .collect();
        let machine = Self::of_tables(program, precompiles)?;
        if machine.names() != names {
            return Err(MachineError::UnknownTables {
                found: names.to_vec(),
            });
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

    /// The tables, in the order in which traces are made and proved.
    pub fn tables(&self) -> &[T] {
        &self.tables
    }

    /// Index of the program table.
    pub fn program_index(&self) -> usize {
        self.tables.len() - 3
    }

    /// The tables' names.
    pub fn names(&self) -> Vec<String> {
        self.tables
            .iter()
            .map(|table| table.name().to_owned())
            .collect()
    }
}

/// Checks what Plonky3 takes for granted about a table.
fn check_table<T: Table>(table: &T) -> Result<(), MachineError> {
    let fixed = table.preprocessed_width() > 0;
    let reason = if table.assumes_boolean_trace() {
        "its columns must be bits, which nothing here enforces"
    } else if !table.public_boundary_io().is_empty() {
        "boundary public values are not bound by batch proofs"
    } else if fixed && table.fixed_log_height().is_none() {
        "its content is fixed, its height is not"
    } else {
        return Ok(());
    };
    Err(MachineError::Table {
        table: table.name(),
        reason,
    })
}

/// Users' precompiles of a machine, for [`compile_with`](crate::compiler::compile_with).
pub fn custom_precompiles<T: MachineTables>() -> Vec<Precompile> {
    let tables = T::precompile_tables();
    let custom = tables.iter().flat_map(Table::custom);
    custom.copied().collect()
}

/// Identities of the precompiles that a program calls.
pub fn precompiles_of(program: &Program) -> BTreeSet<u32> {
    program
        .instructions
        .iter()
        .filter(|instruction| instruction.op == Op::Call)
        .map(|instruction| instruction.id)
        .collect()
}
