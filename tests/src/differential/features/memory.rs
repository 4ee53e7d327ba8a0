//! Words, slices, hints and precompiles.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::Ty;

/// Words that are written once, at indices known at run time.
pub fn words(g: &mut Generator, body: &mut Vec<Node>) {
    let n = [1, 2, 3, 4, 5, 8][g.random.below(6)];
    let name = g.fresh("w");
    let x = g.unknown(body);
    body.push(line(format!("let mut {name} = Words::<{n}>::new();")));
    let value = g.felt(1);
    match g.random.below(6) {
        0 | 1 => body.push(group(
            format!("for i in count({n})"),
            vec![line(format!(
                "{name}.set(Index::new(i), i * felt(3) + {value});"
            ))],
        )),
        2 => body.push(group(
            format!("for i in 0..{n}"),
            vec![line(format!(
                "{name}.set(Index::<{n}>::new(felt(i)), {value} + felt(i));"
            ))],
        )),
        3 => {
            let fill = g.fresh("fill");
            let never = g.never_inline(30);
            g.items.push(line(format!(
                "{never}fn {fill}(w: &mut Words<{n}>, x: Felt) {{ for i in 0..{n} {{ w.set(Index::new(felt(i)), x * felt(i + 2)); }} }}"
            )));
            body.push(line(format!("{fill}(&mut {name}, {value});")));
        }
        4 if g.refused() => {
            // A copy of the words is another array.
            let other = g.fresh("w");
            body.push(line(format!("let mut {other} = {name}.clone();")));
            body.push(group(
                format!("for i in 0..{n}"),
                vec![line(format!(
                    "{name}.set(Index::<{n}>::new(felt(i)), felt(i)); {other}.set(Index::<{n}>::new(felt(i)), {value} + felt(i));"
                ))],
            ));
            g.observe(
                &format!("{other}.get(Index::new(felt(0)))"),
                &Ty::Felt,
                body,
            );
        }
        _ => {
            // Only the first word is written, so reading another one fails.
            body.push(line(format!("{name}.set(Index::new(felt(0)), {value});")));
            body.push(line(format!("{name}.set(Index::new(felt(0)), {value});")));
        }
    }
    let index = g.fresh("i");
    body.push(line(format!("let {index} = Index::<{n}>::new({x});")));
    g.observe(&format!("{name}.get({index})"), &Ty::Felt, body);
    if g.random.chance(30) {
        let read = g.fresh("read");
        g.items.push(line(format!(
            "#[inline(never)]\nfn {read}(w: &Words<{n}>, i: Index<{n}>) -> Felt {{ w.get(i) * felt(2) }}"
        )));
        g.observe(&format!("{read}(&{name}, {index})"), &Ty::Felt, body);
    }
}

/// Slices of hints and of blocks, read at fixed indices and at indices known at run time.
pub fn slices(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("s");
    let n = g.random.between(1, 4);
    let value = if g.random.chance(50) {
        format!("hint_slice({n}).any()")
    } else {
        let blocks: Vec<_> = (0..n).map(|_| g.block(1)).collect();
        format!("Slice::from_blocks([{}])", blocks.join(", "))
    };
    body.push(line(format!("let {name} = {value};")));
    let i = g.random.below(n);
    g.observe(&format!("{name}.block({i})"), &Ty::Block, body);
    if g.random.chance(60) {
        let x = g.unknown(body);
        let (at, block) = (g.fresh("i"), g.fresh("v"));
        let below = g.random.between(1, n);
        // The bound of the index is at most the length of the slice, or, rarely, above it.
        let bound = if g.random.chance(5) { n + 1 } else { below };
        body.push(line(format!("let {at} = Index::<{bound}>::new({x});")));
        let text = match g.random.below(3) {
            0 | 1 => format!("{name}.at({at})"),
            _ => format!("{name}.skip_index({at}).block(0)"),
        };
        body.push(line(format!("let {block} = {text};")));
        g.declare(&block, Ty::Block, false);
        g.observe(&block, &Ty::Block, body);
    }
    let lane = g.random.below(8);
    let last = n - 1 - i;
    g.observe(
        &format!("{name}.skip({i}).block({last}).lane({lane})"),
        &Ty::Felt,
        body,
    );
    if g.random.chance(30) {
        let function = g.fresh("take");
        let never = g.never_inline(60);
        g.items.push(line(format!(
            "{never}fn {function}(s: Slice, x: Felt) -> Felt {{ s.block({}).lane(3) * x + s.block(0).lane(1) }}",
            n - 1
        )));
        let x = g.felt(1);
        g.observe(&format!("{function}({name}, {x})"), &Ty::Felt, body);
    }
}

