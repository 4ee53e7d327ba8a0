//! Methods with every kind of receiver, and generic functions.

use super::super::generator::{Function, Generator};
use super::super::source::{Node, group, line};
use super::super::types::{Int, Ty};

/// `self`, `mut self`, `&self`, `&mut self`, and functions without a receiver.
pub fn methods(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("M");
    g.items.push(line(format!(
        "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub struct {name} {{ a: Felt, n: usize, list: [Felt; 2], inner: (Ext, u8) }}"
    )));
    let fields = [
        ("self.a", Ty::Felt, false),
        ("self.n", Ty::Int(Int::Usize), false),
        ("self.list", Ty::array(Ty::Felt, 2), false),
        (
            "self.inner",
            Ty::Tuple(vec![Ty::Ext, Ty::Int(Int::U8)]),
            false,
        ),
        ("x", Ty::Felt, false),
    ];
    let mut made = Vec::new();
    let new = format!(
        "Self {{ list: [x, x + felt(1)], a: x * x, inner: (Ext::from_felt(x), 3), n: {} }}",
        g.random.below(5)
    );
    made.push(group("fn new(x: Felt) -> Self", vec![line(new)]));
    let mut calls = Vec::new();
    for index in 0..g.random.between(2, 4) {
        let method = format!("m{index}");
        let kind = g.random.below(4);
        let receiver = ["&self", "&mut self", "self", "mut self"][kind];
        let changing = kind == 1 || kind == 3;
        let calls_before = calls.clone();
        let inner = g.function(&fields, |g, body| {
            g.start("x", body);
            if changing {
                for _ in 0..2 {
                    let value = g.felt(2);
                    let i = g.random.below(2);
                    let text = match g.random.below(6) {
                        0 => format!("self.a += {value};"),
                        1 => format!("self.list[{i}] = {value};"),
                        2 => "self.n = (self.n + 3) % 7;".into(),
                        3 => format!("self.inner.0 = self.inner.0 * {value};"),
                        4 => "self.inner.1 = self.inner.1.wrapping_add(100) % 50;"
                            .replace(".wrapping_add(100)", " / 2"),
                        _ => format!("*self = Self {{ a: {value}, ..*self }};")
                            .replace("*self", if kind == 1 { "*self" } else { "self" }),
                    };
                    body.push(line(text));
                }
            }
            let back: Vec<_> = calls_before
                .iter()
                .filter(|(_, k)| *k != 1 || changing)
                .collect();
            if let Some((other, _)) = back.first() {
                let value = g.felt(1);
                body.push(line(format!("acc += self.{other}({value});")));
            }
            g.simple_statement(body);
            let value = g.felt(2);
            body.push(line(format!("acc + {value} + felt(self.n)")));
        });
        let inline = g.never_inline(15);
        made.push(group(
            format!("{inline}fn {method}({receiver}, x: Felt) -> Felt"),
            inner,
        ));
        calls.push((method, kind));
    }
    g.items.push(group(format!("impl {name}"), made));
    let object = g.fresh("v");
    let start = g.felt(1);
    body.push(line(format!("let mut {object} = {name}::new({start});")));
    for _ in 0..3 {
        let (method, kind) = calls[g.random.below(calls.len())].clone();
        let value = g.felt(1);
        let call = match (g.random.below(4), kind) {
            (0, 1) => format!("{name}::{method}(&mut {object}, {value})"),
            (0, 0) => format!("{name}::{method}(&{object}, {value})"),
            (0, _) => format!("{name}::{method}({object}, {value})"),
            (1, _) => format!("{name}::new({value}).{method}({value})"),
            _ => format!("{object}.{method}({value})"),
        };
        g.observe(&call, &Ty::Felt, body);
    }
    let ty = Ty::Tuple(vec![Ty::Ext, Ty::Int(Int::U8)]);
    g.observe(&format!("{object}.a"), &Ty::Felt, body);
    g.observe(&format!("{object}.n"), &Ty::Int(Int::Usize), body);
    g.observe(&format!("{object}.list"), &Ty::array(Ty::Felt, 2), body);
    g.observe(&format!("{object}.inner"), &ty, body);
}

