use droste_native::hash::poseidon16::Poseidon16;
use p3_field::PrimeCharacteristicRing;

use super::*;
use crate::claim::Claim;
use crate::claim::tests::{key, leaf, node};
use crate::file::member::{decode, encode};
use crate::keys::tests::list;
use crate::tags::{CLAIM_TAG, PUBLIC_TAG};

const ANY: AcceptedLeaves = AcceptedLeaves::Any;

/// A join (20) of a join (20) of two wraps (10), a leaf without a wrap, and a wrap of which the
/// wrap is wrapped again (11).
fn tree() -> ClaimTree {
    let wrap = |n| node(10, vec![leaf(n)]);
    let inner = node(20, vec![wrap(1), wrap(2)]);
    node(20, vec![inner, leaf(3), node(11, vec![wrap(4)])])
}

fn keys() -> ClaimedKeys {
    list(&[(10, 100), (11, 90), (20, 104)])
}

fn member(leaf: usize) -> Membership {
    Membership::new(&tree(), &keys(), leaf).unwrap()
}

fn verify(member: &Membership) -> Result<Member, MemberError> {
    member.verify(
        &tree().claim.statement(),
        keys().digest(),
        VerifyOptions::min_bits(90),
        &ANY,
    )
}

/// The error with which a changed membership of the second leaf is refused.
fn refusal(change: impl FnOnce(&mut Membership)) -> MemberError {
    let mut changed = member(1);
    change(&mut changed);
    verify(&changed).unwrap_err()
}

#[test]
fn every_leaf_is_a_member() {
    let expected: [&[u32]; 4] = [&[0, 0, 0], &[0, 1, 0], &[1], &[2, 0, 0]];
    for (number, (key, statement)) in tree().leaves().into_iter().enumerate() {
        let written = encode(&member(number)).unwrap();
        let found = verify(&decode(&written).unwrap()).unwrap();
        let position = expected[number].to_vec();
        assert_eq!(
            found,
            Member {
                key,
                statement,
                position,
                bits: 90
            }
        );
    }
    let refused = |leaves: &[KeyDigest]| {
        let (claim, leaves) = (tree().claim.statement(), leaves.iter().copied().collect());
        let shown = member(1).verify(
            &claim,
            keys().digest(),
            VerifyOptions::min_bits(90),
            &leaves,
        );
        shown.err().map(|error| error.to_string())
    };
    assert_eq!(refused(&[key(1), key(2)]), None);
    let words = format!("{} is the key of a leaf", key(2));
    assert!(refused(&[key(1)]).unwrap().starts_with(&words));
    assert!(refused(&[]).unwrap().starts_with(&words));
    let none = Membership::new(&tree(), &keys(), 4).unwrap_err();
    assert!(matches!(none, MemberError::NoLeaf { leaf: 4, leaves: 4 }));
    let root = Membership::new(&leaf(1), &keys(), 0).unwrap_err();
    assert!(matches!(root, MemberError::Empty), "{root}");
}

#[test]
fn claim_keys_and_bits_are_compared() {
    let (claim, key) = (tree().claim.statement(), keys().digest());
    let verify =
        |claim, key, bits| member(1).verify(claim, key, VerifyOptions::min_bits(bits), &ANY);
    verify(&claim, key, 90).unwrap();
    let error = verify(&claim, key, 91).unwrap_err();
    let weak = ClaimError::Security {
        key: self::key(11),
        expected: 91,
        found: 90,
    };
    assert!(matches!(error, MemberError::Claim(found) if found == weak));
    let error = verify(&[F::ONE; 8], key, 0).unwrap_err();
    assert!(matches!(error, MemberError::Digest(1)), "{error}");
    let error = verify(&claim, self::key(1), 0).unwrap_err();
    assert!(matches!(error, MemberError::Keys(_)), "{error}");
}

/// Levels and proofs that are left out, exchanged, added or replaced.
#[test]
fn forged_paths_are_refused() {
    let digest = |expected: usize, change: fn(&mut Membership)| {
        let error = refusal(change);
        let found = matches!(error, MemberError::Digest(level) if level == expected);
        assert!(found, "{expected}: {error}");
    };
    digest(1, |member| member.path[0].children.swap(1, 2));
    digest(2, |member| member.path[1].children.swap(0, 1));
    digest(3, |member| member.path[1].child = 0);
    digest(1, |member| member.path.swap(0, 1));
    digest(1, |member| drop(member.path.remove(0)));
    digest(2, |member| drop(member.path.remove(1)));
    digest(2, |member| member.path[1].children.truncate(1));
    digest(3, |member| {
        member.path[2].children.push((key(5), [F::ONE; 8]))
    });
    // Another leaf, statement or key.
    digest(3, |member| member.path[2] = self::member(0).path[2].clone());
    digest(3, |member| member.path[2].children[0].1 = [F::ONE; 8]);
    digest(3, |member| member.path[2].children[0].0 = key(3));
    digest(3, |member| member.path[2].children.clear());
    let error = refusal(|member| member.path[1].child = 2);
    let outside = matches!(
        error,
        MemberError::Child {
            level: 2,
            child: 2,
            children: 2
        }
    );
    assert!(outside, "{error}");
    let error = refusal(|member| member.path.clear());
    assert!(matches!(error, MemberError::Empty), "{error}");
}

