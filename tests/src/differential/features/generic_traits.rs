//! Generic traits with default methods and constants, their associated types, and aliases with and
//! without arguments. Their parameters are often named as a constant or a struct of the program.

use super::super::generator::Generator;
use super::super::source::{Node, line};

/// A constant, and types that implement a trait, one of which is a struct.
struct Named {
    /// The trait, with `const K: usize` and `fn weigh_..(&self) -> Felt`.
    weight: String,
    /// The method of the trait.
    weigh: String,
    /// A constant.
    constant: String,
    /// A struct `{ x: Felt }` that implements the trait.
    structure: String,
}

impl Named {
    fn new(g: &mut Generator) -> Self {
        let name = g.fresh("N");
        let named = Self {
            weight: format!("{name}W"),
            weigh: format!("weigh_{name}"),
            constant: format!("{name}K"),
            structure: format!("{name}S"),
        };
        let Self {
            weight,
            weigh,
            constant,
            structure,
        } = &named;
        let [a, b, c, d] = [0; 4].map(|_: usize| g.random.between(2, 99));
        let length = g.random.between(1, 4);
        g.items.push(line(format!(
            "const {constant}: usize = {length};\nconst {constant}L: usize = {};\n\
             #[derive(Clone, Copy)]\nstruct {structure} {{ x: Felt }}\n#[derive(Clone, Copy)]\nstruct {structure}R {{ x: Felt }}\n\
             trait {weight}: Copy {{ const K: usize; fn {weigh}(&self) -> Felt; }}\n\
             impl {weight} for {structure} {{ const K: usize = {a}; fn {weigh}(&self) -> Felt {{ self.x * felt({b}) }} }}\n\
             impl {weight} for {structure}R {{ const K: usize = {d}; fn {weigh}(&self) -> Felt {{ self.x + felt({b}) }} }}\n\
             impl {weight} for Felt {{ const K: usize = {c}; fn {weigh}(&self) -> Felt {{ *self - felt({a}) }} }}\n\
             impl {weight} for Ext {{ const K: usize = {d}; fn {weigh}(&self) -> Felt {{ self.coeff(1) + felt({c}) }} }}\n\
             impl {weight} for u16 {{ const K: usize = {b}; fn {weigh}(&self) -> Felt {{ felt(*self as usize * {d}) }} }}",
            length + 1,
        )));
        named
    }

    /// Calls the method of the trait on a value whose type the compiler may not know to be a
    /// parameter's, or that is a type of the standard library: by a qualified path, for the most
    /// part.
    fn weighed(&self, g: &mut Generator, value: &str) -> String {
        let Self { weight, weigh, .. } = self;
        if g.refused() {
            format!("{value}.{weigh}()")
        } else {
            format!("{weight}::{weigh}(&{value})")
        }
    }

    /// Returns a name for a constant parameter.
    fn number(&self, g: &mut Generator) -> String {
        g.random.pick(&["N", &self.constant]).to_owned()
    }

    /// Returns a name for a type parameter of an item that does not name the struct.
    fn ty(&self, g: &mut Generator) -> String {
        let names = ["T", &self.structure, &self.structure, &self.constant];
        g.random.pick(&names).to_owned()
    }

    /// Returns a type, and a value of it.
    fn some(&self, g: &mut Generator) -> (String, String) {
        match g.random.below(4) {
            0 => ("Felt".into(), g.felt(1)),
            1 => ("Ext".into(), g.ext(1)),
            2 => ("u16".into(), format!("{}_u16", g.random.below(300))),
            _ => {
                let value = g.felt(1);
                (
                    self.structure.clone(),
                    format!("{} {{ x: {value} }}", self.structure),
                )
            }
        }
    }
}

/// Returns a type's part of a path to an item of its generic trait: with the trait and its
/// argument, for the most part.
fn of(g: &mut Generator, ty: &str, name: &str, argument: &str) -> String {
    if g.refused() {
        ty.to_owned()
    } else {
        format!("<{ty} as {name}<{argument}>>")
    }
}

