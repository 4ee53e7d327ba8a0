//! Keys of batch STARKs over FRI.

use std::collections::BTreeSet;
use std::sync::Arc;

use droste_native::stark::suite::SuiteCap;
use droste_native::{Commitment, Config, F, FriSettings, HashId, HashSuite};
use educe::Educe;
use p3_batch_stark::common::{
    CommonData, GlobalPreprocessed, PreprocessedInstanceMeta, ProverData, ProverOnlyData,
};
use p3_lookup::Lookups;
use p3_maybe_rayon::prelude::*;

use crate::heights::{Heights, MAX_LOG_HEIGHT, min_log_height};
use crate::isa::Program;
use crate::key::{
    Key, KeyError, KeyHeights, Limits, Message, ProofSystem, digests, lay_out, messages, named,
};
use crate::lookups::packed_lookups;
use crate::machine::{Machine, MachineTables, Provable, precompiles_of};

/// Version of keys and proofs. Every change of the meaning of either raises it.
pub const FORMAT_VERSION: u32 = 2;

/// Tag of a key's digest: the letters "key ", in ASCII, big-endian.
pub const KEY_TAG: F = F::new(0x6b65_7920);

/// Tag of the identity of a machine over FRI: the letters "mach", in ASCII, big-endian.
pub const MACHINE_TAG: F = F::new(0x6d61_6368);

impl<H: HashSuite> ProofSystem for H {
    type Settings = FriSettings;
    type Digest = H::Digest;

    const HASH: HashId = H::ID;
    const VERSION: u32 = FORMAT_VERSION;
    const KEY_TAG: F = KEY_TAG;
    const MACHINE_TAG: F = MACHINE_TAG;

    fn name() -> String {
        H::NAME.to_owned()
    }

    fn hash_number() -> Option<u32> {
        Some(H::ID.number().into())
    }

    fn elements(digest: &H::Digest) -> Vec<F> {
        H::digest_elements(digest)
    }

    fn describe(settings: &FriSettings, message: &mut Message) {
        message.numbers(&settings.numbers());
    }

    fn limits(settings: &FriSettings) -> Limits {
        Limits {
            min: min_log_height(settings),
            max: MAX_LOG_HEIGHT.saturating_sub(settings.log_blowup),
        }
    }
}

/// A key without the content of its program.
pub(crate) struct MachineKey<H: HashSuite, T> {
    /// The key.
    pub key: Key<H>,
    /// The machine, without the content of a program.
    pub machine: Machine<T>,
    /// Lookups of its tables.
    pub lookups: Vec<Lookups<F>>,
}

/// Computes the key with these parameters and this commitment to a program. Without one it is a key
/// of no program, whose commitment is zeros: what the keys of all programs on one machine share.
pub(crate) fn of_machine<H: HashSuite, T: Provable<H>>(
    settings: FriSettings,
    tables: &[String],
    heights: KeyHeights,
    program_log_height: usize,
    program: Option<&[H::Digest]>,
) -> Result<MachineKey<H, T>, KeyError> {
    let layout = named::<H, T>(&settings, tables, heights, program_log_height)?;
    let program = digests(program, cap_size(&layout.machine, &settings))?;
    let lookups = lookups_of(&layout.machine);
    Ok(MachineKey {
        key: layout.key(
            settings,
            &messages(layout.machine.tables(), &lookups),
            program,
        ),
        machine: layout.machine,
        lookups,
    })
}

/// The lookups of a machine's tables, as Plonky3's prover packs them.
fn lookups_of<H: HashSuite, T: Provable<H>>(machine: &Machine<T>) -> Vec<Lookups<F>> {
    machine.tables().par_iter().map(packed_lookups).collect()
}

/// A key with everything that is needed to prove runs of its program, computed once.
#[derive(Educe)]
#[educe(Debug)]
pub struct ProvingKey<H: HashSuite, T> {
    key: Key<H>,
    #[educe(Debug(ignore))]
    program: Arc<Program>,
    #[educe(Debug(ignore))]
    machine: Machine<T>,
    heights: Heights,
    #[educe(Debug(ignore))]
    data: ProverData<Config<H>>,
}

