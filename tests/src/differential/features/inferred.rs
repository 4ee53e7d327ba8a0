//! Generic arguments that only the expected type of a result determines: an annotation, the
//! enclosing function's result, or a later use.

use super::super::generator::Generator;
use super::super::source::{Node, line};

/// Functions that return the type that is expected of them.
pub fn types(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("I");
    let (a, b, get) = (
        format!("{name}A"),
        format!("{name}B"),
        format!("get_{name}"),
    );
    let [p, q, r] = [0; 3].map(|_: usize| g.random.between(2, 99));
    // A type parameter may have the same name as a struct of the program.
    let t = g.random.pick(&["T", &a, &b, &a, &b]).to_owned();
    let mut items = vec![
        format!(
            "trait {name} {{ const K: usize; fn make(x: Felt) -> Self; fn {get}(&self) -> Felt; }}"
        ),
        format!("#[derive(Clone, Copy)]\nstruct {a} {{ x: Felt }}"),
        format!("#[derive(Clone, Copy)]\nstruct {b} {{ x: Felt }}"),
        format!(
            "impl {name} for {a} {{ const K: usize = {p}; fn make(x: Felt) -> Self {{ Self {{ x: x + felt({p}) }} }} fn {get}(&self) -> Felt {{ self.x * felt({q}) }} }}"
        ),
        format!(
            "impl {name} for {b} {{ const K: usize = {q}; fn make(x: Felt) -> Self {{ Self {{ x: x * felt({r}) }} }} fn {get}(&self) -> Felt {{ self.x - felt({p}) }} }}"
        ),
        format!(
            "impl {name} for Felt {{ const K: usize = {r}; fn make(x: Felt) -> Self {{ x * x }} fn {get}(&self) -> Felt {{ *self * felt({r}) }} }}"
        ),
        format!(
            "impl Default for {a} {{ fn default() -> Self {{ Self {{ x: felt({r}) }} }} }}\n\
             impl Default for {b} {{ fn default() -> Self {{ Self {{ x: felt({p}) }} }} }}"
        ),
        format!("fn make_{name}<{t}: {name}>(x: Felt) -> {t} {{ {t}::make(x + felt({t}::K)) }}"),
        format!(
            "fn two_{name}<{t}: {name}>(x: Felt) -> ({t}, Felt) {{ ({t}::make(x), felt({t}::K)) }}"
        ),
        format!(
            "fn a_{name}(x: {a}) -> Felt {{ x.{get}() }}\nfn b_{name}(x: {b}) -> Felt {{ x.{get}() }}"
        ),
        format!(
            "trait {name}C<T> {{ fn conv_{name}(&self) -> T; }}\n\
             impl {name}C<{a}> for Felt {{ fn conv_{name}(&self) -> {a} {{ {a} {{ x: *self * felt({p}) }} }} }}\n\
             impl {name}C<{b}> for Felt {{ fn conv_{name}(&self) -> {b} {{ {b} {{ x: *self + felt({q}) }} }} }}"
        ),
        format!("fn given_{name}(x: Felt) -> {b} {{ {a}::make(x); make_{name}::<{b}>(x) }}"),
        format!(
            "#[derive(Clone, Copy)]\nstruct {name}W<T> {{ x: Felt, of: std::marker::PhantomData<T> }}\n\
             impl<T: {name}> {name}W<T> {{ fn new(x: Felt) -> Self {{ Self {{ x: x + felt(T::K), of: std::marker::PhantomData }} }} fn get(&self) -> Felt {{ self.x * felt(T::K) }} fn turn<U: {name}>(self) -> {name}W<U> {{ {name}W {{ x: self.x, of: std::marker::PhantomData }} }} }}\n\
             fn wb_{name}(x: {name}W<{b}>) -> Felt {{ x.get() }}"
        ),
    ];
    let x = g.felt(1);
    let make = format!("make_{name}({x})");
    let calls = [
        format!("make_{name}::<{a}>({x}).{get}()"),
        format!("make_{name}::<Felt>({x}).{get}()"),
        format!("two_{name}::<{b}>({x}).1"),
        format!("given_{name}({x}).{get}()"),
        format!("{name}W::<{a}>::new({x}).get()"),
        format!("{{ let t: {name}W<{b}> = {name}W::new({x}); t.get() }}"),
        format!("{name}W::<{a}>::new({x}).turn::<{b}>().get()"),
        format!("{b}::default().{get}()"),
        format!("<Felt as {name}C<{b}>>::conv_{name}(&{x}).{get}()"),
    ];
    let refused = [
        format!("{{ let t: {a} = {make}; t.{get}() }}"),
        format!("{{ let t: Felt = {make}; t.{get}() }}"),
        format!("{{ let t = {make}; b_{name}(t) }}"),
        format!("a_{name}({make})"),
        format!("wb_{name}({name}W::new({x}))"),
        format!("{{ let t: {b} = {x}.conv_{name}(); t.{get}() }}"),
        format!("a_{name}({x}.conv_{name}())"),
        format!("{{ let t: [{b}; 2] = [{make}, {make}]; t[1].{get}() }}"),
        format!("{{ let t: ({a}, Felt) = two_{name}({x}); t.1 + t.0.{get}() }}"),
        format!("result_{name}({x}).{get}()"),
        format!("later_{name}({x}).1"),
        format!("{{ let t: {name}W<{b}> = {name}W::<{a}>::new({x}).turn(); t.get() }}"),
        format!("wb_{name}({name}W::<{a}>::new({x}).turn())"),
        format!("wrapped_{name}({x}).get()"),
        format!("{{ let t: {b} = Default::default(); t.{get}() }}"),
        format!(
            "{{ let t: {name}W<{b}> = {name}W {{ x: {x}, of: std::marker::PhantomData }}; t.get() }}"
        ),
    ];
    items.push(format!(
        "fn result_{name}(x: Felt) -> {b} {{ make_{name}(x) }}\n\
         fn later_{name}(x: Felt) -> ({a}, Felt) {{ let t = two_{name}(x); let k = t.1; (t.0, k) }}\n\
         fn wrapped_{name}(x: Felt) -> {name}W<{b}> {{ {name}W {{ x: wb_{name}({name}W {{ x, of: std::marker::PhantomData }}), of: std::marker::PhantomData }} }}"
    ));
    for index in g.random.order(items.len()) {
        g.items.push(line(std::mem::take(&mut items[index])));
    }
    g.observe_some(&calls, (50, &refused), body);
}

