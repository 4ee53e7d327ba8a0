use droste_gadgets::prelude::*;

/// Generic field-like trait so the same Horner code runs on Felts and on u64 mod p.
trait Ring: Copy {
    const NAME: &'static str;
    fn zero() -> Self;
    fn one() -> Self;
    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;

    fn square(self) -> Self {
        self.times(self)
    }

    fn power(self, n: u32) -> Self {
        match n {
            0 => Self::one(),
            n if n % 2 == 0 => self.power(n / 2).square(),
            n => self.power(n - 1).times(self),
        }
    }
}

impl Ring for Felt {
    const NAME: &'static str = "felt";
    fn zero() -> Self {
        felt(0)
    }
    fn one() -> Self {
        felt(1)
    }
    fn plus(self, other: Self) -> Self {
        self + other
    }
    fn times(self, other: Self) -> Self {
        self * other
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Mod<const M: u64>(u64);

impl<const M: u64> Ring for Mod<M> {
    const NAME: &'static str = "mod";
    fn zero() -> Self {
        Mod(0)
    }
    fn one() -> Self {
        Mod(1 % M)
    }
    fn plus(self, other: Self) -> Self {
        Mod((self.0 + other.0) % M)
    }
    fn times(self, other: Self) -> Self {
        Mod(self.0 * other.0 % M)
    }
}

fn geometric<R: Ring>(ratio: R, terms: u32) -> R {
    (0..terms).map(|i| ratio.power(i)).fold(R::zero(), R::plus)
}

pub fn main() {
    let x = public_input();
    let in_field = geometric(x, 6);
    let small = geometric(Mod::<97>(5), 6);
    assert_eq!(small, Mod(3906 % 97));
    let label = <Felt as Ring>::NAME.len() + Mod::<97>::NAME.len();
    reveal(in_field);
    reveal(felt(small.0 as usize) + felt(label));
}
