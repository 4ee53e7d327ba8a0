//! What the published attacks on Poseidon and Poseidon2 cost at the parameters used here, by the
//! cost models of the papers. `docs/hashes.md` has the figures and says what they mean.
//!
//! Costs are binary logarithms of numbers of operations. They are what one kind of attack is
//! estimated to take, and no lower bound on others.

use p3_koala_bear::KOALABEAR_S_BOX_DEGREE;

use super::super::poseidon2;
use super::super::poseidon16::{HALF_FULL_ROUNDS, PARTIAL_ROUNDS, RATE, WIDTH};
use crate::field::{DIGEST, MODULUS};
use crate::hash_signature::{Fixed, TweakableHash, TweakablePoseidon16};

/// A permutation of elements of a field.
#[derive(Clone, Copy)]
struct Permutation {
    /// Elements of the field.
    modulus: f64,
    /// Exponent of the S-box.
    exponent: f64,
    /// Width of the state, in elements.
    width: usize,
    /// Full rounds before the partial rounds, and again after them.
    half_full: usize,
    /// Partial rounds.
    partial: usize,
}

impl Permutation {
    const POSEIDON16: Self = Self::over_koala_bear(WIDTH, HALF_FULL_ROUNDS, PARTIAL_ROUNDS);

    const POSEIDON2_SPONGE: Self = Self::over_koala_bear(
        poseidon2::SPONGE_WIDTH,
        poseidon2::HALF_FULL_ROUNDS,
        poseidon2::SPONGE_PARTIAL_ROUNDS,
    );

    /// The width, the rounds of either kind, and the exponent.
    const fn sizes(&self) -> (usize, [usize; 2], f64) {
        (self.width, [self.half_full, self.partial], self.exponent)
    }

    const fn over_koala_bear(width: usize, half_full: usize, partial: usize) -> Self {
        Self {
            modulus: MODULUS as f64,
            exponent: KOALABEAR_S_BOX_DEGREE as f64,
            width,
            half_full,
            partial,
        }
    }

    /// The degree after this many rounds, which reduction modulo `x^p - x` keeps below `p - 1`
    /// (ePrint 2026/1792, section 4.1).
    fn degree(&self, rounds: usize) -> f64 {
        self.exponent.powi(rounds as i32).min(self.modulus - 2.0)
    }
}

/// To find an input, of which some elements are given, with given elements of its output.
#[derive(Clone, Copy)]
struct Problem {
    permutation: Permutation,
    /// Elements of the input that are given.
    given: usize,
    /// Elements of the output that are given.
    digest: usize,
}

impl Problem {
    /// Skipping S-boxes (ePrint 2026/1692, sections 5 and 6), on one full round, all partial rounds
    /// and the last full rounds: those before the partial rounds, but for one, are left out.
    ///
    /// Of the partial rounds, `width - 2 digest` do not add to the degree. Resultants, nested once
    /// less than there are equations, square it each time; then a root is found in `d^2 log p`.
    fn s_box_skipping(&self) -> f64 {
        let skipped = self.permutation.width.saturating_sub(2 * self.digest);
        let rounds = self.permutation.partial.saturating_sub(skipped) + self.permutation.half_full;
        let degree =
            rounds as f64 * self.permutation.exponent.log2() * 2f64.powi(self.digest as i32 - 1);
        2.0 * degree + self.permutation.modulus.log2().round().log2()
    }

    /// Gröbner bases of the equations themselves, in as many variables as there are equations (the
    /// "basic attack" of ePrint 2026/1792, section 4.1).
    fn basic(&self) -> f64 {
        let rounds = 2 * self.permutation.half_full + self.permutation.partial;
        let degree = self.digest as f64 * self.permutation.degree(rounds);
        2.0 * log_binomial(degree + 1.0, self.digest)
    }

