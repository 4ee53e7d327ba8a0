//! The programs of `docs/zkdsl.md`.

use super::{outputs, program};

program!(factorial {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let n = public_input();
        let mut product = Felt::ONE;
        for i in count_to(n) {
            product *= i + Felt::ONE;
        }
        reveal(product);
    }
});

program!(steps {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    enum Step {
        Add(Felt),
        Square,
    }

    fn largest(list: &[usize], bound: usize) -> Option<usize> {
        list.iter().copied().filter(|n| *n < bound).max()
    }

    fn run(steps: &[Step], start: Felt) -> Felt {
        steps.iter().fold(start, |x, step| match step {
            Step::Add(y) => x + *y,
            Step::Square => x * x,
        })
    }

    pub fn main() {
        let x = public_input();
        let Some(n) = largest(&[4, 9, 16], 10) else {
            panic!("all are too large")
        };
        let steps = [Step::Add(x), Step::Square, Step::Add(felt(n))];
        reveal(run(&steps, felt(3)));
    }
});

/// Text without white space, and without lines that are comments.
fn bare(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().starts_with("//"));
    lines.flat_map(str::split_whitespace).collect()
}

#[test]
fn programs_of_the_manual_mean_what_they_mean_to_rustc() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/zkdsl.md");
    let manual = std::fs::read_to_string(path).expect("readable file");
    let blocks = manual.split("\n```rust\n").skip(1);
    let blocks = blocks.filter_map(|rest| rest.split("\n```").next().map(bare));
    let blocks: Vec<String> = blocks.collect();
    assert_eq!(blocks, [factorial::SOURCE, steps::SOURCE].map(bare));
    assert_eq!(outputs(factorial::SOURCE, factorial::main, &[5]), [120]);
    assert_eq!(outputs(steps::SOURCE, steps::main, &[4]), [58]);
}
