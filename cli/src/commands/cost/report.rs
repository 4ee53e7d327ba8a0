//! The report of `droste cost`: a page with charts of all rows.

use serde::Serialize;

use super::rows::Rows;
use crate::page::Page;

/// Observable Plot, which draws the charts.
const PLOT: &str = include_str!("../../../assets/plot/plot.min.js");
const PLOT_LICENCES: &str = include_str!("../../../assets/plot/LICENSES.txt");
const CHARTS: &str = include_str!("../../../assets/charts.js");
const COST: &str = include_str!("../../../assets/cost.js");

/// What the page shows.
#[derive(Serialize)]
struct Data<'a> {
    /// The file that each row was read from; none if it was just measured.
    sources: &'a [Option<String>],
    /// As `--format json` prints them.
    rows: &'a Rows,
}

/// The page for these rows, each with the name of its file.
pub fn page(sources: &[Option<String>], rows: &Rows) -> Result<String, serde_json::Error> {
    let page = Page {
        title: "What verifying a proof costs",
        scripts: &[PLOT, CHARTS, COST],
        licences: PLOT_LICENCES,
    };
    page.with(&Data { sources, rows })
}
