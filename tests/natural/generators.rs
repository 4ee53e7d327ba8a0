use droste_gadgets::prelude::*;

/// xorshift family behind an RNG trait, with shuffling and sampling helpers.
trait Rng {
    fn next_u64(&mut self) -> u64;

    fn below(&mut self, n: u64) -> u64 {
        ((self.next_u64() as u128 * n as u128) >> 64) as u64
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i as u64 + 1) as usize;
            items.swap(i, j);
        }
    }

    fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T>
    where
        Self: Sized,
    {
        match items {
            [] => None,
            [only] => Some(only),
            _ => items.get(self.below(items.len() as u64) as usize),
        }
    }
}

struct XorShift64Star(u64);

impl Rng for XorShift64Star {
    fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

struct SplitMix64 {
    state: u64,
}

impl Rng for SplitMix64 {
    fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

fn histogram<R: Rng>(rng: &mut R, draws: usize) -> [u32; 6] {
    let mut h = [0; 6];
    for _ in 0..draws {
        h[rng.below(6) as usize] += 1;
    }
    h
}

pub fn main() {
    let x = public_input();
    let mut seeder = SplitMix64 { state: 0 };
    assert_eq!(seeder.next_u64(), 0xE220_A839_7B1D_CDAF);
    let mut rng = XorShift64Star(seeder.next_u64());

    let mut deck: Vec<u8> = (0..20).collect();
    rng.shuffle(&mut deck);
    let mut sorted = deck.clone();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    assert!(sorted.into_iter().rev().eq(0..20));

    let h = histogram(&mut rng, 60);
    assert_eq!(h.iter().sum::<u32>(), 60);
    let pick = rng.choose(&deck).copied().unwrap_or(99);
    reveal(felt(deck[0] as usize) + x);
    reveal(felt(*h.iter().max().unwrap() as usize));
    reveal(felt(pick.into()));
}
