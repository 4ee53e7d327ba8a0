//! Methods of the standard library whose arguments are closures, conversions that may fail, and
//! characters. The programs assert what they compute, so both compilers must agree with the text.

use super::{outputs, program};

program!(iterators {
    use droste_gadgets::prelude::*;
    use std::iter;

    fn total(list: &[u8]) -> Option<u8> {
        list.iter().try_fold(0u8, |sum, x| sum.checked_add(*x))
    }
    fn digits(text: &[u8]) -> Result<u32, usize> {
        let mut at = 0;
        text.iter().try_fold(0, |value: u32, c| {
            at += 1;
            match c {
                b'0'..=b'9' => Ok(value * 10 + u32::from(c - b'0')),
                _ => Err(at),
            }
        })
    }
    fn small(list: &[u32]) -> Result<(), u32> {
        list.iter().copied().try_for_each(|x| if x < 5 { Ok(()) } else { Err(x) })
    }

    pub fn main() {
        let x = public_input();
        assert_eq!(total(&[1, 2, 3]), Some(6));
        assert_eq!(total(&[200, 100, 3]), None);
        assert_eq!(total(&[]), Some(0));
        assert_eq!((digits(b"407"), digits(b"4x7"), digits(b"")), (Ok(407), Err(2), Ok(0)));
        assert_eq!((small(&[1, 4]), small(&[1, 7, 9]), small(&[])), (Ok(()), Err(7), Ok(())));
        // What follows the element that ends it remains.
        let mut it = [1u32, 9, 4, 7].into_iter();
        assert_eq!(it.try_for_each(|x| if x < 5 { Some(()) } else { None }), None);
        assert_eq!(it.next(), Some(4));
        let powers = (0..4).try_fold(x, |power, _| Some(power * power)).unwrap();
        let sums: Vec<Felt> = [x, x, felt(3)].iter().scan(Felt::ONE, |sum, y| {
            *sum += *y;
            Some(*sum)
        }).collect();
        reveal(powers + sums[0] * felt(100) + sums[1] * felt(10) + sums[2]);
        let ended: Vec<u32> = (1..10u32).scan(1u32, |product, x| {
            *product *= x;
            (*product < 100).then_some(*product)
        }).collect();
        assert_eq!(ended, [1, 2, 6, 24]);
        let seen: Vec<(usize, u32)> = [5u32, 6].into_iter().scan(Vec::new(), |seen: &mut Vec<u32>, x| {
            seen.push(x);
            Some((seen.len(), seen[0]))
        }).collect();
        assert_eq!(seen, [(1, 5), (2, 5)]);
        let mut n = 0u32;
        let odd: Vec<u32> = iter::from_fn(|| {
            n += 2;
            (n < 9).then(|| n - 1)
        }).collect();
        assert_eq!((odd, n), (vec![1, 3, 5, 7], 10));
        let (mut a, mut b) = (0u32, 1u32);
        let fibonacci = iter::from_fn(move || {
            (a, b) = (b, a + b);
            Some(a)
        });
        assert_eq!(fibonacci.skip(2).step_by(2).take(3).collect::<Vec<_>>(), [2, 5, 13]);
        let mut calls = 0u32;
        assert_eq!(iter::repeat_with(|| { calls += 1; calls }).take(3).sum::<u32>(), 6);
        assert_eq!(calls, 3);
        assert_eq!(iter::repeat_n(7u32, 3).collect::<Vec<_>>(), [7, 7, 7]);
        assert_eq!(iter::zip([1u32, 2], [3u32, 4, 5]).map(|(a, b)| a * b).sum::<u32>(), 11);
        // `fuse` does not ask again.
        let mut asked = 0u32;
        let mut fused = iter::from_fn(|| { asked += 1; (asked % 2 == 1).then_some(asked) }).fuse();
        assert_eq!((fused.next(), fused.next(), fused.next()), (Some(1), None, None));
        assert_eq!(asked, 2);
        let v = [3u32, 1, 4, 1, 5];
        assert_eq!(v.iter().rfold(0, |acc, x| acc * 10 + x), 51413);
        assert_eq!((v.iter().rfind(|x| **x < 4), v.iter().rfind(|x| **x > 9)), (Some(&1), None));
        assert!(v.iter().is_sorted_by_key(|x| *x / 6) && !v.iter().is_sorted_by(|a, b| a <= b));
    }
});

