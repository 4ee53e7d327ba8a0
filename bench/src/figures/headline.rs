//! The README's table of a few figures, and the tables of the groups that are measured for it. As
//! [`super::markdown`], it is compiled by the test `docs` of droste-tests, too.

use serde_json::{Value, json};

use super::cells::{KIB, MIB, Text, listed, measured, place, ratio, rows, short, table};
use super::figure::Figure;

/// Rounds that a group needs, and the load before it was measured from which on the machine did
/// other work: figures of fewer rounds or of a busy machine are left out.
const LEAST_ROUNDS: u64 = 5;
const BUSY: f64 = 1.0;

/// The lines of a group.
type Lines = fn(&Value) -> Result<Vec<Vec<String>>, String>;

/// What a reader wants to know first, of the groups that were measured on an idle machine.
pub fn headline(figures: &Value) -> Text {
    let parts: [(&str, Lines); 5] = [
        ("joins", joins),
        ("signatures", signatures),
        ("calls", |group| {
            rows(group)?.iter().map(calls_a_second).collect()
        }),
        ("last", |group| Ok(vec![gas(group)?])),
        ("page", |group| Ok(vec![in_a_browser(group)?])),
    ];
    let (mut body, mut machine) = (vec![], None);
    for (name, lines) in parts {
        let Some(group) = figures.get(name).filter(|group| is_sure(group)) else {
            continue;
        };
        body.extend(lines(group).map_err(|error| format!("{name}: {error}"))?);
        machine = Some(place(group)?);
    }
    let Some(machine) = machine else {
        return Ok("\nThese figures are not measured on an idle machine yet.\n".to_owned());
    };
    let header = [
        "",
        "Droste",
        "length",
        "memory",
        "beside it, in the same run",
    ];
    Ok(table(&header, body)
        + &format!("\n{machine}, medians of five rounds [and their spreads].\n"))
}

/// Whether a group was measured in enough rounds, on a machine that did nothing else.
fn is_sure(group: &Value) -> bool {
    let rounds = group["rounds"].as_u64();
    let load = group["load_before"].as_f64();
    rounds.is_some_and(|rounds| rounds >= LEAST_ROUNDS) && load.is_some_and(|load| load <= BUSY)
}

/// A figure at this path of a row, as text.
pub fn shown(row: &Value, path: &str, format: impl Fn(f64) -> String) -> Text {
    Ok(Figure::of(row, path)?.show(true, format))
}

fn kib(bytes: f64) -> String {
    format!("{:.0} KiB", bytes / KIB)
}

fn mib(bytes: f64) -> String {
    format!("{:.0} MiB", bytes / MIB)
}

/// The ratio of the CPU time for a unit of `fft_cost` to the peer's.
fn beside(row: &Value, peer: &str) -> Text {
    let ours = Figure::of(row, "/cpu_ns_per_fft_unit")?;
    let its = Figure::of(row, "/peer_cpu_ns_per_fft_unit")?;
    let ratio = ours.ratio(&its).show(true, ratio);
    Ok(format!("{ratio} of {peer}'s CPU time per `fft_cost`"))
}

/// Joins of two, at each preset.
fn joins(group: &Value) -> Result<Vec<Vec<String>>, String> {
    let of_two = rows(group)?.iter().filter(|row| row["children"] == 2);
    let line = |row: &Value| {
        let bits = shown(row, "/proven_bits", short)?;
        let time = shown(row, "/prove_cpu_ms", |ms| {
            format!("{:.2} s of CPU time", ms / 1e3)
        })?;
        let verify = shown(row, "/verify_ms", |ms| format!("{ms:.1} ms"))?;
        Ok(vec![
            format!("join of two proofs, {bits} proven bits"),
            format!("{time}; verified in {verify}"),
            shown(row, "/proof_bytes", kib)?,
            shown(row, "/peak_rss_bytes", mib)?,
            beside(row, "p3-multi-stark")?,
        ])
    };
    of_two.map(line).collect()
}

/// The largest batch of signatures.
fn signatures(group: &Value) -> Result<Vec<Vec<String>>, String> {
    let row = rows(group)?.last().ok_or("no rows")?;
    let (count, bits) = (
        shown(row, "/signatures", short)?,
        shown(row, "/proven_bits", short)?,
    );
    Ok(vec![vec![
        format!("{count} XMSS signatures in one proof, {bits} proven bits"),
        shown(row, "/per_second", |rate| format!("{rate:.0} a second"))?,
        shown(row, "/proof_bytes", kib)?,
        shown(row, "/peak_rss_bytes", mib)?,
        beside(row, "p3-batch-stark")?,
    ]])
}

/// Calls of a bit hash.
fn calls_a_second(row: &Value) -> Result<Vec<String>, String> {
    let hash = row["hash"].as_str().ok_or("no hash")?;
    Ok(vec![
        format!("calls of {hash} over GF(2^128), one thread"),
        shown(row, "/ours_calls_per_s", |rate| {
            format!("{} a second", short(rate))
        })?,
        shown(row, "/ours_proof_bytes", kib)?,
        shown(row, "/ours_peak_rss_bytes", mib)?,
        format!(
            "calls a second, by Plonky3's prover: {}",
            shown(row, "/ratio_throughput", ratio)?
        ),
    ])
}

/// The last proof in a contract. The group's last two rows are those of `exit` and of
/// `evm verify`.
fn gas(group: &Value) -> Result<Vec<String>, String> {
    let [.., exit, contract] = rows(group)? else {
        return Err("no rows".to_owned());
    };
    let bits = shown(contract, "/proven_bits", short)?;
    Ok(vec![
        format!("a contract verifies the last proof, {bits} proven bits"),
        shown(contract, "/gas", |gas| {
            format!("{:.2} million gas", gas / 1e6)
        })?,
        shown(exit, "/proof_bytes", kib)?,
        "-".to_owned(),
        "-".to_owned(),
    ])
}

