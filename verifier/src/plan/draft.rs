//! A plan for one arity: what its leaves and joins take, and its tasks.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use droste_native::stark::security::Preset;
use droste_vm::key::KeyDigest;

use super::{Estimate, Input, Kind, Leaf, Name, Plan, PlanError, Source, Task};
use crate::aggregate::{AggregateError, Aggregator, StepOutlook};
use crate::circuit::{ChildShape, Children, CircuitCache, CircuitError};
use crate::claim::{MAX_DEPTH, MAX_NODES};
use crate::file::MAX_KEYS;
use crate::keys::{Deriver, RecipeError};

/// A plan for one arity, before its tasks are listed.
pub(super) struct Draft<'a> {
    leaves: &'a [Leaf],
    preset: Preset,
    arity: usize,
    aggregator: Aggregator,
    /// The steps that bring leaves of each shape to the canonical one. There are none for
    /// aggregates that have it.
    steps: HashMap<(&'a ChildShape, bool), Vec<StepOutlook>>,
}

/// Numbers of children of the joins of each level over `leaves` leaves, the lowest level first. A
/// group of one is carried to the next level without a join.
pub(super) fn levels(leaves: usize, arity: usize) -> Vec<Vec<usize>> {
    let (mut width, arity) = (leaves, arity.max(2));
    let mut levels = vec![];
    while width > 1 {
        let mut groups = vec![arity; width / arity];
        groups.extend(Some(width % arity).filter(|&rest| rest > 0));
        width = groups.len();
        levels.push(groups);
    }
    levels
}

impl<'a> Draft<'a> {
    /// Finds what each leaf takes at this arity. Circuits that are compiled for it are kept in
    /// `circuits`.
    pub(super) fn new(
        leaves: &'a [Leaf],
        preset: Preset,
        arity: usize,
        circuits: &Arc<CircuitCache>,
    ) -> Result<Self, PlanError> {
        let aggregator = Aggregator::for_preset(preset, arity);
        let aggregator = aggregator.with_circuits(Arc::clone(circuits));
        let smallest = aggregator.join_recipe(1).map_err(CircuitError::from);
        // Nobody could derive the keys of a shape as large as some arities need.
        let checked = smallest.map_err(AggregateError::from)?.check();
        checked.map_err(|error| PlanError::Key(Box::new(error)))?;
        let mut steps: HashMap<(&ChildShape, bool), Vec<StepOutlook>> = HashMap::new();
        for (index, leaf) in leaves.iter().enumerate() {
            let done = leaf.is_aggregate && aggregator.has_canonical_shape(&leaf.figures.shape);
            if !done && !steps.contains_key(&leaf.class()) {
                let outlook = aggregator.wrap_outlook(&leaf.figures);
                let outlook = outlook.map_err(|source| PlanError::Leaf {
                    leaf: index,
                    source: Box::new(source),
                })?;
                steps.insert(leaf.class(), outlook);
            }
        }
        Ok(Self {
            leaves,
            preset,
            arity,
            aggregator,
            steps,
        })
    }

    fn steps(&self, leaf: &'a Leaf) -> &[StepOutlook] {
        self.steps.get(&leaf.class()).map_or(&[], Vec::as_slice)
    }

    /// Estimated cost of all tasks.
    pub(super) fn fft_cost(&self) -> Result<u64, PlanError> {
        let leaves = self.leaves.iter().flat_map(|leaf| self.steps(leaf));
        let leaves: u64 = leaves.map(|step| step.fft_cost).sum();
        let joins = levels(self.leaves.len(), self.arity);
        let joins = joins.iter().flatten().filter(|&&children| children > 1);
        // Every join has the canonical shape.
        let join = self.aggregator.join_outlook(self.arity)?.fft_cost;
        Ok(leaves + join * joins.count() as u64)
    }

