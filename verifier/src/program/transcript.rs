//! Everything before the queries: the transcript and the constraints.

use std::fmt::Write as _;

use droste_native::F;
use p3_commit::PolynomialSpace;
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{Field, PrimeCharacteristicRing, PrimeField32, TwoAdicField};

use super::{Opening, line, openings, query};
use crate::shape::{ProofShape, Protocol, RoundKind, ShapeTable};

/// Text of `verify`, and of `prepare`, which does all but the queries.
///
/// A join has a copy of it for each child: in the entry's frame blocks have addresses of their own, while
/// in a called function's, words and blocks share them, and whichever are fewer leave a gap.
pub(super) fn verify(text: &mut String, shape: &ProofShape) {
    let queries = shape.settings.num_queries;
    let mut names = vec!["seed".to_owned()];
    let mut own = vec![format!("seed: [Felt; {}]", shape.seed)];
    if shape.has_preprocessed() {
        names.push("preprocessed".to_owned());
        own.push("preprocessed: Slice".to_owned());
    }
    for table in &shape.tables {
        let (name, count) = (&table.name, table.shape.num_public_values);
        if count > 0 {
            names.push(format!("public_{name}"));
            own.push(format!("public_{name}: [Felt; {count}]"));
        }
    }
    let mut all = own.clone();
    for (name, _) in query::commitments(shape) {
        all.push(format!("{name}: Slice"));
        names.push(name);
    }
    let _ = writeln!(
        text,
        "/// Everything before the queries of a proof, as `verify` says: the transcript and the constraints.\n\
         fn prepare(\n    {},\n) -> (Values, [[Felt; 2]; {queries}]) {{",
        all.join(",\n    ")
    );
    commitments(text, shape);
    opened_values(text, shape);
    low_degree_test(text, shape);
    constraints(text, shape);
    query::results(text, shape);
    text.push_str("}\n\n");
    let _ = writeln!(
        text,
        "/// Verifies one proof. Its transcript begins with `seed`; `preprocessed` is the commitment to\n\
         /// the preprocessed traces; then the public values of each table that has any.\n\
         pub fn verify({}) {{",
        own.join(", ")
    );
    line(
        text,
        "// Commitments are bound by the transcript and opened by the queries.",
    );
    for (name, digests) in query::commitments(shape) {
        line(
            text,
            format!("let {name} = hint_slice({digests} * H::DIGEST_BLOCKS).any();"),
        );
    }
    line(
        text,
        format!("let (values, words) = prepare({});", names.join(", ")),
    );
    query::calls(text, shape);
    text.push_str("}\n\n");
}

/// Observes a commitment.
fn commitment(text: &mut String, name: &str, digests: usize) {
    line(text, format!("t.observe_digests({name}, {digests});"));
}

/// Digests of the cap of a commitment.
fn cap(shape: &ProofShape, kind: RoundKind) -> usize {
    let rounds = shape.rounds();
    let tallest = rounds
        .iter()
        .filter(|round| round.kind == kind)
        .flat_map(|round| round.matrices.iter().map(|matrix| matrix.log_height))
        .max();
    let log_length = tallest.unwrap_or(0) + shape.settings.log_blowup;
    1 << shape.cap_levels(log_length)
}

/// Observes the commitment to the preprocessed traces, an argument.
fn preprocessed_commitment(text: &mut String, shape: &ProofShape) {
    if shape.has_preprocessed() {
        let digests = cap(shape, RoundKind::Preprocessed);
        commitment(text, "preprocessed", digests);
    }
}

