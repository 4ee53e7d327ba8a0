//! Plonky3's own proofs of calls: its AIRs over bits and its commitment to a trace of bits, at rate
//! 1/2, without grinding and with Keccak-256. No input or output is public.

use droste_binary::{Hash, HashCalls};
use droste_native::codec::encode_body;
use p3_binary_field::{BinaryChallenger, BinaryField2, BinaryField128, Ghash128};
use p3_binary_pcs::{BinaryPcsConfig, BinaryPcsParams, BooleanTracePcs, GroupedCodewordMmcs};
use p3_blake3_air::{Blake3BinaryAir, Blake3CompressionInput};
use p3_challenger::HashChallenger;
use p3_keccak::Keccak256Hash;
use p3_keccak_air::KeccakBinaryAir;
use p3_matrix::Matrix;
use p3_merkle_tree::MerkleTreeMmcs;
use p3_multi_stark::config::{MultiStarkConfig, ProverData};
use p3_multi_stark::{
    ProverInstance, ProverInstances, ReprBackend, VerifierInstance, VerifierInstances,
    prove_with_backend, setup, verify,
};
use p3_sumcheck::TableShape;
use p3_sumcheck::layout::{Table, plan_stacked_layout};
use p3_symmetric::{CompressionFunctionFromHasher, SerializingHasher};

use super::Side;

type F = BinaryField128;
type Nodes = CompressionFunctionFromHasher<Keccak256Hash, 4, 32>;
type Tree = MerkleTreeMmcs<F, u8, SerializingHasher<Keccak256Hash>, Nodes, 4, 32>;
type Codewords = GroupedCodewordMmcs<Tree>;
type Scheme = BooleanTracePcs<F, Codewords, Codewords>;
type Challenger = BinaryChallenger<F, HashChallenger<u8, Keccak256Hash, 32>>;
type Backend = ReprBackend<BinaryField2, Ghash128, true>;

struct Unbound {
    scheme: Scheme,
    sliced_rounds: usize,
}

impl Unbound {
    fn new(log_rows: usize, width: usize) -> Self {
        let (variables, _) = plan_stacked_layout(&[TableShape::new(log_rows, width)]);
        let params = BinaryPcsParams {
            log_inv_rate: 1,
            pow_bits: 0,
            security_level: 100,
        };
        // 2^7 bits an element; 4 variables are folded between two commitments.
        let folds = BinaryPcsConfig::try_new_with_folding::<F, F>(variables - 7, params, 4)
            .expect("the settings are in range");
        let leaves = SerializingHasher::new(Keccak256Hash {});
        let nodes = Nodes::new(Keccak256Hash {});
        let codewords = Codewords::for_folding(Tree::new(leaves, nodes, 0), &folds);
        let scheme = Scheme::new(folds, codewords.clone(), codewords, variables);
        Self {
            scheme: scheme.expect("the settings are in range"),
            sliced_rounds: if log_rows >= 14 { 4 } else { 3 },
        }
    }
}

impl MultiStarkConfig for Unbound {
    type Val = F;
    type Challenge = F;
    type Challenger = Challenger;
    type Pcs = Scheme;

    fn pcs(&self) -> &Scheme {
        &self.scheme
    }

    fn collision_resistance_bits(&self) -> Option<usize> {
        Some(128)
    }

    fn sliced_rounds(&self) -> usize {
        self.sliced_rounds
    }

    fn min_num_variables(&self) -> usize {
        1
    }

    fn build_witness(&self, tables: Vec<Table<F>>) -> Vec<Table<F>> {
        tables
    }

    fn committed_table<'a>(&self, data: &'a ProverData<Self>, index: usize) -> &'a Table<F> {
        data.table(index)
    }
}

fn transcript() -> Challenger {
    Challenger::from_hasher(vec![], Keccak256Hash {})
}

/// Proves with an AIR the trace that a function makes, and verifies the first proof. It is a macro
/// since the bounds of the prover are many.
macro_rules! side {
    ($air:expr, $trace:expr) => {{
        let (air, trace) = ($air, $trace);
        let made = trace();
        // A row of words is 64 rows of bits.
        let log_rows = made.height().ilog2() as usize + 6;
        let config = Unbound::new(log_rows, made.width());
        let keys = setup(&config, &[&air], &mut transcript());
        let (key, verifying) = keys.expect("the settings are in range");
        let mut verified = false;
        Box::new(move || {
            let table = Table::from_packed_bits(trace(), log_rows);
            let instance = ProverInstance::new(&air, table, &key, &[]);
            let instances = ProverInstances::new(vec![instance]);
            let made =
                prove_with_backend::<_, _, Backend>(&config, instances, 0, &mut transcript());
            let proof = made.expect("the trace is valid");
            if !std::mem::replace(&mut verified, true) {
                let instance = VerifierInstance::new(&air, &verifying, log_rows, &[]);
                let instances = VerifierInstances::new(vec![instance]);
                verify(&config, instances, &proof, 0, &mut transcript()).expect("it is valid");
            }
            encode_body(vec![], &proof)
                .expect("it can be encoded")
                .len()
        })
    }};
}

/// Proofs of the calls of a statement.
pub fn side(statement: &HashCalls) -> Side<'static> {
    let calls = statement.calls().map(|(input, _)| input);
    match statement.hash() {
        Hash::Blake3 => {
            let inputs: Vec<_> = calls.map(compression).collect();
            let trace = move || p3_blake3_air::generate_binary_trace_packed::<F>(inputs.clone());
            side!(Blake3BinaryAir::assuming_boolean_trace(), trace)
        }
        Hash::Blake2s | Hash::KeccakRate => unreachable!("Plonky3 has no AIR of it"),
        Hash::KeccakF => {
            let inputs: Vec<_> = calls.map(lanes).collect();
            let trace = move || p3_keccak_air::generate_binary_trace_packed::<F>(inputs.clone());
            side!(KeccakBinaryAir::assuming_boolean_trace(), trace)
        }
    }
}

fn compression(input: &[u8]) -> Blake3CompressionInput {
    let word = |i: usize| u32::from_le_bytes(input.as_chunks().0[i]);
    Blake3CompressionInput {
        chaining_value: std::array::from_fn(word),
        block: std::array::from_fn(|i| word(8 + i)),
        counter: u64::from(word(24)) | u64::from(word(25)) << 32,
        block_len: word(26),
        flags: word(27),
    }
}

fn lanes(input: &[u8]) -> [u64; 25] {
    std::array::from_fn(|i| u64::from_le_bytes(input.as_chunks().0[i]))
}
