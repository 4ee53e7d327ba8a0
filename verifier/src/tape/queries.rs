//! The openings at every query.

use std::collections::VecDeque;
use std::marker::PhantomData;

use droste_gadgets::verify::fri::shape::{MAIN, Opening, PREPROCESSED, QUOTIENT, RANDOM};
use droste_native::F;
use droste_native::field::BaseField;
use p3_commit::{CommitmentOpening, MatrixOpening, Mmcs, PointOpening};
use p3_field::coset::TwoAdicMultiplicativeCoset;
use p3_field::{BasedVectorSpace, PrimeCharacteristicRing, TwoAdicField};
use p3_fri::verifier::{fold_query, open_inputs};
use p3_fri::{BatchMultiOpening, TwoAdicFriFolding};
use p3_matrix::Dimensions;

use super::config::{Cap, FriConfig};
use super::parts::{ChallengeTrees, Fri, ProofParts};
use super::{TapeError, expect_length, lanes};
use crate::shape::FriShape;

/// The commitments of a proof, each with the values claimed for it.
pub(super) type Claims<V> = Vec<
    CommitmentOpening<
        <V as FriConfig>::Challenge,
        Cap<V>,
        TwoAdicMultiplicativeCoset<<V as FriConfig>::Val>,
    >,
>;

/// The claims that Plonky3's low-degree test checks: the claimed rows, per commitment.
pub(super) fn claims<V: FriConfig>(
    shape: &FriShape,
    preprocessed: Option<&Cap<V>>,
    proof: &ProofParts<'_, V>,
    values: &[Vec<V::Challenge>],
    zeta: V::Challenge,
) -> Result<Claims<V>, TapeError> {
    let mut claims = Vec::new();
    for round in shape.rounds() {
        let commitment = match round.kind {
            MAIN => Some(proof.main),
            QUOTIENT => Some(proof.quotient),
            PREPROCESSED => preprocessed,
            RANDOM => proof.random,
            _ => proof.permutation,
        };
        let Some(commitment) = commitment else {
            expect_length(&format!("commitment {}", round.kind), 0, 1)?;
            continue;
        };
        let mut matrices = Vec::new();
        for matrix in &round.matrices {
            let domain = TwoAdicMultiplicativeCoset::new(V::Val::ONE, matrix.log_height);
            let Some(domain) = domain else {
                return Err(TapeError::Domain(matrix.log_height));
            };
            // The next row is the table's.
            let table = matrix.log_height - shape.log_extension();
            let step = V::Val::two_adic_generator(table);
            let point = |opening: &Opening| PointOpening {
                point: if opening.next { zeta * step } else { zeta },
                values: values.get(opening.number).cloned().unwrap_or_default(),
            };
            let points = matrix.openings.iter().map(point).collect();
            matrices.push(MatrixOpening { domain, points });
        }
        claims.push(CommitmentOpening {
            commitment: commitment.clone(),
            matrices,
        });
    }
    Ok(claims)
}

/// Per query and level, the blocks of a sibling digest.
type Siblings = Vec<Vec<Vec<[F; 8]>>>;

/// The rows of each query, and the siblings on each query's path.
type InputPaths<K> = (Vec<Vec<Vec<K>>>, Siblings);

/// The row of each query, and the siblings on each query's path.
type FoldingPaths<K> = (Vec<Vec<K>>, Siblings);

/// Rows and paths of every query, per commitment.
pub(super) struct Opened<K> {
    /// The index of each query.
    pub indices: Vec<usize>,
    /// Per input commitment.
    inputs: Vec<InputPaths<K>>,
    /// Per folding commitment.
    folds: Vec<FoldingPaths<K>>,
}

fn siblings<V: FriConfig>(paths: &[Vec<V::Digest>]) -> Siblings {
    paths
        .iter()
        .map(|path| path.iter().map(V::digest_blocks).collect())
        .collect()
}

