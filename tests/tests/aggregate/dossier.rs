//! The page about security has the figures that the code computes.

#[path = "../../../bench/examples/parameters.rs"]
#[allow(dead_code, reason = "what the example prints besides")]
mod parameters;

#[test]
fn the_dossier_is_what_the_code_computes() {
    let page = include_str!("../../../docs/security-dossier.md");
    for line in parameters::dossier().unwrap().lines() {
        assert!(page.lines().any(|found| found == line), "{line}");
    }
}
