//! References that are kept: in variables, through patterns, as results.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::Ty;

/// `let q = &mut p; *q = ..`, and shared references that are read before the value changes.
pub fn variables(g: &mut Generator, body: &mut Vec<Node>) {
    let pair = Ty::Tuple(vec![Ty::Felt, Ty::array(Ty::Felt, 2)]);
    let p = g.let_new(&pair, true, body);
    let (q, value) = (g.fresh("q"), g.felt(1));
    let text = match g.random.below(13) {
        0 => format!("let {q} = &mut {p}; {q}.0 = {value}2;"),
        1 => format!("let {q} = &mut {p}.1; {q}[0] = {value}2;"),
        2 => format!("let {q} = &mut {p}.0; *{q} += {value}2;"),
        3 => format!("let {q} = &{p}; let t = *{q}; acc += {q}.0 + t.1[1];"),
        4 => format!("let mut {q} = {p}; let r = &mut {q}; r.0 = {value}2; acc += {q}.0;"),
        5 => format!("for {q} in &mut {p}.1 {{ *{q} += {value}2; }}"),
        6 => format!("if let Some({q}) = {p}.1.last_mut() {{ *{q} += {value}2; }}"),
        7 => format!(
            "let ({q}, r) = {p}.1.split_at_mut(1); {q}[0] += r[0] * {value}2; r[0] = {q}[0];"
        ),
        8 => format!(
            "for (r, {q}) in [{value}2, {p}.0].iter().zip({p}.1.iter_mut()) {{ *{q} += *r; }}"
        ),
        9 => format!(
            "{p}.1.iter_mut().rev().for_each(|{q}| {{ acc += *{q}; *{q} = acc * {value}2; }});"
        ),
        10 => format!(
            "let mut {q} = &mut {p}.0; *{q} += {value}2; {q} = &mut {p}.1[1]; *{q} = {value}2;"
        ),
        11 => format!(
            "let {q} = &mut {p}.0; if *{q} == {value}2 {{ *{q} = felt(1); }} else {{ *{q} += {value}2; }}"
        ),
        _ => format!("for {q} in {p}.1.iter_mut() {{ *{q} *= {value}2; }}"),
    };
    let text = text.replace(&format!("{value}2"), &q.replace('q', "v"));
    let held = q.replace('q', "v");
    body.push(line(format!("let {held} = {value};")));
    body.push(line(text));
    g.observe(&p, &pair, body);
}

/// `let Self { a, b } = self`, `ref mut`, and patterns that bind parts of a reference.
pub fn patterns(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("R");
    let value = g.random.between(2, 40);
    let method = match g.random.below(6) {
        0 => format!("let Self {{ a, b }} = self; *a += x; b[1] = *a + felt({value});"),
        1 => format!("let {name} {{ a, .. }} = self; *a = x * felt({value});"),
        2 => format!("let {name} {{ ref mut a, ref b }} = *self; *a = b[0] + x;"),
        3 => format!(
            "let [first, second] = &mut self.b; *first += *second; *second = x + felt({value});"
        ),
        4 => "let (p, q) = (&mut self.a, &mut self.b); *p = q[0] + x; q[1] = *p;".to_owned(),
        _ => format!(
            "match self {{ {name} {{ a, b }} => {{ *a += b[0] + x; b[0] = felt({value}); }} }}"
        ),
    };
    g.items.push(line(format!(
        "#[derive(Clone, Copy)]\nstruct {name} {{ a: Felt, b: [Felt; 2] }}\n\
         impl {name} {{ fn change(&mut self, x: Felt) {{ {method} }} fn sum(&self) -> Felt {{ let Self {{ a, b }} = self; *a + b[0] * felt(3) + b[1] * felt(5) }} }}"
    )));
    let object = g.fresh("v");
    let values: Vec<_> = (0..4).map(|_| g.felt(1)).collect();
    body.push(line(format!(
        "let mut {object} = {name} {{ a: {}, b: [{}, {}] }};\n{object}.change({});",
        values[0], values[1], values[2], values[3]
    )));
    g.observe(&format!("{object}.sum()"), &Ty::Felt, body);
    g.observe(
        &format!("({object}.a + {object}.b[0] * felt(7) + {object}.b[1] * felt(11))"),
        &Ty::Felt,
        body,
    );
}

/// Functions that return what they borrowed.
pub fn returned(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("R");
    g.items.push(line(format!(
        "struct {name} {{ a: Felt, b: [Felt; 2] }}\n\
         impl {name} {{ fn a(&mut self) -> &mut Felt {{ &mut self.a }} fn at(&mut self, i: usize) -> &mut Felt {{ &mut self.b[i] }} fn b(&self) -> &[Felt; 2] {{ &self.b }} fn add(&mut self, x: Felt) -> &mut Self {{ self.a += x; self.b[0] = x; self }} }}\n\
         fn first_{name}(v: &mut [Felt; 2]) -> &mut Felt {{ &mut v[0] }}"
    )));
    let object = g.fresh("v");
    let values: Vec<_> = (0..3).map(|_| g.felt(1)).collect();
    body.push(line(format!(
        "let mut {object} = {name} {{ a: {}, b: [{}, {}] }};",
        values[0], values[1], values[2]
    )));
    let value = g.felt(1);
    let text = match g.random.below(6) {
        0 => format!("*{object}.a() = {value};"),
        1 => format!("*{object}.at({}) += {value};", g.random.below(2)),
        2 => format!("*first_{name}(&mut {object}.b) = {value};"),
        3 => format!("{object}.add({value}).add(felt(2));"),
        4 => format!("acc += {object}.b()[1] + {object}.b()[0];"),
        _ => format!("let r = {object}.a(); *r = {value}; *r += felt(1);"),
    };
    body.push(line(text));
    g.observe(
        &format!("({object}.a + {object}.b[0] * felt(7) + {object}.b[1] * felt(11))"),
        &Ty::Felt,
        body,
    );
}
