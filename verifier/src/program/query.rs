//! One query: openings of the commitments, the values to be folded, the folds.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use droste_native::F;
use p3_field::{Field, PrimeField32, TwoAdicField};

use super::{Opening, blocks, openings, windows};
use crate::shape::{ProofShape, Round};

fn line(text: &mut String, statement: impl AsRef<str>) {
    let _ = writeln!(text, "    {}", statement.as_ref());
}

/// The openings of a matrix, at the point and at the next point.
fn of_matrix<'a>(
    openings: &'a [Opening],
    round: &'a Round,
    matrix: usize,
) -> impl Iterator<Item = &'a Opening> {
    openings
        .iter()
        .filter(move |o| o.round == round.kind && o.matrix == matrix)
}

/// Where each matrix of a layer stands in the layer's row.
fn places(round: &Round, matrices: &[usize]) -> Vec<(usize, usize)> {
    let mut at = 0;
    matrices
        .iter()
        .map(|&matrix| {
            let place = (matrix, at);
            at += round.matrices[matrix].width;
            place
        })
        .collect()
}

/// Powers of the combiner that queries use.
fn exponents(shape: &ProofShape) -> BTreeSet<usize> {
    let openings = openings(shape);
    let mut exponents = BTreeSet::new();
    for round in shape.rounds() {
        for (_, matrices) in round.layers() {
            for (matrix, at) in places(&round, &matrices) {
                for window in windows(shape.hash, at, round.matrices[matrix].width) {
                    for opening in of_matrix(&openings, &round, matrix) {
                        exponents.insert(window.exponent() + opening.ladder + window.before);
                    }
                }
            }
        }
    }
    exponents
}

/// Whether some table of this height is opened at the next point.
fn has_next(shape: &ProofShape, log_height: usize) -> bool {
    openings(shape)
        .iter()
        .any(|opening| opening.next && opening.log_height == log_height)
}

/// Folding rounds after which values of another height come in: (round, log height).
fn rolls(shape: &ProofShape) -> Vec<(usize, usize)> {
    let heights = shape.log_heights();
    let mut log_length = shape.log_length();
    let mut rolls = Vec::new();
    for (round, log_arity) in shape.log_arities().into_iter().enumerate() {
        log_length -= log_arity;
        let log_height = log_length.wrapping_sub(shape.settings.log_blowup);
        if heights.contains(&log_height) {
            rolls.push((round, log_height));
        }
    }
    rolls
}

/// Text of `Context`: what every query reads.
pub(super) fn context(text: &mut String, shape: &ProofShape) {
    text.push_str("/// What every query reads.\n#[derive(Clone, Copy)]\npub struct Context {\n");
    for round in shape.rounds() {
        line(text, format!("{}: Slice,", round.kind.name()));
    }
    line(text, "zeta: Ext,");
    line(text, "inverse_combiner: Ext,");
    for h in shape.log_heights() {
        line(text, format!("sum_{h}: Ext,"));
        if has_next(shape, h) {
            line(text, format!("zeta_next_{h}: Ext,"));
            line(text, format!("sum_next_{h}: Ext,"));
        }
    }
    for exponent in exponents(shape) {
        line(text, format!("power_{exponent}: Ext,"));
    }
    for round in 0..shape.log_arities().len() {
        line(text, format!("fold_{round}: Slice,"));
        line(text, format!("beta_{round}: Ext,"));
    }
    for (round, _) in rolls(shape) {
        line(text, format!("roll_{round}: Ext,"));
    }
    let length = 1usize << shape.settings.log_final_poly_len;
    line(text, format!("final_poly: [Ext; {length}],"));
    text.push_str("}\n\n");
}

