//! Openings are Plonky3's.

use p3_commit::Pcs as _;
use p3_matrix::dense::RowMajorMatrix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::{Blake3Suite, FriSettings, KeccakSuite, Poseidon16Suite, config};
use p3_uni_stark::StarkGenericConfig;

/// Logarithm of the height, width, and number of points of each matrix, per commitment.
type Shapes = [&'static [(usize, usize, usize)]];

/// Opens random matrices in both ways and compares everything.
fn compare<H: HashSuite>(settings: &FriSettings, shapes: &Shapes) {
    let config = config::<H>(settings, &[]).unwrap();
    let pcs = config.pcs();
    let mut rng = SmallRng::seed_from_u64(7);
    let points: [EF; 3] = std::array::from_fn(|_| rng.random());
    let committed: Vec<_> = shapes
        .iter()
        .map(|shapes| {
            let matrices = shapes.iter().map(|&(log_height, width, _)| {
                let size = 1 << log_height;
                let cells = (0..width << log_height).map(|_| rng.random());
                let matrix = RowMajorMatrix::new(cells.collect(), width);
                let domain = TwoAdicMultiplicativeCoset::new(F::ONE, log_height).unwrap();
                assert_eq!(domain.size(), size);
                (domain, matrix)
            });
            pcs.commit(matrices.collect::<Vec<_>>()).unwrap().1
        })
        .collect();
    let requests = || {
        let of_commitment = |shapes: &&[(usize, usize, usize)]| -> Vec<Vec<EF>> {
            let points = |&(log_height, _, count): &(usize, usize, usize)| {
                // The second point depends on the height, as that of the next row does.
                let second = points[1 + log_height % 2];
                [points[0], second][..count].to_vec()
            };
            shapes.iter().map(points).collect()
        };
        zip(&committed, shapes)
            .map(|(data, shapes)| (data, of_commitment(shapes)).into())
            .collect()
    };
    let mut expected_challenger = config.initialise_challenger();
    let mut challenger = config.initialise_challenger();
    let (expected, expected_proof) = pcs.open(requests(), &mut expected_challenger).unwrap();
    let (opened, proof) = pcs.open_columns(requests(), &mut challenger).unwrap();
    assert_eq!(opened, expected);
    assert_eq!(
        serde_json::to_vec(&proof).unwrap(),
        serde_json::to_vec(&expected_proof).unwrap()
    );
}

#[test]
fn openings_are_plonky3s() {
    let shapes: [&[(usize, usize, usize)]; 3] = [
        &[(10, 22, 2), (10, 3, 1), (4, 179, 2), (0, 1, 2), (2, 7, 1)],
        &[(10, 5, 1), (10, 5, 1), (9, 130, 2), (1, 64, 1)],
        &[(13, 8, 2), (3, 25, 2), (13, 1, 1)],
    ];
    for log_blowup in 1..=3 {
        let settings = FriSettings {
            log_blowup,
            ..FriSettings::toy()
        };
        compare::<Poseidon16Suite>(&settings, &shapes);
        compare::<Blake3Suite>(&settings, &shapes);
        compare::<KeccakSuite>(&settings, &shapes);
    }
    let grinding = FriSettings {
        batch_grinding_bits: 3,
        query_grinding_bits: 2,
        ..FriSettings::toy()
    };
    compare::<Blake3Suite>(&grinding, &shapes);
}

/// What is too short to be folded is refused, as by Plonky3.
#[test]
fn short_columns_are_refused() {
    let settings = FriSettings {
        log_final_poly_len: 3,
        ..FriSettings::toy()
    };
    let config = config::<Blake3Suite>(&settings, &[]).unwrap();
    let pcs = config.pcs();
    let domain = TwoAdicMultiplicativeCoset::new(F::ONE, 3).unwrap();
    let matrix = RowMajorMatrix::new(F::zero_vec(8), 1);
    let (_, data) = pcs.commit([(domain, matrix)]).unwrap();
    let requests = || vec![(&data, vec![vec![EF::TWO]]).into()];
    let open = |refused: Opened<Blake3Suite>| refused.map(|_| ()).unwrap_err().to_string();
    let expected = open(pcs.open(requests(), &mut config.initialise_challenger()));
    let found = open(pcs.open_columns(requests(), &mut config.initialise_challenger()));
    assert_eq!(found, expected);
}