    /// Gröbner bases along a nonlinear subspace trail of `2 constraints` partial rounds, with
    /// variables for the state after `tau` of them (ePrint 2026/1792, section 4.1, "substitution").
    fn trail_substituted(&self, constraints: usize, tau: usize) -> f64 {
        let (width, [half_full, partial], exponent) = self.permutation.sizes();
        let degrees = width as f64 * self.permutation.degree(half_full + tau)
            + self.digest as f64
                * self
                    .permutation
                    .degree(half_full + partial - tau - 2 * constraints)
            + constraints as f64 * exponent;
        let unused = self.trail() - constraints;
        2.0 * log_binomial(1.0 + degrees, 2 * width - self.given - unused)
    }

    /// The same without new variables ("nonsubstitution").
    fn trail_direct(&self, constraints: usize) -> f64 {
        let (width, [half_full, partial], _) = self.permutation.sizes();
        let rounds = 2 * half_full + partial - 2 * constraints;
        let degrees = self.digest as f64 * self.permutation.degree(rounds)
            + constraints as f64 * self.permutation.degree(half_full + 1);
        let unused = self.trail() - constraints;
        2.0 * log_binomial(1.0 + degrees, width - self.given - unused)
    }

    /// Constraints that the unknowns of the input leave to a trail (`E_c` of ePrint 2026/1792).
    fn trail(&self) -> usize {
        (self.permutation.width - self.given).saturating_sub(self.digest)
    }

    /// The cheapest of the attacks of ePrint 2026/1792.
    fn subspace_trails(&self) -> f64 {
        let partial = self.permutation.partial;
        let trails = (1..=self.trail()).filter(|constraints| 2 * constraints < partial);
        let costs = trails.flat_map(|constraints| {
            let substituted = (0..partial - 2 * constraints)
                .map(move |tau| self.trail_substituted(constraints, tau));
            substituted.chain([self.trail_direct(constraints)])
        });
        costs.fold(self.basic(), f64::min)
    }

    /// Solving at the degree of the ideal, of which a Gröbner basis may come for free (ePrint
    /// 2025/2040, table 1, section 4.2 and equation 10 with a linear algebra exponent of 2).
    fn ideal_degree(&self) -> f64 {
        self.ideal_degree_from_round(0)
    }

    /// The same, with `first` full rounds that do not add to the degree, although nothing is given
    /// up for it. One can be had if at least `digest` elements of the input are free and the others
    /// given: the unknowns are then the S-boxes' outputs. ePrint 2025/2040 does not say that this
    /// adds to what it skips; if it does, this is the cost.
    fn ideal_degree_from_round(&self, first: usize) -> f64 {
        let (width, [half_full, partial], exponent) = self.permutation.sizes();
        let skipped = (width / self.digest).saturating_sub(2);
        let degree = self.digest * (2 * half_full - first) + partial - skipped;
        (2 * degree - 2 * half_full) as f64 * exponent.log2()
    }

    /// Our combination of S-box skipping with solving at the degree of the ideal, for the rounds of
    /// [`Self::s_box_skipping`].
    fn s_box_skipping_at_ideal_degree(&self) -> f64 {
        let (width, [half_full, partial], exponent) = self.permutation.sizes();
        let skipped = width.saturating_sub(2 * self.digest);
        let degree = self.digest * half_full + partial.saturating_sub(skipped);
        (2 * degree - half_full) as f64 * exponent.log2()
    }

    /// The costs that the document lists.
    fn costs(&self) -> [f64; 3] {
        [
            self.subspace_trails(),
            self.ideal_degree(),
            self.ideal_degree_from_round(1),
        ]
    }

    /// How many rounds S-box skipping reaches in less than `bound` operations: one full round, at
    /// most all partial rounds, and the last full rounds.
    fn rounds_in_reach(mut self, bound: f64) -> Option<usize> {
        (0..=self.permutation.partial).rev().find_map(|partial| {
            self.permutation.partial = partial;
            let rounds = 1 + partial + self.permutation.half_full;
            (self.s_box_skipping() < bound).then_some(rounds)
        })
    }
}

/// The binary logarithm of `n` over `k`.
fn log_binomial(n: f64, k: usize) -> f64 {
    (0..k)
        .map(|i| ((n - i as f64) / (i as f64 + 1.0)).log2())
        .sum()
}