    /// Lists the tasks. Keys of recursion programs are derived by `deriver`.
    pub(super) fn plan(&self, deriver: &Deriver) -> Result<Plan, PlanError> {
        let mut list = TaskList {
            preset: self.preset,
            aggregator: &self.aggregator,
            deriver,
            tasks: vec![],
            indices: HashMap::new(),
            keys: HashMap::new(),
            in_tree: BTreeSet::new(),
        };
        for leaf in self.leaves {
            list.in_tree.extend(&leaf.keys);
        }
        // The results of a level, each with the range of leaves below it.
        let mut level = vec![];
        for (index, leaf) in self.leaves.iter().enumerate() {
            let result = list.leaf(index, leaf, self.steps(leaf));
            let result = result.map_err(|error| match error {
                PlanError::Key(source) => PlanError::Leaf {
                    leaf: index,
                    source: Box::new(AggregateError::Recipe(source)),
                },
                other => other,
            })?;
            level.push((result, index..index + 1));
        }
        let mut outlooks: HashMap<usize, StepOutlook> = HashMap::new();
        for groups in levels(self.leaves.len(), self.arity) {
            let mut results = level.into_iter();
            let mut next = vec![];
            for children in groups {
                let group: Vec<(Input, Range<usize>)> = results.by_ref().take(children).collect();
                let [(_, range), .., (_, last)] = group.as_slice() else {
                    next.extend(group);
                    continue;
                };
                let range = range.start..last.end;
                let outlook = match outlooks.entry(children) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(self.aggregator.join_outlook(children)?),
                };
                let below = self.leaves.get(range.clone()).unwrap_or_default();
                let says = Name::of_leaves(below.iter().flat_map(|leaf| &leaf.says));
                let inputs = group.iter().map(|(input, _)| *input).collect();
                next.push((list.add(Kind::Join, inputs, says, &[outlook])?, range));
            }
            level = next;
        }
        let root = level.first().map(|(root, _)| *root);
        Ok(Plan {
            preset: self.preset,
            arity: self.arity,
            leaves: self.leaves.iter().map(|leaf| leaf.name).collect(),
            tasks: list.tasks,
            root: root.ok_or(PlanError::Leaves(0))?,
        })
    }

    /// Refuses plans whose result could not be written to a file.
    pub(super) fn check_claim_tree(&self) -> Result<(), PlanError> {
        let leaves = self.leaves.iter();
        let below = leaves.map(|leaf| leaf.nodes.saturating_add(self.steps(leaf).len()));
        let levels = levels(self.leaves.len(), self.arity);
        let joins = levels.iter().flatten().filter(|&&children| children > 1);
        let nodes = below.fold(joins.count(), usize::saturating_add);

        let leaves = self.leaves.iter();
        let depths = leaves.map(|leaf| leaf.depth.saturating_add(self.steps(leaf).len()));
        let mut depths: Vec<usize> = depths.collect();
        for groups in levels {
            let mut results = depths.into_iter();
            let join = |children: usize| {
                let deepest = results.by_ref().take(children).max().unwrap_or_default();
                deepest.saturating_add(usize::from(children > 1))
            };
            depths = groups.into_iter().map(join).collect();
        }
        let depth = depths.into_iter().max().unwrap_or_default();
        if nodes <= MAX_NODES && depth <= MAX_DEPTH {
            Ok(())
        } else {
            Err(PlanError::ClaimTree { nodes, depth })
        }
    }
}

/// The tasks of a plan that is being made.
struct TaskList<'a> {
    preset: Preset,
    aggregator: &'a Aggregator,
    deriver: &'a Deriver,
    tasks: Vec<Task>,
    /// Index of each task: the same work on the same inputs is done once.
    indices: HashMap<Name, usize>,
    /// Keys of recursion programs, by the proofs that they verify and the kind of task.
    keys: HashMap<(ChildShape, usize, bool), KeyDigest>,
    /// The recursion keys that the root's claim tree will have, as far as they are known: not those
    /// of steps whose shapes are estimates.
    in_tree: BTreeSet<KeyDigest>,
}

