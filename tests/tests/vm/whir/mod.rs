//! The zerocheck and the leaves of the lookup argument, on real runs; [`proofs`]: whole proofs.

mod changed;
mod leaves;
mod proofs;
mod reference;
mod run;
mod shapes;
mod speed;

use droste_vm::heights::Heights;
use droste_vm::whir::zerocheck::Proved;
use rayon::ThreadPoolBuilder;
use run::Run;

use crate::common::{fibonacci, products, recursion};

/// Runs whose tables have different heights, some of them the least. A table of the last one has a
/// polynomial identity.
fn runs() -> Vec<Run> {
    vec![
        Run::new(&fibonacci(40), Heights::Minimal),
        Run::new(&recursion(), Heights::Minimal),
        Run::new(&recursion(), Heights::Exact(vec![5, 4, 8, 5, 6, 7, 9])),
        Run::new(&recursion(), Heights::Exact(vec![5, 7, 4, 8, 6, 10, 6])),
        Run::new(&products(), Heights::Minimal),
    ]
}

/// The rounds and opened values are those of a prover that follows the definitions row by row, and
/// the verifier accepts them.
#[test]
fn proofs_are_those_of_the_definitions() {
    for run in runs() {
        let claim = run.claim();
        let proved = run.prove(&claim).unwrap();
        let (proof, opened) = reference::prove(&run, &claim);
        assert_eq!(proved.proof, proof);
        assert_eq!(proved.opened, opened);
        let reduction = run.verify(&claim, &proof, &opened).unwrap();
        assert_eq!(reduction, proved.reduction);
    }
}

#[test]
fn proofs_are_the_same_with_any_number_of_threads() {
    let run = Run::new(&recursion(), Heights::Uniform(11));
    let claim = run.claim();
    let with = |threads: usize| {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let Proved { proof, opened, .. } = pool.install(|| run.prove(&claim).unwrap());
        (proof, opened, pool.install(|| run.leaves()))
    };
    let first = with(1);
    for threads in [2, 5] {
        assert!(with(threads) == first, "{threads} threads");
    }
}