/// Authenticates every opening and restores the Merkle paths, which the proof shares between
/// queries.
#[allow(
    clippy::indexing_slicing,
    reason = "indices are folding rounds: `ProofAnswers` checks the number of commitments, and this \
              function the number of openings"
)]
pub(super) fn open<V: FriConfig>(
    shape: &FriShape,
    opener: &V::Opener,
    fri: &Fri<V>,
    claims: &Claims<V>,
    combiner: V::Challenge,
    betas: &[V::Challenge],
    words: &[u32],
) -> Result<Opened<V::Val>, TapeError> {
    let settings = &shape.settings;
    let length = shape.log_length();
    let trees = V::trees(opener);
    let parameters = settings.parameters(ChallengeTrees::<V>::new(trees.clone()));
    let indices: Vec<usize> = words
        .iter()
        .map(|&word| word as usize & ((1 << length) - 1))
        .collect();
    let reduced = open_inputs(
        &parameters,
        length,
        &indices,
        &fri.input_openings,
        combiner,
        trees,
        claims,
    )
    .map_err(|error| TapeError::Opening(Box::new(error)))?;

    let inputs = input_paths::<V>(shape, fri, opener, &indices)?;
    let arities = &shape.log_arities;
    let rounds = arities.len();
    expect_length("folding openings", fri.commit_phase_openings.len(), rounds)?;
    // Values that no fold reads would not be bound by anything.
    for (opening, log_arity) in fri.commit_phase_openings.iter().zip(arities) {
        let rows = &opening.sibling_values;
        expect_length("folded rows", rows.len(), indices.len())?;
        for row in rows {
            expect_length("folded row", row.len(), (1 << log_arity) - 1)?;
        }
    }
    let mut group_indices = vec![Vec::new(); rounds];
    let mut rows = vec![Vec::new(); rounds];
    let folding = TwoAdicFriFolding::<Vec<BatchMultiOpening<V::Val, V::Trees>>, _>(PhantomData);
    for (query, (&index, reduced)) in indices.iter().zip(reduced).enumerate() {
        // The program checks the folded value; this call is made for the rows and indices that it
        // reports.
        let _folded = fold_query::<_, V::Val, V::Challenge, ChallengeTrees<V>>(
            &folding,
            query,
            &mut index.clone(),
            betas,
            arities,
            &fri.commit_phase_openings,
            reduced,
            length,
            settings.log_blowup + settings.log_final_poly_len,
            &mut group_indices,
            &mut rows,
        )
        .map_err(|source| TapeError::Fold {
            query,
            source: Box::new(source),
        })?;
    }
    let folds = folding_paths::<V>(shape, fri, opener, &group_indices, &rows)?;
    Ok(Opened {
        indices,
        inputs,
        folds,
    })
}

/// Rows as they are hashed: each with the salt that follows it in its leaf, if the trees have salts.
/// Openings have been authenticated, so there is one for each row.
fn salted<V: FriConfig>(
    rows: &[Vec<Vec<V::Val>>],
    proof: &<V::Trees as Mmcs<V::Val>>::MultiProof,
) -> Vec<Vec<Vec<V::Val>>> {
    let Some(salts) = V::salts(proof) else {
        return rows.to_vec();
    };
    let leaves = rows.iter().zip(salts).map(|(rows, salts)| {
        let rows = rows.iter().zip(salts);
        rows.map(|(row, salt)| [row.as_slice(), salt.as_slice()].concat())
            .collect()
    });
    leaves.collect()
}

/// The rows and paths of the input commitments at these indices of the longest codeword.
fn input_paths<V: FriConfig>(
    shape: &FriShape,
    fri: &Fri<V>,
    opener: &V::Opener,
    indices: &[usize],
) -> Result<Vec<InputPaths<V::Val>>, TapeError> {
    let settings = &shape.settings;
    let mut inputs = Vec::new();
    for (opening, round) in fri.input_openings.iter().zip(shape.rounds()) {
        let dimensions: Vec<Dimensions> = round
            .matrices
            .iter()
            .map(|matrix| Dimensions {
                width: matrix.width + shape.salts,
                height: 1 << (matrix.log_height + settings.log_blowup),
            })
            .collect();
        let leaves = round.tallest() + settings.log_blowup;
        let indices: Vec<usize> = indices
            .iter()
            .map(|i| i >> (shape.log_length() - leaves))
            .collect();
        let proof = &opening.opening_proof;
        let rows = salted::<V>(&opening.opened_values, proof);
        let paths = V::restore_paths(opener, &dimensions, &indices, &rows, proof)?;
        inputs.push((rows, siblings::<V>(&paths)));
    }
    Ok(inputs)
}

