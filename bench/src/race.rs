//! Times of alternatives that are measured in turns, under the same load.

use crate::clock;

/// Nanoseconds per call of one alternative, round by round.
#[derive(Clone, Debug)]
pub struct Times(Vec<f64>);

impl Times {
    /// Returns the median over the rounds.
    pub fn median(&self) -> f64 {
        median(self.0.clone())
    }

    /// Returns the milliseconds per call in each round.
    pub fn milliseconds(&self) -> Vec<f64> {
        self.0.iter().map(|nanoseconds| nanoseconds / 1e6).collect()
    }

    /// Returns the median, over the rounds, of the ratio to another alternative of the same race.
    pub fn ratio(&self, other: &Self) -> f64 {
        median(self.0.iter().zip(&other.0).map(|(a, b)| a / b).collect())
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.get(middle) {
        Some(high) if values.len() % 2 == 1 => *high,
        Some(high) => (values[middle - 1] + high) / 2.0,
        None => f64::NAN,
    }
}

/// Times `rounds` rounds, in each of which every alternative is called `calls` times. Rounds go
/// through the alternatives from first to last and from last to first by turns, so that a drift of
/// the load affects all of them equally.
pub fn race(rounds: usize, calls: usize, alternatives: &mut [&mut dyn FnMut()]) -> Vec<Times> {
    let mut times = vec![Times(vec![]); alternatives.len()];
    for round in 0..rounds.max(1) {
        for step in 0..alternatives.len() {
            let forward = round % 2 == 0;
            let index = if forward {
                step
            } else {
                alternatives.len() - 1 - step
            };
            let start = clock::now();
            (0..calls).for_each(|_| alternatives[index]());
            let elapsed = clock::now().saturating_sub(start).as_nanos() as f64;
            times[index].0.push(elapsed / calls as f64);
        }
    }
    times
}

/// Runs a [`race`] of two alternatives.
pub fn duel(
    rounds: usize,
    calls: usize,
    mut ours: impl FnMut(),
    mut peer: impl FnMut(),
) -> (Times, Times) {
    let mut times = race(rounds, calls, &mut [&mut ours, &mut peer]).into_iter();
    let empty = || Times(vec![]);
    let ours = times.next().unwrap_or_else(empty);
    (ours, times.next().unwrap_or_else(empty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let times = |values: &[f64]| Times(values.to_vec());
        assert_eq!(times(&[3.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(times(&[4.0, 1.0, 2.0, 3.0]).median(), 2.5);
        // A load that comes and goes changes times but not ratios.
        let (ours, peer) = (times(&[1.0, 5.0, 50.0]), times(&[2.0, 10.0, 90.0]));
        assert_eq!(ours.ratio(&peer), 0.5);
    }

    #[test]
    fn every_alternative_runs_in_every_round() {
        let (mut a, mut b) = (0, 0);
        let times = race(3, 4, &mut [&mut || a += 1, &mut || b += 1]);
        assert_eq!((a, b, times.len(), times[0].0.len()), (12, 12, 2, 3));
    }
}