/// A use of a permutation.
#[derive(Clone, Copy)]
struct Mode {
    problem: Problem,
    /// The generic attack against what the use needs.
    generic: f64,
}

impl Mode {
    /// A compression of digests, which must not collide. If the attacker gives half of the input,
    /// the feed-forward adds constants to the digest.
    fn parents(permutation: Permutation, digest: usize) -> Self {
        let problem = Problem {
            permutation,
            given: permutation.width - digest,
            digest,
        };
        Self {
            problem,
            generic: permutation.modulus.log2() * digest as f64 / 2.0,
        }
    }

    /// A sponge, whose digests and capacities must not collide.
    fn sponge(permutation: Permutation, rate: usize, digest: usize) -> Self {
        let given = permutation.width - rate;
        let problem = Problem {
            permutation,
            given,
            digest,
        };
        Self {
            problem,
            generic: permutation.modulus.log2() * digest.min(given) as f64 / 2.0,
        }
    }

    /// The tweakable hash of signatures, which must have no second preimages. A Merkle node has two
    /// digests in its input and the most elements that an attacker chooses; the feed-forward adds
    /// tweak and zeros, which are given, to the digest.
    fn tweakable(permutation: Permutation, digest: usize) -> Self {
        let problem = Problem {
            permutation,
            given: permutation.width - 2 * digest,
            digest,
        };
        Self {
            problem,
            generic: permutation.modulus.log2() * digest as f64,
        }
    }

    /// Bits by which the cheapest attack on all rounds is above what a proof or a signature counts
    /// on: 123.9, the collisions of 8 elements.
    fn margin(&self) -> f64 {
        self.problem
            .costs()
            .into_iter()
            .fold(self.generic, f64::min)
            - 123.9
    }
}

/// Number of elements of a signature's digests.
const SIGNATURE_DIGEST: usize = <TweakablePoseidon16 as TweakableHash>::Digest::ELEMENTS;

/// The modes of use, with their costs in the document, rounded down.
fn modes() -> [(Mode, [f64; 3]); 4] {
    let poseidon16 = Permutation::POSEIDON16;
    let leaves = Mode::sponge(Permutation::POSEIDON2_SPONGE, poseidon2::RATE, DIGEST);
    [
        (Mode::parents(poseidon16, DIGEST), [513.0, 253.0, 228.0]),
        (
            Mode::sponge(poseidon16, RATE, DIGEST),
            [513.0, 253.0, 228.0],
        ),
        (
            Mode::tweakable(poseidon16, SIGNATURE_DIGEST),
            [254.0, 145.0, 133.0],
        ),
        (leaves, [513.0, 259.0, 234.0]),
    ]
}

/// A problem with `k` given elements of input and output.
fn cico(permutation: Permutation, k: usize) -> Problem {
    Problem {
        permutation,
        given: k,
        digest: k,
    }
}