impl TaskList<'_> {
    /// Adds the tasks that bring a leaf to the canonical shape. Returns their result.
    fn leaf(
        &mut self,
        index: usize,
        leaf: &Leaf,
        steps: &[StepOutlook],
    ) -> Result<Input, PlanError> {
        let says = Name::of_leaves(&leaf.says);
        let input = Input {
            source: Source::Leaf(index),
            name: leaf.name,
            leaves: says,
            bits: leaf.bits,
        };
        let steps: Vec<&StepOutlook> = steps.iter().collect();
        match (leaf.is_aggregate, steps.as_slice()) {
            (_, []) => Ok(input),
            (true, steps) => self.add(Kind::ToCanonical, vec![input], says, steps),
            (false, [only]) => self.add(Kind::Wrap, vec![input], says, &[*only]),
            (false, [first, others @ ..]) => {
                let first = self.add(Kind::FirstStep, vec![input], says, &[*first])?;
                self.add(Kind::ToCanonical, vec![first], says, others)
            }
        }
    }

    /// Adds a task of these steps. Returns its result.
    fn add(
        &mut self,
        kind: Kind,
        inputs: Vec<Input>,
        leaves: Name,
        steps: &[&StepOutlook],
    ) -> Result<Input, PlanError> {
        let Some(first) = steps.first() else {
            return Err(PlanError::Name);
        };
        let key = self.key(kind, first)?;
        let names: Vec<&[u8; 32]> = inputs.iter().map(|input| input.name.as_bytes()).collect();
        let kind_number = match kind {
            Kind::Wrap => 0_u8,
            Kind::FirstStep => 1,
            Kind::ToCanonical => 2,
            Kind::Join => 3,
        };
        let content = (kind_number, key.0, self.aggregator.shapes(), names);
        let name = Name::of_task(&content).ok_or(PlanError::Name)?;
        let below = inputs.iter().map(|input| input.bits);
        let bits = below.fold(self.preset.target_bits(), usize::min);
        let index = *self.indices.entry(name).or_insert(self.tasks.len());
        let result = Input {
            source: Source::Task(index),
            name,
            leaves,
            bits,
        };
        if index < self.tasks.len() {
            return Ok(result);
        }
        self.tasks.push(Task {
            name,
            kind,
            hash: first.hash,
            inputs,
            leaves,
            bits,
            estimate: Estimate {
                cycles: steps.iter().map(|step| step.cycles).sum(),
                fft_cost: steps.iter().map(|step| step.fft_cost).sum(),
                memory: steps.iter().map(|step| step.memory).max().unwrap_or(0),
                exact: kind == Kind::Join || steps.iter().all(|step| step.exact),
            },
        });
        Ok(result)
    }

    /// The key of the recursion program that a task runs first.
    fn key(&mut self, kind: Kind, first: &StepOutlook) -> Result<KeyDigest, PlanError> {
        let mut recipe = first.recipe.clone();
        if kind == Kind::ToCanonical {
            // The shape of the proof is an estimate, which a name must not depend on. The key at
            // any other shape names the program as well.
            recipe = self.aggregator.at_minimal_heights(recipe);
        }
        let (shape, count) = match &recipe.children {
            Children::Programs { shape, count } => (shape, *count),
            Children::Opened { .. } => return Err(PlanError::Openings),
            _ => return Err(PlanError::Key(Box::new(RecipeError::UnknownAirs))),
        };
        let program = (shape.clone(), count, kind == Kind::ToCanonical);
        if let Some(key) = self.keys.get(&program) {
            return Ok(*key);
        }
        let derived = self.deriver.key_from(&recipe, self.aggregator.circuits());
        let (key, _) = derived.map_err(|error| PlanError::Key(Box::new(error)))?;
        self.keys.insert(program, key);
        if kind != Kind::ToCanonical {
            self.in_tree.insert(key);
        }
        // Checked before further keys are derived.
        match self.in_tree.len() {
            found if found > MAX_KEYS => Err(PlanError::Keys(found)),
            _ => Ok(key),
        }
    }
}
