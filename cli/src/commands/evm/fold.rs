//! The contract that keeps a root, which proofs of a fold advance.

use clap::Args;
use droste_evm::assembler::Code;
use droste_evm::contract::ContractError;
use droste_evm::contract::deploy::{Address, DEPLOYER, located, statement_bytes};
use droste_evm::registry::{Advance, StateRoot};
use droste_native::F;
use droste_verifier::aggregate::AggregateOptions;
use droste_verifier::claim::claim_digest;
use droste_verifier::fold::{Family, FamilyRecipe, FoldClaim, FoldError, RECIPE_VERSION, RuleInfo};
use droste_verifier::summary::Evidence;
use droste_vm::key::KeyDigest;
use serde::Serialize;

use super::hex;
use crate::error::CommandError;
use crate::folds::{bits_with_last, read_claim};
use crate::output::{row, visible};
use crate::paths::Input;
use crate::program::read_json;
use crate::progress::warn;

/// Largest counters that a contract accepts unless an option says otherwise.
const MAX_COUNT: u32 = 1 << 18;

/// Options that describe a contract that keeps a root.
#[derive(Debug, Args)]
pub struct RootOptions {
    /// The recipe of a fold, which `droste fold key -o` wrote. Also makes a contract that keeps a
    /// root, which last proofs of the fold advance: one block of the state is the root before,
    /// another one the root after.
    #[arg(long, value_name = "RECIPE", requires_all = ["old", "new"], conflicts_with = "leaf_root")]
    fold: Option<Input>,
    /// Fold key that the recipe must have, as `droste fold key` prints it.
    #[arg(long, value_name = "DIGEST", requires = "fold")]
    fold_key: Option<KeyDigest>,
    /// What the fold says whose last proof this is, as `droste fold inspect --claim` writes it.
    /// Also makes the call that advances the root.
    #[arg(long, value_name = "FILE", requires = "fold")]
    fold_claim: Option<Input>,
    /// Number of the block that is the root before, from 0.
    #[arg(long, value_name = "BLOCK", requires = "fold")]
    old: Option<usize>,
    /// Number of the block that is the root after.
    #[arg(long, value_name = "BLOCK", requires = "fold")]
    new: Option<usize>,
    /// Root that the contract begins with. By default it is the root before of --fold-claim.
    #[arg(long, value_name = "DIGEST", requires = "fold")]
    first: Option<KeyDigest>,
    /// Most proofs of rules and last wraps that the contract accepts in one fold, by default 2^18.
    #[arg(long, value_name = "NUMBER", requires = "fold")]
    max_rules: Option<u32>,
    /// Most proofs behind these, by default 2^18.
    #[arg(long, value_name = "NUMBER", requires = "fold")]
    max_behind: Option<u32>,
}

/// A contract that keeps a root, and the call that advances it.
pub struct KeptRoot {
    constants: StateRoot,
    contract: (Address, Code),
    /// Who says that the fold key is good.
    evidence: Evidence,
    /// The rules, by the names of the recipe.
    rules: Vec<RuleInfo>,
    advance: Option<Advance>,
}

/// What is printed of such a contract.
#[derive(Debug, Serialize)]
pub struct RootRows {
    fold_key: String,
    fold_key_is: Evidence,
    /// The rules whose proofs advance the root. What they are called and take is the recipe's.
    rules: Vec<RuleInfo>,
    first: String,
    max_rules: u32,
    max_behind: u32,
    /// Proven bits of all proofs of a fold with these counters, and of a last proof: those of one
    /// advance.
    bits_of_largest: usize,
}

