use p3_field::PrimeCharacteristicRing;

use super::super::statement::tests::family;
use super::*;

const STATE: [[F; 8]; 2] = [[F::ONE; 8], [F::TWO; 8]];

fn counters() -> Counters {
    Counters {
        rules: 5,
        behind: 3,
        depth: 2,
    }
}

fn refused(options: &Options) -> Option<String> {
    let refused = options.check(counters(), &STATE).err();
    refused.map(|error| error.to_string())
}

#[test]
fn the_state_is_compared() {
    let with = |state: &[[F; 8]]| {
        let options = Options::default().with_state(state.to_vec());
        refused(&options)
    };
    assert_eq!(refused(&Options::default()), None);
    assert_eq!(with(&STATE), None);
    assert_eq!(
        with(&STATE[..1]).unwrap(),
        "the state has 2 blocks, expected 1"
    );
    assert_eq!(with(&[]).unwrap(), "the state has 2 blocks, expected 0");
    for lane in 0..16 {
        let mut other = STATE;
        other.as_flattened_mut()[lane] += F::ONE;
        let words = format!("first in block {}: lane {} is ", lane / 8, lane % 8);
        assert!(with(&other).unwrap().contains(&words), "{lane}");
    }
}

/// Blocks that nobody names are not compared.
#[test]
fn single_blocks_are_compared() {
    let with = |blocks: &[(usize, [F; 8])]| {
        let blocks = blocks.iter();
        let options = blocks.fold(Options::default(), |options, &(block, lanes)| {
            options.with_block(block, lanes)
        });
        refused(&options)
    };
    assert_eq!(with(&[(0, STATE[0])]), None);
    assert_eq!(with(&[(1, STATE[1])]), None);
    assert_eq!(with(&[(1, STATE[1]), (0, STATE[0])]), None);
    for block in 0..2 {
        for lane in 0..8 {
            let mut other = STATE;
            other[block][lane] += F::ONE;
            let words = with(&[(0, other[0]), (1, other[1])]).unwrap();
            let place = format!("first in block {block}: ");
            assert!(words.contains(&place), "{lane}: {words}");
            assert_eq!(with(&[(1 - block, other[1 - block])]), None, "{lane}");
        }
    }
    assert_eq!(
        with(&[(0, STATE[0]), (2, STATE[0])]).unwrap(),
        "the state has 2 blocks, counted from 0, but block 2 is expected"
    );
    // Both are compared where both are given.
    let both = Options::default().with_block(0, STATE[1]);
    let words = refused(&both.with_state(STATE.to_vec())).unwrap();
    assert!(words.contains("first in block 0: "), "{words}");
}

#[test]
fn proofs_and_depth_are_bounded() {
    let proofs = |most: u64| refused(&Options::default().with_max_proofs(most));
    assert_eq!(proofs(8), None);
    assert_eq!(
        proofs(7).unwrap(),
        "8 proofs were made for it, expected at most 7"
    );
    let depth = |most: u32| refused(&Options::default().with_max_depth(most));
    assert_eq!(depth(2), None);
    assert_eq!(depth(1).unwrap(), "it is 2 levels deep, expected at most 1");
}

/// Both figures of bits count, each as often as there are such proofs.
#[test]
fn bits_are_those_of_the_counted_proofs() {
    let bits = |rules, behind| {
        let counters = Counters {
            rules,
            behind,
            depth: 0,
        };
        let mut bits = TreeBits::default();
        family().add_below(counters, &mut bits);
        bits.add(112, 1);
        (bits.least(), bits.union(), bits.proofs())
    };
    // What no proof has does not count.
    assert_eq!(bits(1, 0), (Some(112), Some(112), 1));
    assert_eq!(bits(0, 0), (Some(112), Some(112), 1));
    assert_eq!(bits(2, 0), (Some(110), Some(109), 2));
    assert_eq!(bits(10, 0), (Some(110), Some(106), 10));
    assert_eq!(bits(10, 1), (Some(102), Some(101), 11));
    assert_eq!(bits(10, 3), (Some(102), Some(100), 13));
    assert_eq!(bits(1 << 24, 0), (Some(110), Some(86), 1 << 24));
}

