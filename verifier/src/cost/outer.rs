//! The outer proof, that of the wrap, in either stack.

use std::collections::BTreeSet;
use std::time::Instant;

use droste_native::field::EXTENSION_DEGREE;
use droste_native::whir::WhirSettings;
use droste_native::whir::settings::MAX_LOG_BLOCK;
use droste_native::{FriSettings, HashId, HashSuite};
use droste_vm::codec::{self, EncodeError};
use droste_vm::heights::{Heights, padded_log_height};
use droste_vm::key::ProvingKey;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::prover::log_heights;
use droste_vm::report::TableReport;
use droste_vm::stack::{Prove, Stack, StackSettings, Verify};
use droste_vm::tables::{Table, TraceInput};
use droste_vm::verifier::{Verifier, VerifyOptions};
use droste_vm::whir;
use p3_air::BaseAir;

use super::leaf::Run;
use super::{
    Cost, CostError, Permutations, Recorder, Request, TableCost, cpu_ns_per_fft_unit, gibibytes,
};
use crate::circuit::precompiles;
use crate::resources::{
    cpu_time, estimated_bytes, estimated_bytes_over_whir, extended_width, peak_memory,
};
use crate::summary::milliseconds;

/// The wrap as it would be proved with certain settings.
pub(super) struct Wrap<K: Prove, V> {
    key: K,
    verifier: V,
    hash: HashId,
    /// Writes a proof's file.
    encode: fn(&K::Proof) -> Result<Vec<u8>, EncodeError>,
    settings: StackSettings,
    tables: Vec<TableCost>,
    bits: usize,
    transform_cost: u64,
    opened_per_query: usize,
    /// Bytes of memory that the proof needs.
    estimate: usize,
}

type WrapOverFri<O> = Wrap<ProvingKey<O, StandardTables>, Verifier<O, StandardTables>>;
type WrapOverWhir = Wrap<whir::ProvingKey<StandardTables>, whir::Verifier<StandardTables>>;

/// `n log2(n)` for a transform of length `n`.
const fn transform(log_length: usize) -> u64 {
    (log_length as u64) << log_length
}

/// Cost of a table's transforms over FRI at blowup `2^log_blowup`: for each extended column an
/// inverse transform of the table's height and a transform of the codeword's length, at `n log2(n)`
/// each.
pub fn transform_cost(table: &TableReport, log_blowup: usize) -> u64 {
    let log_height = table.shape.log_height;
    extended_width(table) as u64 * (transform(log_height) + transform(log_height + log_blowup))
}

/// The wrap with a proof over FRI in hash `O`.
pub(super) fn over_fri<O: HashSuite>(
    run: &Run,
    settings: FriSettings,
) -> Result<WrapOverFri<O>, CostError>
where
    StandardTables: Provable<O>,
{
    let key = ProvingKey::<O, StandardTables>::with_precompiles(
        &run.circuit.compiled().program,
        &tables_of_r(Stack::Fri),
        settings,
        Heights::Minimal,
    )?;
    let verifier = Verifier::<O, StandardTables>::new(key.key().clone())?;
    let (reports, security) = verifier.shape(&log_heights(&key, &run.execution)?)?;
    let tables = key.machine().tables().iter().zip(&reports);
    let tables = tables.map(|(table, report)| {
        let (main, lookup) = (report.shape.main_width, report.lookup_width());
        run.table_cost(table, main, lookup, report.shape.log_height)
    });
    Ok(Wrap {
        tables: tables.collect(),
        bits: security.bits(),
        transform_cost: reports
            .iter()
            .map(|table| transform_cost(table, settings.log_blowup))
            .sum(),
        opened_per_query: reports.iter().map(TableReport::opened_elements).sum(),
        estimate: estimated_bytes(&reports, &settings),
        encode: codec::encode,
        hash: O::ID,
        settings: settings.into(),
        key,
        verifier,
    })
}

