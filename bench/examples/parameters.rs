//! Prints the parameters of joins and every term of their proven security.
//!
//! ```text
//! cargo run -p droste-bench --no-default-features --features machine --example parameters -- \
//!     [PRESET] [CHILDREN]..
//! ```
//!
//! They are in the TOML form that the ecosystem's soundness calculator
//! (github.com/ethereum/soundcalc) reads. It takes it that the domain halves from each commitment
//! to the next. Here domains shrink otherwise, so that codewords over the extension are short:
//! `log_domain_shrink` has the logarithm of each factor, which is the extension of the form that
//! was offered in its pull request 86. There rates follow by
//! `log_inv_rate + folding_factor - log_domain_shrink`; `log_inv_rates` has them all. That the
//! first commitment has samples outside the domain too is in `initial_ood_samples`. The calculator
//! reads none of the three, so that without them it computes queries and folds after the first for
//! lower rates.
//!
//! With `dossier` as the only argument it prints the tables of `docs/security-dossier.md`, which a
//! test compares.

use std::error::Error;
use std::fmt::Write as _;

use droste_native::KeccakSuite;
use droste_native::stark::security::{Preset, Security, SecurityBound, decimals};
use droste_native::whir::{CommitmentStep, WhirSettings};
use droste_verifier::aggregate::{Aggregator, exit_settings};
use droste_verifier::circuit::RecursionCircuit;
use droste_verifier::keys::Children;
use droste_vm::key::KeyHeights;
use droste_vm::machine::{StandardTables, program_entry};
use droste_vm::whir::Verifier;

/// The canonical shape of joins.
struct Shape {
    settings: WhirSettings,
    log_heights: Vec<usize>,
    verifier: Verifier<StandardTables>,
}

impl Shape {
    fn new(preset: Preset, children: usize) -> Result<Self, Box<dyn Error>> {
        let aggregator = Aggregator::for_preset(preset, children);
        let settings = *aggregator.settings();
        let Children::Programs { shape, .. } = aggregator.join_recipe(children)?.children else {
            return Err("a join verifies programs".into());
        };
        let program = program_entry(&shape.log_heights).ok_or("R has a table of the program")?;
        let verifier = Verifier::of_machine(
            settings,
            &shape.tables,
            KeyHeights::Fixed(shape.log_heights.clone()),
            *program,
        )?;
        Ok(Self {
            settings,
            log_heights: shape.log_heights,
            verifier,
        })
    }

    /// Security of a proof that is verified in the machine, which has one term more than natively.
    fn security(&self) -> Result<Security, Box<dyn Error>> {
        let circuit = RecursionCircuit::over_whir(&self.verifier, &self.log_heights, 1)?;
        Ok(circuit.security().clone())
    }

    fn steps(&self) -> Result<Vec<CommitmentStep>, Box<dyn Error>> {
        let (scheme, _) = self.verifier.shape(&self.log_heights)?;
        Ok(scheme.schedule().commitments().copied().collect())
    }
}

