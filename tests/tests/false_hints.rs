//! Puts false values into every lane of the hints of one recursion program. `docs/testing.md`
//! describes longer runs.

use droste_native::Blake3Suite;
use droste_tests::attack::hints::Case;

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
