//! Commitments and openings that must verify, and those that must not.

use ark_bn254::{Fq, Fr, G1Affine, G2Affine, G2Projective};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{Field, One, PrimeField, Zero};
use ark_grumpkin::GrumpkinConfig;

use super::ipa::{self, IpaProof};
use super::kzg::{Kzg, KzgProof};
use super::pedersen::PedersenKey;
use super::srs::{Srs, SrsError};
use super::{CommitError, evaluate};

type Scalar = ark_grumpkin::Fr;

fn values<F: PrimeField>(n: u64, seed: u64) -> Vec<F> {
    let base = F::from(seed + 3).pow([1 << 40 | 12_345]);
    std::iter::successors(Some(base), |x| Some(*x * x + base))
        .take(n as usize)
        .collect()
}

#[test]
fn pedersen_is_a_sum_over_distinct_bases() {
    let key = PedersenKey::<GrumpkinConfig>::new(b"test", 40);
    let a = values::<Scalar>(33, 1);
    let r = Scalar::from(77u64);
    let terms = key.bases().iter().zip(&a).map(|(base, a)| *base * a);
    let plain = terms.sum::<ark_grumpkin::Projective>();
    assert_eq!(key.commit(&a, None).unwrap(), plain);
    let blinded = key.commit(&a, Some(r)).unwrap();
    assert_eq!(blinded, plain + key.blinding_base() * r);
    assert_eq!(
        key.commit(&values(41, 1), None),
        Err(CommitError::TooLong { len: 41, max: 40 })
    );
    let longer = PedersenKey::<GrumpkinConfig>::new(b"test", 50);
    assert_eq!(&longer.bases()[..40], key.bases());
    let mut all = longer.bases().to_vec();
    all.push(longer.blinding_base());
    all.sort_by_key(|p| p.x);
    all.dedup();
    assert_eq!(all.len(), 51);
    assert!(all.iter().all(|p| p.is_on_curve()));
    let other = PedersenKey::<GrumpkinConfig>::new(b"other", 1);
    assert_ne!(other.bases()[0], key.bases()[0]);
}

#[test]
fn ipa_opens_every_small_length() {
    for log in 0..8 {
        let key = PedersenKey::<GrumpkinConfig>::new(b"test", 1 << log);
        let a = values::<Scalar>(1 << log, log);
        let point = Scalar::from(5u64).pow([1 << log]);
        let commitment = key.commit(&a, None).unwrap().into_affine();
        let (value, proof) = ipa::open(&key, &a, point).unwrap();
        assert_eq!(value, evaluate(&a, point));
        ipa::verify(&key, &commitment, point, value, &proof).unwrap();
        let bytes = proof.to_bytes();
        assert_eq!(IpaProof::from_bytes(&bytes), Ok(proof));
    }
}

#[test]
fn ipa_rejects_what_it_should() {
    let key = PedersenKey::<GrumpkinConfig>::new(b"test", 16);
    let a = values::<Scalar>(16, 9);
    let point = Scalar::from(11u64);
    let commitment = key.commit(&a, None).unwrap().into_affine();
    let (value, proof) = ipa::open(&key, &a, point).unwrap();
    let one = Scalar::one();
    let rejected = |commitment, point, value, proof: &IpaProof<GrumpkinConfig>| {
        let result = ipa::verify(&key, commitment, point, value, proof);
        assert_eq!(result, Err(CommitError::Rejected));
    };
    rejected(&commitment, point, value + one, &proof);
    rejected(&commitment, point + one, value, &proof);
    rejected(&key.bases()[0], point, value, &proof);
    for round in 0..4 {
        for side in 0..2 {
            let mut damaged = proof.clone();
            damaged.rounds[round][side] = key.bases()[3];
            rejected(&commitment, point, value, &damaged);
        }
    }
    let mut damaged = proof.clone();
    damaged.last += one;
    rejected(&commitment, point, value, &damaged);
    damaged.rounds.pop();
    assert_eq!(
        ipa::verify(&key, &commitment, point, value, &damaged),
        Err(CommitError::Length {
            what: "rounds",
            found: 3,
            expected: 4
        })
    );
    assert!(ipa::open(&key, &a[..8], point).is_err());
    let odd = PedersenKey::<GrumpkinConfig>::new(b"test", 12);
    assert_eq!(
        ipa::open(&odd, &a[..12], point),
        Err(CommitError::NotPowerOfTwo(12))
    );
    damaged_bytes(
        &proof.to_bytes(),
        IpaProof::<GrumpkinConfig>::from_bytes,
        proof,
    );
}

