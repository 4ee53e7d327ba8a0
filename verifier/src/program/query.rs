//! One query: openings of the commitments, the values to be folded, the folds.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use droste_native::F;
use p3_field::{Field, PrimeField32, TwoAdicField};

use super::index::{CHUNK, Column, Index};
use super::{Opening, blocks, line, openings, windows};
use crate::shape::{ProofShape, Round, RoundKind};

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

/// Matrices of a layer whose columns one run of combination powers covers: the place of the first in the
/// layer's row, their columns, and the openings of the first. Matrices opened at the point only go
/// together where their powers follow on each other; one opened at the next point too stands alone.
struct Group<'a> {
    first: usize,
    at: usize,
    width: usize,
    openings: Vec<&'a Opening>,
}

fn groups<'a>(round: &'a Round, matrices: &[usize], openings: &'a [Opening]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (matrix, at) in places(round, matrices) {
        let width = round.matrices[matrix].width;
        let here: Vec<&Opening> = of_matrix(openings, round, matrix).collect();
        if let (Some(group), [opening]) = (groups.last_mut(), &here[..])
            && let [before] = &group.openings[..]
            && before.ladder + group.width == opening.ladder
        {
            group.width += width;
            continue;
        }
        groups.push(Group {
            first: matrix,
            at,
            width,
            openings: here,
        });
    }
    groups
}

