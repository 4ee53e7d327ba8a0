//! `Vec`s: how they grow and shrink, and what their elements are after copies, branches and loops.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::{Int, Ty};
use super::vec_calls::called;

impl Generator {
    /// A `Vec` whose length can change here: a new one, or one declared in the same block.
    pub fn some_vec(&mut self, element: &Ty, body: &mut Vec<Node>) -> String {
        let (depth, region) = (self.depth, self.region);
        let fits = self.visible().into_iter().filter(|variable| {
            let same = matches!(&variable.ty, Ty::Vec(other, _) if **other == *element);
            same && variable.mutable && (variable.depth, variable.region) == (depth, region)
        });
        let fits: Vec<_> = fits.collect();
        if !fits.is_empty() && self.random.chance(50) {
            return fits[self.random.below(fits.len())].name.clone();
        }
        let length = self.random.below(4);
        self.let_new(&Ty::vec(element.clone(), length), true, body)
    }

    /// The length of a `Vec` in scope.
    pub fn length(&self, name: &str) -> usize {
        let mut variables = self.variables.iter().rev();
        let variable = variables.find(|variable| variable.name == name);
        match variable.map(|variable| &variable.ty) {
            Some(Ty::Vec(_, length)) => *length,
            _ => 0,
        }
    }

    /// Notes the length that a `Vec` in scope has from here on.
    pub fn resize(&mut self, name: &str, length: usize) {
        let mut variables = self.variables.iter_mut().rev();
        let variable = variables.find(|variable| variable.name == name);
        if let Some(Ty::Vec(_, old)) = variable.map(|variable| &mut variable.ty) {
            *old = length;
        }
    }

    /// Takes a variable that was moved out of the scope.
    pub fn forget(&mut self, name: &str) {
        self.variables.retain(|variable| variable.name != name);
    }

    /// Observes the `usize` that a call gives, which is made once.
    pub fn observe_call(&mut self, call: &str, body: &mut Vec<Node>) {
        let name = self.fresh("n");
        body.push(line(format!("let {name} = {call};")));
        self.observe(&name, &Ty::Int(Int::Usize), body);
    }

    /// A type of elements, in half of all cases one that branches can change.
    pub fn element_type(&mut self) -> Ty {
        if self.random.chance(50) {
            self.some_run_time_type(1)
        } else {
            self.some_type(1)
        }
    }
}

/// One statement that changes a `Vec`, or a copy of it.
fn step(g: &mut Generator, name: &str, element: &Ty, body: &mut Vec<Node>) {
    let length = g.length(name);
    match g.random.below(16) {
        0..=2 => {
            let value = g.value(element, 1);
            body.push(line(format!("{name}.push({value});")));
            g.resize(name, length + 1);
        }
        3 | 4 => {
            let shorter = g.random.below(length + 2);
            body.push(line(format!("{name}.truncate({shorter});")));
            g.resize(name, length.min(shorter));
        }
        5 | 6 if length > 0 => {
            let (at, value) = (g.random.below(length), g.value(element, 1));
            body.push(line(format!("{name}[{at}] = {value};")));
        }
        7 | 8 => {
            let (copy, value) = (g.fresh("v"), g.value(element, 1));
            body.push(line(format!("let mut {copy} = {name}.clone();")));
            g.declare(&copy, Ty::vec(element.clone(), length), true);
            let changed = g.random.pick(&[name, &copy]).to_owned();
            body.push(line(format!("{changed}.push({value});")));
            g.resize(&changed, length + 1);
            let value = g.value(element, 1);
            body.push(line(format!("{changed}[0] = {value};")));
            g.observe(&copy, &Ty::vec(element.clone(), g.length(&copy)), body);
        }
        9 => {
            let new = Ty::vec(element.clone(), g.random.below(4));
            let value = g.value(&new, 1);
            body.push(line(format!("{name} = {value};")));
            let Ty::Vec(_, length) = new else { return };
            g.resize(name, length);
        }
        10 => {
            let (more, index) = (g.random.below(3), g.fresh("i"));
            let value = g.value(element, 1);
            body.push(group(
                format!("for {index} in 0..{more}"),
                vec![
                    line(format!(
                        "acc = acc * felt(3) + felt({index} + {name}.len());"
                    )),
                    line(format!("{name}.push({value});")),
                ],
            ));
            g.resize(name, length + more);
        }
        11 => {
            let (limit, value) = (g.random.below(5), g.value(element, 0));
            let grow = vec![line(format!("{name}.push({value});"))];
            body.push(group(format!("while {name}.len() < {limit}"), grow));
            g.resize(name, length.max(limit));
        }
        12 => each(g, name, element, body),
        13 if length > 1 => {
            let (a, b) = (g.random.below(length), g.random.below(length));
            body.push(line(format!(
                "({name}[{a}], {name}[{b}]) = ({name}[{b}], {name}[{a}]);"
            )));
        }
        14 => {
            let moved = g.fresh("v");
            body.push(line(format!("let mut {moved} = {name};")));
            body.push(line(format!("{name} = vec![];")));
            g.resize(name, 0);
            g.declare(&moved, Ty::vec(element.clone(), length), true);
        }
        15 if g.random.chance(30) => refused(g, name, length, body),
        _ => {
            let text = g.random.pick(&[
                "assert_eq!(NAME, NAME.clone());",
                "assert!(NAME.is_empty() || NAME[0] == NAME[0]);",
                "assert!(NAME.len() == LENGTH);",
            ]);
            let text = match (text.contains("[0]"), element) {
                (true, Ty::Felt | Ty::Int(_)) | (false, _) => text,
                _ => "assert!(!NAME.is_empty() || NAME.len() == 0);",
            };
            let text = text.replace("NAME", name);
            body.push(line(text.replace("LENGTH", &length.to_string())));
        }
    }
}

