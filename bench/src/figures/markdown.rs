//! Figures in documents, made of saved ones. They stand between a comment that names them and one
//! that ends them. The test `docs` of droste-tests compiles this file, `cells.rs`, `figure.rs`,
//! `folds.rs` and `headline.rs`, too, and compares documents with the saved figures; so they use
//! nothing but `serde_json`.

use serde_json::Value;

use super::cells::{
    KIB, MIB, Text, commands, in_words, listed, measured, number, plausible_rows, ratio, rows,
    short, table, with_ratio,
};
use super::figure::{Figure, NOT_PUBLISHED};
use super::{folds, headline};

const START: &str = "<!-- figures: ";
const END: &str = "<!-- end -->";

/// Hashes, as they are named in rows and in text. Ratios are to the first one.
const HASHES: [(&str, &str); 4] = [
    ("poseidon16", "Poseidon-16"),
    ("poseidon2", "Poseidon2"),
    ("blake3", "Blake3"),
    ("keccak", "Keccak"),
];

/// Writes a block from its group, or from all groups.
type Writer = fn(&Value) -> Text;

/// Writes the figures of a document anew, and lists those that are not published. Those of groups
/// that are not saved stay as they are.
///
/// # Errors
/// If a name is unknown or has no end, if a figure is not in its group, or if groups were measured
/// on processors of different classes.
pub fn rewrite(document: &str, figures: &Value) -> Result<(String, Vec<String>), String> {
    one_class(figures)?;
    let (mut written, mut unpublished) = (String::new(), vec![]);
    let mut rest = document;
    while let Some((before, after)) = rest.split_once(START) {
        let (name, after) = after.split_once(" -->").ok_or("a comment does not end")?;
        let no_end = || format!("{name} does not end");
        let (present, after) = after.split_once(END).ok_or_else(no_end)?;
        let (group, write) = block(name).ok_or_else(|| format!("there is no {name}"))?;
        let text = match group.map_or(Some(figures), |group| figures.get(group)) {
            Some(group) => write(group).map_err(|error| format!("{name}: {error}"))?,
            None => present.to_owned(),
        };
        unpublished.extend(not_published(name, &text));
        written += &format!("{before}{START}{name} -->{text}{END}");
        rest = after;
    }
    Ok((written + rest, unpublished))
}

/// Refuses groups that were measured in rounds, but on processors of different classes.
fn one_class(figures: &Value) -> Result<(), String> {
    let groups = figures.as_object().into_iter().flatten();
    let mut machines = groups
        .filter(|(_, group)| !group["rounds"].is_null())
        .map(|(name, group)| (name, &group["machine"]));
    let Some((first, machine)) = machines.next() else {
        return Ok(());
    };
    match machines.find(|(_, other)| *other != machine) {
        Some((name, other)) => Err(format!(
            "{first} was measured on {machine}, {name} on {other}"
        )),
        None => Ok(()),
    }
}

/// The figures of a block that are not published: its name, where in a table they stand, and why.
fn not_published(block: &str, text: &str) -> Vec<String> {
    let mut found = vec![];
    let (mut header, mut above): (Vec<&str>, Vec<&str>) = (vec![], vec![]);
    for line in text.lines() {
        let cells: Vec<&str> = line
            .split(" | ")
            .map(|cell| cell.trim_matches(['|', ' ']))
            .collect();
        if line.starts_with("|---") {
            header = above;
        }
        for (column, cell) in cells.iter().enumerate() {
            if cell.contains(NOT_PUBLISHED) {
                let row = cells.iter().filter(|cell| !cell.contains(NOT_PUBLISHED));
                let row: Vec<&str> = row.take(3).copied().collect();
                let heading = header.get(column).unwrap_or(&"");
                found.push(format!("{block}: {heading} ({}): {cell}", row.join(", ")));
            }
        }
        above = cells;
    }
    found
}

