//! Proofs on a machine of one's own are wrapped and joined with others, and no proof on another
//! machine passes for one of it.

use std::collections::BTreeSet;
use std::sync::Arc;

use droste::both_ways::{NativeTape, Program};
use droste::machine::tables::ext::ExtTable;
use droste::machine::tables::{LookupCounts, Table, Trace, TraceInput};
use droste::machine::whir::{self, ProvingKey, Verifier, Whir};
use droste::machine::{KeyError, MachineError, Prove, ProveError, VerifyError, custom_precompiles};
use droste::plan::Planner;
use droste::prelude::*;
use droste::program::compile_with;
use droste::program::isa::id;
use droste::program::{Operand, Precompile};
use droste::recursion::{
    AcceptError, AggregateOptions, CircuitError, KeysError, LeafProof, RecursionCircuit, file,
};
use droste::table::End;
use droste_verifier::circuit::Children;
use droste_verifier::claim::claim_digest;
use droste_verifier::keys::RecipeError;
use droste_verifier::tape::{TapeError, machine_tape};
use droste_vm::fri;

use crate::table::{LANE, REAL, SQUARE, SQUARES, SquaresTable, WIDTH, messages};
use crate::{PUBLIC, Tables, fourfold, plain};

const INSECURE: VerifyOptions = VerifyOptions::min_bits(0);

/// A proof over WHIR of a run that calls the precompile.
fn own() -> whir::Proof {
    let precompiles = custom_precompiles::<Tables>();
    let program =
        Program::with_precompiles("fourfold", fourfold::SOURCE, &precompiles, fourfold::main);
    program.prove::<Whir, Tables>(&NativeTape::default(), &[5], WhirSettings::toy())
}

#[test]
fn wraps_are_joined_with_others() {
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    let proof = own();
    let key = proof.key.clone();
    let proof = VerifiedProof::new_on::<Tables>(proof, &key, &PUBLIC, INSECURE).unwrap();
    let own = (proof.report().key, proof.report().statement);
    let wrap = file::encode(&aggregator.wrap(&proof).unwrap()).unwrap();
    let read = || file::decode(&wrap).unwrap();

    // Its key is derived with the tables only, and with the kind of proof.
    let leaves = AcceptedLeaves::from_iter([own.0]);
    let deriver = Deriver::new;
    for without in [
        deriver(),
        deriver().with_machine::<whir::Proof, LaxTables>(),
        deriver().with_machine::<fri::Proof<Blake3Suite>, Tables>(),
    ] {
        match read().derive(&without, &leaves) {
            Err(AcceptError::Keys(KeysError::Recipe { source, .. })) => {
                assert!(matches!(*source, RecipeError::UnknownMachine), "{source}");
                let remedy = "`Deriver::with_machine`, or pin the key set (`droste join --key-set";
                assert!(source.to_string().contains(remedy), "{source}");
            }
            other => panic!("{:?}", other.map(drop)),
        }
    }
    let deriver = Arc::new(deriver().with_machine::<whir::Proof, Tables>());
    let derived = read().derive(&deriver, &leaves).unwrap();
    let planned = Planner::new(Arc::clone(&deriver)).aggregate(&wrap, INSECURE);
    planned.unwrap();

    // Without calls of the precompile, the program's machine is the standard one.
    let plain = Program::new("plain", plain::SOURCE, plain::main);
    let proof = plain.prove::<Whir, Tables>(&NativeTape::default(), &[7], WhirSettings::toy());
    let key = proof.key.clone();
    let proof = VerifiedProof::new_on::<Tables>(proof, &key, &[F::from_u32(7)], INSECURE).unwrap();
    let other = (proof.report().key, proof.report().statement);
    let joined = vec![derived, aggregator.wrap(&proof).unwrap()];
    let joined = aggregator.join(joined).unwrap();
    assert_eq!(joined.tree().leaves(), [own, other]);
    let (digest, claim) = (joined.key(), joined.claim());
    let joined = file::decode(&file::encode(&joined).unwrap()).unwrap();
    let recipes = joined
        .keys
        .iter()
        .map(|(_, listed)| &listed.recipe.children);
    let own_machines = recipes.filter(|of| matches!(of, Children::OwnMachine { .. }));
    assert_eq!(own_machines.count(), 1);
    let leaves = AcceptedLeaves::from_iter([own.0, other.0]);
    let options = AggregateOptions::min_bits(0);
    joined.verify(digest, &claim, options, &leaves).unwrap();
}

/// The circuit's program refuses the proof, natively and in the machine.
fn assert_refuses<P: LeafProof>(circuit: &RecursionCircuit, proof: &P) {
    match circuit.execute(&[proof]) {
        Err(CircuitError::Tape(TapeError::Rejected { tape, .. })) => {
            let tape = machine_tape(&tape);
            execute(circuit.compiled(), &[], &tape, 1 << 24).unwrap_err();
        }
        other => panic!("{:?}", other.map(drop)),
    }
}

