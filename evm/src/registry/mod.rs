//! Contracts that accept leaf roots of aggregates, and show that leaves are in them. Also one that
//! keeps a root, which proofs of a fold advance ([`StateRoot`]).
//!
//! A leaf root is a Keccak-256 root of the leaves of an aggregate (`droste_verifier::leaf_root`). A
//! [`Registry`] has no state. It computes the statement of the last proof from what the leaf root
//! says and from the keys in between, which are constants of its code, and gives it to a verifier.
//! A consumer ([`consumer`]) is an example of a contract that uses one: it keeps the roots that the
//! registry accepted.
//!
//! Each function returns `true`, or reverts: with a [`Refusal`], or as the contract that it called
//! did.

mod calldata;
mod consumer;
mod fold;

use droste_native::F;
use droste_vm::key::KeyDigest;

pub use self::calldata::{CONSUMER_ABI, Opening, REGISTRY_ABI, Says};
pub use self::consumer::{ACCEPT, HOLDS, consumer};
pub use self::fold::{Advance, ROOT, StateRoot};

use crate::assembler::{Assembler, Code, Expr, Op, Word, load, var};
use crate::contract::deploy::{self, Address, statement_bytes};
use crate::contract::start::{LENGTH, PROOF, SELECTOR, WORD, at, check_bytes, unequal};
use crate::contract::{ContractError, ERROR, SIGNATURE, checked, selector};
use crate::digest::{define_swap, exceeding, swapped};
use crate::poseidon16::{self, CONSTANTS_BYTES, Claims, STATE_BYTES};

/// The signature of the function that verifies a leaf root.
pub const VERIFY: &str = "verify(bytes,bytes32)";

/// The signature of the function that opens a leaf root.
pub const OPENS: &str = "opens(bytes32,bytes32,bytes32,uint256,bytes32[])";

/// Bytes in front of the last proof: the key and the claim of the aggregate, and the number of
/// leaves.
pub const SAYS_BYTES: usize = 68;

/// Why a contract refuses: the argument of its error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The call is none of the contract's functions, or encoded otherwise than it should be.
    Encoding = 101,
    /// The key or the claim of the aggregate, or the state of the fold, is not made of elements of
    /// the field.
    Elements = 102,
    /// What is called does not answer as the contract does that should be there.
    Answer = 103,
    /// No leaf, or no rule, with this key is accepted.
    Key = 104,
    /// The path leads to another root.
    Path = 105,
    /// The root was not accepted, or is not the one that the contract keeps.
    Root = 106,
    /// A counter is out of its range.
    Counters = 107,
}

/// Places in memory. What is not used any more when the path of a leaf is hashed may be anything.
mod places {
    use super::{CONSTANTS_BYTES, STATE_BYTES};

    pub const REFUSAL: u64 = 0;
    /// What is hashed in Keccak.
    pub const MESSAGE: u64 = 0x20;
    pub const STATE: u64 = 0xe0;
    pub const KEPT: u64 = STATE + STATE_BYTES;
    pub const CONSTANTS: u64 = KEPT + STATE_BYTES;
    /// The calldata of a call, behind what must be zero, and in the word in front the selector.
    pub const CALL: u64 = CONSTANTS + CONSTANTS_BYTES;
}

/// Places in the calldata of [`OPENS`].
mod opening {
    pub const ROOT: u64 = 4;
    pub const KEY: u64 = 36;
    pub const STATEMENT: u64 = 68;
    pub const SIDES: u64 = 100;
    pub const OFFSET: u64 = 132;
    /// Bytes behind the selector and in front of the path's length.
    pub const HEAD: u64 = 160;
    pub const LENGTH: u64 = 164;
    pub const PATH: u64 = 196;
}

/// A registry: what is constant in its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    /// The verifier of the last proof.
    pub verifier: Address,
    /// Digest of the list of recursion keys.
    pub recursion_keys: KeyDigest,
    /// Key of the join of the aggregate and the leaf root.
    pub join: KeyDigest,
    /// Keys of the wraps of the proof of the leaf root, the last one first.
    pub wraps: Vec<KeyDigest>,
    /// Key of the program that computes the leaf root.
    pub program: KeyDigest,
    /// Keys that leaves may have.
    pub leaves: Vec<KeyDigest>,
}

impl Refusal {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Encoding,
        Self::Elements,
        Self::Answer,
        Self::Key,
        Self::Path,
        Self::Root,
        Self::Counters,
    ];
}