/// Traits that are generic over a number, whose implementations leave defaults as they are.
pub fn numbers(g: &mut Generator, body: &mut Vec<Node>) {
    let named = Named::new(g);
    let (name, method) = (g.fresh("D"), g.fresh("by"));
    let [a, b, c] = [0; 3].map(|_: usize| g.random.between(2, 99));
    let (m, n, o) = (named.number(g), named.number(g), named.number(g));
    let never = if g.random.chance(20) {
        "#[inline(never)] "
    } else {
        ""
    };
    let (this, some) = (of(g, "Self", &name, &m), of(g, "S", &name, "N"));
    // An implementation replaces none, one or all of the defaults.
    let own = match g.random.below(4) {
        0 => format!("const C: usize = {n} * {c};"),
        1 => {
            format!("fn {method}(&self, a: [Felt; {n}]) -> Felt {{ a[{n} - 1] + felt({n} * {b}) }}")
        }
        _ => String::new(),
    };
    g.items.push(line(format!(
        "trait {name}<const {m}: usize> {{ const C: usize = {m} * {a} + 1; \
         {never}fn {method}(&self, a: [Felt; {m}]) -> Felt {{ let mut s = felt({m} * {b} + a.len()); for x in a {{ s = s * felt({c}) + x; }} s + felt({this}::C) }} \
         fn sized(x: Felt) -> [Felt; {m}] where Self: Sized {{ [x + felt({m}); {m}] }} }}\n\
         #[derive(Clone, Copy)]\nstruct {name}A;\n#[derive(Clone, Copy)]\nstruct {name}B<const N: usize>;\n\
         impl<const {n}: usize> {name}<{n}> for {name}A {{ {own} }}\n\
         impl<const {o}: usize> {name}<{o}> for {name}B<{o}> {{}}\n\
         impl {name}<2> for Felt {{}}\n\
         fn any_{name}<const N: usize, S: {name}<N>>(s: &S, a: [Felt; N]) -> Felt {{ s.{method}(a) + {some}::sized(a[0])[N - 1] + felt({some}::C) }}"
    )));
    let x = g.felt(1);
    let length = g.random.between(1, 4);
    let calls = [
        format!("{name}A.{method}([{x}; {length}])"),
        format!("{name}B::<{length}>.{method}([{x}; {length}])"),
        format!("{name}::{method}(&{name}A, [{x}; {length}])"),
        format!("<{name}A as {name}<{length}>>::{method}(&{name}A, [{x}; {length}])"),
        format!("felt(<{name}A as {name}<{length}>>::C)"),
        format!("felt(<{name}B<{length}> as {name}<{length}>>::C)"),
        format!("felt({name}B::<{length}>::C)"),
        format!("<{name}A as {name}<{length}>>::sized({x})[{length} - 1]"),
        format!("{name}B::<{length}>::sized({x})[0]"),
        format!("{{ let t = {x}; t.{method}([t, felt(3)]) }}"),
        format!("felt(<Felt as {name}<2>>::C)"),
        format!("any_{name}::<{length}, {name}A>(&{name}A, [{x}; {length}])"),
        format!("any_{name}::<{length}, {name}B<{length}>>(&{name}B, [{x}; {length}])"),
    ];
    let refused = [format!("any_{name}(&{name}A, [{x}; {length}])")];
    g.observe_some(&calls, (20, &refused), body);
}

/// Traits that are generic over a type, with default methods and constants and associated types.
pub fn types(g: &mut Generator, body: &mut Vec<Node>) {
    let named = Named::new(g);
    let Named { weight, weigh, .. } = &named;
    let (name, method) = (g.fresh("D"), g.fresh("of"));
    let [a, b] = [0; 2].map(|_: usize| g.random.between(2, 99));
    let (t, u, v) = (named.ty(g), named.ty(g), named.ty(g));
    let (out, value, shown) = match g.random.below(4) {
        0 | 1 => (u.clone(), "x".to_owned(), ""),
        2 => (format!("[{u}; 2]"), "[x, x]".to_owned(), "[1]"),
        _ => (format!("({u}, usize)"), format!("(x, {u}::K)"), ".0"),
    };
    let own = match g.random.below(3) {
        0 => format!("const C: usize = {u}::K * {b};"),
        _ => String::new(),
    };
    let (this, some) = (of(g, "Self", &name, &t), of(g, "S", &name, "T"));
    let inner = named.weighed(g, "self.inner");
    g.items.push(line(format!(
        "trait {name}<{t}: {weight}> {{ type Out; const C: usize = {t}::K * {a} + 1; \
         fn {method}(&self, x: {t}) -> Felt {{ x.{weigh}() * felt({t}::K) + felt({this}::C) }} \
         fn made(&self, x: {t}) -> Self::Out; }}\n\
         #[derive(Clone, Copy)]\nstruct {name}A;\n#[derive(Clone, Copy)]\nstruct {name}B<T> {{ inner: T }}\n\
         impl<{u}: {weight}> {name}<{u}> for {name}A {{ type Out = {out}; {own} fn made(&self, x: {u}) -> Self::Out {{ {value} }} }}\n\
         impl<{v}: {weight}> {name}<{v}> for {name}B<{v}> {{ type Out = Felt; fn made(&self, x: {v}) -> Felt {{ x.{weigh}() - {inner} }} }}\n\
         fn any_{name}<T: {weight}, S: {name}<T>>(s: &S, x: T) -> (S::Out, Felt) {{ (s.made(x), s.{method}(x) + felt({some}::C)) }}\n\
         fn first_{name}(x: <{name}A as {name}<Felt>>::Out) -> Felt {{ x{shown} }}"
    )));
    let (ty, x) = named.some(g);
    let felt = g.felt(1);
    let mut weighed = |value: String| named.weighed(g, &value);
    let calls = [
        format!("{name}A.{method}({x})"),
        format!("({name}B {{ inner: {x} }}).{method}({x})"),
        format!("({name}B {{ inner: {x} }}).made({x})"),
        weighed(format!("{name}A.made({x}){shown}")),
        format!("<{name}A as {name}<{ty}>>::{method}(&{name}A, {x})"),
        weighed(format!(
            "<{name}A as {name}<{ty}>>::made(&{name}A, {x}){shown}"
        )),
        format!("felt(<{name}A as {name}<{ty}>>::C)"),
        format!("felt(<{name}B<{ty}> as {name}<{ty}>>::C)"),
        format!("felt({name}B::<{ty}>::C)"),
        format!("any_{name}::<{ty}, {name}A>(&{name}A, {x}).1"),
        weighed(format!(
            "any_{name}::<{ty}, {name}A>(&{name}A, {x}).0{shown}"
        )),
        format!("first_{name}({name}A.made({felt}))"),
        format!(
            "{{ let t: <{name}A as {name}<{ty}>>::Out = {name}A.made({x}); {} }}",
            weighed(format!("t{shown}"))
        ),
    ];
    let mut refused = vec![format!("any_{name}(&{name}A, {x}).1")];
    if shown.is_empty() {
        let of = format!("felt(<<{name}A as {name}<{ty}>>::Out as {weight}>::K)");
        refused.extend([of.clone(), of]);
    }
    g.observe_some(&calls, (25, &refused), body);
}