/// The wrap with a proof over WHIR.
pub(super) fn over_whir(run: &Run, settings: WhirSettings) -> Result<WrapOverWhir, CostError> {
    // A row of the stack is at least as long as the tallest column; a table of calls has a row of
    // padding. The number of rows is limited, so they are longer if there are more cells.
    let rows = run.circuit.filled_rows(&run.execution)?;
    let tallest = rows
        .iter()
        .map(|(_, rows)| padded_log_height(rows + 1))
        .max();
    let mut log_block = settings.log_block.max(tallest.unwrap_or(0));
    loop {
        let settings = WhirSettings {
            log_block,
            ..settings
        };
        let wrap = over_whir_with(run, settings);
        if log_block >= MAX_LOG_BLOCK || !matches!(wrap, Err(CostError::Verify(_))) {
            return wrap;
        }
        log_block += 1;
    }
}

/// The wrap with a proof over WHIR in just these settings.
fn over_whir_with(run: &Run, settings: WhirSettings) -> Result<WrapOverWhir, CostError> {
    let key = whir::ProvingKey::<StandardTables>::with_precompiles(
        &run.circuit.compiled().program,
        &tables_of_r(Stack::Whir),
        settings,
        Heights::Minimal,
    )?;
    let verifier = whir::Verifier::<StandardTables>::new(key.key().clone())?;
    let log_heights = key.log_heights(&run.execution)?;
    let (scheme, shape) = verifier.shape(&log_heights)?;
    let tables = key.machine().tables().iter().zip(&log_heights);
    let tables = tables.map(|(table, &height)| run.table_cost(table, table.width(), 0, height));
    let (layout, schedule) = (scheme.layout(), scheme.schedule());
    let folded = schedule.folded.iter().map(|step| {
        // A row's elements are of the extension field.
        let columns = (EXTENSION_DEGREE as u64) << step.fold;
        columns * transform(step.log_leaves)
    });
    let stack = layout.main_rows().len() as u64 * transform(schedule.stack.log_leaves);
    Ok(Wrap {
        tables: tables.collect(),
        bits: verifier.security(&log_heights)?.bits(),
        transform_cost: stack + folded.sum::<u64>(),
        opened_per_query: layout.main_rows().len() + layout.preprocessed_rows().len(),
        estimate: estimated_bytes_over_whir(&scheme, shape.log_leaves()),
        encode: whir::encode,
        hash: HashId::Poseidon16,
        settings: settings.into(),
        key,
        verifier,
    })
}

fn tables_of_r(stack: Stack) -> BTreeSet<u32> {
    precompiles(stack).iter().copied().collect()
}

impl<K: Prove, V: Verify<Proof = K::Proof>> Wrap<K, V> {
    /// Proves the wrap and fills in the figures of its proof.
    fn prove(&self, cost: &mut Cost, run: &Run) -> Result<(), CostError> {
        let recorder = Recorder::install();
        let cpu = cpu_time();
        let start = Instant::now();
        let proof = self.key.prove_run(&run.execution)?;
        let all = start.elapsed();
        let cpu = cpu_time().saturating_sub(cpu);
        cost.outer_prove_ms = Some(milliseconds(all));
        cost.stages_ms = recorder.map(|recorder| match self.settings.stack() {
            Stack::Fri => {
                let trace = recorder.time_of(&["traces"]);
                recorder.stages(run.execute, trace, start + trace, all)
            }
            Stack::Whir => recorder.stages_over_whir(run.execute, all),
        });
        cost.cpu_ns_per_fft_unit = Some(cpu.as_nanos() as f64 / cost.fft_cost as f64);

        let start = Instant::now();
        let options = VerifyOptions::min_bits(0);
        self.verifier
            .accept(&run.execution.statement, options, &proof)?;
        cost.outer_verify_ms = Some(milliseconds(start.elapsed()));
        cost.peak_rss_bytes = peak_memory();
        cost.outer_proof_bytes = Some((self.encode)(&proof)?.len());
        Ok(())
    }
}

