//! Lies about every lane of the hints of one recursion program. `docs/testing.md` has the long form.

use droste_native::Blake3Family;
use droste_tests::attack::hints::Case;

#[test]
fn lies_are_believed_about_padding_only() {
    let mut report = Case::wrap::<Blake3Family>().lies(2, 2, None);
    println!("{report}");
    assert!(report.is_good(), "{report}");
    assert_eq!(report.lanes, report.all);
    // The wrap of a byte hash has padding, and each lane of it may hold anything.
    assert!(!report.padding.is_empty());
    assert_eq!(report.lanes_believed, report.padding);
    // Had the shape said that there is none, each would be a hole.
    report.padding.clear();
    assert_eq!(report.holes().len(), report.lanes_believed.len());
}
