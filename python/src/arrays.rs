//! Bytes, field elements and limbs that come from Python, and arrays that go there.
//!
//! What comes in is copied before the interpreter lock is released, since other threads may change
//! an array meanwhile; only `bytes`, which never change, are not. Arrays are read through
//! `memoryview`: the buffer protocol is not in the stable interface of Python 3.10.

use droste_native::F;
use p3_field::PrimeField32;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyTuple};

use crate::error::Error;
use crate::extract::{canonical, element, expected, items};

/// Most rows of an array without bytes. Nothing bounds its lengths but what is asked of them.
const MOST_EMPTY_ROWS: usize = 1 << 16;

/// An array as it lies in memory, row after row.
pub struct Array {
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// Type of the elements, in the notation of Python's module `struct`.
    format: String,
    /// Bytes of an element.
    size: usize,
    data: PyBackedBytes,
}

impl Array {
    /// Reads any object with a buffer; `None` if it has none.
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let Ok(view) = PyMemoryView::from(object) else {
            return Ok(None);
        };
        if !view.getattr("c_contiguous")?.extract::<bool>()? {
            let message = "the array is not contiguous: pass numpy.ascontiguousarray(array)";
            return Err(Error::usage(message).into());
        }
        let bytes = match object.cast::<PyBytes>() {
            Ok(bytes) => bytes.clone(),
            Err(_) => view.call_method0("tobytes")?.cast_into::<PyBytes>()?,
        };
        let shape: Vec<usize> = view.getattr("shape")?.extract()?;
        let rows = (shape.iter()).fold(1_usize, |all, &length| all.saturating_mul(length.max(1)));
        if bytes.as_bytes().is_empty() && rows > MOST_EMPTY_ROWS {
            let what = format!("bytes, or at most {MOST_EMPTY_ROWS} rows without");
            return Err(expected(object, &what));
        }
        Ok(Some(Self {
            shape,
            format: view.getattr("format")?.extract()?,
            size: view.getattr("itemsize")?.extract()?,
            data: bytes.into(),
        }))
    }

    /// The type of the elements, without the mark of little-endian order.
    fn format(&self) -> &str {
        let native = if cfg!(target_endian = "little") {
            '<'
        } else {
            '>'
        };
        self.format.trim_start_matches([native, '=', '@'])
    }

    /// Checks that the elements are unsigned integers of this many bytes.
    fn check(&self, size: usize, expected: &str) -> PyResult<()> {
        let unsigned = matches!(self.format(), "B" | "I" | "L" | "Q");
        if unsigned && self.size == size {
            return Ok(());
        }
        let (found, size) = (&self.format, self.size);
        let message = format!("an array of type `{found}` ({size} bytes), expected {expected}");
        Err(Error::usage(message).into())
    }
}

/// Bytes from `bytes`, `bytearray`, `memoryview` or a contiguous array of `uint8`.
pub fn bytes(object: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    let array = Array::new(object)?;
    let array = array.ok_or_else(|| expected(object, "bytes or an array of uint8"))?;
    array.check(1, "bytes or an array of uint8")?;
    Ok(array.data)
}

/// Rows of bytes from a contiguous array of `uint8` of two dimensions: their length, and all of
/// them.
pub fn byte_rows(object: &Bound<'_, PyAny>) -> PyResult<(usize, usize, PyBackedBytes)> {
    let what = "an array of uint8 of two dimensions, a row per message";
    let array = Array::new(object)?.ok_or_else(|| expected(object, what))?;
    array.check(1, what)?;
    match *array.shape {
        [count, length] => Ok((count, length, array.data)),
        _ => Err(expected(object, what)),
    }
}

/// Field elements with their shape: from a contiguous array of `uint32`, or from a sequence of
/// integers.
pub fn elements(object: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<F>)> {
    let Some(array) = Array::new(object)? else {
        let what = "field elements: a sequence of integers or an array";
        let items = items(object).ok_or_else(|| expected(object, what))?;
        let elements = items.iter().map(element).collect::<PyResult<Vec<F>>>()?;
        return Ok((vec![elements.len()], elements));
    };
    array.check(4, "uint32, one for each field element")?;
    let words = array.data.as_chunks().0.iter().copied();
    let elements = words.map(u32::from_ne_bytes).map(canonical);
    Ok((array.shape, elements.collect::<Result<_, _>>()?))
}

/// A list of field elements: an array of one dimension, or a sequence of integers.
pub fn element_list(object: &Bound<'_, PyAny>) -> PyResult<Vec<F>> {
    match elements(object)? {
        (shape, elements) if shape.len() == 1 => Ok(elements),
        _ => Err(expected(object, "field elements of one dimension")),
    }
}

/// As many field elements as the array has.
pub fn element_array<const N: usize>(object: &Bound<'_, PyAny>) -> PyResult<[F; N]> {
    element_list(object)?.try_into().map_err(|list: Vec<F>| {
        let found = list.len();
        Error::usage(format!("{found} field elements, expected {N}")).into()
    })
}

/// Limbs of 64 bits with their shape, from a contiguous array of `uint64`.
pub fn limbs(object: &Bound<'_, PyAny>) -> PyResult<(Vec<usize>, Vec<u64>)> {
    let what = "an array of uint64, the lowest limb of each integer first";
    let array = Array::new(object)?.ok_or_else(|| expected(object, what))?;
    array.check(8, what)?;
    let limbs = array.data.as_chunks().0.iter().copied();
    Ok((array.shape, limbs.map(u64::from_ne_bytes).collect()))
}

/// An array of numpy with these bytes as its elements, which the caller may change.
pub fn array<'py>(
    py: Python<'py>,
    data: &[u8],
    dtype: &str,
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let data = PyByteArray::new(py, data);
    let flat = py
        .import("numpy")?
        .call_method1("frombuffer", (data, dtype))?;
    flat.call_method1("reshape", (PyTuple::new(py, shape)?,))
}

/// An array of `uint32` of field elements.
pub fn element_result<'py>(
    py: Python<'py>,
    elements: &[F],
    shape: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    let words = elements.iter().map(F::as_canonical_u32);
    let data: Vec<u8> = words.flat_map(u32::to_ne_bytes).collect();
    array(py, &data, "uint32", shape)
}
