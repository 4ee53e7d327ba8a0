use droste_gadgets::prelude::*;

/// Range proof: decompose a secret into bits, each constrained to be boolean.
struct RangeCheck<const BITS: usize>;

impl<const BITS: usize> RangeCheck<BITS> {
    const MAX: usize = (1 << BITS) - 1;

    fn recompose(bits: &[Felt; BITS]) -> Felt {
        bits.iter()
            .enumerate()
            .map(|(i, &b)| b * felt(1 << i))
            .fold(felt(0), |a, b| a + b)
    }

    fn assert_bits(bits: &[Felt; BITS]) {
        for &b in bits {
            assert_eq!(b * (b - felt(1)), felt(0));
        }
    }

    /// Asserts that value is in 0..=MAX, given the bits of the value.
    fn check(value: Felt, bits: &[Felt; BITS]) {
        Self::assert_bits(bits);
        assert_eq!(Self::recompose(bits), value);
    }
}

fn constant_bits<const BITS: usize>(v: usize) -> [Felt; BITS] {
    std::array::from_fn(|i| felt(v >> i & 1))
}

fn bit_and<const N: usize>(a: &[Felt; N], b: &[Felt; N]) -> [Felt; N] {
    let mut out = [felt(0); N];
    for i in 0..N {
        out[i] = a[i] * b[i];
    }
    out
}

fn bit_xor<const N: usize>(a: &[Felt; N], b: &[Felt; N]) -> [Felt; N] {
    std::array::from_fn(|i| a[i] + b[i] - felt(2) * a[i] * b[i])
}

pub fn main() {
    let x = public_input();
    let a = constant_bits::<8>(0b1011_0110);
    let b = constant_bits::<8>(0b0110_1100);
    RangeCheck::<8>::check(felt(0b1011_0110), &a);

    let and = RangeCheck::recompose(&bit_and(&a, &b));
    let xor = RangeCheck::recompose(&bit_xor(&a, &b));
    assert_eq!(and, felt(0b1011_0110 & 0b0110_1100));
    assert_eq!(xor + felt(2) * and, felt(0b1011_0110 + 0b0110_1100));

    // x is boolean-selected between the two words
    let s = constant_bits::<1>(1)[0];
    let selected = s * and + (felt(1) - s) * xor;
    reveal(selected * x);
    reveal(xor);
    reveal(felt(RangeCheck::<12>::MAX));
}