/// The group that a block shows, if it does not show several, and the function that writes it.
fn block(name: &str) -> Option<(Option<&str>, Writer)> {
    let (group, write): (&str, Writer) = match name {
        "headline" => return Some((None, headline::headline)),
        "calls" => ("calls", headline::calls),
        "last" => ("last", headline::last),
        "page" => ("page", headline::page),
        "chart" => ("factorial", chart),
        "columns" => ("factorial", columns),
        "compared" => ("factorial", compared),
        "verified" => ("factorial", |group| {
            let names = ["queries", "proven_bits_inner", "inner_hash", "fft_cost"];
            Ok(by_hash(group, names, None)? + &commands(group)?)
        }),
        "hashers" => ("hashers", hashers),
        "tables" => ("tables", tables),
        "leaves" => ("leaves", |group| {
            let names = ["cycles", "fft_cost", "hash", "prove_cpu_ms"];
            Ok(by_hash(group, names, Some("/fft_cost"))? + &measured(group)?)
        }),
        "larger" => ("leaves", larger),
        "fibonacci" => ("fibonacci", fibonacci),
        "wrapped" => ("fibonacci", wrapped),
        "joins" => ("joins", joins),
        "folds" => ("folds", folds::folds),
        "paths" => ("paths", paths),
        "nodes" => ("paths", nodes),
        "signatures" => ("signatures", signatures),
        _ => return None,
    };
    Some((Some(group), write))
}

/// The README's chart, with what it shows in words.
fn chart(group: &Value) -> Text {
    let costs = HASHES.map(|(hash, _)| match at_100_bits(group, hash)? {
        cost @ 1e9.. => Ok(format!("{:.2} billion", cost / 1e9)),
        cost => Ok(format!("{:.0} million", cost / 1e6)),
    });
    let costs = in_words(&costs.into_iter().collect::<Result<Vec<_>, String>>()?);
    let names = in_words(&HASHES.map(|(_, name)| name.to_owned()));
    Ok(format!(
        r#"
<picture>
  <source media="(prefers-color-scheme: dark)" srcset="docs/pictures/cost-dark.svg">
  <img alt="In-circuit cost of verifying a proof of factorial(5), by its proven bits. At 100 bits it is {costs} for {names}." src="docs/pictures/cost-light.svg">
</picture>
"#
    ))
}

/// What verifying a proof of 100 bits costs.
fn at_100_bits(group: &Value, hash: &str) -> Result<f64, String> {
    let mut rows = rows(group)?.iter();
    let row = rows.find(|row| row["inner_hash"] == hash && row["proven_bits_inner"] == 100);
    number(row.ok_or("no row of 100 bits")?, "/fft_cost")
}

fn compared(group: &Value) -> Text {
    let one = at_100_bits(group, "poseidon16")?;
    let [blake3, keccak] = ["blake3", "keccak"].map(|hash| at_100_bits(group, hash));
    Ok(format!(
        "{:.0} and {:.0} times",
        blake3? / one,
        keccak? / one
    ))
}

/// The columns of the recursion machine.
fn columns(group: &Value) -> Text {
    let mut rows = rows(group)?.iter();
    let row = rows.find(|row| row["inner_hash"] == "poseidon16");
    let row = row.ok_or("no row of poseidon16")?;
    let tables = row["tables"].as_array().ok_or("no tables")?;
    let lines = tables.iter().map(|table| {
        let name = table["name"].as_str().ok_or("a table without a name")?;
        Ok(vec![name.to_owned(), short(number(table, "/main")?)])
    });
    let lines = lines.collect::<Result<Vec<_>, String>>()?;
    Ok(table(&["table", "columns"], lines))
}

fn hashers(group: &Value) -> Text {
    let row = &rows(group)?[0];
    let ratio = |path| Ok::<_, String>(Figure::of(row, path)?.show(true, ratio));
    Ok(format!(
        "a Poseidon-16 permutation takes {} of the time of Plonky3's, packed; a Keccak-256 parent \
         {} of `sha3`'s",
        ratio("/poseidon16_packed/ratio")?,
        ratio("/keccak_parent/ratio")?,
    ))
}

