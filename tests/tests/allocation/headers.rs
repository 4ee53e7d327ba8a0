//! Headers that ask for work: each field is set to its extremes, and the identity is recomputed to
//! match.

use std::time::Duration;

use droste_native::{Blake3Suite, FriSettings, HashSuite, KeccakSuite, Poseidon16Suite};
use droste_vm::fri::{FORMAT_VERSION, MACHINE_TAG, Proof, Verifier, decode, encode, verify};
use droste_vm::key::{KeyHeights, Message};
use droste_vm::machine::{MAX_TABLES, Provable, StandardTables};
use droste_vm::verifier::{VerifyError, VerifyOptions, verify_program};

use crate::common::{fibonacci, statement, toy, toy_proof};
use crate::counting::{Taken, alone, taken};

/// Largest number of bytes that refusing a file of some KB may allocate.
const BYTES: usize = 24 << 20;
/// Most CPU time that refusing may take: a hundred times what it takes on an idle machine.
const TIME: Duration = Duration::from_secs(1);

/// Extremes of a setting: the ends of its range, the values next to them, the largest integer.
const EXTREMES: [usize; 12] = [0, 1, 7, 8, 9, 16, 17, 24, 25, 1024, 1025, usize::MAX];

fn settings() -> Vec<(String, FriSettings)> {
    type Field = fn(&mut FriSettings) -> &mut usize;
    let fields: [(&str, Field); 10] = [
        ("log_blowup", |s| &mut s.log_blowup),
        ("log_final_poly_len", |s| &mut s.log_final_poly_len),
        ("max_log_arity", |s| &mut s.max_log_arity),
        ("num_queries", |s| &mut s.num_queries),
        ("batch_grinding_bits", |s| &mut s.batch_grinding_bits),
        ("commit_grinding_bits", |s| &mut s.commit_grinding_bits),
        ("query_grinding_bits", |s| &mut s.query_grinding_bits),
        ("lookup_grinding_bits", |s| &mut s.lookup_grinding_bits),
        ("ood_grinding_bits", |s| &mut s.ood_grinding_bits),
        ("cap_height", |s| &mut s.cap_height),
    ];
    let mut all = vec![];
    for (name, field) in fields {
        for value in EXTREMES {
            let mut settings = toy();
            *field(&mut settings) = value;
            all.push((format!("{name} {value}"), settings));
        }
    }
    // The settings that make a program's commitment as large as possible.
    let largest = FriSettings {
        log_blowup: 8,
        log_final_poly_len: 16,
        cap_height: 16,
        ..toy()
    };
    all.push(("largest".to_owned(), largest));
    all
}

fn heights() -> Vec<(String, KeyHeights)> {
    let mut all = vec![("free".to_owned(), KeyHeights::Free)];
    for count in [0, 1, 3, 4, 5, MAX_TABLES] {
        for log_height in [0, 6, 16, 22, 23, 24, 63, 64, usize::MAX] {
            let name = format!("{count} heights {log_height}");
            all.push((name, KeyHeights::Fixed(vec![log_height; count])));
        }
    }
    all
}

/// What is changed together: settings, and heights of the key, of its program and of the proof.
struct Header {
    name: String,
    settings: FriSettings,
    heights: KeyHeights,
    program: usize,
    batch: Vec<usize>,
}

fn headers<H: HashSuite>(honest: &Proof<H>) -> Vec<Header> {
    let header = |name: String| Header {
        name,
        settings: honest.key.settings,
        heights: honest.key.heights.clone(),
        program: honest.key.program_log_height,
        batch: honest.batch.degree_bits.clone(),
    };
    let mut all = vec![];
    for (name, settings) in settings() {
        // The program's table has the height that these settings require.
        let cap = settings.cap_height.saturating_sub(settings.log_blowup);
        let program = settings.log_final_poly_len.max(cap).max(6);
        all.push(Header {
            settings,
            program,
            ..header(name.clone())
        });
        all.push(Header {
            settings,
            ..header(format!("{name}, program as it was"))
        });
    }
    for (name, heights) in heights() {
        let stated = match &heights {
            KeyHeights::Fixed(list) => list.clone(),
            KeyHeights::Free => vec![23; 4],
        };
        all.push(Header {
            heights: heights.clone(),
            program: stated.first().copied().unwrap_or(0),
            batch: stated,
            ..header(name.clone())
        });
        all.push(Header {
            heights,
            ..header(format!("{name}, the proof's as they were"))
        });
    }
    for log_height in [0, 5, 7, 19, 20, 23, 24, 63, 64, usize::MAX] {
        all.push(Header {
            program: log_height,
            ..header(format!("program {log_height}"))
        });
    }
    all
}