/// The end of `verify`: the context, the indices and a call for each query.
pub(super) fn calls(text: &mut String, shape: &ProofShape) {
    let openings = openings(shape);
    for h in shape.log_heights() {
        for next in [false, true] {
            if next && !has_next(shape, h) {
                continue;
            }
            let suffix = if next { "_next" } else { "" };
            line(text, format!("let mut sum{suffix}_{h} = Ext::ZERO;"));
            for opening in openings
                .iter()
                .filter(|o| o.log_height == h && o.next == next)
            {
                line(
                    text,
                    format!(
                        "sum{suffix}_{h} += combine({}, combiner) * power(combiner, {});",
                        opening.name(),
                        opening.ladder
                    ),
                );
            }
        }
    }
    line(text, "let context = Context {");
    for round in shape.rounds() {
        line(text, format!("    {},", round.kind.name()));
    }
    line(text, "    zeta,");
    line(text, "    inverse_combiner: combiner.inverse(),");
    for h in shape.log_heights() {
        line(text, format!("    sum_{h},"));
        if has_next(shape, h) {
            let generator = F::two_adic_generator(h).as_canonical_u32();
            line(
                text,
                format!("    zeta_next_{h}: zeta * Felt::new({generator}),"),
            );
            line(text, format!("    sum_next_{h},"));
        }
    }
    for exponent in exponents(shape) {
        line(
            text,
            format!("    power_{exponent}: power(combiner, {exponent}),"),
        );
    }
    let arities = shape.log_arities();
    for round in 0..arities.len() {
        line(text, format!("    fold_{round},"));
        line(text, format!("    beta_{round},"));
    }
    for (round, _) in rolls(shape) {
        line(
            text,
            format!(
                "    roll_{round}: power(beta_{round}, {}),",
                1 << arities[round]
            ),
        );
    }
    line(text, "    final_poly,");
    line(text, "};");
    let queries = shape.settings.num_queries;
    line(
        text,
        format!("let mut words = [[Felt::ZERO, Felt::ZERO]; {queries}];"),
    );
    line(text, format!("for i in 0..{queries} {{"));
    line(text, "    words[i] = t.sample_word();");
    line(text, "}");
    line(text, format!("for i in 0..{queries} {{"));
    line(text, "    query(context, words[i]);");
    line(text, "}");
}

/// Text of `query`.
pub(super) fn query(text: &mut String, shape: &ProofShape) {
    text.push_str(
        "/// One query: opens the commitments at a sampled index and folds down to the final polynomial.\n\
         #[inline(never)]\nfn query(c: Context, word: [Felt; 2]) {\n",
    );
    let length = shape.log_length();
    line(text, "let bits = C::bits(word);");
    line(text, format!("let index = shifts(bits, {length});"));
    line(text, format!("let point = points(bits, {length});"));
    for h in shape.log_heights() {
        line(text, format!("let mut combined_{h} = Ext::ZERO;"));
        if has_next(shape, h) {
            line(text, format!("let mut combined_next_{h} = Ext::ZERO;"));
        }
    }
    let openings = openings(shape);
    for round in shape.rounds() {
        open(text, shape, &round, &openings);
    }
    for h in shape.log_heights() {
        reduce(text, shape, h);
    }
    folds(text, shape);
    text.push_str("}\n");
}

/// Opens one commitment and adds its rows, combined, to the sums of their heights.
fn open(text: &mut String, shape: &ProofShape, round: &Round, openings: &[Opening]) {
    let name = round.kind.name();
    let (length, blowup) = (shape.log_length(), shape.settings.log_blowup);
    let layers = round.layers();
    let leaves = layers[0].0 + blowup;
    let cap = shape.cap_levels(leaves);
    for (i, (log_height, matrices)) in layers.iter().enumerate() {
        let width: usize = matrices.iter().map(|&m| round.matrices[m].width).sum();
        let row = format!("{name}_row_{log_height}");
        line(
            text,
            format!(
                "let {row} = hint_slice({}).any();",
                blocks(shape.hash, 0, width)
            ),
        );
        if i == 0 {
            line(text, format!("let mut {name} = H::leaf({row}, {width});"));
        } else {
            line(
                text,
                format!("{name} = H::parent({name}, H::leaf({row}, {width}));"),
            );
        }
        let here = log_height + blowup;
        let above = layers
            .get(i + 1)
            .map_or(cap, |(log_height, _)| log_height + blowup);
        if here > above {
            let depth = here - above;
            line(
                text,
                format!("let path = hint_slice({depth} * H::DIGEST_BLOCKS).any();"),
            );
            line(
                text,
                format!(
                    "{name} = H::path({name}, window(index, {}, {}), path, {depth});",
                    length - here,
                    length - above
                ),
            );
        }
        for (matrix, at) in places(round, matrices) {
            for (j, window) in windows(shape.hash, at, round.matrices[matrix].width)
                .into_iter()
                .enumerate()
            {
                let value = format!("{name}_{matrix}_{j}");
                line(
                    text,
                    format!(
                        "let {value} = horner({row}.skip({}), {}, {}, c.inverse_combiner);",
                        window.block, window.skip, window.length
                    ),
                );
                for opening in of_matrix(openings, round, matrix) {
                    let suffix = if opening.next { "_next" } else { "" };
                    let exponent = window.exponent() + opening.ladder + window.before;
                    let sum = format!("combined{suffix}_{log_height}");
                    line(
                        text,
                        format!("{sum} = {value} * c.power_{exponent} + {sum};"),
                    );
                }
            }
        }
    }
    line(
        text,
        format!(
            "assert_in_cap::<H>(c.{name}, index[{}], {name});",
            length - cap
        ),
    );
}