/// A loop over the elements of a `Vec`.
fn each(g: &mut Generator, name: &str, element: &Ty, body: &mut Vec<Node>) {
    let item = g.fresh("e");
    let (over, read) = match g.random.below(5) {
        0 => (format!("&{name}"), format!("(*{item})")),
        1 => (format!("{name}.iter()"), format!("(*{item})")),
        2 => (format!("{name}.clone()"), item.clone()),
        3 => (format!("{name}.clone().into_iter()"), item.clone()),
        _ => (format!("0..{name}.len()"), format!("{name}[{item}]")),
    };
    let in_main = std::mem::replace(&mut g.in_main, false);
    let mut inside = g.scoped(|g, body| g.observe(&read, element, body));
    g.in_main = in_main;
    if over.contains("clone") && g.random.chance(50) {
        // The copy is another one's.
        inside.push(line(format!("let mut {item} = {item};")));
        let value = g.value(element, 1);
        inside.push(line(format!("{item} = {value};")));
        inside.push(line(format!("let _ = {item};")));
    }
    body.push(group(format!("for {item} in {over}"), inside));
}

/// Methods that change a `Vec`, an index out of range, or a length that no run knows.
fn refused(g: &mut Generator, name: &str, length: usize, body: &mut Vec<Node>) {
    let flag = g.flag(1);
    let (text, length) = match g.random.below(10) {
        0 => (format!("let _ = {name}.pop();"), length.saturating_sub(1)),
        1 => (format!("{name}.clear();"), 0),
        2 => (
            format!("for e in {name}.iter_mut() {{ let t = *e; *e = t; }}"),
            length,
        ),
        3 => (
            format!("for e in (&mut {name}).into_iter() {{ let t = *e; *e = t; }}"),
            length,
        ),
        4 => (format!("{name}.extend({name}.clone());"), 2 * length),
        5 => (format!("{name}.reverse();"), length),
        6 => (format!("if {flag} {{ {name}.truncate(0); }}"), length),
        7 => (
            format!("for _ in count(2) {{ {name}.truncate(1); }}"),
            length,
        ),
        8 => (format!("let _ = {name}[{length}];"), length),
        _ => (
            format!("let {name}w = std::mem::take(&mut {name}); {name} = {name}w;"),
            length,
        ),
    };
    g.resize(name, length);
    body.push(line(text));
}

/// A `Vec` of some length, changed, copied, moved and looped over.
pub fn changes(g: &mut Generator, body: &mut Vec<Node>) {
    let element = g.element_type();
    let name = g.some_vec(&element, body);
    for _ in 0..g.random.between(2, 6) {
        step(g, &name, &element, body);
    }
    if g.random.chance(30) {
        // The value is computed once, before the length, however often it is repeated.
        let (counter, list) = (g.fresh("c"), g.fresh("v"));
        let next = format!("{{ {counter} += 1; {counter} }}");
        let length = match g.random.below(3) {
            0 => "0".to_owned(),
            1 => "3".to_owned(),
            _ => next.clone(),
        };
        body.push(line(format!("let mut {counter} = 0_usize;")));
        body.push(line(format!("let {list} = vec![{next}; {length}];")));
        body.push(group(
            format!("for e in &{list}"),
            vec![line("acc = acc * felt(7) + felt(*e);")],
        ));
        g.observe(
            &format!("felt({counter} * 10 + {list}.len())"),
            &Ty::Felt,
            body,
        );
    }
    let ty = Ty::vec(element, g.length(&name));
    g.observe(&name, &ty, body);
}

