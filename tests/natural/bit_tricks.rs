use droste_gadgets::prelude::*;

/// Bit manipulation: Gray code, Morton codes, popcounts, bit reversal and bitboards.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct BitSet(u64);

impl BitSet {
    fn insert(&mut self, i: u32) -> bool {
        let had = self.contains(i);
        self.0 |= 1 << i;
        !had
    }

    fn contains(self, i: u32) -> bool {
        self.0 >> i & 1 == 1
    }

    fn iter(self) -> impl Iterator<Item = u32> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            if bits == 0 {
                return None;
            }
            let i = bits.trailing_zeros();
            bits &= bits - 1;
            Some(i)
        })
    }
}

impl FromIterator<u32> for BitSet {
    fn from_iter<I: IntoIterator<Item = u32>>(iter: I) -> Self {
        let mut s = BitSet::default();
        for i in iter {
            s.insert(i);
        }
        s
    }
}

fn gray(n: u32) -> u32 {
    n ^ (n >> 1)
}

fn gray_inverse(g: u32) -> u32 {
    [16, 8, 4, 2, 1].iter().fold(g, |n, s| n ^ (n >> s))
}

fn morton(x: u16, y: u16) -> u32 {
    fn spread(v: u16) -> u32 {
        let mut v = v as u32;
        v = (v | v << 8) & 0x00ff00ff;
        v = (v | v << 4) & 0x0f0f0f0f;
        v = (v | v << 2) & 0x33333333;
        (v | v << 1) & 0x55555555
    }
    spread(x) | spread(y) << 1
}

pub fn main() {
    let x = public_input();
    for n in 0..32 {
        assert_eq!((gray(n) ^ gray(n + 1)).count_ones(), 1);
        assert_eq!(gray_inverse(gray(n)), n);
    }
    let primes: BitSet = (2..64).filter(|n| (2..*n).all(|d| n % d != 0)).collect();
    assert_eq!(primes.iter().count() as u32, primes.0.count_ones());
    let sum: u32 = primes
        .iter()
        .filter(|p| p.is_power_of_two() || (p + 1).is_power_of_two())
        .sum();
    reveal(felt(sum as usize) + x);
    reveal(felt(morton(300, 17) as usize));
    reveal(felt((12345u32.reverse_bits() >> 8) as usize));
    reveal(felt((0xdead_beefu32.swap_bytes().leading_zeros()) as usize));
}
