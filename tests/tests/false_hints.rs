//! Puts false values into every lane of the hints of one recursion program, and of those that a
//! fold's rule reads beside proofs. `docs/testing.md` describes longer runs.

use droste_native::Blake3Suite;
use droste_tests::attack::hints::{Case, FALSE_VALUES};

#[test]
fn false_hints_are_accepted_in_padding_only() {
    let mut report = Case::wrap::<Blake3Suite>().false_hints(2, 2, None);
    println!("{report}");
    assert!(report.is_good(), "{report}");
    assert_eq!(report.lanes, report.all);
    // The wrap of a proof in a byte hash has padding, each lane of which may have any value.
    assert!(!report.padding.is_empty());
    assert_eq!(report.lanes_accepted, report.padding);
    // If the shape declared no padding, each of these lanes would be reported as a hole.
    report.padding.clear();
    assert_eq!(report.holes().len(), report.lanes_accepted.len());
}

/// The list of rules, what a node and a leaf say, and a hint of the function that is compared.
#[test]
fn no_false_hint_around_a_rules_function_is_accepted() {
    let report = Case::rule().false_hints(FALSE_VALUES, 2, None);
    println!("{report}");
    assert!(report.is_good(), "{report}");
    // Three blocks of the list, a place, three blocks of a node and twice one of the leaf.
    assert_eq!((report.lanes, report.all), (65, 65));
    assert_eq!(report.accepted, 0, "{report}");
}
