//! Arguments that Python gives: what they are, or the [`Error`] for what they are not.
//!
//! pyo3's own conversions raise `TypeError`, `ValueError` or `OverflowError`, and take `True` for
//! an integer. Parameters name a function of this module by `from_py_with`; pyo3 then adds the
//! parameter's name to the error.

use std::path::PathBuf;

use droste_native::F;
use p3_field::PrimeField32;
use p3_field::integers::QuotientMap;
use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyMapping, PyString};
use serde::de::DeserializeOwned;

use crate::error::Error;

/// Longest text of a number that an error has.
const LONGEST: usize = 80;

/// The error for something of a wrong type or shape.
pub fn expected(object: &Bound<'_, PyAny>, what: &str) -> PyErr {
    let mut found = type_of(object);
    if let Ok(shape) = object.getattr("shape") {
        found.push_str(&format!(" of shape {shape}"));
    }
    Error::usage(format!("{found} was given, expected {what}")).into()
}

fn type_of(object: &Bound<'_, PyAny>) -> String {
    match object.get_type().name() {
        Ok(name) => name.to_string(),
        Err(_) => "an object".to_owned(),
    }
}

/// A number, a truth value or text as it is written, if that is short; of anything else the type.
fn shown(object: &Bound<'_, PyAny>) -> String {
    let is_written = object.is_instance_of::<PyInt>()
        || object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyString>();
    // Integers of thousands of digits have no text.
    let text = is_written.then(|| object.str().ok()).flatten();
    let text = text.map(|text| text.to_string_lossy().into_owned());
    match text.filter(|text| text.len() <= LONGEST) {
        Some(text) => format!("`{text}`"),
        None => type_of(object),
    }
}

/// Text.
pub fn text<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    let text = object.cast::<PyString>();
    let text = text.map_err(|_| expected(object, "text"))?;
    // Of text with half a surrogate pair there is no UTF-8.
    text.to_str()
        .map_err(|_| expected(object, "text that can be encoded in UTF-8"))
}

/// Text that outlives the call.
pub fn owned_text(object: &Bound<'_, PyAny>) -> PyResult<String> {
    text(object).map(str::to_owned)
}

/// Text, or `None`.
pub fn optional_text<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<&'a str>> {
    optional(object, text)
}

/// `True` or `False`.
pub fn flag(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let flag = object.extract::<bool>();
    flag.map_err(|_| expected(object, "True or False"))
}

/// An integer that `T` has, which is unsigned. `True` is none.
pub fn integer<T: TryFrom<u64>>(object: &Bound<'_, PyAny>) -> PyResult<T> {
    unsigned(object).ok_or_else(|| {
        let (found, bits) = (shown(object), 8 * size_of::<T>());
        let message = format!("{found} was given, expected an integer from 0 to 2^{bits} - 1");
        Error::usage(message).into()
    })
}

/// An integer, or `None`.
pub fn optional_integer<T: TryFrom<u64>>(object: &Bound<'_, PyAny>) -> PyResult<Option<T>> {
    optional(object, integer)
}

fn unsigned<T: TryFrom<u64>>(object: &Bound<'_, PyAny>) -> Option<T> {
    if object.is_instance_of::<PyBool>() {
        return None;
    }
    let integer = object.extract::<u64>().ok()?;
    T::try_from(integer).ok()
}

/// A field element, as a canonical integer.
pub fn element(object: &Bound<'_, PyAny>) -> PyResult<F> {
    let element = unsigned::<u32>(object).and_then(F::from_canonical_checked);
    element.ok_or_else(|| no_element(&shown(object)).into())
}

/// The field element with this canonical integer.
pub fn canonical(value: u32) -> Result<F, Error> {
    F::from_canonical_checked(value).ok_or_else(|| no_element(&format!("`{value}`")))
}

fn no_element(found: &str) -> Error {
    let last = F::ORDER_U32 - 1;
    Error::usage(format!(
        "{found} is not a field element: expected an integer from 0 to {last}"
    ))
}

/// A path: text, or what has one.
pub fn path(object: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    let path = object.extract::<PathBuf>();
    path.map_err(|_| expected(object, "a path"))
}

/// A path, or `None`.
pub fn optional_path(object: &Bound<'_, PyAny>) -> PyResult<Option<PathBuf>> {
    optional(object, path)
}

