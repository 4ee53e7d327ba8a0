//! `Vec`s, whose lengths are known while compiling.

use droste_lang::compiler::compile_file;

use crate::{outputs, program};

program!(lists {
    use droste_gadgets::prelude::*;

    #[derive(Clone)]
    struct Row {
        cells: Vec<Felt>,
        widths: Vec<u32>,
    }

    fn sum(values: &[Felt]) -> Felt {
        let mut sum = Felt::ZERO;
        for value in values {
            sum += *value;
        }
        sum
    }

    fn grow(values: &mut Vec<Felt>, x: Felt) {
        let last = values[values.len() - 1];
        values.push(last * x);
    }

    fn first<T: Clone>(values: &Vec<T>) -> T {
        values[0].clone()
    }

    #[inline(never)]
    fn weighted(row: &Row, x: Felt) -> Vec<Felt> {
        let mut result = Vec::new();
        for i in 0..row.cells.len() {
            result.push(row.cells[i] * Felt::new(row.widths[i]) + x);
        }
        result
    }

    pub fn main() {
        let x = public_input();
        let mut powers = vec![Felt::ONE];
        for _i in 0..4 {
            grow(&mut powers, x);
        }
        reveal(sum(&powers) + felt(powers.len()));
        let mut nested: Vec<Vec<Felt>> = vec![Vec::new(); 3];
        nested[1].push(x);
        nested[2].push(powers[2]);
        nested[2].push(x);
        nested[2][1] += Felt::ONE;
        nested[1].truncate(0);
        nested[2].truncate(5);
        reveal(nested[2][1] * nested[2][0] + felt(nested[0].len() + nested[1].len()));
        let row = Row { cells: powers.clone(), widths: vec![1, 2, 3, 4, 5] };
        let other = Row { cells: vec![x; 2], ..row.clone() };
        powers[0] = x;
        reveal(weighted(&row, powers[0])[1] + sum(&weighted(&other, x)) + first(&powers));
        let total = sum(&powers[1..3]) + sum(&[x, x]);
        reveal(total);
        let empty: Vec<u32> = Vec::new();
        assert!(empty.is_empty() && !powers.is_empty());
        assert_eq!(vec![x, x], vec![x; 2]);
        let blocks = Slice::from_blocks(vec![Block::new([x; 8]), Block::ZERO]);
        let mut widest = 0;
        for width in row.widths.iter() {
            widest = widest.max(*width);
        }
        reveal(blocks.block(0).lane(3) * Felt::new(widest));
    }
});

#[test]
fn vecs_mean_what_they_mean_to_rustc() {
    for x in [0, 1, 3, 100] {
        assert_eq!(outputs(lists::SOURCE, lists::main, &[x]).len(), 5);
    }
}

program!(shadowed {
    use droste_gadgets::prelude::*;

    struct Vec;

    impl Vec {
        fn new() -> usize {
            5
        }
    }

    trait Length {
        fn length(&self) -> usize;
    }

    impl<T: Clone> Length for T {
        fn length(&self) -> usize {
            7
        }
    }

    pub fn main() {
        let x = public_input();
        reveal(felt(Vec::new()) + felt(vec![Felt::ONE; 3].length()) + x);
    }
});

/// The program's own `Vec` is meant where it has one.
#[test]
fn a_name_of_the_program_hides_vec() {
    assert_eq!(outputs(shadowed::SOURCE, shadowed::main, &[1]), [13]);
}

program!(lengths {
    use droste_gadgets::prelude::*;

    trait Length {
        fn len(&self) -> usize;
    }

    impl<T: Clone> Length for T {
        fn len(&self) -> usize {
            9
        }
    }

    fn generic<T: Length>(x: &T) -> usize {
        x.len()
    }

    pub fn main() {
        let x = public_input();
        reveal(felt(vec![x; 2].len()));
        reveal(felt(generic(&vec![x; 2])));
    }
});

/// A `Vec`'s own `len` is meant where it is known to be one, and the bound's in generic code.
#[test]
fn methods_of_vec_come_before_those_of_traits() {
    assert_eq!(outputs(lengths::SOURCE, lengths::main, &[1]), [2, 9]);
}

/// What depends on the difference between a `Vec` and a slice of it, or changes a length at run time, is
/// refused.
#[test]
fn other_uses_are_refused() {
    let cases = [
        (
            "trait Len { fn size(&self) -> usize; } impl Len for Vec<Felt> { fn size(&self) -> usize { 1 } }",
            "",
            "implementations for `Vec`",
        ),
        (
            "trait Len { fn size(&self) -> usize; } impl Len for [Felt] { fn size(&self) -> usize { 1 } }",
            "reveal(felt(vec![Felt::ONE].size()));",
            "no method `size`",
        ),
        (
            "",
            "let mut v = vec![Felt::ONE]; for i in count(2) { v.push(i); }",
            "changes the shape",
        ),
        (
            "",
            "let mut v = vec![Felt::ONE]; if public_input() == Felt::ONE { v.push(Felt::ONE); }",
            "different shapes",
        ),
        (
            "",
            "let mut v = vec![Felt::ONE]; v.pop();",
            "no method `pop`",
        ),
        (
            "",
            "let v = vec![Felt::ONE]; reveal(v[1]);",
            "index 1 is out of range of a Vec of 1",
        ),
        (
            "",
            "let v = Vec::<Felt>::with_capacity(3);",
            "no function `with_capacity`",
        ),
        (
            "",
            "let v = vec![Felt::ONE]; match v { [x] => reveal(x), _ => {} }",
            "does not match a Vec",
        ),
        (
            "",
            "let v = vec![Words::<2>::new(); 2];",
            "`Words` are not copied",
        ),
        ("", "let v = vec![1, 2;", "syntax error"),
    ];
    for (items, body, message) in cases {
        let source = format!("use droste_gadgets::prelude::*; {items} pub fn main() {{ {body} }}");
        let error = compile_file("program.rs", &source, &[]).unwrap_err();
        assert!(error.to_string().contains(message), "{error}: {source}");
    }
}
