//! What a fold is made from: as Python gives it, and as pickling writes it.

use std::path::Path;
use std::sync::Arc;

use droste_native::stark::security::Preset;
use droste_verifier::aggregate::{Aggregate as Wrap, Aggregator};
use droste_verifier::claim::AcceptedLeaves;
use droste_verifier::file;
use droste_verifier::fold::{
    FamilyRecipe, Fold as Rules, FoldBuilder, ForeignFold, LeafKind, LeafProgram, Options, Room,
    Source,
};
use droste_verifier::keys::Deriver;
use droste_vm::compiler::{Compiled, compile_file};
use droste_vm::key::KeyDigest;
use droste_vm::verifier::VerifyOptions;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde::{Deserialize, Serialize};

use super::{Fold, Folded};
use crate::aggregate::Aggregate;
use crate::arguments::parse;
use crate::error::Error;
use crate::extract::{self, expected};
use crate::program::Program;
use crate::proof::Proof;
use crate::trust::{deriver, digest};

/// What Python gives for a fold.
pub struct Given {
    pub source: Source,
    pub leaves: Vec<Leaf>,
    pub others: Vec<Other>,
    pub shape: Shape,
    pub deriver: Arc<Deriver>,
    /// Whether the deriver uses the user's cache.
    pub cache: bool,
}

/// What decides the shape of a fold's proofs.
pub enum Shape {
    Room { preset: Preset, room: Room },
    Recipe(Box<FamilyRecipe>),
}

/// A program whose proofs are leaves.
pub struct Leaf {
    program: Text,
    compiled: Arc<Compiled>,
    /// Files of its proofs and of their wraps.
    samples: Vec<Arc<[u8]>>,
}

/// Another fold: a `Fold`, or one whose key is believed.
pub struct Other {
    fold: ForeignFold,
    recipe: FamilyRecipe,
    /// The file of one of its proofs, or of the wrap of one.
    sample: Option<Arc<[u8]>>,
}

/// What a fold is derived from again, beside its rules and its recipe.
pub struct Parts {
    programs: Vec<Text>,
    others: Vec<OtherTexts>,
    cache: bool,
}

/// A fold as pickling writes it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pickled {
    rules: Text,
    programs: Vec<Text>,
    others: Vec<OtherTexts>,
    recipe: FamilyRecipe,
    pub cache: bool,
}

/// A file of rules, or of a program.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    name: String,
    text: String,
}

/// Another fold as pickling writes it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OtherTexts {
    sources: Vec<Text>,
    recipe: FamilyRecipe,
    key: String,
}

/// The name of a file without folder and ending.
pub fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// The file of the proof of a program, or of a wrap of one.
pub fn leaf_bytes(object: &Bound<'_, PyAny>) -> PyResult<Arc<[u8]>> {
    if let Ok(proof) = object.cast::<Proof>() {
        return Ok(Arc::clone(&proof.get().bytes));
    }
    match object.cast::<Aggregate>() {
        Ok(aggregate) => Ok(Arc::clone(&aggregate.get().bytes)),
        Err(_) => Err(expected(object, "a Proof or an Aggregate")),
    }
}

/// The parts of a tuple, or the object if it is none.
fn parts<'py>(object: &Bound<'py, PyAny>) -> Vec<Bound<'py, PyAny>> {
    match object.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => vec![object.clone()],
    }
}

impl Leaf {
    /// A program, or a tuple of it and samples of its proofs.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str = "a Program, or a tuple of a Program and samples of its proofs";
        let parts = parts(object);
        let Some((program, samples)) = parts.split_first() else {
            return Err(expected(object, EXPECTED));
        };
        let Ok(program) = program.cast::<Program>() else {
            return Err(expected(object, EXPECTED));
        };
        let program = program.get();
        Ok(Self {
            program: Text {
                name: program.name.clone(),
                text: program.text.clone(),
            },
            compiled: Arc::clone(&program.compiled),
            samples: samples.iter().map(leaf_bytes).collect::<PyResult<_>>()?,
        })
    }

    fn program(&self) -> LeafProgram<'_> {
        LeafProgram::Program(&self.compiled.program)
    }

    /// The leaf kind with the paths of its samples.
    fn kind(&self, aggregator: &Aggregator, deriver: &Deriver) -> Result<LeafKind, Error> {
        let (name, of) = (&self.program.name, self.program());
        let mut kind: Option<LeafKind> = None;
        for sample in &self.samples {
            let wrap = self.wrap(sample, aggregator, deriver)?;
            kind = Some(match kind {
                None => LeafKind::new(&stem(name), of, &wrap)?,
                Some(kind) => kind.with_path(of, &wrap)?,
            });
        }
        kind.ok_or_else(|| {
            let message = format!("there is no sample of {name}: give a proof of it, or a recipe");
            Error::usage(message)
        })
    }

    fn wrap(
        &self,
        sample: &[u8],
        aggregator: &Aggregator,
        deriver: &Deriver,
    ) -> Result<Wrap, Error> {
        if file::is_aggregate(sample) {
            return derived(sample, deriver);
        }
        // Whatever its bits: what is made of it has no more.
        let options = VerifyOptions::min_bits(0);
        Ok(aggregator.wrap_bytes(sample, &*self.compiled, &[], options)?)
    }
}

