//! The file that describes proofs which Plonky3's own code makes.

use std::path::Path;

use droste_native::field::ChallengeField;
use droste_native::{FriSettings, SettingsError, files};
use droste_vm::heights::MAX_LOG_HEIGHT;
use p3_blake3_air::Blake3Air;
use p3_field::integers::QuotientMap;
use p3_fri::FriParameters;
use p3_keccak_air::KeccakAir;
use serde::Deserialize;
use thiserror::Error;

use super::air::{HashAir, HashField};
use super::format::ProofFormat;
use crate::error::CommandError;
use crate::program::text_of;

/// Length in bytes of the largest description that is read.
const LARGEST: u64 = 1 << 16;

/// What a file says.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    air: AirName,
    /// Poseidon2's, in the order of the rounds, as canonical integers.
    constants: Option<Vec<u32>>,
    /// Rows of the trace.
    rows: usize,
    /// Of the trace.
    #[serde(default)]
    field: FieldName,
    /// Of leaves, parents and transcript.
    pub hash: HashName,
    /// Degree of the field of challenges.
    degree: Degree,
    pub format: ProofFormat,
    fri: Fri,
}

/// The AIRs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AirName {
    KeccakF,
    Blake3,
    Poseidon2,
}

/// The fields of traces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum FieldName {
    #[default]
    KoalaBear,
    BabyBear,
}

/// The hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HashName {
    /// The sponge over the 64-bit lanes of Keccak-f, with the transcript in Keccak-256.
    KeccakSponge,
    /// Keccak-256 of bytes.
    Keccak,
    /// BLAKE3 of bytes.
    Blake3,
}

/// The degrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "usize")]
enum Degree {
    Four,
    Five,
}

/// FRI's parameters, in the words of Plonky3's `FriParameters`, and what else of a configuration the
/// verifier has to know.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fri {
    /// Where the numbers are from that are not given.
    parameters: Option<Named>,
    log_blowup: Option<usize>,
    log_final_poly_len: Option<usize>,
    max_log_arity: Option<usize>,
    num_queries: Option<usize>,
    batch_proof_of_work_bits: Option<usize>,
    commit_proof_of_work_bits: Option<usize>,
    query_proof_of_work_bits: Option<usize>,
    /// That of `StarkConfig::with_ood_proof_of_work_bits`.
    #[serde(default)]
    ood_proof_of_work_bits: usize,
    /// That of the Merkle trees.
    cap_height: usize,
}

/// Functions of `FriParameters`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Named {
    NewBenchmark,
    NewBenchmarkHighArity,
}