/// Array lengths that the expected type of a result determines.
pub fn lengths(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("L");
    let (m, n) = (g.random.between(1, 4), g.random.between(5, 8));
    let factor = g.random.between(2, 99);
    g.items.push(line(format!(
        "#[derive(Clone, Copy)]\nstruct {name}<const N: usize> {{ x: Felt }}\n\
         #[derive(Clone, Copy)]\nstruct {name}T<const N: usize>(Felt);\n\
         impl<const N: usize> {name}<N> {{ fn new(x: Felt) -> Self {{ Self {{ x: x + felt(N) }} }} fn n(&self) -> Felt {{ self.x * felt({factor} + N) }} \
         fn make(s: {name}<N>) -> {name}<{m}> {{ {name}::<{m}> {{ x: s.x + felt({factor} * N) }} }} fn of(x: Felt) -> {name}<{n}> {{ {name}::<{n}> {{ x: x - felt(N) }} }} }}\n\
         impl<const N: usize> {name}T<N> {{ fn n(self) -> Felt {{ self.0 + felt(N) }} fn to(self) -> {name}<{m}> {{ {name} {{ x: self.0 * felt(N) }} }} }}\n\
         fn {name}_m(x: {name}<{m}>) -> Felt {{ x.n() }}\n\
         fn {name}_t(x: {name}T<{n}>) -> Felt {{ x.n() }}\n\
         fn {name}_new(x: Felt) -> {name}<{m}> {{ {name}::new(x) }}\n\
         fn {name}_early(x: Felt) -> {name}<{n}> {{ if {m} < {n} {{ return {name}::new(x); }} {name}::<{n}>::new(x * x) }}\n\
         fn {name}_made(x: Felt) -> {name}<{m}> {{ {name}::make({name}::<{n}> {{ x }}) }}\n\
         fn {name}_list<const N: usize>(x: Felt) -> [Felt; N] {{ [x * felt(N); N] }}"
    )));
    let x = g.felt(1);
    let calls = [
        format!("{name}_new({x}).n()"),
        format!("{name}_early({x}).n()"),
        format!("{name}_made({x}).n()"),
        format!("{{ let t: {name}<{m}> = {name}::new({x}); t.n() }}"),
        format!("{{ let t: {name}<{m}> = {name}::make({name}::<{n}>::new({x})); t.n() }}"),
        format!("{name}::make({name}::<{n}> {{ x: {x} }}).n()"),
        format!("{name}_m({name}::make({name}::<{n}> {{ x: {x} }}))"),
        format!("{{ let t: {name}<{n}> = {name}::<{m}>::of({x}); t.n() }}"),
        format!("{name}T::<{n}>({x}).to().n()"),
        format!("{name}_list::<{m}>({x})[0]"),
        format!(
            "{{ let t: Index<{n}> = Index::new(felt({m})); {name}_list::<{n}>({x})[{m}] + felt({n}) }}"
        ),
    ];
    let refused = [
        format!("{{ let t = {name} {{ x: {x} }}; {name}_m(t) }}"),
        format!("{{ let t = {name}T({x}); {name}_t(t) }}"),
        format!("{{ let t: {name}<{m}> = {name}T::<{n}>({x}).to(); {name}_t({name}T(t.x)) }}"),
        format!("{name}_nested({x}).n()"),
        format!("{name}_nested({x} + felt(1)).n()"),
        format!("{name}_nested(felt({factor})).n()"),
        format!("{name}_m({name}::new({x}))"),
        format!("{{ let t: [Felt; {m}] = {name}_list({x}); t[{m} - 1] }}"),
        format!("{name}_five({x})[1]"),
    ];
    // The type expected of a literal does not determine the types inside it.
    g.items.push(line(format!(
        "fn {name}_nested(x: Felt) -> {name}T<{m}> {{ {name}T({name}_t({name}T(x))) }}\n\
         fn {name}_five(x: Felt) -> [Felt; 5] {{ let t = {name}_list(x); t }}"
    )));
    g.observe_some(&calls, (50, &refused), body);
}