/// The aggregate in a file, under derived keys.
fn derived(bytes: &[u8], deriver: &Deriver) -> Result<Wrap, Error> {
    Ok(file::decode(bytes)?.derive(deriver, &AcceptedLeaves::Any)?)
}

impl Other {
    /// A fold, or a tuple of its rules, its recipe and its key; both may be followed by a sample of
    /// its proofs.
    pub fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        const EXPECTED: &str =
            "a Fold or (rules, recipe, key), both of which may be followed by a sample";
        let mut parts = parts(object);
        let sample = parts.last().and_then(|last| {
            let fold = last.cast::<Folded>().ok();
            let fold = fold.map(|fold| Arc::clone(&fold.get().bytes));
            fold.or_else(|| leaf_bytes(last).ok())
        });
        if sample.is_some() {
            parts.pop();
        }
        match parts.as_slice() {
            [fold] => {
                let Ok(fold) = fold.cast::<Fold>() else {
                    return Err(expected(object, EXPECTED));
                };
                let rules = &fold.get().rules;
                Ok(Self {
                    fold: ForeignFold::of(rules),
                    recipe: rules.recipe().clone(),
                    sample,
                })
            }
            [rules, recipe, key] => {
                let source = Source::from_file(&extract::path(rules)?);
                let sources = vec![source.map_err(Error::from)?];
                let recipe = extract::record(recipe, "the recipe of another fold")?;
                let key = digest(extract::text(key)?)?;
                Ok(Self::pinned(sources, recipe, key, sample)?)
            }
            _ => Err(expected(object, EXPECTED)),
        }
    }

    /// A fold of these rules whose key is believed.
    fn pinned(
        sources: Vec<Source>,
        recipe: FamilyRecipe,
        key: KeyDigest,
        sample: Option<Arc<[u8]>>,
    ) -> Result<Self, Error> {
        Ok(Self {
            fold: ForeignFold::pinned(sources, &recipe, key)?,
            recipe,
            sample,
        })
    }

    /// The fold behind the wraps of its sample, if it has one.
    fn behind(&self, aggregator: &Aggregator, deriver: &Deriver) -> Result<ForeignFold, Error> {
        let fold = self.fold.clone();
        let Some(sample) = &self.sample else {
            return Ok(fold);
        };
        let wrap = if file::fold::is_fold(sample) {
            let node = file::fold::decode(sample)?;
            let node = node.verify(fold.key(), &Options::min_bits(0))?;
            aggregator.wrap_fold(node)?
        } else {
            derived(sample, deriver)?
        };
        Ok(fold.behind(&wrap)?)
    }
}

impl Shape {
    /// Room at a security level, or a recipe.
    pub fn new(
        preset: Option<&str>,
        room: Option<&Bound<'_, PyAny>>,
        recipe: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let Some(recipe) = recipe else {
            let room = room.map(|rows| extract::record(rows, "room"));
            return Ok(Self::Room {
                preset: preset.map_or(Ok(Preset::default()), parse)?,
                room: room.transpose()?.map_or(Room::Joins, Room::Least),
            });
        };
        if preset.is_some() || room.is_some() {
            let message = "a recipe states the shape of the proofs: give no preset and no room";
            return Err(Error::usage(message).into());
        }
        Ok(Self::Recipe(extract::record(recipe, "recipe")?))
    }
}

