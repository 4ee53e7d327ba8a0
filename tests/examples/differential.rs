//! Runs any number of random programs natively and in the machine:
//!
//!     cargo build -p droste-tests
//!     cargo run -p droste-tests --release --example differential -- \
//!         --programs 20000 --seed 1 --inputs 6 --seconds 3600 --shrink 20
//!
//! `--rename 20000` compiles so many generated programs, and those of the repository, under several
//! names instead, and `--rustc 400` also has rustc build the first of them under other names.
//! `--show N` prints program `N` of the seed. The exit code is 1 if the two sides differ on a
//! program, or the instructions on its names.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use droste_tests::differential::compare::{Case, Verdict, compare};
use droste_tests::differential::rename::same;
use droste_tests::differential::report::Report;
use droste_tests::differential::shrink::shrink;
use droste_tests::differential::source::print;
use droste_tests::differential::{batch, features};

/// Number of programs that are built at a time.
const BATCH: u64 = 400;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, Box<dyn std::error::Error>> {
    let (mut programs, mut seed, mut inputs, mut seconds, mut most) = (400, 1, 6, u64::MAX, 10);
    let (mut first, mut show, mut renamed, mut rustc) = (0, None, None, 0);
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments
            .next()
            .ok_or_else(|| format!("option {name} needs a number"))?;
        let value: u64 = value
            .parse()
            .map_err(|_| format!("option {name} needs a number, {value} was given"))?;
        match name.as_str() {
            "--programs" => programs = value,
            "--seed" => seed = value,
            "--inputs" => inputs = value,
            "--seconds" => seconds = value,
            "--shrink" => most = value,
            "--first" => first = value,
            "--show" => show = Some(value),
            "--rename" => renamed = Some(value),
            "--rustc" => rustc = value,
            _ => return Err(format!("{name} is not an option of this example").into()),
        }
    }
    if let Some(number) = show {
        print!("{}", print(&features::program(seed, number).0));
        return Ok(true);
    }
    // Messages of panics in the compiler or executor are in the report, so they are not printed.
    std::panic::set_hook(Box::new(|_| {}));
    if let Some(programs) = renamed {
        return rename_all(seed, first..first + programs, rustc, most as usize);
    }
    let start = Instant::now();
    let mut report = Report::default();
    let mut findings = Vec::new();
    let end = first + programs;
    while first < end && start.elapsed() < Duration::from_secs(seconds.min(1 << 40)) {
        let next = end.min(first + BATCH);
        findings.extend(batch(seed, first..next, inputs, &mut report)?);
        first = next;
        eprintln!(
            "seed {seed}: {} programs in {:.0?}, {} refused, {} differ",
            report.programs,
            start.elapsed(),
            report.refusals(),
            report.differences(),
        );
    }
    println!(
        "seed {seed}, {inputs} inputs per program, {:.0?}\n{report}",
        start.elapsed()
    );
    findings.truncate(most as usize);
    shrink(seed, inputs, &mut findings, str::to_owned)?;
    for finding in &findings {
        println!(
            "== {:?}: --seed {seed} --first {} --programs 1\n{}\n{}",
            finding.difference,
            finding.number,
            finding.text,
            print(&finding.nodes),
        );
    }
    Ok(report.differences() == 0)
}

/// Compiles programs under several names, and returns whether the instructions are always the same.
fn rename_all(
    seed: u64,
    numbers: std::ops::Range<u64>,
    rustc: u64,
    most: usize,
) -> Result<bool, Box<dyn std::error::Error>> {
    let start = Instant::now();
    let mut report = same::repository(seed)?;
    println!("programs of the repository: {report}");
    let mut right = report.differ.is_empty();
    let mut differ = std::mem::take(&mut report.differ);
    report = same::Report::default();
    for number in numbers.clone() {
        report.add_generated(seed, number);
        if report.programs % 1000 == 0 {
            eprintln!("seed {seed}, {:.0?}: {report}", start.elapsed());
        }
    }
    println!(
        "generated programs of seed {seed}, {:.0?}: {report}",
        start.elapsed()
    );
    right &= report.differ.is_empty();
    differ.append(&mut report.differ);
    for (name, one, other) in differ.iter().take(most) {
        println!("== {name}\n{one}\n== under other names\n{other}");
    }
    // The machine is given the program, rustc the program under other names.
    let cases = numbers.take(rustc as usize);
    let cases: Vec<_> = cases
        .filter_map(|number| Case::renamed(seed, number))
        .collect();
    let mut agree = 0;
    for (case, verdict) in cases.iter().zip(compare(seed, 6, &cases)?) {
        match verdict {
            Verdict::Agrees { .. } => agree += 1,
            Verdict::NotRust(error) => {
                right = false;
                println!(
                    "rustc refuses program {}: {error}\n{}",
                    case.number, case.native
                );
            }
            Verdict::Differs(_, _, text) => {
                right = false;
                println!(
                    "program {} differs: {text}\n{}\n{}",
                    case.number, case.machine, case.native
                );
            }
            Verdict::Refused(..) | Verdict::Endless => {}
        }
    }
    println!(
        "{agree} of {} programs mean the same to rustc under other names",
        cases.len()
    );
    Ok(right)
}
