//! Figures of costs agree with the tables, and do not depend on what they must not depend on.

use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_native::{Blake3Suite, F, FriSettings, HashId, KeccakSuite, Poseidon16Suite};
use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::Openings;
use droste_verifier::cost::{
    Cost, CostError, Leaf, Request, WrapRequest, leaf, measure, measure_file,
};
use droste_verifier::tape::TapeSuite;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, execute};
use droste_vm::fri::Proof;
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::record::Execution;
use droste_vm::stack::{RunProof, Stack, StackSettings};
use p3_field::PrimeCharacteristicRing;

fn factorial() -> (Compiled, Execution) {
    let compiled = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16).unwrap();
    (compiled, execution)
}

fn inner() -> FriSettings {
    FriSettings {
        num_queries: 3,
        ..FriSettings::toy()
    }
}

fn request<'a>(compiled: &'a Compiled, execution: &'a Execution) -> Request<'a> {
    Request {
        name: "factorial",
        program: &compiled.program,
        execution,
        inner: inner().into(),
        openings: Openings::Tables,
        outer: *Aggregator::for_preset(Preset::Toy, 1).intermediate_settings(),
        memory: usize::MAX,
        execute_only: true,
    }
}

#[test]
fn a_leaf_costs_the_same_whatever_the_hash() {
    let (compiled, execution) = factorial();
    let request = request(&compiled, &execution);
    fn figures<H: TapeSuite>(request: &Request<'_>) -> (u64, Vec<usize>, [F; 8], Vec<String>)
    where
        StandardTables: Provable<H>,
    {
        let leaf: Leaf<Proof<H>> = leaf(request, inner()).unwrap();
        let proof = leaf.proof;
        (
            leaf.fft_cost,
            proof.batch.degree_bits,
            proof.statement,
            proof.key.tables,
        )
    }
    let poseidon16 = figures::<Poseidon16Suite>(&request);
    assert!(poseidon16.0 > 0);
    assert_eq!(figures::<Blake3Suite>(&request), poseidon16);
    assert_eq!(figures::<KeccakSuite>(&request), poseidon16);
    // The run that is proved is the same, too.
    let (_, again) = factorial();
    assert_eq!(again.cycles, execution.cycles);
}

/// A leaf over WHIR, in a field hash and in a byte hash, has a row as one over FRI has.
#[test]
fn leaves_over_whir_have_rows() {
    let (compiled, execution) = factorial();
    for hash in [HashId::Poseidon2, HashId::Blake3] {
        let of = |inner: StackSettings| {
            let request = Request {
                inner,
                ..request(&compiled, &execution)
            };
            measure(&request, hash).unwrap().0
        };
        let (over_fri, over_whir) = (of(inner().into()), of(WhirSettings::toy().into()));
        assert_eq!(over_fri.inner_stack, Stack::Fri);
        assert_eq!(over_whir.inner_stack, Stack::Whir);
        assert_eq!(over_whir.inner_hash, hash);
        // Lookups take no columns.
        assert!(over_whir.leaf_fft_cost < over_fri.leaf_fft_cost);
        let rows = |cost: &Cost, name| {
            let table = cost.wrap.tables.iter().find(|table| table.name == name);
            table.map(|table| table.rows)
        };
        assert_eq!(rows(&over_fri, "power_weights"), Some(0));
        assert!(rows(&over_whir, "power_weights") > Some(0));
        assert_eq!(rows(&over_whir, "cpu"), Some(over_whir.wrap.cycles));
    }
}

#[test]
fn proofs_take_no_more_memory_than_allowed() {
    let (compiled, execution) = factorial();
    let request = request(&compiled, &execution);
    let (cost, estimate) = measure(&request, HashId::Poseidon16).unwrap();
    assert_eq!(
        (cost.wrap.outer_prove_ms, &cost.wrap.left_out),
        (None, &None)
    );
    // What is only executed is not left out, whatever its proof would take.
    let executed = Request {
        memory: estimate - 1,
        ..request
    };
    let (cost, _) = measure(&executed, HashId::Poseidon16).unwrap();
    assert_eq!(cost.wrap.left_out, None);
    let proved = Request {
        execute_only: false,
        ..executed
    };
    let (cost, again) = measure(&proved, HashId::Poseidon16).unwrap();
    assert_eq!((cost.wrap.outer_prove_ms, again), (None, estimate));
    let reason = cost.wrap.left_out.unwrap();
    assert!(reason.starts_with("its proof needs about"), "{reason}");

    let nothing = Request {
        memory: 1000,
        ..request
    };
    let error = measure(&nothing, HashId::Poseidon16).unwrap_err();
    assert!(matches!(error, CostError::Memory { estimate, allowed: 1000 } if estimate > 1000));
}

#[test]
fn figures_agree_with_the_tables() {
    let (compiled, execution) = factorial();
    let request = request(&compiled, &execution);
    let (cost, estimate) = measure(&request, HashId::Poseidon16).unwrap();
    assert_eq!(cost.inner_cycles, Some(execution.cycles.len()));
    assert!(cost.leaf_prove_ms > Some(0.0) && cost.leaf_cpu_ms > Some(0.0));
    let row = |name: &str| {
        cost.wrap
            .tables
            .iter()
            .find(|table| table.name == name)
            .unwrap()
    };
    assert_eq!(row("cpu").rows, cost.wrap.cycles);
    assert_eq!(row("poseidon16").rows, cost.wrap.permutations.poseidon16);
    assert_eq!(
        (cost.wrap.permutations.blake3, cost.wrap.permutations.keccak),
        (0, 0)
    );
    for table in &cost.wrap.tables {
        assert!(table.rows <= table.height && table.height.is_power_of_two());
        assert_eq!(table.cells, (table.main * table.height) as u64);
        let log_height = u64::from(table.height.ilog2());
        assert_eq!(table.fft_cost, table.cells * log_height);
    }
    // Four bytes for each element of every codeword, and some more for the prover's other data.
    let cells: u64 = cost.wrap.tables.iter().map(|table| table.cells).sum();
    assert!(estimate as u64 > 4 * cost.wrap.outer_blowup as u64 * cells);
}

/// The wrap of a proof that exists has the figures of one that is made for them.
#[test]
fn a_proof_that_exists_has_the_same_figures() {
    let (compiled, execution) = factorial();
    let request = request(&compiled, &execution);
    let (made, estimate) = measure(&request, HashId::Poseidon16).unwrap();
    let leaf: Leaf<Proof<Poseidon16Suite>> = leaf(&request, inner()).unwrap();
    let wrap = WrapRequest {
        settings: request.outer,
        memory: request.memory,
        execute_only: true,
    };
    let bytes = leaf.proof.encode().unwrap();
    let measured = |bytes: &[u8]| measure_file("five.proof", bytes, Openings::Tables, &wrap);
    let (found, again) = measured(&bytes).unwrap();
    assert_eq!(again, estimate);
    assert_eq!(
        (found.inner_cycles, found.leaf_prove_ms, found.leaf_cpu_ms),
        (None, None, None)
    );
    assert_eq!(found.program, "five.proof");
    assert_eq!(
        (found.wrap.cycles, &found.wrap.tables),
        (made.wrap.cycles, &made.wrap.tables)
    );
    let figures = |cost: &Cost| {
        let leaf = (
            cost.leaf_fft_cost,
            cost.leaf_proof_bytes,
            cost.proven_bits_inner,
        );
        (
            leaf,
            cost.inner_hash,
            cost.inner_stack,
            cost.queries,
            cost.blowup,
        )
    };
    assert_eq!(figures(&found), figures(&made));
    let mut changed = bytes;
    let end = changed.len() - 100;
    changed[end] ^= 1;
    let refused = measured(&changed).unwrap_err();
    assert!(matches!(
        refused,
        CostError::Decode(_) | CostError::Verify(_)
    ));
}

#[test]
fn the_outer_proof_is_made() {
    let (compiled, execution) = factorial();
    let request = Request {
        execute_only: false,
        ..request(&compiled, &execution)
    };
    let (cost, _) = measure(&request, HashId::Poseidon16).unwrap();
    assert_eq!((cost.wrap.outer_blowup, &cost.wrap.left_out), (2, &None));
    for figure in [cost.wrap.outer_prove_ms, cost.wrap.outer_verify_ms] {
        assert!(figure > Some(0.0));
    }
    // Rows of the stack that are present cover all cells of the tables, so each query opens more
    // elements than there are cells per element of a row.
    let block = 1_u64 << request.outer.log_block;
    let cells: u64 = cost.wrap.tables.iter().map(|table| table.cells).sum();
    assert!(cost.wrap.opened_per_query as u64 > cells / block);
    let log_codeword = (request.outer.log_block + request.outer.log_blowup) as u64;
    assert!(cost.wrap.transform_cost > (cells << request.outer.log_blowup) * log_codeword);
}

/// The wrap of a leaf in a batch has the leaf's figures, and takes from the hash's table the calls
/// that the batch has. In a field hash no batch takes them.
#[test]
fn a_batch_has_the_calls_at_queries() {
    let (compiled, execution) = factorial();
    let of = |openings, hash| {
        let request = Request {
            openings,
            ..request(&compiled, &execution)
        };
        measure(&request, hash)
    };
    let (tables, _) = of(Openings::Tables, HashId::Blake3).unwrap();
    let (batch, _) = of(Openings::Batch, HashId::Blake3).unwrap();
    assert_eq!(tables.wrap.openings, None);
    let openings = batch.wrap.openings.unwrap();
    assert_eq!(Some(openings.calls), tables.calls_at_queries);
    assert_eq!(batch.calls_at_queries, tables.calls_at_queries);
    let compressions = |cost: &Cost| cost.wrap.permutations.blake3;
    assert_eq!(compressions(&batch) + openings.calls, compressions(&tables));
    let row = |cost: &Cost, name: &str| {
        let mut tables = cost.wrap.tables.iter();
        tables
            .find(|table| table.name == name)
            .map(|table| table.rows)
    };
    assert_eq!(row(&batch, "binary_products"), Some(openings.rows));
    assert!(row(&batch, "word_products") > Some(0));
    assert_eq!(row(&tables, "word_products"), None);
    // The leaf has few bits, so the batch takes none from it.
    assert_eq!(openings.bits, batch.proven_bits_inner);
    let leaf = |cost: &Cost| (cost.leaf_fft_cost, cost.leaf_proof_bytes, cost.queries);
    assert_eq!(leaf(&batch), leaf(&tables));

    let (poseidon, _) = of(Openings::Tables, HashId::Poseidon16).unwrap();
    assert_eq!(poseidon.calls_at_queries, None);
    assert!(matches!(
        of(Openings::Batch, HashId::Poseidon16),
        Err(CostError::Circuit(_) | CostError::Aggregate(_))
    ));
}
