//! What is measured, and what it must not depend on.

use droste_native::{Blake3Family, F, FriSettings, KeccakFamily, Poseidon16Family};
use droste_verifier::cost::{Leaf, Request, leaf, measure, transform_cost};
use droste_verifier::tape::TapeFamily;
use droste_vm::compiler::{Compiled, compile};
use droste_vm::executor::{Tape, execute};
use droste_vm::machine::{Provable, StandardTables};
use droste_vm::record::Execution;
use droste_vm::verifier::Verifier;
use p3_field::PrimeCharacteristicRing;

fn factorial() -> (Compiled, Execution) {
    let compiled = compile(droste_programs::source("factorial").unwrap(), &[]).unwrap();
    let execution = execute(&compiled, &[F::from_u32(5)], &Tape::default(), 1 << 16).unwrap();
    (compiled, execution)
}

fn request<'a>(compiled: &'a Compiled, execution: &'a Execution) -> Request<'a> {
    Request {
        name: "factorial",
        program: &compiled.program,
        execution,
        inner: FriSettings {
            num_queries: 3,
            ..FriSettings::toy()
        },
        outer: FriSettings::toy(),
        execute_only: true,
    }
}

#[test]
fn a_leaf_costs_the_same_whatever_the_hash() {
    let (compiled, execution) = factorial();
    let request = request(&compiled, &execution);
    fn figures<H: TapeFamily>(request: &Request<'_>) -> (u64, Vec<usize>, [F; 8], Vec<String>)
    where
        StandardTables: Provable<H>,
    {
        let leaf: Leaf<H> = leaf(request).unwrap();
        let proof = leaf.proof;
        (
            leaf.fft_cost,
            proof.batch.degree_bits,
            proof.statement,
            proof.key.tables,
        )
    }
    let poseidon16 = figures::<Poseidon16Family>(&request);
    assert!(poseidon16.0 > 0);
    assert_eq!(figures::<Blake3Family>(&request), poseidon16);
    assert_eq!(figures::<KeccakFamily>(&request), poseidon16);
    // And the run that is proved.
    let (_, again) = factorial();
    assert_eq!(again.cycles, execution.cycles);
}

#[test]
fn figures_agree_with_the_tables() {
    let (compiled, execution) = factorial();
    let request = request(&compiled, &execution);
    let (cost, estimate) = measure::<Poseidon16Family, Poseidon16Family>(&request).unwrap();
    assert_eq!(cost.inner_cycles, execution.cycles.len());
    let row = |name: &str| cost.tables.iter().find(|table| table.name == name).unwrap();
    assert_eq!(row("cpu").rows, cost.cycles);
    assert_eq!(row("poseidon16").rows, cost.permutations.poseidon16);
    assert_eq!((cost.permutations.blake3, cost.permutations.keccak), (0, 0));
    for table in &cost.tables {
        assert!(table.rows <= table.height && table.height.is_power_of_two());
        let width = (table.main + table.lookup) as u64;
        assert_eq!(table.cells, width * table.height as u64);
        let log_height = u64::from(table.height.ilog2());
        assert_eq!(table.fft_cost, table.cells * log_height);
    }
    // Four bytes for each element of every extension, and something for the prover's own.
    let cells: u64 = cost.tables.iter().map(|table| table.cells).sum();
    assert!(estimate as u64 > 4 * 4 * cells);
}

/// Each extended column of a table of 2^n rows: n 2^n for interpolation, (n + 2) 2^(n + 2) for the
/// extension at blowup 4.
#[test]
fn transforms_are_counted() {
    let (compiled, execution) = factorial();
    let leaf: Leaf<Blake3Family> = leaf(&request(&compiled, &execution)).unwrap();
    let verifier = Verifier::<Blake3Family, StandardTables>::new(leaf.proof.key.clone()).unwrap();
    let (tables, _) = verifier.shape(&leaf.proof.batch.degree_bits).unwrap();
    let cpu = &tables[0];
    assert_eq!((cpu.name, cpu.shape.log_height), ("cpu", 6));
    let width = cpu.shape.main_width + cpu.lookup_width() + cpu.quotient_width();
    assert_eq!(transform_cost(cpu, 2), width as u64 * (6 * 64 + 8 * 256));
}
