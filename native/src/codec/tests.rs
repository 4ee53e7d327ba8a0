use bincode::config;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::*;

/// Every kind of value that files have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Choice {
    None,
    One(u32),
    Two(u8, String),
    Named { list: Vec<u64>, flag: bool },
}

type Values = (
    Vec<Choice>,
    Option<Box<u16>>,
    [u8; 4],
    (),
    Vec<crate::F>,
    Vec<usize>,
);

fn decode_body<T: DeserializeOwned>(bytes: &[u8], header: usize) -> Result<T, DecodeError> {
    super::decode_body(bytes, header, LIST_FACTOR)
}

fn choices() -> impl Strategy<Value = Choice> {
    let list = prop::collection::vec(integers(), 0..4);
    prop_oneof![
        Just(Choice::None),
        integers().prop_map(|value| Choice::One(value as u32)),
        (any::<u8>(), ".{0,300}").prop_map(|(number, text)| Choice::Two(number, text)),
        (list, any::<bool>()).prop_map(|(list, flag)| Choice::Named { list, flag }),
    ]
}

/// Integers, with those at the ends of every length more often.
fn integers() -> impl Strategy<Value = u64> {
    let ends = vec![0, 250, 251, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000];
    prop_oneof![any::<u64>(), prop::sample::select(ends), 0..1000_u64]
}

fn values() -> impl Strategy<Value = Values> {
    let elements = prop::collection::vec(any::<u32>().prop_map(crate::F::new), 0..5);
    (
        prop::collection::vec(choices(), 0..300),
        any::<Option<u16>>().prop_map(|value| value.map(Box::new)),
        any::<[u8; 4]>(),
        Just(()),
        elements,
        prop::collection::vec(integers().prop_map(|value| value as usize), 0..4),
    )
}

/// What `bincode` reads. Its limit is no part of the format.
fn reference(bytes: &[u8]) -> Option<(Values, usize)> {
    bincode::serde::decode_from_slice(bytes, config::standard().with_limit::<MAX_BYTES>()).ok()
}