fn tables(group: &Value) -> Text {
    let row = &rows(group)?[0];
    let (mut cells, mut throughputs) = (vec![], vec![]);
    for (hash, name) in HASHES {
        let count = number(row, &format!("/{hash}/ours/cells_per_permutation"))?;
        cells.push(format!("{name} {}", short(count)));
        let throughput = Figure::of(row, &format!("/{hash}/ratio_throughput"))?;
        throughputs.push(throughput.show(true, ratio));
    }
    Ok(format!(
        "cells of a permutation: {}; they prove at {} of the throughput of Plonky3's AIRs",
        in_words(&cells),
        in_words(&throughputs)
    ))
}

/// A table with a column for each hash: of rows with the same `key`, their `second` figure, and
/// the figure of each hash with its ratio to the first one's. If the figure is a time, `size` is
/// what it grows with.
fn by_hash(group: &Value, [key, second, hash, figure]: [&str; 4], size: Option<&str>) -> Text {
    let rows = rows(group)?;
    let place = |same: &Value, name: &str| {
        let mut places = 0..rows.len();
        places
            .find(|&row| rows[row][key] == *same && rows[row][hash] == name)
            .ok_or_else(|| format!("no row of {name}"))
    };
    let figure = |row: &Value| Figure::of(row, &format!("/{figure}"));
    let to_first = |row: &Value| {
        let first = &rows[place(&row[key], HASHES[0].0)?];
        Ok(figure(row)?.ratio(&figure(first)?))
    };
    let all = vec![true; rows.len()];
    let [times, ratios] = match size {
        None => [all.clone(), all],
        Some(size) => [
            plausible_rows(rows, &[hash], |row| number(row, size), figure)?,
            // Ratios of hashes do not depend on the size.
            plausible_rows(rows, &[hash], |_| Ok(1.0), to_first)?,
        ],
    };
    let mut lines = vec![];
    for first in rows.iter().filter(|row| row[hash] == HASHES[0].0) {
        let mut line = vec![];
        for name in [key, second] {
            line.push(short(number(first, &format!("/{name}"))?));
        }
        for (name, _) in HASHES {
            let row = place(&first[key], name)?;
            let cell = figure(&rows[row])?.show(times[row], short);
            line.push(with_ratio(cell, &to_first(&rows[row])?, ratios[row]));
        }
        lines.push(line);
    }
    let key = [key, second].map(|name| match name {
        "proven_bits_inner" => "proven bits",
        "fft_cost" => "`fft_cost`",
        name => name,
    });
    let header = [&key[..], &HASHES.map(|(_, name)| name)].concat();
    Ok(table(&header, lines))
}

/// From which to which of Poseidon-16's CPU time larger runs are proved in the byte hashes.
fn larger(group: &Value) -> Text {
    let rows = rows(group)?;
    let (mut least, mut most) = (f64::INFINITY, 0_f64);
    for row in rows {
        let is_larger = number(row, "/cycles")? > 1e5;
        if is_larger && (row["hash"] == "blake3" || row["hash"] == "keccak") {
            let is_first =
                |first: &&Value| first["cycles"] == row["cycles"] && first["hash"] == HASHES[0].0;
            let first = rows.iter().find(is_first).ok_or("no row of Poseidon-16")?;
            let of = |row| Figure::of(row, "/prove_cpu_ms");
            let ratio = of(row)?.ratio(&of(first)?);
            if ratio.doubt().is_none() {
                least = least.min(ratio.median());
                most = most.max(ratio.median());
            }
        }
    }
    match most {
        0.0 => Ok(format!("({NOT_PUBLISHED}no ratio is certain)")),
        _ => Ok(format!("{least:.2} to {most:.2}")),
    }
}