/// Hints of every kind, also in loops and branches.
pub fn hints(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("h");
    match g.random.below(7) {
        0 => {
            body.push(line(format!("let {name} = hint_felt().bit();")));
            g.declare(&name, Ty::Felt, false);
            g.observe(&name, &Ty::Felt, body);
        }
        1 => {
            body.push(line(format!("let {name} = hint_ext().checked();")));
            g.declare(&name, Ty::Ext, false);
            g.observe(&name, &Ty::Ext, body);
        }
        2 => {
            let value = g.felt(1);
            let inside = vec![line(format!(
                "acc = acc * felt(3) + hint_felt().any() * {value};"
            ))];
            body.push(group("for _ in count(3)", inside));
        }
        3 => {
            let inside = vec![
                line("let e = hint_ext().checked();"),
                line("acc += e.coeff(0) * e.coeff(4);"),
            ];
            body.push(group("for _ in 0..2", inside));
        }
        4 => {
            let flag = g.flag(1);
            let inside = vec![line("acc += hint_felt().any();")];
            body.push(group(format!("if {flag}"), inside));
            body.push(line("acc = acc * felt(3) + hint_felt().any();"));
        }
        5 => {
            let function = g.fresh("read");
            let never = g.never_inline(60);
            g.items.push(line(format!(
                "{never}fn {function}(x: Felt) -> Felt {{ let a = hint_felt().any(); let b = hint_felt().bit(); a * felt(5) + b * x }}"
            )));
            for _ in 0..2 {
                let value = g.felt(1);
                g.observe(&format!("{function}({value})"), &Ty::Felt, body);
            }
        }
        _ => {
            let inside = vec![
                line("let s = hint_slice(2).any();"),
                line("acc = acc * felt(3) + s.block(1).lane(2) - s.block(0).lane(0);"),
            ];
            body.push(group("for _ in count(2)", inside));
        }
    }
}

/// Precompiles over the field and its extension.
pub fn algebraic(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("v");
    let n = g.random.between(2, 4);
    let slice = if g.random.chance(50) {
        format!("hint_slice({n}).any()")
    } else {
        let blocks: Vec<_> = (0..n).map(|_| g.block(1)).collect();
        format!("Slice::from_blocks([{}])", blocks.join(", "))
    };
    let lanes = g.random.between(8, 8 * n);
    let (block, ext, skip) = (g.block(1), g.ext(1), g.random.below(8));
    let (text, ty) = match g.random.below(11) {
        0 => (
            format!("poseidon16_compress({block}, {})", g.block(1)),
            Ty::Block,
        ),
        1 => (
            format!("poseidon16_sponge({slice}, {lanes}, {block})"),
            Ty::Tuple(vec![Ty::Block, Ty::Block]),
        ),
        2 => (
            format!("poseidon16_hash({slice}, {lanes}, {block})"),
            Ty::Block,
        ),
        3 => (
            format!(
                "poseidon16_duplex({slice}, {lanes}, {block}, {}).block(1)",
                g.random.below(99)
            ),
            Ty::Block,
        ),
        4 => {
            let index = g.unknown(body);
            let depth = g.random.between(1, n);
            (
                format!("poseidon16_merkle({block}, {index}, {slice}, {depth})"),
                Ty::Block,
            )
        }
        5 | 6 => {
            let length = g.random.between(1, 8 * n - skip);
            (format!("horner({slice}, {skip}, {length}, {ext})"), Ty::Ext)
        }
        7 => {
            let elements = (8 * n - skip) / 5;
            let at = g.random.below(elements);
            (
                format!("unpack({slice}, {skip}, {elements}).block({at}).as_ext()"),
                Ty::Ext,
            )
        }
        8 => {
            let (s, u) = (g.fresh("s"), g.fresh("s"));
            body.push(line(format!(
                "let {s} = {slice};\nlet {u} = unpack({s}, {skip}, 1);"
            )));
            let other = if g.random.chance(70) {
                skip
            } else {
                (skip + 1) % 8
            };
            body.push(line(format!("assert_unpacked({s}, {other}, 1, {u});")));
            (format!("{u}.block(0)"), Ty::Block)
        }
        9 => {
            let blocks: Vec<_> = (0..n).map(|_| format!("{}.as_block()", g.ext(1))).collect();
            let (coordinates, generator) = (blocks.join(", "), g.felt(1));
            let exponent = g.unknown(body);
            (
                format!(
                    "power_weights(Slice::from_blocks([{coordinates}]), {n}, {generator}, {exponent})"
                ),
                Ty::Ext,
            )
        }
        _ => (
            format!("fold_pair({ext}, {}, {})", g.ext(1), g.ext(1)),
            Ty::Ext,
        ),
    };
    body.push(line(format!("let {name} = {text};")));
    g.declare(&name, ty.clone(), false);
    g.observe(&name, &ty, body);
}

/// Functions for limbs, Blake3 and Keccak.
pub fn byte_hashes(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("v");
    let blocks = g.random.between(2, 4);
    let data = if g.random.chance(50) {
        format!("hint_slice({blocks}).any()")
    } else {
        format!("limbs(hint_slice({blocks}).any(), {blocks})")
    };
    let words = g.random.between(1, 4 * blocks);
    let root = g.random.chance(50);
    let text = match g.random.below(6) {
        0 => format!(
            "blake3_chunk({data}, {words}, {}, {root})",
            g.random.below(3)
        ),
        1 => format!("keccak_hash({data}, {words})"),
        2 => format!("blake3_parent({data}, {data}, {root})"),
        3 => format!("limbs({data}, {}).skip(1)", g.random.between(2, blocks)),
        _ => {
            let index = g.unknown(body);
            let depth = g.random.between(1, blocks / 2);
            let function = g.random.pick(&["blake3_merkle", "keccak_merkle"]);
            format!("{function}({data}, {index}, {data}, {depth})")
        }
    };
    body.push(line(format!("let {name} = {text};")));
    g.observe(&format!("{name}.block(0)"), &Ty::Block, body);
    g.observe(&format!("{name}.block(1).lane(7)"), &Ty::Felt, body);
}
