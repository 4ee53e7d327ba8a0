use p3_batch_stark::num_batched_openings;
use p3_security::grinding::GrindingSites;
use p3_security::stark::proven_security_report;
use p3_security::{InstanceShape, StarkAirParams, fri::FriRegime};
use p3_uni_stark::OpeningShape;

use super::*;
use crate::stark::config::FriSettings;
use crate::{Blake3Suite, HashSuite, Poseidon16Suite};

const COLLISION: f64 = Poseidon16Suite::COLLISION_BITS;

fn bits(settings: &FriSettings, tables: &[TableShape]) -> usize {
    proven_security(settings, tables, COLLISION).bits()
}

/// Bits of a term, without the newest theorem.
fn bits_of(security: &Security, name: &str) -> f64 {
    let mut terms = security.without.terms.iter();
    terms.find(|term| term.name == name).unwrap().bits
}

fn table(log_height: usize) -> TableShape {
    TableShape {
        log_height,
        main_width: 164,
        constraints: 200,
        degree: 3,
        ..TableShape::default()
    }
}

#[test]
fn preset_queries_are_the_smallest_that_reach_the_target() {
    for preset in [Preset::Proven100, Preset::Proven120, Preset::Proven128] {
        for log_blowup in 1..=4 {
            let settings = preset.settings(log_blowup).unwrap();
            settings.validate().unwrap();
            let smallest = smallest_queries(&settings, &reference_batch(), COLLISION, preset);
            assert_eq!(
                smallest,
                Some(settings.num_queries),
                "{preset} at 2^{log_blowup}"
            );
        }
    }
}

#[test]
fn presets_are_named_and_bounded() {
    for preset in Preset::ALL {
        assert_eq!(preset.name().parse(), Ok(preset));
        for log_blowup in [0, 5, usize::MAX] {
            assert_eq!(
                preset.settings(log_blowup),
                Err(UnsupportedBlowup { log_blowup })
            );
        }
    }
    assert!("proven-140".parse::<Preset>().is_err());
    let toy = Preset::Toy.settings(2).unwrap();
    assert!(bits(&toy, &reference_batch()) < 10);
}

#[test]
fn one_table_agrees_with_plonky3() {
    let degrees = [(5, 154), (4, 123)];
    let cases = (1..=4).flat_map(|log_blowup| degrees.map(|degree| (log_blowup, degree)));
    for (log_blowup, (degree, modulus_bits)) in cases {
        let settings = FriSettings {
            batch_grinding_bits: 0,
            ..Preset::Proven100.settings(log_blowup).unwrap()
        };
        for log_height in [5, 10, 20] {
            let shape = table(log_height);
            let report = proven_security_over(degree, &settings, &[shape], 128.0);
            let expected = proven_security_report(
                &FriRegime {
                    log_blowup,
                    num_queries: settings.num_queries,
                    log_final_poly_len: settings.log_final_poly_len,
                    max_log_arity: settings.max_log_arity,
                    commit_pow_bits: settings.commit_grinding_bits,
                    query_pow_bits: settings.query_grinding_bits,
                },
                &StarkAirParams {
                    num_constraints: shape.constraints,
                    max_constraint_degree: shape.degree,
                    num_quotient_chunks: 2,
                    max_combo: 2,
                },
                &InstanceShape {
                    log_trace_length: log_height,
                    modulus_bits,
                    collision_resistance: 128,
                    num_batched_functions: shape.batched_openings(degree),
                },
                &[],
                &GrindingSites::NONE,
            );
            let expected = expected.security_bits() as usize;
            // All rounds of folding are one term here, where Plonky3 has the first one only.
            let expected = expected.min(123);
            assert!((expected - 1..=expected).contains(&report.with.bits()));
            assert!(report.bits() <= report.with.bits());
        }
    }
}

/// Bits that were computed by the same formulas in another language: with challenges of degree 4,
/// 100 bits need grinding before the challenges, or unique decoding.
#[test]
fn degree_4_has_100_bits_with_grinding() {
    let bits = |log_height, main_width, (log_blowup, num_queries), grinding| {
        let shape = TableShape {
            log_height,
            main_width,
            main_next: true,
            constraints: 100,
            degree: 3,
            ..TableShape::default()
        };
        let settings = FriSettings {
            log_blowup,
            num_queries,
            query_grinding_bits: 20,
            batch_grinding_bits: grinding,
            commit_grinding_bits: grinding,
            ood_grinding_bits: grinding,
            ..FriSettings::toy()
        };
        let Security { without, with } = proven_security_over(4, &settings, &[shape], 128.0);
        [without.bits(), with.bits()]
    };
    assert_eq!(bits(12, 100, (3, 60), 0), [87, 90]);
    assert_eq!(bits(12, 100, (3, 60), 16), [100, 103]);
    assert_eq!(bits(16, 300, (3, 70), 0), [81, 84]);
    assert_eq!(bits(16, 300, (3, 70), 20), [101, 104]);
    assert_eq!(bits(12, 100, (1, 230), 0), [102, 102]);
}