#[test]
fn false_cells_are_refused_in_the_machine() {
    let precompiles = custom_precompiles::<Tables>();
    let compiled = compile_with("main.rs", fourfold::SOURCE, &[], &precompiles).unwrap();
    let execution = execute(&compiled, &PUBLIC, &Tape::default(), 1 << 12).unwrap();
    let statement = execution.statement;

    let key = ProvingKey::<Tables>::new(&compiled, WhirSettings::toy(), Heights::Minimal).unwrap();
    let honest = key.traces(&execution).unwrap();
    let names = key.machine().names();
    let index = names.iter().position(|name| name == "squares").unwrap();
    let proof = key.prove_traces(statement, &honest).unwrap();
    let circuit = RecursionCircuit::of_machine::<_, Tables>(&proof).unwrap();
    // The flag and eight squares; a call and two blocks.
    let table = &circuit.evaluators_over_whir().unwrap().tables[index];
    assert_eq!(
        (
            table.name.as_str(),
            table.num_constraints,
            table.num_messages
        ),
        ("squares", 9, 3)
    );
    let run = circuit.execute(&[&proof]).unwrap();
    assert_eq!(
        run.statement,
        claim_digest(&[(proof.key.digest(), statement)])
    );

    // Another input and its squares: no constraint is violated, but memory has another block.
    let mut other = honest.clone();
    let row = &mut other[index].values[..WIDTH];
    (row[LANE], row[SQUARE]) = (F::from_u32(6), F::from_u32(36));
    let refusal = match key.prove_traces(statement, &other) {
        Err(ProveError::Unbalanced(refusal)) => refusal,
        other => panic!("{:?}", other.map(drop)),
    };
    // The block that is read, or the one that is written.
    assert!([6, 36].contains(&refusal.message[1]), "{refusal}");
    let found = (refusal.bus.as_str(), refusal.count, &refusal.places[..]);
    assert_eq!(found, ("block", 1, &[("squares", 0)][..]));
    let challenger = &mut Poseidon16Suite::challenger();
    let unchecked = key
        .prove_traces_with(statement, &other, challenger)
        .unwrap();
    assert_refuses(&circuit, &unchecked);
    VerifiedProof::new_on::<Tables>(unchecked, key.key(), &PUBLIC, INSECURE).unwrap_err();
    // Padding sends no message, but its squares are constrained, too.
    let mut other = honest.clone();
    let last = other[index].values.len() / WIDTH - 1;
    other[index].values[last * WIDTH + LANE] = F::ONE;
    match key.prove_traces(statement, &other) {
        Err(ProveError::Violated(refusal)) => {
            let place = (refusal.table, refusal.row, refusal.constraint);
            assert_eq!(place, ("squares", last, 1));
        }
        other => panic!("{:?}", other.map(drop)),
    }
    // A false square: the prover makes no proof at all.
    let mut other = honest;
    other[index].values[SQUARE] += F::ONE;
    key.prove_traces(statement, &other).unwrap_err();

    // Over FRI it makes one.
    let settings = Preset::Toy.settings(2).unwrap();
    let key = fri::ProvingKey::<Blake3Suite, Tables>::new(&compiled, settings, Heights::Minimal);
    let key = key.unwrap();
    let mut traces = key.traces(&execution).unwrap();
    let proof = key.prove_traces(statement, &traces).unwrap();
    let circuit = RecursionCircuit::of_machine::<_, Tables>(&proof).unwrap();
    let run = circuit.execute(&[&proof]).unwrap();
    assert_eq!(
        run.statement,
        claim_digest(&[(proof.key.digest(), statement)])
    );
    traces[index].values[SQUARE] += F::ONE;
    let unchecked = key.prove_traces(statement, &traces).unwrap();
    assert_refuses(&circuit, &unchecked);
}

/// A table with the name and columns of [`SquaresTable`], in which a call may have any result.
#[derive(Clone, Copy, Debug, Default)]
struct LaxTable;

/// Returns squares of which the first is wrong.
const LAX: Precompile = Precompile {
    run: |call| {
        let mut lanes = call.read(Operand::A)?.map(|lane| lane * lane);
        lanes[0] += F::ONE;
        call.write(Operand::D, lanes)
    },
    ..SQUARES
};

impl BaseAir<F> for LaxTable {
    fn width(&self) -> usize {
        WIDTH
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        vec![]
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        Some(2)
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for LaxTable {
    fn eval(&self, builder: &mut AB) {
        let main = builder.main();
        let row = main.current_slice();
        builder.assert_bool(row[REAL]);
        messages(builder, row);
    }
}

impl Table for LaxTable {
    fn name(&self) -> &'static str {
        SquaresTable.name()
    }

    fn precompiles(&self) -> &'static [Precompile] {
        &[LAX]
    }

    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        SquaresTable.trace(input, log_height, counts)
    }
}

