//! `droste inspect --report`.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use super::{fails, file, json};

/// The report of `inspect` holds the tree that is printed, parents before children.
pub fn the_report_has_the_tree(folder: &TempDir, inspected: &Value) {
    json(folder, "inspect FOLDER/both --report FOLDER/tree.html");
    let page = fs::read_to_string(file(folder, "tree.html")).unwrap();
    let (_, data) = page.split_once("id=\"data\">").unwrap();
    let data = data.split_once("</script>").unwrap().0;
    let data: Value = serde_json::from_str(data).unwrap();
    for name in [
        "key",
        "claim",
        "proven_bits",
        "tree_bits",
        "proofs",
        "recursion_keys",
    ] {
        assert_eq!(data[name], inspected[name], "{name}");
    }
    assert_eq!(data["claimed"], false);
    let root = &inspected["tree"];
    let [first, second] = [0, 1].map(|child| &root["children"][child]);
    let nodes = [
        root,
        first,
        &first["children"][0],
        second,
        &second["children"][0],
    ];
    let found = data["nodes"].as_array().unwrap();
    assert_eq!(found.len(), nodes.len());
    for (node, found) in nodes.into_iter().zip(found) {
        assert_eq!(
            data["keys"][found[0].as_u64().unwrap() as usize],
            node["key"]
        );
        let children = node["children"].as_array().map_or(0, Vec::len);
        assert_eq!(found[1], children);
    }
    let statements = [first, second].map(|wrap| &wrap["children"][0]["statement"]);
    assert_eq!(data["statements"], serde_json::json!(statements));

    let claimed = "inspect FOLDER/both --claimed --report FOLDER/tree.html";
    json(folder, claimed);
    let page = fs::read_to_string(file(folder, "tree.html")).unwrap();
    assert!(page.contains("\"claimed\":true"));
    let proof = "inspect FOLDER/factorial.proof --report FOLDER/tree.html";
    fails(folder, proof, 2, "--report is for aggregates");
}