#[test]
fn openings_are_counted_as_plonky3_counts_them() {
    let shapes = [table(4), reference_batch()[0], reference_batch()[1]];
    for (shape, degree) in shapes
        .into_iter()
        .flat_map(|shape| [(shape, 5), (shape, 4)])
    {
        assert_eq!(
            shape.batched_openings(degree),
            num_batched_openings(
                shape.main_width,
                shape.main_next,
                shape.preprocessed_width,
                shape.preprocessed_next,
                shape.quotient_chunks(),
                shape.lookup_columns,
                degree,
                OpeningShape::new(),
            )
        );
    }
}

/// A hiding proof is one of matrices of twice the height, with more columns and chunks.
#[test]
fn hiding_proofs_agree_with_plonky3() {
    let settings = FriSettings {
        batch_grinding_bits: 0,
        ..Preset::Proven100.settings(2).unwrap()
    };
    for (degree, modulus_bits) in [(5, 154), (4, 123)] {
        for log_height in [5, 10, 19] {
            let shape = TableShape {
                lookup_columns: 3,
                ..table(log_height)
            };
            let codewords = degree + 1;
            // The degree 3 counts as 4: a quotient of degree 3, in four chunks, and as many again.
            let chunks = 8;
            let report =
                proven_security_hiding(degree, Some(codewords), &settings, &[shape], 128.0);
            let expected = proven_security_report(
                &FriRegime {
                    log_blowup: settings.log_blowup,
                    num_queries: settings.num_queries,
                    log_final_poly_len: settings.log_final_poly_len,
                    max_log_arity: settings.max_log_arity,
                    commit_pow_bits: settings.commit_grinding_bits,
                    query_pow_bits: settings.query_grinding_bits,
                },
                &StarkAirParams {
                    num_constraints: shape.constraints,
                    max_constraint_degree: shape.degree,
                    num_quotient_chunks: chunks,
                    max_combo: 2,
                },
                &InstanceShape {
                    log_trace_length: log_height + 1,
                    modulus_bits,
                    collision_resistance: 128,
                    num_batched_functions: num_batched_openings(
                        shape.main_width,
                        shape.main_next,
                        shape.preprocessed_width,
                        shape.preprocessed_next,
                        chunks,
                        shape.lookup_columns,
                        degree,
                        OpeningShape::hiding(codewords),
                    ),
                },
                &[],
                &GrindingSites::NONE,
            );
            // All rounds of folding are one term here, where Plonky3 has the first one only.
            let expected = (expected.security_bits() as usize).min(123);
            assert!((expected - 1..=expected).contains(&report.with.bits()));
            // At small heights the rows that are opened at once are a larger part of all.
            let as_high = TableShape {
                lookup_columns: 3,
                ..table(log_height + 1)
            };
            let plain = proven_security_over(degree, &settings, &[as_high], 128.0);
            assert!(report.bits() <= plain.bits());
        }
    }
    let none = proven_security_hiding(5, None, &settings, &[table(10)], 128.0);
    assert_eq!(
        none,
        proven_security_over(5, &settings, &[table(10)], 128.0)
    );
}

/// Every change that makes forging easier lowers the bound or leaves it unchanged.
#[test]
fn security_is_monotone() {
    let settings = Preset::Proven100.settings(2).unwrap();
    let base = [table(16), table(10)];
    let baseline = proven_security(&settings, &base, COLLISION);
    let worse: [fn(&mut TableShape); 4] = [
        |t| t.log_height = 24,
        |t| t.log_height = 3,
        |t| t.main_width = 1 << 20,
        |t| {
            t.interactions = 1 << 31;
            t.message_width = 100;
        },
    ];
    for (index, change) in worse.into_iter().enumerate() {
        let mut tables = base;
        change(&mut tables[0]);
        let report = proven_security(&settings, &tables, COLLISION);
        assert!(report.bits() < baseline.bits(), "change {index}");
    }
    let mut many = base;
    many[0].constraints *= 2;
    many[1].constraints *= 2;
    let combination = |tables| {
        bits_of(
            &proven_security(&settings, tables, COLLISION),
            "constraint combination",
        )
    };
    assert!((combination(&base) - combination(&many) - 1.0).abs() < 1e-9);
    let weak = proven_security(&settings, &base, 60.5);
    assert_eq!(weak.bits(), 60);
    for bound in [&weak.without, &weak.with] {
        assert_eq!(bound.weakest().unwrap().name, "commitment collision");
        assert!(bound.sum() < 60.5);
    }

    type Change = fn(&mut FriSettings);
    // Each proof of work raises its own term.
    let sites: [(&str, Change); 3] = [
        ("out-of-domain point", |s| s.ood_grinding_bits += 5),
        ("opening combination", |s| s.batch_grinding_bits += 5),
        ("lookup fingerprint", |s| s.lookup_grinding_bits += 5),
    ];
    let lookups = TableShape {
        interactions: 3,
        message_width: 4,
        ..table(16)
    };
    // Collisions limit the bits at this preset, so the regime stays the same.
    let settings = Preset::Proven128.settings(2).unwrap();
    for (name, grind) in sites {
        let mut ground = settings;
        grind(&mut ground);
        let term = |settings: &FriSettings| {
            bits_of(&proven_security(settings, &[lookups], COLLISION), name)
        };
        assert!(
            (term(&ground) - term(&settings) - 5.0).abs() < 1e-9,
            "{name}"
        );
    }
}