/// The value to be folded of one height: openings combined, over the distance to their points.
fn reduce(text: &mut String, shape: &ProofShape, h: usize) {
    let shift = F::GENERATOR.as_canonical_u32();
    let length = shape.log_length();
    let squarings = length - h - shape.settings.log_blowup;
    line(
        text,
        format!("let x_{h} = square_times(point[0], {squarings}) * Felt::new({shift});"),
    );
    line(
        text,
        format!("let mut reduced_{h} = (c.sum_{h} - combined_{h}) * (c.zeta - x_{h}).inverse();"),
    );
    if has_next(shape, h) {
        line(
            text,
            format!(
                "reduced_{h} = (c.sum_next_{h} - combined_next_{h}) * (c.zeta_next_{h} - x_{h}).inverse() + reduced_{h};"
            ),
        );
    }
    if h == 0 {
        // The quotient of a table of one row is zero.
        line(text, format!("assert_eq!(reduced_{h}, Ext::ZERO);"));
    }
}

/// The folds, from the tallest height to the final polynomial.
fn folds(text: &mut String, shape: &ProofShape) {
    let heights = shape.log_heights();
    let length = shape.log_length();
    line(text, format!("let mut value = reduced_{};", heights[0]));
    let mut consumed = 0;
    let rolls = rolls(shape);
    for (round, log_arity) in shape.log_arities().into_iter().enumerate() {
        let arity = 1 << log_arity;
        let row = format!("row_{round}");
        let elements = format!("elements_{round}");
        let from = consumed + log_arity;
        let cap = shape.cap_levels(length - from);
        line(
            text,
            format!(
                "let {row} = hint_slice({}).any();",
                blocks(shape.hash, 0, 5 * arity)
            ),
        );
        line(
            text,
            format!("let mut node_{round} = H::leaf({row}, {});", 5 * arity),
        );
        line(
            text,
            format!("let {elements} = unpack_all::<H, {arity}>({row}, 0);"),
        );
        line(
            text,
            format!("assert_eq!(select({elements}, {log_arity}, bits, {consumed}), value);"),
        );
        let depth = length - from - cap;
        if depth > 0 {
            line(
                text,
                format!("let path = hint_slice({depth} * H::DIGEST_BLOCKS).any();"),
            );
            line(
                text,
                format!(
                    "node_{round} = H::path(node_{round}, window(index, {from}, {}), path, {depth});",
                    length - cap
                ),
            );
        }
        line(
            text,
            format!(
                "assert_in_cap::<H>(c.fold_{round}, index[{}], node_{round});",
                length - cap
            ),
        );
        line(
            text,
            format!(
                "value = fold({elements}, {log_arity}, c.beta_{round}, square_times(point[{from}], {consumed}));"
            ),
        );
        consumed = from;
        if let Some((_, h)) = rolls.iter().find(|(at, _)| *at == round) {
            line(
                text,
                format!("value = reduced_{h} * c.roll_{round} + value;"),
            );
        }
    }
    line(
        text,
        format!("let x = square_times(point[{consumed}], {consumed});"),
    );
    line(text, "assert_eq!(evaluate(c.final_poly, x), value);");
}
