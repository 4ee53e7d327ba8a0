//! Published vectors, agreement of the dense and the sparse form, and counts of multiplications.

use std::cell::Cell;
use std::marker::PhantomData;
use std::str::FromStr;

use ark_bls12_377::{Fr as Bls377Fr, FrConfig as Bls377Config};
use ark_bn254::Fr as Bn254Fr;
use ark_ff::{BigInt, Field, Fp, FpConfig, MontBackend, PrimeField, SqrtPrecomputation, Zero};

use super::{ParameterError, Parameters, Poseidon, circom, poseidon377};

fn vectors() -> serde_json::Value {
    serde_json::from_str(include_str!("../../tests/poseidon377.json")).unwrap()
}

fn element(value: &serde_json::Value) -> Bls377Fr {
    Bls377Fr::from_str(value.as_str().unwrap()).unwrap()
}

fn check_vector<const T: usize>() {
    let vectors = vectors();
    let vector = vectors["hashes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|vector| vector["rate"] == T - 1)
        .unwrap();
    let domain = vector["domain_separator_bytes_le"].as_str().unwrap();
    let domain = Bls377Fr::from_le_bytes_mod_order(domain.as_bytes());
    let inputs: Vec<_> = vector["input"]
        .as_array()
        .unwrap()
        .iter()
        .map(element)
        .collect();
    let poseidon = Poseidon::<_, T>::new(poseidon377::parameters().unwrap()).unwrap();
    let digest = poseidon377::hash(&poseidon, domain, &inputs).unwrap();
    assert_eq!(digest, element(&vector["output"]));
}

#[test]
fn poseidon377_hashes() {
    check_vector::<2>();
    check_vector::<3>();
    check_vector::<4>();
    check_vector::<5>();
    check_vector::<6>();
    check_vector::<7>();
}

#[test]
fn poseidon377_permutation() {
    let poseidon = Poseidon::<_, 3>::new(poseidon377::parameters().unwrap()).unwrap();
    let mut state = [0u64, 1, 2].map(Bls377Fr::from);
    poseidon.permute(&mut state);
    let expected = &vectors()["permutation_t3_of_0_1_2"];
    for (i, word) in state.iter().enumerate() {
        assert_eq!(*word, element(&expected[i]));
    }
}

#[test]
fn circom_hashes() {
    let one = Poseidon::<_, 2>::new(circom::parameters().unwrap()).unwrap();
    assert_eq!(
        circom::hash(&one, &[Bn254Fr::from(1u64)])
            .unwrap()
            .to_string(),
        "18586133768512220936620570745912940619677854269274689475585506675881198879027",
    );
    let wrong = circom::hash(&one, &[]);
    let (found, expected) = (0, 1);
    assert_eq!(wrong, Err(ParameterError::Inputs { found, expected }));
}

/// Compares the dense form with another.
fn forms_agree<F: PrimeField, const T: usize>(
    poseidon: &Poseidon<F, T>,
    permute: fn(&Poseidon<F, T>, &mut [F; T]),
) {
    let mut states = vec![[F::ZERO; T], [-F::ONE; T]];
    states.push(std::array::from_fn(|i| F::from(i as u64)));
    for _ in 0..4 {
        let mut next = *states.last().unwrap();
        poseidon.permute_dense(&mut next);
        states.push(next);
    }
    for state in states {
        let (mut dense, mut sparse) = (state, state);
        poseidon.permute_dense(&mut dense);
        permute(poseidon, &mut sparse);
        assert_eq!(dense, sparse, "width {T}");
        assert_ne!(dense, state);
    }
}

#[test]
fn sparse_form_agrees_with_dense() {
    macro_rules! check {
        ($family:ident, $new:ident, $permute:ident: $($width:literal)*) => {$({
            let poseidon = Poseidon::<_, $width>::$new($family::parameters().unwrap()).unwrap();
            forms_agree(&poseidon, Poseidon::$permute);
        })*};
    }
    check!(poseidon377, new, permute: 2 3 4 5 6 7 8);
    check!(circom, new, permute: 2 3);
    // The kernel is for fewer words, and compiling it for each width takes long.
    check!(circom, without_kernel, permute_sparse: 4 5 6 7 8 9 10 11 12 13 14 15 16 17);
}

/// The minor has a zero on its diagonal, so that its inversion exchanges rows.
#[test]
fn sparse_form_of_a_matrix_with_zeros() {
    let mut parameters = poseidon377::parameters::<3>().unwrap();
    parameters.matrix = [[2u64, 1, 1], [1, 0, 1], [1, 1, 3]].map(|row| row.map(Bls377Fr::from));
    let poseidon = Poseidon::without_kernel(parameters).unwrap();
    forms_agree(&poseidon, Poseidon::permute_sparse);
}

#[test]
fn wrong_parameters_are_named() {
    assert_eq!(
        poseidon377::parameters::<9>(),
        Err(ParameterError::Width {
            width: 9,
            min: 2,
            max: 8
        })
    );
    assert!(circom::parameters::<18>().is_err());
    let good = poseidon377::parameters::<3>().unwrap();
    let error = |change: &dyn Fn(&mut Parameters<Bls377Fr, 3>)| {
        let mut parameters = good.clone();
        change(&mut parameters);
        Poseidon::new(parameters).map(|_| ()).unwrap_err()
    };
    let (alpha, rounds) = (7, 7);
    // 7 divides p - 1.
    assert_eq!(error(&|p| p.alpha = alpha), ParameterError::Power { alpha });
    assert_eq!(
        error(&|p| p.full_rounds = rounds),
        ParameterError::FullRounds { rounds }
    );
    assert_eq!(
        error(&|p| p.partial_rounds += 1),
        ParameterError::Constants {
            found: 117,
            expected: 120
        }
    );
    assert_eq!(
        error(&|p| p.matrix[2] = p.matrix[1]),
        ParameterError::Matrix
    );
}

thread_local! {
    static MULTIPLICATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count(multiplications: usize) {
    MULTIPLICATIONS.set(MULTIPLICATIONS.get() + multiplications);
}

/// The scalar field of BLS12-377, counting its multiplications.
struct Counting;

type Inner = MontBackend<Bls377Config, 4>;
type Counted = Fp<Counting, 4>;

fn inner(value: &Counted) -> Bls377Fr {
    Fp(value.0, PhantomData)
}

impl FpConfig<4> for Counting {
    const MODULUS: BigInt<4> = Inner::MODULUS;
    const GENERATOR: Counted = Fp(Inner::GENERATOR.0, PhantomData);
    const ZERO: Counted = Fp(Inner::ZERO.0, PhantomData);
    const ONE: Counted = Fp(Inner::ONE.0, PhantomData);
    const NEG_ONE: Counted = Fp(Inner::NEG_ONE.0, PhantomData);
    const TWO_ADICITY: u32 = Inner::TWO_ADICITY;
    const TWO_ADIC_ROOT_OF_UNITY: Counted = Fp(Inner::TWO_ADIC_ROOT_OF_UNITY.0, PhantomData);
    const SQRT_PRECOMP: Option<SqrtPrecomputation<Counted>> = None;

    fn add_assign(a: &mut Counted, b: &Counted) {
        a.0 = (inner(a) + inner(b)).0;
    }
    fn sub_assign(a: &mut Counted, b: &Counted) {
        a.0 = (inner(a) - inner(b)).0;
    }
    fn double_in_place(a: &mut Counted) {
        a.0 = (inner(a) + inner(a)).0;
    }
    fn neg_in_place(a: &mut Counted) {
        a.0 = (-inner(a)).0;
    }
    fn mul_assign(a: &mut Counted, b: &Counted) {
        count(1);
        a.0 = (inner(a) * inner(b)).0;
    }
    fn sum_of_products<const T: usize>(a: &[Counted; T], b: &[Counted; T]) -> Counted {
        count(T);
        let sum: Bls377Fr = a.iter().zip(b).map(|(a, b)| inner(a) * inner(b)).sum();
        Fp(sum.0, PhantomData)
    }
    fn square_in_place(a: &mut Counted) {
        count(1);
        a.0 = inner(a).square().0;
    }
    fn inverse(a: &Counted) -> Option<Counted> {
        inner(a).inverse().map(|value| Fp(value.0, PhantomData))
    }
    fn from_bigint(other: BigInt<4>) -> Option<Counted> {
        Bls377Fr::from_bigint(other).map(|value| Fp(value.0, PhantomData))
    }
    fn into_bigint(other: Counted) -> BigInt<4> {
        inner(&other).into_bigint()
    }
}

fn counts<const T: usize>() -> (usize, usize) {
    let Parameters {
        alpha,
        full_rounds,
        partial_rounds,
        constants,
        matrix,
    } = poseidon377::parameters::<T>().unwrap();
    let counted = |values: &[Bls377Fr; T]| values.map(|value| Fp(value.0, PhantomData));
    let poseidon = Poseidon::<Counted, T>::new(Parameters {
        alpha,
        full_rounds,
        partial_rounds,
        constants: constants.iter().map(counted).collect(),
        matrix: matrix.each_ref().map(counted),
    })
    .unwrap();
    let mut state = [Counted::zero(); T];
    let mut counted = |permute: &dyn Fn(&mut [Counted; T])| {
        MULTIPLICATIONS.set(0);
        permute(&mut state);
        MULTIPLICATIONS.get()
    };
    (
        counted(&|state| poseidon.permute_dense(state)),
        counted(&|state| poseidon.permute(state)),
    )
}

/// Either form takes 355 multiplications for the powers. The dense form takes 39 matrices of 25
/// multiplications; the sparse form takes 8 of 25 and 31 of 9, because the block that it leaves
/// over is merged into a full round's matrix (without that, 859 multiplications in all).
#[test]
fn multiplication_counts() {
    assert_eq!(counts::<5>(), (1330, 834));
    assert_eq!(355 + 39 * 25, 1330);
    assert_eq!(355 + 8 * 25 + 31 * 9, 834);
    for (found, t) in [(counts::<2>(), 2), (counts::<8>(), 8)] {
        let powers = 5 * (8 * t + 31);
        assert_eq!(found.0, powers + 39 * t * t);
        assert_eq!(found.1, powers + 8 * t * t + 31 * (2 * t - 1));
    }
}
