//! Aggregates: proofs that other proofs were verified.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use droste_native::F;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_verifier::aggregate::{
    Aggregate as Accepted, AggregateOptions, Aggregator, UnverifiedAggregate,
};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file;
use droste_verifier::keys::KeySet;
use droste_verifier::leaf_root::Rooted;
use droste_verifier::summary::{
    AggregateSummary, Evidence, KeysSummary, LeafRootSummary, StepSummary, milliseconds,
};
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
use droste_vm::whir;
use pyo3::prelude::*;

use crate::arguments::{aggregator, parse};
use crate::arrays::bytes;
use crate::compute::compute;
use crate::error::Error;
use crate::extract::{self, expected};
use crate::files;
use crate::fold::FoldLeaves;
use crate::program::{Program, public_inputs};
use crate::proof::Proof;
use crate::records::{Record, Reduced};
use crate::trust::{Trust, deriver, digest};

/// A recursion proof with its claim tree and the keys of its recursion programs.
///
/// Of an aggregate that was read, nothing is known before it is verified: `key` and `claim` are
/// what it says of itself. Functions that take aggregates verify them first.
#[pyclass(frozen, eq, hash, skip_from_py_object, module = "droste")]
#[derive(Clone)]
pub struct Aggregate {
    pub bytes: Arc<[u8]>,
    key: KeyDigest,
    claim: [F; 8],
    /// Why its keys are trusted, once they are.
    evidence: Arc<Mutex<Evidence>>,
    /// The steps that made it from its children; none if it was read.
    steps: Vec<StepSummary>,
}

impl PartialEq for Aggregate {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl std::hash::Hash for Aggregate {
    fn hash<S: std::hash::Hasher>(&self, state: &mut S) {
        self.bytes.hash(state);
    }
}

impl Aggregate {
    /// Decodes an aggregate's file.
    fn decoded(bytes: Vec<u8>) -> Result<Self, Error> {
        let read = file::decode(&bytes)?;
        Ok(Self {
            key: read.key(),
            claim: read.claim(),
            bytes: bytes.into(),
            evidence: Arc::new(Mutex::new(Evidence::Claimed)),
            steps: vec![],
        })
    }

    /// An aggregate that was just made, or verified.
    pub fn made(made: &Accepted, evidence: Evidence) -> Result<Self, Error> {
        Ok(Self {
            bytes: file::encode(made)?.into(),
            key: made.key(),
            claim: made.claim(),
            evidence: Arc::new(Mutex::new(evidence)),
            steps: made.steps().iter().map(StepSummary::new).collect(),
        })
    }

    fn read(&self) -> Result<UnverifiedAggregate, Error> {
        Ok(file::decode(&self.bytes)?)
    }

    /// Verifies it, if need be under keys that are derived, and remembers why they are trusted.
    pub fn accept(&self, trust: &Trust) -> Result<(Accepted, Evidence), Error> {
        let read = self.read()?;
        let known = || self.evidence.lock().unwrap_or_else(PoisonError::into_inner);
        let evidence = *known();
        if evidence != Evidence::Claimed {
            let (insecure, any) = (AggregateOptions::min_bits(0), &AcceptedLeaves::Any);
            return Ok((read.pinned(self.key, insecure, any)?, evidence));
        }
        let (accepted, evidence) = trust.accept(read)?;
        *known() = evidence;
        Ok((accepted, evidence))
    }

    fn summary(
        &self,
        accepted: &Accepted,
        evidence: Evidence,
        start: Instant,
    ) -> Result<AggregateSummary, Error> {
        let summary = AggregateSummary::new(accepted, evidence, milliseconds(start.elapsed()))?;
        Ok(AggregateSummary {
            steps: self.steps.clone(),
            ..summary
        })
    }
}

#[pymethods]
impl Aggregate {
    /// Decodes the bytes of an aggregate's file. Nothing is verified.
    ///
    /// Raises:
    ///     DecodeError: The bytes are not those of an aggregate.
    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (py, data) = (data.py(), bytes(data)?);
        compute(py, move || Self::decoded(data.to_vec()))
    }

