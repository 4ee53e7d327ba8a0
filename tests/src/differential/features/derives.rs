//! What derives give: defaults, and comparisons of structs, enums and values with parts.

use super::super::generator::Generator;
use super::super::source::{Node, line};
use super::super::types::Ty;

/// A struct and an enum that derive everything, with fields known while compiling and in a run.
pub fn derives(g: &mut Generator, body: &mut Vec<Node>) {
    let [kinds, plain, run, sum] = ["K", "P", "R", "E"].map(|prefix| g.fresh(prefix));
    let (first, second) = (g.random.between(1, 5), g.random.between(6, 9));
    let (one, two) = if g.random.chance(50) {
        (format!(" = {second}"), format!(" = {first}"))
    } else {
        Default::default()
    };
    let default = g.random.below(3);
    let mark = |place| {
        if place == default { "#[default] " } else { "" }
    };
    let derive = "#[derive(Clone, Copy, Debug, Default, PartialEq, Eq";
    g.items.push(line(format!(
        "{derive}, PartialOrd, Ord)]\nenum {kinds} {{ {}Low{one}, {}Mid, {}High{two} }}\n\
         {derive}, PartialOrd, Ord)]\nstruct {plain} {{ k: {kinds}, n: u8, on: bool, list: [u16; 2] }}\n\
         {derive})]\nstruct {run}<T> {{ c: {plain}, x: T, pair: (Ext, Block) }}\n\
         #[derive(Clone, Debug, PartialEq, Eq)]\nenum {sum} {{ Empty, One(Felt), Two {{ a: {run}<Felt>, v: Vec<Felt> }} }}",
        mark(0),
        mark(1),
        mark(2),
    )));
    let (x, y, v) = (g.unknown(body), g.felt(1), g.fresh("v"));
    let (e, block) = (g.ext(1), g.block(1));
    let known = |g: &mut Generator| {
        let kind = g.random.pick(&["Low", "Mid", "High"]);
        let (n, on) = (g.random.below(3), g.random.chance(50));
        let (a, b) = (g.random.below(2), g.random.below(2));
        format!("{plain} {{ k: {kinds}::{kind}, n: {n}, on: {on}, list: [{a}, {b}] }}")
    };
    let (c, d) = (known(g), known(g));
    let other = if g.random.chance(50) { &x } else { &y };
    // Which type the default has is not inferred from the field.
    let of = if g.refused() {
        String::new()
    } else {
        format!(": {run}<Felt>")
    };
    body.push(line(format!(
        "let ({v}c, {v}d) = ({c}, {d});\n\
         let {v} = {run} {{ c: {v}c, x: {x}, pair: ({e}, {block}) }};\n\
         let {v}w = {run} {{ c: {v}c, x: {other}, ..{v} }};\n\
         let {v}z{of} = {run} {{ x: {y}, ..Default::default() }};"
    )));
    let variant = |g: &mut Generator| match g.random.below(4) {
        0 => format!("{sum}::Empty"),
        1 => format!("{sum}::One({})", [&x, &y][g.random.below(2)]),
        _ => {
            let (a, of) = (g.random.pick(&["", "w", "z"]), g.random.below(2));
            format!("{sum}::Two {{ a: {v}{a}, v: vec![{}] }}", [&x, &y][of])
        }
    };
    let (p, q) = (variant(g), variant(g));
    let conditions = [
        format!("{v} == {v}w"),
        format!("{v} != {v}z"),
        format!("[{v}, {v}w] == [{v}w, {v}]"),
        format!("({v}.pair, {v}c) == ({v}z.pair, {v}d)"),
        format!("{p} == {q}"),
        format!("{p} != {q}"),
        format!("Some({v}) == Some({v}w)"),
        format!("Some({p}) != None"),
        format!("{v}.pair.0 == {e} && {v}.pair.1 != Block::default()"),
        format!("({x} == {y}) == ({v} == {v}w)"),
    ];
    let known = [
        format!("{v}c < {v}d"),
        format!("{v}c >= {v}d"),
        format!("{v}c.k <= {v}d.k"),
        format!("({v}c.n, {v}c) > ({v}d.n, {v}d)"),
        format!("[{v}c, {v}d] < [{v}d, {v}c]"),
        format!("{v}c.cmp(&{v}d) == {v}d.cmp(&{v}c)"),
        format!("{v}c.partial_cmp(&{v}d) == Some(std::cmp::Ordering::Less)"),
        format!("{v}c.max({v}d) == {v}d.min({v}c)"),
        format!("{v}c == {plain}::default()"),
        format!("Some({v}c) > None"),
    ];
    for _ in 0..2 {
        let t = g.fresh("t");
        let condition = &conditions[g.random.below(conditions.len())];
        body.push(line(format!("let {t} = {condition};")));
        g.observe(&t, &Ty::Flag, body);
        let t = g.fresh("t");
        let condition = &known[g.random.below(known.len())];
        body.push(line(format!("let {t} = {condition};")));
        g.observe(&t, &Ty::Bool, body);
    }
    body.push(line(format!(
        "assert_eq!({p}, {p});\nassert_eq!({v}, {v});"
    )));
    g.observe(&format!("{v}z.x"), &Ty::Felt, body);
    g.observe(&format!("{v}z.pair.1.lane(1)"), &Ty::Felt, body);
    g.observe(
        &format!("felt({v}z.c.list.len() + {v}z.c.n as usize)"),
        &Ty::Felt,
        body,
    );
}
