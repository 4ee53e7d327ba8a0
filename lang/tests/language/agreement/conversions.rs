//! `From` and `Into`.

use super::{outputs, program};

program!(conversions {
    use droste_gadgets::prelude::*;

    pub struct Meters(Felt);
    pub struct Pair { a: Felt, b: Felt }
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Problem { Small, Number(u8) }

    impl From<Felt> for Meters { fn from(x: Felt) -> Self { Meters(x * felt(2)) } }
    impl From<Pair> for Meters { fn from(pair: Pair) -> Self { Meters(pair.a + pair.b) } }
    impl From<(Felt, Felt)> for Pair { fn from((a, b): (Felt, Felt)) -> Pair { Pair { a, b } } }
    impl From<Meters> for Felt { fn from(m: Meters) -> Felt { m.0 } }
    impl From<Pair> for [Felt; 2] { fn from(pair: Pair) -> Self { [pair.a, pair.b] } }
    impl From<u8> for Problem { fn from(n: u8) -> Self { Problem::Number(n) } }

    fn length(m: impl Into<Meters>) -> Felt { let m: Meters = m.into(); m.0 }
    fn of<T>(x: Felt) -> T where T: From<Felt> { T::from(x) }
    fn returned(pair: Pair) -> Meters { pair.into() }
    fn checked(n: u8) -> Result<u8, u8> { if n > 3 { Err(n) } else { Ok(n) } }
    fn tried(n: u8) -> Result<u8, Problem> {
        let n = checked(n)?;
        if n == 0 { return Err(Problem::Small); }
        Ok(n)
    }

    pub fn main() {
        let x = public_input();
        reveal(Meters::from(x).0 + Meters::from(Pair::from((x, felt(3)))).0);
        reveal(length(x) + length(Pair { a: x, b: x }) + length(Meters(x)));
        let list: [Felt; 2] = Pair { a: x, b: felt(4) }.into();
        reveal(list[0] * list[1] + of::<Meters>(x).0);
        let back: Felt = returned((x, x).into()).into();
        reveal(back);
        let wide: u64 = 7u8.into();
        let v: Vec<Felt> = [x, x].into();
        reveal(felt(wide as usize + u32::from(3u8) as usize + usize::from(true) + v.len()));
        reveal(felt((tried(9) == Err(Problem::Number(9))) as usize * 100 + (tried(0) == Err(Problem::Small)) as usize * 10
            + tried(2).unwrap() as usize));
    }
});

#[test]
fn conversions_are_those_of_both_types() {
    assert_eq!(
        outputs(conversions::SOURCE, conversions::main, &[5]),
        [18, 25, 30, 10, 13, 112]
    );
}

program!(of_literals {
    use droste_gadgets::prelude::*;

    pub struct S;
    impl From<S> for u64 { fn from(_s: S) -> u64 { 7 } }

    pub fn main() {
        // What a literal is converted to does not tell its type.
        let x = 5;
        let byte: u8 = x;
        let wide: u64 = x.into();
        let through: u32 = From::from(x);
        reveal(felt((!x) as usize + byte as usize * 1000 + wide as usize * 10000 + through as usize * 100000));
        let own: u64 = S.into();
        reveal(felt((own * 100 + u64::from(S) * 10 + u64::from(5u8)) as usize));
        reveal(felt((u64::pow(2, 10) + u64::checked_shl(1, 3).unwrap() + u64::rotate_left(1, 4)) as usize));
    }
});

#[test]
fn conversions_of_literals_do_not_tell_their_types() {
    assert_eq!(
        outputs(of_literals::SOURCE, of_literals::main, &[]),
        [555_250, 775, 1048]
    );
}

program!(to_vecs {
    use droste_gadgets::prelude::*;

    struct Packet { version: u8, payload: Vec<u8> }
    impl From<&Packet> for Vec<u8> {
        fn from(p: &Packet) -> Vec<u8> {
            let mut out = vec![p.version];
            out.extend(&p.payload);
            out
        }
    }

    pub fn main() {
        let packet = Packet { version: 4, payload: Vec::from([1, 2]) };
        let bytes: Vec<u8> = (&packet).into();
        assert_eq!((bytes, Vec::from(&packet).len()), (vec![4, 1, 2], 3));
        let plain: Vec<u8> = [7, 8].into();
        reveal(felt(Vec::<u8>::from(plain)[1] as usize + Vec::<u8>::from([250])[0] as usize));
    }
});

#[test]
fn a_program_converts_its_types_to_vecs() {
    assert_eq!(outputs(to_vecs::SOURCE, to_vecs::main, &[]), [258]);
}
