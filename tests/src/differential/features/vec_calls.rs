//! Functions and methods that take, change and return `Vec`s, called with different lengths.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::{Int, Ty};

/// The attribute of a function that is called or inlined.
pub fn called(g: &mut Generator) -> &'static str {
    g.random.pick(&["", "#[inline(never)]\n"])
}

/// Functions that read `Vec`s and slices.
pub fn read(g: &mut Generator, body: &mut Vec<Node>) {
    let element = g.element_type();
    let (name, of) = (g.fresh("read"), g.type_name(&element));
    let taken = g.random.pick(&["&[T]", "&[T]", "&Vec<T>", "Vec<T>"]);
    let (over, item) = match (g.random.below(3), taken) {
        (0, _) => ("0..v.len()", "v[e]"),
        (_, "Vec<T>") => ("v.clone()", "e"),
        (1, _) => ("v", "(*e)"),
        _ => ("v.iter()", "(*e)"),
    };
    let inner = g.function(&[("x", Ty::Felt, false)], |g, body| {
        g.start("x", body);
        let inside = g.scoped(|g, body| {
            g.observe(item, &element, body);
            if g.random.chance(30) {
                let (limit, way) = (
                    g.random.between(1, 4),
                    g.random.pick(&["return acc", "break", "continue"]),
                );
                body.push(line(format!("if v.len() > {limit} {{ {way}; }}")));
                body.push(line("acc += x;"));
            }
        });
        body.push(group(format!("for e in {over}"), inside));
        g.simple_statement(body);
        // What is in a `Vec` of integers is known in the body, too.
        body.push(group(
            "for i in n",
            vec![line("acc = acc * felt(5) + x * felt(*i);")],
        ));
        body.push(line("acc + felt(v.len())"));
    });
    let head = format!(
        "{}fn {name}(v: {taken}, n: &Vec<usize>, x: Felt) -> Felt",
        called(g)
    );
    g.item(head.replace('T', &of), inner);
    let length = g.random.between(1, 3);
    let list = g.let_new(&Ty::vec(element.clone(), length), true, body);
    for _ in 0..g.random.between(2, 4) {
        let length = g.length(&list);
        let (from, x) = (g.random.below(length + 1), g.felt(1));
        let argument = match taken {
            "&[T]" if g.random.chance(60) => {
                let to = g.random.between(from, length);
                format!("&{list}[{from}..{to}]")
            }
            "Vec<T>" => format!("{list}.clone()"),
            _ => format!("&{list}"),
        };
        let n = format!("vec![{}, {}]", g.random.below(3), g.random.below(2));
        let call = format!("{name}({argument}, &{n}, {x})");
        g.observe(&call, &Ty::Felt, body);
        // The next call has another length, or other elements.
        let value = g.value(&element, 1);
        if g.random.chance(50) {
            body.push(line(format!("{list}.push({value});")));
            g.resize(&list, length + 1);
        } else {
            body.push(line(format!("{list}[0] = {value};")))
        }
    }
}

/// What a function does to a `Vec`.
#[derive(Clone, Copy)]
enum Change {
    Push,
    Truncate(usize),
    Replace(usize),
    Double,
}

/// The statement, for a `Vec` called `v`, and the length after it.
fn change_text(change: Change, at: usize) -> String {
    match change {
        Change::Push => "v.push(x);".into(),
        Change::Truncate(n) => format!("v.truncate({n});"),
        Change::Replace(n) => format!("*v = vec![x; {n}];"),
        Change::Double => format!("for e{at} in v.clone() {{ v.push(e{at}); }}"),
    }
}

fn changed(length: usize, change: Change) -> usize {
    match change {
        Change::Push => length + 1,
        Change::Truncate(n) => length.min(n),
        Change::Replace(n) => n,
        Change::Double => 2 * length,
    }
}

