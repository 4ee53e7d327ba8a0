//! `#[inline(never)]` functions, called with arguments of which different parts are known, in
//! different forms.

use super::super::generator::{Function, Generator};
use super::super::source::{Node, group, line};
use super::super::types::Ty;

/// Functions of some parameters, called several times, also in loops and branches.
pub fn values(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("call");
    let (first, second) = (g.some_type(2), g.some_type(1));
    let result = g.some_run_time_type(1);
    let parameters = [
        ("a", first.clone(), g.random.chance(30)),
        ("b", second.clone(), g.random.chance(30)),
        ("x", Ty::Felt, true),
    ];
    let inner = g.function(&parameters, |g, body| {
        g.start("x", body);
        g.observe("a", &first, body);
        g.simple_statements(body);
        g.observe("b", &second, body);
        if g.random.chance(30) {
            let factor = g.random.between(2, 9);
            body.push(group(
                "for i in count(2)",
                vec![line(format!("acc = acc * felt({factor}) + i;"))],
            ));
        }
        let value = g.value(&result, 2);
        match &result {
            Ty::Felt => body.push(line(format!("acc + {value}"))),
            Ty::Ext => body.push(line(format!("({value} + acc)"))),
            _ => {
                body.push(line("if acc == felt(0) { acc = felt(1); }"));
                body.push(line(value));
            }
        }
    });
    let texts: Vec<_> = parameters
        .iter()
        .map(|(name, ty, mutable)| {
            let mutable = if *mutable { "mut " } else { "" };
            format!("{mutable}{name}: {}", g.type_name(ty))
        })
        .collect();
    let of = g.type_name(&result);
    g.item(
        format!("#[inline(never)]\nfn {name}({}) -> {of}", texts.join(", ")),
        inner,
    );
    let call = |g: &mut Generator| {
        let (a, b, x) = (g.value(&first, 2), g.value(&second, 1), g.felt(1));
        format!("{name}({a}, {b}, {x})")
    };
    for _ in 0..g.random.between(2, 3) {
        let call = call(g);
        let value = g.fresh("v");
        body.push(line(format!("let {value} = {call};")));
        g.declare(&value, result.clone(), false);
        g.observe(&value, &result, body);
    }
    if g.random.chance(30) {
        let call = call(g);
        let value = g.fresh("v");
        let mut inside = vec![line(format!("let {value} = {call};"))];
        g.observe(&value, &result, &mut inside);
        body.push(group("for _ in count(2)", inside));
    }
    g.functions.push(Function {
        path: name,
        parameters: vec![first, second, Ty::Felt],
        result,
    });
}

/// A struct type; each call knows other fields of its argument.
pub fn fixed(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("Fixed");
    let ext = g.random.chance(50);
    let (ty, part) = if ext {
        (Ty::Ext, "Ext")
    } else {
        (Ty::Block, "Block")
    };
    let fields = match g.random.below(3) {
        0 => 2,
        _ => 3,
    };
    let kinds: Vec<Ty> = (0..fields)
        .map(|_| {
            if g.random.chance(30) {
                Ty::Felt
            } else {
                ty.clone()
            }
        })
        .collect();
    let list: Vec<_> = kinds
        .iter()
        .enumerate()
        .map(|(i, ty)| format!("f{i}: {}", g.type_name(ty)))
        .collect();
    g.items.push(line(format!(
        "#[derive(Clone, Copy)]\nstruct {name} {{ {} }}",
        list.join(", ")
    )));
    let check = g.random.chance(30).then(|| g.random.below(4));
    let mut inner = vec![line("let mut acc = x;")];
    for (i, ty) in kinds.iter().enumerate() {
        g.observe(&format!("s.f{i}"), ty, &mut inner);
    }
    if let Some(k) = check {
        inner.push(line(format!("assert_ne!(acc, felt({k}));")));
    }
    inner.push(line("acc"));
    g.item(
        format!("#[inline(never)]\nfn of_{name}(s: {name}, x: Felt) -> Felt"),
        inner,
    );
    let made = g.let_new(&ty, false, body);
    // The same few values in different fields: one at a fixed address, one in a frame, a constant,
    // the result of a call.
    g.items.push(line(format!(
        "#[inline(never)]\nfn id_{name}(x: {part}) -> {part} {{ x }}"
    )));
    let choices = |g: &mut Generator, ty: &Ty| match (ty, g.random.below(5)) {
        (Ty::Felt, 0 | 1) => "felt(3)".into(),
        (Ty::Felt, _) => g.felt(1),
        (Ty::Ext, 0) => "Ext::new([4, 2, 0, 0, 1])".into(),
        (Ty::Ext, 1) => format!("{made}.pin()"),
        (_, 2) => format!("id_{name}({made})"),
        (Ty::Block, 0) => "Block::ZERO".into(),
        (Ty::Block, 1) => "hint_slice(1).any().block(0)".into(),
        (_, 3) => made.clone(),
        (ty, _) => g.value(ty, 1),
    };
    for _ in 0..g.random.between(2, 4) {
        let list: Vec<_> = kinds
            .iter()
            .enumerate()
            .map(|(i, ty)| format!("f{i}: {}", choices(g, ty)))
            .collect();
        let x = g.felt(1);
        let call = format!("of_{name}({name} {{ {} }}, {x})", list.join(", "));
        g.observe(&call, &Ty::Felt, body);
    }
}

