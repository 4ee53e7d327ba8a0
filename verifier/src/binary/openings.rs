//! The openings of a proof over FRI as a batch: the grid of their calls, and what a program has
//! that verifies the proof of `droste-binary` about them.

use droste_binary::field::K;
use droste_binary::statement::Places as PlacesOfHash;
use droste_binary::trace::circuit as constraints_of;
use droste_binary::{Hash, MIN_BITS, StatementShape};
use droste_gadgets::verify::binary::grid::layout::{
    BLAKE3, Copied, Grid, K64, KECCAK, Places, is_supported, log_queries, steps,
};
use droste_gadgets::verify::binary::shape::{Element, Place, Shape};
use droste_gadgets::verify::fri::shape::grid_trees;
use droste_native::HashId;
use droste_native::stark::security::SecurityBound;
use thiserror::Error;

use super::events;
use super::shape::{ShapeError, element, shape};
use crate::program::literal;
use crate::shape::FriShape;
use crate::tape::TreesId;

/// Logarithm of the most digests of a cap. The program combines those of all trees entry by entry.
const MAX_CAP_LEVELS: usize = 8;

/// Why the openings of a proof are in no batch.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OpeningsError {
    /// The proof is not one over FRI.
    #[error("only openings of proofs over FRI are verified in a batch")]
    Stack,
    /// The trees hash elements.
    #[error("openings of trees of {0} are not verified in a batch, expected a hash of bytes")]
    Trees(&'static str),
    /// Leaves of rows of this length are not linear in what is known of them.
    #[error(
        "openings of rows of {0} elements in the sponge over 64-bit lanes are not verified in a \
         batch: the last block of such a row ends within 16 bytes of the state, of which half is \
         kept"
    )]
    Row(usize),
    /// A cap has too many digests.
    #[error(
        "openings in trees with caps of 2^{0} digests are not verified in a batch, expected at \
         most 2^{MAX_CAP_LEVELS}"
    )]
    Cap(usize),
    /// There are too many calls.
    #[error("the openings take {found} calls of {hash}, but a batch has at most {most}")]
    Calls {
        /// Hash of the calls.
        hash: Hash,
        /// Number of calls, with the free ones that make the queries a power of two.
        found: usize,
        /// The most.
        most: usize,
    },
    /// The batch has too few bits, all its errors together.
    #[error(
        "the openings in a batch have {0} proven bits, expected at least {least}",
        least = MIN_BITS
    )]
    Bits(usize),
}

/// What a program that verifies openings in a batch has beside what verifies the rest of the proof.
#[derive(Clone, Debug, PartialEq)]
pub struct GridProgram {
    /// The shape of the proof about the openings.
    pub shape: Shape,
    /// The openings.
    pub grid: Grid,
    /// What can go wrong in that proof, and in the program's verification of it.
    pub bound: SecurityBound,
}

impl GridProgram {
    /// That of these openings.
    ///
    /// # Errors
    /// If they are in no batch.
    pub fn new(grid: Grid) -> Result<Self, ShapeError> {
        let statement = statement_of(&grid)?;
        let shape = shape(statement, &constraints_of(statement.hash()))?;
        let mut bound = statement.security()?;
        bound.terms.extend(events(&shape));
        check_bits(&bound)?;
        Ok(Self { shape, grid, bound })
    }

    /// That of the openings of proofs over FRI of this shape.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn of(proofs: &FriShape) -> Result<Self, ShapeError> {
        Self::new(grid_of(proofs)?)
    }

    /// Number of calls, without free ones.
    pub fn calls(&self) -> usize {
        steps(&self.grid).len() * self.grid.queries
    }

    /// Text of the functions `openings_shape` and `grid`.
    pub(crate) fn text(&self) -> String {
        // The shape of the proof with the openings has the same name.
        let shape = literal(&self.shape).replacen("Shape {", "OpeningsShape {", 1);
        let grid = literal(&self.grid);
        format!(
            "\nuse droste_gadgets::verify::binary::grid::layout::{{Copied, Grid, Leaf, Places, Tree}};\n\
             use droste_gadgets::verify::binary::shape::{{\n    \
             Circuit, Common, Constant, Constants, Group, Place, Product, Rotation, Round,\n    \
             Shape as OpeningsShape, Term,\n}};\n\
             use droste_gadgets::verify::fri::Openings;\n\n\
             /// The shape of the proof about the openings.\n\
             pub fn openings_shape() -> OpeningsShape {{\n{shape}\n}}\n\n\
             /// The openings.\n\
             pub fn grid() -> Grid {{\n{grid}\n}}\n"
        )
    }
}

