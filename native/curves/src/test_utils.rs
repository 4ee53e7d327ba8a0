//! Random inputs of tests.

use proptest::prelude::{ProptestConfig, any, prop};
use proptest::test_runner::TestRunner;

/// Runs a check on `cases` lists of `count` random words. proptest shrinks a list that fails.
///
/// Every test makes its input of these words, so that proptest's runner is compiled once.
pub fn on_words(cases: u32, count: usize, check: &dyn Fn(&[u64])) {
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let result = runner.run(&prop::collection::vec(any::<u64>(), count), |words| {
        check(&words);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// The bytes of words.
pub fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Rows of `N` words each.
pub fn rows<const N: usize, const ROWS: usize>(words: &[u64]) -> [[u64; N]; ROWS] {
    std::array::from_fn(|row| std::array::from_fn(|i| words[row * N + i]))
}
