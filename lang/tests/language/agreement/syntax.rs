//! Forms of expressions, patterns, types and items.

use super::{outputs, program};

program!(control {
    use droste_gadgets::prelude::*;

    fn first(limit: usize) -> usize {
        let mut n = 0;
        'outer: loop {
            n += 1;
            for i in 0..10 {
                if i * n > limit { break 'outer n * 100 + i; }
                if i > n { continue 'outer; }
            }
        }
    }

    pub fn main() {
        reveal(felt(first(20)));
        let mut count = 3usize;
        let power = loop { count *= 2; if count > 50 { break count; } };
        reveal(felt(power));
        let found = 'search: {
            for i in 2..9usize { if 35 % i == 0 { break 'search i; } }
            0
        };
        reveal(felt(found));
        let mut left = 5usize;
        'all: while left > 0 {
            left -= 1;
            for i in 0..3usize {
                if left + i == 4 { continue 'all; }
                if left == 1 { break 'all; }
            }
        }
        reveal(felt(left));
        let mut sum = 0usize;
        'run: loop {
            // A closure is code of its own: its loops have no labels of those around it.
            let inner = || { let mut k = 0usize; loop { k += 2; if k > 6 { break k; } } };
            sum += inner();
            if sum > 20 { break 'run; }
        }
        reveal(felt(sum));
    }
});

#[test]
fn labels_and_values_of_loops() {
    assert_eq!(
        outputs(control::SOURCE, control::main, &[]),
        [505, 96, 5, 1, 24]
    );
}

program!(conditions {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy)]
    enum Shape { Square(usize), Rectangle { a: usize, b: usize }, Nothing }

    fn area(shape: Shape) -> usize {
        if let Shape::Square(a) = shape && a > 2 && let Some(b) = a.checked_mul(a) { return b; }
        let Shape::Rectangle { a, b } = shape else { return 100; };
        a * b
    }

    fn digits(mut n: usize) -> usize {
        let mut sum = 0;
        while let Some(rest) = n.checked_sub(1) && rest != 4 { sum += rest; n = rest; }
        sum
    }

    fn name(n: usize) -> usize {
        match n {
            small @ (1 | 3 | 5) => small * 10,
            middle @ 6..=9 if middle != 8 => middle + 200,
            _ if n > 50 => n - 50,
            _ => 9,
        }
    }

    fn ends(values: &[usize]) -> usize {
        match values {
            [] => 1,
            [only] => *only,
            [first, middle @ .., last] => first * 100 + last * 10 + middle.len(),
        }
    }

    pub fn main() {
        let shapes = [Shape::Square(3), Shape::Rectangle { a: 5, b: 7 }, Shape::Nothing];
        reveal(felt(area(shapes[0]) * 1000 + area(shapes[1]) * 10 + area(shapes[2])));
        reveal(felt(area(Shape::Square(2))));
        reveal(felt(digits(9)));
        reveal(felt(name(3) + name(7) + name(8) + name(60)));
        reveal(felt(ends(&[]) + ends(&[2]) + ends(&[3, 4, 5, 6])));
        let some = matches!(shapes[0], Shape::Square(a) if a < 4);
        let many = matches!(4usize, 1..=3 | 7);
        reveal(felt(some as usize * 2 + many as usize));
    }
});

#[test]
fn conditions_with_patterns() {
    assert_eq!(
        outputs(conditions::SOURCE, conditions::main, &[]),
        [9450, 100, 8 + 7 + 6 + 5, 30 + 207 + 9 + 10, 1 + 2 + 362, 2]
    );
}

program!(functions {
    use droste_gadgets::prelude::*;

    struct Table<F> { f: F }

    fn apply(f: impl Fn(usize) -> usize, n: usize) -> usize { f(n) * 2 }
    fn twice<F: Fn(usize) -> usize>(f: F, n: usize) -> usize { f(f(n)) }
    fn with<F>(mut f: F) where F: FnMut(Felt) { f(felt(3)); f(felt(4)); }
    fn pointer(f: fn(usize) -> usize, n: usize) -> usize { f(n) + 1 }
    fn adder(k: usize) -> impl Fn(usize) -> usize { move |x| x + k }
    fn odd(n: usize) -> impl Iterator<Item = usize> { (0..n).filter(|x| x % 2 == 1) }
    fn total(values: impl Iterator<Item = usize>) -> usize { values.sum() }
    fn double(n: usize) -> usize { n * 2 }

    pub fn main() {
        let x = public_input();
        let k = 5usize;
        reveal(felt((|x: usize| x + 1)(4) + double(6)));
        let table = Table { f: |x: usize| -> usize { x * k } };
        reveal(felt((table.f)(3)));
        reveal(felt(apply(|n| n + k, 1) + twice(|k| k * k, 3) + pointer(double, 4)));
        reveal(felt(adder(7)(8) + total(odd(8))));
        let mut y = x;
        with(|value| y = y * value + x);
        reveal(y);
        let nested = |a: usize| move |b: usize| a * 10 + b + k;
        reveal(felt(nested(3)(4)));
    }
});

#[test]
fn functions_as_values() {
    let x = 7;
    assert_eq!(
        outputs(functions::SOURCE, functions::main, &[x]),
        [17, 15, 12 + 81 + 9, 15 + 16, (x * 3 + x) * 4 + x, 39]
    );
}

program!(literals {
    use droste_gadgets::prelude::*;

    const _: () = assert!(b'a' == 97);
    const _: () = assert!(u32::BITS == 32, "a message with {{braces}}");

    fn kind(c: char) -> usize {
        match c { 'a'..='f' => 1, '0'..='9' => 2, '\n' => 3, _ => 4 }
    }

    fn sign(n: i8) -> usize {
        match n { -128 => 1, ..0 => 2, 0 => 3, 1.. => 4 }
    }

    fn word(text: &[u8; 2]) -> usize {
        match text { b"ab" => 1, b"cd" => 2, _ => 3 }
    }

    pub fn main() {
        reveal(felt(kind('c') * 1000 + kind('7') * 100 + kind('\n') * 10 + kind('z')));
        reveal(felt(sign(-128) * 1000 + sign(-3) * 100 + sign(0) * 10 + sign(5)));
        reveal(felt(word(b"ab") * 100 + word(b"cd") * 10 + word(b"ba")));
        let bytes = b"xyz";
        reveal(felt(bytes[1] as usize + b'\x01' as usize + bytes.len()));
        reveal(felt(-128i8 as u8 as usize + (-1i64 as u8) as usize));
    }
});

#[test]
fn bytes_characters_and_signs() {
    assert_eq!(
        outputs(literals::SOURCE, literals::main, &[]),
        [1234, 1234, 123, 121 + 1 + 3, 128 + 255]
    );
}

program!(inside {
    use droste_gadgets::prelude::*;

    pub fn main() {
        let x = public_input();
        reveal(after(x) + felt(K));
        // Items are in scope in all of their block, and know no variables of it.
        fn after(x: Felt) -> Felt {
            const K: usize = 2;
            fn inner(x: Felt) -> Felt { x * felt(K) }
            inner(x + felt(1))
        }
        const K: usize = 30;
        {
            const K: usize = 400;
            struct Pair { a: Felt, b: Felt }
            impl Pair { fn sum(&self) -> Felt { self.a + self.b + felt(K) } }
            let pair = Pair { a: x, b: felt(1) };
            assert_eq!(pair.a, x, "{:?} and {x:?}, {0:?}, {:?} {more:>4}", pair.a, pair.b, more = K);
            reveal(pair.sum());
        }
        if K == 31 { panic!("never {}", { let y = K; y }); }
        reveal(felt(dbg!(K)));
    }
});

#[test]
fn items_and_messages_inside_functions() {
    let x = 6;
    assert_eq!(
        outputs(inside::SOURCE, inside::main, &[x]),
        [(x + 1) * 2 + 30, x + 401, 30]
    );
}