/// Methods with `&self`, called on objects of which different parts are known.
pub fn methods(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("Object");
    let int = g.some_int();
    g.items.push(line(format!(
        "#[derive(Clone, Copy)]\nstruct {name} {{ a: Felt, b: Felt, e: Ext, n: {}, list: [Ext; 2] }}",
        int.name()
    )));
    let fields = [
        ("self.a", Ty::Felt, false),
        ("self.b", Ty::Felt, false),
        ("self.e", Ty::Ext, false),
        ("self.n", Ty::Int(int), false),
        ("self.list", Ty::array(Ty::Ext, 2), false),
        ("x", Ty::Felt, false),
    ];
    let get = g.function(&fields, |g, body| {
        g.start("x", body);
        g.simple_statements(body);
        for (field, ty) in [
            ("self.a", Ty::Felt),
            ("self.e", Ty::Ext),
            ("self.n", Ty::Int(int)),
        ] {
            g.observe(field, &ty, body);
        }
        g.observe("self.list", &Ty::array(Ty::Ext, 2), body);
        body.push(line("acc + self.b"));
    });
    let set = g.function(&fields, |g, body| {
        g.start("x", body);
        for _ in 0..2 {
            let (value, ext) = (g.felt(1), g.ext(1));
            let text = match g.random.below(5) {
                0 => format!("self.a = {value};"),
                1 => format!("self.b += {value};"),
                2 => format!("self.e = {ext};"),
                3 => format!("self.list[1] = {ext};"),
                _ => "let t = self.a; self.a = self.b; self.b = t;".into(),
            };
            body.push(line(text));
        }
        g.simple_statement(body);
        body.push(line("acc + self.get(x)"));
    });
    let methods = vec![
        group("#[inline(never)]\nfn get(&self, x: Felt) -> Felt", get),
        group("#[inline(never)]\nfn set(&mut self, x: Felt) -> Felt", set),
    ];
    g.items.push(group(format!("impl {name}"), methods));
    for _ in 0..2 {
        let object = g.fresh("v");
        let some = |g: &mut Generator, k: usize| {
            if g.random.chance(50) {
                format!("felt({k})")
            } else {
                g.felt(1)
            }
        };
        let (a, b, n) = (some(g, 3), some(g, 3), g.random.below(9));
        let exts: Vec<_> = (0..3)
            .map(|_| match g.random.below(3) {
                0 => "Ext::new([1, 2, 3, 4, 5])".to_owned(),
                1 => g.ext(1),
                _ => format!("({}).pin()", g.ext(1)),
            })
            .collect();
        body.push(line(format!(
            "let mut {object} = {name} {{ a: {a}, b: {b}, n: {n}, e: {}, list: [{}, {}] }};",
            exts[0], exts[1], exts[2]
        )));
        let x = g.felt(1);
        g.observe(&format!("{object}.get({x})"), &Ty::Felt, body);
        g.observe(&format!("{object}.set({x})"), &Ty::Felt, body);
        if g.random.chance(40) {
            let inside = vec![line(format!("acc += {object}.set(acc);"))];
            body.push(group("for _ in count(2)", inside));
        }
        g.observe(&format!("{object}.a"), &Ty::Felt, body);
        g.observe(&format!("{object}.e"), &Ty::Ext, body);
        g.observe(&format!("{object}.n"), &Ty::Int(int), body);
    }
}