fn commitments(text: &mut String, shape: &ProofShape) {
    let settings = &shape.settings;
    line(text, "let mut t = C::new();");
    if shape.seed > 0 {
        line(text, format!("for i in 0..{} {{", shape.seed));
        line(text, "    t.observe(seed[i]);");
        line(text, "}");
    }
    line(
        text,
        format!("observe_constants(&mut t, {});", shape.protocol.seed_name()),
    );
    // p3-uni-stark has the height in its seed, and the preprocessed commitment before public values.
    if shape.protocol == Protocol::Batch {
        for table in &shape.tables {
            line(
                text,
                format!("observe_integer(&mut t, {});", table.log_height),
            );
        }
    }
    commitment(text, "main", cap(shape, RoundKind::Main));
    if shape.protocol == Protocol::Uni {
        preprocessed_commitment(text, shape);
    }
    for table in &shape.tables {
        let count = table.shape.num_public_values;
        if count > 0 {
            line(text, format!("for i in 0..{count} {{"));
            line(text, format!("    t.observe(public_{}[i]);", table.name));
            line(text, "}");
        }
    }
    if shape.protocol == Protocol::Batch {
        preprocessed_commitment(text, shape);
    }
    if shape.has_lookups() {
        line(text, format!("t.grind({});", settings.lookup_grinding_bits));
        line(text, "let (lookup_alpha, lookup_beta) = t.sample_pair();");
        commitment(text, "permutation", cap(shape, RoundKind::Permutation));
        line(text, "let mut terminals = Ext::ZERO;");
        for table in &shape.tables {
            if table.shape.has_terminal() {
                let name = &table.name;
                line(text, format!("let terminal_{name} = hint_ext().checked();"));
                line(text, format!("observe_ext(&mut t, terminal_{name});"));
                line(text, format!("terminals += terminal_{name};"));
            }
        }
        line(text, "assert_eq!(terminals, Ext::ZERO);");
    }
    line(text, "let alpha = t.sample();");
    commitment(text, "quotient", cap(shape, RoundKind::Quotient));
    line(text, format!("t.grind({});", settings.ood_grinding_bits));
    line(text, "let zeta = t.sample();");
}

fn opened_values(text: &mut String, shape: &ProofShape) {
    let openings = openings(shape);
    let total: usize = openings.iter().map(|opening| opening.width).sum();
    line(text, "observe_constants(&mut t, OPENING_SEED);");
    line(text, "let at = t.position();");
    line(
        text,
        format!(
            "let opened = hint_slice(blocks_for::<H>(at, {})).any();",
            5 * total
        ),
    );
    line(text, format!("t.observe_slice(opened, {});", 5 * total));
    for opening in &openings {
        line(
            text,
            format!(
                "let {} = unpack_all::<H, {}>(opened, at + {});",
                opening.name(),
                opening.width,
                5 * opening.start
            ),
        );
    }
}

fn low_degree_test(text: &mut String, shape: &ProofShape) {
    let settings = &shape.settings;
    line(text, format!("t.grind({});", settings.batch_grinding_bits));
    line(text, "let combiner = t.sample();");
    line(text, "observe_constants(&mut t, FRI_SEED);");
    let mut log_length = shape.log_length();
    for (round, log_arity) in shape.log_arities().into_iter().enumerate() {
        log_length -= log_arity;
        let digests = 1 << shape.cap_levels(log_length);
        commitment(text, &format!("fold_{round}"), digests);
        line(text, format!("t.grind({});", settings.commit_grinding_bits));
        line(text, format!("let beta_{round} = t.sample();"));
    }
    let length = 1 << settings.log_final_poly_len;
    line(text, format!("let mut final_poly = [Ext::ZERO; {length}];"));
    line(text, format!("for i in 0..{length} {{"));
    line(text, "    final_poly[i] = hint_ext().checked();");
    line(text, "    observe_ext(&mut t, final_poly[i]);");
    line(text, "}");
    line(text, format!("t.grind({});", settings.query_grinding_bits));
}

fn constraints(text: &mut String, shape: &ProofShape) {
    line(text, "let challenges = Challenges {");
    line(text, "    alpha,");
    if shape.has_lookups() {
        line(text, "    beta: lookup_beta,");
        line(text, "    buses: [");
        for bus in 0..shape.buses.count {
            line(
                text,
                format!(
                    "        lookup_alpha + power(lookup_beta, {}) * felt({}),",
                    shape.buses.message_width,
                    bus + 1
                ),
            );
        }
        line(text, "    ],");
    } else {
        line(text, "    beta: Ext::ZERO,");
        line(text, "    buses: [],");
    }
    line(text, "};");
    for log_height in shape.log_heights() {
        let generator = F::two_adic_generator(log_height);
        let h = log_height;
        line(text, format!("let vanishing_{h} = vanishing(zeta, {h});"));
        line(
            text,
            format!("let inverse_vanishing_{h} = vanishing_{h}.inverse();"),
        );
        line(
            text,
            format!(
                "let transition_{h} = zeta - Felt::new({});",
                generator.inverse().as_canonical_u32()
            ),
        );
        line(
            text,
            format!("let first_{h} = vanishing_{h} * (zeta - Felt::ONE).inverse();"),
        );
        line(
            text,
            format!("let last_{h} = vanishing_{h} * transition_{h}.inverse();"),
        );
    }
    let openings = openings(shape);
    for (index, table) in shape.tables.iter().enumerate() {
        constraint_check(text, index, table, &openings);
    }
}

