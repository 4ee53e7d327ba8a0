//! Merkle trees over rows of field elements, as proofs have them.

use droste_native::stark::suite::SuiteCap;
use droste_native::{Commitment, DIGEST, F, HashId, HashSuite, with_suite};
use p3_commit::{BatchOpeningRef, Mmcs};
use p3_field::{PrimeField32, integers::QuotientMap};
use p3_matrix::Dimensions;
use p3_matrix::dense::RowMajorMatrix;
use pyo3::prelude::*;

use crate::arguments::parse;
use crate::arrays::{array, byte_rows, element_list, element_result, elements};
use crate::compute::{compute, compute_briefly};
use crate::error::{Error, Kind};
use crate::extract::{self, expected};

/// Most rows of a tree that a path is verified in.
const TALLEST: usize = 1 << 32;

/// A row of a committed matrix and its path: two arrays of numpy.
type Opening<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A digest as 32 bytes: elements as little-endian integers of 4 bytes.
trait Digest: Sized {
    fn to_bytes(&self) -> [u8; 32];
    fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Error>;
}

impl Digest for [u8; 32] {
    fn to_bytes(&self) -> [u8; 32] {
        *self
    }

    fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Error> {
        Ok(*bytes)
    }
}

impl Digest for [F; DIGEST] {
    fn to_bytes(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        for (word, element) in bytes.as_chunks_mut().0.iter_mut().zip(self) {
            *word = element.as_canonical_u32().to_le_bytes();
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; 32]) -> Result<Self, Error> {
        let mut elements = [F::new(0); DIGEST];
        for (element, word) in elements.iter_mut().zip(bytes.as_chunks().0) {
            let value = u32::from_le_bytes(*word);
            *element = F::from_canonical_checked(value)
                .ok_or_else(|| Error::usage("a digest that is not of field elements"))?;
        }
        Ok(elements)
    }
}

/// A suite whose digests are 32 bytes, and whose openings are lists of them.
trait Suite: HashSuite<Digest: Digest, ValMmcs: Mmcs<F, Proof = Vec<Self::Digest>>> {}

impl<H: HashSuite<Digest: Digest, ValMmcs: Mmcs<F, Proof = Vec<H::Digest>>>> Suite for H {}

/// A committed matrix, of any hash.
trait Committed: Send + Sync {
    /// The digests of the cap.
    fn cap(&self) -> Vec<[u8; 32]>;

    /// The row at an index below the height, and its path, the leaf's sibling first.
    fn open(&self, index: usize) -> (Vec<F>, Vec<[u8; 32]>);
}

struct Tree<H: HashSuite> {
    mmcs: H::ValMmcs,
    cap: Commitment<H>,
    data: <H::ValMmcs as Mmcs<F>>::ProverData<RowMajorMatrix<F>>,
}

impl<H: Suite> Committed for Tree<H> {
    fn cap(&self) -> Vec<[u8; 32]> {
        self.cap.digests().iter().map(Digest::to_bytes).collect()
    }

    fn open(&self, index: usize) -> (Vec<F>, Vec<[u8; 32]>) {
        let opening = self.mmcs.open_batch(index, &self.data);
        let path = opening.opening_proof.iter().map(Digest::to_bytes);
        (opening.opened_values.concat(), path.collect())
    }
}

fn commit<H: Suite>(rows: RowMajorMatrix<F>, cap_height: usize) -> Box<dyn Committed> {
    let mmcs = H::val_mmcs(cap_height);
    let (cap, data) = mmcs.commit(vec![rows]);
    Box::new(Tree::<H> { mmcs, cap, data })
}

/// What a path shows: that `row` is the row at `index` of a matrix of these dimensions.
struct Path {
    cap: Vec<[u8; 32]>,
    dimensions: Dimensions,
    index: usize,
    row: Vec<F>,
    siblings: Vec<[u8; 32]>,
}

impl Path {
    fn verify<H: Suite>(&self) -> Result<(), Error> {
        let digests = |list: &[[u8; 32]]| -> Result<Vec<H::Digest>, Error> {
            list.iter().map(Digest::from_bytes).collect()
        };
        let cap = Commitment::<H>::from_digests(digests(&self.cap)?);
        let mmcs = H::val_mmcs(self.cap.len().ilog2() as usize);
        let siblings = digests(&self.siblings)?;
        let rows = [self.row.clone()];
        let opening = BatchOpeningRef::new(&rows, &siblings);
        mmcs.verify_batch(&cap, &[self.dimensions], self.index, opening)
            .map_err(|error| Error::new(Kind::Verify, error.to_string()))
    }
}

/// A Merkle tree over the rows of a matrix of field elements, as the commitments of proofs are.
///
/// Digests are arrays of 8 `uint32` in Poseidon-16 and of 32 `uint8` in Blake3 and Keccak.
#[pyclass(frozen, module = "droste")]
pub struct MerkleTree {
    hash: HashId,
    /// Number of field elements of a row.
    #[pyo3(get)]
    width: usize,
    /// Number of rows.
    #[pyo3(get)]
    height: usize,
    tree: Box<dyn Committed>,
}