impl Registry {
    /// The code of the contract.
    ///
    /// # Errors
    /// If it is too long, because of the number of keys.
    pub fn code(&self) -> Result<Code, ContractError> {
        let mut a = Assembler::new();
        begin(&mut a);
        define_swap(&mut a);
        function(&mut a, VERIFY, |a| self.verify(a));
        function(&mut a, OPENS, |a| self.open(a));
        a.revert_if(1);
        checked(a.assemble()?)
    }

    /// `verify(proof, root)`: the root is that of an aggregate whose last proof the verifier
    /// accepts.
    fn verify(&self, a: &mut Assembler) {
        check_bytes(a, 4);
        a.revert_if(at(LENGTH).lt(SAYS_BYTES as u64));

        refusal(a, Refusal::Elements);
        for (name, place) in [("key", PROOF), ("claim", PROOF + 32)] {
            a.bind(name, swapped(at(place)));
            a.revert_if(exceeding(name));
        }
        self.bind_says(a);
        self.make_statement(a);
        let length = at(LENGTH) - SAYS_BYTES as u64;
        call_verifier(a, &self.verifier, length, PROOF + SAYS_BYTES as u64);
        return_true(a);
    }

    /// Binds `says`, the words of the statement of the program's proof.
    fn bind_says(&self, a: &mut Assembler) {
        const MESSAGE_BYTES: u64 = 136;
        let (message, key_and_claim) = (places::MESSAGE, 64);
        a.store(message, digest_word(&self.recursion_keys.0));
        let arguments = [message + 32, PROOF, key_and_claim].map(Expr::from);
        a.run(Op::CallDataCopy, arguments);
        a.store(message + 96, at(36));
        let leaves = at(PROOF + key_and_claim) & left(*b"\xff\xff\xff\xff", 0);
        a.store(message + 128, leaves | left(*b"root", 1));
        a.bind("says", swapped(keccak(message, MESSAGE_BYTES)));
    }

    /// Makes the statement of the last proof, the last claim.
    fn make_statement(&self, a: &mut Assembler) {
        let claims = define_claims(a);
        let mut below = &self.program;
        for (index, wrap) in self.wraps.iter().rev().enumerate() {
            match index {
                0 => claims.claim(a, &below.0, "says"),
                _ => claims.claim_last(a, &below.0),
            }
            below = wrap;
        }
        if !self.wraps.is_empty() {
            claims.keep(a, places::KEPT);
        }
        claims.begin(a, 2);
        claims.absorb(a, "key");
        claims.absorb(a, "claim");
        claims.absorb_key(a, &below.0);
        match self.wraps[..] {
            [] => claims.absorb(a, "says"),
            [..] => claims.absorb_kept(a, places::KEPT),
        }
        claims.claim_last(a, &self.join.0);
        a.store(places::CALL + 32, claims.bytes());
    }

    /// `opens(root, key, statement, sides, path)`: the root's tree has a leaf with this key, which
    /// is accepted, and this statement.
    fn open(&self, a: &mut Assembler) {
        use opening::{HEAD, KEY, LENGTH, OFFSET, PATH, ROOT, SIDES, STATEMENT};

        a.revert_if(unequal(at(OFFSET), HEAD));
        a.revert_if(at(LENGTH) >> 32);
        let end = at(LENGTH) * WORD + PATH;
        a.revert_if(unequal(end, Expr::Op(Op::CallDataSize, vec![])));
        a.revert_if(Expr::Op(Op::Shr, vec![at(LENGTH), at(SIDES)]));

        refusal(a, Refusal::Key);
        check_key(a, KEY, &self.leaves);

        refusal(a, Refusal::Path);
        let message = places::MESSAGE;
        a.store(message, at(KEY));
        a.store(message + 32, at(STATEMENT));
        a.store(message + 64, left(*b"leaf", 0));
        a.bind("node", keccak(message, 68));
        a.bind("sides", at(SIDES));
        a.bind("place", PATH);
        a.run_if(at(LENGTH), |a| {
            a.repeat_while(|a| {
                // Where the node is hashed: to the right if the bit is set.
                a.bind("side", (var("sides") & 1) << 5);
                a.store(var("side") + message, var("node"));
                let other = Expr::Op(Op::Xor, vec![var("side"), 32.into()]);
                a.store(other + message, var("place").calldata());
                a.set("node", keccak(message, 64));
                a.set("sides", var("sides") >> 1);
                a.advance("place", WORD);
                var("place").lt(Expr::Op(Op::CallDataSize, vec![]))
            });
        });
        a.revert_if(unequal(var("node"), at(ROOT)));
        return_true(a);
    }
}

