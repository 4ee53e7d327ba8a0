//! What `docs/recursion.md` says of Plonky3's configurations and of systems, and the settings of
//! `docs/flags.md`.

use std::path::Path;

use droste_native::stark::security::{TableShape, proven_security_hiding, proven_security_over};
use droste_native::{BabyBear, BabyBear4, ChallengeField, EF, EF4, F, FriSettings};
use droste_verifier::airs::StockConfig;
use droste_verifier::tape::{FriConfig, TreesId};
use p3_air::BaseAir;
use p3_blake3::Blake3;
use p3_dft::Radix2Bowers;
use p3_fri::TwoAdicFriPcs;
use p3_keccak::Keccak256Hash;
use p3_uni_stark::StarkConfig;

use super::baby_bear::examples::{poseidon1_air, poseidon2_air};
use super::config::{ByteChallenger, SpongeTrees, Stock, StockNarrow, StockPoseidon2, StockSponge};
use super::hiding::ZK;

/// The name of an accepted configuration in keys, and the field of its challenges.
const fn accepted<SC: StockConfig>() -> (&'static str, ChallengeField) {
    type Config<SC> = droste_verifier::airs::Stock<SC>;
    (
        <Config<SC> as FriConfig>::TREES.name(),
        <Config<SC> as FriConfig>::FIELD,
    )
}

/// The configuration of the sponge of Keccak with another Fourier transform.
type SpongeWith<Dft> = StarkConfig<
    TwoAdicFriPcs<F, Dft, SpongeTrees, p3_commit::ExtensionMmcs<F, EF4, SpongeTrees>>,
    EF4,
    ByteChallenger<Keccak256Hash>,
>;

/// Every accepted type, with whatever makes no difference to proofs.
#[test]
fn accepted_types() {
    use ChallengeField::{BabyBear, Quartic, Quintic};
    assert_eq!(accepted::<StockSponge<EF4>>(), ("keccak-sponge", Quartic));
    assert_eq!(accepted::<StockSponge<EF>>(), ("keccak-sponge", Quintic));
    assert_eq!(
        accepted::<StockSponge<BabyBear4>>(),
        ("keccak-sponge", BabyBear)
    );
    let found = accepted::<SpongeWith<Radix2Bowers>>();
    assert_eq!(found, ("keccak-sponge", Quartic));
    assert_eq!(accepted::<Stock<Blake3, EF4>>(), ("blake3", Quartic));
    assert_eq!(accepted::<Stock<Blake3, EF>>(), ("blake3", Quintic));
    assert_eq!(accepted::<Stock<Blake3, BabyBear4>>(), ("blake3", BabyBear));
    assert_eq!(accepted::<Stock<Keccak256Hash, EF4>>(), ("keccak", Quartic));
    assert_eq!(accepted::<Stock<Keccak256Hash, EF>>(), ("keccak", Quintic));
    assert_eq!(
        accepted::<Stock<Keccak256Hash, BabyBear4>>(),
        ("keccak", BabyBear)
    );
    // With Plonky3's default constants the suite's: their name is "poseidon2".
    assert_eq!(accepted::<StockPoseidon2<EF4>>(), ("poseidon2-24", Quartic));
    assert_eq!(accepted::<StockPoseidon2<EF>>(), ("poseidon2-24", Quintic));
    assert_eq!(accepted::<StockNarrow<EF4>>(), ("poseidon2-16", Quartic));
    assert_eq!(accepted::<StockNarrow<EF>>(), ("poseidon2-16", Quintic));
}

/// A row of a table: program or system, number of configurations, and what is said of it.
type Row = (&'static str, usize, &'static str);

const ACCEPTED: &str = "accepted";