#[test]
fn trees_have_a_hundred_bits_unless_less_is_asked_of_each_proof() {
    let options = Options::min_bits(0).with_min_tree_bits(7);
    assert_eq!(options.bits.check(0, 7), Ok(()));
    let few = BitsError::Tree {
        expected: 7,
        found: 6,
    };
    assert_eq!(options.bits.check(0, 6), Err(few));
    let usual = Options::default().with_min_tree_bits(None);
    assert_eq!(usual, Options::min_bits(100));
    let few = BitsError::Tree {
        expected: 100,
        found: 99,
    };
    assert_eq!(usual.bits.check(100, 99), Err(few));
    let weak = BitsError::Proof {
        expected: 100,
        found: 99,
    };
    assert_eq!(usual.bits.check(99, 99), Err(weak));
}

/// Folds whose proofs are those of a program that says whatever it is given, as no rule does: the
/// verifier does not see what a listed program computes.
#[cfg(feature = "prover")]
mod proofs {
    use std::sync::LazyLock;

    use droste_native::HashId;
    use droste_native::whir::WhirSettings;
    use droste_vm::compiler::{Compiled, compile};
    use droste_vm::executor::{Tape, execute};
    use droste_vm::verifier::VerifyError;

    use super::*;
    use crate::claim::tests::key;
    use crate::file::FileError;
    use crate::file::fold::{decode, encode, encode_unverified};
    use crate::fold::{FamilyError, FoldClaim};
    use crate::proofs::prove;

    const ANY: Options = Options::min_bits(0);

    static PROGRAM: LazyLock<Compiled> = LazyLock::new(|| {
        let text = "use droste_gadgets::prelude::*;
            pub fn main() { for _i in 0..8 { let _said = public_input(); } }";
        compile(text, &[]).unwrap()
    });

    fn proof(statement: [F; 8]) -> whir::Proof {
        let execution = execute(&PROGRAM, &statement, &Tape::default(), 1 << 16).unwrap();
        let (hash, settings) = (HashId::Poseidon16, WhirSettings::toy());
        let proved = prove(hash, &*PROGRAM, &execution, &statement, settings).unwrap();
        whir::decode(&proved.bytes).unwrap()
    }

    /// The fold that says this, in so far as its proof does.
    fn fold(claim: FoldClaim) -> UnverifiedFold {
        UnverifiedFold {
            proof: proof(claim.statement()),
            family: claim.family,
            counters: claim.counters,
            state: claim.state,
        }
    }

    /// Key of the program.
    static RULE: LazyLock<KeyDigest> = LazyLock::new(|| proof([F::ZERO; 8]).key.digest());

    /// An honest claim: its family has the program and another rule, with more bits than the root.
    fn honest() -> FoldClaim {
        FoldClaim {
            family: Family::new(200, 190, vec![*RULE, key(1)]).unwrap(),
            counters: counters(),
            state: STATE.to_vec(),
        }
    }

    fn refusal(fold: UnverifiedFold, options: &Options) -> RefusedFold {
        let key = fold.key();
        fold.verify(key, options).unwrap_err()
    }

    /// Why what says this is refused under its own key.
    fn refused_claim(change: impl FnOnce(&mut FoldClaim)) -> RefusedFold {
        let mut claim = honest();
        change(&mut claim);
        refusal(fold(claim), &ANY)
    }

