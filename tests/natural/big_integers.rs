use droste_gadgets::prelude::*;
use std::cmp::Ordering;

/// Little-endian big integers in base 2^32.
#[derive(Debug, Clone, PartialEq, Eq)]
struct BigUint {
    limbs: Vec<u32>,
}

impl BigUint {
    fn from_u64(v: u64) -> Self {
        let mut n = BigUint {
            limbs: vec![v as u32, (v >> 32) as u32],
        };
        n.trim();
        n
    }

    fn trim(&mut self) {
        while self.limbs.last() == Some(&0) {
            self.limbs.pop();
        }
    }

    fn mul(&self, rhs: &Self) -> Self {
        let mut limbs = vec![0u32; self.limbs.len() + rhs.limbs.len()];
        for (i, &a) in self.limbs.iter().enumerate() {
            let mut carry = 0u64;
            for (j, &b) in rhs.limbs.iter().enumerate() {
                let t = a as u64 * b as u64 + limbs[i + j] as u64 + carry;
                limbs[i + j] = t as u32;
                carry = t >> 32;
            }
            limbs[i + rhs.limbs.len()] = carry as u32;
        }
        let mut out = BigUint { limbs };
        out.trim();
        out
    }

    fn div_rem_small(&mut self, d: u32) -> u32 {
        let mut rem = 0u64;
        for limb in self.limbs.iter_mut().rev() {
            let cur = (rem << 32) | *limb as u64;
            *limb = (cur / d as u64) as u32;
            rem = cur % d as u64;
        }
        self.trim();
        rem as u32
    }

    fn cmp(&self, rhs: &Self) -> Ordering {
        self.limbs
            .len()
            .cmp(&rhs.limbs.len())
            .then_with(|| self.limbs.iter().rev().cmp(rhs.limbs.iter().rev()))
    }
}

fn factorial(n: u64) -> BigUint {
    (1..=n)
        .map(BigUint::from_u64)
        .fold(BigUint::from_u64(1), |a, b| a.mul(&b))
}

pub fn main() {
    let x = public_input();
    let mut f = factorial(50);
    assert_eq!(factorial(49).cmp(&f), Ordering::Less);
    assert_eq!(f.cmp(&f.clone()), Ordering::Equal);
    let mut digits = Vec::new();
    while !f.limbs.is_empty() {
        digits.push(f.div_rem_small(10));
    }
    let zeros = digits.iter().take_while(|&&d| d == 0).count();
    assert_eq!(zeros, 12);
    reveal(felt(digits.len()) * x);
    reveal(felt(digits.iter().sum::<u32>() as usize));
}
