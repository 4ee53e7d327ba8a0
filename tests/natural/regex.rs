use droste_gadgets::prelude::*;

/// Backtracking regex matcher supporting `.`, `*`, `+`, `?`, `^`, `$` and classes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Atom<'p> {
    Any,
    Byte(u8),
    Class { set: &'p [u8], negated: bool },
}

impl Atom<'_> {
    fn matches(self, b: u8) -> bool {
        match self {
            Atom::Any => true,
            Atom::Byte(x) => x == b,
            Atom::Class { set, negated } => set.contains(&b) != negated,
        }
    }
}

fn next_atom(pattern: &[u8]) -> Option<(Atom<'_>, &[u8])> {
    match pattern {
        [] => None,
        [b'.', rest @ ..] => Some((Atom::Any, rest)),
        [b'\\', c, rest @ ..] => Some((Atom::Byte(*c), rest)),
        [b'[', b'^', rest @ ..] => class(rest, true),
        [b'[', rest @ ..] => class(rest, false),
        [c, rest @ ..] => Some((Atom::Byte(*c), rest)),
    }
}

fn class(body: &[u8], negated: bool) -> Option<(Atom<'_>, &[u8])> {
    let end = body.iter().position(|&b| b == b']')?;
    Some((
        Atom::Class {
            set: &body[..end],
            negated,
        },
        &body[end + 1..],
    ))
}

fn match_here(pattern: &[u8], text: &[u8]) -> Option<usize> {
    if pattern == b"$" {
        return text.is_empty().then_some(0);
    }
    let Some((atom, rest)) = next_atom(pattern) else {
        return Some(0);
    };
    let (min, max, rest) = match rest.split_first() {
        Some((b'*', r)) => (0, usize::MAX, r),
        Some((b'+', r)) => (1, usize::MAX, r),
        Some((b'?', r)) => (0, 1, r),
        _ => (1, 1, rest),
    };
    let run = text
        .iter()
        .take(max)
        .take_while(|&&b| atom.matches(b))
        .count();
    (min..=run)
        .rev()
        .find_map(|n| match_here(rest, &text[n..]).map(|m| n + m))
}

fn find(pattern: &str, text: &str) -> Option<(usize, usize)> {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    if let Some(anchored) = pattern.strip_prefix(b"^") {
        return match_here(anchored, text).map(|len| (0, len));
    }
    (0..=text.len()).find_map(|at| match_here(pattern, &text[at..]).map(|len| (at, len)))
}

pub fn main() {
    let x = public_input();
    assert_eq!(find("a.c", "xxabcxx"), Some((2, 3)));
    assert_eq!(find("^b", "abc"), None);
    assert_eq!(find("[0123456789]+$", "v1.20.305"), Some((6, 3)));
    assert_eq!(find("colou?r", "the color"), Some((4, 5)));
    let (at, len) = find("[^ ]*@[abcdefghijklm]+\\.com", "mail bob@alice.com now").unwrap();
    reveal(felt(at) * x);
    reveal(felt(len));
}
