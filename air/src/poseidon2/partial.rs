//! The linear layers of the partial rounds, in few operations.
//!
//! Their matrix is `J + diag(v)`, where every element of `J` is one (ePrint 2023/323, section 5.2):
//! an element `x` with the factor `v` becomes `s + v x`, where `s` is the sum of the state. At both
//! widths `v` begins with -2, 1, 2, and of the other factors most come in pairs `v`, `-v`. Take the
//! mean `m` of two such elements and their difference `d`, halved: a round replaces them by
//! `s + v d` and `v m`, so two rounds replace the mean by `s' + v^2 m`. The sum needs the means
//! alone. So a pair takes one multiplication and two additions a round, instead of two
//! multiplications and four additions, and the differences are computed once, after the last round.

use std::mem::replace;

use droste_native::F;
use p3_field::{Algebra, PrimeCharacteristicRing};
use p3_poseidon2::GenericPoseidon2LinearLayers;

use super::instance::Layers;

/// Two elements of the state whose factors are `factor` and `-factor`.
struct Pair {
    plus: usize,
    minus: usize,
    factor: F,
    square: F,
}

/// The matrix `J + diag(v)` of the partial rounds, by the elements after the first three, for which
/// `v` is -2, 1, 2.
pub(super) struct PartialMatrix {
    pairs: Vec<Pair>,
    /// The other elements, each with its factor.
    unpaired: Vec<(usize, F)>,
}

impl PartialMatrix {
    /// Pairs the elements of Plonky3's matrix of this width.
    pub(super) fn new<const WIDTH: usize>() -> Self
    where
        Layers: GenericPoseidon2LinearLayers<WIDTH>,
    {
        let factor = |element: usize| {
            let mut unit = [F::ZERO; WIDTH];
            unit[element] = F::ONE;
            Layers::internal_linear_layer(&mut unit);
            unit[element] - F::ONE
        };
        let (mut pairs, mut unpaired) = (Vec::new(), Vec::<(usize, F)>::new());
        for (element, factor) in (3..WIDTH).map(|element| (element, factor(element))) {
            if let Some(other) = unpaired.iter().position(|&(_, other)| other == -factor) {
                let (plus, factor) = unpaired.remove(other);
                pairs.push(Pair {
                    plus,
                    minus: element,
                    factor,
                    square: factor.square(),
                });
            } else {
                unpaired.push((element, factor));
            }
        }
        Self { pairs, unpaired }
    }

    /// Applies partial rounds, one at least: `sbox` gets the round and element 0 of the state, and
    /// returns what replaces it before the state is multiplied by the matrix.
    #[inline]
    pub(super) fn rounds<E: Algebra<F>, const WIDTH: usize>(
        &self,
        state: &mut [E; WIDTH],
        rounds: usize,
        mut sbox: impl FnMut(usize, E) -> E,
    ) {
        for &Pair { plus, minus, .. } in &self.pairs {
            let mean = (state[plus].clone() + state[minus].clone()).halve();
            state[minus] = mean.clone() - state[minus].clone();
            state[plus] = mean;
        }
        // From here on `state[plus]` is the mean of a pair, and `state[minus]` the mean one round
        // before; before the first round, it is half the difference.
        for round in 0..rounds {
            let first = sbox(round, state[0].clone());
            let means = self.pairs.iter().map(|pair| state[pair.plus].clone());
            let unpaired = self.unpaired.iter().map(|&(i, _)| state[i].clone());
            let others = means.sum::<E>().double() + unpaired.sum::<E>();
            let others = others + state[1].clone() + state[2].clone();
            state[0] = others.clone() - first.clone();
            let sum = others + first;
            state[1] += sum.clone();
            state[2] = state[2].double() + sum.clone();
            for &(i, factor) in &self.unpaired {
                state[i] = state[i].clone() * factor + sum.clone();
            }
            for pair in &self.pairs {
                let factor = if round == 0 { pair.factor } else { pair.square };
                let mean = state[pair.minus].clone() * factor + sum.clone();
                state[pair.minus] = replace(&mut state[pair.plus], mean);
            }
        }
        for &Pair {
            plus,
            minus,
            factor,
            ..
        } in &self.pairs
        {
            let (mean, difference) = (state[plus].clone(), state[minus].clone() * factor);
            state[plus] = mean.clone() + difference.clone();
            state[minus] = mean - difference;
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    use super::*;
    use crate::poseidon2::instance::{Instance, PARENT, SPONGE};

    fn check<const WIDTH: usize, const PARTIAL: usize>(
        instance: &Instance<WIDTH, PARTIAL>,
        (pairs, unpaired): (usize, usize),
    ) where
        Layers: GenericPoseidon2LinearLayers<WIDTH>,
    {
        assert_eq!(instance.matrix.pairs.len(), pairs);
        assert_eq!(instance.matrix.unpaired.len(), unpaired);
        // What replaces element 0 is arbitrary: the two ways are the same linear forms in it.
        let mut rng = SmallRng::seed_from_u64(1);
        for rounds in 1..=PARTIAL {
            let start: [F; WIDTH] = std::array::from_fn(|_| rng.random());
            let outputs: [F; PARTIAL] = std::array::from_fn(|_| rng.random());
            let (mut expected, mut state) = (start, start);
            let mut inputs = Vec::new();
            for &output in &outputs[..rounds] {
                inputs.push(replace(&mut expected[0], output));
                Layers::internal_linear_layer(&mut expected);
            }
            instance.matrix.rounds(&mut state, rounds, |round, input| {
                assert_eq!(input, inputs[round]);
                outputs[round]
            });
            assert_eq!(state, expected);
        }
    }

    #[test]
    fn rounds_are_those_of_plonky3s_matrices() {
        check(&PARENT, (6, 1));
        check(&SPONGE, (9, 3));
    }
}
