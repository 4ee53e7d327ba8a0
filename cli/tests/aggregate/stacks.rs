//! Aggregates over FRI, which is not the default.

use tempfile::TempDir;

use crate::{fails, json, text};

/// In a folder with the proofs of two programs and their wraps over WHIR.
pub fn wraps_and_joins_are_made_over_fri(folder: &TempDir) {
    let wrap = json(
        folder,
        "wrap FOLDER/factorial.proof --program FOLDER/factorial.rs --preset toy --stack fri \
         -o FOLDER/over-fri.wrap",
    );
    assert_eq!(text(&wrap, "stack"), "fri");
    let join = json(
        folder,
        "join FOLDER/over-fri.wrap FOLDER/over-fri.wrap --preset toy --stack fri \
         -o FOLDER/over-fri",
    );
    let (key, claim) = (text(&join, "key"), text(&join, "claim"));
    let verify =
        format!("verify FOLDER/over-fri --key {key} --claim {claim} --any-leaf --min-bits");
    let verified = json(folder, &format!("{verify} 1"));
    assert_eq!(text(&verified, "stack"), "fri");
    let keys = json(
        folder,
        "keys --from FOLDER/over-fri.wrap --join 2 --preset toy --stack fri",
    );
    assert_eq!(text(&keys, "key"), key);
    fails(folder, &format!("{verify} 100"), 1, "proven bits");

    for (stack, children) in [
        ("whir", "FOLDER/over-fri.wrap"),
        ("fri", "FOLDER/factorial.wrap"),
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
