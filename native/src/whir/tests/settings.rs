//! Settings, and the schedules that follow from them.

use super::*;
use crate::stark::security::Preset;
use crate::stark::suite::HashId;

#[test]
fn presets_are_in_range_and_have_parameters() {
    let check = |settings: WhirSettings, most: usize| {
        settings.validate().unwrap();
        for row_variables in 1..=most {
            settings.parameters(row_variables).unwrap();
        }
    };
    for preset in Preset::ALL {
        check(WhirSettings::of(preset), 8);
        // With 2^8 rows, folds would need more grinding than there is at `proven-128`.
        check(WhirSettings::of_exit(preset), 7);
    }
}

#[test]
fn the_schedule_of_a_join() {
    let schedule = WhirSettings::proven_100().schedule(6).unwrap();
    let shapes = schedule.commitments().map(|step| {
        let CommitmentStep {
            variables,
            fold,
            log_blowup,
            log_leaves,
            queries,
            ..
        } = *step;
        [variables, fold, log_blowup, log_leaves, queries]
    });
    // 85 = 101 - 16 bits by queries, each of which has log2(20/21) + r/2 bits at rate 2^-r.
    assert_eq!(
        shapes.collect::<Vec<_>>(),
        [
            [22, 6, 2, 18, 92],
            [16, 4, 4, 16, 45],
            [12, 4, 7, 15, 25],
            [8, 4, 10, 14, 18]
        ]
    );
    assert_eq!(schedule.final_variables, 4);
    for step in schedule.commitments() {
        assert_eq!(step.outside, 1);
        assert_eq!(step.query_grinding_bits, 16);
        assert_eq!(step.fold_grinding_bits, 0);
    }
}

/// Folds are ground so that they have the level without ePrint 2026/2056, which takes more than 24
/// bits if the stack has too many rows for it.
#[test]
fn folds_are_ground_for_the_level() {
    let schedule = WhirSettings::proven_120().schedule(7).unwrap();
    let bits = |schedule: &Schedule| -> Vec<usize> {
        let steps = schedule.commitments();
        steps.map(|step| step.fold_grinding_bits).collect()
    };
    // 124 - (5 log2 p - log2 of the exceptional challenges of 22, 15, 11 and 7 variables).
    assert_eq!(bits(&schedule), [13, 11, 12, 13]);
    let long = WhirSettings {
        log_block: 20,
        log_blowup: 4,
        second_log_blowup: 8,
        grinding_bits: 24,
        ..WhirSettings::proven_128()
    };
    let error = long.schedule(8).unwrap_err();
    assert!(
        matches!(error, WhirSettingsError::Grinding { bits: 27, max: 24 }),
        "{error}"
    );
}

#[test]
fn domains_do_not_grow() {
    let schedule = WhirSettings::proven_100().schedule(1).unwrap();
    let rates: Vec<usize> = schedule.commitments().map(|step| step.log_blowup).collect();
    assert_eq!(rates, [2, 3, 6, 9]);
}

#[test]
fn each_setting_has_a_range() {
    type Edit = fn(&mut WhirSettings, usize);
    let fields: [(&str, Edit, usize, usize); 9] = [
        ("security_level", |s, v| s.security_level = v, 0, 129),
        ("grinding_bits", |s, v| s.grinding_bits = v, 25, 25),
        (
            "lookup_grinding_bits",
            |s, v| s.lookup_grinding_bits = v,
            25,
            25,
        ),
        ("log_block", |s, v| s.log_block = v, 3, 21),
        ("log_blowup", |s, v| s.log_blowup = v, 0, 9),
        ("second_log_blowup", |s, v| s.second_log_blowup = v, 1, 14),
        ("later_fold", |s, v| s.later_fold = v, 1, 9),
        ("blowup_step", |s, v| s.blowup_step = v, 4, 4),
        ("cap_height", |s, v| s.cap_height = v, 17, usize::MAX),
    ];
    let layout = Layout::new(&[shape(16, 40, 0)], 16).unwrap();
    for (name, edit, below, above) in fields {
        for value in [below, above, usize::MAX] {
            let mut settings = WhirSettings::proven_100();
            edit(&mut settings, value);
            match settings.validate() {
                // A level of zero leaves no grinding either, which is checked after it.
                Err(WhirSettingsError::OutOfRange { field, .. }) => assert_eq!(field, name),
                other => panic!("{name} = {value}: {other:?}"),
            }
            assert!(settings.parameters(6).is_err());
            assert!(<Scheme>::new(&settings, layout.clone()).is_err());
        }
    }
    // Grinding must leave bits to the queries.
    let settings = WhirSettings {
        security_level: 16,
        ..WhirSettings::proven_100()
    };
    assert!(settings.validate().is_err());
}

#[test]
fn numbers_bind_every_setting() {
    let edits: [fn(&mut WhirSettings); 9] = [
        |s| s.security_level += 1,
        |s| s.grinding_bits += 1,
        |s| s.lookup_grinding_bits += 1,
        |s| s.log_block += 1,
        |s| s.log_blowup += 1,
        |s| s.second_log_blowup += 1,
        |s| s.later_fold += 1,
        |s| s.blowup_step += 1,
        |s| s.cap_height += 1,
    ];
    let before = WhirSettings::toy();
    let mut seen = vec![before.numbers()];
    assert_eq!(before.fields().map(|(_, value)| value), before.numbers());
    assert_eq!(before.fields()[3], ("log_block", 12));
    for edit in edits {
        let mut after = before;
        edit(&mut after);
        assert!(!seen.contains(&after.numbers()));
        seen.push(after.numbers());
    }
}

