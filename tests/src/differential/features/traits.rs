//! Which method a name means: inherent methods, traits with the same names, bounds, qualified
//! paths.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::Ty;

/// Two traits and the type itself have methods with the same name.
pub fn dispatch(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("D");
    let method = g
        .random
        .pick(&["get", "go", "inverse", "coeff0", "clone_it"])
        .to_owned();
    let receiver = g.random.pick(&["&self", "self", "&self"]).to_owned();
    let factors: Vec<_> = (0..4).map(|_| g.random.between(2, 99)).collect();
    let default = g.random.chance(40);
    let never = g.never_inline(20);
    g.items.push(line(format!(
        "#[derive(Clone, Copy)]\nstruct {name} {{ x: Felt }}"
    )));
    let mut traits = Vec::new();
    for (letter, factor) in ["A", "B"].iter().zip(&factors) {
        let declared = if default {
            format!("{never}fn {method}({receiver}) -> Felt where Self: Sized {{ felt({factor}) }}")
        } else {
            format!("fn {method}({receiver}) -> Felt;")
        };
        let extra = format!(
            "fn twice{letter}(&self) -> Felt where Self: Copy {{ self.{method}() * felt(2) }}"
        );
        g.items.push(group(
            format!("trait {name}{letter}"),
            vec![line(declared), line(extra)],
        ));
        traits.push(group(
            format!("impl {name}{letter} for {name}"),
            if default && g.random.chance(50) {
                Vec::new()
            } else {
                vec![line(format!(
                    "fn {method}({receiver}) -> Felt {{ self.x * felt({factor}) }}"
                ))]
            },
        ));
    }
    let inherent = g.random.chance(60);
    if inherent {
        let own = line(format!(
            "fn {method}({receiver}) -> Felt {{ self.x - felt({}) }}",
            factors[2]
        ));
        traits.push(group(format!("impl {name}"), vec![own]));
    }
    for index in g.random.order(traits.len()) {
        g.items.push(traits[index].clone());
    }
    // Where a method is in both bounds, rustc would find its name ambiguous, so the call is
    // qualified.
    let copied = if receiver == "self" { "*s" } else { "s" };
    g.items.push(line(format!(
        "fn a_{name}<T: {name}A + Copy>(s: &T) -> Felt {{ s.{method}() }}\n\
         fn b_{name}<T>(s: &T) -> Felt where T: {name}B + Copy {{ s.{method}() }}\n\
         fn both_{name}<T: {name}A + {name}B + Copy>(s: &T) -> Felt {{ <T as {name}B>::{method}({copied}) - {name}A::{method}({copied}) }}"
    )));
    let value = g.felt(1);
    let object = g.fresh("v");
    body.push(line(format!("let {object} = {name} {{ x: {value} }};")));
    let argument = if receiver == "self" {
        object.clone()
    } else {
        format!("&{object}")
    };
    let mut calls = vec![
        format!("a_{name}(&{object})"),
        format!("b_{name}(&{object})"),
        format!("both_{name}(&{object})"),
        format!("{name}A::{method}({argument})"),
        format!("<{name} as {name}B>::{method}({argument})"),
        format!("{object}.twiceA()"),
        format!("{object}.twiceB()"),
    ];
    if g.refused() {
        g.items.push(line(format!(
            "fn imp_{name}(s: &(impl {name}B + Copy)) -> Felt {{ s.{method}() * felt(2) }}"
        )));
        calls.push(format!("imp_{name}(&{object})"));
    }
    if inherent {
        calls.push(format!("{object}.{method}()"));
        calls.push(format!("{name}::{method}({argument})"));
    }
    for _ in 0..4 {
        let call = calls[g.random.below(calls.len())].clone();
        g.observe(&call, &Ty::Felt, body);
    }
}