/// Proving a program over either stack and verifying the proof, with a column for each hash.
fn fibonacci(group: &Value) -> Text {
    type Line = fn(&Value, &str) -> Result<Figure, String>;
    let lines: [(&str, Line); 9] = [
        ("proving the program, ms of CPU time", |row, _| {
            Figure::of(row, "/leaf_cpu_ms")
        }),
        ("cycles of its verifier", |row, _| {
            Figure::of(row, "/cycles")
        }),
        ("permutations", |row, hash| {
            Figure::of(row, &format!("/permutations/{hash}"))
        }),
        ("`fft_cost`", |row, _| Figure::of(row, "/fft_cost")),
        ("elements opened per query", |row, _| {
            Figure::of(row, "/opened_per_query")
        }),
        ("proving that, ms of CPU time", |row, _| wrap_cpu_ms(row)),
        ("memory of that, MiB", |row, _| {
            Ok(Figure::of(row, "/peak_rss_bytes")?.in_units(MIB))
        }),
        ("steps to the canonical shape", |row, _| {
            Ok(Figure::new(vec![steps(row)?.len() as f64]))
        }),
        ("proving them, ms of CPU time", |row, _| {
            let mut all = Figure::new(vec![0.0]);
            for step in steps(row)? {
                all = all.with(&Figure::of(step, "/prove_cpu_ms")?, |all, one| all + one);
            }
            Ok(all)
        }),
    ];
    let mut text = String::new();
    for (stack, header) in [("fri", "over FRI"), ("whir", "over WHIR")] {
        let mut body = vec![];
        for (name, figure) in lines {
            let mut line = vec![name.to_owned()];
            let first = figure(row_of(group, HASHES[0].0, stack)?, HASHES[0].0)?;
            for (hash, _) in HASHES {
                let figure = figure(row_of(group, hash, stack)?, hash)?;
                let cell = figure.show(true, short);
                line.push(with_ratio(cell, &figure.ratio(&first), true));
            }
            body.push(line);
        }
        let header = [&[header][..], &HASHES.map(|(_, name)| name)].concat();
        text += &table(&header, body);
    }
    Ok(text + &measured(group)?)
}

/// What proving the first wrap of a proof over WHIR takes in a byte hash.
fn wrapped(group: &Value) -> Text {
    let cpu = |hash| wrap_cpu_ms(row_of(group, hash, "whir")?);
    let one = cpu("poseidon16")?;
    let times = |hash| Ok::<_, String>(cpu(hash)?.ratio(&one).show(true, ratio));
    Ok(format!(
        "{} and {} times",
        times("blake3")?,
        times("keccak")?
    ))
}

/// The row of a proof in this hash over this stack.
fn row_of<'a>(group: &'a Value, hash: &str, stack: &str) -> Result<&'a Value, String> {
    let mut rows = rows(group)?.iter();
    rows.find(|row| row["inner_hash"] == hash && row["inner_stack"] == stack)
        .ok_or_else(|| format!("no row of {hash} over {stack}"))
}

/// CPU time of proving a wrap.
fn wrap_cpu_ms(row: &Value) -> Result<Figure, String> {
    let cost = Figure::of(row, "/fft_cost")?.in_units(1e6);
    Ok(Figure::of(row, "/cpu_ns_per_fft_unit")?.with(&cost, |each, cost| each * cost))
}

fn steps(row: &Value) -> Result<&Vec<Value>, String> {
    row["canonical"]
        .as_array()
        .ok_or_else(|| "no steps".to_owned())
}

fn joins(group: &Value) -> Text {
    let columns = [
        ("preset", "/preset", 0.0),
        ("children", "/children", 1.0),
        ("cycles", "/cycles", 1.0),
        ("permutations", "/permutations", 1.0),
        ("CPU time, ms", "/prove_cpu_ms", 1.0),
        ("time, ms", "/prove_ms", 1.0),
        ("length, KiB", "/proof_bytes", KIB),
        ("verifying, ms", "/verify_ms", 1.0),
        ("memory, MiB", "/peak_rss_bytes", MIB),
        ("proven bits", "/proven_bits", 1.0),
    ];
    Ok(listed(group, &columns, &["preset"], "/children")? + &measured(group)?)
}

