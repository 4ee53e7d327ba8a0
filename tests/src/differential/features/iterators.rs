//! Iterators: chains of adaptors over lists and ranges, by value and by `&mut`, and over the counters
//! of run-time loops.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::{Int, Ty};

/// Numbers of type `u32`, below 1000, which can be taken from their end, too.
fn numbers(g: &mut Generator, body: &mut Vec<Node>) -> String {
    let (a, b) = (g.random.below(7), g.random.between(1, 4));
    let v = g.fresh("v");
    let source = match g.random.below(9) {
        0 => return format!("({b}..{}u32)", a * 9),
        1 => return format!("(0..{}u32).step_by({b})", a * 5),
        2 => return format!("(0..={}u8).map(u32::from)", a * 3),
        3 => {
            return format!(
                "std::iter::successors(Some({b}u32), |x| x.checked_mul(3).filter(|x| *x < 900)).collect::<Vec<u32>>().into_iter()"
            );
        }
        4 => return format!("std::iter::once({b}u32)"),
        5 => format!("{v}.into_iter()"),
        6 => format!("{v}.windows({b}).map(|w| w[0])"),
        7 => format!("{v}.chunks({b}).map(|c| c[c.len() - 1] % 900 + c.len() as u32)"),
        _ => format!("{v}.iter().copied()"),
    };
    let values: Vec<_> = (0..a).map(|_| g.random.below(1000).to_string()).collect();
    let values = values.join(", ");
    body.push(line(if g.random.chance(50) {
        format!("let {v}: Vec<u32> = vec![{values}];")
    } else {
        format!("let {v}: [u32; {a}] = [{values}];")
    }));
    source
}

/// A chain of adaptors, of which one may change a counter.
fn chain(g: &mut Generator, counter: &str, body: &mut Vec<Node>) -> String {
    let mut text = numbers(g, body);
    let (mut has_end, mut counts) = (true, true);
    for _ in 0..g.random.below(5) {
        let (k, n) = (g.random.between(2, 5), g.random.below(5));
        let next = match g.random.below(17) {
            0 if has_end => ".rev()".to_owned(),
            1 => format!(".map(|x| (x * {k} + {n}) % 1000)"),
            2 if std::mem::take(&mut counts) => {
                format!(".map(|x| {{ {counter} = {counter} * 2 % 1009 + x; x + 1 }})")
            }
            3 => format!(".filter(|x| x % {k} != 0)"),
            4 => format!(".skip({n})"),
            5 => format!(".take({n})"),
            6 => format!(".step_by({k})"),
            7 => {
                let other = numbers(g, body);
                format!(".zip({other}).map(|(x, y)| (x + y * {k}) % 1000)")
            }
            8 => format!(".chain({})", numbers(g, body)),
            9 => format!(".enumerate().map(|(i, x)| (x + i as u32 * {k}) % 1000)"),
            10 => format!(".filter_map(|x| x.checked_sub({}))", n * 50),
            11 => format!(".flat_map(|x| [x, x % {k}])"),
            12 => format!(".take_while(|x| x % {} != 3)", k + 3),
            13 => format!(".skip_while(|x| x % {k} != 1)"),
            14 if std::mem::take(&mut counts) => {
                format!(".inspect(|x| {counter} = ({counter} + *x) * 3 % 1009)")
            }
            15 => format!(
                ".scan({n}u32, |s, x| {{ *s = (*s * {k} + x) % 1000; (*s % 9 != 7).then_some(*s) }})"
            ),
            _ => ".collect::<Vec<u32>>().into_iter()".to_owned(),
        };
        has_end = next.ends_with(".into_iter()");
        text += &next;
    }
    text
}

