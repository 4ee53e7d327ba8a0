//! Figures in documents, made of saved ones. They stand between a comment that names them and one
//! that ends them. The test `docs` of droste-tests compiles this file, too, and compares documents
//! with the saved figures; so it uses nothing but `serde_json`.

use serde_json::Value;

const START: &str = "<!-- figures: ";
const END: &str = "<!-- end -->";

/// Hashes, as they are named in rows and in text. Ratios are to the first one.
const HASHES: [(&str, &str); 4] = [
    ("poseidon16", "Poseidon-16"),
    ("poseidon2", "Poseidon2"),
    ("blake3", "Blake3"),
    ("keccak", "Keccak"),
];

const KIB: f64 = 1024.0;
const MIB: f64 = 1_048_576.0;

type Text = Result<String, String>;

/// Writes a block from its group.
type Writer = fn(&Value) -> Text;

/// Writes the figures of a document anew. Those of groups that are not saved stay as they are.
///
/// # Errors
/// If a name is unknown or has no end, or if a figure is not in its group.
pub fn rewrite(document: &str, figures: &Value) -> Text {
    let mut written = String::new();
    let mut rest = document;
    while let Some((before, after)) = rest.split_once(START) {
        let (name, after) = after.split_once(" -->").ok_or("a comment does not end")?;
        let no_end = || format!("{name} does not end");
        let (present, after) = after.split_once(END).ok_or_else(no_end)?;
        let (group, write) = block(name).ok_or_else(|| format!("there is no {name}"))?;
        let text = match figures.get(group) {
            Some(group) => write(group).map_err(|error| format!("{name}: {error}"))?,
            None => present.to_owned(),
        };
        written += &format!("{before}{START}{name} -->{text}{END}");
        rest = after;
    }
    Ok(written + rest)
}

/// The group that a block shows, and the function that writes it.
fn block(name: &str) -> Option<(&str, Writer)> {
    Some(match name {
        "chart" => ("factorial", chart),
        "columns" => ("factorial", columns),
        "compared" => ("factorial", compared),
        "verified" => ("factorial", |group| {
            let names = ["queries", "proven_bits_inner", "inner_hash", "fft_cost"];
            Ok(by_hash(group, names)? + &commands(group)?)
        }),
        "hashers" => ("hashers", hashers),
        "tables" => ("tables", tables),
        "leaves" => ("leaves", |group| {
            let names = ["cycles", "fft_cost", "hash", "prove_cpu_ms"];
            Ok(by_hash(group, names)? + &measured(group)?)
        }),
        "fibonacci" => ("fibonacci", fibonacci),
        "wrapped" => ("fibonacci", wrapped),
        "joins" => ("joins", joins),
        "paths" => ("paths", paths),
        "signatures" => ("signatures", signatures),
        _ => return None,
    })
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
    Ok(format!(
        "a Poseidon-16 permutation takes {:.2} of the time of Plonky3's, packed; a Keccak-256 parent \
         {:.2} of `sha3`'s",
        number(row, "/poseidon16_packed/ratio")?,
        number(row, "/keccak_parent/ratio")?,
    ))
}

fn tables(group: &Value) -> Text {
    let row = &rows(group)?[0];
    let (mut cells, mut throughputs) = (vec![], vec![]);
    for (hash, name) in HASHES {
        let count = number(row, &format!("/{hash}/ours/cells_per_permutation"))?;
        cells.push(format!("{name} {}", short(count)));
        let throughput = number(row, &format!("/{hash}/ratio_throughput"))?;
        throughputs.push(format!("{throughput:.2}"));
    }
    Ok(format!(
        "cells of a permutation: {}; they prove at {} of the throughput of Plonky3's AIRs",
        in_words(&cells),
        in_words(&throughputs)
    ))
}