fn paths(group: &Value) -> Text {
    let columns = [
        ("nodes", "/nodes", 1.0),
        ("hash", "/hash", 0.0),
        ("proved by", "/proved_by", 0.0),
        ("CPU time, ms", "/prove_cpu_ms", 1.0),
        ("`fft_cost`", "/fft_cost", 1.0),
        ("of its verifier", "/verifier_fft_cost", 1.0),
        ("steps", "/steps", 1.0),
        ("their CPU time, ms", "/steps_cpu_ms", 1.0),
        ("all, us per node", "/cpu_us_per_node", 1.0),
        ("memory, MiB", "/peak_rss_bytes", MIB),
        ("proven bits", "/proven_bits", 1.0),
    ];
    Ok(listed(group, &columns, &["hash", "proved_by"], "/nodes")? + &measured(group)?)
}

/// What a node takes in the byte hashes, in words.
fn nodes(group: &Value) -> Text {
    let rows = rows(group)?;
    let row = |nodes: u64, hash: &str, way: &str| {
        let is_it =
            |row: &&Value| row["nodes"] == nodes && row["hash"] == hash && row["proved_by"] == way;
        let row = rows.iter().find(is_it);
        row.ok_or_else(|| format!("no row of {nodes} nodes in {hash} by {way}"))
    };
    let (table, binary) = ("a table over WHIR", "a proof over GF(2^128)");
    let times = |nodes, hash, way| {
        let each = |row| Figure::of(row, "/cpu_us_per_node");
        let first = each(row(nodes, HASHES[0].0, table)?)?;
        Ok::<_, String>(
            each(row(nodes, hash, way)?)?
                .ratio(&first)
                .show(true, ratio),
        )
    };
    let each = |hash| {
        let time = Figure::of(row(16_384, hash, binary)?, "/prove_cpu_ms")?;
        let each = |ms: f64| format!("{ms:.2}");
        Ok::<_, String>(time.in_units(16_384.0).show(true, each))
    };
    Ok(format!(
        "
In recursion a node in Keccak takes {} times as long as one in Poseidon-16 by a table over WHIR (of
4,096 nodes), and {} times by a binary proof (of 16,384); one in Blake3 {} and {} times. The share of
the verifier falls further with the number of nodes: a binary proof takes {} ms of CPU time a
node in Keccak, {} in Blake3.
",
        times(4096, "keccak", table)?,
        times(16_384, "keccak", binary)?,
        times(4096, "blake3", table)?,
        times(16_384, "blake3", binary)?,
        each("keccak")?,
        each("blake3")?,
    ))
}

