use droste_native::F;
use droste_native::hash_signature::{Parameters, PublicKey, Xmss};
use p3_field::PrimeCharacteristicRing;

use super::*;

fn key(n: u32) -> PublicKey {
    let elements = |from: u32| std::array::from_fn(|i| F::from_u32(100 * n + from + i as u32));
    PublicKey {
        root: elements(0),
        parameter: elements(50),
    }
}

fn claim(keys: u32) -> BatchClaim {
    BatchClaim {
        slot: 0x1234_5678,
        message: std::array::from_fn(|i| F::from_usize(i + 1)),
        keys: (0..keys).map(key).collect(),
    }
}

#[test]
fn members_of_a_claim_are_accepted() {
    for (keys, log_keys) in [(1, 1), (2, 1), (3, 2), (5, 3), (8, 3), (5, 4)] {
        let claim = claim(keys);
        let statement = claim.statement(log_keys);
        for index in 0..keys {
            let member = claim.member(log_keys, index as usize).expect("a key");
            assert_eq!(member.key, key(index));
            assert_eq!(member.verify(log_keys, &statement), Ok(()));
        }
        assert_eq!(claim.member(log_keys, keys as usize), None);
    }
    assert_eq!(claim(3).member(1, 0), None);
}

#[test]
fn a_statement_binds_everything_and_the_order() {
    let honest = claim(3);
    let mut others = vec![claim(2), claim(4)];
    others.push(BatchClaim {
        slot: honest.slot ^ 1,
        ..honest.clone()
    });
    others.push(BatchClaim {
        slot: honest.slot ^ (1 << 16),
        ..honest.clone()
    });
    let mut swapped = honest.clone();
    swapped.keys.swap(0, 1);
    others.push(swapped);
    for lane in 0..8 {
        let mut other = honest.clone();
        other.message[lane] += F::ONE;
        others.push(other);
    }
    // Keys of zeros are as good as none in the tree, but not in the number of signatures.
    let mut longer = honest.clone();
    let zero = [F::ZERO; 4];
    longer.keys.push(PublicKey {
        root: zero,
        parameter: zero,
    });
    others.push(longer);
    for other in others {
        assert_ne!(other.statement(2), honest.statement(2), "{other:?}");
    }
}

#[test]
fn what_is_not_in_a_claim_is_refused() {
    let claim = claim(3);
    let statement = claim.statement(2);
    let honest = claim.member(2, 1).expect("a key");
    let refused = |edit: &dyn Fn(&mut BatchMember)| {
        let mut member = honest.clone();
        edit(&mut member);
        member.verify(2, &statement).expect_err("refused")
    };
    assert_eq!(
        refused(&|member| member.key = key(7)),
        BatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.slot += 1),
        BatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.message[0] += F::ONE),
        BatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.index = 0),
        BatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.signatures = 4),
        BatchMemberError::Statement
    );
    assert_eq!(
        refused(&|member| member.path[1][3] += F::ONE),
        BatchMemberError::Statement
    );
    // A node of the tree is no key, and what follows the keys has not signed.
    assert_eq!(
        refused(&|member| member.path.truncate(1)),
        BatchMemberError::Levels {
            expected: 2,
            found: 1
        }
    );
    assert_eq!(
        refused(&|member| (member.index, member.signatures) = (3, 3)),
        BatchMemberError::NotSigned {
            index: 3,
            signatures: 3
        }
    );
    assert_eq!(
        refused(&|member| (member.index, member.signatures) = (5, 9)),
        BatchMemberError::NotSigned {
            index: 5,
            signatures: 9
        }
    );
}

#[test]
fn programs_are_named_by_their_parameters() {
    let scheme = Xmss::new(Parameters {
        chains: 4,
        bits: 3,
        levels: 2,
        target_sum: 20,
    })
    .expect("a scheme");
    let program = BatchProgram::new(scheme, 5).expect("a program");
    assert_eq!(program.log_keys(), 3);
    assert!(
        program
            .source()
            .contains("verify_signatures::<3, 2, 8, 2>()")
    );
    assert_eq!(
        BatchProgram::new(scheme, 1).expect("a program").log_keys(),
        1
    );
    for signatures in [0, (1 << MAX_LOG_KEYS) + 1] {
        assert_eq!(
            BatchProgram::new(scheme, signatures),
            Err(BatchProgramError::Signatures { found: signatures })
        );
    }
    let wide = Xmss::new(Parameters {
        chains: 20,
        bits: 4,
        levels: 2,
        target_sum: 20,
    });
    assert_eq!(
        BatchProgram::new(wide.expect("a scheme"), 1),
        Err(BatchProgramError::Digits { found: 4 })
    );
    let long = Xmss::new(Parameters {
        chains: 50,
        bits: 3,
        levels: 2,
        target_sum: 20,
    });
    assert_eq!(
        BatchProgram::new(long.expect("a scheme"), 1),
        Err(BatchProgramError::Chains { found: 50 })
    );
}