/// Powers of the combiner that queries use.
fn exponents(shape: &ProofShape) -> BTreeSet<usize> {
    let openings = openings(shape);
    let mut exponents = BTreeSet::new();
    for round in shape.rounds() {
        for (_, matrices) in round.layers() {
            for group in groups(&round, &matrices, &openings) {
                for window in windows(shape.hash, group.at, group.width) {
                    for opening in &group.openings {
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

/// Extension elements that every query reads, in the order of `Values`: name and number.
fn values(shape: &ProofShape) -> Vec<(String, usize)> {
    let mut values = vec![("zeta".to_owned(), 1), ("inverse_combiner".to_owned(), 1)];
    for h in shape.log_heights() {
        values.push((format!("sum_{h}"), 1));
        if has_next(shape, h) {
            values.push((format!("zeta_next_{h}"), 1));
            values.push((format!("sum_next_{h}"), 1));
        }
    }
    for exponent in exponents(shape) {
        values.push((format!("minus_power_{exponent}"), 1));
    }
    for (round, log_arity) in shape.log_arities().into_iter().enumerate() {
        values.push((format!("scales_{round}"), 1 << log_arity));
    }
    for (round, _) in rolls(shape) {
        values.push((format!("roll_{round}"), 1));
    }
    values.push((
        "final_poly".to_owned(),
        1 << shape.settings.log_final_poly_len,
    ));
    values
}

/// Commitments of a proof whose digests are hints, in the order in which the text reads them: name and
/// number of digests.
pub(super) fn commitments(shape: &ProofShape) -> Vec<(String, usize)> {
    let mut commitments = Vec::new();
    for kind in [RoundKind::Main, RoundKind::Permutation, RoundKind::Quotient] {
        if let Some(round) = shape.rounds().iter().find(|round| round.kind == kind) {
            let leaves = round.layers()[0].0 + shape.settings.log_blowup;
            commitments.push((kind.name().to_owned(), 1 << shape.cap_levels(leaves)));
        }
    }
    let mut log_length = shape.log_length();
    for (round, log_arity) in shape.log_arities().into_iter().enumerate() {
        log_length -= log_arity;
        let digests = 1 << shape.cap_levels(log_length);
        commitments.push((format!("fold_{round}"), digests));
    }
    commitments
}

/// Text of what every query reads: `Places` and `Values`.
pub(super) fn context(text: &mut String, shape: &ProofShape) {
    text.push_str(
        "/// What every query reads that has a place in memory before the proof is looked at.\n\
         #[derive(Clone, Copy)]\npub struct Places {\n",
    );
    for (name, _) in commitments(shape) {
        line(text, format!("{name}: Slice,"));
    }
    if shape.has_preprocessed() {
        line(text, "preprocessed: Slice,");
    }
    let tables = Index::new(shape).tables();
    for table in 0..tables.len() {
        line(text, format!("points_{table}: Slice,"));
    }
    text.push_str("}\n\n");
    text.push_str(
        "/// What every query reads that depends on the proof. Powers are of the combiner, negated.\n\
         #[derive(Clone, Copy)]\npub struct Values {\n",
    );
    for (name, count) in values(shape) {
        let ty = match count {
            1 if name != "final_poly" => "Ext".to_owned(),
            count => format!("[Ext; {count}]"),
        };
        line(text, format!("{name}: {ty},"));
    }
    text.push_str("}\n\nimpl Values {\n");
    line(text, "/// The same values where every query finds them.");
    line(text, "fn pin(self) -> Self {");
    line(text, "    Self {");
    for (name, count) in values(shape) {
        let value = match count {
            1 if name != "final_poly" => format!("self.{name}.pin()"),
            count => {
                let elements: Vec<String> = (0..count)
                    .map(|i| format!("self.{name}[{i}].pin()"))
                    .collect();
                format!("[{}]", elements.join(", "))
            }
        };
        line(text, format!("        {name}: {value},"));
    }
    line(text, "    }");
    line(text, "}");
    text.push_str("}\n\n");
    for (number, table) in tables.iter().enumerate() {
        let _ = writeln!(
            text,
            "/// Factors of the points that an index stands for, by the value of three of its bits.\n\
             const POINTS_{number}: [[u32; 8]; {}] = {table:?};\n",
            table.len()
        );
    }
}

/// The end of `prepare`: the values that queries read, and the sampled words.
pub(super) fn results(text: &mut String, shape: &ProofShape) {
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
    let mut below: Option<usize> = None;
    for exponent in exponents(shape) {
        let value = match below {
            None => format!("-power(combiner, {exponent})"),
            Some(below) => {
                format!(
                    "minus_power_{below} * power(combiner, {})",
                    exponent - below
                )
            }
        };
        line(text, format!("let minus_power_{exponent} = {value};"));
        below = Some(exponent);
    }
    line(text, "let values = Values {");
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
        line(text, format!("    minus_power_{exponent},"));
    }
    let arities = shape.log_arities();
    for (round, log_arity) in arities.iter().enumerate() {
        line(
            text,
            format!(
                "    scales_{round}: fold_scales::<{}>(beta_{round}, {log_arity}),",
                1 << log_arity
            ),
        );
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
    line(text, "(values, words)");
}

/// The end of `verify`: the places that queries read, and a call for each query.
pub(super) fn calls(text: &mut String, shape: &ProofShape) {
    line(text, "let places = Places {");
    for (name, _) in commitments(shape) {
        line(text, format!("    {name},"));
    }
    if shape.has_preprocessed() {
        line(text, "    preprocessed,");
    }
    for table in 0..Index::new(shape).tables().len() {
        line(text, format!("    points_{table}: table(POINTS_{table}),"));
    }
    line(text, "};");
    line(text, "let values = values.pin();");
    line(
        text,
        format!("for i in 0..{} {{", shape.settings.num_queries),
    );
    line(text, "    query(places, values, words[i]);");
    line(text, "}");
}

/// Text of `query`.
pub(super) fn query(text: &mut String, shape: &ProofShape) {
    text.push_str(
        "/// One query: opens the commitments at a sampled index and folds down to the final polynomial.\n\
         #[inline(never)]\nfn query(p: Places, v: Values, word: [Felt; 2]) {\n",
    );
    let mut index = Index::new(shape);
    let length = index.length;
    line(text, "let bits = C::hint_bits();");
    let cap = shape.settings.cap_height.min(length);
    let mut low = index.window(text, 0, length - cap);
    if cap == length {
        low = index.window(text, 0, length);
    } else if cap > 0 {
        let top = index.window(text, length - cap, length);
        line(
            text,
            format!("let index = {top} * felt({}) + {low};", 1 << (length - cap)),
        );
        low = "index".to_owned();
    }
    line(
        text,
        format!("C::assert_bits(word, bits, {low}, {length});"),
    );
    points(text, &mut index);
    for h in shape.log_heights() {
        line(text, format!("let mut combined_{h} = v.sum_{h};"));
        if has_next(shape, h) {
            line(text, format!("let mut combined_next_{h} = v.sum_next_{h};"));
        }
    }
    let openings = openings(shape);
    for round in shape.rounds() {
        open(text, shape, &mut index, &round, &openings);
    }
    for h in shape.log_heights() {
        reduce(text, shape, h);
    }
    folds(text, shape, &mut index);
    text.push_str("}\n");
}

/// The point of the index on the whole domain, and the inverse of the first point of the first folding
/// round's row: the index' bits of that round count as zero.
///
/// The point is the product of `g_(j + 1)` over the bits `j` that are one, where `g_k` generates the
/// subgroup of order `2^k`: codewords are in bit-reversed order.
fn points(text: &mut String, index: &mut Index) {
    let first = index.rounds.get(1).copied().unwrap_or(0);
    let product = |text: &mut String, index: &mut Index, from: usize, to: usize| {
        let factors: Vec<String> = index
            .within(from, to)
            .into_iter()
            .map(|(from, _)| index.factor(text, from, Column::Inverse(from)))
            .collect();
        if factors.is_empty() {
            "Felt::ONE".to_owned()
        } else {
            factors.join(" * ")
        }
    };
    line(
        text,
        format!(
            "// A table of points has {} entries, and each of these integers has at most {CHUNK} bits.",
            1 << CHUNK
        ),
    );
    let above = product(text, index, first, index.length);
    line(text, format!("let inverse_start_0 = {above};"));
    let below = product(text, index, 0, first);
    line(
        text,
        format!("let point = (inverse_start_0 * {below}).inverse();"),
    );
}

/// Opens one commitment and takes its rows, combined, from the sums of their heights.
fn open(
    text: &mut String,
    shape: &ProofShape,
    index: &mut Index,
    round: &Round,
    openings: &[Opening],
) {
    let name = round.kind.name();
    let (length, blowup) = (shape.log_length(), shape.settings.log_blowup);
    let layers = round.layers();
    let leaves = layers[0].0 + blowup;
    let cap = shape.cap_levels(leaves);
    let top = index.window(text, length - cap, length);
    // Before the path, which then ends in the cap's own block.
    line(
        text,
        format!(
            "// The cap has {} digests, and the integer {cap} bits.",
            1 << cap
        ),
    );
    line(
        text,
        format!("let {name}_root = H::digest_unchecked(p.{name}, {top});"),
    );
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
            let path = index.window(text, length - here, length - above);
            line(
                text,
                format!("let path = hint_slice({depth} * H::DIGEST_BLOCKS).any();"),
            );
            line(
                text,
                format!("{name} = H::path({name}, {path}, path, {depth});"),
            );
        }
        for group in groups(round, matrices, openings) {
            for (j, window) in windows(shape.hash, group.at, group.width)
                .into_iter()
                .enumerate()
            {
                let value = format!("{name}_{}_{j}", group.first);
                line(
                    text,
                    format!(
                        "let {value} = horner({row}.skip({}), {}, {}, v.inverse_combiner);",
                        window.block, window.skip, window.length
                    ),
                );
                for opening in &group.openings {
                    let suffix = if opening.next { "_next" } else { "" };
                    let exponent = window.exponent() + opening.ladder + window.before;
                    let sum = format!("combined{suffix}_{log_height}");
                    line(
                        text,
                        format!("{sum} = {value} * v.minus_power_{exponent} + {sum};"),
                    );
                }
            }
        }
    }
    line(text, format!("H::assert_same({name}_root, {name});"));
}

/// The value to be folded of one height: openings combined, over the distance to their points.
fn reduce(text: &mut String, shape: &ProofShape, h: usize) {
    let shift = F::GENERATOR.as_canonical_u32();
    let length = shape.log_length();
    let squarings = length - h - shape.settings.log_blowup;
    line(
        text,
        format!("let x_{h} = square_times(point, {squarings}) * Felt::new({shift});"),
    );
    line(
        text,
        format!("let mut reduced_{h} = combined_{h} * (v.zeta - x_{h}).inverse();"),
    );
    if has_next(shape, h) {
        line(
            text,
            format!(
                "reduced_{h} = combined_next_{h} * (v.zeta_next_{h} - x_{h}).inverse() + reduced_{h};"
            ),
        );
    }
    if h == 0 {
        // The quotient of a table of one row is zero.
        line(text, format!("assert_eq!(reduced_{h}, Ext::ZERO);"));
    }
}

/// The folds, from the tallest height to the final polynomial.
fn folds(text: &mut String, shape: &ProofShape, index: &mut Index) {
    let heights = shape.log_heights();
    let length = shape.log_length();
    line(text, format!("let mut value = reduced_{};", heights[0]));
    let mut consumed = 0;
    let rolls = rolls(shape);
    let arities = shape.log_arities();
    let length_of_final = 1 << shape.settings.log_final_poly_len;
    for (round, &log_arity) in arities.iter().enumerate() {
        let arity = 1 << log_arity;
        let row = format!("row_{round}");
        let elements = format!("elements_{round}");
        let from = consumed + log_arity;
        let cap = shape.cap_levels(length - from);
        let top = index.window(text, length - cap, length);
        line(
            text,
            format!(
                "// The cap has {} digests, and the integer {cap} bits.",
                1 << cap
            ),
        );
        line(
            text,
            format!("let root_{round} = H::digest_unchecked(p.fold_{round}, {top});"),
        );
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
        let place = index.window(text, consumed, from);
        line(
            text,
            format!("// A row has {arity} elements, and the integer {log_arity} bits."),
        );
        line(
            text,
            format!("assert_entry_unchecked::<H, {arity}>({row}, {elements}, {place}, value);"),
        );
        let depth = length - from - cap;
        if depth > 0 {
            let path = index.window(text, from, length - cap);
            line(
                text,
                format!("let path = hint_slice({depth} * H::DIGEST_BLOCKS).any();"),
            );
            line(
                text,
                format!("node_{round} = H::path(node_{round}, {path}, path, {depth});"),
            );
        }
        line(text, format!("H::assert_same(root_{round}, node_{round});"));
        line(
            text,
            format!(
                "value = fold({elements}, {log_arity}, v.scales_{round}, inverse_start_{round});"
            ),
        );
        // The inverse of the next round's point, times what its own bits contribute.
        if round + 1 < arities.len() {
            if arities[round + 1] > 0 {
                line(text, "// As above, of the tables of points.");
            }
            let mut start = format!("square_times(inverse_start_{round}, {log_arity})");
            for (piece, _) in index.within(from, from + arities[round + 1]) {
                let factor = index.factor(text, piece, Column::Round(piece - from));
                let _ = write!(start, " * {factor}");
            }
            line(text, format!("let inverse_start_{} = {start};", round + 1));
        }
        consumed = from;
        if let Some((_, h)) = rolls.iter().find(|(at, _)| *at == round) {
            line(
                text,
                format!("value = reduced_{h} * v.roll_{round} + value;"),
            );
        }
    }
    let x = if length_of_final == 1 {
        "Felt::ZERO".to_owned()
    } else if let (Some(last), Some(log_arity)) = (arities.len().checked_sub(1), arities.last()) {
        format!("square_times(inverse_start_{last}, {log_arity}).inverse()")
    } else {
        "point".to_owned()
    };
    line(
        text,
        format!("assert_eq!(evaluate(v.final_poly, {x}), value);"),
    );
}