/// Computes the identity of a machine with these parameters, as an attacker can.
fn identity<H: HashSuite>(
    machine: &Verifier<H, StandardTables>,
    settings: &FriSettings,
    heights: &KeyHeights,
) -> [droste_native::F; 8]
where
    StandardTables: Provable<H>,
{
    let mut message = Message::default();
    message.number(FORMAT_VERSION as usize);
    message.text(H::NAME);
    message.numbers(&settings.numbers());
    match heights {
        KeyHeights::Free => message.number(0),
        KeyHeights::Fixed(heights) => {
            message.number(1);
            message.numbers(heights);
        }
    }
    let tables = machine.machine().tables();
    message.number(tables.len());
    for (table, lookups) in tables.iter().zip(&machine.common().lookups) {
        message.table(droste_vm::tables::Table::name(table), table, lookups);
    }
    message.digest(MACHINE_TAG)
}

fn headers_are_cheap<H: HashSuite>()
where
    StandardTables: Provable<H>,
{
    let (compiled, honest) = (fibonacci(6), toy_proof::<H>());
    let machine = Verifier::<H, StandardTables>::new(honest.key.clone()).unwrap();
    let own = identity(&machine, &honest.key.settings, &honest.key.heights);
    assert_eq!(own, honest.key.machine_id);

    let bytes = encode(&honest).unwrap();
    let (mut most, mut limited, mut largest) = (Taken::default(), 0, 0);
    for header in headers(&honest) {
        let mut proof = decode::<H>(&bytes).unwrap();
        let digest = proof.key.program[0];
        proof.key.settings = header.settings;
        proof.key.heights = header.heights;
        proof.key.program_log_height = header.program;
        proof.batch.degree_bits = header.batch;
        // As many digests as the commitment would have.
        let leaves = header.program.saturating_add(header.settings.log_blowup);
        let cap = header.settings.cap_height.min(leaves).min(16);
        proof.key.program = vec![digest; 1 << cap];
        if header.settings.validate().is_ok() {
            proof.key.machine_id = identity(&machine, &proof.key.settings, &proof.key.heights);
        }
        if proof.key == honest.key && proof.batch.degree_bits == honest.batch.degree_bits {
            continue;
        }
        let file = encode(&proof).unwrap();
        largest = largest.max(file.len());
        let (verdict, taken) = taken(|| {
            let proof = decode::<H>(&file).unwrap();
            let own = verify::<H, StandardTables>(
                &proof.key,
                &statement(),
                VerifyOptions::min_bits(0),
                &proof,
            );
            let options = VerifyOptions::min_bits(0);
            let asked =
                verify_program::<H, StandardTables>(&compiled, &statement(), options, &proof);
            (own.err(), asked.err())
        });
        let name = header.name;
        let (Some(_), Some(asked)) = verdict else {
            panic!("{name} is accepted");
        };
        limited += usize::from(matches!(asked, VerifyError::Limit { .. }));
        assert!(
            taken.bytes <= BYTES + 16 * file.len() && taken.time <= TIME,
            "{name}: {asked} takes {taken:?}"
        );
        most = most.max(taken);
    }
    // Some headers were stopped by the limit alone.
    assert!(limited > 0);
    println!("{}: {largest} bytes at most, taking {most:?}", H::NAME);
}

#[test]
fn headers_decide_no_more_work_than_stated() {
    alone(|| {
        headers_are_cheap::<Poseidon16Suite>();
        headers_are_cheap::<Blake3Suite>();
        headers_are_cheap::<KeccakSuite>();
    });
}
