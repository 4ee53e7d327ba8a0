//! Text: its methods, patterns and order.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::{Int, Ty};

/// Texts, as Rust writes them.
const TEXTS: &[&str] = &[
    "", "a", "ab", "b a", " ab\\n", "ab:ba:", "12", "-7", "300", "\\u{e9}b",
];

/// What is computed of two texts.
const RESULTS: &[&str] = &[
    "a.len() * 10 + b.is_empty() as usize",
    "a.bytes().fold(1, |acc, byte| (acc * 31 + byte as usize) % 9973)",
    "a.chars().rev().map(|c| c as usize).sum::<usize>()",
    "a.char_indices().map(|(at, c)| at * 7 + c as usize).max().unwrap_or(0)",
    "a.split(b).map(|part| part.len() + 3).sum::<usize>()",
    "a.split(':').map(|part| part.len()).max().unwrap_or(0) + a.lines().count()",
    "(a < b) as usize + 2 * (a == b) as usize + 4 * (a.max(b) == a) as usize",
    "a.find(b).unwrap_or(77) + a.rfind('a').unwrap_or(99)",
    "a.starts_with(b) as usize + 2 * a.ends_with('a') as usize + 4 * a.contains(b) as usize",
    "a.strip_prefix(b).map_or(50, |rest| rest.len())",
    "a.split_once(b).map_or(60, |(left, right)| left.len() * 10 + right.len())",
    "a.parse::<u8>().map_or(300, |n| n as usize) + b.parse::<i16>().is_ok() as usize",
    "a.as_bytes().iter().filter(|byte| **byte == b'a').count()",
    "match a { \"ab\" | \"12\" => 1, other if other.len() > 2 => other.len(), _ => b.len() }",
    "a.get(1..).map_or(40, |rest| rest.len())",
];

/// A function of two texts, and calls of it.
pub fn texts(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("of_texts");
    let never = g.never_inline(30);
    let result = g.random.pick(RESULTS);
    g.items.push(line(format!(
        "{never}fn {name}(a: &str, b: &str) -> usize {{ {result} }}"
    )));
    for _ in 0..g.random.between(1, 3) {
        let (a, b) = (g.random.pick(TEXTS), g.random.pick(TEXTS));
        let call = format!("{name}(\"{a}\", \"{b}\")");
        g.observe(&call, &Ty::Int(Int::Usize), body);
    }
}
