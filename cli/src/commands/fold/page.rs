//! The report of `droste fold inspect`: a page with what a fold says.

use std::path::Path;

use droste_verifier::summary::{Evidence, FoldSummary};
use serde::Serialize;

use super::{Summary, text_of};
use crate::page::Page;

const FOLD: &str = include_str!("../../../assets/fold.js");

/// What the page shows.
#[derive(Serialize)]
struct Data<'a> {
    /// The fold's file.
    file: String,
    /// Why its key is trusted, in words.
    keys_are: &'static str,
    /// Whether it is only claimed by the file.
    claimed: bool,
    rule_name: Option<&'a str>,
    says: &'a FoldSummary,
}

/// The page for what a fold says.
pub fn page(file: &Path, summary: &Summary) -> Result<String, serde_json::Error> {
    let says = &summary.says;
    let page = Page {
        title: "What a fold says",
        scripts: &[FOLD],
        licences: "",
    };
    page.with(&Data {
        file: file.display().to_string(),
        keys_are: text_of(says.keys_are),
        claimed: says.keys_are == Evidence::Claimed,
        rule_name: summary.rule_name.as_deref(),
        says,
    })
}