/// Cuts the bytes at every length and changes every byte: decoding must return a typed error or a
/// different proof, never the same proof, and must not panic.
fn damaged_bytes<P: PartialEq + std::fmt::Debug>(
    bytes: &[u8],
    read: impl Fn(&[u8]) -> Result<P, CommitError>,
    proof: P,
) {
    for len in 0..bytes.len() {
        assert!(!read(&bytes[..len]).is_ok_and(|read| read == proof));
    }
    for i in 0..bytes.len() {
        for flip in [1, 0x40, 0x80, 0xff] {
            let mut damaged = bytes.to_vec();
            damaged[i] ^= flip;
            assert!(!read(&damaged).is_ok_and(|read| read == proof));
        }
    }
    let longer = [bytes, &[0]].concat();
    assert!(matches!(read(&longer), Err(CommitError::Encoding { .. })));
}

fn kzg(len: usize) -> Kzg {
    Kzg::new(Srs::insecure_from_seed(b"test", len))
}

#[test]
fn kzg_opens_and_rejects() {
    let kzg = kzg(33);
    let key = kzg.verifier_key();
    for n in [0, 1, 2, 20, 33] {
        let p = values::<Fr>(n, n);
        let commitment = kzg.commit(&p).unwrap();
        for point in [Fr::zero(), Fr::one(), Fr::from(77u64)] {
            let (value, proof) = kzg.open(&p, point).unwrap();
            assert_eq!(value, evaluate(&p, point));
            key.verify(&commitment, point, value, &proof).unwrap();
            let wrong = key.verify(&commitment, point, value + Fr::one(), &proof);
            assert_eq!(wrong, Err(CommitError::Rejected));
            let other = KzgProof((proof.0 + G1Affine::generator()).into_affine());
            let wrong = key.verify(&commitment, point, value, &other);
            assert_eq!(wrong, Err(CommitError::Rejected));
        }
    }
    assert!(matches!(
        kzg.commit(&values::<Fr>(34, 0)),
        Err(CommitError::TooLong { .. })
    ));
    let (_, proof) = kzg.open(&values::<Fr>(9, 0), Fr::from(3u64)).unwrap();
    assert_eq!(KzgProof::from_bytes(&proof.to_bytes()), Ok(proof));
    damaged_bytes(&proof.to_bytes(), KzgProof::from_bytes, proof);
}

#[test]
fn kzg_batches() {
    let kzg = kzg(33);
    let key = kzg.verifier_key();
    let polynomials: Vec<Vec<Fr>> = [33, 1, 0, 20, 33].map(|n| values(n, n + 1)).to_vec();
    let polynomials: Vec<&[Fr]> = polynomials.iter().map(Vec::as_slice).collect();
    let commitments: Vec<_> = polynomials.iter().map(|p| kzg.commit(p).unwrap()).collect();
    let point = Fr::from(1234u64);
    let (opened, proof) = kzg.open_batch(&polynomials, &commitments, point).unwrap();
    key.verify_batch(&commitments, point, &opened, &proof)
        .unwrap();
    for i in 0..opened.len() {
        let mut wrong = opened.clone();
        wrong[i] += Fr::one();
        let result = key.verify_batch(&commitments, point, &wrong, &proof);
        assert_eq!(result, Err(CommitError::Rejected));
    }
    let mut swapped = commitments.clone();
    swapped.swap(0, 3);
    let result = key.verify_batch(&swapped, point, &opened, &proof);
    assert_eq!(result, Err(CommitError::Rejected));
    assert!(
        key.verify_batch(&commitments[1..], point, &opened, &proof)
            .is_err()
    );
    assert!(
        kzg.open_batch(&polynomials[1..], &commitments, point)
            .is_err()
    );
    assert!(kzg.open_batch(&[], &[], point).is_ok());
}