    #[test]
    fn what_is_expected_is_accepted() {
        let claim = honest();
        let made = fold(claim.clone());
        let checked = made.check().unwrap();
        let root = checked.root.bits();
        let options = Options::min_bits(root)
            .with_min_tree_bits(root)
            .with_max_proofs(8)
            .with_max_depth(2)
            .with_state(STATE.to_vec());
        // Few and strong proofs below leave the root its bits but for one.
        let mut few = options.clone();
        few.bits = few.bits.with_min_tree_bits(Some(root - 1));
        let bytes = encode_unverified(&made).unwrap();
        let folded = made.verify(claim.key(), &few).unwrap();
        assert_eq!(folded.accepted(), &checked);
        assert_eq!((checked.bits, checked.tree_bits), (root, root - 1));
        assert_eq!(folded.claim(), claim);
        assert_eq!((folded.key(), folded.rule()), (claim.key(), *RULE));
        assert_eq!(folded.statement(), claim.statement());
        assert_eq!(folded.evidence(), Evidence::Pinned);
        assert!(folded.steps().is_empty());

        assert_eq!(encode(&folded).unwrap(), bytes);
        let again = decode(&bytes).unwrap();
        assert_eq!(again.claim(), claim);
        let error = refusal(again, &options);
        let few = matches!(error, RefusedFold::Bits(BitsError::Tree { .. }));
        assert!(few, "{error}");
    }

    /// Each of the checks is the only one that refuses.
    #[test]
    fn each_check_alone_refuses() {
        let error = refused_claim(|claim| claim.family.keys.reverse());
        let order = matches!(error, RefusedFold::Family(FamilyError::Order));
        assert!(order, "{error}");
        let error = refused_claim(|claim| claim.family.bits = 257);
        let bits = matches!(error, RefusedFold::Family(FamilyError::Bits(257)));
        assert!(bits, "{error}");

        let error = refused_claim(|claim| claim.counters.rules = 0);
        let none = matches!(error, RefusedFold::Counter { what: "rules", .. });
        assert!(none, "{error}");
        let error = refused_claim(|claim| claim.counters.behind = 1 << 24);
        let many = matches!(error, RefusedFold::Counter { what: "behind", .. });
        assert!(many, "{error}");

        let error = refused_claim(|claim| claim.state.clear());
        assert!(matches!(error, RefusedFold::Blocks(0)), "{error}");
        let error = refused_claim(|claim| claim.state = vec![[F::ONE; 8]; MAX_BLOCKS + 1]);
        assert!(matches!(error, RefusedFold::Blocks(65)), "{error}");

        let made = fold(honest());
        let (found, expected, is) = (made.key(), key(7), None);
        let error = made.verify(expected, &ANY).unwrap_err().to_string();
        let words = RefusedFold::Key {
            expected,
            found,
            is,
        };
        assert_eq!(error, words.to_string());
        let error = fold(honest()).verify(key(1), &ANY).unwrap_err().to_string();
        assert!(error.ends_with("has as a rule key"), "{error}");

        let made = || fold(honest());
        let error = refusal(made(), &ANY.with_state(vec![STATE[1], STATE[0]]));
        let other = matches!(error, RefusedFold::State { block: 0, .. });
        assert!(other, "{error}");
        let error = refusal(made(), &ANY.with_max_proofs(7));
        assert!(matches!(error, RefusedFold::Proofs { .. }), "{error}");
        let error = refusal(made(), &ANY.with_max_depth(1));
        assert!(matches!(error, RefusedFold::Depth { .. }), "{error}");

        // A program that is no rule reveals a true statement.
        let error = refused_claim(|claim| claim.family.keys.retain(|&key| key != *RULE));
        let unlisted = matches!(error, RefusedFold::Rule(key) if key == *RULE);
        assert!(unlisted, "{error}");

        let mut other = made();
        other.proof.stark = proof([F::ONE; 8]).stark;
        let error = refusal(other, &ANY);
        assert!(matches!(error, RefusedFold::Verify(_)), "{error}");

        let root = made().check().unwrap().root.bits();
        let error = refusal(made(), &Options::min_bits(root + 1));
        let weak = matches!(error, RefusedFold::Verify(VerifyError::Security { .. }));
        assert!(weak, "{error}");
        let changes: [fn(&mut FoldClaim); 2] = [
            |claim| claim.family.bits = 0,
            |claim| claim.family.bits_behind = 0,
        ];
        for change in changes {
            let mut claim = honest();
            change(&mut claim);
            let error = refusal(fold(claim), &Options::min_bits(1));
            let weak = matches!(
                error,
                RefusedFold::Bits(BitsError::Proof {
                    expected: 1,
                    found: 0
                })
            );
            assert!(weak, "{error}");
        }
    }