    /// Reads an aggregate from a file. Nothing is verified.
    ///
    /// Raises:
    ///     FileError: The file cannot be read.
    ///     DecodeError: It is not the file of an aggregate.
    #[staticmethod]
    #[pyo3(signature = (path, /))]
    fn from_file(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] path: PathBuf,
    ) -> PyResult<Self> {
        compute(py, move || {
            Self::decoded(files::read(&path)?).map_err(Error::about(path.display()))
        })
    }

    /// Returns the bytes of the aggregate's file.
    fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn __bytes__(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes the aggregate to a file, whole or not at all.
    ///
    /// Raises:
    ///     FileError: The file cannot be written.
    #[pyo3(signature = (path, /))]
    fn write(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::path)] path: PathBuf,
    ) -> PyResult<()> {
        let bytes = Arc::clone(&self.bytes);
        compute(py, move || files::write(&path, &bytes))
    }

    /// Digest of the set of its recursion keys, as it says.
    #[getter]
    fn key(&self) -> String {
        self.key.to_string()
    }

    /// Its claim, as it says: one digest of the keys and statements of all proofs below it.
    #[getter]
    fn claim(&self) -> String {
        KeyDigest(self.claim).to_string()
    }

    /// Verifies the aggregate against what the caller knows.
    ///
    /// Args: key: digest of the set of its recursion keys, from `keys`; not from the aggregate.
    /// claim: the claim that it must make, 64 hexadecimal digits. min_bits: proven bits of security
    /// that each proof of the tree must have at least. min_tree_bits: proven bits that all proofs
    /// must have together, by the union bound: 100, unless `min_bits` asks for less of each.
    /// leaves: the leaves that are accepted, each as the digest of a key, or as a `Program`, whose
    /// keys are computed; a leaf with any other key is refused. any_leaf: accept leaves with any
    /// key. Which programs they are proofs of is then not known: compare the keys that are
    /// returned. If one is itself a recursion proof, the proofs below it are not counted in the
    /// bits. limit: as for `Proof.verify`, for each program. fold_claims: what the leaves say that
    /// are folds, as `Folded.claim` returns it; these leaves are accepted, and the proofs below
    /// them count in the bits. fold_keys: the fold keys that they must have; none without claims.
    ///
    /// Returns:
    ///     A dictionary of what it says, as `droste verify --format json` prints it.
    ///
    /// Raises:
    ///     VerifyError: The aggregate is rejected.
    ///     UsageError: Nothing says which leaves to accept, or both `leaves` and `any_leaf` do; or
    ///         there are `fold_keys` without `fold_claims`.
    #[pyo3(signature = (
        *, key, claim, min_bits=100, min_tree_bits=None, leaves=None, any_leaf=false,
        limit=VerifyOptions::DEFAULT.limit, fold_claims=None, fold_keys=vec![]
    ))]
    #[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn verify(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::text)] key: &str,
        #[pyo3(from_py_with = extract::text)] claim: &str,
        #[pyo3(from_py_with = extract::integer)] min_bits: usize,
        #[pyo3(from_py_with = extract::optional_integer)] min_tree_bits: Option<usize>,
        #[pyo3(from_py_with = extract::optional_list)] leaves: Option<Vec<Bound<'_, PyAny>>>,
        #[pyo3(from_py_with = extract::flag)] any_leaf: bool,
        #[pyo3(from_py_with = extract::integer)] limit: usize,
        fold_claims: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = extract::texts)] fold_keys: Vec<String>,
    ) -> PyResult<Record<AggregateSummary>> {
        let (key, KeyDigest(claim)) = (digest(key)?, digest(claim)?);
        let folds = FoldLeaves::new(fold_claims, &fold_keys)?;
        let message = match (&leaves, any_leaf) {
            (Some(_), false) | (None, true) => None,
            (Some(_), true) => Some("any_leaf accepts all leaves: give no leaves"),
            (None, false) if folds.are_given() => None,
            (None, false) => Some(
                "nothing says which leaves to accept: give the key of each program, or the \
                 programs, as leaves, or accept all with any_leaf",
            ),
        };
        if let Some(message) = message {
            return Err(Error::usage(message).into());
        }
        let rules = folds.rules();
        let (mut keys, mut programs) = (rules.clone(), vec![]);
        for leaf in leaves.iter().flatten() {
            if let Ok(program) = leaf.cast::<Program>() {
                programs.push(Arc::clone(&program.get().compiled));
            } else if let Ok(key) = extract::text(leaf) {
                keys.insert(digest(key)?);
            } else {
                return Err(expected(leaf, "the digest of a key or a Program"));
            }
        }
        let options = AggregateOptions::min_bits(min_bits).with_min_tree_bits(min_tree_bits);
        let of_programs = VerifyOptions::min_bits(min_bits).with_limit(limit);
        let (this, deriver) = (self.clone(), deriver(py, true)?);
        compute(py, move || {
            let start = Instant::now();
            let read = this.read()?;
            // Before any work that the file determines.
            read.check_key(key)?;
            for compiled in programs {
                keys.extend(read.keys_of_leaves(&*compiled, of_programs)?);
            }
            let leaves = if any_leaf {
                AcceptedLeaves::Any
            } else {
                AcceptedLeaves::Keys(keys)
            };
            let accepted = read.verify(key, &claim, options, &leaves)?;
            let hidden = deriver.hidden_leaves_but(&accepted, &rules)?;
            let summary = this.summary(&accepted, Evidence::Pinned, start)?;
            let summary = folds.count(&accepted, options, summary)?;
            Ok(Record(summary.with_hidden_leaves(&hidden)))
        })
    }

    /// Returns what the aggregate says, after verifying it under keys that are derived or pinned.
    ///
    /// Args:
    ///     keys: digests of sets of recursion keys that are known to be good.
    ///     claimed: do not derive keys; what is returned then proves nothing.
    ///     cache: keep derived keys in the user's cache folder.
    ///
    /// Returns:
    ///     A dictionary, as `droste inspect --format json` prints it.
    ///
    /// Raises:
    ///     VerifyError: The aggregate is rejected.
    #[pyo3(signature = (*, keys=vec![], claimed=false, cache=true))]
    fn inspect(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = extract::texts)] keys: Vec<String>,
        #[pyo3(from_py_with = extract::flag)] claimed: bool,
        #[pyo3(from_py_with = extract::flag)] cache: bool,
    ) -> PyResult<Record<AggregateSummary>> {
        let trust = Trust::new(py, &keys, cache)?;
        let this = self.clone();
        compute(py, move || {
            let start = Instant::now();
            if claimed {
                let read = this.read()?;
                let accepted = read.check()?;
                let elapsed = milliseconds(start.elapsed());
                let summary = AggregateSummary::claimed(&read, &accepted, elapsed)?;
                return Ok(Record(summary));
            }
            let (accepted, evidence) = this.accept(&trust)?;
            let hidden = trust.deriver().hidden_leaves(&accepted)?;
            let summary = this.summary(&accepted, evidence, start)?;
            Ok(Record(summary.with_hidden_leaves(&hidden)))
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&[u8],)> {
        Ok((py.get_type::<Self>().getattr("from_bytes")?, (&self.bytes,)))
    }

    fn __repr__(&self) -> String {
        format!("<droste.Aggregate, {} bytes>", self.bytes.len())
    }
}

/// Wraps a proof: returns a proof of the canonical shape that it was verified.
///
/// Args: proof: a proof of a program, in any hash; or an aggregate of another preset or arity.
/// program: the program that a proof must be of. Not for aggregates. public: elements that its
/// statement must begin with. preset: security level of the proofs that are made: `proven-100`,
/// `proven-120`, `proven-128`, or `toy`, which has no security. arity: largest number of proofs
/// that one join takes, 1 to 64. With the preset it fixes the canonical shape. limit: as for
/// `Proof.verify`. keys: for an aggregate, digests of sets of recursion keys that are known to be
/// good. cache: keep derived keys in the user's cache folder.
///
/// Raises:
///     VerifyError: The proof is rejected.
///     AggregateError: It cannot be wrapped.
#[pyfunction]
#[pyo3(signature = (
    proof, program=None, public=None, *, preset="proven-120", arity=2,
    limit=VerifyOptions::DEFAULT.limit, keys=vec![], cache=true
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn wrap(
    py: Python<'_>,
    proof: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = extract::optional_instance)] program: Option<&Bound<'_, Program>>,
    public: Option<&Bound<'_, PyAny>>,
    #[pyo3(from_py_with = extract::text)] preset: &str,
    #[pyo3(from_py_with = extract::integer)] arity: u16,
    #[pyo3(from_py_with = extract::integer)] limit: usize,
    #[pyo3(from_py_with = extract::texts)] keys: Vec<String>,
    #[pyo3(from_py_with = extract::flag)] cache: bool,
) -> PyResult<Aggregate> {
    let aggregator = aggregator(preset, arity)?;
    let public = public_inputs(public)?;
    if let Ok(aggregate) = proof.cast::<Aggregate>() {
        if program.is_some() {
            let message = "a program is for proofs of programs, but this is an aggregate";
            return Err(Error::usage(message).into());
        }
        let trust = Trust::new(py, &keys, cache)?;
        let aggregate = aggregate.get().clone();
        return compute(py, move || {
            let (accepted, evidence) = aggregate.accept(&trust)?;
            let canonical = aggregator.to_canonical_shape(accepted)?;
            Aggregate::made(&canonical, evidence)
        });
    }
    let Ok(proof) = proof.cast::<Proof>() else {
        return Err(expected(proof, "a Proof or an Aggregate"));
    };
    let Some(program) = program else {
        let message = "this is the proof of a program: name the program";
        return Err(Error::usage(message).into());
    };
    let bytes = Arc::clone(&proof.get().bytes);
    let compiled = Arc::clone(&program.get().compiled);
    let options = VerifyOptions::min_bits(0).with_limit(limit);
    compute(py, move || {
        let wrap = aggregator.wrap_bytes(&bytes, &*compiled, &public, options)?;
        Aggregate::made(&wrap, Evidence::Derived)
    })
}

