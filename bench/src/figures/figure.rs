//! A figure of a document: what was counted, or what was measured in several rounds.

use serde_json::Value;

/// Rounds that a measured figure needs to be published.
const LEAST_ROUNDS: usize = 5;

/// Largest spread of a figure that is published.
const MOST_SPREAD: f64 = 0.1;

/// By how much a time may differ from what a neighbouring size lets expect.
const SLACK: f64 = 1.5;

/// What a document says instead of a figure, before the reason.
pub const NOT_PUBLISHED: &str = "not published: ";

/// A figure in each round; one number if it is counted and thus the same in all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure(Vec<f64>);

impl Figure {
    /// Makes a figure of what it was in each round.
    pub const fn new(rounds: Vec<f64>) -> Self {
        Self(rounds)
    }

    /// Reads a saved figure: a number, or an object with `rounds`.
    ///
    /// # Errors
    /// If there is none at this path.
    pub fn of(value: &Value, path: &str) -> Result<Self, String> {
        let number = |value: &Value| value.as_f64();
        let rounds = match value.pointer(path) {
            Some(Value::Object(figure)) => figure.get("rounds").and_then(Value::as_array),
            Some(figure) => return one(number(figure), path),
            None => None,
        };
        let rounds = rounds.and_then(|rounds| rounds.iter().map(number).collect());
        let rounds: Option<Vec<f64>> = rounds.filter(|rounds: &Vec<f64>| !rounds.is_empty());
        rounds.map(Self).ok_or_else(|| none(path))
    }

    /// Computes a figure in each round from this one and another of the same rounds.
    pub fn with(&self, other: &Self, compute: impl Fn(f64, f64) -> f64) -> Self {
        let rounds = self.0.len().max(other.0.len());
        let at = |figure: &Self, round: usize| figure.0[round.min(figure.0.len() - 1)];
        Self(
            (0..rounds)
                .map(|round| compute(at(self, round), at(other, round)))
                .collect(),
        )
    }

    /// The ratio to another figure, in each round.
    pub fn ratio(&self, other: &Self) -> Self {
        self.with(other, |figure, other| figure / other)
    }

    /// The figure in units of so much.
    pub fn in_units(&self, unit: f64) -> Self {
        Self(self.0.iter().map(|figure| figure / unit).collect())
    }

    /// Whether it is 1 in all rounds, as the ratio of a figure to itself.
    pub fn is_one(&self) -> bool {
        self.0.iter().all(|&figure| figure == 1.0)
    }

    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The distance between the first and the third quartile, by the median. A quartile between two
    /// rounds is interpolated; of five rounds they are the second and the fourth.
    pub fn spread(&self) -> f64 {
        (self.quantile(0.75) - self.quantile(0.25)) / self.median()
    }

    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let place = share * (sorted.len() - 1) as f64;
        let (low, high) = (sorted[place as usize], sorted[place.ceil() as usize]);
        low + (high - low) * place.fract()
    }

    /// Why the figure is not published, if its rounds are too few or differ too much.
    pub fn doubt(&self) -> Option<String> {
        match self.0.len() {
            1 => None,
            rounds @ ..LEAST_ROUNDS => Some(format!("{rounds} rounds")),
            _ if self.spread() <= MOST_SPREAD => None,
            // Rounded up, so that no spread of 10% seems to be refused.
            _ => Some(format!("spread {:.0}%", (100.0 * self.spread()).ceil())),
        }
    }

    /// The figure as a document shows it: a counted one by its number, a measured one by its median
    /// and its spread, or by the reason why it is not published.
    pub fn show(&self, is_plausible: bool, format: impl Fn(f64) -> String) -> String {
        let implausible = || (!is_plausible).then(|| "implausible".to_owned());
        match self.doubt().or_else(implausible) {
            Some(doubt) => format!("{NOT_PUBLISHED}{doubt}"),
            None if self.0.len() == 1 => format(self.median()),
            None => format!("{} [{:.0}%]", format(self.median()), 100.0 * self.spread()),
        }
    }

    /// Whether this time is plausible beside that of a neighbour whose size is this one's divided by
    /// `growth`: a time grows at most in proportion to the size, and it does not fall.
    fn is_plausible_beside(&self, smaller: &Self, growth: f64) -> bool {
        let ratio = self.median() / smaller.median();
        (1.0 / SLACK..=growth * SLACK).contains(&ratio)
    }
}

fn one(figure: Option<f64>, path: &str) -> Result<Figure, String> {
    figure
        .map(|figure| Figure(vec![figure]))
        .ok_or_else(|| none(path))
}

fn none(path: &str) -> String {
    format!("{path} is not a number")
}