/// Refuses a bound of fewer bits than `droste_binary::verify` asks for.
fn check_bits(bound: &SecurityBound) -> Result<(), OpeningsError> {
    let bits = bound.sum();
    if bits < MIN_BITS {
        return Err(OpeningsError::Bits(bits.max(0.0) as usize));
    }
    Ok(())
}

/// The hash whose calls openings in trees of this kind take.
pub(crate) const fn hash_of(kind: usize) -> Hash {
    if kind == BLAKE3 {
        Hash::Blake3
    } else {
        Hash::KeccakRate
    }
}

/// The openings of proofs over FRI of this shape.
///
/// # Errors
/// If they are in no batch.
pub(crate) fn grid_of(proofs: &FriShape) -> Result<Grid, ShapeError> {
    let hash = match proofs.trees {
        TreesId::Suite(HashId::Blake3) => BLAKE3,
        TreesId::Suite(HashId::Keccak) => KECCAK,
        TreesId::KeccakSponge => K64,
        trees => return Err(OpeningsError::Trees(trees.name()).into()),
    };
    let (places, offset) = places_of(hash);
    let grid = Grid {
        hash,
        queries: proofs.settings.num_queries,
        index_bits: proofs.log_length(),
        trees: grid_trees(proofs),
        places,
        offset,
    };
    statement_of(&grid)?;
    Ok(grid)
}

/// Where elements are in the calls that openings in trees of this kind take, and what is added to
/// the input's last one, as a program has it.
pub(crate) fn places_of(kind: usize) -> (Places, Element) {
    let places = PlacesOfHash::of(hash_of(kind));
    let offset: K = places.offsets().sum();
    let place = |(row, element)| Place { row, element };
    let copied = |(first, other)| Copied {
        first: place(first),
        other: place(other),
    };
    let places = Places {
        inputs: places.inputs().map(place).collect(),
        outputs: places.outputs().iter().copied().map(place).collect(),
        copies: places.copies().map(copied).collect(),
    };
    (places, element(offset))
}

/// The shape of the statement about openings.
fn statement_of(grid: &Grid) -> Result<StatementShape, OpeningsError> {
    for tree in &grid.trees {
        if tree.cap_levels > MAX_CAP_LEVELS {
            return Err(OpeningsError::Cap(tree.cap_levels));
        }
        let mut rows = tree.leaves.iter().map(|leaf| leaf.words);
        if let Some(words) = rows.find(|&words| !is_supported(grid.hash, words)) {
            return Err(OpeningsError::Row(words));
        }
    }
    let hash = hash_of(grid.hash);
    let (found, most) = (steps(grid).len() << log_queries(grid), hash.max_calls());
    if found > most {
        return Err(OpeningsError::Calls { hash, found, most });
    }
    Ok(StatementShape::Graph { hash, calls: found })
}

#[cfg(test)]
mod tests {
    use droste_gadgets::verify::binary::grid::layout::{Leaf, Tree, log_calls};
    use droste_native::field::BabyBear4;
    use droste_native::{EF, EF4, FriSettings};
    use p3_keccak_air::KeccakAir;
    use p3_lookup::Lookups;

    use super::*;
    use crate::codegen::{SymbolicField, TableSource, generate};
    use crate::shape::Protocol;

    /// Openings of one tree with one leaf.
    fn grid(hash: usize, queries: usize, words: usize, depth: usize, cap_levels: usize) -> Grid {
        let (places, offset) = places_of(hash);
        let leaf = Leaf {
            words,
            depth,
            first_bit: 0,
        };
        Grid {
            hash,
            queries,
            index_bits: depth + cap_levels,
            trees: vec![Tree {
                leaves: vec![leaf],
                cap_levels,
            }],
            places,
            offset,
        }
    }

    #[test]
    fn programs_have_room_for_all_calls() {
        for hash in [K64, KECCAK, BLAKE3] {
            for (queries, words, depth) in [(1, 1, 1), (2, 34, 3), (5, 68, 10), (100, 1_312, 16)] {
                let program = GridProgram::new(grid(hash, queries, words, depth, 2)).unwrap();
                assert_eq!(program.shape.log_calls, log_calls(&program.grid));
                let all = queries.next_power_of_two() * program.calls() / queries;
                assert!(all <= 1 << program.shape.log_calls);
                assert!(all.max(5) > 1 << (program.shape.log_calls - 1));
                assert!(program.bound.sum() >= MIN_BITS);
            }
        }
    }

