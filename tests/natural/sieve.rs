use droste_gadgets::prelude::*;

struct Sieve {
    composite: Vec<bool>,
}

impl Sieve {
    fn up_to(limit: usize) -> Self {
        let mut composite = vec![false; limit + 1];
        composite[..2].fill(true);
        let mut p = 2;
        while p * p <= limit {
            if !composite[p] {
                for m in (p * p..=limit).step_by(p) {
                    composite[m] = true;
                }
            }
            p += 1;
        }
        Self { composite }
    }

    fn primes(&self) -> impl Iterator<Item = usize> + '_ {
        self.composite
            .iter()
            .enumerate()
            .filter(|&(_, &c)| !c)
            .map(|(n, _)| n)
    }
}

fn factorize(mut n: usize, primes: impl Iterator<Item = usize>) -> Vec<(usize, u32)> {
    let mut factors = Vec::new();
    for p in primes {
        let mut e = 0;
        while n % p == 0 {
            n /= p;
            e += 1;
        }
        if e > 0 {
            factors.push((p, e));
        }
        if n == 1 {
            break;
        }
    }
    factors
}

pub fn main() {
    let x = public_input();
    let sieve = Sieve::up_to(120);
    let primes: Vec<_> = sieve.primes().collect();
    let twins = primes
        .iter()
        .zip(primes.iter().skip(1))
        .filter(|(a, b)| *b - *a == 2)
        .count();
    let n = 360 * 77;
    let factors = factorize(n, sieve.primes());
    let divisors: u32 = factors.iter().map(|(_, e)| e + 1).product();
    let totient = factors.iter().fold(n, |acc, (p, _)| acc / p * (p - 1));
    assert_eq!(factors.iter().map(|&(p, e)| p.pow(e)).product::<usize>(), n);
    reveal(x + felt(primes.len()));
    reveal(felt(twins));
    reveal(felt(divisors as usize));
    reveal(felt(totient));
}