/// Rows of different lengths.
pub fn nested(g: &mut Generator, body: &mut Vec<Node>) {
    let element = g.element_type();
    let (rows, of) = (g.fresh("v"), g.type_name(&element));
    let mut lengths = vec![g.random.below(3); g.random.between(1, 3)];
    let row = g.value(&Ty::vec(element.clone(), lengths[0]), 1);
    body.push(line(format!(
        "let mut {rows}: Vec<Vec<{of}>> = vec![{row}; {}];",
        lengths.len()
    )));
    let function = g.fresh("grow");
    g.items.push(line(format!(
        "fn {function}(row: &mut Vec<{of}>, x: {of}) -> usize {{ row.push(x); if row.len() > 3 {{ row.truncate(2); return 9; }} row.len() }}"
    )));
    for _ in 0..g.random.between(2, 6) {
        let at = g.random.below(lengths.len());
        let value = g.value(&element, 1);
        match g.random.below(9) {
            0 | 1 => {
                body.push(line(format!("{rows}[{at}].push({value});")));
                lengths[at] += 1;
            }
            2 => {
                body.push(line(format!("{rows}.push(vec![{value}]);")));
                lengths.push(1);
            }
            3 => {
                let from = g.random.below(lengths.len());
                body.push(line(format!("{rows}[{at}] = {rows}[{from}].clone();")));
                lengths[at] = lengths[from];
            }
            4 if lengths[at] > 0 => {
                let to = g.random.below(lengths[at]);
                body.push(line(format!("{rows}[{at}][{to}] = {value};")));
            }
            5 if lengths.len() > 1 => {
                body.push(line(format!("{rows}.truncate({});", lengths.len() - 1)));
                lengths.pop();
            }
            6 | 7 => {
                let grown = format!("{function}(&mut {rows}[{at}], {value})");
                g.observe_call(&grown, body);
                lengths[at] = if lengths[at] > 2 { 2 } else { lengths[at] + 1 };
            }
            _ => {
                let (copy, old) = (g.fresh("v"), g.fresh("v"));
                body.push(line(format!("let {old} = {rows}.clone();")));
                body.push(line(format!("let mut {copy} = {rows}[{at}].clone();")));
                body.push(line(format!("{copy}.push({value});")));
                body.push(line(format!("{rows}[{at}].push({copy}[0]);")));
                lengths[at] += 1;
                g.declare(&copy, Ty::vec(element.clone(), lengths[at]), true);
                g.observe(&copy, &Ty::vec(element.clone(), lengths[at]), body);
                let same = format!("felt({old}[{at}].len() + {old}.len() * 10)");
                g.observe(&same, &Ty::Felt, body);
            }
        }
    }
    let (digest, never) = (g.fresh("digest"), called(g));
    let inner = g.function(&[("x", Ty::Felt, false)], |g, body| {
        g.start("x", body);
        let inside = g.scoped(|g, body| g.observe("(*e)", &element, body));
        let each = vec![
            line("acc = acc * felt(11) + felt(row.len());"),
            group("for e in row", inside),
        ];
        body.push(group("for row in rows", each));
        body.push(line("acc + felt(rows.len())"));
    });
    g.item(
        format!("{never}fn {digest}(rows: &Vec<Vec<{of}>>, x: Felt) -> Felt"),
        inner,
    );
    let x = g.felt(1);
    g.observe(&format!("{digest}(&{rows}, {x})"), &Ty::Felt, body);
    // As many elements, in other rows.
    let (from, to) = (g.random.below(lengths.len()), g.random.below(lengths.len()));
    if let Some(last) = lengths[from].checked_sub(1) {
        let moved = g.fresh("v");
        body.push(line(format!(
            "let {moved} = {rows}[{from}][{last}];\n{rows}[{from}].truncate({last});\n{rows}[{to}].push({moved});"
        )));
        g.observe(&format!("{digest}(&{rows}, {x})"), &Ty::Felt, body);
    }
}