/// Functions that take `&mut Vec`.
pub fn change(g: &mut Generator, body: &mut Vec<Node>) {
    let element = g.element_type();
    let (name, of) = (g.fresh("change"), g.type_name(&element));
    let some = |g: &mut Generator| match g.random.below(6) {
        0..=2 => Change::Push,
        3 => Change::Truncate(g.random.below(4)),
        4 => Change::Replace(g.random.below(3)),
        _ => Change::Double,
    };
    let changes: Vec<_> = (0..g.random.between(1, 3)).map(|_| some(g)).collect();
    let limit = g.random.between(2, 5);
    let inner = g.function(&[("x", element.clone(), false)], |g, body| {
        body.push(line(format!(
            "if v.len() > {limit} {{ v.truncate(1); return 77; }}"
        )));
        for (at, change) in changes.iter().enumerate() {
            body.push(line(change_text(*change, at)));
        }
        let value = g.value(&element, 1);
        body.push(line(format!(
            "if v.len() > 1 {{ v[0] = v[v.len() - 1]; v[1] = {value}; }}"
        )));
        body.push(line("v.len()"));
    });
    let head = format!(
        "{}fn {name}(v: &mut Vec<{of}>, x: {of}) -> usize",
        called(g)
    );
    g.item(head, inner);
    let after = |length: usize| {
        if length > limit {
            1
        } else {
            changes
                .iter()
                .fold(length, |length, one| changed(length, *one))
        }
    };
    // Behind another reference, in a field, or in a variable.
    let outer = g.fresh("twice");
    g.items.push(line(format!(
        "fn {outer}(v: &mut Vec<{of}>, x: {of}) -> usize {{ let n = {name}(v, x) * 100; n + {name}(&mut *v, x) }}"
    )));
    let list = g.some_vec(&element, body);
    for _ in 0..g.random.between(1, 3) {
        let value = g.fresh("v");
        let text = g.value(&element, 1);
        body.push(line(format!("let {value} = {text};")));
        let (call, length) = if g.random.chance(30) {
            (&outer, after(after(g.length(&list))))
        } else {
            (&name, after(g.length(&list)))
        };
        let call = format!("{call}(&mut {list}, {value})");
        g.observe_call(&call, body);
        g.resize(&list, length);
        g.observe(&list, &Ty::vec(element.clone(), length), body);
    }
    if g.random.chance(40) {
        let swap = g.fresh("swap");
        let never = called(g);
        g.items.push(line(format!(
            "{never}fn {swap}(a: &mut Vec<{of}>, b: &mut Vec<{of}>) {{ if a.len() * b.len() > 0 {{ let t = a[0]; a[0] = b[0]; b[0] = t; a.push(t); }} }}"
        )));
        let length = g.random.below(3);
        let other = g.let_new(&Ty::vec(element.clone(), length), true, body);
        for (a, b) in [(&list, &other), (&other, &list)] {
            body.push(line(format!("{swap}(&mut {a}, &mut {b});")));
            if g.length(a) * g.length(b) > 0 {
                g.resize(a, g.length(a) + 1);
            }
        }
        for name in [&list, &other] {
            g.observe(name, &Ty::vec(element.clone(), g.length(name)), body);
        }
    }
}

/// Functions that make `Vec`s, or take them whole and give them back.
pub fn returned(g: &mut Generator, body: &mut Vec<Node>) {
    let element = g.element_type();
    let (name, of) = (g.fresh("make"), g.type_name(&element));
    let parameters = [
        ("n", Ty::Int(Int::Usize), false),
        ("y", element.clone(), false),
    ];
    let start = g.random.pick(&["Vec::new()", "vec![]", "vec![y; 2]"]);
    let more = if start.contains('2') { 2 } else { 0 };
    let inner = g.function(&parameters, |g, body| {
        let written = format!("let mut list: Vec<{of}> = {start};");
        body.push(line(written));
        let value = g.value(&element, 1);
        let mut steps = vec![line(format!("list.push({value});"))];
        if g.random.chance(40) {
            steps.push(line("list[0] = y;"));
        }
        body.push(group("for i in 0..n", steps));
        body.push(line("list"));
    });
    let head = format!("{}fn {name}(n: usize, y: {of}) -> Vec<{of}>", called(g));
    g.item(head, inner);
    let back = g.fresh("back");
    let never = called(g);
    g.items.push(line(format!(
        "{never}fn {back}(mut v: Vec<{of}>, y: {of}) -> (Vec<{of}>, usize) {{ let n = v.len(); v.push(y); (v, n) }}"
    )));
    for _ in 0..g.random.between(1, 3) {
        let (n, y) = (g.random.below(3), g.value(&element, 1));
        let list = g.fresh("v");
        body.push(line(format!("let mut {list} = {name}({n}, {y});")));
        g.declare(&list, Ty::vec(element.clone(), n + more), true);
        g.observe(&list, &Ty::vec(element.clone(), n + more), body);
        if g.random.chance(50) {
            let (y, clone) = (g.value(&element, 1), g.random.pick(&["", ".clone()"]));
            let value = g.fresh("v");
            body.push(line(format!("let {value} = {y};")));
            let (longer, count) = (g.fresh("v"), g.fresh("n"));
            body.push(line(format!(
                "let (mut {longer}, {count}) = {back}({list}{clone}, {value});"
            )));
            if clone.is_empty() {
                g.forget(&list);
            } else {
                g.observe(&format!("felt({list}.len())"), &Ty::Felt, body);
            }
            let ty = Ty::vec(element.clone(), n + more + 1);
            g.declare(&longer, ty.clone(), true);
            g.observe(&longer, &ty, body);
            g.observe(&count, &Ty::Int(Int::Usize), body);
        }
    }
    let pick = g.fresh("pick");
    let never = called(g);
    g.items.push(line(format!(
        "{never}fn {pick}<T: Clone>(v: &[T], i: usize) -> T {{ v[i].clone() }}"
    )));
    let list = g.let_new(&Ty::vec(element.clone(), 2), false, body);
    let at = g.random.below(2);
    g.observe(&format!("{pick}(&{list}, {at})"), &element, body);
    let rows = format!("{pick}(&vec![{list}.clone(), vec![]], 0)[1]");
    g.observe(&rows, &element, body);
}

