//! Enums, `Option`, `Result`, and `?`.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::{Int, Ty};

/// An enum whose variants hold field elements and integers, passed on, matched, and changed in
/// branches and loops that keep the variant.
pub fn enums(g: &mut Generator, body: &mut Vec<Node>) {
    match g.random.below(3) {
        0 => options(g, body),
        1 => results(g, body),
        _ => own(g, body),
    }
}

fn own(g: &mut Generator, body: &mut Vec<Node>) {
    let (name, v) = (g.fresh("E"), g.fresh("v"));
    let never = g.never_inline(40);
    let (a, b) = (g.random.below(4), g.random.below(4));
    g.items.push(line(format!(
        "#[derive(Clone, Copy, Debug, PartialEq)]\nenum {name} {{ Unit, One(Felt), Two {{ x: Felt, n: usize }}, Pair(Felt, bool) }}\n\
         impl {name} {{ const START: Self = Self::Two {{ x: Felt::ONE, n: {a} }}; \
         fn shown(&self) -> Felt {{ match self {{ Self::Unit => felt({a}), Self::One(x) | Self::Pair(x, true) => *x * felt(3), Self::Two {{ x, n: n @ 0..=2 }} => *x + felt(*n), {name}::Two {{ x, .. }} => *x * felt(7), Self::Pair(x, _) => *x + felt(50) }} }} \
         fn is_small(self) -> bool {{ matches!(self, Self::Unit | Self::Two {{ n: 0 | 1, .. }} | Self::Pair(_, true)) }} }}\n\
         {never}fn next_{name}(e: {name}, x: Felt) -> {name} {{ match e {{ {name}::Unit => {name}::One(x), {name}::One(y) => {name}::Pair(x * y, {b} > 1), {name}::Pair(y, on) => {name}::Two {{ n: on as usize + {b}, x: y - x }}, two @ {name}::Two {{ n: 3, .. }} => two, {name}::Two {{ n, x }} => {name}::Two {{ n: n + 1, x }} }} }}\n\
         {never}fn read_{name}(e: &{name}, x: Felt) -> Felt {{ if let {name}::One(y) | {name}::Pair(y, _) = e {{ *y * x }} else {{ e.shown() + x }} }}"
    )));
    let (x, y) = (g.unknown(body), g.felt(1));
    let start = match g.random.below(5) {
        0 => format!("{name}::Unit"),
        1 => format!("{name}::One({x})"),
        2 => format!("{name}::Two {{ n: {b}, x: {y} }}"),
        3 => format!("{name}::Pair({y}, {})", g.bool(1)),
        _ => format!("{name}::START"),
    };
    body.push(line(format!(
        "let {v}y = {y};\nlet mut {v} = {start};\nlet {v}o = {v};"
    )));
    for _ in 0..g.random.between(1, 3) {
        let (flag, n) = (g.flag(1), g.int_below(Int::Usize, 1, 4));
        let text = match g.random.below(8) {
            0 => format!("{v} = next_{name}({v}, {v}y);"),
            1 => format!("for _ in 0..{n} {{ {v} = next_{name}({v}, {x}); }}"),
            2 => format!(
                "if let {name}::One(p) = {v} {{ if {flag} {{ {v} = {name}::One(p + {v}y); }} }} else {{ acc += felt({n}); }}"
            ),
            3 => format!(
                "for i in count(3) {{ {v} = match {v} {{ {name}::One(p) => {name}::One(p * p + i), {name}::Pair(p, on) => {name}::Pair(p + i, on), other => other }}; }}"
            ),
            4 => format!(
                "{v} = if {flag} {{ match {v} {{ {name}::Two {{ x, n }} => {name}::Two {{ x: x + felt(1), n }}, other => other }} }} else {{ {v} }};"
            ),
            5 => format!(
                "match {v} {{ {name}::Pair(p, _) | {name}::Two {{ x: p, n: 0 }} if {} => acc += p, {name}::Unit | {name}::One(_) => acc += felt(3), _ => {{}} }}",
                g.bool(1)
            ),
            6 => format!(
                "while let {name}::One(p) = {v} {{ acc += p; {v} = next_{name}({v}, {v}y); }}"
            ),
            // A variant is known while compiling.
            _ => {
                if g.refused() {
                    format!(
                        "if {flag} {{ {v} = {name}::Unit; }} else {{ {v} = {name}::One({x}); }}"
                    )
                } else {
                    format!("if {} {{ {v} = {name}::Unit; }}", g.bool(1))
                }
            }
        };
        body.push(line(text));
    }
    for value in [
        format!("{v}.shown()"),
        format!("{v}o.shown()"),
        format!("next_{name}({v}, {x}).shown()"),
        format!("read_{name}(&{v}, {v}y)"),
    ] {
        g.observe(&value, &Ty::Felt, body);
    }
    g.observe(&format!("{v}.is_small()"), &Ty::Bool, body);
}