/// Why a file describes no proofs that can be verified.
#[derive(Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// The text.
    #[error("line {line}: {message}")]
    Text {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A number that is out of range.
    #[error("{field} is {found}, expected {expected}")]
    Value {
        /// Its name.
        field: String,
        /// The number.
        found: usize,
        /// What it may be.
        expected: String,
    },
    /// A number that is missing.
    #[error(
        "fri.{0} is missing: give it, or name `parameters` that have it (new_benchmark, \
         new_benchmark_high_arity)"
    )]
    Missing(&'static str),
    /// Constants of an AIR that has none.
    #[error("constants are given, but only the AIR poseidon2 has any")]
    NoConstants,
    /// FRI's parameters.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

impl Config {
    /// Reads the file at `path`.
    ///
    /// # Errors
    /// If it cannot be read, or is something else; the message says in which line.
    pub fn read(path: &Path) -> Result<Self, CommandError> {
        let bytes = files::read(path, LARGEST).map_err(CommandError::file(path))?;
        let text = text_of(path, bytes)?;
        let config = Self::parse(&text).map_err(CommandError::failed);
        config.map_err(CommandError::about(path.display()))
    }

    fn parse(text: &str) -> Result<Self, ConfigError> {
        toml::from_str(text).map_err(|error| {
            let start = error.span().map_or(0, |span| span.start);
            let before = text.bytes().take(start);
            ConfigError::Text {
                line: 1 + before.filter(|&byte| byte == b'\n').count(),
                message: error.message().to_owned(),
            }
        })
    }

    /// Logarithm of the number of rows.
    pub fn log_height(&self) -> Result<usize, ConfigError> {
        let log = self.rows.checked_ilog2().unwrap_or(0) as usize;
        if self.rows == 1 << log && log <= MAX_LOG_HEIGHT {
            return Ok(log);
        }
        Err(ConfigError::Value {
            field: "rows".to_owned(),
            found: self.rows,
            expected: format!("a power of two up to 2^{MAX_LOG_HEIGHT}"),
        })
    }

    /// The field of challenges.
    pub fn challenges(&self) -> Result<ChallengeField, ConfigError> {
        match (self.field, self.degree) {
            (FieldName::KoalaBear, Degree::Four) => Ok(ChallengeField::Quartic),
            (FieldName::KoalaBear, Degree::Five) => Ok(ChallengeField::Quintic),
            (FieldName::BabyBear, Degree::Four) => Ok(ChallengeField::BabyBear),
            (FieldName::BabyBear, Degree::Five) => Err(ConfigError::Value {
                field: "degree".to_owned(),
                found: 5,
                expected: "4 over baby-bear".to_owned(),
            }),
        }
    }

    /// The AIR, over the field of the trace.
    pub fn air<K: HashField>(&self) -> Result<HashAir<K>, ConfigError> {
        match (self.air, &self.constants) {
            (AirName::KeccakF, None) => Ok(HashAir::KeccakF(KeccakAir {})),
            (AirName::Blake3, None) => Ok(HashAir::Blake3(Blake3Air {})),
            (AirName::Poseidon2, None) => Ok(HashAir::Poseidon2(K::drawn_poseidon2())),
            (AirName::Poseidon2, Some(constants)) => poseidon2(constants),
            (AirName::KeccakF | AirName::Blake3, Some(_)) => Err(ConfigError::NoConstants),
        }
    }

    /// FRI's parameters, in range.
    pub fn settings(&self) -> Result<FriSettings, ConfigError> {
        let settings = self.fri.settings()?;
        settings.validate()?;
        Ok(settings)
    }
}

/// Poseidon2 with these constants.
fn poseidon2<K: HashField>(constants: &[u32]) -> Result<HashAir<K>, ConfigError> {
    let elements = constants.iter().enumerate().map(|(index, &constant)| {
        <K as QuotientMap<u32>>::from_canonical_checked(constant).ok_or_else(|| {
            ConfigError::Value {
                field: format!("constants[{index}]"),
                found: constant as usize,
                expected: format!("an integer below {}'s modulus, {}", K::NAME, K::ORDER_U32),
            }
        })
    });
    let elements: Vec<K> = elements.collect::<Result<_, _>>()?;
    let air = K::poseidon2(&elements).ok_or_else(|| ConfigError::Value {
        field: "the number of constants".to_owned(),
        found: elements.len(),
        expected: K::CONSTANTS.to_string(),
    })?;
    Ok(HashAir::Poseidon2(air))
}

impl Fri {
    fn settings(&self) -> Result<FriSettings, ConfigError> {
        let named = self.parameters.map(Named::parameters);
        let number = |name, given: Option<usize>, of: fn(&FriParameters<()>) -> usize| {
            let number = given.or_else(|| named.as_ref().map(of));
            number.ok_or(ConfigError::Missing(name))
        };
        Ok(FriSettings {
            log_blowup: number("log_blowup", self.log_blowup, |of| of.log_blowup)?,
            log_final_poly_len: number("log_final_poly_len", self.log_final_poly_len, |of| {
                of.log_final_poly_len
            })?,
            max_log_arity: number("max_log_arity", self.max_log_arity, |of| of.max_log_arity)?,
            num_queries: number("num_queries", self.num_queries, |of| of.num_queries)?,
            batch_grinding_bits: number(
                "batch_proof_of_work_bits",
                self.batch_proof_of_work_bits,
                |of| of.batch_proof_of_work_bits,
            )?,
            commit_grinding_bits: number(
                "commit_proof_of_work_bits",
                self.commit_proof_of_work_bits,
                |of| of.commit_proof_of_work_bits,
            )?,
            query_grinding_bits: number(
                "query_proof_of_work_bits",
                self.query_proof_of_work_bits,
                |of| of.query_proof_of_work_bits,
            )?,
            // The AIRs have no lookups.
            lookup_grinding_bits: 0,
            ood_grinding_bits: self.ood_proof_of_work_bits,
            cap_height: self.cap_height,
        })
    }
}

impl Named {
    const fn parameters(self) -> FriParameters<()> {
        match self {
            Self::NewBenchmark => FriParameters::new_benchmark(()),
            Self::NewBenchmarkHighArity => FriParameters::new_benchmark_high_arity(()),
        }
    }
}

impl TryFrom<usize> for Degree {
    type Error = ConfigError;

    fn try_from(degree: usize) -> Result<Self, ConfigError> {
        match degree {
            4 => Ok(Self::Four),
            5 => Ok(Self::Five),
            found => Err(ConfigError::Value {
                field: "degree".to_owned(),
                found,
                expected: "4 or 5".to_owned(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use droste_native::F;
    use droste_native::field::BabyBear;

    use super::*;

    /// That of Plonky3's `prove_poseidon2_koala_bear_keccak`.
    const EXAMPLE: &str = r#"
        air = "poseidon2"
        rows = 65536
        hash = "keccak-sponge"
        degree = 4
        format = "postcard"

        [fri]
        parameters = "new_benchmark"
        cap_height = 3
    "#;

    fn settings(text: &str) -> Result<FriSettings, ConfigError> {
        let config = Config::parse(text)?;
        config.log_height()?;
        match config.challenges()? {
            ChallengeField::Quintic | ChallengeField::Quartic => {
                config.air::<F>()?;
            }
            ChallengeField::BabyBear => {
                config.air::<BabyBear>()?;
            }
        }
        config.settings()
    }

    /// What is wrong with the example if this part of it is another.
    fn error(part: &str, other: &str) -> String {
        assert!(EXAMPLE.contains(part), "{part}");
        settings(&EXAMPLE.replacen(part, other, 1))
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn parameters_are_those_of_plonky3() {
        let expected = FriSettings {
            log_blowup: 1,
            log_final_poly_len: 0,
            max_log_arity: 1,
            num_queries: 100,
            batch_grinding_bits: 0,
            commit_grinding_bits: 0,
            query_grinding_bits: 16,
            lookup_grinding_bits: 0,
            ood_grinding_bits: 0,
            cap_height: 3,
        };
        assert_eq!(settings(EXAMPLE), Ok(expected));
        let config = Config::parse(EXAMPLE).unwrap();
        assert_eq!(config.log_height(), Ok(16));
        assert_eq!(config.challenges(), Ok(ChallengeField::Quartic));
        let field = |field: &str, degree: &str| {
            let text = format!("field = \"{field}\"\n{EXAMPLE}");
            Config::parse(&text.replace("degree = 4", degree))?.challenges()
        };
        for (name, degree, expected) in [
            ("koala-bear", "degree = 4", ChallengeField::Quartic),
            ("koala-bear", "degree = 5", ChallengeField::Quintic),
            ("baby-bear", "degree = 4", ChallengeField::BabyBear),
        ] {
            assert_eq!(field(name, degree), Ok(expected), "{name}, {degree}");
        }
        let error = field("baby-bear", "degree = 5").unwrap_err().to_string();
        assert_eq!(error, "degree is 5, expected 4 over baby-bear");

        let high = EXAMPLE.replace("new_benchmark", "new_benchmark_high_arity");
        let high_arity = FriSettings {
            max_log_arity: 3,
            batch_grinding_bits: 10,
            ..expected
        };
        assert_eq!(settings(&high), Ok(high_arity));
        // Numbers come before those of the named parameters, and suffice without them.
        let own = "log_blowup = 3
            log_final_poly_len = 2
            max_log_arity = 4
            num_queries = 5
            batch_proof_of_work_bits = 6
            commit_proof_of_work_bits = 7
            query_proof_of_work_bits = 8
            ood_proof_of_work_bits = 9";
        let numbers = FriSettings {
            log_blowup: 3,
            log_final_poly_len: 2,
            max_log_arity: 4,
            num_queries: 5,
            batch_grinding_bits: 6,
            commit_grinding_bits: 7,
            query_grinding_bits: 8,
            lookup_grinding_bits: 0,
            ood_grinding_bits: 9,
            cap_height: 3,
        };
        let named = "parameters = \"new_benchmark\"";
        for text in [own.to_owned(), format!("{named}\n{own}")] {
            assert_eq!(settings(&EXAMPLE.replace(named, &text)), Ok(numbers));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (part, other, expected) in [
            (
                "\"poseidon2\"",
                "\"sha256\"",
                "line 2: unknown variant `sha256`",
            ),
            (
                "keccak-sponge",
                "poseidon2",
                "line 4: unknown variant `poseidon2`",
            ),
            ("postcard", "cbor", "line 6: unknown variant `cbor`"),
            (
                "rows",
                "field = \"mersenne-31\"\nrows",
                "line 3: unknown variant `mersenne-31`",
            ),
            (
                "rows",
                "field = \"baby-bear\"\nconstants = [1, 2, 3]\nrows",
                "the number of constants is 3, expected 141",
            ),
            (
                "rows",
                "field = \"baby-bear\"\nconstants = [2013265921]\nrows",
                "an integer below BabyBear's modulus, 2013265921",
            ),
            ("degree = 4", "degree = 6", "degree is 6, expected 4 or 5"),
            ("65536", "65535", "rows is 65535, expected a power of two"),
            ("65536", "0", "rows is 0, expected a power of two"),
            ("65536", "33554432", "expected a power of two up to 2^24"),
            ("65536", "-1", "line 3: "),
            ("rows = 65536", "", "missing field `rows`"),
            ("rows", "height", "line 3: unknown field `height`"),
            ("cap_height = 3", "", "missing field `cap_height`"),
            (
                "cap_height = 3",
                "cap_height = 17",
                "cap_height is 17, expected 0 to 16",
            ),
            (
                "new_benchmark",
                "new_testing",
                "unknown variant `new_testing`",
            ),
            (
                "parameters = \"new_benchmark\"",
                "num_queries = 100",
                "fri.log_blowup is missing",
            ),
            ("[fri]", "[fri", "line "),
            (
                "rows",
                "constants = [1, 2, 3]\nrows",
                "the number of constants is 3, expected 148",
            ),
            (
                "rows",
                "constants = [1, 2130706433]\nrows",
                "constants[1] is 2130706433, expected an integer below",
            ),
        ] {
            let error = error(part, other);
            assert!(error.contains(expected), "{other}: {error}");
        }
        let blake3 = EXAMPLE.replace("\"poseidon2\"", "\"blake3\"\nconstants = []");
        assert_eq!(settings(&blake3), Err(ConfigError::NoConstants));
    }
}
