//! `swap`, `replace` and `take` of the standard library, of variables and their parts.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::Ty;

/// Exchanges values of variables, fields, elements and parameters, some of them in run-time
/// branches and loops.
pub fn exchanges(g: &mut Generator, body: &mut Vec<Node>) {
    let (ty, f) = (g.some_run_time_type(1), g.fresh("f"));
    let (name, inline) = (g.type_name(&ty), g.never_inline(40));
    g.items.push(line(format!(
        "{inline}fn {f}(a: &mut {name}, b: &mut {name}) {{ std::mem::swap(a, b); }}\n\
         fn {f}old(a: &mut {name}, b: {name}) -> {name} {{ std::mem::replace(a, b) }}"
    )));
    let [a, b] = [0; 2].map(|_: usize| g.let_new(&ty, true, body));
    let all = Ty::Tuple(vec![ty.clone(), ty.clone(), Ty::array(ty.clone(), 2)]);
    let s = g.let_new(&all, true, body);
    let places = [
        a,
        b,
        format!("{s}.0"),
        format!("{s}.1"),
        format!("{s}.2[1]"),
    ];
    for _ in 0..g.random.between(2, 4) {
        let order = g.random.order(places.len());
        let (p, q) = (&places[order[0]], &places[order[1]]);
        // Not within the call, where the place is borrowed.
        let value = g.let_new(&ty, false, body);
        let value = if g.random.chance(50) { q } else { &value };
        let old = g.fresh("old");
        let text = match g.random.below(5) {
            0 => format!("std::mem::swap(&mut {p}, &mut {q});"),
            1 => format!("{f}(&mut {p}, &mut {q});"),
            2 => format!("let {old} = std::mem::replace(&mut {p}, {value});"),
            3 => format!("let {old} = {f}old(&mut {p}, {value});"),
            _ => format!("{q} = std::mem::replace(&mut {p}, {value});"),
        };
        let kept = text.starts_with("let");
        if kept || g.random.chance(60) {
            body.push(line(text));
        } else {
            let around = match g.random.below(3) {
                0 => format!("if {}", g.flag(1)),
                1 => "for _ in count(3)".to_owned(),
                _ => "for _ in 0..3".to_owned(),
            };
            body.push(group(around, vec![line(text)]));
        }
        if kept {
            g.observe(&old, &ty, body);
        }
    }
    for place in &places {
        g.observe(place, &ty, body);
    }
    let (v, n, k) = (g.fresh("v"), g.fresh("n"), g.random.between(1, 9));
    let x = g.felt(1);
    body.push(line(format!(
        "let (mut {v}, mut {n}, mut {n}o) = (vec![{x}; {k}], {k}_usize, Some({x}));\n\
         let {v}t = std::mem::take(&mut {v});\n{v}.push({v}t[0] * felt({k}));\n\
         let {n}t = std::mem::take(&mut {n});\n\
         let {n}p = {n}o.replace({v}[0]).and_then(|_| {n}o.take());"
    )));
    g.observe(
        &format!("({v}[0] + {n}p.unwrap_or(felt(2)))"),
        &Ty::Felt,
        body,
    );
    g.observe(
        &format!("felt({v}.len() + {v}t.len() * 3 + {n}t * 7 + {n})"),
        &Ty::Felt,
        body,
    );
}
