//! `Vec`s, whose lengths are known while compiling.

use droste_lang::compiler::compile_file;

use super::{outputs, program};

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
        reveal(felt(Vec::new()) + felt(Length::length(&vec![Felt::ONE; 3])) + x);
    }
});

/// If the program has a type `Vec` of its own, that is the one that is meant.
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
        reveal(felt(Length::len(&vec![x; 2])));
        reveal(felt(generic(&vec![x; 2])));
    }
});

/// The program's own `len` is meant if its path says so, and in generic code that of the bound.
#[test]
fn methods_of_vec_come_before_those_of_traits() {
    assert_eq!(outputs(lengths::SOURCE, lengths::main, &[1]), [9, 9]);
}

program!(bodies {
    use droste_gadgets::prelude::*;

    struct Stack {
        items: Vec<Felt>,
        heights: Vec<usize>,
    }

    impl Stack {
        #[inline(never)]
        fn put(&mut self, x: Felt) -> usize {
            self.items.push(x * x);
            self.heights.push(self.items.len());
            self.heights[self.heights.len() - 1]
        }

        #[inline(never)]
        fn into_items(self) -> Vec<Felt> {
            self.items
        }
    }

    #[inline(never)]
    fn digits(rows: &Vec<Vec<Felt>>, widths: &[usize]) -> Felt {
        let mut sum = Felt::ZERO;
        for i in 0..rows.len() {
            sum = sum * felt(7) + felt(rows[i].len() * widths[i]);
            for x in &rows[i] {
                sum = sum * felt(2) + *x;
            }
        }
        sum
    }

    #[inline(never)]
    fn rotate(left: &mut Vec<Felt>, right: &mut Vec<Felt>) {
        let first = left[0];
        left[0] = right[0];
        right[0] = first;
        right.push(left[0] * first);
        left.truncate(2);
    }

    pub fn main() {
        let x = public_input();
        // As many elements, in other rows; as many rows, with other numbers.
        let one = digits(&vec![vec![x], vec![x, x]], &[1, 2]);
        let two = digits(&vec![vec![x, x], vec![x]], &[1, 2]);
        let three = digits(&vec![vec![x, x], vec![x]], &[2, 1]);
        reveal(one);
        reveal(two + three * felt(1000));
        let mut left = vec![x];
        let mut right = vec![felt(3)];
        rotate(&mut left, &mut right);
        rotate(&mut right, &mut left);
        rotate(&mut left, &mut right);
        reveal(left[0] + left[1] * felt(100) + right[0] * felt(10) + felt(left.len() + right.len()));
        let mut stack = Stack { items: vec![x], heights: vec![] };
        let heights = stack.put(x) * 10 + stack.put(felt(2));
        let items = stack.into_items();
        reveal(items[1] + items[2] + felt(heights));
    }
});

/// Bodies of `#[inline(never)]` functions are shared by `Vec`s of equal shapes only, and what they
/// push or change is there after the call.
#[test]
fn bodies_are_told_apart_by_what_vecs_hold() {
    for x in [0, 1, 5] {
        assert_eq!(outputs(bodies::SOURCE, bodies::main, &[x]).len(), 4);
    }
}

program!(branches {
    use droste_gadgets::prelude::*;

    fn change(values: &mut Vec<Felt>, x: Felt) {
        if x == Felt::ONE {
            values.push(x + felt(2));
            values[0] = values[1];
        } else {
            values.push(values[0] * x);
        }
    }

    fn next(n: &mut usize) -> usize {
        *n += 1;
        *n
    }

    pub fn main() {
        let x = public_input();
        let mut values = vec![x, felt(4)];
        let kept = values.clone();
        change(&mut values, x);
        if x == Felt::ONE && values[2] == felt(3) {
            values = vec![felt(5), x, x];
        }
        for i in count(3) {
            values.push(values[0] + i);
            values[1] = values[3] * values[2];
            values.truncate(3);
        }
        reveal(values[0] + values[1] * felt(10) + values[2] * felt(100) + kept[0]);
        let mut n = 0usize;
        let repeated = vec![next(&mut n); next(&mut n)];
        let mut rows = vec![vec![0usize]; 6];
        rows[next(&mut n)].push(next(&mut n));
        rows[1][0] = rows[3][1] + repeated.len();
        rows[0][0] += next(&mut n) + repeated[1];
        reveal(felt(rows[0][0] * 100 + rows[1][0] * 10 + rows[2].len()));
    }
});

/// What both sides of a run-time branch, or each iteration of a run-time loop, leave of a `Vec`.
#[test]
fn vecs_change_in_branches_and_loops() {
    for x in [0, 1, 2] {
        let found = outputs(branches::SOURCE, branches::main, &[x]);
        assert_eq!(found[1], 661);
    }
}

