//! Draws profiles.

use inferno::flamegraph::{Options, from_lines};
use thiserror::Error;

use super::{Weight, folded};
use crate::compiler::Compiled;
use crate::record::Execution;

/// Why a flame graph could not be drawn.
#[derive(Debug, Error)]
#[error("cannot draw the flame graph: {0}")]
pub struct ProfileError(String);

/// Draws the flame graph of a run by functions and their lines, as SVG.
///
/// # Errors
///
/// If the drawing library fails, which it does for a run without cycles.
pub fn flame_graph(
    compiled: &Compiled,
    execution: &Execution,
    weight: &Weight,
) -> Result<String, ProfileError> {
    let lines: Vec<String> = folded(compiled, execution, weight, true)
        .into_iter()
        .map(|(stack, cost)| format!("{stack} {cost}"))
        .collect();
    let mut options = Options::default();
    options.count_name = weight.unit().into();
    let mut svg = Vec::new();
    let lines = lines.iter().map(String::as_str);
    from_lines(&mut options, lines, &mut svg).map_err(|error| ProfileError(error.to_string()))?;
    String::from_utf8(svg).map_err(|error| ProfileError(error.to_string()))
}