#[test]
fn bounds_fail_closed() {
    let settings = Preset::Proven100.settings(2).unwrap();
    assert_eq!(bits(&settings, &[]), 0);
    assert_eq!(bits(&settings, &[table(60)]), 0);
    assert_eq!(bits(&settings, &[table(usize::MAX)]), 0);
    let huge = TableShape {
        main_width: usize::MAX,
        ..table(10)
    };
    assert_eq!(bits(&settings, &[huge]), 0);
    let broken = FriSettings {
        num_queries: 0,
        ..settings
    };
    assert_eq!(bits(&broken, &[table(10)]), 0);
    for degree in [0, 3, 6] {
        let report = proven_security_over(degree, &settings, &[table(10)], COLLISION);
        assert_eq!(report.bits(), 0);
    }
}

#[test]
fn bits_are_rounded_down() {
    for (bits, text) in [
        (120.69, "120.6"),
        (99.9999, "99.9"),
        (DIGEST_COLLISION_BITS, "123.9"),
        (100.0, "100.0"),
    ] {
        assert_eq!(decimals(bits), text);
    }
}

#[test]
fn digests_cap_the_security() {
    // Half of the bits of eight elements, never rounded up.
    let exact = 4.0 * f64::from(crate::field::MODULUS).log2();
    assert!(
        (0.0..1e-4).contains(&(exact - DIGEST_COLLISION_BITS)),
        "{exact}"
    );
    assert_eq!(Poseidon16Suite::COLLISION_BITS, DIGEST_COLLISION_BITS);
    assert_eq!(Blake3Suite::COLLISION_BITS, 128.0);
    // Keys and claims are Poseidon-16 digests, whatever the hash of the commitments.
    let mut strong = Preset::Proven120.settings(4).unwrap();
    strong.num_queries = 1024;
    strong.log_blowup = 8;
    for site in [
        &mut strong.batch_grinding_bits,
        &mut strong.commit_grinding_bits,
        &mut strong.lookup_grinding_bits,
        &mut strong.ood_grinding_bits,
    ] {
        *site = 24;
    }
    for collision_bits in [COLLISION, Blake3Suite::COLLISION_BITS, 1000.0] {
        let report = proven_security(&strong, &[table(10)], collision_bits);
        assert_eq!(report.bits(), 123);
        let digests = bits_of(&report, "key and claim collision");
        assert_eq!(digests, DIGEST_COLLISION_BITS);
        // With a stronger hash, only the digests of keys and claims limit the security.
        if collision_bits > 124.0 {
            let weakest = report.without.weakest().unwrap();
            assert_eq!(weakest.name, "key and claim collision");
            let terms = report.without.terms.iter();
            let mut others = terms.filter(|term| term.name != weakest.name);
            assert!(others.all(|term| term.bits > 125.0));
        }
    }
    // The size of the challenge field limits the security here, so more queries do not help.
    let settings = Preset::Proven100.settings(2).unwrap();
    let smallest = smallest_queries(&settings, &reference_batch(), COLLISION, Preset::Proven128);
    assert_eq!(smallest, None);
}

/// Values of the formulas in the papers, computed by hand in another language.
#[test]
fn exceptional_challenges_are_counted_as_the_papers_do() {
    for (log_degree, log_blowup, multiplicity, of_2055, of_2056) in [
        (22, 2, 10, 43.376_645_8, 37.591_990_1),
        (15, 2, 10, 36.376_645_8, 30.592_033_8),
        (8, 8, 10, 44.376_625_3, 35.597_636_3),
        (20, 1, 3, 30.953_073_7, 28.837_103_6),
    ] {
        for (gap, expected) in [
            (ProximityGap::Bchks25, of_2055),
            (ProximityGap::Dkt26, of_2056),
        ] {
            let found = gap.exceptional_challenges(log_degree, log_blowup, multiplicity);
            assert!(
                (found - expected).abs() < 1e-6,
                "{gap:?}: {found}, {expected}"
            );
        }
    }
}

/// Nothing in the bound without ePrint 2026/2056 rests on it, and it is the weaker one.
#[test]
fn every_term_says_its_theorem() {
    for preset in Preset::ALL {
        let settings = preset.settings(2).unwrap();
        let security = proven_security(&settings, &reference_batch(), COLLISION);
        let Security { without, with } = &security;
        let newest = |bound: &SecurityBound| {
            let mut terms = bound.terms.iter();
            terms.any(|term| term.theorem.contains("2026/2056"))
        };
        assert!(!newest(without));
        assert_eq!(newest(with), with.regime != Regime::UniqueDecoding);
        let least = |bound: &SecurityBound| bound.weakest().unwrap().bits;
        assert!(least(without) <= least(with));
        assert!(without.terms.iter().all(|term| !term.theorem.is_empty()));
    }
}
