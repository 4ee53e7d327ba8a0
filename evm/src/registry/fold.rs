//! A contract that keeps a root, which proofs of a fold advance (`droste_verifier::fold`), as an
//! example: whoever shows that the rules lead from the present root to another one makes that the
//! root.
//!
//! It must know the keys of the rules. The statement of a last proof binds the key of the program
//! below it, and any program may reveal the digest of a wanted state.

use droste_native::F;
use droste_vm::key::KeyDigest;

use super::calldata::number;
use super::{
    Address, Code, ContractError, Refusal, begin, call_verifier, check_key, define_claims,
    digest_word, function, is_key, places, refusal, return_true, selector,
};
use crate::assembler::{Assembler, Expr, Op, var};
use crate::contract::checked;
use crate::contract::deploy::statement_bytes;
use crate::contract::start::{SELECTOR, WORD, at, check_bytes_behind, unequal};
use crate::digest::{define_swap, exceeding, swapped};

/// The signature of the function that returns the root.
pub const ROOT: &str = "root()";

/// The tag of what nodes of folds state, that of `droste_verifier::fold::statement`.
const FOLD_TAG: F = F::new(0x666f_6c64);

/// Blocks of what a node states in front of its state: the fold key, and the counters.
const STATE_START: usize = 2;

/// Largest number of blocks of a state, that of `droste_verifier::fold::MAX_BLOCKS`.
const MAX_BLOCKS: usize = 64;

/// Largest number of proofs of canonical shape, that of `droste_verifier::fold::MAX_COUNT`. The
/// other counters are less than this.
const MAX_COUNT: u32 = 1 << 24;

/// A contract that keeps a root: what is constant in its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateRoot {
    /// The verifier of the last proof.
    pub verifier: Address,
    /// The fold key.
    pub fold: KeyDigest,
    /// Keys of the rules whose proofs are accepted: all of the fold, or some.
    pub rules: Vec<KeyDigest>,
    /// Number of blocks of a state.
    pub blocks: usize,
    /// Number of the block that is the root before, from 0.
    pub old: usize,
    /// Number of the block that is the root after.
    pub new: usize,
    /// The root that the contract begins with.
    pub first: [F; 8],
    /// Largest counter `rules` that is accepted.
    pub max_rules: u32,
    /// Largest counter `behind` that is accepted.
    pub max_behind: u32,
    /// Proven bits of all proofs of one advance together if the counters are these; N advances have
    /// at most log2 N fewer. No code depends on them: the text says them to whoever reads it.
    pub bits: usize,
}

/// What a fold says, with the key of the rule at its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advance {
    /// The state, as blocks.
    pub state: Vec<[F; 8]>,
    /// Key of the rule.
    pub rule: KeyDigest,
    /// Number of proofs of canonical shape.
    pub rules: u32,
    /// Number of proofs behind wraps.
    pub behind: u32,
    /// Levels of rules below the root.
    pub depth: u32,
}

/// Where the arguments of a call are that advances a root, by the number of blocks of a state. The
/// first word says where the proof is.
#[derive(Clone, Copy, Debug)]
struct Arguments {
    blocks: usize,
}

impl Arguments {
    /// Number of words behind the state, without the proof: the key and the counters.
    const OTHERS: usize = 4;

    fn signature(self) -> String {
        let blocks = self.blocks;
        format!("advance(bytes,bytes32[{blocks}],bytes32,uint32,uint32,uint32)")
    }

    /// A word.
    const fn word(index: usize) -> u64 {
        SELECTOR + WORD * index as u64
    }

    const fn block(index: usize) -> u64 {
        Self::word(1 + index)
    }

    const fn rule(self) -> u64 {
        Self::block(self.blocks)
    }

    const fn counter(self, index: usize) -> u64 {
        Self::block(self.blocks + 1 + index)
    }

    /// Bytes of all words.
    const fn head(self) -> u64 {
        WORD * (1 + self.blocks + Self::OTHERS) as u64
    }

    /// Where the length of the proof is.
    const fn length(self) -> u64 {
        SELECTOR + self.head()
    }
}

impl Advance {
    /// The calldata with which a [`StateRoot`] advances, with the bytes of a last proof as
    /// [`crate::calldata::encode`] makes them.
    pub fn call_data(&self, proof: &[u8]) -> Vec<u8> {
        let blocks = self.state.len();
        let arguments = Arguments { blocks };
        let mut data = selector(&arguments.signature()).to_be_bytes().to_vec();
        data.extend(number(arguments.head()));
        data.extend(self.state.iter().flat_map(statement_bytes));
        data.extend(statement_bytes(&self.rule.0));
        let counters = [self.rules, self.behind, self.depth];
        data.extend(
            counters
                .map(|counter| number(counter.into()))
                .as_flattened(),
        );
        data.extend(number(proof.len() as u64));
        data.extend(proof);
        let padding = proof.len().next_multiple_of(WORD as usize) - proof.len();
        data.extend(std::iter::repeat_n(0, padding));
        data
    }
}

impl StateRoot {
    /// The signature of the function that advances the root.
    pub fn signature(&self) -> String {
        self.arguments().signature()
    }

