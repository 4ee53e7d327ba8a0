//! Prints the parameters of joins over WHIR in the TOML form that the ecosystem's soundness calculator
//! (github.com/ethereum/soundcalc) reads, and the bits that this library computes for them.
//!
//! `cargo run -p droste-verifier --example parameters -- [PRESET] [CHILDREN]..`
//!
//! The calculator derives the rate of each commitment from a domain that halves every time. Domains
//! shrink faster here, so that codewords over the extension are short: `log_inv_rates` says the rates, and
//! `initial_ood_samples` that the first commitment has samples outside the domain too. It reads neither,
//! and what it computes for queries and folds after the first is about lower rates.

use std::error::Error;

use droste_native::stark::security::Preset;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::keys::Children;
use droste_vm::key::KeyHeights;
use droste_vm::stack::{Stack, StackSettings};
use droste_vm::whir::{RecursionTables, Verifier};

fn circuit(preset: Preset, children: usize) -> Result<(), Box<dyn Error>> {
    let aggregator = Aggregator::for_preset(preset, children, Stack::Whir)?;
    let StackSettings::Whir(settings) = *aggregator.settings() else {
        return Err("the canonical shape is over WHIR".into());
    };
    let Children::Programs { shape, .. } = aggregator.join_recipe(children)?.children else {
        return Err("a join verifies programs".into());
    };
    let program = shape.tables.iter().position(|name| name == "program");
    let program = program.ok_or("R has a table of the program")?;
    let verifier = Verifier::<RecursionTables>::of_machine(
        settings,
        &shape.tables,
        KeyHeights::Fixed(shape.log_heights.clone()),
        shape.log_heights[program],
    )?;
    let (scheme, heights) = verifier.shape(&shape.log_heights)?;
    let security = verifier.security(&shape.log_heights)?;
    let (system, schedule) = (verifier.system(), scheme.schedule());
    let steps: Vec<_> = schedule.commitments().collect();
    let list = |value: &dyn Fn(usize) -> usize, from: usize| -> Vec<usize> {
        (from..steps.len()).map(value).collect()
    };
    let folding: Vec<Vec<usize>> = steps
        .iter()
        .map(|step| vec![step.fold_grinding_bits; step.fold])
        .collect();
    let queries = list(&|i| steps[i].query_grinding_bits, 0);
    println!("\n[[circuits]]");
    println!("name = \"{preset}, joins of {children}\"");
    println!("log_inv_rate = {}", settings.log_blowup);
    println!("num_iterations = {}", steps.len());
    println!("folding_factors = {:?}", list(&|i| steps[i].fold, 0));
    println!("log_degree = {}", schedule.stack.variables);
    println!("batch_size = 1\npower_batching = true\nconstraint_degree = 3");
    println!("num_constraints = {}", system.num_constraints());
    println!("air_max_degree = {}", system.degree());
    println!("opening_points = 1");
    println!("num_queries = {:?}", list(&|i| steps[i].queries, 0));
    println!("num_ood_samples = {:?}", list(&|i| steps[i].outside, 1));
    println!("grinding_batching_phase = 0");
    println!("grinding_bits_folding = {folding:?}");
    println!("grinding_bits_queries = {queries:?}");
    println!("grinding_bits_ood = {:?}", list(&|_| 0, 1));
    println!("log_inv_rates = {:?}", list(&|i| steps[i].log_blowup, 0));
    println!("initial_ood_samples = {}", schedule.stack.outside);
    println!(
        "# {} bits; {:.1} of the sum of all terms:",
        security.bits(),
        security.bits_of_sum()
    );
    for term in &security.terms {
        let of = term
            .commitment
            .map_or(String::new(), |number| format!(" {number}"));
        println!("#   {}{of}: {:.1}", term.name, term.bits);
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

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let preset: Preset = arguments
        .next()
        .as_deref()
        .unwrap_or("proven-100")
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
