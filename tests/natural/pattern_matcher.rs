use droste_gadgets::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pattern {
    Literal(char),
    Any,
    Digit,
    Star(Atom),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Atom {
    Char(char),
    Dot,
}

fn compile(src: &str) -> Result<Vec<Pattern>, usize> {
    let mut out: Vec<Pattern> = Vec::new();
    let mut chars = src.char_indices();
    while let Some((i, c)) = chars.next() {
        let item = match c {
            '.' => Pattern::Any,
            '\\' => match chars.next() {
                Some((_, 'd')) => Pattern::Digit,
                Some((_, other)) => Pattern::Literal(other),
                None => return Err(i),
            },
            '*' => {
                let atom = match out.pop() {
                    Some(Pattern::Literal(c)) => Atom::Char(c),
                    Some(Pattern::Any) => Atom::Dot,
                    _ => return Err(i),
                };
                Pattern::Star(atom)
            }
            c => Pattern::Literal(c),
        };
        out.push(item);
    }
    Ok(out)
}

fn matches(pattern: &[Pattern], text: &[char]) -> bool {
    match (pattern, text) {
        ([], rest) => rest.is_empty(),
        ([Pattern::Star(atom), tail @ ..], _) => {
            matches(tail, text)
                || match (atom, text) {
                    (Atom::Dot, [_, rest @ ..]) => matches(pattern, rest),
                    (Atom::Char(c), [first, rest @ ..]) if c == first => matches(pattern, rest),
                    _ => false,
                }
        }
        ([Pattern::Literal(c), tail @ ..], [t, rest @ ..]) => c == t && matches(tail, rest),
        ([Pattern::Any, tail @ ..], [_, rest @ ..]) => matches(tail, rest),
        ([Pattern::Digit, tail @ ..], [t, rest @ ..]) => t.is_ascii_digit() && matches(tail, rest),
        (_, []) => false,
    }
}

pub fn main() {
    let x = public_input();
    let pattern = compile(r"v\d.*z").expect("pattern compiles");
    let hits = ["v1.2-xyz", "v9z", "vxz", "v3zq", "w3z"]
        .iter()
        .map(|s| s.chars().collect::<Vec<char>>())
        .map(|cs| matches(&pattern, &cs))
        .fold(0usize, |acc, hit| acc << 1 | usize::from(hit));
    assert_eq!(hits, 0b11000);
    assert_eq!(compile("a**"), Err(2));
    reveal(x + felt(hits));
    reveal(felt(pattern.len()));
}
