//! Iterators, indices and operators of references that the program writes for its structs.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::Ty;

/// An iterator whose elements are known only in a run, and a list with indices of its own.
pub fn standard_traits(g: &mut Generator, body: &mut Vec<Node>) {
    let (name, list) = (g.fresh("I"), g.fresh("L"));
    let [a, b, c, end] = [0; 4].map(|_: usize| g.random.between(2, 6));
    let effect = match g.random.below(4) {
        0 => "assert_ne!(self.x, felt(1000)); ",
        1 => "let h = hint_felt().any(); assert_ne!(h, self.x); ",
        _ => "",
    };
    let (never, ops) = (g.never_inline(25), "std::ops::");
    let copy = if g.random.chance(50) {
        "#[derive(Clone, Copy)]"
    } else {
        "#[derive(Clone)]"
    };
    g.items.push(line(format!(
        "{copy}\nstruct {name} {{ x: Felt, n: usize }}\n\
         impl Iterator for {name} {{ type Item = Felt; {never}fn next(&mut self) -> Option<Felt> {{ if self.n == {end} {{ return None; }} {effect}self.n += 1; self.x = self.x * felt({a}) + felt(self.n); Some(self.x) }} }}\n\
         #[derive(Clone)]\nstruct {list}(Vec<Felt>);\n\
         impl {ops}Index<(usize, usize)> for {list} {{ type Output = Felt; fn index(&self, (r, c): (usize, usize)) -> &Felt {{ assert!(c < 2); &self.0[r * 2 + c] }} }}\n\
         impl {ops}IndexMut<(usize, usize)> for {list} {{ fn index_mut(&mut self, at: (usize, usize)) -> &mut Felt {{ let n = at.0 * 2 + at.1; &mut self.0[n] }} }}\n\
         impl {ops}Mul for &{list} {{ type Output = Felt; fn mul(self, other: &{list}) -> Felt {{ self.0[0] * other.0[1] + felt({b}) }} }}\n\
         impl {ops}Add<&{list}> for {list} {{ type Output = Felt; fn add(self, other: &{list}) -> Felt {{ self.0[0] + other.0[1] }} }}\n\
         impl {ops}Add for {list} {{ type Output = Felt; fn add(self, other: {list}) -> Felt {{ self.0[1] - other.0[0] }} }}"
    )));
    let (x, y, v) = (g.unknown(body), g.felt(1), g.fresh("v"));
    body.push(line(format!(
        "let mut {v} = {name} {{ x: {x}, n: 0 }};\nlet mut {v}l = {list}(vec![{x}, {y}, felt({b}), felt({c})]);\n\
         let {v}m = {list}(vec![{y}, felt({a})]);\nlet {v}k = {v}l[(0, 1)];\n{v}l[(1, 0)] += {v}k;\n{v}l[(1, 1)] = {v}l[(0, 0)] * {y};"
    )));
    let all = format!("{name} {{ x: {y}, n: 1 }}");
    let values = [
        format!("{v}.next().unwrap_or({x})"),
        format!("({all}).skip(1).fold({x}, |s, e| s * e + felt(1))"),
        format!("({all}).map(|e| e + {x}).sum::<Felt>()"),
        format!("felt(({all}).enumerate().step_by(2).count())"),
        format!("[{x}, {y}].into_iter().zip({all}).fold(felt(0), |s, (p, q)| s + p * q)"),
        format!("({all}).chain({v}.clone()).last().unwrap_or({x})"),
        format!("{{ let mut t = felt(0); for e in &mut {v} {{ t = t * felt(3) + e; break; }} t }}"),
        format!("({v}l[(1, 0)] + {v}l[(1, 1)])"),
        format!("(&{v}l * &{v}m)"),
        format!("({v}l.clone() + &{v}m)"),
        format!("({v}l.clone() + {v}m.clone())"),
    ];
    for _ in 0..3 {
        let value = &values[g.random.below(values.len())];
        g.observe(value, &Ty::Felt, body);
    }
}
