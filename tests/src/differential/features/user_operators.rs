//! Operators, comparisons and conversions that the program writes for its structs.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::Ty;

/// Two structs with operators, of which some assert or read hints, and code that uses them.
pub fn user_operators(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("O");
    let numbers: Vec<_> = (0..6).map(|_| g.random.between(2, 9)).collect();
    let [a, b, c, d, e, f] = numbers.as_slice() else {
        return;
    };
    let mut effect = || match g.random.below(4) {
        0 => "assert_ne!(self.x, felt(1000)); ",
        1 => "let h = hint_felt().any(); assert_ne!(h, self.x); ",
        _ => "",
    };
    let [adds, multiplies, equals] = [0; 3].map(|_: usize| effect());
    let never = g.never_inline(25);
    let copy = if g.random.chance(70) {
        "#[derive(Clone, Copy, Debug)]"
    } else {
        "#[derive(Clone, Debug)]"
    };
    let ops = "std::ops::";
    g.items.push(line(format!(
        "{copy}\nstruct {name} {{ x: Felt, n: usize }}\n\
         impl {ops}Add for {name} {{ type Output = Self; fn add(self, other: Self) -> Self {{ {adds}{name} {{ x: self.x * felt({a}) + other.x, n: self.n + other.n * {b} }} }} }}\n\
         impl {ops}Sub for {name} {{ type Output = Felt; {never}fn sub(self, other: {name}) -> Self::Output {{ self.x - other.x * felt({c}) }} }}\n\
         impl {ops}Mul<Felt> for {name} {{ type Output = {name}; fn mul(self, k: Felt) -> {name} {{ {multiplies}{name} {{ x: self.x * k, n: self.n }} }} }}\n\
         impl {ops}Mul<usize> for {name} {{ type Output = Felt; fn mul(self, k: usize) -> Felt {{ self.x + felt(self.n * k % 65536) }} }}\n\
         impl {ops}Mul<{name}> for Felt {{ type Output = Felt; fn mul(self, o: {name}) -> Felt {{ o.x * felt({d}) - self }} }}\n\
         impl {ops}Neg for {name} {{ type Output = Self; fn neg(self) -> Self {{ {name} {{ x: felt({e}) - self.x, n: self.n }} }} }}\n\
         impl {ops}Not for {name} {{ type Output = bool; fn not(self) -> bool {{ self.x == felt({f}) }} }}\n\
         impl {ops}AddAssign for {name} {{ fn add_assign(&mut self, other: {name}) {{ self.x += other.x; self.n = other.n + {c}; }} }}\n\
         impl {ops}AddAssign<Felt> for {name} {{ fn add_assign(&mut self, x: Felt) {{ self.x = self.x * x; }} }}\n\
         impl PartialEq for {name} {{ fn eq(&self, other: &Self) -> bool {{ {equals}self.x == other.x }} }}\n\
         impl Eq for {name} {{}}\n\
         impl Ord for {name} {{ fn cmp(&self, other: &Self) -> std::cmp::Ordering {{ (other.n % {a}).cmp(&(self.n % {a})) }} }}\n\
         impl PartialOrd for {name} {{ fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {{ Some(self.cmp(other)) }} }}\n\
         impl From<Felt> for {name} {{ fn from(x: Felt) -> Self {{ {name} {{ x: x + felt({b}), n: {d} }} }} }}\n\
         impl From<({name}, usize)> for {name} {{ fn from(pair: ({name}, usize)) -> {name} {{ {name} {{ x: pair.0.x, n: pair.1 }} }} }}\n\
         impl From<{name}> for Felt {{ fn from(o: {name}) -> Felt {{ o.x - felt({c}) }} }}\n\
         impl Default for {name} {{ fn default() -> Self {{ {name} {{ x: felt({e}), n: {f} }} }} }}"
    )));
    let lower = name.to_lowercase();
    g.items.push(line(format!(
        "fn {lower}_twice<T: {ops}Add<Output = T> + Clone>(a: T, b: T) -> T {{ a.clone() + b + a }}\n\
         fn {lower}_by<A, B, C>(a: A, b: B) -> C where A: {ops}Mul<B, Output = C> {{ a * b }}\n\
         fn {lower}_same<T: PartialEq>(a: &T, b: &T) -> bool {{ a == b }}\n\
         fn {lower}_grow<T, U>(a: &mut T, b: U) where T: {ops}AddAssign<U> {{ *a += b; }}\n\
         fn {lower}_into(o: impl Into<{name}>) -> {name} {{ o.into() }}"
    )));
    let (x, y, v) = (g.unknown(body), g.felt(1), g.fresh("v"));
    let (n, m) = (g.random.between(1, 9), g.random.between(1, 9));
    body.push(line(format!(
        "let mut {v} = {name} {{ x: {x}, n: {n} }};\nlet {v}w = {name} {{ x: {y}, n: {m} }};"
    )));
    let (p, q) = (format!("{v}.clone()"), format!("{v}w.clone()"));
    let k = g.random.between(1, 20);
    let flag = g.flag(1);
    let values = [
        format!("({p} + {q}).x"),
        format!("felt(({p} + {q} + {p}).n)"),
        format!("({p} - {q})"),
        format!("({p} * {x} + {q}).x"),
        format!("({p} * {k})"),
        format!("({x} * {q})"),
        format!("(-{p} + {q}).x"),
        format!("(if !{p} {{ felt({k}) }} else {{ {y} }})"),
        format!("{lower}_twice({p}, {q}).x"),
        format!("{lower}_twice({x}, {y})"),
        format!("{lower}_by({p}, {x}).x"),
        format!("{lower}_by({x}, {q})"),
        format!("{lower}_into({x}).x"),
        format!("felt({lower}_into(({p}, {k})).n)"),
        format!("{lower}_into({p}).x"),
        format!("{{ let t: Felt = {p}.into(); t }}"),
        format!("Felt::from({q})"),
        format!("({name}::from({y}) + {name}::default()).x"),
        format!("{p}.max({q}).x"),
        format!("std::cmp::min({p}, {q}).x"),
        format!("felt(({v} < {v}w) as usize + ({v} >= {v}w) as usize * 2)"),
        format!("felt(({p}, {k}) .partial_cmp(&({q}, 7)).is_some() as usize)"),
        format!("{name} {{ n: {k}, ..Default::default() }}.x"),
    ];
    let conditions = [
        format!("{v} == {v}w"),
        format!("{v} != {v}w"),
        format!("({x}, {p}) == ({y}, {q})"),
        format!("[{p}, {q}] != [{q}, {p}]"),
        format!("vec![{p}] == [{q}]"),
        format!("{lower}_same(&{v}, &{v}w)"),
        format!("({flag}) && {v} == {v}w"),
        format!("({flag}) || {v} != {v}w"),
        format!("{v}.eq(&{v}w)"),
    ];
    let t = g.fresh("t");
    body.push(line(match g.random.below(4) {
        0 => format!("{v} += {q};"),
        1 => format!("{v} += {y};"),
        2 => format!("{lower}_grow(&mut {v}, {q});"),
        _ => format!("{lower}_grow(&mut {v}, {x});"),
    }));
    for _ in 0..3 {
        let value = &values[g.random.below(values.len())];
        g.observe(value, &Ty::Felt, body);
    }
    let condition = &conditions[g.random.below(conditions.len())];
    body.push(line(format!("let {t} = {condition};")));
    g.observe(&t, &Ty::Flag, body);
    // A hint too many, or too few, makes this one another hint.
    body.push(line(format!("let {t}h = hint_felt().any();")));
    g.observe(&format!("{t}h"), &Ty::Felt, body);
}
