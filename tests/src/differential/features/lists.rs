//! Methods of slices and `Vec`s.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::{Int, Ty};

/// A statement that changes a `Vec` of `length` elements. Returns how many it has afterwards.
fn change(g: &mut Generator, v: &str, element: &Ty, length: usize, body: &mut Vec<Node>) -> usize {
    let value = g.let_new(element, false, body);
    let (at, to) = (g.random.below(length.max(1)), g.random.below(length + 1));
    let (low, high) = (at.min(to), at.max(to).min(length));
    let (text, length) = match g.random.below(20) {
        0 if length > 0 => (format!("let _ = {v}.pop();"), length - 1),
        1 => (format!("{v}.insert({to}, {value});"), length + 1),
        2 if length > 0 => (format!("let _ = {v}.remove({at});"), length - 1),
        3 if length > 0 => (format!("let _ = {v}.swap_remove({at});"), length - 1),
        4 if length > 0 => (format!("{v}.swap({at}, {});", to.min(length - 1)), length),
        5 => (format!("{v}.reverse();"), length),
        6 => (
            format!("{v}.extend_from_slice(&[{value}, {value}]);"),
            length + 2,
        ),
        7 => (format!("{v}.rotate_left({to});"), length),
        8 => (format!("{v}[{low}..{high}].fill({value});"), length),
        9 => (format!("{v}[..{to}].reverse();"), length),
        10 => (
            format!("{{ let w = {v}[{low}..].to_vec(); {v}.extend(w.iter().rev().cloned()); }}"),
            2 * length - low.min(length),
        ),
        11 => (format!("{v}.resize({}, {value});", to + 1), to + 1),
        12 => (format!("{v} = {v}.split_off({to});"), length - to),
        13 => (
            format!("let _ = {v}.drain({low}..{high});"),
            length - (high - low),
        ),
        14 => (
            format!("{v} = [&{v}[..{to}], &[{value}]].concat();"),
            to + 1,
        ),
        15 => (
            format!(
                "{v}[{low}..{high}].copy_from_slice(&[{value}; {}]);",
                high - low
            ),
            length,
        ),
        16 => (
            format!("{{ let mut w = {v}[..{to}].repeat(2); {v}.append(&mut w); }}"),
            length + 2 * to,
        ),
        17 => (format!("{v}.truncate({to});"), to),
        18 => (format!("{v}.clear();"), 0),
        _ => (format!("{v}.push({value});"), length + 1),
    };
    body.push(line(text));
    length
}

/// A `Vec` that changes in many ways.
fn changes(g: &mut Generator, body: &mut Vec<Node>) {
    let element = g.element_type();
    let mut length = g.random.below(4);
    let v = g.let_new(&Ty::vec(element.clone(), length), true, body);
    for _ in 0..g.random.between(2, 6) {
        length = change(g, &v, &element, length, body);
        g.resize(&v, length);
    }
    g.observe(&v, &Ty::vec(element, length), body);
}

