//! What verifying a proof costs in-circuit: one row of figures.

use std::path::Path;

use droste_verifier::aggregate::Aggregator;
use droste_verifier::cost::{Cost, Request, canonical_steps, measure};
use droste_verifier::summary::StepSummary;
use pyo3::prelude::*;
use serde::Serialize;

use crate::arguments::{parse, settings};
use crate::compute::compute;
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

/// Measures one row in this process; `droste.cost` calls it in a process of its own.
#[pyfunction]
#[pyo3(signature = (
    program, public, *, inner_hash, inner_preset, queries, blowup, outer_preset, memory,
    execute_only, canonical, limit
))]
#[allow(clippy::too_many_arguments, reason = "keyword arguments of Python")]
pub fn cost_row(
    py: Python<'_>,
    program: &Program,
    public: &Bound<'_, PyAny>,
    inner_hash: &str,
    inner_preset: Option<&str>,
    queries: Option<usize>,
    blowup: usize,
    outer_preset: &str,
    memory: usize,
    execute_only: bool,
    canonical: bool,
    limit: u64,
) -> PyResult<Record<Row>> {
    let inner_hash = parse(inner_hash)?;
    let inner = settings(inner_preset, queries, blowup)?;
    let aggregator = Aggregator::for_preset(parse(outer_preset)?, 2);
    let run = Run::new(program, Some(public), None, limit)?;
    let name = Path::new(&program.name).file_stem().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    let row = compute(py, move || {
        let execution = run.execute()?;
        let request = Request {
            name: &name,
            program: &run.compiled.program,
            execution: &execution,
            inner: inner.into(),
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
    Ok(Record(row))
}
