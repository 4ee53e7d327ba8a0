//! Parameters, tweaks and digits, against the specification in plain integers.

use p3_field::PrimeField32;
use proptest::prelude::*;

use super::*;
use crate::field::MODULUS;

#[test]
fn default_parameters_are_valid() {
    assert_eq!(Xmss::new(Parameters::DEFAULT), Ok(Xmss::DEFAULT));
    assert_eq!(Xmss::DEFAULT.last_slot(), u32::MAX);
}

#[test]
fn other_parameters_are_valid_to_their_bounds() {
    let check = |chains, bits, levels, target_sum| {
        Xmss::<TweakablePoseidon16>::new(Parameters {
            chains,
            bits,
            levels,
            target_sum,
        })
    };
    let range = |name, value, min, max| {
        Err(ParameterError::OutOfRange {
            name,
            value,
            min,
            max,
        })
    };
    // 8 elements of 24 bits, and 2^10 positions.
    for (bits, most) in [(1, 192), (2, 96), (3, 64), (4, 48), (6, 16), (8, 4)] {
        let top = most * ((1 << bits) - 1);
        assert!(check(most, bits, 1, top).is_ok());
        assert!(check(2, bits, 32, 0).is_ok());
        assert_eq!(
            check(most + 2, bits, 1, 0),
            range("chains", most + 2, 1, most)
        );
        assert_eq!(
            check(most, bits, 1, top + 1),
            range("target_sum", top + 1, 0, top)
        );
        assert_eq!(
            check(most - 1, bits, 1, 0),
            Err(ParameterError::OddChains { chains: most - 1 })
        );
        assert_eq!(check(0, bits, 1, 0), range("chains", 0, 1, most));
        assert!(check(u32::MAX, bits, 1, 0).is_err());
    }
    for bits in [5, 7] {
        let expected = ParameterError::Bits { bits, of: 24 };
        assert_eq!(check(2, bits, 1, 0), Err(expected));
    }
    for bits in [0, 9, u32::MAX] {
        assert_eq!(check(2, bits, 1, 0), range("bits", bits, 1, 8));
    }
    for levels in [0, 33, u32::MAX] {
        assert_eq!(check(2, 1, levels, 0), range("levels", levels, 1, 32));
    }
}

/// The digits as the specification has them, computed from one integer of 24 bits per element.
fn reference(digest: [u32; 8], bits: u32, chains: usize) -> Option<Vec<u8>> {
    let mut digits = Vec::new();
    for element in digest.map(u64::from) {
        let (low, high) = (element % (1 << 24), element / (1 << 24));
        if high == 127 {
            return None;
        }
        let mut rest = low;
        for _ in 0..24 / bits {
            digits.push((rest % (1 << bits)) as u8);
            rest /= 1 << bits;
        }
    }
    digits.truncate(chains);
    Some(digits)
}

#[test]
fn digests_with_the_last_element_have_no_digits() {
    for element in 0..8 {
        let mut digest = [F::new(5); 8];
        for (value, accepted) in [(0, true), (MODULUS - 2, true), (MODULUS - 1, false)] {
            digest[element] = F::new(value);
            let digits = Xmss::DEFAULT.digits(&digest);
            let expected = reference(digest.map(|x| x.as_canonical_u32()), 3, 42);
            assert_eq!(expected.is_some(), accepted);
            assert_eq!(digits, expected.ok_or(VerifyError::NoDigits { element }));
            if !accepted {
                let refused = VerifyError::NoDigits { element };
                assert_eq!(Xmss::DEFAULT.encoding(&digest), Err(refused));
            }
        }
    }
}

#[test]
fn encodings_have_the_target_sum() {
    // Three elements of eight digits 7 make 168. The fourth adds its only digit, and the sixth has
    // the last two of the 42 digits.
    let with = |fourth: u32, sixth: u32| {
        let full = 0o7777_7777;
        Xmss::DEFAULT.encoding(&elements([full, full, full, fourth, 0, sixth, 0, 0]))
    };
    let sum = |found| {
        let expected = 184;
        Err(VerifyError::Sum { found, expected })
    };
    assert!(with(2, 0o77).is_ok());
    assert_eq!(with(1, 0o77), sum(183));
    assert_eq!(with(3, 0o77), sum(185));
    // Digits after the last chain do not count.
    assert!(with(2, 0o7777_7777).is_ok());
}

/// A tweak as the specification has it.
fn reference_tweak(kind: u64, sub: u64, index: u64) -> [u32; 2] {
    let first = kind * (1 << 26) + (index >> 16) * (1 << 10) + sub;
    assert!(first < u64::from(MODULUS));
    [first as u32, (index & 0xffff) as u32]
}

proptest! {
    #[test]
    fn tweaks_are_those_of_the_specification(kind in 0u32..4, sub in 0u32..1 << 10, index: u32) {
        let kinds = [TweakKind::Chain, TweakKind::Leaf, TweakKind::Merkle, TweakKind::Encoding];
        let tweak = tweak(kinds[kind as usize], sub, index);
        let expected = reference_tweak(kind.into(), sub.into(), index.into());
        prop_assert_eq!(tweak.map(|x| x.as_canonical_u32()), expected);
    }

    #[test]
    fn digits_are_those_of_the_specification(
        digest in proptest::array::uniform8(prop_oneof![
            30 => 0..MODULUS,
            1 => MODULUS - 2..MODULUS,
        ]),
        bits in prop_oneof![Just(1u32), Just(2), Just(3), Just(4), Just(6), Just(8)],
    ) {
        let chains = (192 / bits).min(1024 >> bits);
        let scheme: Xmss = Xmss::new(Parameters { chains, bits, levels: 1, target_sum: 0 }).unwrap();
        let digits = scheme.digits(&digest.map(F::new));
        prop_assert_eq!(digits.ok(), reference(digest, bits, chains as usize));
    }
}
