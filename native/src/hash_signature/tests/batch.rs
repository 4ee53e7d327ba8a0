//! Many signatures at once have the results that each has alone.

use p3_field::PrimeCharacteristicRing;

use super::*;

#[test]
fn batches_are_verified_as_signatures_are_one_by_one() {
    let mut all = Vec::new();
    for (i, signed) in vectors().into_iter().cycle().take(70).enumerate() {
        let mut signed = signed;
        match i % 9 {
            1 => signed.message[0] += F::ONE,
            3 => signed.signature.chain_values[i % 42][3] += F::ONE,
            4 => signed.slot ^= 1 << (i % 32),
            5 => signed.signature.path[i % 32][0] += F::ONE,
            7 => drop(signed.signature.path.pop()),
            _ => {}
        }
        all.push(signed);
    }
    for count in [0, 1, 2, 15, 16, 17, 32, 33, 70] {
        let claims: Vec<Claim<'_>> = all.iter().take(count).map(SignedMessage::claim).collect();
        let batch = Xmss::DEFAULT.verify_batch(&claims);
        assert_eq!(batch.len(), count);
        for (claim, result) in claims.iter().zip(&batch) {
            // `steps` has its own loops.
            assert_eq!(&Xmss::DEFAULT.steps(claim).map(drop), result);
        }
        let accepted = batch.iter().filter(|result| result.is_ok()).count();
        assert!(count < 9 || (count / 3..count).contains(&accepted));
    }
    for signed in all.iter().take(20) {
        let steps = Xmss::DEFAULT.steps(&signed.claim()).map(drop);
        assert_eq!(verify(&Xmss::DEFAULT, signed), steps);
    }
}

#[test]
fn a_batch_takes_several_keys() {
    let scheme = *small_key().scheme();
    let other = SecretKey::generate(scheme, &[2; 32], 0..=15).unwrap();
    let mut all: Vec<SignedMessage> = (3..=8)
        .flat_map(|slot| {
            [
                signed(small_key(), slot, message(slot)),
                signed(&other, slot + 1, message(7 * slot)),
            ]
        })
        .collect();
    all[4].public_key = other.public_key();
    let claims: Vec<Claim<'_>> = all.iter().map(SignedMessage::claim).collect();
    for (i, result) in scheme.verify_batch(&claims).into_iter().enumerate() {
        assert_eq!(result.is_ok(), i != 4, "signature {i}");
    }
}