fn signatures(group: &Value) -> Text {
    let columns = [
        ("signatures", "/signatures", 1.0),
        ("CPU time, ms", "/cpu_ms", 1.0),
        ("time, ms", "/prove_ms", 1.0),
        ("cycles per signature", "/cycles_per_signature", 1.0),
        ("length, KiB", "/proof_bytes", KIB),
        ("verifying, ms", "/verify_ms", 1.0),
        ("memory, MiB", "/peak_rss_bytes", MIB),
        ("proven bits", "/proven_bits", 1.0),
    ];
    Ok(listed(group, &columns, &["hash"], "/signatures")? + &measured(group)?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The group `leaves` with these times of Poseidon-16 and of the other hashes, by size.
    fn leaves(times: &[(f64, [f64; 5], [f64; 5])]) -> Value {
        let row = |size: f64, hash: &str, rounds: [f64; 5]| json!({"cycles": size, "fft_cost": size, "hash": hash, "prove_cpu_ms": {"rounds": rounds}});
        let rows = times.iter().flat_map(|&(size, first, other)| {
            HASHES
                .map(|(hash, _)| row(size, hash, if hash == "poseidon16" { first } else { other }))
        });
        json!({"leaves": {
            "rows": rows.collect::<Vec<_>>(),
            "rounds": 5,
            "machine": "AMD: Poseidon-16; this processor has avx2",
            "commands": ["a command"],
        }})
    }

    const DOCUMENT: &str = "a\n<!-- figures: leaves -->old<!-- end -->\nb: not published: c";

    #[test]
    fn figures_are_shown_with_their_spread() {
        let steady = [10.0, 10.0, 10.0, 10.0, 90.0];
        let figures = leaves(&[
            (10.0, steady, [18.0, 19.0, 18.0, 17.0, 162.0]),
            (20.0, [10.0, 11.0, 10.0, 10.5, 11.5], [14.0; 5]),
            (40.0, [22.0; 5], [10.0, 11.0, 22.0, 44.0, 50.0]),
            // Times of a load that comes and goes, which changes no ratio.
            (
                80.0,
                [30.0, 60.0, 30.0, 60.0, 30.0],
                [27.0, 54.0, 27.0, 54.0, 27.0],
            ),
            (160.0, [80.0; 5], [64.0; 5]),
            (320.0, [160.0; 5], [64.0; 5]),
        ]);
        let (text, unpublished) = rewrite(DOCUMENT, &figures).unwrap();
        let (before, rest) = text.split_once("|---|---|---|---|---|---|\n").unwrap();
        let (body, after) = rest.split_once("\n\n").unwrap();
        let expected = [
            "10 | 10 | 10 [0%] | 18 [6%] (1.80 [0%])",
            "20 | 20 | 10 [10%] | 14 [0%] (1.33 [10%])",
            "40 | 40 | 22 [0%] | not published: spread 150%",
            "80 | 80 | not published: spread 100% | not published: spread 100% (0.90 [0%])",
            "160 | 160 | 80 [0%] | 64 [0%] (not published: implausible)",
            "320 | 320 | 160 [0%] | 64 [0%] (not published: implausible)",
        ];
        let expected = expected.map(|line| {
            let (_, cell) = line.rsplit_once(" | ").unwrap();
            format!("| {line} | {cell} | {cell} |")
        });
        assert_eq!(body.lines().collect::<Vec<_>>(), expected);
        assert!(before.ends_with("| Poseidon-16 | Poseidon2 | Blake3 | Keccak |\n"));
        assert!(after.starts_with("AMD (avx2), medians of 5 rounds [and their spreads]."));
        // What stands outside of the block is no figure.
        assert!(text.ends_with("<!-- end -->\nb: not published: c"));
        assert_eq!(unpublished.len(), 13);
        assert_eq!(
            unpublished[0],
            "leaves: Poseidon2 (40, 40, 22 [0%]): not published: spread 150%"
        );
    }

    #[test]
    fn times_of_neighbouring_sizes_are_compared() {
        let figures = leaves(&[
            (10.0, [10.0; 5], [10.0; 5]),
            (20.0, [31.0; 5], [31.0; 5]),
            (40.0, [40.0; 5], [40.0; 5]),
        ]);
        let (text, unpublished) = rewrite(DOCUMENT, &figures).unwrap();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("implausible"))
            .collect();
        assert_eq!((lines.len(), unpublished.len()), (2, 8), "{text}");
        assert!(text.contains("| 40 | 40 | 40 [0%] | 40 [0%] | 40 [0%] | 40 [0%] |"));
    }

    #[test]
    fn a_page_has_one_class_of_processors() {
        let mut figures = leaves(&[(10.0, [10.0; 5], [10.0; 5])]);
        figures["joins"] = json!({"rounds": 5, "machine": "another"});
        let refusal = rewrite(DOCUMENT, &figures).unwrap_err();
        assert!(refusal.contains("another"), "{refusal}");
    }
}
