//! The report of `droste inspect`: a page with the tree of keys and statements of an aggregate.

use std::collections::HashMap;
use std::path::Path;

use droste_verifier::summary::{AggregateSummary, Evidence, Node, RecursionKey};
use serde::Serialize;

use crate::page::Page;
use crate::trust::text_of;

const TREE: &str = include_str!("../../assets/tree.js");
const INSPECT: &str = include_str!("../../assets/inspect.js");

/// What the page shows. A tree of 65,536 leaves has few keys, so nodes name them by their place.
#[derive(Serialize)]
struct Data<'a> {
    /// The aggregate's file.
    file: String,
    key: &'a str,
    claim: &'a str,
    /// Why the recursion keys are trusted, in words.
    keys_are: &'static str,
    /// Whether they are only claimed by the file.
    claimed: bool,
    proven_bits: usize,
    tree_bits: usize,
    proofs: u64,
    blowup: usize,
    queries: usize,
    proof_bytes: usize,
    recursion_keys: &'a [RecursionKey],
    /// Every key of the tree, in the order in which they appear.
    keys: Vec<&'a str>,
    /// Place of its key and number of children of each node, parents before children.
    nodes: Vec<(usize, usize)>,
    /// Statements of the leaves, in order.
    statements: Vec<&'a [u32]>,
}

/// The page for what an aggregate says.
pub fn page(file: &Path, summary: &AggregateSummary) -> Result<String, serde_json::Error> {
    let page = Page {
        title: "What an aggregate claims",
        scripts: &[TREE, INSPECT],
        licences: "",
    };
    page.with(&Data::new(file, summary))
}

impl<'a> Data<'a> {
    fn new(file: &Path, summary: &'a AggregateSummary) -> Self {
        let mut data = Self {
            file: file.display().to_string(),
            key: &summary.key,
            claim: &summary.claim,
            keys_are: text_of(summary.keys_are),
            claimed: summary.keys_are == Evidence::Claimed,
            proven_bits: summary.proven_bits,
            tree_bits: summary.tree_bits,
            proofs: summary.proofs,
            blowup: summary.blowup,
            queries: summary.queries,
            proof_bytes: summary.proof_bytes,
            recursion_keys: &summary.recursion_keys,
            keys: vec![],
            nodes: vec![],
            statements: vec![],
        };
        let mut places = HashMap::new();
        // A chain may be as deep as it likes, so this does not recurse.
        let mut rest = vec![&summary.tree];
        while let Some(node) = rest.pop() {
            let (Node::Leaf { key, .. } | Node::Inner { key, .. }) = node;
            let place = *places.entry(key.as_str()).or_insert_with(|| {
                data.keys.push(key);
                data.keys.len() - 1
            });
            match node {
                Node::Leaf { statement, .. } => {
                    data.nodes.push((place, 0));
                    data.statements.push(statement);
                }
                Node::Inner { children, .. } => {
                    data.nodes.push((place, children.len()));
                    rest.extend(children.iter().rev());
                }
            }
        }
        data
    }
}