/// A file of `2^power` powers, and the positions at which its sections 2 and 3 begin.
fn ptau(power: u32, tau: Fr) -> (Vec<u8>, usize, usize) {
    let count = 1usize << power;
    let coordinate = |x: &Fq| x.0.0.map(u64::to_le_bytes).concat();
    let powers = std::iter::successors(Some(Fr::one()), |x| Some(*x * tau));
    let powers: Vec<Fr> = powers.take(2 * count - 1).collect();
    let mut g1 = vec![];
    for x in &powers {
        let p = (G1Affine::generator() * x).into_affine();
        g1.extend([coordinate(&p.x), coordinate(&p.y)].concat());
    }
    let mut g2 = vec![];
    for x in &powers[..count] {
        let p: G2Affine = (G2Projective::generator() * x).into_affine();
        for c in [p.x.c0, p.x.c1, p.y.c0, p.y.c1] {
            g2.extend(coordinate(&c));
        }
    }
    let mut header = 32u32.to_le_bytes().to_vec();
    header.extend(Fq::MODULUS.0.map(u64::to_le_bytes).concat());
    header.extend([power.to_le_bytes(), power.to_le_bytes()].concat());
    let mut file = b"ptau".to_vec();
    file.extend([1u32.to_le_bytes(), 4u32.to_le_bytes()].concat());
    let mut starts = vec![];
    for (kind, data) in [(1u32, &header), (7, &vec![1, 2, 3]), (2, &g1), (3, &g2)] {
        file.extend(kind.to_le_bytes());
        file.extend((data.len() as u64).to_le_bytes());
        starts.push(file.len());
        file.extend(data);
    }
    (file, starts[2], starts[3])
}

#[test]
fn ptau_files() {
    let tau = Fr::from(987_654_321u64);
    let (file, g1, g2) = ptau(3, tau);
    let srs = Srs::from_ptau(&file, 15).unwrap();
    assert_eq!(srs.len(), 15);
    let kzg = Kzg::new(Srs::from_ptau(&file, 9).unwrap());
    let p = values::<Fr>(9, 4);
    let expected = G1Affine::generator() * evaluate(&p, tau);
    assert_eq!(kzg.commit(&p).unwrap(), expected.into_affine());
    let (value, proof) = kzg.open(&p, Fr::from(5u64)).unwrap();
    let commitment = kzg.commit(&p).unwrap();
    kzg.verifier_key()
        .verify(&commitment, Fr::from(5u64), value, &proof)
        .unwrap();

    assert_eq!(
        Srs::from_ptau(&file, 16),
        Err(SrsError::TooFew {
            wanted: 16,
            available: 15
        })
    );
    for len in 0..file.len() {
        assert!(matches!(
            Srs::from_ptau(&file[..len], 4),
            Err(SrsError::Truncated { .. })
        ));
    }
    // Change each byte that is read.
    for at in (0..68)
        .chain((g1..g1 + 960).step_by(13))
        .chain((g2..g2 + 256).step_by(7))
    {
        let mut damaged = file.clone();
        damaged[at] ^= 1;
        // The field with the ceremony's power is not read.
        let unused = (24 + 40..24 + 44).contains(&at);
        assert_eq!(Srs::from_ptau(&damaged, 15).is_err(), !unused, "byte {at}");
    }
    // Well-formed points that are not the powers of one secret.
    let mut swapped = file.clone();
    swapped.copy_within(g1 + 64..g1 + 128, g1 + 192);
    assert_eq!(Srs::from_ptau(&swapped, 15), Err(SrsError::Powers));
    assert!(Srs::from_ptau(&swapped, 3).is_ok());
    let (other, ..) = ptau(3, tau + Fr::one());
    let mut mixed = file.clone();
    mixed[g2..].copy_from_slice(&other[g2..]);
    assert_eq!(Srs::from_ptau(&mixed, 15), Err(SrsError::Powers));
}