/// Numbers that are sorted and searched.
fn sorted(g: &mut Generator, body: &mut Vec<Node>) {
    let (v, n, k) = (g.fresh("v"), g.random.below(8), g.random.between(2, 6));
    let values: Vec<_> = (0..n).map(|_| g.random.below(30).to_string()).collect();
    let values = values.join(", ");
    body.push(line(format!("let mut {v}: Vec<u32> = vec![{values}];")));
    for _ in 0..g.random.between(1, 4) {
        let text = match g.random.below(10) {
            0 => format!("{v}.sort();"),
            1 => format!("{v}.sort_unstable();"),
            2 => format!("{v}.sort_by(|a, b| b.cmp(a));"),
            3 => format!("{v}.sort_by_key(|x| x % {k});"),
            4 => format!("{v}.dedup();"),
            5 => format!("{v}.retain(|x| x % {k} != 1);"),
            6 => format!("{v}.sort_by(|a, b| (a % {k}).cmp(&(b % {k})).then(b.cmp(a)));"),
            7 => format!("{v}.dedup_by_key(|x| *x / {k});"),
            8 => format!("{v}.dedup_by(|a, b| {{ *b += 1; *a / {k} == *b / {k} }});"),
            _ => format!("{v} = {v}.iter().map(|x| x * {k} % 29).collect();"),
        };
        body.push(line(text));
    }
    let wanted = g.random.below(30);
    let found = match g.random.below(15) {
        0 => format!("{v}.contains(&{wanted}) as u32"),
        1 => format!("{v}.first().copied().unwrap_or({wanted})"),
        2 => format!("{v}.last().map_or({wanted}, |x| x + 1)"),
        3 => format!("{v}.get({k}).copied().unwrap_or({wanted})"),
        4 => format!("{v}.is_sorted() as u32"),
        5 => format!("{v}.starts_with(&{v}[..{v}.len() / 2]) as u32"),
        6 => format!("{v}.split_first().map_or({wanted}, |(x, rest)| x + rest.len() as u32)"),
        7 => format!(
            "{{ {v}.sort(); {v}.dedup(); match {v}.binary_search(&{wanted}) {{ Ok(i) => i as u32, Err(i) => 100 + i as u32 }} }}"
        ),
        8 => format!(
            "{{ let (p, q) = {v}.split_at({v}.len() / 2); q.ends_with(p) as u32 + (p.len() * 3 + q.len()) as u32 }}"
        ),
        9 => format!("{v}.chunks_exact({k}).map(|c| c[0] * 3 + c[{k} - 1]).sum::<u32>()"),
        10 => format!(
            "{v}.split_last().map_or({wanted}, |(x, rest)| x * 7 + rest.iter().copied().max().unwrap_or(0))"
        ),
        11 => format!(
            "{v}.split(|x| x % {k} == 1).map(|part| part.len() as u32 + 1).product::<u32>()"
        ),
        12 => format!("{v}.chunk_by(|a, b| a < b).map(|part| part[0]).sum::<u32>()"),
        13 => format!("{{ {v}.sort(); {v}.partition_point(|x| *x < {wanted}) as u32 }}"),
        _ => format!(
            "std::array::from_fn::<u32, {k}, _>(|i| {v}.get(i).map_or({wanted}, |x| x + i as u32))[{k} - 1]"
        ),
    };
    let sum = format!("{v}.iter().fold(1u32, |a, x| (a * 31 + x) % 65521)");
    body.push(line(format!(
        "let {v}f: u32 = {found};\nlet {v}s: u32 = {sum};"
    )));
    g.observe(&format!("({v}f * 65536 + {v}s)"), &Ty::Int(Int::U32), body);
}

/// Slices of lists that functions change.
fn parts(g: &mut Generator, body: &mut Vec<Node>) {
    let (f, k) = (g.fresh("f"), g.random.between(2, 9));
    let inline = g.never_inline(30);
    g.items.push(line(format!(
        "{inline}fn {f}(part: &mut [Felt], x: Felt) {{ for e in part.iter_mut() {{ *e = *e * x + felt({k}); }} if part.len() > 1 {{ part.swap(0, 1); }} }}"
    )));
    let length = g.random.between(2, 5);
    let ty = if g.random.chance(50) {
        Ty::vec(Ty::Felt, length)
    } else {
        Ty::array(Ty::Felt, length)
    };
    let v = g.let_new(&ty, true, body);
    for _ in 0..g.random.between(1, 3) {
        let (a, b) = (g.random.below(length + 1), g.random.below(length + 1));
        let (a, b) = (a.min(b), a.max(b));
        let range = match g.random.below(4) {
            0 => format!("{a}.."),
            1 => format!("..{b}"),
            2 => "..".to_owned(),
            _ => format!("{a}..{b}"),
        };
        let x = g.let_new(&Ty::Felt, false, body);
        body.push(line(format!("{f}(&mut {v}[{range}], {x});")));
    }
    g.observe(&v, &ty, body);
}

/// Methods of slices and `Vec`s.
pub fn lists(g: &mut Generator, body: &mut Vec<Node>) {
    match g.random.below(3) {
        0 => changes(g, body),
        1 => sorted(g, body),
        _ => parts(g, body),
    }
}