/// Functions and structs that are generic over types and numbers.
pub fn generics(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("g");
    let (n, value) = (g.random.between(1, 4), g.felt(1));
    let list: Vec<_> = (0..n).map(|_| g.felt(1)).collect();
    let list = list.join(", ");
    match g.random.below(6) {
        0 => {
            g.items.push(line(format!(
                "fn {name}<const N: usize>(list: [Felt; N], by: Felt) -> Felt {{ let mut sum = felt(N); for i in 0..N {{ sum = sum * by + list[i]; }} sum }}"
            )));
            g.observe(&format!("{name}([{list}], {value})"), &Ty::Felt, body);
            g.observe(
                &format!("{name}::<2>([{value}, {value}], felt(3))"),
                &Ty::Felt,
                body,
            );
        }
        1 => {
            let inner = g.function(&[("x", Ty::Felt, false)], |g, body| {
                g.start("x", body);
                let early = group(
                    format!("if N % 3 == {}", g.random.below(3)),
                    vec![line("return acc + felt(N);")],
                );
                body.push(early);
                g.simple_statement(body);
                body.push(line("acc * felt(N + 1)"));
            });
            g.item(format!("fn {name}<const N: usize>(x: Felt) -> Felt"), inner);
            for n in 0..3 {
                let value = g.felt(1);
                g.observe(&format!("{name}::<{n}>({value})"), &Ty::Felt, body);
            }
            g.functions.push(Function {
                path: format!("{name}::<{{ 2 + {n} }}>"),
                parameters: vec![Ty::Felt],
                result: Ty::Felt,
            });
        }
        2 => {
            g.items.push(line(format!(
                "fn {name}<T: Copy, U>(a: T, b: U) -> (U, T, T) {{ (b, a, a) }}"
            )));
            let (first, second) = (g.some_type(1), g.some_type(1));
            let (a, b) = (g.value(&first, 1), g.value(&second, 1));
            let (result, call) = (g.fresh("v"), format!("{name}({a}, {b})"));
            body.push(line(format!("let {result} = {call};")));
            let ty = Ty::Tuple(vec![second, first.clone(), first]);
            g.declare(&result, ty.clone(), false);
            g.observe(&result, &ty, body);
        }
        3 => {
            let structure = g.fresh("G");
            g.items.push(line(format!(
                "#[derive(Clone, Copy)]\nstruct {structure}<T, const N: usize> {{ items: [T; N], first: T }}\n\
                 impl<T: Copy, const N: usize> {structure}<T, N> {{ const SIZE: usize = N * 2; fn of(x: T) -> Self {{ Self {{ items: [x; N], first: x }} }} fn set(&mut self, i: usize, x: T) {{ self.items[i % N] = x; }} fn last(&self) -> T {{ self.items[N - 1] }} }}\n\
                 impl<const N: usize> {structure}<Felt, N> {{ fn sum(self) -> Felt {{ let mut s = self.first; for x in self.items {{ s += s + x; }} s }} }}"
            )));
            let object = g.fresh("v");
            let i = g.int_below(Int::Usize, 1, 8);
            body.push(line(format!(
                "let mut {object} = {structure}::<Felt, {n}>::of({value});"
            )));
            let other = g.felt(1);
            body.push(line(format!("{object}.set({i}, {other});")));
            g.observe(&format!("{object}.last()"), &Ty::Felt, body);
            g.observe(
                &format!("({object}.sum() + felt({structure}::<Felt, {n}>::SIZE))"),
                &Ty::Felt,
                body,
            );
            g.observe(
                &format!("{structure}::<usize, 3>::of(4).last()"),
                &Ty::Int(Int::Usize),
                body,
            );
        }
        4 => {
            let trait_ = g.fresh("W");
            g.items.push(line(format!(
                "trait {trait_} {{ fn weight(&self) -> Felt; }}\n\
                 impl {trait_} for Felt {{ fn weight(&self) -> Felt {{ *self * felt(3) }} }}\n\
                 impl {trait_} for Ext {{ fn weight(&self) -> Felt {{ self.coeff(1) + felt(2) }} }}\n\
                 impl<T: {trait_}, const N: usize> {trait_} for [T; N] {{ fn weight(&self) -> Felt {{ let mut s = felt(N); for i in 0..N {{ s = s * felt(2) + self[i].weight(); }} s }} }}\n\
                 impl<A: {trait_}, B: {trait_}> {trait_} for (A, B) {{ fn weight(&self) -> Felt {{ self.0.weight() * felt(5) - self.1.weight() }} }}\n\
                 fn {name}<T>(x: &T) -> Felt where T: {trait_} {{ x.weight() + felt(1) }}"
            )));
            let ext = g.ext(1);
            g.observe(&format!("{name}(&([{list}], {ext}))"), &Ty::Felt, body);
            g.observe(&format!("({value}, [{ext}; 2]).weight()"), &Ty::Felt, body);
            g.observe(&format!("{name}(&[[{value}; 2]; {n}])"), &Ty::Felt, body);
        }
        _ => {
            g.items.push(line(format!(
                "fn {name}<const FLIP: bool, const N: usize>(x: Felt, y: Felt) -> Felt {{ let [a, b] = if FLIP {{ [y, x] }} else {{ [x, y] }}; a * felt(N) - b }}"
            )));
            let other = g.felt(1);
            for flip in [true, false] {
                g.observe(
                    &format!("{name}::<{flip}, {n}>({value}, {other})"),
                    &Ty::Felt,
                    body,
                );
            }
        }
    }
}