/// Associated constants, types and functions.
pub fn associated(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("D");
    let numbers: Vec<_> = (0..6).map(|_| g.random.between(1, 9)).collect();
    let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|i| numbers[i]);
    let default = if g.random.chance(50) {
        String::new()
    } else {
        format!("const K: usize = {a};")
    };
    let inherent = match g.random.below(3) {
        0 => format!("impl {name} {{ const K: usize = {f}; }}"),
        _ => String::new(),
    };
    g.items.push(group(
        format!("trait {name}A"),
        vec![line(format!(
            "type Out; const K: usize = {b}; const TWICE: usize = Self::K * 2; fn make(x: Felt) -> Self::Out; fn size() -> usize {{ Self::K + Self::TWICE }}"
        ))],
    ));
    g.items.push(line(format!(
        "trait {name}B {{ const K: usize; fn make(x: Felt) -> Felt {{ x * felt(Self::K) }} }}"
    )));
    g.items.push(line(format!(
        "#[derive(Clone, Copy)]\nstruct {name};\nstruct {name}O<T> {{ inner: T }}"
    )));
    let (out, made) = match g.random.below(3) {
        0 => ("Felt", format!("x + felt({c})")),
        1 => ("[Felt; 2]", format!("[x, x * felt({c})]")),
        _ => ("(Felt, usize)", format!("(x, {c})")),
    };
    let first = match out {
        "Felt" => "",
        "[Felt; 2]" => "[1]",
        _ => ".0",
    };
    let mut items = vec![
        format!(
            "impl {name}A for {name} {{ type Out = {out}; {default} fn make(x: Felt) -> {out} {{ {made} }} }}"
        ),
        format!("impl {name}B for {name} {{ const K: usize = {d}; }}"),
        format!(
            "impl<T: {name}A> {name}A for {name}O<T> {{ type Out = (T::Out, usize); const K: usize = T::K + {e}; fn make(x: Felt) -> Self::Out {{ (T::make(x + felt({e})), T::size()) }} }}"
        ),
    ];
    if !inherent.is_empty() {
        items.push(inherent.clone());
    }
    for index in g.random.order(items.len()) {
        g.items.push(line(items[index].clone()));
    }
    g.items.push(line(format!(
        "fn k_{name}<T: {name}B>() -> usize {{ T::K }}\n\
         fn o_{name}<T: {name}A>(x: Felt) -> (T::Out, usize) {{ (T::make(x), T::K * 100 + T::size()) }}"
    )));
    let value = g.felt(1);
    let mut calls = vec![
        format!("felt(k_{name}::<{name}>())"),
        format!("felt(<{name} as {name}A>::K)"),
        format!("felt(<{name} as {name}B>::K * 3)"),
        format!("<{name} as {name}B>::make({value})"),
        format!("<{name} as {name}A>::make({value}){first}"),
        format!("felt({name}::size())"),
        format!("felt({name}O::<{name}>::TWICE + <{name}O<{name}> as {name}A>::K)"),
        format!("o_{name}::<{name}>({value}).0{first}"),
        format!("felt(o_{name}::<{name}O<{name}>>({value}).1)"),
        format!("o_{name}::<{name}O<{name}>>({value}).0.0{first}"),
    ];
    if !inherent.is_empty() {
        calls.push(format!("felt({name}::K)"));
    }
    if out == "Felt" && g.refused() {
        g.items.push(line(format!(
            "fn n_{name}<T: {name}A<Out = Felt>>(x: Felt) -> Felt {{ T::make(x) + felt(T::TWICE) }}"
        )));
        calls.push(format!("n_{name}::<{name}>({value})"));
    }
    for _ in 0..4 {
        let call = calls[g.random.below(calls.len())].clone();
        g.observe(&call, &Ty::Felt, body);
    }
}

/// Traits that are implemented for the prelude's types, also with the names of methods that these
/// have.
pub fn built_in(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("D");
    let method = g
        .random
        .pick(&["inverse", "twist", "twist", "twist", "coeff", "lane"]);
    let plus = format!("plus{name}");
    let (a, b, c) = (
        g.random.between(2, 30),
        g.random.between(2, 30),
        g.random.between(2, 30),
    );
    g.items.push(line(format!(
        "trait {name} {{ fn {method}(&self, i: usize) -> Felt; fn {plus}(self) -> Self; const K: usize; }}\n\
         impl {name} for Felt {{ fn {method}(&self, i: usize) -> Felt {{ *self * felt({a} + i) }} fn {plus}(self) -> Self {{ self + felt({a}) }} const K: usize = {a}; }}\n\
         impl {name} for Ext {{ fn {method}(&self, i: usize) -> Felt {{ self.as_block().lane(0) + felt({b} + i) }} fn {plus}(self) -> Self {{ self * self + felt({b}) }} const K: usize = {b}; }}\n\
         impl {name} for usize {{ fn {method}(&self, i: usize) -> Felt {{ felt(*self % 100 + {c} + i) }} fn {plus}(self) -> Self {{ self % 1000 + {c} }} const K: usize = {c}; }}\n\
         impl {name} for u8 {{ fn {method}(&self, i: usize) -> Felt {{ felt(*self as usize * 7 + i) }} fn {plus}(self) -> Self {{ self / 2 + 3 }} const K: usize = 8; }}\n\
         impl<T: {name} + Copy> {name} for [T; 2] {{ fn {method}(&self, i: usize) -> Felt {{ T::{generic}(&self[0], i) - T::{generic}(&self[1], i + 1) }} fn {plus}(self) -> Self {{ [T::{plus}(self[1]), self[0]] }} const K: usize = T::K * 2; }}\n\
         fn call_{name}<T: {name}>(x: T) -> Felt {{ let y = x.{plus}(); T::{method}(&y, T::K) }}",
        generic = method,
    )));
    let (x, e) = (g.felt(1), g.ext(1));
    let n = g.random.below(20);
    let mut calls = vec![
        format!("call_{name}({x})"),
        format!("call_{name}({e})"),
        format!("call_{name}({n}_usize)"),
        format!("call_{name}({n}_u8)"),
        format!("call_{name}([{x}, felt({n})])"),
        format!("call_{name}([{n}_u8, 3_u8])"),
        format!("{name}::{method}(&{x}, {n})"),
        format!("<Ext as {name}>::{method}(&{e}, {n})"),
        format!("felt(<[u8; 2] as {name}>::K + <usize as {name}>::K)"),
        format!("{x}.{plus}()"),
        format!("{name}::{plus}([{e}, {e}])[0].coeff(2)"),
    ];
    if g.refused() {
        calls.push(format!("[{e}, {e}].{plus}()[0].coeff(2)"));
    }
    match method {
        "inverse" => calls.push(format!("({{ let t = {x}; t * t + felt(3) }}).inverse()")),
        "coeff" => calls.push(format!("{e}.coeff(1)")),
        "lane" => calls.push(format!("{e}.as_block().lane(2)")),
        _ if g.refused() => calls.push(format!("{n}_usize.twist(2)")),
        _ => calls.push(format!("{name}::twist(&{n}_usize, 2)")),
    }
    for _ in 0..4 {
        let call = calls[g.random.below(calls.len())].clone();
        g.observe(&call, &Ty::Felt, body);
    }
}