impl Given {
    /// What a fold of these rules is derived from. `leaves` and `others` are as `Fold.from_file`
    /// takes them.
    pub fn new(
        py: Python<'_>,
        source: Source,
        leaves: &[Bound<'_, PyAny>],
        others: &[Bound<'_, PyAny>],
        shape: Shape,
        cache: bool,
    ) -> PyResult<Self> {
        Ok(Self {
            source,
            leaves: leaves.iter().map(Leaf::new).collect::<PyResult<_>>()?,
            others: others.iter().map(Other::new).collect::<PyResult<_>>()?,
            shape,
            deriver: Arc::clone(deriver(py, cache)?),
            cache,
        })
    }

    /// Derives the fold.
    pub fn build(&self) -> Result<Rules, Error> {
        match &self.shape {
            Shape::Recipe(recipe) => self.of_recipe(recipe),
            Shape::Room { preset, room } => self.of_samples(*preset, room),
        }
    }

    fn of_recipe(&self, recipe: &FamilyRecipe) -> Result<Rules, Error> {
        let mut leaves = self.leaves.iter();
        let mut others = self.others.iter();
        let is_sampled = leaves.any(|leaf| !leaf.samples.is_empty())
            || others.any(|other| other.sample.is_some());
        if is_sampled {
            let message = "a recipe has the keys of all wraps: give programs without samples";
            return Err(Error::usage(message));
        }
        let programs: Vec<LeafProgram<'_>> = self.leaves.iter().map(Leaf::program).collect();
        let others = self.others.iter().map(|other| other.fold.clone()).collect();
        // Names are those of the programs, whatever the recipe calls them.
        let mut recipe = recipe.clone();
        for (stated, leaf) in recipe.leaves.iter_mut().zip(&self.leaves) {
            stated.name = stem(&leaf.program.name);
        }
        let (source, deriver) = (self.source.clone(), Arc::clone(&self.deriver));
        let rules = Rules::from_recipe(source, &programs, others, recipe, deriver);
        Ok(rules?)
    }

    fn of_samples(&self, preset: Preset, room: &Room) -> Result<Rules, Error> {
        let begin = |others: Vec<ForeignFold>| {
            let builder = Rules::of(self.source.clone(), preset)
                .with_room(room.clone())
                .with_deriver(Arc::clone(&self.deriver));
            others.into_iter().fold(builder, FoldBuilder::with_fold)
        };
        let others = self.others.iter().map(|other| other.fold.clone());
        let mut builder = begin(others.collect());
        let aggregator = builder.aggregator()?;
        if self.others.iter().any(|other| other.sample.is_some()) {
            let others = self.others.iter();
            let others = others.map(|other| other.behind(&aggregator, &self.deriver));
            builder = begin(others.collect::<Result<_, Error>>()?);
        }
        for (number, leaf) in self.leaves.iter().enumerate() {
            let kind = leaf.kind(&aggregator, &self.deriver);
            builder = builder.with_leaf(kind.map_err(Error::about(format!("leaf {number}")))?);
        }
        Ok(builder.build()?)
    }

    /// What is kept of it once the fold is derived.
    pub fn into_parts(self) -> Parts {
        let others = self.others.iter().map(|other| OtherTexts {
            sources: other.fold.sources().iter().map(Text::from).collect(),
            recipe: other.recipe.clone(),
            key: other.fold.key().to_string(),
        });
        Parts {
            others: others.collect(),
            programs: self.leaves.into_iter().map(|leaf| leaf.program).collect(),
            cache: self.cache,
        }
    }
}

impl From<&Source> for Text {
    fn from(source: &Source) -> Self {
        Self {
            name: source.stem().to_owned(),
            text: source.text().to_owned(),
        }
    }
}

impl Parts {
    /// Those of a fold of one accepted program.
    pub fn of_program(name: &str, text: String, cache: bool) -> Self {
        let name = name.to_owned();
        Self {
            programs: vec![Text { name, text }],
            others: vec![],
            cache,
        }
    }

    /// The fold as text.
    pub fn pickled(&self, rules: &Rules) -> Result<String, Error> {
        let mut sources = rules.sources();
        let own = sources.next().map(Text::from);
        let pickled = Pickled {
            rules: own.ok_or_else(|| Error::usage("the fold has no rules"))?,
            programs: self.programs.clone(),
            others: self.others.clone(),
            recipe: rules.recipe().clone(),
            cache: self.cache,
        };
        let text = serde_json::to_string(&pickled);
        text.map_err(|error| Error::usage(format!("the fold: {error}")))
    }
}

impl Pickled {
    /// Reads what [`Parts::pickled`] wrote.
    pub fn read(text: &str) -> Result<Self, Error> {
        let pickled = serde_json::from_str(text);
        pickled.map_err(|error| Error::usage(format!("this is no pickled fold: {error}")))
    }

    /// What the fold is derived from again.
    pub fn given(self, deriver: Arc<Deriver>) -> Result<Given, Error> {
        let leaves = self.programs.into_iter().map(|program| {
            let compiled = compile_file(&program.name, &program.text, droste_gadgets::SOURCES)?;
            Ok(Leaf {
                program,
                compiled: Arc::new(compiled),
                samples: vec![],
            })
        });
        let others = self.others.into_iter().map(|other| {
            let sources = other.sources.into_iter().map(Text::into_source);
            let sources = sources.collect::<Result<_, Error>>()?;
            Other::pinned(sources, other.recipe, digest(&other.key)?, None)
        });
        Ok(Given {
            source: self.rules.into_source()?,
            leaves: leaves.collect::<Result<_, Error>>()?,
            others: others.collect::<Result<_, Error>>()?,
            shape: Shape::Recipe(Box::new(self.recipe)),
            deriver,
            cache: self.cache,
        })
    }
}

impl Text {
    fn into_source(self) -> Result<Source, Error> {
        Ok(Source::new(&self.name, self.text)?)
    }
}