/// For each figure, whether it is plausible beside its neighbours in a series of growing sizes. Of
/// two that contradict each other neither is, since nothing says which one is wrong.
pub fn plausible(series: &[(f64, Figure)]) -> Vec<bool> {
    let mut plausible = vec![true; series.len()];
    for (index, pair) in series.windows(2).enumerate() {
        let [(smaller_size, smaller), (size, figure)] = pair else {
            continue;
        };
        if !figure.is_plausible_beside(smaller, size / smaller_size) {
            plausible[index] = false;
            plausible[index + 1] = false;
        }
    }
    plausible
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn figure(rounds: &[f64]) -> Figure {
        Figure::new(rounds.to_vec())
    }

    fn whole(figure: f64) -> String {
        format!("{figure:.0}")
    }

    #[test]
    fn medians_and_spreads() {
        // Quartiles by R's `quantile`, type 7.
        let five = figure(&[104.0, 90.0, 100.0, 102.0, 5000.0]);
        assert_eq!((five.median(), five.spread()), (102.0, 4.0 / 102.0));
        let four = figure(&[4.0, 1.0, 2.0, 3.0]);
        assert_eq!((four.median(), four.spread()), (2.5, 1.5 / 2.5));
        let six = figure(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!((six.median(), six.spread()), (3.5, 2.5 / 3.5));
        assert_eq!(figure(&[7.0]).spread(), 0.0);
    }

    #[test]
    fn a_ratio_is_the_median_of_each_rounds_ratio() {
        // A load that comes and goes changes times but not ratios.
        let ours = figure(&[1.0, 5.0, 50.0, 2.0, 3.0]);
        let peer = figure(&[2.0, 10.0, 90.0, 4.0, 6.0]);
        let ratio = ours.ratio(&peer);
        assert_eq!((ratio.median(), ratio.spread()), (0.5, 0.0));
        assert_eq!(
            ours.ratio(&figure(&[2.0])),
            figure(&[0.5, 2.5, 25.0, 1.0, 1.5])
        );
    }

    #[test]
    fn saved_figures_are_read() {
        let saved = json!({"counted": 3, "measured": {"median": 2.0, "rounds": [1, 2, 4]},
            "none": null, "text": "3", "empty": {"rounds": []}});
        assert_eq!(Figure::of(&saved, "/counted"), Ok(figure(&[3.0])));
        let measured = Figure::of(&saved, "/measured");
        assert_eq!(measured, Ok(figure(&[1.0, 2.0, 4.0])));
        for path in ["/none", "/text", "/empty", "/absent"] {
            assert!(Figure::of(&saved, path).is_err(), "{path}");
        }
    }

    #[test]
    fn what_is_not_sure_is_not_shown() {
        let show = |rounds: &[f64], is_plausible| figure(rounds).show(is_plausible, whole);
        assert_eq!(show(&[5.0], true), "5");
        assert_eq!(show(&[95.0, 96.0, 100.0, 104.0, 250.0], true), "100 [8%]");
        assert_eq!(show(&[90.0, 95.0, 100.0, 105.0, 106.0], true), "100 [10%]");
        let wide = [90.0, 95.0, 100.0, 105.1, 106.0];
        assert_eq!(show(&wide, true), "not published: spread 11%");
        let few = [100.0, 100.0, 100.0, 100.1];
        assert_eq!(show(&few, true), "not published: 4 rounds");
        assert_eq!(
            show(&[100.0, 100.0, 100.0, 100.0, 101.0], false),
            "not published: implausible"
        );
        // The spread is no number.
        let zero = [0.0, 0.0, 0.0, 0.0, 1.0];
        assert!(show(&zero, true).starts_with(NOT_PUBLISHED));
        assert_eq!(show(&wide, false), show(&wide, true));
    }

    #[test]
    fn neighbours_contradict_each_other() {
        let series = |figures: &[(f64, f64)]| {
            let series = figures
                .iter()
                .map(|&(size, time)| (size, figure(&[time])))
                .collect::<Vec<_>>();
            plausible(&series)
        };
        // What was published of Poseidon2 once, by `fft_cost`: the second one is wrong.
        let times = [
            (1.40e6, 37.0),
            (6.43e6, 297.0),
            (2.95e7, 668.0),
            (1.34e8, 2089.0),
        ];
        assert_eq!(series(&times), [false, false, true, true]);
        // Ratios of two hashes do not grow with the size.
        let ratios = [(1.0, 0.54), (1.0, 1.78), (1.0, 0.80), (1.0, 0.79)];
        assert_eq!(series(&ratios), [false, false, false, true]);
        // Times that do not depend on the size, or in proportion to it, are plausible.
        assert_eq!(series(&[(1.0, 9.0), (4.0, 9.0), (8.0, 18.0)]), [true; 3]);
        assert_eq!(series(&[(1.0, 9.0), (4.0, 5.9)]), [false; 2]);
        assert_eq!(series(&[(1.0, 9.0), (4.0, 54.1)]), [false; 2]);
        assert_eq!(series(&[(1.0, 9.0)]), [true]);
        assert_eq!(series(&[]), [true; 0]);
    }
}