/// The programs of Plonky3 0.8.0 and its `examples`.
const PROGRAMS: [Row; 15] = [
    ("`prove_poseidon2_koala_bear_keccak`", 1, ACCEPTED),
    (
        "`prove_prime_field_31 -f koala-bear -m keccak`",
        4,
        ACCEPTED,
    ),
    (
        "`prove_prime_field_31 -f koala-bear -m poseidon2`",
        4,
        ACCEPTED,
    ),
    ("`prove_prime_field_31 -f baby-bear -m keccak`", 4, ACCEPTED),
    (
        "`prove_prime_field_31 -f baby-bear -m poseidon2`",
        4,
        "Poseidon2 over BabyBear",
    ),
    (
        "`prove_prime_field_31 -f mersenne-31 -m keccak`",
        4,
        "Mersenne-31",
    ),
    (
        "`prove_prime_field_31 -f mersenne-31 -m poseidon2`",
        4,
        "Mersenne-31",
    ),
    ("`prove_poseidon1_baby_bear_keccak`", 1, ACCEPTED),
    ("`prove_poseidon2_baby_bear_keccak_zk`", 1, ACCEPTED),
    ("`prove_baby_bear_sha256`", 1, "SHA-256"),
    ("`prove_baby_bear_sha256_compress`", 1, "SHA-256"),
    ("`prove_goldilocks_keccak`", 1, "Goldilocks"),
    ("`prove_goldilocks_sha256`", 1, "Goldilocks"),
    ("`prove_goldilocks_poseidon2`", 1, "Goldilocks"),
    ("`prove_m31_sha256`", 1, "Mersenne-31"),
];

/// Systems that are made of Plonky3, or are often asked for.
const SYSTEMS: [(&str, &str); 13] = [
    (
        "p3-uni-stark, p3-batch-stark 0.8.0, KoalaBear or BabyBear, types of the list above",
        ACCEPTED,
    ),
    (
        "the same, Poseidon2 of width 16 for leaves and transcript, KoalaBear",
        ACCEPTED,
    ),
    ("the same, hiding commitments", ACCEPTED),
    ("p3-recursion", "transcript of Plonky3 0.6"),
    ("SP1 6", "protocol of its own"),
    ("Pico", "protocol of its own"),
    ("Ziren", "protocol of its own"),
    ("OpenVM 1", "Poseidon2 over BabyBear"),
    ("OpenVM 2", "protocol of its own"),
    ("ix, multi-stark", "Goldilocks"),
    ("Miden 0.28", "Goldilocks"),
    ("p3-multi-stark", "protocol of its own"),
    ("RISC Zero, Airbender, Stwo, ZisK", "not Plonky3"),
];

fn document(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::fs::read_to_string(root.join(path)).expect("a document")
}

/// The cells of the rows of the table whose header begins with a cell.
fn table(text: &str, first: &str) -> Vec<Vec<String>> {
    let header = format!("| {first} |");
    let rows = text.lines().skip_while(|line| !line.starts_with(&header));
    let rows = rows.skip(2).take_while(|line| line.starts_with('|'));
    let cells = |row: &str| {
        let row = row.trim_start_matches("| ").trim_end_matches(" |");
        row.split(" | ").map(str::to_owned).collect()
    };
    rows.map(cells).collect()
}

#[test]
fn the_document_lists_every_configuration() {
    let text = document("docs/recursion.md");
    let programs = PROGRAMS.map(|(name, count, verdict)| {
        [name.to_owned(), count.to_string(), verdict.to_owned()].to_vec()
    });
    assert_eq!(table(&text, "program"), programs);
    let systems = SYSTEMS.map(|(name, verdict)| [name.to_owned(), verdict.to_owned()].to_vec());
    assert_eq!(table(&text, "system"), systems);

    let sum = |rows: &[Row]| -> usize { rows.iter().map(|(_, count, _)| count).sum() };
    let accepted: Vec<Row> = PROGRAMS
        .into_iter()
        .filter(|(_, _, verdict)| *verdict == ACCEPTED)
        .collect();
    let (accepted, all) = (sum(&accepted), sum(&PROGRAMS));
    let sentence = format!("Of their {all} proofs, {accepted} are accepted.");
    assert!(text.contains(&sentence), "{sentence}");
}