#[test]
fn cost_models_agree_with_the_papers() {
    // ePrint 2026/1692, table 1: KoalaBear, width 24, one full round before the partial rounds.
    for (k, partial, cost) in [
        (1, 23, 20.8),
        (2, 23, 49.3),
        (2, 20, 30.3),
        (3, 18, 55.7),
        (4, 16, 106.4),
    ] {
        let permutation = Permutation {
            partial,
            ..Permutation::POSEIDON2_SPONGE
        };
        assert!(
            (cico(permutation, k).s_box_skipping() - cost).abs() < 0.05,
            "{k} {partial}"
        );
    }

    // ePrint 2026/1792, tables C.1 (sponge, with a trail) and C.2 (compression, without): the least
    // number of partial rounds, from that of the whole trail, at 2^128.
    let permutation = |log_modulus: i32, exponent, width, partial| Permutation {
        modulus: 2f64.powi(log_modulus),
        exponent,
        width,
        half_full: 3,
        partial,
    };
    for (exponent, width, expected) in [(3.0, 4, 10), (3.0, 6, 10), (5.0, 4, 6), (7.0, 4, 5)] {
        let constraints = width - 2;
        let least = (2 * constraints + 1..).find(|&partial| {
            let problem = cico(permutation(256, exponent, width, partial), 1);
            (0..partial - 2 * constraints)
                .all(|tau| problem.trail_substituted(constraints, tau) >= 128.0)
        });
        assert_eq!(least, Some(expected), "{exponent} {width}");
    }
    let least = (0..).find(|&partial| {
        let permutation = permutation(64, 3.0, 24, partial);
        Problem {
            permutation,
            given: 0,
            digest: 4,
        }
        .basic()
            >= 128.0
    });
    assert_eq!(least, Some(4));

    // ePrint 2025/2040, table 2, the column of equation 10.
    for (exponent, width, k, half_full, partial, cost) in [
        (3.0, 24, 8, 4, 85, 456.47),
        (5.0, 12, 4, 4, 57, 390.08),
        (7.0, 9, 3, 4, 47, 370.57),
        (3.0, 49, 7, 3, 46, 253.59),
    ] {
        let permutation = Permutation {
            half_full,
            ..permutation(256, exponent, width, partial)
        };
        assert!(
            (cico(permutation, k).ideal_degree() - cost).abs() < 0.01,
            "{exponent} {width}"
        );
    }
}

#[test]
fn margins_are_those_of_the_document() {
    for (i, (mode, costs)) in modes().into_iter().enumerate() {
        assert_eq!(mode.problem.costs().map(f64::floor), costs, "mode {i}");
        assert!(mode.margin() >= 0.0, "mode {i}");
    }
}

#[test]
fn rounds_in_reach_are_those_of_the_document() {
    let log_modulus = f64::from(MODULUS).log2();
    let reach = |permutation| {
        [1, 2, 4, 8].map(|k| cico(permutation, k).rounds_in_reach(log_modulus * k as f64))
    };
    assert_eq!(
        reach(Permutation::POSEIDON16),
        [Some(23), Some(21), Some(13), None]
    );
    assert_eq!(
        reach(Permutation::POSEIDON2_SPONGE),
        [Some(28), Some(28), Some(21), None]
    );

    // Without three of the first full rounds, by our combination.
    let costs = modes().map(|(mode, _)| mode.problem.s_box_skipping_at_ideal_degree().floor());
    assert_eq!(costs, [158.0, 158.0, 82.0, 142.0]);
}

#[test]
fn eight_more_partial_rounds_add_25_bits() {
    for (mut mode, [_, cost, _]) in modes() {
        mode.problem.permutation.partial += 8;
        let more = mode.problem.ideal_degree() - cost;
        assert!((25.0..27.0).contains(&more), "{more}");
    }
}

#[test]
fn weaker_parameters_have_no_margin() {
    let poseidon16 = Permutation::POSEIDON16;
    let sponge = |rate, digest| Mode::sponge(poseidon16, rate, digest);
    let partial = |partial| Permutation {
        partial,
        ..poseidon16
    };
    // Fewer elements of capacity, of a parent and of a signature.
    assert!(sponge(RATE + 1, DIGEST).margin() < 0.0);
    assert!(Mode::parents(poseidon16, DIGEST - 1).margin() < 0.0);
    assert!(Mode::tweakable(poseidon16, SIGNATURE_DIGEST - 1).margin() < 0.0);
    // The rounds that `x^7` needs, with `x^3`.
    assert!(Mode::tweakable(partial(13), SIGNATURE_DIGEST).margin() < 0.0);
    // The last number of partial rounds at which signatures have a margin.
    assert!(Mode::tweakable(partial(18), SIGNATURE_DIGEST).margin() >= 0.0);
    assert!(Mode::tweakable(partial(17), SIGNATURE_DIGEST).margin() < 0.0);
    let fewer = Permutation {
        half_full: 3,
        ..poseidon16
    };
    assert!(Mode::tweakable(fewer, SIGNATURE_DIGEST).margin() < 0.0);
}