/// Statements are digests of children under the tag of claims only.
#[test]
fn other_digests_are_no_claims() {
    let children = vec![(key(1), [F::ONE; 8])];
    let message = [[F::ONE; 8]; 2].concat();
    let member = Membership {
        keys: vec![(key(20), 100)],
        path: vec![Level { children, child: 0 }],
    };
    let verify = |tag| {
        member.verify(
            &Poseidon16.hash(tag, &message),
            member.key(),
            VerifyOptions::min_bits(100),
            &ANY,
        )
    };
    assert_eq!(verify(CLAIM_TAG).unwrap().key, key(1));
    let error = verify(PUBLIC_TAG).unwrap_err();
    assert!(matches!(error, MemberError::Digest(1)), "{error}");
}

/// A path may end at leaves only, and must not go on below them.
#[test]
fn paths_end_where_recursion_ends() {
    let claim = |error: MemberError, expected: &ClaimError| {
        let found = matches!(&error, MemberError::Claim(found) if found == expected);
        assert!(found, "{error}");
    };
    let hidden = |n| ClaimError::Hidden(key(n));
    claim(refusal(|member| drop(member.path.pop())), &hidden(10));
    claim(refusal(|member| member.path.truncate(1)), &hidden(20));

    // A program that reveals the digest of a list of proofs that nobody made: its statement is
    // hashed right, but its key is no recursion key.
    let forged = vec![(key(1), [F::TWO; 8])];
    let revealing = ClaimTree {
        key: key(7),
        claim: Claim::Statement(claim_digest(&forged)),
    };
    let tree = node(20, vec![node(10, vec![revealing])]);
    let keys = list(&[(10, 100), (20, 100)]);
    let mut member = Membership::new(&tree, &keys, 0).unwrap();
    let verify = |member: &Membership| {
        member.verify(
            &tree.claim.statement(),
            keys.digest(),
            VerifyOptions::min_bits(100),
            &ANY,
        )
    };
    assert_eq!(verify(&member).unwrap().key, key(7));
    member.path.push(Level {
        children: forged,
        child: 0,
    });
    claim(verify(&member).unwrap_err(), &ClaimError::Recursion(key(7)));
    // Nor does it help to list its key.
    member.keys.insert(0, (key(7), 100));
    let error = verify(&member).unwrap_err();
    assert!(matches!(error, MemberError::Keys(_)), "{error}");
}

#[test]
fn keys_cannot_be_left_out_or_changed() {
    let changes: [fn(&mut Membership); 7] = [
        |member| member.keys.rotate_left(1),
        |member| member.keys.truncate(2),
        |member| member.keys.clear(),
        |member| member.keys[1].1 = 100,
        |member| member.keys.swap(0, 1),
        |member| member.keys.push(member.keys[2]),
        |member| member.keys[0].0 = key(9),
    ];
    for change in changes {
        let error = refusal(change);
        assert!(matches!(error, MemberError::Keys(_)), "{error}");
    }
    // The empty set has a digest, too, but no aggregate has it.
    let mut none = member(2);
    none.keys.clear();
    let claim = tree().claim.statement();
    let error = none
        .verify(&claim, none.key(), VerifyOptions::min_bits(0), &ANY)
        .unwrap_err();
    assert!(matches!(error, MemberError::Empty), "{error}");
}

/// No change of a byte, no cut and no addition is accepted, but for the number of the last
/// child, which then shows another leaf of the tree.
#[test]
fn every_byte_counts() {
    let wide = node(20, vec![node(10, vec![leaf(1), leaf(2)]), tree()]);
    let claim = wide.claim.statement();
    for number in 0..2 {
        let member = Membership::new(&wide, &keys(), number).unwrap();
        let honest = encode(&member).unwrap();
        let judge = |bytes: &[u8]| {
            let member = decode(bytes).ok()?;
            member
                .verify(&claim, keys().digest(), VerifyOptions::min_bits(0), &ANY)
                .ok()
        };
        let shown = judge(&honest).unwrap();
        assert_eq!(shown.key, key(number as u32 + 1));
        let sibling = 1 - number as u32;
        for at in 0..honest.len() {
            for change in [1, 2, 0x80, 0xff] {
                let mut bytes = honest.clone();
                bytes[at] ^= change;
                let Some(found) = judge(&bytes) else { continue };
                assert_eq!((at, change), (honest.len() - 1, 1), "{found:?}");
                assert_eq!(found.key, key(sibling + 1));
                assert_eq!(found.position, [0, sibling]);
            }
            assert_eq!(judge(&honest[..at]), None, "{at}");
        }
        assert_eq!(judge(&[&honest[..], &[0]].concat()), None);
    }
}

#[test]
fn the_deepest_path_is_made_and_verified() {
    let (depth, keys) = (crate::claim::MAX_DEPTH, list(&[(1, 100)]));
    let tree = (1..depth).fold(leaf(9), |tree, _| node(1, vec![tree, leaf(8)]));
    let member = Membership::new(&tree, &keys, 0).unwrap();
    let claim = tree.claim.statement();
    let found = member
        .verify(&claim, keys.digest(), VerifyOptions::min_bits(100), &ANY)
        .unwrap();
    assert_eq!((found.key, found.position), (key(9), vec![0; depth - 1]));
    assert_eq!(decode(&encode(&member).unwrap()).unwrap(), member);
}
