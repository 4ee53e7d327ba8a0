//! Programs as Rust programmers write them: `tests/natural` has sixty, by an author who had not read
//! `docs/zkdsl.md`. What Droste compiles of them means what it means to rustc.
//!
//!     cargo test -p droste-tests --test natural -- --nocapture
//!
//! prints how many it compiles, and what it refuses in the others.

use std::path::PathBuf;
use std::{env, fs};

use droste_tests::differential::compare::{Case, Verdict, compare};

const SEED: u64 = 3;
const RUNS: u64 = 3;
/// Of sixty.
const LEAST: usize = 42;

/// The programs of a folder with their names, in the order of names.
fn programs(folder: &PathBuf) -> Vec<(String, String)> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|end| end == "rs"))
        .collect();
    files.sort();
    let read = |file: PathBuf| {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(&file).unwrap())
    };
    files.into_iter().map(read).collect()
}

#[test]
fn natural_programs_mean_the_same_both_ways() {
    // Another folder may be measured.
    let own = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/natural"));
    let folder = env::var_os("DROSTE_NATURAL").map_or_else(own, PathBuf::from);
    let programs = programs(&folder);
    let cases: Vec<_> = (0..)
        .zip(&programs)
        .map(|(number, (_, text))| Case {
            number,
            native: text.clone(),
            machine: text.clone(),
        })
        .collect();
    let verdicts = compare(SEED, RUNS, &cases).unwrap();
    let mut accepted = 0;
    for ((name, _), verdict) in programs.iter().zip(&verdicts) {
        match verdict {
            Verdict::Agrees { .. } => accepted += 1,
            Verdict::Refused(message, at, _) => println!("{name}: {message}: {at}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    println!("{accepted} of {} are accepted", programs.len());
    assert!(
        accepted * 60 >= LEAST * programs.len(),
        "only {accepted} are accepted"
    );
}