program!(lists {
    use droste_gadgets::prelude::*;

    fn parts<'a>(parts: impl Iterator<Item = &'a [u8]>) -> Vec<usize> {
        parts.map(|part| part.len()).collect()
    }

    pub fn main() {
        let x = public_input();
        let text = b"to be or  not";
        assert_eq!(parts(text.split(|c| *c == b' ')), [2, 2, 2, 0, 3]);
        assert_eq!(parts(text.split_inclusive(|&c| c == b' ')), [3, 3, 3, 1, 3]);
        assert_eq!((parts([].split(|c| *c == 0)), parts([0, 0].split(|c| *c == 0))), (vec![0], vec![0, 0, 0]));
        assert_eq!(parts(b"ends ".split_inclusive(|c| *c == b' ')), [5]);
        assert_eq!(parts(b"aabccc".chunk_by(|a, b| a == b)), [2, 1, 3]);
        assert_eq!(parts([].chunk_by(|a: &u8, b| a == b)), []);
        assert_eq!(parts(b"abcde".rchunks(2)), [2, 2, 1]);
        assert_eq!("é!".as_bytes(), [0xc3, 0xa9, b'!']);
        assert_eq!(text.strip_prefix(b"to").map(|rest| rest.len()), Some(11));
        assert!(text.strip_suffix(b"to").is_none() && text.strip_prefix(&[b't'; 20]).is_none());
        assert_eq!(text.split_at_checked(2).map(|(a, b)| a.len() * 100 + b.len()), Some(211));
        assert!(text.split_at_checked(14).is_none());
        let sorted = [1u32, 3, 5, 7, 9];
        assert_eq!((sorted.partition_point(|x| *x < 6), sorted.partition_point(|_| true)), (3, 5));
        assert_eq!(sorted.binary_search_by(|probe| probe.cmp(&3)), Ok(1));
        assert_eq!(sorted.binary_search_by_key(&8, |x| x + 1), Ok(3));
        assert_eq!(sorted.binary_search_by_key(&9, |x| x + 1), Err(4));
        assert!(sorted.is_sorted_by(|a, b| a < b) && !sorted.is_sorted_by_key(|x| 10 - x));
        assert_eq!(sorted.each_ref().map(|x| *x + 1)[4], 10);
        let mut v = vec![1u32, 2, 3];
        // It changes the elements that it compares.
        v.dedup_by_key(|x| { *x += 1; *x });
        assert_eq!(v, [2, 4]);
        v.dedup_by(|a, b| { *b += 10; *a < *b });
        assert_eq!(v, [12]);
        v.resize_with(4, || 7);
        v.retain_mut(|x| { *x += 1; *x % 2 == 0 });
        assert_eq!(v, [8, 8, 8]);
        let mut next = 0;
        v.fill_with(|| { next += 3; next });
        assert_eq!(v, [3, 6, 9]);
        v.resize_with(1, || 5);
        let mut felts = vec![x; 2];
        felts.resize_with(3, || x * x);
        felts.retain_mut(|y| { *y += Felt::ONE; true });
        reveal(felts[0] * felt(100) + felts[2] + felt(v.len()));
    }
});