impl RootRows {
    /// Rows of a table.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let trust = match self.fold_key_is {
            Evidence::Claimed => {
                "the fold key is the recipe's: compare it with that of `droste fold key` \
                 (--fold-key)"
            }
            Evidence::Pinned | Evidence::Derived => "the fold key is pinned by --fold-key",
        };
        // The bits of the proofs below are those of the recipe.
        let doubt = match self.fold_key_is {
            Evidence::Claimed => ", as the recipe claims",
            Evidence::Pinned | Evidence::Derived => "",
        };
        let rules = format!("{}, as the recipe names them", names(&self.rules));
        let Self {
            max_rules,
            max_behind,
            bits_of_largest: bits,
            ..
        } = self;
        let counters = format!("{max_rules} proofs of rules and last wraps, {max_behind} behind");
        let bits = format!("{bits} of one advance, log2 N fewer of N{doubt}");
        vec![
            row("fold key", &self.fold_key),
            row("its trust", trust),
            row("its rules", rules),
            row("first root", &self.first),
            row("largest fold", counters),
            row("bits of such a fold", bits),
        ]
    }
}

impl RootOptions {
    /// The files that are read.
    pub fn reads(&self) -> impl Iterator<Item = &Input> {
        [&self.fold, &self.fold_claim].into_iter().flatten()
    }

    /// The contract, if one is asked for, for last proofs of so many bits that this verifier
    /// accepts, and the call with a proof of this statement. The proofs must have `min_bits`.
    pub fn make(
        &self,
        verifier: Address,
        statement: &[F; 8],
        bits: usize,
        min_bits: usize,
    ) -> Result<Option<KeptRoot>, CommandError> {
        let (Some(path), Some(old), Some(new)) = (&self.fold, self.old, self.new) else {
            return Ok(None);
        };
        let about = || CommandError::about(path.display());
        let recipe: FamilyRecipe = read_json(path)?;
        let (blocks, rules) = (recipe.blocks, recipe.rules.clone());
        if let Some(block) = [old, new].into_iter().find(|&block| block >= blocks) {
            let message = format!("the state has {blocks} blocks, from 0 on: {block} is none");
            return Err(CommandError::usage(message));
        }
        let family = self.family(recipe).map_err(about())?;
        let max_rules = self.max_rules.unwrap_or(MAX_COUNT);
        let max_behind = self.max_behind.unwrap_or(MAX_COUNT);
        let bits = bits_of(&family, [max_rules, max_behind], bits, min_bits).map_err(about())?;
        let advance = self.fold_claim.as_ref().map(|path| {
            let claim = read_claim(path)?;
            advance(&family, blocks, claim, statement).map_err(CommandError::about(path.display()))
        });
        let advance = advance.transpose()?;
        let before = advance.as_ref().and_then(|advance| advance.state.get(old));
        let first = self.first.map(|first| first.0).or(before.copied());
        let first = first.ok_or_else(|| {
            let message = "the contract has no root to begin with: give --fold-claim, with the \
                           state of the fold, or --first";
            CommandError::usage(message)
        })?;
        let constants = StateRoot {
            verifier,
            fold: family.key(),
            rules: family.keys,
            blocks,
            old,
            new,
            first,
            max_rules,
            max_behind,
            bits,
        };
        let code = constants.code().map_err(|error| match error {
            ContractError::Range { .. } | ContractError::SameBlock(_) => CommandError::usage(error),
            error => CommandError::failed(error),
        })?;
        if let (Some(advance), Some(path)) = (&advance, &self.fold_claim) {
            let accepted = check_counters(advance, [max_rules, max_behind]);
            accepted.map_err(CommandError::about(path.display()))?;
        }
        Ok(Some(KeptRoot {
            constants,
            contract: located(&DEPLOYER, code),
            evidence: match self.fold_key {
                Some(_) => Evidence::Pinned,
                None => Evidence::Claimed,
            },
            rules,
            advance,
        }))
    }

    /// The rules of a recipe.
    fn family(&self, recipe: FamilyRecipe) -> Result<Family, CommandError> {
        if recipe.version != RECIPE_VERSION {
            return Err(FoldError::Version(recipe.version).into());
        }
        recipe.family.check().map_err(CommandError::failed)?;
        recipe.check_rules()?;
        let family = recipe.family;
        let found = family.key();
        match self.fold_key.filter(|&expected| expected != found) {
            None => Ok(family),
            Some(expected) => {
                let message = format!("the fold key is {found}, expected {expected}");
                Err(CommandError::failed(message))
            }
        }
    }
}