/// The quotient of one table at the point, and that it is the constraints over the vanishing
/// polynomial.
fn constraint_check(text: &mut String, index: usize, table: &ShapeTable, openings: &[Opening]) {
    let of_table: Vec<&Opening> = openings.iter().filter(|o| o.table == index).collect();
    let find = |round: RoundKind, next: bool| {
        of_table
            .iter()
            .find(|o| o.round == round && o.next == next)
            .map_or_else(|| "[]".to_owned(), |o| o.name())
    };
    let (name, h) = (&table.name, table.log_height);
    quotient(text, table, &of_table);
    let periodic = if table.shape.periodic_columns.is_empty() {
        "[]".to_owned()
    } else {
        format!("periodic_{name}(zeta)")
    };
    line(text, format!("let folded_{name} = eval_{name}("));
    line(text, "    &Opened {");
    for (field, round, next) in [
        ("main", RoundKind::Main, false),
        ("main_next", RoundKind::Main, true),
        ("preprocessed", RoundKind::Preprocessed, false),
        ("preprocessed_next", RoundKind::Preprocessed, true),
        ("permutation", RoundKind::Permutation, false),
        ("permutation_next", RoundKind::Permutation, true),
    ] {
        line(text, format!("        {field}: {},", find(round, next)));
    }
    let terminal = if table.shape.has_terminal() {
        format!("terminal_{name}")
    } else {
        "Ext::ZERO".to_owned()
    };
    line(text, format!("        terminal: {terminal},"));
    let public = if table.shape.num_public_values > 0 {
        format!("public_{name}")
    } else {
        "[]".to_owned()
    };
    line(text, format!("        public_values: {public},"));
    line(text, format!("        periodic: {periodic},"));
    line(text, format!("        is_first_row: first_{h},"));
    line(text, format!("        is_last_row: last_{h},"));
    line(text, format!("        is_transition: transition_{h},"));
    line(text, "    },");
    line(text, "    &challenges,");
    line(text, ");");
    line(
        text,
        format!("assert_eq!(folded_{name} * inverse_vanishing_{h}, quotient_of_{name});"),
    );
}

/// The quotient of a table at the point, from its chunks: chunk `i` is weighted with
/// `prod_j Z_j(zeta) / Z_j(x_i)` over the other chunks' domains, `x_i` the first point of its own.
#[expect(
    clippy::expect_used,
    reason = "`ProofShape::of` refuses heights whose quotient has no domain in the field"
)]
fn quotient(text: &mut String, table: &ShapeTable, openings: &[&Opening]) {
    let name = &table.name;
    let trace = TwoAdicMultiplicativeCoset::new(F::ONE, table.log_height)
        .expect("heights are within the field's two-adicity");
    let count = table.shape.quotient_chunks();
    let domains = trace
        .create_disjoint_domain(count << table.log_height)
        .split_domains(count);
    let chunks: Vec<String> = openings
        .iter()
        .filter(|o| o.round == RoundKind::Quotient)
        .map(|o| o.name())
        .collect();
    if count > 1 {
        for (j, domain) in domains.iter().enumerate() {
            // Z_j(zeta) = (zeta / shift)^n - 1, and zeta^n is the trace's vanishing polynomial plus 1.
            let scale = domain.shift_inverse().exp_power_of_2(table.log_height);
            line(
                text,
                format!(
                    "let vanishing_{name}_{j} = (vanishing_{} + Felt::ONE) * Felt::new({}) - Felt::ONE;",
                    table.log_height,
                    scale.as_canonical_u32()
                ),
            );
        }
    }
    line(text, format!("let mut quotient_of_{name} = Ext::ZERO;"));
    for (i, (domain, chunk)) in domains.iter().zip(&chunks).enumerate() {
        let others = || domains.iter().enumerate().filter(move |(j, _)| *j != i);
        let mut scale = F::ONE;
        let mut weight = String::new();
        for (j, other) in others() {
            let at_first: F = other.vanishing_poly_at_point(domain.first_point());
            scale *= at_first.inverse();
            let _ = write!(weight, " * vanishing_{name}_{j}");
        }
        let scale = if count > 1 {
            format!(" * Felt::new({})", scale.as_canonical_u32())
        } else {
            String::new()
        };
        line(
            text,
            format!("quotient_of_{name} += recompose({chunk}){weight}{scale};"),
        );
    }
}