/// The rows and paths of the folding commitments, once the rows have been authenticated.
#[allow(
    clippy::indexing_slicing,
    reason = "indices are folding rounds, of which the caller has checked the numbers"
)]
fn folding_paths<V: FriConfig>(
    shape: &FriShape,
    fri: &Fri<V>,
    opener: &V::Opener,
    group_indices: &[Vec<usize>],
    rows: &[Vec<Vec<Vec<V::Challenge>>>],
) -> Result<Vec<FoldingPaths<V::Val>>, TapeError> {
    let challenge_trees = ChallengeTrees::<V>::new(V::trees(opener).clone());
    let mut folds = Vec::new();
    let mut log_length = shape.log_length();
    for (round, log_arity) in shape.log_arities.iter().enumerate() {
        log_length -= log_arity;
        let opening = &fri.commit_phase_openings[round];
        let committed = [Dimensions {
            width: 1 << log_arity,
            height: 1 << log_length,
        }];
        challenge_trees
            .verify_multi_batch(
                &fri.commit_phase_commits[round],
                &committed,
                &group_indices[round],
                &rows[round],
                &opening.opening_proof,
            )
            .map_err(|source| TapeError::FoldingOpening { round, source })?;
        let rows: Vec<Vec<Vec<V::Val>>> = rows[round]
            .iter()
            .map(|rows| {
                rows.iter()
                    .map(|row| {
                        <V::Challenge as BasedVectorSpace<V::Val>>::flatten_to_base(row.clone())
                    })
                    .collect()
            })
            .collect();
        let proof = &opening.opening_proof;
        let rows = salted::<V>(&rows, proof);
        let dimensions = [Dimensions {
            width: (V::DEGREE << log_arity) + shape.salts,
            height: 1 << log_length,
        }];
        let indices = &group_indices[round];
        let paths = V::restore_paths(opener, &dimensions, indices, &rows, proof)?;
        let rows = rows.into_iter().map(|rows| rows.concat()).collect();
        folds.push((rows, siblings::<V>(&paths)));
    }
    Ok(folds)
}

/// A row of a query as it is hashed, and the siblings from its leaf, or the parent with taller ones,
/// to the next leaf or the cap.
pub(super) struct Leaf<'a, K> {
    pub row: Vec<K>,
    pub siblings: Vec<&'a [[F; 8]]>,
}

impl<K: BaseField> Opened<K> {
    /// The leaves of one query by tree, in the order in which the program reads them.
    #[allow(
        clippy::indexing_slicing,
        reason = "`open` returns rows and paths for every query, with the rows of all of the round's \
                  matrices: Plonky3's `open_inputs` refuses other numbers"
    )]
    pub(super) fn trees(&self, shape: &FriShape, query: usize) -> Vec<Vec<Leaf<'_, K>>> {
        let settings = &shape.settings;
        let mut trees = Vec::new();
        for ((rows, paths), round) in self.inputs.iter().zip(shape.rounds()) {
            let layers = round.layers();
            let leaves = round.tallest() + settings.log_blowup;
            let mut path = paths[query].iter().map(Vec::as_slice);
            let mut tree = Vec::new();
            for (i, layer) in layers.iter().enumerate() {
                let matrices = layer.matrices.iter();
                let row = matrices.flat_map(|matrix| &rows[query][matrix.index]);
                let above = layers
                    .get(i + 1)
                    .map_or(settings.cap_height.min(leaves), |next| {
                        next.log_height + settings.log_blowup
                    });
                let depth = layer.log_height + settings.log_blowup - above;
                tree.push(Leaf {
                    row: row.copied().collect(),
                    siblings: path.by_ref().take(depth).collect(),
                });
            }
            trees.push(tree);
        }
        for (rows, paths) in &self.folds {
            trees.push(vec![Leaf {
                row: rows[query].clone(),
                siblings: paths[query].iter().map(Vec::as_slice).collect(),
            }]);
        }
        trees
    }

    /// The rows and paths of one query, in the order in which the program reads them.
    pub(super) fn answer(&self, shape: &FriShape, query: usize, messages: &mut VecDeque<Vec<F>>) {
        for leaf in self.trees(shape, query).into_iter().flatten() {
            messages.push_back(lanes(&leaf.row));
            if !leaf.siblings.is_empty() {
                let lanes = leaf.siblings.into_iter().flatten().flatten().copied();
                messages.push_back(lanes.collect());
            }
        }
    }
}
