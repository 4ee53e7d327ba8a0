use droste_gadgets::prelude::*;

struct Lcg(u64);

impl Iterator for Lcg {
    type Item = u32;

    fn next(&mut self) -> Option<Self::Item> {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        Some((self.0 >> 33) as u32)
    }
}

fn shuffle<T>(items: &mut [T], rng: &mut impl Iterator<Item = u32>) {
    for i in (1..items.len()).rev() {
        let j = rng.next().unwrap() as usize % (i + 1);
        items.swap(i, j);
    }
}

fn inversions(xs: &[u8]) -> usize {
    xs.iter()
        .enumerate()
        .map(|(i, a)| xs[i + 1..].iter().filter(|&b| b < a).count())
        .sum()
}

pub fn main() {
    let x = public_input();
    let mut rng = Lcg(2024);
    let mut deck: [u8; 12] = core::array::from_fn(|i| i as u8);
    shuffle(&mut deck, &mut rng);

    let before = inversions(&deck);
    let mut sorted = deck;
    sorted.sort();
    assert_eq!(inversions(&sorted), 0);

    let rolls = rng.by_ref().map(|r| r % 6 + 1).take(10).collect::<Vec<_>>();
    let sixes = rolls.iter().filter(|&&r| r == 6).count();
    let longest_wait = rng.take_while(|r| r % 6 != 5).count();

    reveal(x + felt(before));
    reveal(felt(rolls.iter().sum::<u32>() as usize));
    reveal(felt(sixes * 100 + longest_wait));
}