fn options(g: &mut Generator, body: &mut Vec<Node>) {
    let (f, v) = (g.fresh("part"), g.fresh("v"));
    let never = g.never_inline(40);
    let (a, b) = (g.random.below(4), g.random.between(1, 3));
    g.items.push(line(format!(
        "{never}fn {f}(n: usize, x: Felt) -> Option<Felt> {{ match n {{ {a} => None, 0 => Some(x * x), n if n > 2 => Some(felt(n)), _ => Some(x + felt(n)) }} }}\n\
         fn {f}_both(n: usize, m: usize, x: Felt) -> Option<(Felt, usize)> {{ let first = {f}(n, x)?; let Some(second) = {f}(m, first) else {{ return None; }}; Some((first + second, n + m)) }}"
    )));
    let x = g.unknown(body);
    let (n, m) = (g.int_below(Int::Usize, 1, 4), g.int_below(Int::Usize, 1, 4));
    let value = g.felt(1);
    body.push(line(format!("let mut {v} = {f}({n}, {x});")));
    let text = match g.random.below(6) {
        0 => format!(
            "if let Some((p, n)) = {f}_both({n}, {m}, {x}) && n > {b} {{ acc += p; }} else {{ acc += felt(2); }}"
        ),
        1 => format!("if {v}.is_none() {{ {v} = Some({value}); }}"),
        2 => format!(
            "if let Some(p) = {v} && p == {value} {{ acc += p; }} else {{ acc += felt(8); }}"
        ),
        3 => format!("let {v}t = {v}.take();\n{v} = {v}t.or(Some({value}));"),
        4 => format!("{v} = {v}.map(|p| p + {value}).and_then(|p| {f}({m}, p));"),
        _ => format!(
            "let mut {v}n = Some({b}usize);\nwhile let Some(n) = {v}n {{ acc += felt(n); {v}n = n.checked_sub(1); }}"
        ),
    };
    body.push(line(text));
    let by_match = format!(
        "(match ({v}, {f}({m}, {x})) {{ (Some(p), Some(q)) => p * q, (Some(p), None) | (None, Some(p)) => p, (None, None) => {value} }})"
    );
    for value in [
        by_match,
        format!("{v}.unwrap_or({value})"),
        format!("{f}_both({m}, {n}, {x}).map_or(felt({a}), |(p, n)| p * felt(n))"),
    ] {
        g.observe(&value, &Ty::Felt, body);
    }
    g.observe(&format!("{v}.is_some()"), &Ty::Bool, body);
}

fn results(g: &mut Generator, body: &mut Vec<Node>) {
    let (f, v) = (g.fresh("step"), g.fresh("v"));
    let (inner, outer) = (g.fresh("E"), g.fresh("E"));
    let never = g.never_inline(40);
    let (a, b) = (g.random.below(4), g.random.between(1, 4));
    g.items.push(line(format!(
        "#[derive(Clone, Copy, Debug, PartialEq)]\nenum {inner} {{ Zero, Over(usize) }}\n\
         #[derive(Clone, Copy, Debug)]\nenum {outer} {{ Inner({inner}), Value(Felt) }}\n\
         impl From<{inner}> for {outer} {{ fn from(e: {inner}) -> Self {{ Self::Inner(e) }} }}\n\
         {never}fn {f}(n: usize, x: Felt) -> Result<Felt, {inner}> {{ match n {{ {a} => Err({inner}::Zero), 0..={b} => Ok(x + felt(n)), _ => Err({inner}::Over(n)) }} }}\n\
         fn {f}_twice(n: usize, x: Felt) -> Result<Felt, {inner}> {{ let y = {f}(n, x)?; {f}(n + 1, y) }}\n\
         {never}fn {f}_outer(n: usize, m: usize, x: Felt) -> Result<Felt, {outer}> {{ if n == m {{ return Err({outer}::Value(x)); }} Ok({f}(n, x)? * {f}_twice(m, x)?) }}\n\
         fn {f}_shown(r: Result<Felt, {outer}>) -> Felt {{ match r {{ Ok(x) => x, Err({outer}::Value(x)) => x * felt(2), Err({outer}::Inner({inner}::Over(n))) if n > 2 => felt(n), Err(_) => felt(70) }} }}"
    )));
    let x = g.unknown(body);
    let (n, m) = (g.int_below(Int::Usize, 1, 4), g.int_below(Int::Usize, 1, 4));
    let value = g.felt(1);
    body.push(line(format!("let {v} = {f}_twice({n}, {x});")));
    body.push(group(
        format!("for n in 0..{b}"),
        vec![line(format!("acc += {f}_shown({f}_outer(n, {m}, {x}));"))],
    ));
    for value in [
        format!("{f}_shown({f}_outer({n}, {m}, {x}))"),
        format!("{v}.unwrap_or({value})"),
        format!("{v}.map_err(|e| e == {inner}::Zero).unwrap_or_else(|zero| felt(zero as usize))"),
        format!("{v}.ok().unwrap_or(felt({a}))"),
    ] {
        g.observe(&value, &Ty::Felt, body);
    }
    g.observe(&format!("{v}.is_err()"), &Ty::Bool, body);
}