/// An object of a class of this module.
pub fn instance<'a, 'py, T: PyClass>(object: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, T>> {
    let instance = object.cast::<T>();
    instance.map_err(|_| expected(object, &format!("a {}", <T as PyClass>::NAME)))
}

/// An object of a class of this module, or `None`.
pub fn optional_instance<'a, 'py, T: PyClass>(
    object: &'a Bound<'py, PyAny>,
) -> PyResult<Option<&'a Bound<'py, T>>> {
    optional(object, instance)
}

/// Something that can be called, or `None`.
pub fn optional_callable(object: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    optional(object, |object| {
        if object.is_callable() {
            Ok(object.clone().unbind())
        } else {
            Err(expected(object, "a function"))
        }
    })
}

/// `None`, or what `extract` makes of anything else.
fn optional<'a, 'py, T>(
    object: &'a Bound<'py, PyAny>,
    extract: impl FnOnce(&'a Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Option<T>> {
    if object.is_none() {
        Ok(None)
    } else {
        extract(object).map(Some)
    }
}

/// The items of a list, a tuple or another sequence. A set has no order; a dictionary, text and
/// bytes are no lists of anything that is expected here.
pub fn list<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    items(object).ok_or_else(|| expected(object, "a list or a tuple"))
}

/// The items of a sequence, if it is one.
pub fn items<'py>(object: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    let has = |name| object.hasattr(name).unwrap_or(false);
    let is_other = object.is_instance_of::<PyString>()
        || object.is_instance_of::<PyBytes>()
        || object.is_instance_of::<PyByteArray>()
        || object.cast::<PyMapping>().is_ok();
    if is_other || !has("__getitem__") || !has("__len__") {
        return None;
    }
    let items = object.try_iter().ok()?;
    items.collect::<PyResult<_>>().ok()
}

/// The items of a sequence, or `None`.
pub fn optional_list<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    optional(object, list)
}

/// Lists of lists.
pub fn lists<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Vec<Bound<'py, PyAny>>>> {
    list(object)?.iter().map(list).collect()
}

/// A list of text.
pub fn texts(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    list(object)?.iter().map(owned_text).collect()
}

/// A list of integers.
pub fn integers<T: TryFrom<u64>>(object: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    list(object)?.iter().map(integer).collect()
}

/// A list of objects of a class of this module.
pub fn instances<'py, T: PyClass>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, T>>> {
    let items = list(object)?;
    items.iter().map(|item| instance(item).cloned()).collect()
}

/// Two things.
pub type Pair<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A list of pairs.
pub fn pairs<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Pair<'py>>> {
    let pair = |item: &Bound<'py, PyAny>| -> PyResult<Pair<'py>> {
        let [left, right] = parts(item, "a pair")?;
        Ok((left, right))
    };
    list(object)?.iter().map(pair).collect()
}

/// The parts of a tuple or list of so many.
pub fn parts<'py, const N: usize>(
    object: &Bound<'py, PyAny>,
    what: &str,
) -> PyResult<[Bound<'py, PyAny>; N]> {
    let parts = items(object).and_then(|items| items.try_into().ok());
    parts.ok_or_else(|| expected(object, what))
}

/// What dictionaries, lists, text and numbers stand for. They go through JSON, which tells `True`
/// from one, and has no sets; integers of numpy are integers there.
///
/// # Errors
/// What is wrong, after the words of `what`.
pub fn record<T: DeserializeOwned>(object: &Bound<'_, PyAny>, what: &str) -> PyResult<T> {
    let wrong = |error: &dyn std::fmt::Display| Error::usage(format!("{what}: {error}"));
    let json = json(object).map_err(|error| wrong(&error.value(object.py())))?;
    let mut json = serde_json::Deserializer::from_str(&json);
    Ok(serde_path_to_error::deserialize(&mut json).map_err(|error| wrong(&error))?)
}

fn json(object: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = object.py();
    let options = PyDict::new(py);
    options.set_item("default", py.import("operator")?.getattr("index")?)?;
    options.set_item("allow_nan", false)?;
    let json = py.import("json")?;
    owned_text(&json.call_method("dumps", (object,), Some(&options))?)
}