/// Objects that hold `Vec`s: copied, changed by methods, built from others.
pub fn structs(g: &mut Generator, body: &mut Vec<Node>) {
    let element = g.element_type();
    let (name, of) = (g.fresh("Lists"), g.type_name(&element));
    g.items.push(line(format!(
        "#[derive(Clone)]\nstruct {name} {{ list: Vec<{of}>, counts: Vec<usize>, rows: Vec<Vec<Felt>>, last: {of} }}"
    )));
    let (add, total, end) = (called(g), called(g), called(g));
    let mut sum = vec![line("let mut acc = x;")];
    let inside = g.scoped(|g, body| g.observe("(*e)", &element, body));
    sum.push(group("for e in &self.list", inside));
    sum.push(group(
        "for row in &self.rows",
        vec![line("for e in row { acc = acc * felt(5) + *e; }")],
    ));
    sum.push(group(
        "for n in self.counts.iter()",
        vec![line("acc = acc * felt(3) + felt(*n % 1009);")],
    ));
    sum.push(line("acc"));
    let methods = vec![
        line(format!(
            "fn new(x: {of}) -> Self {{ Self {{ list: vec![x], counts: Vec::new(), rows: vec![vec![]; 2], last: x }} }}"
        )),
        line(format!(
            "{add}fn add(&mut self, x: {of}) -> usize {{ self.counts.push(self.list.len()); self.list.push(self.last); self.last = x; self.counts.len() }}"
        )),
        line(format!(
            "{add}fn row(&mut self, i: usize, x: Felt) {{ self.rows[i].push(x); let n = self.rows[i].len(); if n > 1 {{ self.rows[i][n - 2] = x * x; }} }}"
        )),
        line(format!("{end}fn end(self) -> Vec<{of}> {{ self.list }}")),
        group(format!("{total}fn total(&self, x: Felt) -> Felt"), sum),
    ];
    g.items.push(group(format!("impl {name}"), methods));
    let mut objects = vec![g.fresh("v")];
    let value = g.value(&element, 1);
    body.push(line(format!(
        "let mut {} = {name}::new({value});",
        objects[0]
    )));
    for _ in 0..g.random.between(2, 7) {
        let object = objects[g.random.below(objects.len())].clone();
        let (value, x) = (g.value(&element, 1), g.felt(1));
        match g.random.below(8) {
            0 | 1 => {
                let call = format!("{object}.add({value})");
                g.observe_call(&call, body);
            }
            2 => {
                let i = g.random.below(2);
                body.push(line(format!("{object}.row({i}, {x});")));
            }
            3 | 4 => {
                let copy = g.fresh("v");
                let text = if g.random.chance(60) {
                    format!("{object}.clone()")
                } else {
                    format!("{name} {{ list: vec![{value}], ..{object}.clone() }}")
                };
                body.push(line(format!("let mut {copy} = {text};")));
                objects.push(copy);
            }
            5 => body.push(line(format!("{object}.list[0] = {value};"))),
            6 => body.push(line(format!("{object}.counts.truncate(1);"))),
            _ => g.observe(&format!("{object}.total({x})"), &Ty::Felt, body),
        }
    }
    for object in &objects {
        let x = g.felt(0);
        g.observe(&format!("{object}.total({x})"), &Ty::Felt, body);
        g.observe(&format!("{object}.last"), &element, body);
    }
    let length = g.fresh("n");
    body.push(line(format!("let {length} = {}.end().len();", objects[0])));
    g.observe(&length, &Ty::Int(Int::Usize), body);
}