/// A table with a column for each hash: of rows with the same `key`, their `second` figure, and
/// the figure of each hash with its ratio to the first one's.
fn by_hash(group: &Value, [key, second, hash, figure]: [&str; 4]) -> Text {
    let rows = rows(group)?;
    let mut lines = vec![];
    for first in rows.iter().filter(|row| row[hash] == HASHES[0].0) {
        let mut line = vec![];
        for name in [key, second] {
            line.push(short(number(first, &format!("/{name}"))?));
        }
        let figure = format!("/{figure}");
        let one = number(first, &figure)?;
        for (name, _) in HASHES {
            let mut same = rows.iter().filter(|row| row[key] == first[key]);
            let row = same
                .find(|row| row[hash] == name)
                .ok_or(format!("no row of {name}"))?;
            line.push(with_ratio(number(row, &figure)?, one));
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

/// Proving a program over either stack and verifying the proof, with a column for each hash.
fn fibonacci(group: &Value) -> Text {
    type Figure = fn(&Value, &str) -> Result<f64, String>;
    let lines: [(&str, Figure); 9] = [
        ("proving the program, ms of CPU time", |row, _| {
            number(row, "/leaf_cpu_ms")
        }),
        ("cycles of its verifier", |row, _| number(row, "/cycles")),
        ("permutations", |row, hash| {
            number(row, &format!("/permutations/{hash}"))
        }),
        ("`fft_cost`", |row, _| number(row, "/fft_cost")),
        ("elements opened per query", |row, _| {
            number(row, "/opened_per_query")
        }),
        ("proving that, ms of CPU time", |row, _| {
            Ok(number(row, "/cpu_ns_per_fft_unit")? * number(row, "/fft_cost")? / 1e6)
        }),
        ("memory of that, MiB", |row, _| {
            Ok(number(row, "/peak_rss_bytes")? / MIB)
        }),
        ("steps to the canonical shape", |row, _| {
            Ok(steps(row)?.len() as f64)
        }),
        ("proving them, ms of CPU time", |row, _| {
            steps(row)?
                .iter()
                .map(|step| number(step, "/prove_cpu_ms"))
                .sum()
        }),
    ];
    let mut text = String::new();
    for (stack, header) in [("fri", "over FRI"), ("whir", "over WHIR")] {
        let mut body = vec![];
        for (name, figure) in lines {
            let mut line = vec![name.to_owned()];
            let mut one = None;
            for (hash, _) in HASHES {
                let is_it = |row: &&Value| row["inner_hash"] == hash && row["inner_stack"] == stack;
                let row = rows(group)?.iter().find(is_it);
                let value = figure(row.ok_or(format!("no row of {hash} {header}"))?, hash)?;
                line.push(with_ratio(value, *one.get_or_insert(value)));
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
    let cpu = |hash| {
        let is_it = |row: &&Value| row["inner_hash"] == hash && row["inner_stack"] == "whir";
        let row = rows(group)?.iter().find(is_it);
        let row = row.ok_or(format!("no row of {hash}"))?;
        Ok::<_, String>(number(row, "/cpu_ns_per_fft_unit")? * number(row, "/fft_cost")?)
    };
    let one = cpu("poseidon16")?;
    let (blake3, keccak) = (cpu("blake3")? / one, cpu("keccak")? / one);
    Ok(format!("{blake3:.1} and {keccak:.0} times"))
}

fn steps(row: &Value) -> Result<&Vec<Value>, String> {
    row["canonical"]
        .as_array()
        .ok_or_else(|| "no steps".to_owned())
}

/// A table with a line for each row. Columns have a header, a path, and the unit in which the
/// figure is shown, or 0 if it is text. A figure that there is none of is null.
fn listed(group: &Value, columns: &[(&str, &str, f64)]) -> Text {
    let mut body = vec![];
    for row in rows(group)? {
        let cells = columns
            .iter()
            .map(|&(_, path, unit)| match row.pointer(path) {
                Some(Value::String(text)) if unit == 0.0 => Ok(text.clone()),
                Some(Value::Null) => Ok("-".to_owned()),
                _ => number(row, path).map(|figure| short(figure / unit)),
            });
        body.push(cells.collect::<Result<Vec<_>, _>>()?);
    }
    let header: Vec<&str> = columns.iter().map(|(header, ..)| *header).collect();
    Ok(table(&header, body))
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
    Ok(listed(group, &columns)? + &measured(group)?)
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
    Ok(listed(group, &columns)? + &measured(group)?)
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
    Ok(listed(group, &columns)? + &measured(group)?)
}

/// Where a group was measured, and by which commands.
fn measured(group: &Value) -> Text {
    let machine = group["machine"].as_str().ok_or("no machine")?;
    let (processor, build) = machine.split_once(':').ok_or("no processor")?;
    let (_, features) = build.split_once(" has ").ok_or("no features")?;
    let beside = match group["load_before"].as_f64() {
        Some(load) if load > 1.0 => ", beside other work",
        _ => "",
    };
    Ok(format!(
        "\n{processor} ({features}){beside}.\n{}",
        commands(group)?
    ))
}

/// The commands of a group, and the commit at which they ran.
fn commands(group: &Value) -> Text {
    let commands = group["commands"].as_array().ok_or("no commands")?;
    let commands: Vec<&str> = commands.iter().filter_map(Value::as_str).collect();
    let commit = group["commit"].as_str().unwrap_or("unknown");
    Ok(format!(
        "\nAt commit `{commit}`:\n\n```sh\n{}\n```\n",
        commands.join("\n")
    ))
}

fn table(header: &[&str], body: Vec<Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let rule = "|---".repeat(header.len());
    let header = line(&header.iter().map(ToString::to_string).collect::<Vec<_>>());
    let body: String = body.iter().map(|cells| line(cells)).collect();
    format!("\n{header}{rule}|\n{body}")
}

fn rows(group: &Value) -> Result<&[Value], String> {
    let rows = group["rows"].as_array().filter(|rows| !rows.is_empty());
    rows.map(Vec::as_slice).ok_or_else(|| "no rows".to_owned())
}

fn number(value: &Value, path: &str) -> Result<f64, String> {
    let number = value.pointer(path).and_then(Value::as_f64);
    number.ok_or_else(|| format!("{path} is not a number"))
}

fn with_ratio(figure: f64, one: f64) -> String {
    let ratio = figure / one;
    match ratio {
        1.0 => short(figure),
        10.0.. => format!("{} ({ratio:.0})", short(figure)),
        _ => format!("{} ({ratio:.2})", short(figure)),
    }
}

/// A figure: its exponent from a million on, one digit behind the point below ten, else whole.
fn short(figure: f64) -> String {
    match figure {
        1e6.. => format!("{figure:.2e}"),
        1e3.. => {
            let figure = figure.round() as u64;
            format!("{},{:03}", figure / 1000, figure % 1000)
        }
        ..10.0 if figure.fract() != 0.0 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}

/// `a, b and c`.
fn in_words(items: &[String]) -> String {
    match items {
        [all @ .., last] if !all.is_empty() => format!("{} and {last}", all.join(", ")),
        items => items.concat(),
    }
}