/// Aliases with parameters, used with their arguments and without.
pub fn aliases(g: &mut Generator, body: &mut Vec<Node>) {
    let named = Named::new(g);
    let Named { weight, .. } = &named;
    let (name, make) = (g.fresh("W"), g.fresh("mk"));
    let factor = g.random.between(2, 99);
    let (t, u, n) = (named.ty(g), named.ty(g), named.number(g));
    let [inner, first, second, last] =
        ["self.inner", "self.0", "self.1", "self.inner[N - 1]"].map(|part| named.weighed(g, part));
    g.items.push(line(format!(
        "#[derive(Clone, Copy)]\nstruct {name}<T> {{ inner: T }}\n\
         #[derive(Clone, Copy)]\nstruct {name}P<T, U>(T, U);\n\
         #[derive(Clone, Copy)]\nstruct {name}S<T, const N: usize> {{ inner: [T; N] }}\n\
         impl<T: {weight}> {name}<T> {{ const C: usize = T::K * {factor}; fn {make}(inner: T) -> Self {{ Self {{ inner }} }} fn shown(&self) -> Felt {{ {inner} + felt(T::K) }} }}\n\
         impl<T: {weight}, U: {weight}> {name}P<T, U> {{ fn {make}(x: T, y: U) -> Self {{ Self(x, y) }} fn shown(&self) -> Felt {{ {first} * felt(U::K) - {second} }} }}\n\
         impl<T: {weight}, const N: usize> {name}S<T, N> {{ fn {make}(x: T) -> Self {{ Self {{ inner: [x; N] }} }} fn shown(&self) -> Felt {{ {last} * felt(N) }} }}\n\
         type {name}Al<{t}> = {name}<{t}>;\n\
         type {name}Same<{u}> = {name}P<{u}, {u}>;\n\
         type {name}Half<{t}> = {name}P<{t}, Felt>;\n\
         type {name}Sized<const {n}: usize> = {name}S<Felt, {n}>;\n\
         type {name}Two<{u}> = {name}Al<{u}>;\n\
         fn of_{name}(x: {name}Al<Felt>, y: &{name}Half<u16>) -> Felt {{ x.shown() - y.shown() }}"
    )));
    let (ty, x) = named.some(g);
    let (felt, length) = (g.felt(1), g.random.between(1, 4));
    let inner = named.weighed(g, "inner");
    let calls = [
        format!("{name}Al::{make}({x}).shown()"),
        format!("{name}Al::<{ty}>::{make}({x}).shown()"),
        format!("{name}Two::{make}({x}).shown()"),
        format!("{name}Same::{make}({x}, {x}).shown()"),
        format!("{name}Half::{make}({x}, {felt}).shown()"),
        format!("{name}Half::<{ty}>::{make}({x}, {felt}).shown()"),
        format!("{name}Sized::<{length}>::{make}({felt}).shown()"),
        format!("felt({name}Al::<{ty}>::C + {name}Two::<Felt>::C)"),
        format!("{{ let t: {name}Al<{ty}> = {name}Al {{ inner: {x} }}; t.shown() }}"),
        format!("{{ let t: {name}Sized<{length}> = {name}S::{make}({felt}); t.shown() }}"),
        format!("{{ let {name}Al {{ inner }} = {name}::{make}({x}); {inner} }}"),
        format!("of_{name}({name}Al::{make}({felt}), &{name}Half::{make}(3_u16, {felt}))"),
    ];
    let refused = [
        format!("{{ let t: {name}Sized<{length}> = {name}Sized::{make}({felt}); t.shown() }}"),
        format!("({name}Al {{ inner: {x} }}).shown()"),
    ];
    g.observe_some(&calls, (25, &refused), body);
}