program!(conversions {
    use droste_gadgets::prelude::*;
    use std::array::TryFromSliceError;

    struct Pair { low: u8, high: [u8; 2] }
    fn byte(x: u8) -> u32 { u32::from(x) }
    fn narrow(x: u32) -> Option<u8> { x.try_into().ok() }
    fn checked(x: u32) -> Result<u8, &'static str> { x.try_into().map_err(|_| "large") }
    fn next(x: u32) -> Result<u8, std::num::TryFromIntError> {
        let x: u8 = x.try_into()?;
        Ok(x + 1)
    }
    fn long(x: u32) -> Result<u8, &'static str> {
        let x: u8 = x.try_into().map_err(|_| "large")?;
        let y: u8 = narrow(u32::from(x)).ok_or("none")?;
        Ok(x - y)
    }
    fn word(list: &[u8]) -> Result<u32, TryFromSliceError> {
        Ok(u32::from_be_bytes(list.try_into()?))
    }
    fn halves<const N: usize>(list: &[u8]) -> ([u8; N], [u8; N]) {
        (list[..N].try_into().unwrap(), list[list.len() - N..].try_into().unwrap())
    }

    pub fn main() {
        let x = public_input();
        let (n, bytes) = (200u32, [1u8, 2, 3, 4, 5, 6, 7, 8]);
        let a: u8 = n.try_into().unwrap();
        let b: u8 = (n + 100).try_into().unwrap_or(u8::MAX);
        let c: i8 = n.try_into().unwrap_or_default();
        let d: usize = (-1i32).try_into().unwrap_or_else(|_| 9);
        assert_eq!((a, b, c, d, byte(n.try_into().expect("a byte"))), (200, 255, 0, 9, 200));
        assert_eq!(2u64.pow(u64::from(n).try_into().unwrap_or(5) / 50), 16);
        assert_eq!((narrow(7), narrow(256), checked(7).ok(), checked(256).is_err()), (Some(7), None, Some(7), true));
        assert!(next(7).is_ok_and(|x| x == 8) && next(256).is_err() && long(9).is_ok_and(|x| x == 0) && long(256).is_err());
        let pair = Pair { low: n.try_into().unwrap(), high: bytes[6..].try_into().unwrap() };
        assert_eq!((pair.low, pair.high), (200, [7, 8]));
        let words: Vec<u32> = bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
        assert_eq!(words, [0x04030201, 0x08070605]);
        for c in bytes.chunks_exact(8) {
            assert_eq!(u64::from_be_bytes(c.try_into().unwrap()), 0x0102030405060708);
        }
        assert!(word(&bytes[..4]).is_ok_and(|word| word == 0x01020304) && word(&bytes).is_err());
        assert!(<[u8; 3]>::try_from(&bytes[1..4]).is_ok_and(|list| list == [2, 3, 4]));
        assert!(<[u8; 3]>::try_from(&bytes[..]).is_err());
        let list: [u32; 2] = vec![5u32, 6].try_into().unwrap();
        let back: Result<[u32; 3], Vec<u32>> = vec![5u32, 6].try_into();
        assert_eq!((list, back), ([5, 6], Err(vec![5, 6])));
        assert_eq!(halves::<2>(&bytes), ([1, 2], [7, 8]));
        let felts: [Felt; 2] = vec![x, x * x].try_into().unwrap_or([Felt::ZERO; 2]);
        reveal(felts[0] * felt(1000) + felts[1]);
        let nested: Result<Result<u32, u8>, u8> = Ok(Err(3));
        assert_eq!(nested.flatten(), Err(3));
        let mut seen = 0;
        let ok: Result<u32, u8> = Ok(4);
        let same = ok.inspect(|x| seen += x).inspect_err(|_| seen += 100);
        assert_eq!((same, seen, same.iter().count(), same.into_iter().sum::<u32>()), (ok, 4, 1, 4));
    }
});

program!(characters {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let mut acc = public_input();
        for code in 0..128u32 {
            let c = char::from_u32(code).unwrap();
            let kinds = [
                c.is_alphabetic(), c.is_alphanumeric(), c.is_control(), c.is_lowercase(), c.is_numeric(),
                c.is_uppercase(), c.is_whitespace(), c.is_ascii_control(), c.is_ascii_graphic(), c.is_digit(10),
                c.is_digit(16), c.eq_ignore_ascii_case(&'q'), (code as u8).eq_ignore_ascii_case(&b'Q'),
            ];
            let kinds = kinds.iter().fold(0, |bits, kind| bits * 2 + *kind as usize);
            let digit = char::from_digit(code, 36).map_or(200, |digit| digit as usize);
            acc = acc * felt(31) + felt(kinds * 1000 + digit);
        }
        assert_eq!((char::from_u32(0xD800), char::from_u32(0x110000)), (None, None));
        assert_eq!((char::from_digit(7, 7), char::from_digit(11, 16)), (None, Some('b')));
        assert!('é'.eq_ignore_ascii_case(&'é') && !'é'.eq_ignore_ascii_case(&'É'));
        reveal(acc);
        assert_eq!((250u8.checked_add_signed(-3), 250u8.checked_add_signed(7)), (Some(247), None));
        assert_eq!((3u8.wrapping_add_signed(-9), 3u8.saturating_add_signed(-9)), (250, 0));
        assert_eq!(3usize.overflowing_add_signed(-4), (usize::MAX, true));
        assert_eq!(((-3i8).checked_sub_unsigned(200), (-3i8).saturating_add_unsigned(255)), (None, 127));
        assert_eq!((200u8.cast_signed(), (-1i16).cast_unsigned()), (-56, 65535));
    }
});

#[test]
fn methods_of_the_standard_library() {
    outputs(iterators::SOURCE, iterators::main, &[3]);
    outputs(lists::SOURCE, lists::main, &[3]);
    outputs(conversions::SOURCE, conversions::main, &[3]);
    outputs(characters::SOURCE, characters::main, &[3]);
}
