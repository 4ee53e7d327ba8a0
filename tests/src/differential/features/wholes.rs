//! Values that are passed on as a whole: borrowed arrays, builders, and slices and indices that
//! result from several branches.

use super::super::generator::{Function, Generator};
use super::super::source::{Node, group, line};
use super::super::types::Ty;

/// Borrowed arrays and parts of them, of any length.
pub fn borrowed_arrays(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("sum");
    let factor = g.random.between(2, 90);
    let step = format!("s = s * felt({factor}) + ");
    let inside = match g.random.below(5) {
        0 | 1 => format!("for i in 0..v.len() {{ {step}v[i]; }}"),
        2 => format!("for x in v {{ {step}*x; }}"),
        3 => format!("for x in v.iter() {{ {step}*x; }}"),
        _ => format!("for &x in v {{ {step}x; }}"),
    };
    g.items.push(line(format!(
        "fn {name}(v: &[Felt]) -> Felt {{ let mut s = felt(v.len()); {inside} s }}\n\
         fn {name}_n<const N: usize>(v: &[Felt; N]) -> Felt {{ {name}(v) - felt(N) * v[N - 1] }}\n\
         fn {name}_set(v: &mut [Felt], x: Felt) {{ for i in 0..v.len() {{ v[i] = v[i] * x + felt(i); }} }}"
    )));
    let n = g.random.between(2, 5);
    let array = g.let_new(&Ty::array(Ty::Felt, n), true, body);
    let (low, high) = (g.random.below(n), n);
    let call = match g.random.below(5) {
        0 => format!("{name}(&{array})"),
        1 => format!("{name}(&{array}[{low}..{high}])"),
        2 => format!("{name}_n(&{array})"),
        3 if g.refused() => format!("{name}(&{array}[..{low}])"),
        _ => format!("{name}(&[{array}[0], {array}[{low}]])"),
    };
    g.observe(&call, &Ty::Felt, body);
    let x = g.felt(1);
    if g.random.chance(50) {
        let part = if g.refused() {
            format!("[{low}..]")
        } else {
            String::new()
        };
        body.push(line(format!(
            "let {array}x = {x};\n{name}_set(&mut {array}{part}, {array}x);"
        )));
    }
    g.observe(&array, &Ty::array(Ty::Felt, n), body);
}

/// Chains of methods that take an object and return it; tuple structs; `Self` as a constructor.
pub fn builders(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("B");
    let (a, b) = (g.random.between(2, 90), g.random.between(2, 90));
    g.items.push(line(format!(
        "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\nstruct {name}(Felt, [usize; 2], (Ext, Felt));\n\
         impl {name} {{ const START: usize = {a}; fn new(x: Felt) -> Self {{ Self(x, [Self::START, {b}], (Ext::ONE * x, x)) }} \
         fn with(mut self, x: Felt) -> Self {{ self.0 = self.0 * felt({b}) + x; self.1[0] = (self.1[0] * 2 + self.1[1]) % 1009; self }} \
         fn turned(self) -> Self {{ let Self(x, [m, n], (e, f)) = self; Self(f, [n, m], (e * e + x, x)) }} \
         fn doubled(&self) -> Self {{ Self(self.0 + self.0, ..*self) }} \
         fn add(&mut self, other: Self) -> Felt {{ self.0 += other.0; (self.2).1 -= other.2.1; self.0 * other.0 }} }}"
    ).replace("Self(self.0 + self.0, ..*self)", "Self { 0: self.0 + self.0, ..*self }")));
    let (x, y) = (g.felt(1), g.felt(1));
    let chain = match g.random.below(4) {
        0 => format!("{name}::new({x}).with({y}).turned().with({y})"),
        1 => format!("{name}::new({x}).turned().doubled().turned()"),
        2 => format!("{name}::with({name}::new({y}), {x}).doubled()"),
        _ => format!("{name}::new({x}).with({name}::new({y}).with({y}).0)"),
    };
    let object = g.fresh("v");
    body.push(line(format!(
        "let mut {object} = {chain};\nlet {object}o = {object}.turned();"
    )));
    g.observe(&format!("{object}.add({object}o)"), &Ty::Felt, body);
    let ints = Ty::array(Ty::Int(super::super::types::Int::Usize), 2);
    for part in [object.clone(), format!("{object}o")] {
        g.observe(&format!("{part}.0"), &Ty::Felt, body);
        g.observe(&format!("{part}.1"), &ints, body);
        g.observe(
            &format!("{part}.2"),
            &Ty::Tuple(vec![Ty::Ext, Ty::Felt]),
            body,
        );
    }
}