fn expect_no_parameters(settings: &WhirSettings, row_variables: usize) {
    let error = settings.parameters(row_variables).unwrap_err();
    let is_expected = matches!(error, WhirSettingsError::Parameters { .. });
    assert!(is_expected, "{error}");
}

#[test]
fn stacks_without_parameters_are_errors() {
    let settings = WhirSettings::proven_100();
    for row_variables in [0, 12, 63, 64, usize::MAX] {
        let error = settings.parameters(row_variables).unwrap_err();
        assert!(matches!(error, WhirSettingsError::Rows { .. }), "{error}");
    }
    let layout = Layout::new(&[shape(8, 3, 0)], 8).unwrap();
    let error = <Scheme>::new(&settings, layout).unwrap_err();
    assert!(matches!(
        error,
        WhirSettingsError::Block {
            expected: 16,
            found: 8
        }
    ));
    // The first codeword, or a later one, is longer than there are roots of unity.
    let long = WhirSettings {
        log_block: 20,
        log_blowup: 8,
        second_log_blowup: 8,
        ..settings
    };
    expect_no_parameters(&long, 1);
    let later = WhirSettings {
        log_block: 20,
        log_blowup: 4,
        second_log_blowup: 12,
        later_fold: 2,
        blowup_step: 1,
        ..settings
    };
    let error = later.parameters(8).unwrap_err();
    assert!(
        matches!(error, WhirSettingsError::Domain { log_leaves: 30, .. }),
        "{error}"
    );
    // The field is too small for this level.
    let level = WhirSettings {
        security_level: 128,
        grinding_bits: 0,
        ..settings
    };
    expect_no_parameters(&level, 8);
}

#[test]
fn all_settings_in_range_have_parameters_or_an_error() {
    let mut some = 0;
    for log_block in [4, 6, 7, 11, 20] {
        for log_blowup in [1, 5, 8] {
            for added in [0, 3, 8] {
                for later_fold in 2..=8 {
                    for blowup_step in [0, later_fold - 1] {
                        let settings = WhirSettings {
                            log_block,
                            log_blowup,
                            second_log_blowup: log_blowup + added,
                            later_fold,
                            blowup_step,
                            ..WhirSettings::toy()
                        };
                        for row_variables in 1..=8 {
                            let Ok(schedule) = settings.schedule(row_variables) else {
                                continue;
                            };
                            some += 1;
                            let mut left = log_block + row_variables;
                            for step in schedule.commitments() {
                                assert_eq!(step.variables, left);
                                assert!(step.queries > 0 && step.outside > 0);
                                left -= step.fold;
                            }
                            assert_eq!(schedule.final_variables, left);
                            assert!(left <= 6);
                        }
                    }
                }
            }
        }
    }
    assert!(some > 1000, "{some}");
}

#[test]
fn unknown_fields_are_refused() {
    let settings = WhirSettings::proven_100();
    let mut json = serde_json::to_value(settings).unwrap();
    assert_eq!(
        serde_json::from_value::<WhirSettings>(json.clone()).unwrap(),
        settings
    );
    json["other"] = 1.into();
    assert!(serde_json::from_value::<WhirSettings>(json).is_err());
}

#[test]
fn presets_have_schedules_at_every_blowup() {
    for preset in Preset::ALL.map(WhirSettings::of) {
        for log_blowup in 1..=4 {
            let settings = preset.at_blowup(log_blowup);
            let expected = WhirSettings {
                log_blowup,
                second_log_blowup: preset.second_log_blowup.max(log_blowup),
                ..preset
            };
            assert_eq!(settings, expected);
            let schedule = settings.schedule(7).unwrap();
            assert_eq!(schedule.stack.log_blowup, log_blowup);
        }
    }
    for preset in Preset::ALL {
        for log_blowup in 1..=4 {
            let leaf = |hash| WhirSettings::of_leaf(preset, hash, log_blowup);
            assert_eq!(
                leaf(HashId::Blake3),
                WhirSettings::of(preset).at_blowup(log_blowup)
            );
            // Proofs in Keccak have no more commitments, and fewer queries, but at toy parameters:
            // there is no grinding there that makes up for a bit more.
            let [some, fewer] = [HashId::Blake3, HashId::Keccak].map(|hash| {
                let schedule = leaf(hash).schedule(7).unwrap();
                let queries = schedule.commitments().map(|step| step.queries);
                (schedule.folded.len(), queries.sum::<usize>())
            });
            let is_less = fewer.1 < some.1 || preset == Preset::Toy;
            assert!(fewer.0 <= some.0 && is_less, "{fewer:?}, {some:?}");
        }
    }
    // The second codeword has at least the blowup of the first.
    let raised = WhirSettings::toy().at_blowup(5);
    assert_eq!(raised.second_log_blowup, 5);
    assert!(raised.validate().is_ok());
}