/// What depends on the difference between a `Vec` and a slice of it is refused, and so is what
/// changes a length at run time.
#[test]
fn other_uses_are_refused() {
    let any = "trait Len { fn size(&self) -> usize; } impl<T: Clone> Len for T { fn size(&self) -> usize { 1 } } \
               impl Len for [Felt] { fn size(&self) -> usize { 2 } }";
    let push = "trait Push { fn push(&mut self, x: Felt); } impl<T> Push for T { fn push(&mut self, x: Felt) {} }";
    let cases = [
        (
            "trait Len { fn size(&self) -> usize; } impl Len for Vec<Felt> { fn size(&self) -> usize { 1 } }",
            "",
            "implementations for `Vec`",
        ),
        (
            "trait Len { fn size(&self) -> usize; } impl Len for [Felt] { fn size(&self) -> usize { 1 } }",
            "reveal(felt(vec![Felt::ONE].size()));",
            "`size` may be of the standard library",
        ),
        (
            any,
            "let v = vec![Felt::ONE]; let s: &[Felt] = &v; reveal(felt(s.size()));",
            "`size` may be of the standard library",
        ),
        (
            any,
            "let v = vec![Felt::ONE]; let s: &[Felt] = &v; reveal(felt(Len::size(s)));",
            "implementations of `size`",
        ),
        (
            push,
            "let v = vec![Felt::ONE]; let mut s: &[Felt] = &v; s.push(Felt::ONE); reveal(felt(s.len()));",
            "`push` may be of the standard library",
        ),
        (
            "",
            "let mut v = vec![Felt::ONE]; for i in count(2) { v.push(i); }",
            "changes the structure",
        ),
        (
            "",
            "let mut v = vec![Felt::ONE]; if public_input() == Felt::ONE { v.push(Felt::ONE); }",
            "different structures",
        ),
        (
            "",
            "let v = vec![Felt::ONE]; reveal(v[1]);",
            "index 1 is out of range of a Vec of 1",
        ),
        (
            "",
            "let v = vec![Words::<2>::new(); 2];",
            "`Words` cannot be copied",
        ),
        ("", "let v = vec![1, 2;", "syntax error"),
    ];
    for (items, body, message) in cases {
        let source = format!("use droste_gadgets::prelude::*; {items} pub fn main() {{ {body} }}");
        let error = compile_file("program.rs", &source, &[]).unwrap_err();
        assert!(error.to_string().contains(message), "{error}: {source}");
    }
}

program!(elements {
    use droste_gadgets::prelude::*;

    fn sum(values: &Vec<Felt>) -> Felt {
        let mut sum = Felt::ZERO;
        for value in values.into_iter() {
            sum += *value;
        }
        sum
    }

    fn double(values: &mut [Felt; 2]) {
        for mut value in (*values).into_iter() {
            value += value;
            values[0] += value;
        }
    }

    pub fn main() {
        let x = public_input();
        let mut pair = [x, felt(2)];
        double(&mut pair);
        let rows = vec![vec![x, pair[0]]; 2];
        for mut row in rows.clone() {
            row.push(sum(&row));
            reveal(sum(&row) + felt(rows[0].len()));
        }
    }
});

/// Elements that are copied, or shared, are not the `Vec`'s or the array's own.
#[test]
fn loops_over_copies_change_copies() {
    assert_eq!(outputs(elements::SOURCE, elements::main, &[3]), [34, 34]);
}

program!(lent {
    use droste_gadgets::prelude::*;

    fn inc(v: &mut Vec<Felt>) {
        for x in v.into_iter() {
            *x += Felt::ONE;
        }
    }
    fn inc_slice(v: &mut [Felt]) {
        for x in v.into_iter() {
            *x += Felt::ONE;
        }
    }
    trait Inc {
        fn inc(&mut self);
    }
    impl Inc for [Felt; 1] {
        fn inc(&mut self) {
            for x in self.into_iter() {
                *x += Felt::ONE;
            }
        }
    }

    pub fn main() {
        let mut v = vec![public_input()];
        inc(&mut v);
        reveal(v[0]);
        let mut v = [v[0]];
        inc_slice(&mut v);
        reveal(v[0]);
        Inc::inc(&mut v);
        reveal(v[0]);
    }
});

/// What iterates over a mutable reference changes what it refers to, be it elements or the
/// iterator.
#[test]
fn iterators_over_mutable_references_change_what_is_lent() {
    assert_eq!(outputs(lent::SOURCE, lent::main, &[3]), [4, 5, 6]);
}

#[test]
fn methods_that_take_mutable_references_are_refused() {
    let cases = [
        (
            "trait Take { fn into_iter(self) -> usize; } impl<T> Take for T { fn into_iter(self) -> usize { 1 } }",
            "let mut x = Felt::ONE; (&mut x).into_iter();",
        ),
        (
            "",
            "let mut r = 0..5usize; for i in (&mut r).into_iter() { if i == 2 { break; } } for i in r {}",
        ),
    ];
    for (items, body) in cases {
        let source = format!("use droste_gadgets::prelude::*; {items} pub fn main() {{ {body} }}");
        let error = compile_file("program.rs", &source, &[]).unwrap_err();
        let message = "`into_iter` may take the mutable reference, and not what it refers to";
        assert!(error.to_string().contains(message), "{error}: {source}");
    }
}