droste_vm::machine! {
    /// A machine whose tables have the names of those of [`Tables`].
    enum LaxTables {
        Ext(ExtTable),
        Squares(LaxTable),
    }
}

/// Whether the key belongs to another machine.
fn is_other<T>(verifier: Result<T, VerifyError>) -> bool {
    matches!(
        verifier,
        Err(VerifyError::UnusableKey(KeyError::Machine(
            MachineError::Identity
        )))
    )
}

#[test]
fn a_table_with_other_constraints_makes_another_machine() {
    let precompiles = custom_precompiles::<LaxTables>();
    let compiled = compile_with("main.rs", fourfold::SOURCE, &[], &precompiles).unwrap();
    let execution = execute(&compiled, &PUBLIC, &Tape::default(), 1 << 12).unwrap();
    let key = ProvingKey::<LaxTables>::new(&compiled, WhirSettings::toy(), Heights::Minimal);
    let mut lie = key.unwrap().prove_run(&execution).unwrap();
    let honest = own();
    assert_ne!(lie.statement, honest.statement);

    // Program and names of tables are the same; the keys differ.
    assert_eq!(
        (&lie.key.tables, &lie.key.program),
        (&honest.key.tables, &honest.key.program)
    );
    assert_eq!(lie.log_heights, honest.log_heights);
    assert_ne!(lie.key.digest(), honest.key.digest());
    assert!(is_other(Verifier::<Tables>::new(lie.key.clone())));
    assert!(is_other(Verifier::<LaxTables>::new(honest.key.clone())));
    let circuit = RecursionCircuit::of_machine::<_, LaxTables>(&lie).unwrap();
    circuit.execute(&[&lie]).unwrap();
    let other = RecursionCircuit::of_machine::<_, Tables>(&lie);
    assert!(matches!(other, Err(CircuitError::OtherMachine)));

    // Nothing is generated for settings beyond the limits.
    let mut large = own();
    large.key.settings.cap_height = 20;
    let refused = RecursionCircuit::of_machine::<_, Tables>(&large);
    assert!(matches!(refused, Err(CircuitError::Limits(_))));

    // The circuit of the honest machine does not take it, and its program refuses it.
    let circuit = RecursionCircuit::of_machine::<_, Tables>(&honest).unwrap();
    let refusal = circuit.execute(&[&lie]).unwrap_err();
    assert!(
        matches!(refusal, CircuitError::OtherShape { child: 0 }),
        "{refusal}"
    );
    lie.key.machine_id = honest.key.machine_id;
    assert_refuses(&circuit, &lie);
    let key = honest.key.clone();
    VerifiedProof::new_on::<Tables>(lie, &key, &PUBLIC, INSECURE).unwrap_err();
}

/// A table with the name of a standard one and no constraints.
#[derive(Clone, Copy, Debug, Default)]
struct NamedExt(ExtTable);

impl BaseAir<F> for NamedExt {
    fn width(&self) -> usize {
        self.0.width()
    }

    fn main_next_row_columns(&self) -> Vec<usize> {
        self.0.main_next_row_columns()
    }

    fn max_constraint_degree(&self) -> Option<usize> {
        self.0.max_constraint_degree()
    }
}

impl<AB: InteractionBuilder<F = F>> Air<AB> for NamedExt {
    fn eval(&self, _: &mut AB) {}
}

impl Table for NamedExt {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn precompiles(&self) -> &'static [Precompile] {
        self.0.precompiles()
    }

    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn trace(&self, input: &TraceInput<'_>, log_height: usize, counts: &mut LookupCounts) -> Trace {
        self.0.trace(input, log_height, counts)
    }
}

droste_vm::machine! {
    /// A machine whose tables have the names of standard ones.
    enum NamedTables {
        Ext(NamedExt),
    }
}

#[test]
fn a_table_with_a_standard_name_does_not_pass_for_it() {
    fn key<T: whir::Provable>() -> whir::Key {
        let program = compile(plain::SOURCE).unwrap().program;
        let (with, settings) = (BTreeSet::from([id::EXT]), WhirSettings::toy());
        let key = ProvingKey::<T>::with_precompiles(&program, &with, settings, Heights::Minimal);
        key.unwrap().key().clone()
    }
    let (own, standard) = (key::<NamedTables>(), key::<StandardTables>());
    assert_eq!(
        (&own.tables, &own.program),
        (&standard.tables, &standard.program)
    );
    assert_ne!(own.digest(), standard.digest());
    assert!(is_other(Verifier::<StandardTables>::new(own)));
    assert!(is_other(Verifier::<NamedTables>::new(standard)));
}
