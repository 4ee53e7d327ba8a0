//! What `droste-bench fold` measures, in words: for its own table, and for `docs/fold.md`. As
//! [`super::markdown`], it is compiled by the test `docs` of droste-tests, too.

use serde_json::Value;

use super::cells::{KIB, Text, measured, ratio, rows, short, table};
use super::figure::Figure;
use super::headline::shown;

/// The figures of folds.
pub fn folds(group: &Value) -> Text {
    Ok(table(&["", "figure"], lines(rows(group)?)?) + &measured(group)?)
}

/// What was measured and its figure, for each row.
///
/// # Errors
/// If a row lacks a figure, or is of no kind that there is.
pub fn lines(rows: &[Value]) -> Result<Vec<Vec<String>>, String> {
    rows.iter().map(|row| Ok(line(row)?.to_vec())).collect()
}

fn line(row: &Value) -> Result<[String; 2], String> {
    let count = |path: &str| shown(row, path, short);
    let seconds = |path: &str| shown(row, path, |ms| format!("{:.2} s", ms / 1e3));
    let shape = match row["as_joins"].as_bool() {
        Some(true) => "in the shape of joins",
        _ => "in a larger shape",
    };
    Ok(match row["what"].as_str().unwrap_or_default() {
        "glue" => {
            let more = |what: &str| {
                let all = Figure::of(row, &format!("/{what}"))?;
                let claim = Figure::of(row, &format!("/claim_{what}"))?;
                let more = all.with(&claim, |all, claim| all - claim);
                Ok::<_, String>(more.show(true, short))
            };
            let (cycles, permutations) = (more("cycles")?, more("permutations")?);
            [
                format!(
                    "around a rule's function, more than a join has: {}",
                    nodes(row)?
                ),
                format!("{cycles} cycles, {permutations} permutations"),
            ]
        }
        "node" => {
            let (cycles, permutations) = (count("/cycles")?, count("/permutations")?);
            let time = shown(row, "/node_ms", |ms| format!("{ms:.0} ms"))?;
            [
                format!(
                    "rule of {}, function of {cycles} cycles and {permutations} permutations, \
                     {shape}",
                    nodes(row)?
                ),
                format!("{} of a plain join, {time}", shown(row, "/ratio", ratio)?),
            ]
        }
        "key" => {
            let (alone, all) = (seconds("/rules_ms")?, seconds("/with_wraps_ms")?);
            [
                format!("fold key of {} rules from their texts", count("/rules")?),
                format!("{alone}; with the wraps of a leaf, from a recipe {all}"),
            ]
        }
        "bits" => {
            let bits = (count("/bits")?, count("/bits_behind")?);
            let proofs = shown(row, "/proofs", |proofs| format!("2^{:.0}", proofs.log2()))?;
            [
                format!(
                    "{proofs} proofs, three in four of {} bits, the others behind wraps of {}",
                    bits.0, bits.1
                ),
                format!("{} bits together", count("/tree_bits")?),
            ]
        }
        "chain" => {
            let ms = |path: &str| shown(row, path, |ms| format!("{ms:.1} ms"));
            let time = ms("/verify_ms")?;
            // Of each further file, by the same verifier. Older measurements do not have it.
            let again = match row["again_ms"] {
                Value::Null => String::new(),
                _ => format!(", by a verifier of many files in {}", ms("/again_ms")?),
            };
            let length = shown(row, "/file_bytes", |bytes| {
                format!("{:.0} KiB", bytes / KIB)
            })?;
            [
                format!("chain, steps: {}", count("/steps")?),
                format!("verified in {time}{again}; {length}"),
            ]
        }
        "union" => {
            let (cycles, permutations) = (count("/cycles")?, count("/permutations")?);
            [
                format!("union of two sets of {} signers", count("/keys")?),
                format!("one node {shape}: {cycles} cycles, {permutations} permutations"),
            ]
        }
        "lies" => {
            let (lies, refused) = (count("/lies")?, count("/refused")?);
            let (inputs, no_effect) = (count("/inputs")?, count("/no_effect")?);
            [
                format!(
                    "lies about hints of the {} rules of the examples",
                    count("/rules")?
                ),
                format!(
                    "{refused} of {lies} refused, the others about {inputs} elements of inputs; \
                     free: {}, without effect: {no_effect}",
                    count("/free")?
                ),
            ]
        }
        other => return Err(format!("a row of `{other}`")),
    })
}

/// The number of nodes that a rule takes.
fn nodes(row: &Value) -> Text {
    let children = shown(row, "/children", short)?;
    Ok(match children.as_str() {
        "1" => "one node".to_owned(),
        _ => format!("{children} nodes"),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_row_is_said_in_words() {
        let rounds = json!({"rounds": [1000.0, 1000.0, 1010.0, 1020.0, 1030.0]});
        let wide = json!({"rounds": [1.0, 2.0, 3.0, 4.0, 5.0]});
        let rows = [
            json!({
                "what": "glue", "children": 2,
                "cycles": 100, "permutations": 15, "claim_cycles": 10, "claim_permutations": 4,
            }),
            json!({
                "what": "node", "children": 1, "cycles": 4097, "permutations": 64,
                "as_joins": true, "ratio": wide, "node_ms": rounds, "join_ms": rounds,
            }),
            json!({"what": "key", "rules": 3, "rules_ms": rounds, "with_wraps_ms": 2350.0}),
            json!({
                "what": "bits", "proofs": 1 << 20, "bits": 123, "bits_behind": 120,
                "tree_bits": 101,
            }),
            json!({
                "what": "chain", "steps": 10, "file_bytes": 204_800, "verify_ms": 3.5,
                "again_ms": 2.4,
            }),
            json!({
                "what": "union", "keys": 2048, "cycles": 1900, "permutations": 45,
                "as_joins": false,
            }),
            json!({
                "what": "lies", "rules": 13, "lies": 30_000, "refused": 29_960, "inputs": 8,
                "no_effect": 0, "free": 0,
            }),
        ];
        let lines = lines(&rows).unwrap();
        let figures: Vec<&str> = lines.iter().map(|line| line[1].as_str()).collect();
        let expected = [
            "90 cycles, 11 permutations",
            "not published: spread 67% of a plain join, 1010 ms [2%]",
            "1.01 s [2%]; with the wraps of a leaf, from a recipe 2.35 s",
            "101 bits together",
            "verified in 3.5 ms, by a verifier of many files in 2.4 ms; 200 KiB",
            "one node in a larger shape: 1,900 cycles, 45 permutations",
            "29,960 of 30,000 refused, the others about 8 elements of inputs; free: 0, without \
             effect: 0",
        ];
        assert_eq!(figures, expected);
        let whats = lines.iter().map(|line| line[0].as_str());
        let long: Vec<&str> = whats.filter(|what| what.contains("node")).collect();
        assert_eq!(
            long,
            [
                "around a rule's function, more than a join has: 2 nodes",
                "rule of one node, function of 4,097 cycles and 64 permutations, in the shape of \
                 joins",
            ]
        );
        assert_eq!(lines[3][0].split(' ').next(), Some("2^20"));
        super::lines(&[json!({"what": "another"})]).unwrap_err();
        super::lines(&[json!({"what": "chain", "steps": 10})]).unwrap_err();
    }
}