/// Proven bits of all proofs of a fold with these counters, `rules` and `behind`, and of a last
/// proof above them.
fn bits_of(
    family: &Family,
    counters: [u32; 2],
    last: usize,
    min_bits: usize,
) -> Result<usize, CommandError> {
    let bits = bits_with_last(family, counters, last).ok_or_else(|| {
        CommandError::failed(
            "no rule of the fold verifies a proof, so that nothing says how many bits its proofs \
             have",
        )
    })?;
    let (least, union) = (
        bits.least().unwrap_or_default(),
        bits.union().unwrap_or_default(),
    );
    let options = AggregateOptions::min_bits(min_bits);
    let checked = options.check(least, union).map_err(CommandError::failed);
    checked.map_err(CommandError::about(
        "the largest fold that the contract accepts (--max-rules, --max-behind, --min-bits)",
    ))?;
    Ok(union)
}

/// The rules, each with what it takes.
fn names(rules: &[RuleInfo]) -> String {
    let names: Vec<String> = rules.iter().map(RuleInfo::to_string).collect();
    names.join(", ")
}

/// What to warn of if a contract accepts proofs of these rules.
fn warnings(rules: &[RuleInfo]) -> Vec<String> {
    let mut warnings = vec![format!(
        "every state that any rule of the fold can return may advance the root: {}",
        names(rules)
    )];
    let starts = rules.iter().filter(|rule| rule.slots.is_empty());
    let starts: Vec<String> = starts.map(|rule| format!("`{}`", rule.name)).collect();
    if !starts.is_empty() {
        warnings.push(format!(
            "these rules take no proofs, so that anybody advances the root by hints that they \
             accept: {}",
            starts.join(", ")
        ));
    }
    warnings
}

/// What advances a root: the claim of a fold with these rules, whose last proof has this statement.
fn advance(
    family: &Family,
    blocks: usize,
    claim: FoldClaim,
    statement: &[F; 8],
) -> Result<Advance, CommandError> {
    claim.check()?;
    if claim.family != *family {
        let (found, expected) = (claim.key(), family.key());
        let message = format!("it is of the fold {found}, expected {expected}");
        return Err(CommandError::failed(message));
    }
    if claim.state.len() != blocks {
        let found = claim.state.len();
        let message = format!("its state has {found} blocks, expected {blocks}");
        return Err(CommandError::failed(message));
    }
    let said = claim.statement();
    let mut rules = family.keys.iter();
    let rule = rules.find(|&&rule| claim_digest(&[(rule, said)]) == *statement);
    let rule = rule.ok_or_else(|| {
        CommandError::failed("the statement of the proof is not that of a rule which says this")
    })?;
    let counters = claim.counters;
    Ok(Advance {
        state: claim.state,
        rule: *rule,
        rules: counters.rules,
        behind: counters.behind,
        depth: counters.depth,
    })
}

/// Checks that the contract accepts the counters `rules` and `behind`, of which these are the most.
fn check_counters(advance: &Advance, most: [u32; 2]) -> Result<(), CommandError> {
    let counters = [("rules", advance.rules), ("behind", advance.behind)];
    let mut counters = counters.into_iter().zip(most);
    match counters.find(|((_, found), most)| found > most) {
        None => Ok(()),
        Some(((name, found), most)) => Err(CommandError::failed(format!(
            "its counter `{name}` is {found}, but the contract accepts at most {most} \
             (--max-{name})"
        ))),
    }
}

impl KeptRoot {
    /// The contract, and where it is.
    pub const fn contract(&self) -> &(Address, Code) {
        &self.contract
    }

    /// Its interface.
    pub fn abi(&self) -> String {
        self.constants.abi()
    }

    /// The calldata with which the root is advanced by this proof, if it is known what that says.
    pub fn advance_data(&self, proof: &[u8]) -> Option<Vec<u8>> {
        let advance = self.advance.as_ref()?;
        Some(advance.call_data(proof))
    }

    /// Warns of what it accepts.
    pub fn warn(&self) {
        // Names are those of a file.
        for text in warnings(&self.rules) {
            warn(visible(&text));
        }
    }