    /// One reason each, with the nearest openings that are in a batch.
    #[test]
    fn other_openings_are_refused_by_name() {
        let of = |grid| GridProgram::new(grid).map(|_| ());
        let refused = |error: OpeningsError| Err(ShapeError::Openings(error));
        for words in [35, 36, 69, 1_328] {
            assert_eq!(
                of(grid(K64, 2, words, 3, 0)),
                refused(OpeningsError::Row(words))
            );
            for hash in [KECCAK, BLAKE3] {
                assert_eq!(of(grid(hash, 2, words, 3, 0)), Ok(()));
            }
        }
        for words in [1, 2, 33, 34, 37, 38, 67, 68, 1_312, 2_633] {
            assert_eq!(of(grid(K64, 2, words, 3, 0)), Ok(()));
        }
        for hash in [K64, KECCAK, BLAKE3] {
            assert_eq!(of(grid(hash, 2, 4, 3, 8)), Ok(()));
            assert_eq!(of(grid(hash, 2, 4, 3, 9)), refused(OpeningsError::Cap(9)));
        }
        // Eight steps of 2^14 queries.
        let most = Hash::KeccakRate.max_calls();
        assert_eq!(of(grid(KECCAK, most / 8, 1, 7, 0)), Ok(()));
        let error = OpeningsError::Calls {
            hash: Hash::KeccakRate,
            found: 2 * most,
            most,
        };
        assert_eq!(of(grid(KECCAK, most / 8 + 1, 1, 7, 0)), refused(error));
    }

    /// The bits of a batch are those of all its errors together.
    #[test]
    fn batches_of_few_bits_are_refused() {
        let mut bound = GridProgram::new(grid(KECCAK, 2, 1, 3, 0)).unwrap().bound;
        let mut term = bound.terms[0];
        term.bits = 100.9;
        bound.terms = vec![term];
        assert_eq!(check_bits(&bound), Ok(()));
        bound.terms.push(term);
        assert_eq!(bound.bits(), 100);
        assert_eq!(check_bits(&bound), Err(OpeningsError::Bits(99)));
    }

    /// The openings of proofs of Plonky3's Keccak AIR with challenges in `E`.
    fn of_proofs<E: SymbolicField>(trees: TreesId) -> Result<Grid, ShapeError> {
        let (names, airs) = (["table_0".to_owned()], [KeccakAir {}]);
        let lookups = [Lookups::<E::Base>::default()];
        let sources = TableSource::list(&names, &airs, &lookups, &[5]).unwrap();
        let evaluators = generate::<E, KeccakAir>(&sources).unwrap();
        let settings = FriSettings::toy();
        let shape = FriShape::new(Protocol::Uni, trees, settings, 0, &evaluators, &[5]);
        grid_of(&shape.unwrap())
    }

    #[test]
    fn openings_of_hashes_of_bytes_are_in_a_batch() {
        let bytes = [
            (TreesId::KeccakSponge, K64),
            (TreesId::Suite(HashId::Keccak), KECCAK),
            (TreesId::Suite(HashId::Blake3), BLAKE3),
        ];
        for (trees, hash) in bytes {
            let grid = of_proofs::<EF4>(trees).unwrap();
            let found = (grid.hash, grid.queries, grid.index_bits);
            // Of 2^5 rows at blowup 4.
            assert_eq!(found, (hash, 4, 7));
            assert_eq!(grid.places.inputs.len(), hash_of(hash).input_elements());
            assert_eq!(grid.places.outputs.len(), hash_of(hash).output_elements());
            // The calls are about words, whatever elements have them.
            assert_eq!(of_proofs::<BabyBear4>(trees), Ok(grid));
        }
        // Eight values of five coefficients are folded at once.
        let error = ShapeError::Openings(OpeningsError::Row(40));
        assert_eq!(of_proofs::<EF>(TreesId::KeccakSponge), Err(error));
        for trees in [TreesId::Poseidon2Narrow, TreesId::Poseidon2Wide] {
            let error = ShapeError::Openings(OpeningsError::Trees(trees.name()));
            assert_eq!(of_proofs::<EF4>(trees), Err(error));
        }
    }

    #[test]
    fn text_has_both_functions() {
        for hash in [K64, KECCAK, BLAKE3] {
            let program = GridProgram::new(grid(hash, 2, 40 - 6, 3, 1)).unwrap();
            let text = program.text();
            let shape =
                "pub fn openings_shape() -> OpeningsShape {\nOpeningsShape {\n    domain: vec![";
            assert!(text.contains(shape), "{text}");
            let grid =
                format!("pub fn grid() -> Grid {{\nGrid {{\n    hash: {hash},\n    queries: 2,\n");
            assert!(text.contains(&grid), "{text}");
            // Each list is one, and no name is that of the other shape.
            assert_eq!(text.matches("vec![").count(), text.matches('[').count());
            assert_eq!(text.matches(" Shape {").count(), 0);
            assert_eq!(text.matches("\nShape {").count(), 0);
        }
    }
}