proptest! {
    /// The format is `bincode`'s, in which all files so far were written.
    #[test]
    fn values_are_written_and_read_as_by_bincode(values in values()) {
        let bytes = encode_body(vec![7], &values).unwrap();
        let expected = bincode::serde::encode_to_vec(&values, config::standard()).unwrap();
        prop_assert_eq!(&bytes[1..], &expected[..]);
        prop_assert_eq!(file_length(1, &values).unwrap(), bytes.len());
        prop_assert!(is_body(&values, &bytes, 1));
        prop_assert_eq!(decode_body::<Values>(&bytes, 1).unwrap(), values);
    }

    /// Of changed bytes, too, the same are read, and as the same values.
    #[test]
    fn changed_bytes_are_read_as_by_bincode(
        values in values(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let honest = encode_body(vec![], &values).unwrap();
        let mut bytes = honest.clone();
        for (index, byte) in changes {
            let index = index.index(bytes.len());
            bytes[index] = byte;
        }
        if let Some(end) = end {
            bytes.truncate(end.index(bytes.len()));
        }
        let expected = reference(&bytes);
        let found = decode_body::<Values>(&bytes, 0);
        match expected {
            Some((expected, read)) if read == bytes.len() => {
                prop_assert_eq!(found.as_ref(), Ok(&expected));
                let canonical = encode_body(vec![], &expected).unwrap() == bytes;
                prop_assert_eq!(is_body(&expected, &bytes, 0), canonical);
            }
            Some((_, read)) => {
                prop_assert_eq!(found, Err(DecodeError::TrailingBytes(bytes.len() - read)));
            }
            None => prop_assert!(matches!(found, Err(DecodeError::Malformed(_)))),
        }
        prop_assert_eq!(is_body(&values, &bytes, 0), bytes == honest);
    }
}

/// Every other way to write a value is refused by the decoder, or by the comparison after it.
#[test]
fn no_value_has_a_second_encoding() {
    fn check<T: Serialize + DeserializeOwned>(value: &T, others: &[&[u8]]) {
        let honest = encode_body(vec![], value).unwrap();
        assert!(is_body(value, &honest, 0));
        for other in others {
            let read = decode_body::<T>(other, 0);
            assert!(
                !read.is_ok_and(|value| is_body(&value, other, 0)),
                "{other:?}"
            );
        }
    }
    // Integers in more bytes than they need, in more than their type has, and behind other bytes.
    check(
        &7_u64,
        &[
            &[251, 7, 0],
            &[252, 7, 0, 0, 0],
            &[253, 7, 0, 0, 0, 0, 0, 0, 0],
        ],
    );
    check(
        &251_u64,
        &[
            &[251],
            &[252, 251, 0, 0, 0],
            &[253, 251, 0, 0, 0, 0, 0, 0, 0],
        ],
    );
    check(&7_u16, &[&[252, 7, 0, 0, 0], &[254, 7], &[255, 7]]);
    check(&7_u32, &[&[251, 7, 0], &[253, 7, 0, 0, 0, 0, 0, 0, 0]]);
    check(&7_u8, &[&[251, 7, 0], &[7, 0], &[]]);
    check(&true, &[&[2], &[255], &[1, 0]]);
    // Numbers of choices, and whether there is a value.
    check(
        &Some(7_u8),
        &[&[2, 7], &[255, 7], &[251, 1, 0, 7], &[1], &[0, 7]],
    );
    check(
        &Choice::None,
        &[&[251, 0, 0], &[4], &[253, 0, 0, 0, 0, 1, 0, 0, 0], &[0, 0]],
    );
    // Lengths of lists and texts.
    check(
        &vec![1_u8, 2],
        &[&[251, 2, 0, 1, 2], &[2, 1], &[2, 1, 2, 0], &[1, 1, 2]],
    );
    check(
        &"a".to_owned(),
        &[&[251, 1, 0, b'a'], &[1, 0xff], &[2, b'a']],
    );
    // An element and the modulus more, in Montgomery form.
    let modulus = crate::field::MODULUS;
    let [zero, last] = [modulus, u32::MAX].map(u32::to_le_bytes);
    check(&crate::F::default(), &[&zero, &last]);
}

/// A length decides nothing unless so many bytes follow, in lists of lists and of nothing, too.
#[test]
fn lengths_beyond_the_end_are_refused_at_once() {
    let lengths = [3, 251, 1 << 16, 1 << 31, 1 << 32, (1 << 32) + 1, u64::MAX];
    for length in lengths {
        let list = encode_body(vec![], &length).unwrap();
        let nested = encode_body(vec![1], &length).unwrap();
        for bytes in [&list, &nested] {
            let bytes = [&bytes[..], &[0, 0]].concat();
            assert!(decode_body::<Vec<u8>>(&bytes, 0).is_err());
            assert!(decode_body::<Vec<()>>(&bytes, 0).is_err());
            assert!(decode_body::<Vec<Vec<u64>>>(&bytes, 0).is_err());
            assert!(decode_body::<Vec<String>>(&bytes, 0).is_err());
            assert!(decode_body::<String>(&bytes, 0).is_err());
        }
    }
}

/// Values that files do not have are refused, not written in a way that nothing reads.
#[test]
fn other_values_are_refused() {
    let map = std::collections::BTreeMap::from([(1_u8, 2_u8)]);
    assert!(encode_body(vec![], &map).is_err());
    assert!(encode_body(vec![], &-1_i32).is_err());
    assert!(encode_body(vec![], &1.5_f64).is_err());
    assert!(matches!(
        decode_body::<i32>(&[0], 0),
        Err(DecodeError::Malformed(_))
    ));
}

/// Unlike in `bincode`, whose integers of 128 bits have a length of their own.
#[test]
fn integers_of_128_bits_have_16_bytes() {
    for value in [0, 1, 251, 1 << 100, u128::MAX] {
        let bytes = encode_body(vec![], &value).unwrap();
        assert_eq!(bytes, value.to_le_bytes());
        assert!(is_body(&value, &bytes, 0));
        assert_eq!(decode_body(&bytes, 0), Ok(value));
        assert!(decode_body::<u128>(&bytes[..15], 0).is_err());
    }
}

/// How many empty lists are read: as many as the budget has room for.
#[test]
fn lists_take_no_more_memory_than_the_budget() {
    // A list of lists after `bytes` others, which may add to the budget.
    let read = |bytes: usize, lists: usize, factor: usize| {
        let value = (vec![0_u8; bytes], vec![Vec::<u32>::new(); lists]);
        let file = encode_body(vec![], &value).unwrap();
        let budget = factor * file.len() + LIST_CONSTANT;
        let taken = bytes + lists * size_of::<Vec<u32>>();
        let found = super::decode_body::<(Vec<u8>, Vec<Vec<u32>>)>(&file, 0, factor);
        assert_eq!(found.is_ok(), taken <= budget, "{bytes} {lists} {factor}");
        assert!(found.is_ok() || matches!(found, Err(DecodeError::Malformed(_))));
        found.is_ok()
    };
    let room = LIST_CONSTANT / size_of::<Vec<u32>>();
    assert!(read(0, room, 0));
    assert!(!read(0, room + 1, 0));
    assert!(!read(100, room, 0));
    for bytes in [0, 1, 100, 1 << 16] {
        let most = (0..1 << 15).collect::<Vec<_>>();
        let most = most.partition_point(|&lists| read(bytes, lists, LIST_FACTOR));
        assert!(most >= room, "{most}");
    }
    // The longest texts that a file may have, and lists of tuples, whose elements are charged once.
    let text = "a".repeat(1 << 18);
    let file = encode_body(vec![], &text).unwrap();
    assert_eq!(super::decode_body(&file, 0, 1), Ok(text));
    assert!(super::decode_body::<String>(&file, 0, 0).is_err());
    let digests = vec![[7_u8; 32]; 1 << 12];
    let file = encode_body(vec![], &digests).unwrap();
    assert_eq!(super::decode_body(&file, 0, 1), Ok(digests));
    assert!(super::decode_body::<Vec<[u8; 32]>>(&file, 0, 0).is_err());
}