/// Joins aggregates of the canonical shape into one aggregate of that shape. Their order is kept
/// and is part of the claim.
///
/// Args:
///     aggregates: the aggregates, made with this preset and arity.
///     preset: as for `wrap`.
///     arity: as for `wrap`.
///     keys: digests of sets of recursion keys that are known to be good. An aggregate that was
///         read and has another set is accepted only after its keys have been derived.
///     cache: keep derived keys in the user's cache folder.
///
/// Raises:
///     VerifyError: An aggregate is rejected.
///     AggregateError: They cannot be joined.
#[pyfunction]
#[pyo3(signature = (
    aggregates, *, preset="proven-120", arity=2, keys=vec![], cache=true
))]
pub fn join(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::instances)] aggregates: Vec<Bound<'_, Aggregate>>,
    #[pyo3(from_py_with = extract::text)] preset: &str,
    #[pyo3(from_py_with = extract::integer)] arity: u16,
    #[pyo3(from_py_with = extract::texts)] keys: Vec<String>,
    #[pyo3(from_py_with = extract::flag)] cache: bool,
) -> PyResult<Aggregate> {
    let aggregator = aggregator(preset, arity)?;
    let trust = Trust::new(py, &keys, cache)?;
    let aggregates: Vec<Aggregate> = aggregates.iter().map(|one| one.get().clone()).collect();
    compute(py, move || {
        let mut children = vec![];
        let mut weakest = Evidence::Derived;
        for (index, aggregate) in aggregates.iter().enumerate() {
            let accepted = aggregate.accept(&trust);
            let (accepted, evidence) =
                accepted.map_err(Error::about(format!("aggregate {index}")))?;
            children.push(accepted);
            weakest = weakest.max(evidence);
        }
        Aggregate::made(&aggregator.join(children)?, weakest)
    })
}