/// What both sides of a run-time branch leave of a `Vec`.
pub fn branches(g: &mut Generator, body: &mut Vec<Node>) {
    let _ = g.unknown(body);
    let element = g.some_run_time_type(1);
    let name = g.some_vec(&element, body);
    let value = g.value(&element, 1);
    body.push(line(format!("{name}.push({value});")));
    let length = g.length(&name) + 1;
    g.resize(&name, length);
    let kept = g.fresh("v");
    body.push(line(format!("let {kept} = {name}.clone();")));
    let pushed = g.random.below(3);
    let uneven = g.refused();
    let side = |g: &mut Generator, pushed: usize| {
        g.run_time(|g, body| {
            for _ in 0..g.random.between(0, 2) {
                let (at, value) = (g.random.below(length), g.value(&element, 1));
                body.push(line(format!("{name}[{at}] = {value};")));
            }
            g.simple_statement(body);
            for _ in 0..pushed {
                let value = g.value(&element, 1);
                body.push(line(format!("{name}.push({value});")));
            }
            if g.random.chance(20) {
                let value = g.value(&Ty::vec(element.clone(), length + pushed), 1);
                body.push(line(format!("{name} = {value};")));
            }
        })
    };
    let condition = g.flag(2);
    let then = side(g, pushed);
    let otherwise = side(g, if uneven { pushed + 1 } else { pushed });
    body.push(Node::Group(format!("if {condition} {{"), then, "}".into()));
    body.push(group("else", otherwise));
    let length = length + pushed;
    g.resize(&name, length);
    g.observe(&name, &Ty::vec(element.clone(), length), body);
    g.observe(&kept, &Ty::vec(element.clone(), length - pushed), body);
    let (whole, condition) = (g.fresh("v"), g.flag(1));
    let ty = Ty::vec(element.clone(), g.random.below(3));
    let (yes, no, of) = (g.value(&ty, 1), g.value(&ty, 1), g.type_name(&ty));
    body.push(line(format!(
        "let mut {whole}: {of} = if {condition} {{ {yes} }} else {{ {no} }};"
    )));
    g.declare(&whole, ty.clone(), true);
    g.observe(&whole, &ty, body);
    // The right side of `&&` may change elements, and runs only where the left one does not decide.
    let function = g.fresh("touch");
    let (of, value) = (g.type_name(&element), g.value(&element, 1));
    g.items.push(line(format!(
        "fn {function}(v: &mut Vec<{of}>, x: {of}) -> bool {{ v[0] = x; v.len() > 1 }}"
    )));
    let flag = g.flag(1);
    body.push(line(format!("let {function}x = {value};")));
    let call = format!("({flag} && {function}(&mut {name}, {function}x))");
    g.observe(&call, &Ty::Flag, body);
    g.observe(&name, &Ty::vec(element, length), body);
}

/// `Vec`s that a run-time loop changes, and those that live in one iteration.
pub fn loops(g: &mut Generator, body: &mut Vec<Node>) {
    let element = g.some_run_time_type(1);
    let ty = Ty::vec(element.clone(), g.random.between(1, 3));
    let Ty::Vec(_, length) = ty else { return };
    let name = g.let_new(&ty, true, body);
    let index = g.fresh("i");
    let iterator = if g.random.chance(50) {
        format!("count({})", g.random.below(4))
    } else {
        let x = g.unknown(body);
        format!("count_to(if {x} == felt(1) {{ felt(2) }} else {{ felt(1) }})")
    };
    let inside = g.run_time(|g, body| {
        g.declare(&index, Ty::Felt, false);
        let local = g.let_new(&Ty::vec(element.clone(), 1), true, body);
        for _ in 0..g.random.between(1, 3) {
            let (at, value) = (g.random.below(length), g.value(&element, 1));
            let text = match g.random.below(4) {
                0 => format!("{local}.push({value});"),
                1 => {
                    let last = g.length(&local) - 1;
                    format!("{name}[{at}] = {local}[{last}];")
                }
                2 => {
                    format!("{name}.push({value});\n{name}[{at}] = {name}[{length}];\n{name}.truncate({length});")
                }
                _ => format!("{name}[{at}] = {value};"),
            };
            if text.starts_with(&format!("{local}.push")) {
                g.resize(&local, g.length(&local) + 1);
            }
            body.push(line(text));
        }
        let ty = Ty::vec(element.clone(), g.length(&local));
        g.observe(&local, &ty, body);
        if g.refused() {
            let value = g.value(&element, 0);
            body.push(line(format!("{name}.push({value});")));
        }
    });
    body.push(group(format!("for {index} in {iterator}"), inside));
    g.observe(&format!("{name}[{}]", length - 1), &element, body);
    g.observe(&name, &ty, body);
}
