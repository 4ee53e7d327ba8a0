use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bits(u64);

impl Bits {
    fn iter(self) -> impl Iterator<Item = u32> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            if rest == 0 {
                None
            } else {
                let tz = rest.trailing_zeros();
                rest &= rest - 1;
                Some(tz)
            }
        })
    }

    fn reverse(self) -> Self {
        let mut v = self.0;
        let masks = [
            (1, 0x5555_5555_5555_5555u64),
            (2, 0x3333_3333_3333_3333),
            (4, 0x0f0f_0f0f_0f0f_0f0f),
        ];
        for (shift, mask) in masks {
            v = ((v >> shift) & mask) | ((v & mask) << shift);
        }
        Bits(v.swap_bytes())
    }

    fn gray(self) -> Self {
        Bits(self.0 ^ (self.0 >> 1))
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(iter: I) -> Self {
        Bits(iter.into_iter().fold(0, |acc, b| acc | 1 << b))
    }
}

impl std::ops::BitXor for Bits {
    type Output = Self;
    fn bitxor(self, rhs: Self) -> Self {
        Bits(self.0 ^ rhs.0)
    }
}

pub fn main() {
    let x = public_input();
    let set: Bits = [1, 5, 9, 33, 60].into_iter().collect();
    assert_eq!(set.reverse().0, set.0.reverse_bits());
    assert_eq!(set.iter().collect::<Bits>(), set);
    let sum: u32 = (set ^ Bits(0b10)).iter().sum();
    let changes = (1..16u64)
        .map(|i| (Bits(i).gray() ^ Bits(i - 1).gray()).0.count_ones())
        .all(|ones| ones == 1);
    reveal(x + felt(sum as usize));
    reveal(felt(changes as usize));
}
