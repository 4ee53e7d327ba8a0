//! Text that is known while compiling: its methods, order and patterns, and what has it in it.

use super::{outputs, program};

program!(methods {
    use droste_gadgets::prelude::*;
    use std::num::{IntErrorKind, ParseIntError};

    const WORDS: [&str; 4] = ["pear", "fig", "", "\u{e9}t\u{e9}"];
    static LINES: &str = "  a bc\t1\r\nsecond\n\n";

    fn digest(text: &str) -> usize {
        text.bytes().fold(7, |acc, byte| (acc * 31 + byte as usize) % 1_000_003)
    }
    fn all<'a>(parts: impl Iterator<Item = &'a str>) -> usize {
        parts.fold(1, |acc, part| (acc * 1009 + digest(part)) % 1_000_003)
    }
    fn number(text: &str) -> Result<u32, ParseIntError> {
        Ok(text.trim().parse::<u32>()? * 2)
    }

    pub fn main() {
        let x = public_input();
        for word in WORDS {
            reveal(x * felt(word.len() + 10 * word.is_empty() as usize + 100 * digest(word)));
        }
        let accent = WORDS[3];
        assert_eq!(accent.chars().rev().collect::<Vec<char>>(), ['\u{e9}', 't', '\u{e9}']);
        assert_eq!(accent.char_indices().map(|(at, c)| at * 1000 + c as usize).sum::<usize>(), 5582);
        assert!(!accent.is_ascii() && accent.get(1..).is_none() && accent.get(2..3) == Some("t"));
        assert_eq!(accent.as_bytes()[..2], [0xc3, 0xa9]);
        assert_eq!(&accent[..=1], "\u{e9}");
        let four: [u8; 4] = "abcd".as_bytes().try_into().unwrap();
        assert_eq!((u32::from_be_bytes(four), &"abcd"[1..3], &"abcd"[4..]), (0x61626364, "bc", ""));
        assert_eq!(four, *b"abcd");

        reveal(felt(all(LINES.lines()) + all(LINES.split_whitespace())));
        reveal(felt(all(LINES.split(' ')) + all(LINES.split("")) + all("a--b--".split("--"))));
        assert_eq!((LINES.trim(), LINES.trim_start().len(), LINES.trim_end().len()), ("a bc\t1\r\nsecond", 16, 16));
        assert!("prefix".starts_with("pre") && "prefix".starts_with('p') && !"p".starts_with("pr"));
        assert!("prefix".ends_with("") && !"prefix".ends_with('p') && "prefix".contains("ref"));
        assert_eq!(("abcabc".find('c'), "abcabc".rfind("bc"), "abc".find("x")), (Some(2), Some(4), None));
        assert_eq!(("k=v=w".split_once('='), "k=v=w".rsplit_once("=")), (Some(("k", "v=w")), Some(("k=v", "w"))));
        assert_eq!("a:b".strip_prefix("a:").and_then(|rest| rest.strip_suffix('c')), None);

        assert_eq!((number(" 21\n"), "-129".parse::<i8>().is_err(), "+7".parse::<u8>()), (Ok(42), true, Ok(7)));
        assert_eq!("-170141183460469231731687303715884105728".parse::<i128>(), Ok(i128::MIN));
        let seven: u64 = "7".parse().unwrap_or(0);
        assert_eq!(seven, 7);
        let kind = |text: &str| match text.parse::<i16>().map_err(|error| error.kind().clone()) {
            Ok(_) => 0,
            Err(IntErrorKind::Empty) => 1,
            Err(IntErrorKind::InvalidDigit) => 2,
            Err(IntErrorKind::PosOverflow) => 3,
            Err(IntErrorKind::NegOverflow) => 4,
            Err(_) => 5,
        };
        let kinds = ["1", "", "-", "1x", "32768", "-32769", "99999x"].map(kind);
        assert_eq!(kinds, [0, 1, 2, 2, 3, 4, 3]);
    }
});