    /// The interface of the contract, as compilers of Solidity write it.
    pub fn abi(&self) -> String {
        let blocks = self.blocks;
        format!(
            r#"[
  {{"type": "function", "name": "advance", "stateMutability": "nonpayable",
   "inputs": [{{"name": "proof", "type": "bytes"}},
              {{"name": "state", "type": "bytes32[{blocks}]"}},
              {{"name": "rule", "type": "bytes32"}}, {{"name": "rules", "type": "uint32"}},
              {{"name": "behind", "type": "uint32"}}, {{"name": "depth", "type": "uint32"}}],
   "outputs": [{{"name": "", "type": "bool"}}]}},
  {{"type": "function", "name": "root", "stateMutability": "view", "inputs": [],
   "outputs": [{{"name": "", "type": "bytes32"}}]}},
  {{"type": "error", "name": "Refused", "inputs": [{{"name": "reason", "type": "uint256"}}]}}
]
"#
        )
    }

    /// The code of the contract. Its storage has one word, at zero: the root, xored with the first
    /// one, so that it is the first one in a contract whose storage is empty.
    ///
    /// # Errors
    /// If a constant is out of its range, or the code is too long.
    pub fn code(&self) -> Result<Code, ContractError> {
        self.check()?;
        let mut a = Assembler::new();
        a.comment(&format!(
            "A root that proofs of the fold {} advance: of block {}, counted from 0, of a state to \
             block {}.",
            self.fold, self.old, self.new
        ));
        a.comment(&format!(
            "At most {} proofs of rules and last wraps, and {} behind these in one advance: all \
             together have {} proven bits.",
            self.max_rules, self.max_behind, self.bits
        ));
        begin(&mut a);
        define_swap(&mut a);
        function(&mut a, &self.signature(), |a| self.advance(a));
        function(&mut a, ROOT, |a| {
            let size = Expr::Op(Op::CallDataSize, vec![]);
            a.revert_if(unequal(size, SELECTOR));
            a.store(0, self.root());
            a.run(Op::Return, [0.into(), WORD.into()]);
        });
        a.revert_if(1);
        checked(a.assemble()?)
    }

    fn check(&self) -> Result<(), ContractError> {
        let (blocks, most) = (self.blocks as u64, u64::from(MAX_COUNT));
        let last = blocks.saturating_sub(1);
        let ranges = [
            (
                "the number of blocks of a state",
                blocks,
                2,
                MAX_BLOCKS as u64,
            ),
            ("the block of the old root", self.old as u64, 0, last),
            ("the block of the new root", self.new as u64, 0, last),
            (
                "the largest counter `rules`",
                self.max_rules.into(),
                1,
                most,
            ),
            (
                "the largest counter `behind`",
                self.max_behind.into(),
                0,
                most - 1,
            ),
        ];
        for (what, found, least, most) in ranges {
            if !(least..=most).contains(&found) {
                return Err(ContractError::Range {
                    what,
                    found,
                    least,
                    most,
                });
            }
        }
        if self.old == self.new {
            return Err(ContractError::SameBlock(self.old));
        }
        Ok(())
    }

    const fn arguments(&self) -> Arguments {
        let blocks = self.blocks;
        Arguments { blocks }
    }

    /// The present root.
    fn root(&self) -> Expr {
        self.stored(Expr::Op(Op::SLoad, vec![0.into()]))
    }

    /// What is stored of a root, or the root of what is stored.
    fn stored(&self, root: Expr) -> Expr {
        Expr::Op(Op::Xor, vec![root, digest_word(&self.first).into()])
    }

    /// `advance(proof, state, rule, rules, behind, depth)`: replaces the root, which the state
    /// begins with, by the one that it ends with, if the verifier accepts a last proof of it. What
    /// costs the least comes first: whoever is late does not pay for the verifier.
    fn advance(&self, a: &mut Assembler) {
        let arguments = self.arguments();
        check_bytes_behind(a, SELECTOR, arguments.head());

        refusal(a, Refusal::Root);
        a.revert_if(unequal(self.root(), at(Arguments::block(self.old))));

        refusal(a, Refusal::Key);
        check_key(a, arguments.rule(), &self.rules);

        refusal(a, Refusal::Counters);
        let most = [self.max_rules, self.max_behind, MAX_COUNT - 1];
        for (index, (name, most)) in ["rules", "behind", "depth"]
            .into_iter()
            .zip(most)
            .enumerate()
        {
            a.bind(name, at(arguments.counter(index)));
            a.revert_if(Expr::Op(Op::Gt, vec![var(name), u64::from(most).into()]));
        }
        a.revert_if(Expr::Op(Op::IsZero, vec![var("rules")]));

        refusal(a, Refusal::Elements);
        self.make_statement(a);
        let (length, proof) = (arguments.length(), arguments.length() + WORD);
        call_verifier(a, &self.verifier, at(length), proof);
        let root = self.stored(at(Arguments::block(self.new)));
        a.run(Op::SStore, [0.into(), root]);
        return_true(a);
    }

    /// Makes the statement of the last proof: the claim of the rule's proof.
    fn make_statement(&self, a: &mut Assembler) {
        let (arguments, claims) = (self.arguments(), define_claims(a));
        claims.begin_with(a, FOLD_TAG, STATE_START + self.blocks, &self.fold.0);
        let [rules, behind, depth] = ["rules", "behind", "depth"].map(var);
        claims.absorb_words(a, [rules, behind, depth, 0.into()]);
        a.bind("place", Arguments::block(0));
        a.repeat_while(|a| {
            a.bind("block", swapped(var("place").calldata()));
            a.revert_if(exceeding("block"));
            claims.absorb(a, "block");
            a.advance("place", WORD);
            var("place").lt(arguments.rule())
        });
        claims.keep(a, places::KEPT);
        // The key is one of these: their states after it are constants, which saves a permutation.
        for rule in &self.rules {
            a.run_if(is_key(arguments.rule(), rule), |a| {
                claims.begin_child(a, &rule.0);
            });
        }
        claims.absorb_kept(a, places::KEPT);
        a.store(places::CALL + WORD, claims.bytes());
    }
}