/// A join in the page that verifies. The group's last row is that of the browser.
fn in_a_browser(group: &Value) -> Result<Vec<String>, String> {
    let row = rows(group)?.last().ok_or("no rows")?;
    let bits = shown(row, "/proven_bits", short)?;
    Ok(vec![
        format!("a page verifies a join, {bits} proven bits"),
        shown(row, "/verify_ms", |ms| format!("{ms:.1} ms in Chromium"))?,
        shown(row, "/file_bytes", |bytes| format!("{} (file)", kib(bytes)))?,
        format!("module {}", shown(row, "/module_bytes", kib)?),
        "-".to_owned(),
    ])
}

/// Calls of bit hashes, beside Plonky3's prover.
pub fn calls(group: &Value) -> Text {
    let columns = [
        ("hash", "/hash", 0.0),
        ("calls", "/calls", 1.0),
        ("a second", "/ours_calls_per_s", 1.0),
        ("Plonky3, a second", "/p3_calls_per_s", 1.0),
        ("ratio", "/ratio_throughput", 1.0),
        ("length, KiB", "/ours_proof_bytes", KIB),
        ("Plonky3, KiB", "/p3_proof_bytes", KIB),
        ("memory, MiB", "/ours_peak_rss_bytes", MIB),
        ("Plonky3, MiB", "/p3_peak_rss_bytes", MIB),
    ];
    Ok(listed(group, &columns, &["hash"], "/calls")? + &measured(group)?)
}

/// The last proof of a chain.
pub fn last(group: &Value) -> Text {
    let line = gas(group)?;
    let [.., exit, _] = rows(group)? else {
        return Err("no rows".to_owned());
    };
    let prove = shown(exit, "/prove_ms", |ms| format!("{:.1} s", ms / 1e3))?;
    let line = [line.get(..3).unwrap_or_default(), &[prove]].concat();
    Ok(table(&["", "gas", "length", "made in"], vec![line]) + &measured(group)?)
}

/// A join in the page that verifies.
pub fn page(group: &Value) -> Text {
    let columns = [
        ("browser", "/browser", 0.0),
        ("verifying, ms", "/verify_ms", 1.0),
        ("length, KiB", "/file_bytes", KIB),
        ("module, KiB", "/module_bytes", KIB),
        ("proven bits", "/proven_bits", 1.0),
    ];
    let row = rows(group)?.last().ok_or("no rows")?;
    let alone = json!({"rows": [row]});
    Ok(listed(&alone, &columns, &["browser"], "/file_bytes")? + &measured(group)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The group `joins` of one row, measured in so many rounds at this load.
    fn figures(rounds: &[f64], load: f64) -> Value {
        let times = json!({"rounds": rounds});
        json!({"joins": {
            "rounds": rounds.len(),
            "load_before": load,
            "machine": "AMD: Poseidon-16; this processor has avx2",
            "rows": [
                {"children": 1},
                {
                    "children": 2, "proven_bits": 101, "prove_cpu_ms": times, "verify_ms": 6.41,
                    "proof_bytes": 2048, "peak_rss_bytes": 3_145_728,
                    "cpu_ns_per_fft_unit": 30.0, "peer_cpu_ns_per_fft_unit": 60.0,
                },
            ],
        }})
    }

    #[test]
    fn what_is_sure_is_in_the_headline() {
        let text = headline(&figures(&[1000.0, 1000.0, 1010.0, 1020.0, 1030.0], 0.3)).unwrap();
        let line = "| join of two proofs, 101 proven bits | 1.01 s of CPU time [2%]; verified in 6.4 ms | 2 KiB | \
                    3 MiB | 0.50 of p3-multi-stark's CPU time per `fft_cost` |\n";
        assert!(text.contains(line), "{text}");
        assert!(text.ends_with("AMD (avx2), medians of five rounds [and their spreads].\n"));
        // No page was measured, so it has no row.
        assert!(!text.contains("Chromium"));
        // A figure that spreads is withheld, in its place.
        let wide = headline(&figures(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.3)).unwrap();
        assert!(
            wide.contains("| not published: spread 67%; verified"),
            "{wide}"
        );
        // A busy machine, too few rounds, and no group: nothing is said.
        let busy = figures(&[1000.0; 5], 1.1);
        let few = figures(&[1000.0; 4], 0.3);
        for none in [busy, few, json!({})] {
            assert!(headline(&none).unwrap().contains("not measured"));
        }
    }

    #[test]
    fn a_page_has_the_row_of_the_browser() {
        let figures = json!({"page": {
            "rounds": 5,
            "load_before": 0.3,
            "machine": "AMD: Poseidon-16; this processor has avx2",
            "commands": ["a command"],
            "rows": [
                {"proven_bits": 101, "verify_ms": 3.3},
                {
                    "browser": "Chromium 140", "proven_bits": 123,
                    "verify_ms": {"rounds": [21.0, 21.0, 21.32, 22.0, 22.0]},
                    "file_bytes": 222_208, "module_bytes": 938_335,
                },
            ],
        }});
        let text = headline(&figures).unwrap();
        let line = "| a page verifies a join, 123 proven bits | 21.3 ms in Chromium [5%] | \
                    217 KiB (file) | module 916 KiB | - |\n";
        assert!(text.contains(line), "{text}");
        let text = page(&figures["page"]).unwrap();
        assert!(
            text.contains("| Chromium 140 | 21 [5%] | 217 | 916 | 123 |\n"),
            "{text}"
        );
        page(&json!({"rows": []})).unwrap_err();
    }
}