program!(values {
    use droste_gadgets::prelude::*;
    use std::marker::PhantomData;

    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
    struct Named<T> { name: &'static str, n: u8, of: PhantomData<T> }
    #[derive(Clone, Debug, PartialEq)]
    enum Token<'a> { Word(&'a str), Number(u32) }
    impl From<&'static str> for Named<u8> {
        fn from(name: &'static str) -> Self { Named { name, n: name.len() as u8, of: PhantomData } }
    }
    impl From<u8> for Named<u8> {
        fn from(n: u8) -> Self { Named { name: "", n, of: PhantomData } }
    }
    trait Sorter { const NAME: &'static str; fn label(&self) -> &'static str { Self::NAME } }
    struct Quick;
    struct Merge;
    impl Sorter for Quick { const NAME: &'static str = "quick"; }
    impl Sorter for Merge { const NAME: &'static str = "merge sort"; }

    const PLUM: &str = "plum";
    fn code(word: &str) -> usize {
        match word {
            "fig" | "pear" => 1,
            "" => 2,
            PLUM => 3,
            other if other.starts_with('p') => 4,
            _ => 5,
        }
    }
    fn token(part: &str) -> Token<'_> {
        match part.parse::<u32>() {
            Ok(number) => Token::Number(number),
            Err(_) => Token::Word(part),
        }
    }
    fn tokens(text: &str) -> Vec<Token<'_>> {
        text.split(' ').map(token).collect()
    }
    fn longest<'a>(a: &'a str, b: &'a str) -> &'a str { if b.len() > a.len() { b } else { a } }
    fn less<T: PartialOrd>(a: T, b: T) -> bool { a < b }
    // Both calls have the same run-time arguments.
    #[inline(never)]
    fn scaled(x: Felt, name: &str) -> Felt { x * felt(name.len()) }

    pub fn main() {
        let x = public_input();
        reveal(scaled(x, "a") + felt(100) * scaled(x, "abc"));
        assert_eq!(["pear", "", "plum", "pea", "Fig"].map(code), [1, 2, 3, 4, 5]);
        let named: Named<u8> = "fig".into();
        assert_eq!((named.n, Named::from(9u8).name, Named::<Felt>::default().name), (3, "", ""));
        assert!(named.name == "fig" && named != Named::from(3u8) && Named::from("figs") > named);
        assert_eq!((Quick.label(), Merge::NAME.len()), ("quick", 10));
        assert_eq!(tokens("let 12 be"), [Token::Word("let"), Token::Number(12), Token::Word("be")]);
        let mut words = vec!["b", "ab", "a", "", "\u{e9}", "B"];
        words.sort();
        assert_eq!(words, ["", "B", "a", "ab", "b", "\u{e9}"]);
        assert!(less("a", "ab") && !less(longest("aa", "b"), "a") && "a".max("b") == "b");
        assert_eq!(words.iter().position(|&word| word == "ab"), Some(3));
        assert!(words.contains(&"b") && "a".cmp("b").is_lt() && ("a", 2) < ("a", 3));
        let mut word = "first";
        let old = std::mem::replace(&mut word, "second");
        let change = &mut word;
        *change = &change[..3];
        assert_eq!((old, word), ("first", "sec"));
        if let ("a", [first, ..]) = ("a", &words[1..]) {
            reveal(felt(first.len()));
        }
        // A text that does not depend on the branch is the same after it.
        let kept = "kept";
        let y = if x == felt(3) { felt(kept.len()) } else { felt(1) };
        reveal(y + felt(kept.len()));
    }
});

#[test]
fn text_has_the_methods_that_rustc_gives_it() {
    assert_eq!(outputs(methods::SOURCE, methods::main, &[3]).len(), 6);
}

#[test]
fn text_is_compared_matched_and_kept() {
    assert_eq!(outputs(values::SOURCE, values::main, &[3]), [903, 1, 8]);
    assert_eq!(outputs(values::SOURCE, values::main, &[5])[2], 5);
}
