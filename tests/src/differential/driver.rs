//! The `main` of the native build. It runs the programs whose numbers it reads from standard input.
//!
//! It answers a line `program name run` with `ok wanted : statement` or `failed wanted : message`.

use std::io::{BufRead, Write};

use droste_gadgets::run_native;

use crate::inputs::{Inputs, Kind, Wanted};

/// Number of hints after which a program is assumed to ask for ever.
const MOST: usize = 200;

/// Answers lines until the input ends.
pub fn serve(seed: u64, programs: &[(u64, fn())]) {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("the input is text");
        let mut words = line.split(' ').map(|word| word.parse::<u64>().expect("a number"));
        let (Some(place), Some(run)) = (words.next(), words.next()) else {
            continue;
        };
        let (number, main) = programs[place as usize];
        let answer = answer(&Inputs::new(seed, number, run), main);
        writeln!(out, "{answer}").expect("the output is read");
    }
}

/// Runs a program, with as many inputs and hints as it turns out to ask for.
fn answer(inputs: &Inputs, main: fn()) -> String {
    let mut wanted = Wanted::default();
    loop {
        let tape = inputs.tape(&wanted.hints);
        let result = run_native(&tape, &inputs.public(wanted.public), main);
        let message = match result {
            Ok(statement) => {
                let lanes: Vec<_> = statement.iter().map(u32::to_string).collect();
                return format!("ok {} : {}", wanted.text(), lanes.join(" "));
            }
            Err(failure) => failure.0.replace('\n', " "),
        };
        if message == "a public input is missing" {
            wanted.public += 1;
        } else if message == "the tape has ended" && wanted.hints.len() < MOST {
            wanted.hints.push(Kind::Felt);
        } else if let Some(kind) = expected(&message)
            && wanted.hints.last() != Some(&kind)
            && let Some(last) = wanted.hints.last_mut()
        {
            *last = kind;
        } else {
            return format!("failed {} : {message}", wanted.text());
        }
    }
}

/// Returns the kind of hint that was expected, according to a message.
fn expected(message: &str) -> Option<Kind> {
    let expected = message.strip_prefix("the tape holds ")?.split_once(", expected ")?.1;
    match expected {
        "an element" => Some(Kind::Felt),
        "an extension element" => Some(Kind::Ext),
        blocks => Some(Kind::Slice(blocks.strip_suffix(" blocks")?.parse().ok()?)),
    }
}