fn circuit(preset: Preset, children: usize) -> Result<(), Box<dyn Error>> {
    let shape = Shape::new(preset, children)?;
    let (security, steps) = (shape.security()?, shape.steps()?);
    let (scheme, heights) = shape.verifier.shape(&shape.log_heights)?;
    let (system, schedule) = (shape.verifier.system(), scheme.schedule());
    let list = |value: &dyn Fn(usize) -> usize, from: usize| -> Vec<usize> {
        (from..steps.len()).map(value).collect()
    };
    let shrink: Vec<usize> = steps
        .windows(2)
        .map(|pair| pair[0].log_blowup + pair[0].fold - pair[1].log_blowup)
        .collect();
    let folding: Vec<Vec<usize>> = steps
        .iter()
        .map(|step| vec![step.fold_grinding_bits; step.fold])
        .collect();
    let queries = list(&|i| steps[i].query_grinding_bits, 0);
    println!("\n[[circuits]]");
    println!("name = \"{preset}, joins of {children}\"");
    println!("log_inv_rate = {}", shape.settings.log_blowup);
    println!("num_iterations = {}", steps.len());
    println!("folding_factors = {:?}", list(&|i| steps[i].fold, 0));
    println!("log_domain_shrink = {shrink:?}");
    println!("log_inv_rates = {:?}", list(&|i| steps[i].log_blowup, 0));
    println!("log_degree = {}", schedule.stack.variables);
    println!("batch_size = 1\npower_batching = true\nconstraint_degree = 3");
    println!("num_constraints = {}", system.num_constraints());
    println!("air_max_degree = {}", system.degree());
    println!("opening_points = 1");
    println!("num_queries = {:?}", list(&|i| steps[i].queries, 0));
    println!("initial_ood_samples = {}", schedule.stack.outside);
    println!("num_ood_samples = {:?}", list(&|i| steps[i].outside, 1));
    println!("grinding_batching_phase = 0");
    println!("grinding_bits_folding = {folding:?}");
    println!("grinding_bits_queries = {queries:?}");
    println!("grinding_bits_ood = {:?}", list(&|_| 0, 1));
    for (name, bound) in [("without", &security.without), ("with", &security.with)] {
        println!(
            "# {name} ePrint 2026/2056: {} bits, {} of the sum of all terms:",
            bound.bits(),
            decimals(bound.sum())
        );
        for term in &bound.terms {
            println!("#   {term}: {} ({})", decimals(term.bits), term.theorem);
        }
    }
    println!("\n[[circuits.lookups]]");
    println!("name = \"buses\"\nlogup_type = \"multivariate\"");
    println!("rows_L = {}\nrows_T = 0", 1_u64 << heights.log_leaves());
    println!(
        "num_columns_S = {}\nnum_lookups_M = 1",
        system.message_width()
    );
    println!("grinding_bits_lookup = 0");
    Ok(())
}

/// Presets that have security.
const PRESETS: [Preset; 3] = [Preset::Proven100, Preset::Proven120, Preset::Proven128];

/// The head of a table of parameters.
const PARAMETERS: &str = "\
    | preset | cells of a row | variables | folds | rates | queries | samples | grinding: queries; folds |\n\
    |---|---|---|---|---|---|---|---|\n";

/// A row of such a table.
fn parameters(preset: Preset, settings: &WhirSettings, steps: &[CommitmentStep]) -> String {
    let each = |value: &dyn Fn(&CommitmentStep) -> usize| -> String {
        let values: Vec<String> = steps.iter().map(|step| value(step).to_string()).collect();
        values.join(", ")
    };
    format!(
        "| `{preset}` | 2^{} | {} | {} | 2^-({}) | {} | {} | {}; {} |\n",
        settings.log_block,
        each(&|step| step.variables),
        each(&|step| step.fold),
        each(&|step| step.log_blowup),
        each(&|step| step.queries),
        each(&|step| step.outside),
        settings.grinding_bits,
        each(&|step| step.fold_grinding_bits),
    )
}

/// Logarithms of the heights of R's tables in last proofs of joins of two.
const EXIT_HEIGHTS: [usize; 7] = [14, 14, 13, 12, 14, 12, 15];

/// The figures of last proofs of joins of two.
fn exits() -> Result<String, Box<dyn Error>> {
    let mut text = format!("\n{PARAMETERS}");
    let mut bits = String::from(
        "\n| preset | weakest term | its bits | sum of all, without ePrint 2026/2056 | with it |\n\
         |---|---|---|---|---|\n",
    );
    for preset in PRESETS {
        let settings = exit_settings(WhirSettings::of_exit(preset), &EXIT_HEIGHTS);
        let program = *program_entry(&EXIT_HEIGHTS).ok_or("R has a table of the program")?;
        let verifier = Verifier::<StandardTables, KeccakSuite>::of_machine(
            settings,
            &tables_of_r(preset)?,
            KeyHeights::Fixed(EXIT_HEIGHTS.to_vec()),
            program,
        )?;
        let (scheme, _) = verifier.shape(&EXIT_HEIGHTS)?;
        let steps: Vec<CommitmentStep> = scheme.schedule().commitments().copied().collect();
        text.push_str(&parameters(preset, &settings, &steps));
        let security = verifier.security(&EXIT_HEIGHTS)?;
        let weakest = security.without.weakest().ok_or("there are terms")?;
        let [without, with] = [&security.without, &security.with].map(|bound| bound.sum());
        writeln!(
            bits,
            "| `{preset}` | {} | {} | {} | {} |",
            weakest.name,
            decimals(weakest.bits),
            decimals(without),
            decimals(with),
        )?;
    }
    Ok(text + &bits)
}