    /// Whoever changes what a fold says has no proof of it, even under the key of the changed list.
    #[test]
    fn the_statement_binds_what_is_said() {
        let changes: [fn(&mut UnverifiedFold); 8] = [
            |fold| fold.counters.rules += 1,
            |fold| fold.counters.behind -= 1,
            |fold| fold.counters.depth += 1,
            |fold| fold.state[1][7] += F::ONE,
            |fold| fold.state.truncate(fold.state.len() - 1),
            |fold| fold.state.push([F::ZERO; 8]),
            |fold| fold.family.bits += 1,
            |fold| fold.family.keys.retain(|&listed| listed != key(1)),
        ];
        let bytes = encode_unverified(&fold(honest())).unwrap();
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = decode(&bytes).unwrap();
            change(&mut changed);
            let error = changed.check().unwrap_err();
            let other = matches!(error, RefusedFold::Statement);
            assert!(other, "{number}: {error}");
            let error = refusal(changed, &ANY);
            let other = matches!(error, RefusedFold::Statement);
            assert!(other, "{number}: {error}");
        }
    }

    /// Under an evil list anything can be said, but its key is another one.
    #[test]
    fn an_evil_list_has_another_key() {
        let mut claim = honest();
        claim.family = Family::new(256, 256, vec![*RULE]).unwrap();
        let evil = fold(claim);
        evil.check().unwrap();
        let error = evil.verify(honest().key(), &ANY).unwrap_err();
        assert!(matches!(error, RefusedFold::Key { .. }), "{error}");
    }

    #[test]
    fn only_what_was_written_is_read() {
        let mut made = fold(honest());
        let honest = encode_unverified(&made).unwrap();
        for (end, kind) in [(honest.len() - 1, "cut off"), (12, "empty")] {
            let error = decode(&honest[..end]).unwrap_err();
            assert!(matches!(error, FileError::Decode(_)), "{kind}: {error}");
        }
        let longer = [&honest[..], &[0]].concat();
        let error = decode(&longer).unwrap_err();
        assert!(matches!(error, FileError::Decode(_)), "{error}");
        // 200 in three bytes instead of one.
        let mut long = honest.clone();
        drop(long.splice(12..13, [251, 200, 0]));
        let error = decode(&long).unwrap_err();
        let canonical = matches!(error, FileError::Decode(_) | FileError::NotCanonical);
        assert!(canonical, "{error}");
        made.family.keys.reverse();
        let error = decode(&encode_unverified(&made).unwrap()).unwrap_err();
        assert_eq!(error, FileError::Fold(FamilyError::Order));
    }

    /// No change of a byte before the proof is accepted.
    #[test]
    fn every_byte_of_what_is_said_counts() {
        let made = fold(honest());
        let (key, bytes) = (made.key(), encode_unverified(&made).unwrap());
        let said = bytes.len() - (whir::encoded_length(&made.proof).unwrap() - 13);
        for at in 0..said {
            for change in [1, 0x80] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                let accepted = decode(&changed).is_ok_and(|fold| fold.verify(key, &ANY).is_ok());
                assert!(!accepted, "{at}");
            }
        }
    }

    /// A last proof is one more, above the fold's root.
    #[test]
    fn a_last_proof_counts_the_root_of_its_fold() {
        let folded = fold(honest()).verify(honest().key(), &ANY).unwrap();
        let root = folded.accepted().root.clone();
        let bits = root.bits();
        let exit = crate::fold::exit::accepted(&folded, root);
        assert_eq!((exit.bits, exit.tree_bits), (bits, bits - 2));
    }
}