/// Measures the wrap whose run this is: its tables and, unless only the execution was asked for,
/// its proof, with the first settings that take no more memory than allowed. `smaller` has the wrap
/// with others than the first ones. If none fits, the proof is left out. Returns the figures, and
/// the estimated bytes of memory that the proof needs.
pub(super) fn measure<K: Prove, V: Verify<Proof = K::Proof>>(
    request: &Request<'_>,
    run: &Run,
    first: Wrap<K, V>,
    smaller: impl IntoIterator<Item = Result<Wrap<K, V>, CostError>>,
) -> Result<(Cost, usize), CostError> {
    let fits = |wrap: &Wrap<K, V>| wrap.estimate <= request.memory;
    let mut wrap = first;
    if !fits(&wrap) && !request.execute_only {
        for smaller in smaller {
            let smaller = smaller?;
            if fits(&smaller) {
                wrap = smaller;
                break;
            }
        }
    }
    let left_out = !fits(&wrap) && !request.execute_only;
    let mut cost = Cost {
        program: request.name.to_owned(),
        inner_cycles: request.execution.cycles.len(),
        inner_hash: run.hash,
        inner_stack: run.stack,
        queries: run.queries,
        blowup: run.blowup,
        proven_bits_inner: run.bits,
        outer_hash: wrap.hash,
        outer_stack: wrap.settings.stack(),
        proven_bits_outer: wrap.bits,
        outer_blowup: 1 << wrap.settings.log_blowup(),
        left_out: left_out.then(|| {
            format!(
                "its proof needs about {:.1} GiB of memory, of at most {:.1} GiB",
                gibibytes(wrap.estimate),
                gibibytes(request.memory)
            )
        }),
        leaf_prove_ms: milliseconds(run.leaf_prove),
        leaf_cpu_ms: milliseconds(run.leaf_cpu),
        leaf_fft_cost: run.leaf_fft_cost,
        leaf_proof_bytes: run.leaf_proof_bytes,
        execute_ms: milliseconds(run.execute),
        execute_peak_rss_bytes: run.execute_peak_rss_bytes,
        cycles: run.execution.cycles.len(),
        permutations: permutations(&wrap.tables),
        fft_cost: wrap.tables.iter().map(|table| table.fft_cost).sum(),
        tables: wrap.tables.clone(),
        transform_cost: wrap.transform_cost,
        opened_per_query: wrap.opened_per_query,
        outer_prove_ms: None,
        stages_ms: None,
        outer_verify_ms: None,
        outer_proof_bytes: None,
        peak_rss_bytes: None,
        cpu_ns_per_fft_unit: None,
        peer_cpu_ns_per_fft_unit: None,
    };
    if !left_out && !request.execute_only {
        wrap.prove(&mut cost, run)?;
        if let StackSettings::Fri(settings) = &wrap.settings {
            let tallest = cost.tables.iter().map(|table| table.height).max();
            let peer = cpu_ns_per_fft_unit(wrap.hash, settings, tallest.unwrap_or(1))?;
            cost.peer_cpu_ns_per_fft_unit = Some(peer);
        }
    }
    Ok((cost, wrap.estimate))
}

impl Run {
    /// The cost of a table of so many columns.
    fn table_cost(
        &self,
        table: &impl Table,
        main: usize,
        lookup: usize,
        log_height: usize,
    ) -> TableCost {
        let rows = table.rows(&TraceInput {
            program: &self.circuit.compiled().program,
            execution: &self.execution,
        });
        let height = 1 << log_height;
        let cells = ((main + lookup) * height) as u64;
        TableCost {
            name: table.name().to_owned(),
            rows,
            height,
            main,
            lookup,
            cells,
            fft_cost: cells * log_height as u64,
            fill: rows as f64 / height as f64,
        }
    }
}

fn permutations(tables: &[TableCost]) -> Permutations {
    let rows = |name: &str| {
        let table = tables.iter().find(|table| table.name == name);
        table.map_or(0, |table| table.rows)
    };
    Permutations {
        poseidon16: rows("poseidon16"),
        poseidon2: rows("poseidon2_parent") + rows("poseidon2_sponge"),
        blake3: rows("blake3_calls"),
        keccak: rows("keccak_calls"),
    }
}