#[pymethods]
impl MerkleTree {
    /// Commits to a matrix.
    ///
    /// Args:
    ///     hash: `poseidon16`, `poseidon2`, `blake3` or `keccak`.
    ///     rows: field elements of shape (height, width), a leaf per row.
    ///     cap_height: the commitment is the layer of `2**cap_height` digests, or the leaves if
    ///         there are fewer.
    #[new]
    #[pyo3(signature = (hash, rows, *, cap_height=0))]
    fn new(
        #[pyo3(from_py_with = extract::text)] hash: &str,
        rows: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = extract::integer)] cap_height: usize,
    ) -> PyResult<Self> {
        let py = rows.py();
        let hash = parse(hash)?;
        if cap_height > 16 {
            let message = format!("the cap's height is {cap_height}, expected at most 16");
            return Err(Error::usage(message).into());
        }
        let (shape, elements) = elements(rows)?;
        let (&[height, width], true) = (&*shape, !elements.is_empty()) else {
            let what = "field elements of two dimensions, at least one row";
            return Err(expected(rows, what));
        };
        let tree = compute(py, move || {
            let rows = RowMajorMatrix::new(elements, width);
            Ok(with_suite!(hash, H => commit::<H>(rows, cap_height)))
        })?;
        Ok(Self {
            hash,
            width,
            height,
            tree,
        })
    }

    /// The hash's name.
    #[getter]
    fn hash(&self) -> &'static str {
        self.hash.name()
    }

    /// The commitment: the digests of one layer.
    #[getter]
    fn cap<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        digest_array(py, self.hash, &self.tree.cap())
    }

    /// Returns the row at an index and its path: the digests of the siblings, the leaf's first.
    fn open<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = extract::integer)] index: usize,
    ) -> PyResult<Opening<'py>> {
        if index >= self.height {
            let height = self.height;
            let message = format!("row {index} of a tree of {height} rows");
            return Err(Error::usage(message).into());
        }
        let (row, path) = compute_briefly(py, || Ok(self.tree.open(index)))?;
        Ok((
            element_result(py, &row, &[row.len()])?,
            digest_array(py, self.hash, &path)?,
        ))
    }

    /// Verifies that a row is the row at an index of the committed matrix.
    ///
    /// The caller must know hash, cap, height, width and index; only row and path may come from
    /// whoever opens.
    ///
    /// Raises:
    ///     VerifyError: The row or the path is wrong.
    #[staticmethod]
    #[pyo3(signature = (hash, cap, height, width, index, row, path))]
    #[allow(
        clippy::too_many_arguments,
        reason = "all of them identify one opening"
    )]
    fn verify(
        py: Python<'_>,
        #[pyo3(from_py_with = extract::text)] hash: &str,
        cap: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = extract::integer)] height: usize,
        #[pyo3(from_py_with = extract::integer)] width: usize,
        #[pyo3(from_py_with = extract::integer)] index: usize,
        row: &Bound<'_, PyAny>,
        path: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let hash = parse(hash)?;
        let path = Path {
            cap: digest_list(hash, cap)?,
            dimensions: Dimensions { width, height },
            index,
            row: element_list(row)?,
            siblings: digest_list(hash, path)?,
        };
        if !(1..=TALLEST).contains(&height) {
            let message = format!("a tree of {height} rows, expected 1 to 2^32");
            return Err(Error::usage(message).into());
        }
        if !path.cap.len().is_power_of_two() {
            let found = path.cap.len();
            let message = format!("a cap of {found} digests, expected a power of two");
            return Err(Error::usage(message).into());
        }
        compute_briefly(py, || with_suite!(hash, H => path.verify::<H>()))
    }
}

fn digest_array<'py>(
    py: Python<'py>,
    hash: HashId,
    digests: &[[u8; 32]],
) -> PyResult<Bound<'py, PyAny>> {
    let data = digests.concat();
    if hash.is_of_bytes() {
        array(py, &data, "uint8", &[digests.len(), 32])
    } else {
        array(py, &data, "<u4", &[digests.len(), DIGEST])
    }
}

fn digest_list(hash: HashId, object: &Bound<'_, PyAny>) -> PyResult<Vec<[u8; 32]>> {
    if hash.is_of_bytes() {
        let (_, length, bytes) = byte_rows(object)?;
        if length != 32 {
            return Err(expected(object, "digests: uint8 of shape (n, 32)"));
        }
        Ok(bytes.as_chunks::<32>().0.to_vec())
    } else {
        let (shape, elements) = elements(object)?;
        if !matches!(*shape, [_, DIGEST]) {
            return Err(expected(object, "digests: uint32 of shape (n, 8)"));
        }
        let digests = elements.as_chunks::<DIGEST>().0;
        Ok(digests.iter().map(Digest::to_bytes).collect())
    }
}
