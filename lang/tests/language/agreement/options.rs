//! `Option`, `Result` and `Ordering`, and `?`.

use super::{outputs, program, shown};

program!(options {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy, Default)]
    pub struct Slot { value: Option<Felt>, rank: Option<usize> }

    fn find(list: &[usize], wanted: usize) -> Option<usize> {
        for i in 0..list.len() { if list[i] == wanted { return Some(i); } }
        None
    }
    fn half(n: usize) -> Option<usize> { if n % 2 == 0 { Some(n / 2) } else { None } }
    fn quarter(n: usize) -> Option<usize> { half(half(n)?) }
    fn add(a: Option<Felt>, b: Option<Felt>) -> Option<Felt> {
        let (Some(a), Some(b)) = (a, b) else { return None };
        Some(a + b)
    }
    fn depth(n: usize) -> usize {
        let mut left = Some(n);
        let mut depth = 0;
        while let Some(n) = left { depth += 1; left = half(n).filter(|n| *n > 0); }
        depth
    }

    pub fn main() {
        let mut out = felt(0);
        let x = public_input();
        let list = [4, 8, 15];
        show(&mut out, felt(find(&list, 15).unwrap()));
        show(&mut out, felt(find(&list, 7).map_or(99, |at| at + 1)));
        show(&mut out, felt(quarter(12).unwrap_or(50) * 100 + quarter(6).unwrap_or(50)));
        show(&mut out, add(Some(x), Some(felt(1))).unwrap());
        show(&mut out, felt(add(Some(x), None).is_none() as usize));
        show(&mut out, felt(depth(40)));
        let mut slot = Slot::default();
        if slot.value.is_none() { slot.value = Some(x); slot.rank = Some(3); }
        if let Some(value) = slot.value && let Some(rank) = slot.rank && rank > 2 {
            show(&mut out, value * felt(rank));
        } else {
            show(&mut out, felt(0));
        }
        let value = 1usize;
        show(&mut out, if let Some(value) = slot.rank && x == felt(5) { felt(value) } else { felt(value) });
        let taken = slot.rank.take();
        show(&mut out, felt(taken.unwrap() * 10 + slot.rank.is_some() as usize));
        show(&mut out, felt(slot.rank.replace(4).is_none() as usize));
        let words = [Some(1u8), None, Some(3)];
        let mut sum = 0u8;
        for word in &words { if let Some(n) = word { sum += n; } }
        show(&mut out, felt(sum as usize));
        show(&mut out, felt(Some(2).zip(Some('a')).map(|(n, c)| n * 1000 + c as usize).expect("both")));
        show(&mut out, felt(Some(Some(3)).flatten().xor(None).or(Some(9)).unwrap_or_default()));
        show(&mut out, felt(Some(5usize).ok_or(1u8).ok().and_then(half).is_none() as usize));
        let first = list.first().copied();
        show(&mut out, felt(first.unwrap_or(0) + list.get(3).copied().unwrap_or(20)));
        reveal(out);
    }
    fn show(out: &mut Felt, value: Felt) { *out = *out * felt(4096) + value; }
});

#[test]
fn options_of_both_kinds_of_values() {
    let found = outputs(options::SOURCE, options::main, &[5]);
    let expected = [2, 99, 350, 6, 1, 4, 15, 3, 30, 1, 4, 2097, 3, 1, 24];
    assert_eq!(found, [shown(&expected)]);
    let found = outputs(options::SOURCE, options::main, &[7]);
    let expected = [2, 99, 350, 8, 1, 4, 21, 1, 30, 1, 4, 2097, 3, 1, 24];
    assert_eq!(found, [shown(&expected)]);
}

program!(results {
    use droste_gadgets::prelude::*;
    use std::cmp::Ordering;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Error { Empty, Large(usize) }
    pub enum Outer { Inner(Error), Text(&'static str) }
    impl From<Error> for Outer { fn from(error: Error) -> Self { Outer::Inner(error) } }

    fn small(n: usize) -> Result<Felt, Error> {
        match n { 0 => Err(Error::Empty), 1..=9 => Ok(felt(n)), n => Err(Error::Large(n)) }
    }
    fn both(a: usize, b: usize) -> Result<Felt, Error> { Ok(small(a)? * small(b)?) }
    fn outer(a: usize, b: usize) -> Result<Felt, Outer> {
        if a == b { return Err(Outer::Text("equal")); }
        let product = both(a, b)?;
        Ok(product + felt(1))
    }
    fn text(n: usize) -> Result<usize, &'static str> { if n > 3 { Err("large") } else { Ok(n) } }
    fn texts(n: usize) -> Result<usize, &'static str> { let n = text(n)?; Ok(text(n + 1)? * 10) }
    fn shown(result: Result<Felt, Outer>) -> Felt {
        match result {
            Ok(x) => x,
            Err(Outer::Inner(Error::Large(n))) => felt(n * 100),
            Err(Outer::Inner(_)) => felt(77),
            Err(Outer::Text(_)) => felt(88),
        }
    }
    fn order(a: usize, b: usize) -> usize {
        match a.cmp(&b) { Ordering::Less => 1, Ordering::Equal => 2, Ordering::Greater => 3 }
    }

    pub fn main() {
        let mut out = felt(0);
        let x = public_input();
        show(&mut out, both(3, 4).unwrap() + x);
        for (a, b) in [(3, 4), (2, 12), (0, 1), (6, 6)] { show(&mut out, shown(outer(a, b))); }
        show(&mut out, felt(texts(2).unwrap_or(5) * 100 + texts(3).unwrap_or(5)));
        show(&mut out, small(0).map_err(|_| 3usize).unwrap_or_else(|n| felt(n)));
        show(&mut out, felt(small(30).is_err_and(|error| error == Error::Large(30)) as usize));
        show(&mut out, felt(order(1, 2) * 100 + order(2, 2) * 10 + order(3, 2)));
        let by_both = 1u8.cmp(&1).then(5u8.cmp(&3)).reverse();
        show(&mut out, felt(by_both.is_lt() as usize));
        let nested: Option<Result<usize, Error>> = Some(Ok(4));
        show(&mut out, felt(nested.transpose().unwrap().unwrap()));
        reveal(out);
    }
    fn show(out: &mut Felt, value: Felt) { *out = *out * felt(4096) + value; }
});

#[test]
fn results_whose_errors_are_converted() {
    let found = outputs(results::SOURCE, results::main, &[5]);
    assert_eq!(
        found,
        [shown(&[17, 13, 1200, 77, 88, 3005, 3, 1, 123, 1, 4])]
    );
}
