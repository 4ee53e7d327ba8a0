//! Sorts four public numbers below 2^16: the order comes as hints, and is checked.

use droste_gadgets::prelude::*;

/// Numbers: as many as the statement holds twice.
const N: usize = 4;

/// Differences of numbers below this tell their order.
const BOUND: usize = 65536;

/// Reads the numbers, and reveals them in ascending order.
pub fn main() {
    let mut numbers = Words::<N>::new();
    for i in 0..N {
        let number = public_input();
        let _ = Index::<BOUND>::new(number);
        numbers.set(Index::new(felt(i)), number);
    }
    let mut taken = Words::<N>::new();
    let mut last = Felt::ZERO;
    for i in 0..N {
        // Any index: a word is written once, so each number is taken once.
        let index = Index::<N>::new(hint_felt().any());
        taken.set(index, felt(i));
        let number = numbers.get(index);
        let _ = Index::<BOUND>::new(number - last);
        reveal(number);
        last = number;
    }
}
