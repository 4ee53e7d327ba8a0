//! Exact confidence intervals of the rate of a binomial distribution (C. J. Clopper, E. S. Pearson,
//! Biometrika 26, 1934).

/// Probability that the rate is outside the interval, on either side.
const TAIL: f64 = 5e-7;

/// The probability of at most `successes` of `trials`.
fn at_most(successes: usize, trials: usize, rate: f64) -> f64 {
    if rate <= 0.0 {
        return 1.0;
    }
    if rate >= 1.0 {
        return if successes < trials { 0.0 } else { 1.0 };
    }
    let mut log = trials as f64 * (-rate).ln_1p();
    let mut sum = log.exp();
    for k in 0..successes.min(trials) {
        log += ((trials - k) as f64 / (k + 1) as f64).ln() + rate.ln() - (-rate).ln_1p();
        sum += log.exp();
    }
    sum.min(1.0)
}

/// The rates of which neither so few nor so many successes are improbable.
pub fn interval(successes: usize, trials: usize) -> [f64; 2] {
    // The least rate at which `is_above` holds, which it does from some rate on.
    let least = |is_above: &dyn Fn(f64) -> bool| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..40 {
            let middle = (low + high) / 2.0;
            if is_above(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    };
    let at_least = |rate| match successes.checked_sub(1) {
        Some(fewer) => 1.0 - at_most(fewer, trials, rate),
        None => 1.0,
    };
    let low = match successes {
        0 => 0.0,
        _ => least(&|rate| at_least(rate) >= TAIL),
    };
    let high = if successes == trials {
        1.0
    } else {
        least(&|rate| at_most(successes, trials, rate) <= TAIL)
    };
    [low, high]
}

/// Without a success in `n` trials, the bound is the rate at which `(1 - rate)^n` is the tail.
#[test]
fn intervals_have_the_bounds_of_the_distribution() {
    let bound = 1.0 - TAIL.powf(1.0 / 100.0);
    let [low, high] = interval(0, 100);
    assert!(low == 0.0 && (high - bound).abs() < 1e-9, "{high}");
    let [low, high] = interval(100, 100);
    assert!(high == 1.0 && (low - (1.0 - bound)).abs() < 1e-9, "{low}");
    // The normal approximation, of 4.89 standard deviations.
    let [low, high] = interval(5_000, 10_000);
    assert!((low - 0.47554).abs() < 2e-4 && (high - 0.52446).abs() < 2e-4);
    assert!((at_most(2, 4, 0.5) - 11.0 / 16.0).abs() < 1e-12);
}
