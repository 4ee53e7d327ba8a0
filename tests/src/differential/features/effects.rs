//! The order in which parts of an expression are evaluated, made visible by counters.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::Ty;

impl Generator {
    /// Functions that count their calls, at run time and at compile time.
    fn ticks(&mut self) -> (String, String) {
        let name = self.fresh("tick");
        self.items.push(line(format!(
            "fn {name}(c: &mut Felt, x: Felt) -> Felt {{ *c = *c * felt(3) + x; *c }}\n\
             fn {name}_n(c: &mut usize, x: usize) -> usize {{ *c = (*c * 3 + x) % 101; *c }}"
        )));
        let counter = self.fresh("c");
        (name, counter)
    }
}

/// Arguments, operands, fields, elements, receivers.
pub fn order(g: &mut Generator, body: &mut Vec<Node>) {
    let (tick, c) = g.ticks();
    let start = g.felt(1);
    body.push(line(format!(
        "let mut {c} = {start};\nlet mut {c}n = 1_usize;"
    )));
    let f = |x: usize| format!("{tick}(&mut {c}, felt({x}))");
    let n = |x: usize| format!("{tick}_n(&mut {c}n, {x})");
    let x = g.random.between(2, 30);
    let helper = g.fresh("h");
    g.items.push(line(format!(
        "struct {helper}S {{ a: Felt, b: Felt, c: usize }}\n\
         impl {helper}S {{ fn go(&self, d: Felt, e: usize) -> Felt {{ self.a + self.b * felt(2) + d * felt(5) + felt(self.c + e * 7) }} }}\n\
         fn {helper}(a: Felt, b: usize, c: Felt) -> Felt {{ a + felt(b) * felt(11) + c * felt(13) }}"
    )));
    let text = match g.random.below(14) {
        0 => format!("{helper}({}, {}, {})", f(x), n(2), f(1)),
        1 => format!(
            "{helper}S {{ b: {}, c: {}, a: {} }}.go({}, {})",
            f(x),
            n(4),
            f(2),
            f(3),
            n(5)
        ),
        2 => format!("({} - {} * {})", f(x), f(2), f(3)),
        3 => format!(
            "{{ let t = ({}, {}, {}); t.0 + t.1 * felt(7) + felt(t.2) }}",
            f(x),
            f(1),
            n(3)
        ),
        4 => format!(
            "{{ let t = [{}, {}, {}]; t[0] + t[1] * felt(7) + t[2] * felt(5) }}",
            f(x),
            f(1),
            f(2)
        ),
        5 => format!(
            "{{ let mut t = [felt(1), felt(2), felt(3)]; t[{} % 3] = {} + felt({}); t[0] + t[1] * felt(3) + t[2] * felt(9) }}",
            n(x),
            f(1),
            n(2)
        ),
        6 => format!(
            "{{ let mut t = [felt(1), felt(2), felt(3)]; t[{} % 3] += {} + felt({}); t[0] + t[1] * felt(3) + t[2] * felt(9) }}",
            n(x),
            f(1),
            n(2)
        ),
        7 => format!(
            "{{ let mut t = [1_usize, 2, 3]; t[{} % 3] += {}; t[{} % 3] = {}; felt(t[0] + t[1] * 200 + t[2] * 40000) }}",
            n(x),
            n(1),
            n(2),
            n(5)
        ),
        8 => format!(
            "{{ let t = [{}; 3]; t[0] + t[1] * felt(7) + t[2] * felt(5) }}",
            f(x)
        ),
        9 => format!(
            "{{ let mut s = felt(0); for i in {} % 3..{} % 5 {{ s += felt(i * {}); }} s }}",
            n(x),
            n(2),
            n(1)
        ),
        10 => format!(
            "{{ assert_ne!({}, {} + felt(1) - {}); {c} }}",
            f(x),
            f(2),
            f(2)
        ),
        11 => format!("felt(({} & {}) + ({} << ({} % 4)))", n(x), n(3), n(2), n(1)),
        12 => format!(
            "(if {} % 2 == 0 && {} % 2 == 0 {{ felt(4) }} else {{ felt(5) }})",
            n(x),
            n(3)
        ),
        _ => format!(
            "{{ let s = {helper}S {{ a: {}, c: {}, ..{helper}S {{ a: {}, b: {}, c: 3 }} }}; s.a + s.b + felt(s.c) }}",
            f(x),
            n(1),
            f(4),
            f(5)
        ),
    };
    let name = g.fresh("v");
    body.push(line(format!("let {name} = {text};")));
    g.declare(&name, Ty::Felt, false);
    for value in [name, c.clone(), format!("felt({c}n)")] {
        g.observe(&value, &Ty::Felt, body);
    }
}

/// Indices whose computation changes the indexed object or a counter.
pub fn indices(g: &mut Generator, body: &mut Vec<Node>) {
    let (tick, c) = g.ticks();
    let a = g.fresh("a");
    let start = g.random.below(5);
    let values: Vec<_> = (0..4).map(|_| g.felt(1)).collect();
    body.push(line(format!(
        "let mut {c} = {start}_usize;\nlet mut {a} = [{}];",
        values.join(", ")
    )));
    let value = g.felt(1);
    let at = format!("{tick}_n(&mut {c}, 2) % 4");
    let helper = g.fresh("h");
    g.items.push(line(format!(
        "fn {helper}(x: &mut Felt, y: Felt) -> Felt {{ let old = *x; *x = old * y + felt(1); old }}\n\
         struct {helper}S {{ v: [Felt; 2] }}\n\
         impl {helper}S {{ fn bump(&mut self, y: Felt) {{ self.v[1] += y; }} fn get(&self, i: usize) -> Felt {{ self.v[i] }} }}"
    )));
    let text = match g.random.below(8) {
        0 => format!("{a}[{at}] = {value};"),
        1 => format!("{a}[{at}] += {value};"),
        2 => format!("acc += {helper}(&mut {a}[{at}], {value});"),
        3 => format!("acc += {a}[{at}] * {a}[{at}];"),
        4 => format!("{a}[{{ {c} += 1; {c} % 4 }}] *= {value};"),
        5 => format!(
            "let mut t = [{helper}S {{ v: [{value}, felt(1)] }}, {helper}S {{ v: [felt(3), {value}] }}]; t[{tick}_n(&mut {c}, 1) % 2].bump({value}); acc += t[0].get(1) + t[1].get(1) * felt(3) + t[{tick}_n(&mut {c}, 1) % 2].v[0];"
        ),
        6 => format!(
            "let mut t = [[{value}, felt(2)], [felt(4), {value}]]; t[{tick}_n(&mut {c}, 1) % 2][{tick}_n(&mut {c}, 2) % 2] += felt(9); acc += t[0][0] + t[0][1] * felt(3) + t[1][0] * felt(5) + t[1][1] * felt(7);"
        ),
        _ => format!(
            "let mut t = (0_usize, [{value}, felt(2)]); t.1[{{ t.0 += 1; t.0 }}] = {value} + felt(t.0); acc += t.1[0] + t.1[1] * felt(3);"
        ),
    };
    body.push(line(text));
    g.observe(&a, &Ty::array(Ty::Felt, 4), body);
    g.observe(&format!("felt({c})"), &Ty::Felt, body);
}