/// Makes the last proof of an aggregate, in Keccak and short, for verifiers without Poseidon-16.
///
/// Args:
///     aggregate: the aggregate, made with this preset and arity.
///     exit_preset: security level of the last proof.
///     preset: as for `wrap`.
///     arity: as for `wrap`.
///     keys: as for `join`.
///     cache: keep derived keys in the user's cache folder.
///
/// Returns:
///     The proof. Its `key` depends only on presets and arity, its `statement` on the aggregate.
///
/// Raises:
///     VerifyError: The aggregate is rejected.
///     AggregateError: It has another shape.
#[pyfunction]
#[pyo3(signature = (
    aggregate, *, exit_preset="proven-120", preset="proven-120", arity=2, keys=vec![], cache=true
))]
pub fn exit_proof(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::instance)] aggregate: &Bound<'_, Aggregate>,
    #[pyo3(from_py_with = extract::text)] exit_preset: &str,
    #[pyo3(from_py_with = extract::text)] preset: &str,
    #[pyo3(from_py_with = extract::integer)] arity: u16,
    #[pyo3(from_py_with = extract::texts)] keys: Vec<String>,
    #[pyo3(from_py_with = extract::flag)] cache: bool,
) -> PyResult<Proof> {
    let aggregator = aggregator(preset, arity)?;
    let settings = WhirSettings::of_exit(parse::<Preset>(exit_preset)?);
    let trust = Trust::new(py, &keys, cache)?;
    let aggregate = aggregate.get().clone();
    compute(py, move || {
        let (accepted, _) = aggregate.accept(&trust)?;
        let exit = aggregator.exit(&accepted, settings)?;
        Proof::decoded(whir::encode(&exit.proof)?)
    })
}

