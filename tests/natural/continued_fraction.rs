use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Ratio {
    num: i64,
    den: i64,
}

const fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}

impl Ratio {
    const ONE: Ratio = Ratio { num: 1, den: 1 };

    fn new(num: i64, den: i64) -> Self {
        assert_ne!(den, 0, "zero denominator");
        let g = gcd(num, den) * den.signum();
        Ratio {
            num: num / g,
            den: den / g,
        }
    }

    fn recip(self) -> Option<Self> {
        (self.num != 0).then(|| Ratio::new(self.den, self.num))
    }
}

impl From<i64> for Ratio {
    fn from(n: i64) -> Self {
        Ratio { num: n, den: 1 }
    }
}

impl std::ops::Add for Ratio {
    type Output = Ratio;
    fn add(self, o: Ratio) -> Ratio {
        Ratio::new(self.num * o.den + o.num * self.den, self.den * o.den)
    }
}

impl std::ops::AddAssign for Ratio {
    fn add_assign(&mut self, o: Ratio) {
        *self = *self + o;
    }
}

fn continued_fraction(terms: &[i64]) -> Option<Ratio> {
    let (&last, init) = terms.split_last()?;
    init.iter().rev().try_fold(Ratio::from(last), |acc, &t| {
        Some(Ratio::from(t) + acc.recip()?)
    })
}

pub fn main() {
    let x = public_input();
    let pi = continued_fraction(&[3, 7, 15, 1]).unwrap();
    assert_eq!(pi, Ratio::new(-355, -113));
    assert!(continued_fraction(&[1, 0]).is_none());

    let mut harmonic = Ratio::from(0);
    for n in 1..=10 {
        harmonic += Ratio::new(1, n);
    }
    assert_eq!(Ratio::new(1, 3) + Ratio::new(2, 3), Ratio::ONE);
    // cross-check the sum inside the field
    assert_eq!(
        felt(harmonic.num as usize) * felt(360),
        felt(harmonic.den as usize) * felt(360) * felt(0) + felt(7381 * 360)
    );
    reveal(x * felt(pi.den as usize) + felt(pi.num as usize));
    reveal(felt(harmonic.den as usize));
}
