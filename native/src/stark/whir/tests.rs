//! Tests of settings, parameters and security that need no table.

use super::*;

fn presets() -> [WhirSettings; 2] {
    [WhirSettings::toy(), WhirSettings::proven_100()]
}

#[test]
fn presets_are_in_range_and_have_parameters() {
    for settings in presets() {
        settings.validate().unwrap();
        for log_cells in settings.min_log_height()..=24 {
            let config = WhirStark::new(&settings, log_cells, settings.first_fold, None).unwrap();
            let caps = config.main().cap_sizes(&settings);
            assert_eq!(caps.len(), config.main().parameters().n_rounds() + 1);
        }
    }
}

#[test]
fn each_setting_has_a_range() {
    type Edit = fn(&mut WhirSettings, usize);
    let fields: [(&str, Edit, usize, usize); 9] = [
        ("security_level", |s, v| s.security_level = v, 0, 129),
        ("grinding_bits", |s, v| s.grinding_bits = v, 25, 25),
        ("log_blowup", |s, v| s.log_blowup = v, 0, 9),
        ("first_fold", |s, v| s.first_fold = v, 1, 9),
        ("later_fold", |s, v| s.later_fold = v, 1, 9),
        ("first_reduction", |s, v| s.first_reduction = v, 0, 7),
        ("later_reduction", |s, v| s.later_reduction = v, 0, 5),
        (
            "preprocessed_log_blowup",
            |s, v| s.preprocessed_log_blowup = v,
            0,
            9,
        ),
        ("cap_height", |s, v| s.cap_height = v, 17, usize::MAX),
    ];
    for (name, edit, below, above) in fields {
        for value in [below, above, usize::MAX] {
            let mut settings = WhirSettings::proven_100();
            edit(&mut settings, value);
            match settings.validate() {
                Err(WhirSettingsError::OutOfRange { field, .. }) if name != "security_level" => {
                    assert_eq!(field, name);
                }
                Err(_) => {}
                Ok(()) => panic!("{name} = {value} is accepted"),
            }
            assert!(WhirStark::new(&settings, 20, 12, None).is_err());
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
fn numbers_of_cells_that_no_domain_is_for_are_errors() {
    for settings in presets() {
        for log_cells in [0, 1, 40, 63, 64, 100, usize::MAX / 2] {
            assert!(
                WhirStark::new(&settings, log_cells, settings.first_fold, None).is_err()
                    || log_cells < 2,
                "2^{log_cells}"
            );
        }
    }
}

#[test]
fn numbers_bind_every_setting() {
    let edits: [fn(&mut WhirSettings); 9] = [
        |s| s.security_level += 1,
        |s| s.grinding_bits += 1,
        |s| s.log_blowup += 1,
        |s| s.first_fold += 1,
        |s| s.later_fold += 1,
        |s| s.first_reduction += 1,
        |s| s.later_reduction += 1,
        |s| s.preprocessed_log_blowup += 1,
        |s| s.cap_height += 1,
    ];
    let before = WhirSettings::toy();
    for edit in edits {
        let mut after = before;
        edit(&mut after);
        assert_ne!(before.numbers(), after.numbers());
    }
}

#[test]
fn security_without_evidence_is_none() {
    let none = WhirSecurity::none("nothing is known".to_owned());
    assert_eq!(none.bits(), 0);
    assert!(none.binding().is_none());
}