/// Makes the last proof of an aggregate joined with a proof of the Keccak-256 root of its leaves,
/// for contracts that open leaves.
///
/// Args:
///     aggregate, exit_preset, preset, arity, keys, cache: as for `exit_proof`.
///
/// Returns:
///     The proof, and a dictionary of the root, the leaves and all keys that a contract needs, as
///     `droste exit --leaf-root` writes it.
///
/// Raises:
///     VerifyError: The aggregate is rejected.
///     AggregateError: It has another shape, or too many leaves.
#[pyfunction]
#[pyo3(signature = (
    aggregate, *, exit_preset="proven-120", preset="proven-120", arity=2, keys=vec![], cache=true
))]
pub fn rooted_exit_proof(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::instance)] aggregate: &Bound<'_, Aggregate>,
    #[pyo3(from_py_with = extract::text)] exit_preset: &str,
    #[pyo3(from_py_with = extract::text)] preset: &str,
    #[pyo3(from_py_with = extract::integer)] arity: u16,
    #[pyo3(from_py_with = extract::texts)] keys: Vec<String>,
    #[pyo3(from_py_with = extract::flag)] cache: bool,
) -> PyResult<(Proof, Record<LeafRootSummary>)> {
    let aggregator = aggregator(preset, arity)?;
    let settings = WhirSettings::of_exit(parse::<Preset>(exit_preset)?);
    let trust = Trust::new(py, &keys, cache)?;
    let aggregate = aggregate.get().clone();
    compute(py, move || {
        let (accepted, _) = aggregate.accept(&trust)?;
        let Rooted { aggregate, leaves } = aggregator.leaf_root(accepted)?;
        let exit = aggregator.exit(&aggregate, settings)?;
        let summary = LeafRootSummary::new(&leaves, &exit);
        Ok((Proof::decoded(whir::encode(&exit.proof)?)?, Record(summary)))
    })
}

/// Derives recursion keys and the digest of their set, against which aggregates are verified.
///
/// Args:
///     sources: aggregates or proofs of programs. For an aggregate, the keys of all recursion
///         programs that it lists are derived; its proof is not verified. For the proof of a
///         program, the key of its wrap, if one wrap brings it to the canonical shape.
///     join: numbers of proofs: derives the key of the join of that many.
///     preset: as for `wrap`.
///     arity: as for `wrap`.
///     cache: keep derived keys in the user's cache folder.
///
/// Returns:
///     A dictionary of the set's digest and its keys, as `droste keys --format json` prints it.
#[pyfunction]
#[pyo3(signature = (
    sources=vec![], *, join=vec![], preset="proven-120", arity=2, cache=true
))]
pub fn keys(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::list)] sources: Vec<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = extract::integers)] join: Vec<u16>,
    #[pyo3(from_py_with = extract::text)] preset: &str,
    #[pyo3(from_py_with = extract::integer)] arity: u16,
    #[pyo3(from_py_with = extract::flag)] cache: bool,
) -> PyResult<Record<KeysSummary>> {
    let aggregator = aggregator(preset, arity)?;
    let trust = Trust::new(py, &[], cache)?;
    let sources = sources.iter().map(Source::new);
    let sources = sources.collect::<PyResult<Vec<Source>>>()?;
    if let Some(count) = join.iter().find(|count| !(1..=64).contains(*count)) {
        let message = format!("a join of {count} proofs, expected 1 to 64");
        return Err(Error::usage(message).into());
    }
    compute(py, move || {
        let start = Instant::now();
        let mut keys = KeySet::default();
        for source in sources {
            keys.extend(&source.keys(&aggregator, &trust)?);
        }
        let recipes = join.iter();
        let recipes = recipes.map(|&children| aggregator.join_recipe(children.into()));
        let recipes = recipes.collect::<Result<Vec<_>, _>>()?;
        keys.extend(&trust.deriver().keys(&recipes)?);
        let derive_ms = milliseconds(start.elapsed());
        Ok(Record(KeysSummary::new(&keys, derive_ms)))
    })
}

/// What keys are derived from.
enum Source {
    Aggregate(Aggregate),
    Proof(Arc<[u8]>),
}

impl Source {
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(aggregate) = object.cast::<Aggregate>() {
            return Ok(Self::Aggregate(aggregate.get().clone()));
        }
        match object.cast::<Proof>() {
            Ok(proof) => Ok(Self::Proof(Arc::clone(&proof.get().bytes))),
            Err(_) => Err(expected(object, "a Proof or an Aggregate")),
        }
    }

    fn keys(self, aggregator: &Aggregator, trust: &Trust) -> Result<KeySet, Error> {
        match self {
            Self::Aggregate(aggregate) => Ok(trust.deriver().derive(&aggregate.read()?.keys)?),
            Self::Proof(bytes) => {
                let recipe = aggregator.wrap_recipe_of_bytes(&bytes)?;
                Ok(trust.deriver().keys([&recipe])?)
            }
        }
    }
}