/// Bits of the accepted programs, whose flags are those of `new_benchmark`,
/// `new_benchmark_high_arity` and `new_benchmark_zk`.
#[test]
fn examples_have_the_bits_of_the_document() {
    let benchmark = FriSettings {
        num_queries: 100,
        query_grinding_bits: 16,
        ..super::fixture::BENCHMARK
    };
    let high_arity = FriSettings {
        max_log_arity: 3,
        batch_grinding_bits: 10,
        ..benchmark
    };
    let zk = FriSettings {
        num_queries: 100,
        batch_grinding_bits: 10,
        query_grinding_bits: 16,
        ..ZK
    };
    let poseidon2 = of_size(16, 1_312, false);
    let poseidon1 = of_size(16, BaseAir::<BabyBear>::width(&poseidon1_air()), false);
    let hidden = of_size(16, BaseAir::<BabyBear>::width(&poseidon2_air()), false);
    let keccak = of_size(15, 2_633, true);
    let bits = [
        (benchmark, poseidon2),
        (benchmark, poseidon1),
        (high_arity, keccak),
    ]
    .map(|(settings, shape)| proven_security_over(4, &settings, &[shape], 128.0).bits());
    assert_eq!(bits[0], bits[1]);
    let hidden = proven_security_hiding(4, Some(4), &zk, &[hidden], 128.0).bits();
    // In Poseidon2 the hash does not decide, either.
    let collision_bits = TreesId::Poseidon2Wide.collision_bits();
    let poseidon2 = proven_security_over(4, &high_arity, &[keccak], collision_bits).bits();
    assert_eq!(poseidon2, bits[2]);
    let text = document("docs/recursion.md");
    let text: Vec<&str> = text.split_whitespace().collect();
    let sentence = format!(
        "`prove_poseidon2_koala_bear_keccak` and `prove_poseidon1_baby_bear_keccak` have {} bits and \
         `prove_poseidon2_baby_bear_keccak_zk` has {hidden}, at 2^16 rows; `prove_prime_field_31` \
         has {} for Keccak-f, at 2^15 rows.",
        bits[0], bits[2]
    );
    assert!(text.join(" ").contains(&sentence), "{sentence}");
}

/// The shape of a table of this size, with the AIR that `docs/flags.md` names.
fn of_size(log_height: usize, main_width: usize, main_next: bool) -> TableShape {
    TableShape {
        log_height,
        main_width,
        main_next,
        constraints: 100,
        degree: 3,
        ..TableShape::default()
    }
}

/// The document's settings have 100 bits, and would not with one query or one bit of work less.
#[test]
fn settings_have_the_bits_of_the_document() {
    let rows = table(&document("docs/flags.md"), "rows");
    assert!(rows.len() > 20);
    for row in rows {
        let number = |index: usize| -> usize {
            let cell = row[index].trim_start_matches("2^");
            cell.parse().unwrap_or_else(|_| panic!("{row:?}"))
        };
        let [log_height, width, degree, blowup] = [0, 1, 2, 3].map(number);
        let [num_queries, query_work, work, expected] = [4, 5, 6, 7].map(number);
        let shape = of_size(log_height, width, true);
        let bits = |num_queries: usize, work: usize| {
            let settings = FriSettings {
                log_blowup: blowup.ilog2() as usize,
                log_final_poly_len: 0,
                max_log_arity: 3,
                num_queries,
                batch_grinding_bits: work,
                commit_grinding_bits: work,
                query_grinding_bits: query_work,
                lookup_grinding_bits: work,
                ood_grinding_bits: work,
                cap_height: 0,
            };
            proven_security_over(degree, &settings, &[shape], 128.0).bits()
        };
        println!("{row:?}: {} bits", bits(num_queries, work));
        assert_eq!(bits(num_queries, work), expected, "{row:?}");
        assert!(expected >= 100, "{row:?}");
        assert!(bits(num_queries - 1, work) < 100, "{row:?}: fewer queries");
        assert!(
            work == 0 || bits(num_queries, work - 1) < 100,
            "{row:?}: less work"
        );
    }
}