impl<H: HashSuite, T: Provable<H>> ProvingKey<H, T> {
    /// Makes the key of `program` with these settings and heights.
    ///
    /// # Errors
    /// Anything that makes a proof impossible whatever the run is.
    pub fn new(
        program: impl AsRef<Program>,
        settings: FriSettings,
        heights: Heights,
    ) -> Result<Self, KeyError> {
        let program = program.as_ref();
        Self::with_precompiles(program, &precompiles_of(program), settings, heights)
    }

    /// Like [`Self::new`], for a machine that has the tables of `precompiles` as well as those of
    /// the program. Programs can then share one machine although not each of them uses every table.
    ///
    /// # Errors
    /// See [`Self::new`].
    #[inline(never)] // Linked by other crates (docs/profiles.md).
    pub fn with_precompiles(
        program: &Program,
        precompiles: &BTreeSet<u32>,
        settings: FriSettings,
        heights: Heights,
    ) -> Result<Self, KeyError> {
        let layout = lay_out::<H, T>(program, precompiles, &settings, &heights)?;
        let (data, commitment) = commit::<H, T>(&layout.machine, &settings)?;
        let messages = messages(layout.machine.tables(), &data.common.lookups);
        let key = layout.key(settings, &messages, commitment.digests().to_vec());
        Ok(Self {
            key,
            program: Arc::new(program.clone()),
            machine: layout.machine,
            heights,
            data,
        })
    }

    /// Returns the verification key.
    pub fn key(&self) -> &Key<H> {
        &self.key
    }

    /// Returns the machine.
    pub fn machine(&self) -> &Machine<T> {
        &self.machine
    }

    /// Returns the program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Returns how heights are chosen.
    pub fn heights(&self) -> &Heights {
        &self.heights
    }

    /// Returns Plonky3's form of the key.
    pub fn data(&self) -> &ProverData<Config<H>> {
        &self.data
    }
}

/// Commits to the fixed content of all tables of the machine.
fn commit<H: HashSuite, T: Provable<H>>(
    machine: &Machine<T>,
    settings: &FriSettings,
) -> Result<(ProverData<Config<H>>, Commitment<H>), KeyError> {
    let config = droste_native::config::<H>(settings, &[])?;
    let contents = machine
        .tables()
        .iter()
        .filter_map(|table| table.preprocessed_trace())
        .collect();
    let (commitment, prover_data) =
        (T::stark().commit)(&config, contents).map_err(KeyError::Commitment)?;
    let common = common_data::<H, T>(machine, lookups_of(machine), commitment.clone());
    let data = ProverData {
        common,
        prover_only: ProverOnlyData {
            preprocessed_prover_data: Some(prover_data),
        },
    };
    Ok((data, commitment))
}

/// Returns what prover and verifier share, given the commitment in the key.
pub(crate) fn common_data<H: HashSuite, T: Provable<H>>(
    machine: &Machine<T>,
    lookups: Vec<Lookups<F>>,
    commitment: Commitment<H>,
) -> CommonData<Config<H>> {
    let mut matrix_to_instance = vec![];
    let instances = machine
        .tables()
        .iter()
        .enumerate()
        .map(|(instance, table)| {
            let width = table.preprocessed_width();
            let degree_bits = table.fixed_log_height()?;
            (width > 0).then(|| {
                matrix_to_instance.push(instance);
                PreprocessedInstanceMeta {
                    matrix_index: matrix_to_instance.len() - 1,
                    width,
                    degree_bits,
                }
            })
        })
        .collect();
    let preprocessed = GlobalPreprocessed {
        commitment,
        instances,
        matrix_to_instance,
    };
    CommonData::new(Some(preprocessed), lookups)
}

/// Returns the number of digests of the commitment to the fixed content of a machine's tables.
fn cap_size<T: MachineTables>(machine: &Machine<T>, settings: &FriSettings) -> usize {
    let tallest = machine
        .tables()
        .iter()
        .filter(|table| table.preprocessed_width() > 0)
        .filter_map(|table| table.fixed_log_height())
        .max()
        .unwrap_or(0);
    1 << settings.cap_height.min(tallest + settings.log_blowup)
}
