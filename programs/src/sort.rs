//! Sorts four public numbers below 2^16: hints say the order, which the program checks.

use droste_gadgets::prelude::*;

/// Number of numbers; the statement has lanes for twice as many.
const N: usize = 4;

/// A difference below this bound shows that two numbers are in order.
const BOUND: usize = 65536;

/// Reads the numbers and reveals them in ascending order.
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
        // Every index is admissible: a word can be written only once, so each number is taken once.
        let index = Index::<N>::new(hint_felt().any());
        taken.set(index, felt(i));
        let number = numbers.get(index);
        let _ = Index::<BOUND>::new(number - last);
        reveal(number);
        last = number;
    }
}