/// What is made of the elements.
fn known(g: &mut Generator, body: &mut Vec<Node>) {
    let (counter, result) = (g.fresh("c"), g.fresh("r"));
    body.push(line(format!("let mut {counter} = 1u32;")));
    let chain = chain(g, &counter, body);
    let (k, n) = (g.random.between(2, 9), g.random.below(4));
    let end = match g.random.below(18) {
        0 | 1 => ".fold(1u32, |a, x| (a * 31 + x) % 65521)".to_owned(),
        2 => ".sum::<u32>()".into(),
        3 => ".map(|x| x % 3 + 1).take(9).product::<u32>()".into(),
        4 => ".count() as u32".into(),
        5 => ".max().unwrap_or(7)".into(),
        6 => format!(".min_by_key(|x| x % {k}).unwrap_or(7)"),
        7 => format!(".position(|x| x % {k} == 1).map_or(99, |i| i as u32)"),
        8 => format!(".find(|x| x % {k} == 0).unwrap_or(5)"),
        9 => format!(".any(|x| x % {k} == 1) as u32"),
        10 => format!(".all(|x| x % {k} != 1) as u32"),
        11 => format!(".nth({n}).unwrap_or(3)"),
        12 => ".last().unwrap_or(4)".into(),
        13 => format!(".map_while(|x| x.checked_sub({n})).sum::<u32>()"),
        14 => {
            let (p, q) = (format!("{result}p"), format!("{result}q"));
            body.push(line(format!(
                "let ({p}, {q}): (Vec<u32>, Vec<u32>) = {chain}.partition(|x| x % {k} == 0);"
            )));
            format!("{p}.iter().sum::<u32>() * 3 + {q}.len() as u32")
        }
        15 => {
            let (p, q) = (format!("{result}p"), format!("{result}q"));
            body.push(line(format!(
                "let ({p}, {q}): (Vec<usize>, Vec<u32>) = {chain}.enumerate().unzip();"
            )));
            format!("{p}.iter().sum::<usize>() as u32 + {q}.iter().max().copied().unwrap_or(9)")
        }
        16 => {
            body.push(line(format!(
                "let {result}p: Option<u32> = {chain}.try_fold({n}u32, |a, x| ((a * {k} + x) % 65521).checked_sub(x % 7));"
            )));
            format!("{result}p.unwrap_or(1)")
        }
        _ => format!(".reduce(|a, x| (a * {k} + x) % 65521).unwrap_or(1)"),
    };
    let value = if end.starts_with('.') {
        chain + &end
    } else {
        end
    };
    body.push(line(format!("let {result}: u32 = {value};")));
    g.observe(&format!("({result} + {counter})"), &Ty::Int(Int::U32), body);
}

/// Elements that a run knows, and those of run-time loops.
fn unknown(g: &mut Generator, body: &mut Vec<Node>) {
    let length = g.random.between(1, 4);
    let list = g.let_new(&Ty::vec(Ty::Felt, length), true, body);
    let (x, k) = (g.unknown(body), g.random.between(2, 5));
    for _ in 0..g.random.between(1, 3) {
        let text = match g.random.below(9) {
            0 => format!("for e in {list}.iter_mut() {{ *e = *e * {x} + felt({k}); }}"),
            1 => format!("for (i, e) in {list}.iter_mut().enumerate() {{ *e = *e + felt(i); }}"),
            2 => format!(
                "for (e, n) in {list}.iter_mut().rev().zip(0..{k}usize) {{ *e = felt(n); }}"
            ),
            3 => format!(
                "for e in &mut {list}[{}..] {{ if *e == {x} {{ *e = felt({k}); }} else {{ *e = *e * *e; }} }}",
                length / 2
            ),
            4 => format!("acc = acc * {x} + {list}.iter().map(|e| *e * {x}).sum::<Felt>();"),
            5 => format!("acc = acc * felt({k}) + {list}.iter().fold(acc, |a, e| a * *e + {x});"),
            6 => format!("if {list}.iter().any(|e| *e == {x}) {{ acc = acc + felt({k}); }}"),
            7 => format!("acc = acc + count({k}).map(|i| i * {x} + {list}[0]).sum::<Felt>();"),
            _ => format!("acc = count({k}).map(|i| i + {x}).fold(acc, |a, y| a * y + {x});"),
        };
        body.push(line(text));
    }
    g.observe(&list, &Ty::vec(Ty::Felt, length), body);
}

/// An iterator in a variable, of which elements are taken one by one.
fn kept(g: &mut Generator, body: &mut Vec<Node>) {
    let (it, counter, k) = (g.fresh("it"), g.fresh("c"), g.random.between(2, 5));
    body.push(line(format!("let mut {counter} = 1u32;")));
    let chain = chain(g, &counter, body);
    body.push(line(format!("let mut {it} = {chain}.peekable();")));
    let take = [
        format!("{it}.next().unwrap_or(1)"),
        format!("{it}.peek().copied().unwrap_or(2)"),
        format!("{it}.next_if(|x| x % {k} == 0).unwrap_or(3)"),
        format!("{it}.nth(1).unwrap_or(4)"),
        format!("{it}.find(|x| x % {k} == 1).unwrap_or(5)"),
    ];
    for _ in 0..g.random.between(1, 4) {
        let one = &take[g.random.below(take.len())];
        body.push(line(format!(
            "acc = acc * felt({k}) + felt({one} as usize);"
        )));
    }
    let inside = vec![line(format!("acc = acc * felt({k}) + felt(x as usize);"))];
    body.push(group(format!("while let Some(x) = {it}.next()"), inside));
    g.observe(&counter, &Ty::Int(Int::U32), body);
}

/// Iterators and what takes their elements.
pub fn iterators(g: &mut Generator, body: &mut Vec<Node>) {
    match g.random.below(5) {
        0 | 1 => known(g, body),
        2 => kept(g, body),
        _ => unknown(g, body),
    }
}
