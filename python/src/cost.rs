//! What verifying a proof costs in-circuit: one row of figures.

use std::path::Path;

use droste_verifier::aggregate::Aggregator;
use droste_verifier::circuit::Openings;
use droste_verifier::cost::{Cost, Request, canonical_steps, measure};
use droste_verifier::program_keys::fitting;
use droste_verifier::summary::StepSummary;
use pyo3::prelude::*;
use serde::Serialize;

use crate::arguments::{parse, stack_settings};
use crate::compute::compute;
use crate::extract;
use crate::program::{Program, Run};
use crate::records::Record;

/// One row, with the fields that `droste cost --format json` prints.
#[derive(Serialize)]
pub struct Row {
    #[serde(flatten)]
    figures: Cost,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<Vec<StepSummary>>,
}

/// Measures one row in this process; `droste.cost` calls it in a process of its own. Before, it
/// only checks the arguments.
#[pyfunction]
#[pyo3(signature = (
    program, public, hints, *, inner_hash, inner_stack, inner_preset, queries, blowup,
    outer_preset, memory, execute_only, canonical, limit, only_check
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn cost_row(
    py: Python<'_>,
    #[pyo3(from_py_with = extract::instance)] program: &Bound<'_, Program>,
    public: &Bound<'_, PyAny>,
    hints: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = extract::text)] inner_hash: &str,
    #[pyo3(from_py_with = extract::optional_text)] inner_stack: Option<&str>,
    #[pyo3(from_py_with = extract::optional_text)] inner_preset: Option<&str>,
    #[pyo3(from_py_with = extract::optional_integer)] queries: Option<usize>,
    #[pyo3(from_py_with = extract::integer)] blowup: usize,
    #[pyo3(from_py_with = extract::text)] outer_preset: &str,
    #[pyo3(from_py_with = extract::integer)] memory: usize,
    #[pyo3(from_py_with = extract::flag)] execute_only: bool,
    #[pyo3(from_py_with = extract::flag)] canonical: bool,
    #[pyo3(from_py_with = extract::integer)] limit: u64,
    #[pyo3(from_py_with = extract::flag)] only_check: bool,
) -> PyResult<Option<Record<Row>>> {
    let inner_hash = parse(inner_hash)?;
    let inner = stack_settings(inner_hash, inner_stack, inner_preset, queries, blowup)?;
    let aggregator = Aggregator::for_preset(parse(outer_preset)?, 2);
    let program = program.get();
    let run = Run::new(program, Some(public), Some(hints), limit)?;
    if only_check {
        return Ok(None);
    }
    let name = Path::new(&program.name).file_stem().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let row = compute(py, move || {
        let execution = run.execute()?;
        let inner = fitting(inner, &*run.compiled, &execution)?;
        let request = Request {
            name: &name,
            program: &run.compiled.program,
            execution: &execution,
            inner,
            openings: Openings::Tables,
            outer: *aggregator.intermediate_settings(),
            memory,
            execute_only,
        };
        let (figures, _) = measure(&request, inner_hash)?;
        let canonical = canonical.then(|| canonical_steps(&request, inner_hash, &aggregator));
        Ok(Row {
            figures,
            canonical: canonical.transpose()?,
        })
    })?;
    Ok(Some(Record(row)))
}