/// Begins a contract that says why it refuses.
fn begin(a: &mut Assembler) {
    a.report_phases(places::REFUSAL, selector(ERROR));
    refusal(a, Refusal::Encoding);
    a.revert_if(Expr::Op(Op::CallValue, vec![]));
}

/// From here on, what reverts does so for this reason.
fn refusal(a: &mut Assembler, refusal: Refusal) {
    a.store(places::REFUSAL, refusal as u64);
}

/// A function of the contract.
fn function(a: &mut Assembler, signature: &str, body: impl FnOnce(&mut Assembler)) {
    let selector = u64::from(selector(signature));
    a.comment(&format!("function {signature}"));
    a.run_if(Expr::Op(Op::Eq, vec![at(0) >> 224, selector.into()]), body);
}

/// Defines the permutation at its places.
fn define_claims(a: &mut Assembler) -> Claims {
    let memory = poseidon16::Memory {
        state: places::STATE,
        constants: places::CONSTANTS,
    };
    poseidon16::define(a, memory);
    Claims { memory }
}

/// Whether the word at this place of the calldata is this key.
fn is_key(place: u64, key: &KeyDigest) -> Expr {
    Expr::Op(Op::Eq, vec![at(place), digest_word(&key.0).into()])
}

/// Reverts unless the word at this place of the calldata is one of these keys.
fn check_key(a: &mut Assembler, place: u64, keys: &[KeyDigest]) {
    let accepted = keys.iter().map(|key| is_key(place, key));
    let accepted = accepted.reduce(|any, key| key | any);
    let accepted = accepted.unwrap_or_else(|| 0.into());
    a.revert_if(Expr::Op(Op::IsZero, vec![accepted]));
}

/// Calls a verifier with the statement, which is in the call already, and a last proof: so many
/// bytes from this place of the calldata on.
fn call_verifier(a: &mut Assembler, verifier: &Address, length: Expr, proof: u64) {
    let (call, head) = (places::CALL, 64);
    a.store(call, u64::from(selector(SIGNATURE)));
    a.store(call + 64, head);
    a.bind("length", length);
    a.store(call + 96, var("length"));
    let arguments = [(call + 128).into(), proof.into(), var("length")];
    a.run(Op::CallDataCopy, arguments);
    let padded = (var("length") + 31) & u64::from(u32::MAX - 31);
    check_answer(a, verifier, call, padded + (SELECTOR + 96));
}

/// Calls a contract with so many bytes of memory, from the selector at the end of this word on.
/// Reverts as it does, or if it returns anything but `true`.
fn check_answer(a: &mut Assembler, address: &Address, call: u64, length: Expr) {
    let returned = places::MESSAGE;
    let arguments = [
        Expr::Op(Op::Gas, vec![]),
        deploy::word(address).into(),
        (call + WORD - SELECTOR).into(),
        length,
        returned.into(),
        WORD.into(),
    ];
    let size = || Expr::Op(Op::ReturnDataSize, vec![]);
    let succeeds = Expr::Op(Op::StaticCall, arguments.into());
    a.run_if(Expr::Op(Op::IsZero, vec![succeeds]), |a| {
        a.run(Op::ReturnDataCopy, [0.into(), 0.into(), size()]);
        a.run(Op::Revert, [0.into(), size()]);
    });
    refusal(a, Refusal::Answer);
    a.revert_if(unequal(size(), WORD));
    a.revert_if(unequal(load(returned), 1));
}

fn return_true(a: &mut Assembler) {
    a.store(0, 1);
    a.run(Op::Return, [0.into(), WORD.into()]);
}

fn keccak(start: u64, length: u64) -> Expr {
    Expr::Op(Op::Keccak256, vec![start.into(), length.into()])
}

/// The bytes of a key as a word.
fn digest_word(elements: &[F; 8]) -> Word {
    Word::from_be_bytes(statement_bytes(elements))
}

/// Four bytes so many times four bytes behind the first of a word.
fn left(bytes: [u8; 4], index: usize) -> Word {
    let mut word = [0; 32];
    let places = word.iter_mut().skip(4 * index);
    places.zip(bytes).for_each(|(to, byte)| *to = byte);
    Word::from_be_bytes(word)
}
