use super::*;

#[test]
fn modules_have_different_names() {
    let source = |stem: &str, text: &str| Source::new(stem, text).unwrap();
    let own = source("chain", "a");
    let others = vec![source("old", "b"), source("old", "b")];
    assert_eq!(distinct(&own, others).unwrap(), [source("old", "b")]);
    for others in [
        vec![source("old", "b"), source("old", "c")],
        vec![source("chain", "b")],
    ] {
        let refused = distinct(&own, others);
        assert!(
            matches!(refused, Err(FoldError::SameStem(_))),
            "{refused:?}"
        );
    }
    let long = " ".repeat(MAX_SOURCE / 2 + 1);
    let refused = distinct(&source("chain", &long), vec![source("old", &long)]);
    assert!(matches!(refused, Err(FoldError::TooLong(_))), "{refused:?}");
}
