//! The page about security names the terms that the code computes, with their theorems.

#[path = "../../examples/parameters.rs"]
#[allow(dead_code, reason = "what the example prints besides")]
mod parameters;

#[test]
fn the_dossier_names_every_term_with_its_theorem() {
    let page = include_str!("../../../docs/security-dossier.md");
    let tables = parameters::dossier().unwrap();
    println!("{tables}");
    let rows = tables
        .lines()
        .filter(|line| line.contains("ePrint") || line.contains("bound"));
    let mut count = 0;
    for row in rows.filter(|line| !line.contains("**")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (name, theorem) = (cells[1], cells[2]);
        let named = |line: &&str| line.contains(name) && line.contains(theorem);
        assert!(page.lines().any(|line| named(&line)), "{name}, {theorem}");
        count += 1;
    }
    assert!(count >= 9, "{tables}");
}