/// Names of R's tables, in order.
fn tables_of_r(preset: Preset) -> Result<Vec<String>, Box<dyn Error>> {
    match Aggregator::for_preset(preset, 1).join_recipe(1)?.children {
        Children::Programs { shape, .. } => Ok(shape.tables),
        _ => Err("a join verifies programs".into()),
    }
}

/// The figures of the dossier: parameters of joins of one, every term by its weakest round, the sums
/// for all arities, and last proofs.
pub fn dossier() -> Result<String, Box<dyn Error>> {
    let shapes: Vec<Shape> = PRESETS
        .iter()
        .map(|&preset| Shape::new(preset, 1))
        .collect::<Result<_, _>>()?;
    let mut text = String::from(PARAMETERS);
    for (preset, shape) in PRESETS.iter().zip(&shapes) {
        text.push_str(&parameters(*preset, &shape.settings, &shape.steps()?));
    }
    let securities: Vec<Security> = shapes
        .iter()
        .map(Shape::security)
        .collect::<Result<_, _>>()?;
    text.push_str("\n| term, its weakest round | theorem |");
    for preset in PRESETS {
        write!(text, " `{preset}` |")?;
    }
    text.push_str("\n|---|---|---|---|---|\n");
    let newest = |theorem: &str| theorem.contains("2026/2056");
    let mut seen: Vec<(&str, bool)> = vec![];
    let bounds = |with| -> Vec<&SecurityBound> {
        let securities = securities.iter();
        securities
            .map(|security| {
                if with {
                    &security.with
                } else {
                    &security.without
                }
            })
            .collect()
    };
    for with in [false, true] {
        let bounds = bounds(with);
        for term in &bounds[0].terms {
            let row = (term.name, newest(term.theorem));
            if seen.contains(&row) || (with && !row.1) {
                continue;
            }
            seen.push(row);
            // The final polynomial's rounds have the name of others, and more bits.
            write!(text, "| {} | {} |", term.name, term.theorem)?;
            for bound in &bounds {
                let rounds = bound.terms.iter().filter(|other| other.name == term.name);
                let least = rounds.map(|round| round.bits).fold(f64::INFINITY, f64::min);
                write!(text, " {} |", decimals(least))?;
            }
            text.push('\n');
        }
    }
    for (name, with) in [("without", false), ("with", true)] {
        write!(text, "| **sum of all**, {name} ePrint 2026/2056 | |")?;
        for bound in bounds(with) {
            write!(text, " {} |", decimals(bound.sum()))?;
        }
        text.push('\n');
    }
    text.push_str("\n| joins of |");
    for preset in PRESETS {
        write!(text, " `{preset}` |")?;
    }
    text.push_str("\n|---|---|---|---|\n");
    for children in [1, 2, 4, 8, 16] {
        write!(text, "| {children} |")?;
        for preset in PRESETS {
            let security = Shape::new(preset, children)?.security()?;
            let [without, with] =
                [&security.without, &security.with].map(|bound| decimals(bound.sum()));
            write!(text, " {without}; {with} |")?;
        }
        text.push('\n');
    }
    text.push_str(&exits()?);
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments
        .peek()
        .is_some_and(|argument| argument == "dossier")
    {
        print!("{}", dossier()?);
        return Ok(());
    }
    let preset: Preset = arguments
        .next()
        .as_deref()
        .unwrap_or("proven-120")
        .parse()?;
    let children = arguments.map(|text| text.parse());
    let mut children: Vec<usize> = children.collect::<Result<_, _>>()?;
    if children.is_empty() {
        children.extend([1, 2, 4]);
    }
    // A digest of eight elements of 31 bits.
    println!("[zkevm]\nname = \"Droste\"\nprotocol_family = \"WHIR\"");
    println!("field = \"KoalaBear^5\"\nhash_size_bits = 248");
    children
        .into_iter()
        .try_for_each(|children| circuit(preset, children))
}
