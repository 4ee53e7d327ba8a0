//! Functions that change variables, fields and elements of their callers.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::{Int, Ty};

/// `&mut` arguments: variables, fields, elements, and parts of what is already borrowed.
pub fn arguments(g: &mut Generator, body: &mut Vec<Node>) {
    let ty = g.some_type(2);
    let written = g.type_name(&ty);
    let name = g.fresh("set");
    let parameters = [
        ("(*p)", ty.clone(), false),
        ("value", ty.clone(), false),
        ("x", Ty::Felt, false),
    ];
    let never = if g.random.chance(25) && g.is_run_time(&ty) {
        "#[inline(never)]\n"
    } else {
        ""
    };
    let inner = g.function(&parameters, |g, body| {
        g.start("x", body);
        g.simple_statement(body);
        match g.random.below(3) {
            0 => body.push(line("*p = value;")),
            1 => body.push(line("let old = *p;\n*p = value;\nlet value = old;")),
            _ => {
                let value = g.value(&ty, 1);
                body.push(line(format!("*p = {value};")));
            }
        }
        if ty == Ty::Felt {
            body.push(line("*p += x;"));
        }
        body.push(line("acc"));
    });
    g.item(
        format!("{never}fn {name}(p: &mut {written}, value: {written}, x: Felt) -> Felt"),
        inner,
    );
    for _ in 0..2 {
        let target = match g.target(&ty) {
            Some(target) if g.random.chance(60) => target,
            _ => nested(g, &ty, body),
        };
        let (value, x) = (g.value(&ty, 1), g.felt(1));
        if value.contains(target.split(['.', '[']).next().unwrap_or_default())
            || x.contains(target.split(['.', '[']).next().unwrap_or_default())
        {
            // Two-phase borrows do not apply to arguments, so the values are computed before the
            // call.
            let (v, w) = (g.fresh("v"), g.fresh("v"));
            body.push(line(format!("let {v} = {value};\nlet {w} = {x};")));
            g.observe(&format!("{name}(&mut {target}, {v}, {w})"), &Ty::Felt, body);
        } else {
            g.observe(
                &format!("{name}(&mut {target}, {value}, {x})"),
                &Ty::Felt,
                body,
            );
        }
        g.observe(&target, &ty, body);
    }
    if g.random.chance(40) {
        let swap = g.fresh("swap");
        g.items.push(line(format!(
            "fn {swap}(a: &mut Felt, b: &mut Felt) {{ let t = *a; *a = *b + felt(1); *b = t; }}\n\
             fn {swap}2(v: &mut [Felt; 2]) {{ let t = v[0]; v[0] = v[1]; v[1] = t + felt(2); }}\n\
             fn {swap}3(s: &mut (Felt, [Felt; 2]), i: usize) {{ {swap}(&mut s.0, &mut s.1[i]); {swap}2(&mut s.1); }}"
        )));
        let object = g.let_new(
            &Ty::Tuple(vec![Ty::Felt, Ty::array(Ty::Felt, 2)]),
            true,
            body,
        );
        let i = g.random.below(2);
        let text = match g.random.below(3) {
            0 => format!("{swap}3(&mut {object}, {i});"),
            1 => format!("{swap}(&mut {object}.0, &mut {object}.1[{i}]);"),
            _ => format!("{swap}2(&mut {object}.1);"),
        };
        body.push(line(text));
        g.observe(
            &object,
            &Ty::Tuple(vec![Ty::Felt, Ty::array(Ty::Felt, 2)]),
            body,
        );
    }
}

fn nested(g: &mut Generator, ty: &Ty, body: &mut Vec<Node>) -> String {
    match g.random.below(3) {
        0 => {
            let name = g.let_new(&Ty::array(ty.clone(), 2), true, body);
            format!("{name}[{}]", g.random.below(2))
        }
        1 => {
            let name = g.let_new(&Ty::Tuple(vec![Ty::Felt, ty.clone()]), true, body);
            format!("{name}.1")
        }
        _ => g.let_new(ty, true, body),
    }
}

/// Fields of fields, and elements of arrays, are changed one at a time.
pub fn fields(g: &mut Generator, body: &mut Vec<Node>) {
    let inner = g.some_struct();
    let ty = match g.random.below(3) {
        0 => Ty::array(inner, 2),
        1 => Ty::Tuple(vec![inner, Ty::array(Ty::array(Ty::Felt, 2), 2)]),
        _ => inner,
    };
    let name = g.let_new(&ty, true, body);
    let before = g.fresh("v");
    body.push(line(format!("let {before} = {name};")));
    for _ in 0..g.random.between(1, 4) {
        let part = match g.random.below(4) {
            0 | 1 => Ty::Felt,
            2 => Ty::Int(Int::Usize),
            _ => g.some_type(1),
        };
        let Some(target) = g.target(&part) else {
            continue;
        };
        let value = g.value(&part, 2);
        body.push(line(format!("{target} = {value};")));
    }
    g.observe(&name, &ty, body);
    g.observe(&before, &ty, body);
}
