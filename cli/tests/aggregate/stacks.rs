//! Aggregates over WHIR.

use tempfile::TempDir;

use crate::{fails, json, text};

/// In a folder with the proofs of two programs and their wraps over FRI.
pub fn wraps_and_joins_are_made_over_whir(folder: &TempDir) {
    let wrap = json(
        folder,
        "wrap FOLDER/factorial.proof --program FOLDER/factorial.rs --preset toy --stack whir \
         -o FOLDER/over-whir.wrap",
    );
    assert_eq!(text(&wrap, "stack"), "whir");
    let join = json(
        folder,
        "join FOLDER/over-whir.wrap FOLDER/over-whir.wrap --preset toy --stack whir \
         -o FOLDER/over-whir",
    );
    let (key, claim) = (text(&join, "key"), text(&join, "claim"));
    let verify = format!("verify FOLDER/over-whir --key {key} --claim {claim} --min-bits");
    let verified = json(folder, &format!("{verify} 1"));
    assert_eq!(text(&verified, "stack"), "whir");
    let keys = json(
        folder,
        "keys --from FOLDER/over-whir.wrap --join 2 --preset toy --stack whir",
    );
    assert_eq!(text(&keys, "key"), key);
    fails(folder, &format!("{verify} 100"), 1, "proven bits");

    for (stack, children) in [
        ("fri", "FOLDER/over-whir.wrap"),
        ("whir", "FOLDER/factorial.wrap"),
    ] {
        let join = format!("join {children} --preset toy --stack {stack} -o FOLDER/none");
        fails(folder, &join, 1, "does not have the canonical shape");
    }
    fails(
        folder,
        "keys --join 2 --stack stark",
        2,
        "unknown proof stack",
    );
}
