//! Names and numbers that Python gives for presets, hashes and settings.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::str::FromStr;
use std::sync::{LazyLock, Mutex, PoisonError};

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{FriSettings, HashId};
use droste_verifier::aggregate::Aggregator;
use droste_vm::stack::{Stack, StackSettings};

use crate::error::Error;

/// Largest limit of instructions that a run can be given.
pub const LARGEST_LIMIT: u64 = 1 << 30;

/// Largest number of proofs of one join.
const LARGEST_ARITY: usize = 64;

/// The preset, proof stack or hash of this name, or what else is given as text.
pub fn parse<T: FromStr<Err: Into<Error>>>(text: &str) -> Result<T, Error> {
    text.parse().map_err(Into::into)
}

/// The limit of instructions, if it is in range.
pub fn limit(limit: u64) -> Result<u64, Error> {
    if limit <= LARGEST_LIMIT {
        Ok(limit)
    } else {
        Err(Error::usage(format!(
            "the limit is {limit} instructions, expected at most {LARGEST_LIMIT}"
        )))
    }
}

/// The preset of this name, or the default.
fn preset(name: Option<&str>) -> Result<Preset, Error> {
    name.map_or(Ok(Preset::default()), parse)
}

/// FRI settings of a preset, or of a number of queries without grinding.
pub fn settings(
    name: Option<&str>,
    queries: Option<usize>,
    blowup: usize,
) -> Result<FriSettings, Error> {
    if !blowup.is_power_of_two() {
        let message = format!("the blowup is {blowup}, expected 2, 4, 8 or 16");
        return Err(Error::usage(message));
    }
    let preset = match (name, queries) {
        (Some(_), Some(_)) => {
            let message = "a preset and a number of queries were given, expected one";
            return Err(Error::usage(message));
        }
        (None, Some(_)) => Preset::Toy,
        (name, None) => preset(name)?,
    };
    let mut settings = preset.settings(blowup.ilog2() as usize)?;
    if let Some(queries) = queries {
        settings.num_queries = queries;
    }
    settings.validate()?;
    Ok(settings)
}

/// Settings of a proof in a stack and a hash: of a preset, or over FRI of a number of queries,
/// which are for no other stack.
pub fn stack_settings(
    hash: HashId,
    stack: Option<&str>,
    name: Option<&str>,
    queries: Option<usize>,
    blowup: usize,
) -> Result<StackSettings, Error> {
    let over_fri = settings(name, queries, blowup)?;
    let stack = match (stack, queries) {
        (Some(stack), _) => parse(stack)?,
        (None, Some(_)) => Stack::Fri,
        (None, None) => Stack::Whir,
    };
    match stack {
        Stack::Fri => Ok(over_fri.into()),
        Stack::Whir if queries.is_some() => Err(Error::usage(
            "queries are for proofs over FRI: over WHIR the security level determines them",
        )),
        Stack::Whir => {
            let settings = WhirSettings::of_leaf(preset(name)?, hash, over_fri.log_blowup);
            settings.validate()?;
            Ok(settings.into())
        }
    }
}

/// Settings over WHIR with rows of the stack of `2^log_block` cells.
pub fn of_rows(settings: StackSettings, log_block: usize) -> Result<StackSettings, Error> {
    let StackSettings::Whir(settings) = settings else {
        return Err(Error::usage("log_block is for proofs over WHIR"));
    };
    let settings = settings.of_rows(log_block);
    settings.validate()?;
    Ok(settings.into())
}

/// Checks the largest number of proofs of a join.
pub fn check_arity(arity: usize) -> Result<(), Error> {
    if (1..=LARGEST_ARITY).contains(&arity) {
        Ok(())
    } else {
        Err(Error::usage(format!(
            "the arity is {arity}, expected 1 to {LARGEST_ARITY}"
        )))
    }
}

/// Values that are made once for each key, and kept.
pub type Kept<K, V> = LazyLock<Mutex<HashMap<K, V>>>;

/// The value of a key, which is made if it is not kept.
pub fn kept<K: Eq + Hash, V: Clone>(
    values: &Kept<K, V>,
    key: K,
    make: impl FnOnce() -> Result<V, Error>,
) -> Result<V, Error> {
    let mut values = values.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(match values.entry(key) {
        Entry::Occupied(known) => known.get().clone(),
        Entry::Vacant(new) => new.insert(make()?).clone(),
    })
}

/// An aggregator for a preset and a number of proofs per join. Aggregators are kept, with the
/// circuits that they have compiled.
pub fn aggregator(name: &str, arity: u16) -> Result<Aggregator, Error> {
    static KEPT: Kept<(Preset, usize), Aggregator> = LazyLock::new(Mutex::default);

    let arity = arity.into();
    check_arity(arity)?;
    let preset = parse(name)?;
    kept(&KEPT, (preset, arity), || {
        Ok(Aggregator::for_preset(preset, arity))
    })
}