/// Slices and indices that are results of branches, loops and calls.
pub fn meeting(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("s");
    let (m, n) = (g.random.between(1, 3), g.random.between(1, 3));
    let block = g.block(1);
    body.push(line(format!(
        "let {name}a = hint_slice({m}).any();\nlet {name}b = Slice::from_blocks([{block}; {n}]);"
    )));
    let (flag, x, y) = (g.flag(1), g.unknown(body), g.felt(1));
    let least = m.min(n);
    match g.random.below(6) {
        0 => {
            // The last block of the longer slice, which does not exist if the shorter one was
            // chosen.
            let last = if g.random.chance(20) {
                m.max(n) - 1
            } else {
                least - 1
            };
            body.push(line(format!(
                "let {name} = if {flag} {{ {name}a }} else {{ {name}b }};"
            )));
            g.observe(&format!("{name}.block({last})"), &Ty::Block, body);
        }
        1 => {
            body.push(line(format!("let mut {name} = {name}a;")));
            let inside = vec![
                line(format!(
                    "acc = acc * felt(3) + {name}.block(0).lane(1) + i;"
                )),
                line(format!("{name} = {name}b;")),
            ];
            body.push(group("for i in count(2)", inside));
            g.observe(&format!("{name}.block(0)"), &Ty::Block, body);
        }
        2 => {
            body.push(line(format!(
                "let {name}i = if {flag} {{ Index::<{m}>::new({x}) }} else {{ Index::<{m}>::new(felt({})) }};",
                m - 1
            )));
            g.observe(&format!("{name}a.at({name}i)"), &Ty::Block, body);
        }
        3 | 4 => {
            g.items.push(line(format!(
                "#[derive(Clone, Copy)]\nstruct H{name} {{ s: Slice, x: Felt }}\n\
                 #[inline(never)]\nfn of_{name}(h: H{name}, i: Index<{least}>) -> Felt {{ h.s.at(i).lane(2) * h.x + h.s.block({}).lane(0) }}",
                least - 1
            )));
            for (slice, value) in [
                ("a", x.clone()),
                ("b", y),
                ("a", "felt(3)".into()),
                ("b", "felt(3)".into()),
            ] {
                let index = format!(
                    "Index::<{least}>::new({})",
                    if g.random.chance(50) {
                        x.clone()
                    } else {
                        "felt(0)".into()
                    }
                );
                let call =
                    format!("of_{name}(H{name} {{ s: {name}{slice}, x: {value} }}, {index})");
                g.observe(&call, &Ty::Felt, body);
            }
        }
        _ => {
            body.push(line(format!("let mut {name} = Words::<3>::new();")));
            let set = |k: usize, value: &str| {
                line(format!("{name}.set(Index::<3>::new(felt({k})), {value});"))
            };
            let then = g.run_time(|_, body| body.push(set(0, &y)));
            let otherwise = g.run_time(|_, body| {
                body.push(set(0, "felt(4)"));
                body.push(set(1, "felt(5)"));
            });
            body.push(Node::Group(format!("if {flag} {{"), then, "}".into()));
            body.push(group("else", otherwise));
            let at = if g.random.chance(25) { 1 } else { 0 };
            g.observe(
                &format!("{name}.get(Index::<3>::new(felt({at})))"),
                &Ty::Felt,
                body,
            );
        }
    }
}

/// Functions of the program that have names of the prelude's. They take precedence over the glob
/// import of the prelude.
pub fn own_names(g: &mut Generator, body: &mut Vec<Node>) {
    let (name, item, result, parameters) = match g.random.below(3) {
        0 => (
            "fold_pair",
            "fn fold_pair(a: Ext, b: Ext, c: Ext) -> Ext { a * c + b * b }",
            Ty::Ext,
            vec![Ty::Ext, Ty::Ext, Ty::Ext],
        ),
        1 => (
            "poseidon16_compress",
            "fn poseidon16_compress(a: Block, b: Block) -> Block { Block::new([a.lane(1), b.lane(0), a.lane(0) + b.lane(7), a.lane(2), Felt::ONE, b.lane(3), b.lane(4), a.lane(7)]) }",
            Ty::Block,
            vec![Ty::Block, Ty::Block],
        ),
        _ => (
            "limbs",
            "const fn limbs(a: usize, b: usize) -> usize { a % 100 * 3 + b % 7 }",
            Ty::Int(super::super::types::Int::Usize),
            vec![Ty::Int(super::super::types::Int::Usize); 2],
        ),
    };
    if name == "limbs" {
        // The byte hashes use the prelude's `limbs`, so the program's is in a module.
        let module = g.fresh("m");
        g.items.push(line(format!(
            "mod {module} {{ use droste_gadgets::prelude::*; pub {item} }}"
        )));
        g.functions.push(Function {
            path: format!("{module}::limbs"),
            parameters,
            result,
        });
        g.observe(&format!("felt({module}::limbs(40, 9))"), &Ty::Felt, body);
        return;
    }
    if !g.items.contains(&line(item)) {
        g.items.push(line(item));
        g.functions.push(Function {
            path: name.into(),
            parameters,
            result: result.clone(),
        });
    }
    let call = match &result {
        Ty::Ext => format!("{name}({}, {}, {})", g.ext(1), g.ext(1), g.ext(0)),
        _ => format!("{name}({}, {})", g.block(1), g.block(1)),
    };
    g.observe(&call, &result, body);
}
