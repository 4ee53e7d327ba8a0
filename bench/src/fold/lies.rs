//! `droste fold test` of the four examples: lies to each of their rules.

use std::collections::BTreeSet;

use droste_gadgets::xmss::CLAIM_TAG;
use droste_native::F;
use droste_native::hash::commitment::commitment;
use droste_native::hash::poseidon16::Poseidon16;
use droste_native::stark::security::Preset;
use droste_verifier::fold::audit::{Case, audit};
use droste_verifier::fold::{Fold, Paper, PaperChild};
use p3_field::PrimeCharacteristicRing;
use serde_json::{Value, json};

use super::signers::{said, set};
use super::{Arguments, Lanes, Result, example, numbers, tape};

/// An example's rules, and what they are told.
struct Example {
    paper: Paper,
    cases: Vec<Case>,
}

impl Example {
    fn of(name: &str) -> Result<Self> {
        // Rules on paper depend on no preset.
        let paper = Fold::of(example(name)?, Preset::Toy).paper()?;
        Ok(Self {
            paper,
            cases: vec![],
        })
    }

    /// Adds a case of a rule, and returns a node that says what the rule does. The hints of a rule
    /// without children are inputs.
    fn add(
        &mut self,
        rule: &str,
        children: &[&PaperChild],
        hints: &[&[Lanes]],
    ) -> Result<PaperChild> {
        let is_start = children.is_empty();
        let children: Vec<PaperChild> = children.iter().copied().cloned().collect();
        let inputs = if is_start {
            (0..hints.len()).collect()
        } else {
            BTreeSet::new()
        };
        let hints = tape(hints);
        let run = self.paper.run(rule, &children, &hints)?;
        self.cases.push(Case {
            rule: rule.to_owned(),
            children,
            hints,
            inputs,
            fails: None,
        });
        Ok(run.into_child())
    }
}

/// Tells every rule lies, and counts what came of them.
pub fn measure(arguments: &Arguments) -> Result<Value> {
    let (mut rules, mut lies, mut refused) = (0, 0, 0);
    let (mut inputs, mut no_effect, mut free) = (0, 0, 0);
    for example in [rollup()?, repeated()?, reduced()?, united()?] {
        let told: BTreeSet<&str> = example
            .cases
            .iter()
            .map(|case| case.rule.as_str())
            .collect();
        if let Some(rule) = example.paper.names().find(|rule| !told.contains(rule)) {
            return Err(format!("there is no case of the rule `{rule}`").into());
        }
        rules += told.len();
        for case in &example.cases {
            let found = audit(&example.paper, case, arguments.lies)?;
            lies += found.lies;
            refused += found.refused;
            inputs += found.inputs.len();
            no_effect += found.no_effect.len();
            free += found.free.len() + found.together.len() + found.glue.len();
            if let Some(reason) = found.encoding {
                return Err(format!("the state of `{}`: {reason}", case.rule).into());
            }
        }
    }
    Ok(json!({
        "what": "lies",
        "rules": rules,
        "lies": lies,
        "refused": refused,
        "inputs": inputs,
        "no_effect": no_effect,
        "free": free,
    }))
}

fn leaf(statement: Lanes) -> PaperChild {
    PaperChild::Leaf { statement }
}

/// Blocks of a rollup.
fn rollup() -> Result<Example> {
    let mut of = Example::of("chain")?;
    let roots = [1, 2, 3].map(|root| [F::from_u32(root); 8]);
    let (first, second) = (&roots[..2], &roots[1..]);
    let [a, b] = [first, second].map(|roots| leaf(commitment(roots.as_flattened())));
    let left = of.add("block", &[&a], &[first])?;
    let right = of.add("block", &[&b], &[second])?;
    of.add("merge", &[&left, &right], &[])?;
    of.add("pair", &[&a, &b], &[first, second])?;
    of.add("append", &[&left, &b], &[second])?;
    Ok(of)
}

/// A function that is applied again and again.
fn repeated() -> Result<Example> {
    let mut of = Example::of("repeat")?;
    let start = of.add("start", &[], &[&[[F::TWO; 8]]])?;
    of.add("step", &[&start], &[])?;
    Ok(of)
}

/// A sorted list.
fn reduced() -> Result<Example> {
    let mut of = Example::of("reduce")?;
    let [a, b] = [[4, 70], [5, 90]].map(|item| leaf(numbers(item)));
    let left = of.add("item", &[&a], &[])?;
    let right = of.add("item", &[&b], &[])?;
    of.add("merge", &[&left, &right], &[])?;
    of.add("pair", &[&a, &b], &[])?;
    Ok(of)
}

/// Signers, united.
fn united() -> Result<Example> {
    let mut of = Example::of("signers")?;
    let (on_left, on_right) = (
        |key: usize| !key.is_multiple_of(3),
        |key: usize| !key.is_multiple_of(5),
    );
    let (left, right) = (said(on_left), said(on_right));
    let [a, b] = [left, right].map(|said| {
        let statement = Poseidon16.hash(F::from_usize(CLAIM_TAG), said.as_flattened());
        leaf(statement)
    });
    let sets = [
        set(on_left),
        set(on_right),
        set(|key| on_left(key) && on_right(key)),
    ];
    let [p, q, common] = sets.each_ref().map(|set| &set[..]);
    let first = of.add("batch", &[&a], &[&left])?;
    let second = of.add("batch", &[&b], &[&right])?;
    of.add("unite", &[&first, &second], &[p, q, common])?;
    of.add("pair", &[&a, &b], &[&left, &right, p, q, common])?;
    of.add("add", &[&first, &b], &[&right, p, q, common])?;
    Ok(of)
}