    /// What is printed of it.
    pub fn rows(&self) -> RootRows {
        let constants = &self.constants;
        RootRows {
            fold_key: constants.fold.to_string(),
            fold_key_is: self.evidence,
            rules: self.rules.clone(),
            first: hex(&statement_bytes(&constants.first)),
            max_rules: constants.max_rules,
            max_behind: constants.max_behind,
            bits_of_largest: constants.bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use droste_verifier::fold::Counters;
    use droste_verifier::summary::causes;
    use p3_field::PrimeCharacteristicRing;

    use super::*;

    fn key(n: u32) -> KeyDigest {
        KeyDigest([F::from_u32(n); 8])
    }

    fn family(bits: usize, behind: usize) -> Family {
        Family::new(bits, behind, vec![key(1), key(2)]).unwrap()
    }

    #[test]
    fn rules_without_parameters_are_named() {
        let rule = |name: &str, slots: &[&str]| RuleInfo {
            name: name.to_owned(),
            slots: slots.iter().map(ToString::to_string).collect(),
            key: key(1),
        };
        let (merge, start) = (rule("merge", &["node", "node"]), rule("start", &[]));
        let found = warnings(std::slice::from_ref(&merge));
        assert_eq!(found.len(), 1);
        assert!(
            found[0].ends_with("the root: merge(node, node)"),
            "{found:?}"
        );
        let found = warnings(&[start, merge, rule("again", &[])]);
        assert_eq!(found.len(), 2);
        assert!(found[0].contains("start(), merge(node, node)"), "{found:?}");
        assert!(found[1].ends_with(": `start`, `again`"), "{found:?}");
    }

    #[test]
    fn bits_are_those_of_the_largest_counters() {
        let bits = |of: [usize; 2], counters: [u32; 2], min_bits: usize| {
            let [rules, behind] = of;
            bits_of(&family(rules, behind), counters, 103, min_bits)
        };
        assert_eq!(bits([121, 121], [1 << 18; 2], 100).unwrap(), 101);
        assert_eq!(bits([121, 256], [1 << 18, 0], 100).unwrap(), 102);
        // A weak leaf weighs as much as many nodes.
        assert_eq!(bits([121, 102], [1 << 18, 2], 100).unwrap(), 100);
        let refused = bits([121, 102], [1 << 18; 2], 100).unwrap_err();
        let words = causes(&refused);
        assert!(words.contains("--max-behind"), "{words}");
        assert!(words.contains("83"), "{words}");
        assert_eq!(bits([121, 102], [1 << 18; 2], 0).unwrap(), 83);
        bits([121, 99], [1, 1], 100).unwrap_err();
        bits([256, 256], [1, 0], 0).unwrap_err();
    }

    #[test]
    fn claims_are_of_the_fold_and_the_proof() {
        let claim = FoldClaim {
            family: family(120, 120),
            counters: Counters::START,
            state: vec![[F::ONE; 8], [F::TWO; 8]],
        };
        let statement = claim_digest(&[(key(2), claim.statement())]);
        let made = |family: &Family, blocks: usize, claim: &FoldClaim| {
            let made = advance(family, blocks, claim.clone(), &statement);
            made.map_err(|error| error.to_string())
        };
        let own = made(&family(120, 120), 2, &claim).unwrap();
        assert_eq!((own.rule, own.rules, own.state.len()), (key(2), 1, 2));
        let other = made(&family(121, 120), 2, &claim).unwrap_err();
        assert!(other.contains("it is of the fold"), "{other}");
        let other = made(&family(120, 120), 3, &claim).unwrap_err();
        assert!(other.contains("2 blocks, expected 3"), "{other}");
        let mut changed = claim.clone();
        changed.state[0][0] = F::TWO;
        let other = made(&family(120, 120), 2, &changed).unwrap_err();
        assert!(other.contains("not that of a rule"), "{other}");
        changed.counters.rules = 0;
        made(&family(120, 120), 2, &changed).unwrap_err();
    }
}
