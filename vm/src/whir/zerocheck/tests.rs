//! Polynomial identities: a proof of them is the one of their constraints taken one by one.

use droste_air::End;
use droste_native::lanes::{Packed, extract, lanes};
use droste_native::stark::challenger::Poseidon16Challenger;
use droste_native::{EF, F, with_lanes};
use p3_air::{BaseAir, WindowAccess};
use p3_challenger::{CanObserve, CanSample, FieldChallenger};
use p3_field::{Field, PackedField, PrimeCharacteristicRing};
use p3_lookup::InteractionBuilder;
use p3_matrix::dense::RowMajorMatrix;

use super::columns::Eq;
use super::prover::prove_in;
use super::{LeafClaim, Proved, ProvingError, Reduction, ZerocheckError, check, verify};
use crate::tables::{LookupCounts, PolynomialIdentity, Table, TraceInput};
use crate::whir::cells::Cells;
use crate::whir::challenges::LookupChallenges;
use crate::whir::hypercube::{eq_at, eq_evaluations};
use crate::whir::leaves::leaves;
use crate::whir::system::{Shape, System};

/// Columns: two left factors of 3 and 2 coefficients, their right factors of 2 and 4, the sum of
/// products in 5, a factor and its square in 2 and 3, and a bit. Of a pair of identities the second
/// is about the square.
const WIDTH: usize = 3 + 2 + 2 + 4 + 5 + 2 + 3 + 1;
const SUM: usize = 11;
const BIT: usize = WIDTH - 1;
const COEFFICIENTS: [usize; 2] = [6, 3];

#[derive(Clone, Copy, Debug)]
struct Polynomials {
    /// Whether the table says that it has identities.
    is_structured: bool,
}

fn identities() -> Vec<PolynomialIdentity> {
    let sum = PolynomialIdentity {
        products: vec![[vec![0, 1, 2], vec![5, 6]], [vec![3, 4], vec![7, 8, 9, 10]]],
        // Times `3 X - 1`.
        summands: vec![(
            (SUM..SUM + 5).collect(),
            vec![(1, F::from_u32(3)), (0, F::NEG_ONE)],
        )],
    };
    let square = PolynomialIdentity {
        products: vec![[vec![16, 17], vec![16, 17]]],
        summands: vec![(vec![18, 19, 20], vec![(0, F::NEG_ONE)])],
    };
    vec![sum, square]
}

impl BaseAir<F> for Polynomials {
    fn width(&self) -> usize {
        WIDTH
    }
}

impl<AB: InteractionBuilder<F = F>> p3_air::Air<AB> for Polynomials {
    fn eval(&self, builder: &mut AB) {
        for identity in identities() {
            identity.constrain(builder);
        }
        let main = builder.main();
        let row = main.current_slice();
        builder.assert_bool(row[BIT]);
        // A cell that an identity reads, too.
        builder.assert_zero(row[BIT] * (row[0] - row[BIT] * row[0]));
        builder.push_interaction("bus", [row[0], row[BIT]], 1);
    }
}

impl Table for Polynomials {
    fn name(&self) -> &'static str {
        "polynomials"
    }

    fn is_sound_with(&self, _: End) -> bool {
        true
    }

    fn identities(&self) -> Vec<PolynomialIdentity> {
        if self.is_structured {
            identities()
        } else {
            vec![]
        }
    }

    fn trace(&self, _: &TraceInput<'_>, _: usize, _: &mut LookupCounts) -> RowMajorMatrix<F> {
        RowMajorMatrix::new(vec![], WIDTH)
    }
}

/// Rows that satisfy all constraints. The factors of the first products are such that their sum is
/// a multiple of `3 X - 1`.
fn trace(log_height: usize, seed: u32) -> RowMajorMatrix<F> {
    let mut challenger = challenger(seed);
    let mut random = || -> F { challenger.sample() };
    let third = F::from_u32(3).inverse();
    let mut values = vec![];
    for row in 0..1 << log_height {
        let mut cells = [F::ZERO; WIDTH];
        cells[..11].fill_with(&mut random);
        cells[16] = random();
        cells[17] = random();
        cells[BIT] = F::from_bool(row % 3 == 0);
        // The value of both right factors at 1/3 becomes zero.
        cells[5] = -cells[6] * third;
        cells[7] = -(cells[8] * third + cells[9] * third.square() + cells[10] * third.cube());
        let mut products = [F::ZERO; 6];
        for [left, right] in &identities()[0].products {
            for (i, &left) in left.iter().enumerate() {
                for (j, &right) in right.iter().enumerate() {
                    products[i + j] += cells[left] * cells[right];
                }
            }
        }
        // products = (1 - 3 X) sum
        let mut below = F::ZERO;
        for (degree, &product) in products[..5].iter().enumerate() {
            below = product + below * F::from_u32(3);
            cells[SUM + degree] = below;
        }
        let [x, y] = [cells[16], cells[17]];
        [cells[18], cells[19], cells[20]] = [x.square(), (x * y).double(), y.square()];
        values.extend(cells);
    }
    RowMajorMatrix::new(values, WIDTH)
}

/// Tables of different heights, with cells.
struct Run {
    system: System,
    shape: Shape,
    cells: Vec<Vec<F>>,
    challenges: LookupChallenges,
}

fn challenger(seed: u32) -> Poseidon16Challenger {
    let mut challenger = Poseidon16Challenger::default();
    challenger.observe(F::from_u32(seed));
    challenger
}

impl Run {
    fn new(is_structured: bool, traces: &[RowMajorMatrix<F>]) -> Self {
        let table = Polynomials { is_structured };
        let system = System::new(&vec![table; traces.len()]).unwrap();
        let heights = traces.iter().map(|trace| trace.values.len() / WIDTH);
        let log_heights: Vec<usize> = heights.map(|height| height.ilog2() as usize).collect();
        let cells = traces.iter().map(|trace| {
            let mut cells = vec![F::ZERO; trace.values.len()];
            system.tables()[0].main.transpose(trace, &mut cells);
            cells
        });
        let cells = cells.collect();
        let mut challenger = challenger(0);
        Self {
            shape: Shape::new(&system, &log_heights).unwrap(),
            system,
            cells,
            challenges: LookupChallenges {
                alpha: challenger.sample_algebra_element(),
                beta: challenger.sample_algebra_element(),
            },
        }
    }

    fn cells(&self) -> Vec<Cells<'_>> {
        let cells = self.cells.iter().map(|main| Cells {
            main,
            preprocessed: &[],
        });
        cells.collect()
    }

    /// A claim at a random point, as GKR would leave it.
    fn claim(&self) -> LeafClaim {
        self.claim_in::<Packed>()
    }

    fn claim_in<P: PackedField<Scalar = F>>(&self) -> LeafClaim {
        let (system, shape) = (&self.system, &self.shape);
        let leaves = leaves::<P>(system, shape, &self.cells(), &[], &self.challenges).unwrap();
        let mut challenger = challenger(1);
        let point: Vec<EF> = (0..shape.log_leaves())
            .map(|_| challenger.sample_algebra_element())
            .collect();
        let (mut numerator, mut denominator) = (EF::ZERO, EF::ZERO);
        for (index, eq) in eq_evaluations(&point).into_iter().enumerate() {
            let lane = index % P::WIDTH;
            let leaf = leaves.get(index / P::WIDTH);
            numerator += eq * leaf.map_or(F::ZERO, |leaf| leaf.numerator.extract(lane));
            denominator += eq * leaf.map_or(EF::ONE, |leaf| extract(&leaf.denominator, lane));
        }
        LeafClaim {
            numerator,
            denominator,
            point,
            theta: challenger.sample_algebra_element(),
        }
    }

    fn prove(&self, claim: &LeafClaim) -> Result<Proved, ProvingError> {
        self.prove_in::<Packed>(claim)
    }

    fn prove_in<P: PackedField<Scalar = F>>(
        &self,
        claim: &LeafClaim,
    ) -> Result<Proved, ProvingError> {
        let (system, shape, cells) = (&self.system, &self.shape, self.cells());
        let challenger = &mut challenger(2);
        prove_in::<P>(
            system,
            shape,
            &cells,
            &[],
            claim,
            &self.challenges,
            challenger,
        )
    }

    fn verify(&self, claim: &LeafClaim, proved: &Proved) -> Result<Reduction, ZerocheckError> {
        let (system, shape) = (&self.system, &self.shape);
        let reduction = verify(system, shape, claim, &proved.proof, &mut challenger(2))?;
        let opened = &proved.opened;
        let challenges = &self.challenges;
        check(system, shape, claim, challenges, &[], &reduction, opened)?;
        Ok(reduction)
    }
}

/// A table of one packed element and more, and short ones, before and after it.
fn traces() -> Vec<RowMajorMatrix<F>> {
    vec![trace(4, 1), trace(7, 2), trace(5, 3)]
}

#[test]
fn counts_and_degrees_are_those_of_the_constraints() {
    let [structured, expanded] = [true, false].map(|is| Run::new(is, &traces()).system);
    let parts = structured.tables().iter().zip(expanded.tables());
    for (structured, expanded) in parts {
        let (structured, expanded) = (&structured.expressions, &expanded.expressions);
        assert_eq!(structured.identities(), identities());
        assert!(expanded.identities().is_empty());
        let sum: usize = COEFFICIENTS.iter().sum();
        assert_eq!(structured.constraints().len(), 2);
        assert_eq!(structured.num_constraints(), sum + 2);
        assert_eq!(expanded.num_constraints(), sum + 2);
        assert_eq!(structured.leaves(), expanded.leaves());
        assert_eq!(structured.degree(), expanded.degree());
    }
    assert_eq!(structured.num_constraints(), expanded.num_constraints());
    for (identity, coefficients) in identities().iter().zip(COEFFICIENTS) {
        assert_eq!(identity.num_coefficients(), coefficients);
        assert_eq!(identity.degree(), 2);
    }
}

#[test]
fn proofs_are_those_of_the_constraints_one_by_one() {
    let [structured, expanded] = [true, false].map(|is| Run::new(is, &traces()));
    let claim = structured.claim();
    assert_eq!(claim, expanded.claim());
    let proved = structured.prove(&claim).unwrap();
    let peer = expanded.prove(&claim).unwrap();
    assert_eq!(proved.proof, peer.proof);
    assert_eq!(proved.opened, peer.opened);
    for run in [&structured, &expanded] {
        assert_eq!(run.verify(&claim, &proved).unwrap(), proved.reduction);
    }
    // Every opened value is bound.
    for table in 0..proved.opened.len() {
        for column in 0..WIDTH {
            let mut changed = proved.clone();
            changed.opened[table].main[column] += EF::ONE;
            let verdict = structured.verify(&claim, &changed);
            assert_eq!(verdict, Err(ZerocheckError::Value), "column {column}");
        }
    }
}

/// A coefficient that is not zero in one row adds what its weights say to the sum of the tables. A
/// proof of that sum is a proof, and is refused where the sum is that of the leaves.
#[test]
fn each_coefficient_is_constrained() {
    let honest = Run::new(true, &traces());
    let claim = honest.claim();
    let alpha: EF = challenger(2).sample_algebra_element();
    let of_table = 2 + COEFFICIENTS.iter().sum::<usize>();
    for (table, row) in [(0, 3), (1, 0), (1, 127), (2, 16)] {
        let log_height = honest.shape.log_heights()[table];
        let (_, tau) = claim.point.split_at(claim.point.len() - log_height);
        let later = of_table * table;
        let refused = |column: usize, amount: &dyn Fn(usize) -> F| {
            let mut run = Run::new(true, &traces());
            run.cells[table][(column << log_height) + row] += F::ONE;
            // What constraint `j` becomes, of the first in order.
            let violation: EF = (0..of_table)
                .map(|j| alpha.exp_u64((later + of_table - j) as u64) * amount(j))
                .sum();
            assert_eq!(run.prove(&claim).unwrap_err(), ProvingError::Unsatisfied);
            let mut false_claim = claim.clone();
            false_claim.numerator += violation * eq_at(tau, row);
            let proved = run.prove(&false_claim).unwrap();
            run.verify(&false_claim, &proved).unwrap();
            let verdict = run.verify(&claim, &proved);
            assert_eq!(verdict, Err(ZerocheckError::Value), "column {column}");
        };
        // Constraints are in order of coefficients, the highest one first; a summand's coefficient
        // is in two of the first identity, and in one of the second.
        for degree in 0..5 {
            let highest = 4 - degree;
            refused(SUM + degree, &|j| {
                F::from_u32(3) * F::from_bool(j == highest) - F::from_bool(j == highest + 1)
            });
        }
        for degree in 0..3 {
            refused(18 + degree, &|j| -F::from_bool(j == 8 - degree));
        }
    }
}

/// Weights of rounds, from the last one to the first, against their definition: `eq` at the
/// coordinates after the round's.
fn weights_of_rounds<P: PackedField<Scalar = F>>() {
    let mut challenger = challenger(3);
    for length in 0..8 {
        let point: Vec<EF> = (0..length)
            .map(|_| challenger.sample_algebra_element())
            .collect();
        let rounds = Eq::<P>::of_rounds(eq_evaluations(&point));
        assert_eq!(rounds.len(), length + 1);
        for (variables, round) in rounds.into_iter().enumerate() {
            let weights: Vec<EF> = match round {
                Eq::Packed(weights) => weights.iter().flat_map(lanes).collect(),
                Eq::Scalar(weights) => {
                    assert!(weights.len() < P::WIDTH);
                    weights
                }
            };
            assert_eq!(weights, eq_evaluations(&point[length - variables..]));
        }
    }
}

#[test]
fn weights_of_rounds_are_those_of_their_coordinates() {
    with_lanes!(weights_of_rounds());
    weights_of_rounds::<Packed>();
}

/// Tables of 16 rows and more: those of one packed element, two, four and more, in every number of
/// lanes.
#[test]
fn proofs_do_not_depend_on_lanes() {
    fn in_lanes<P: PackedField<Scalar = F>>(run: &Run) -> (LeafClaim, Proved) {
        let claim = run.claim_in::<P>();
        let proved = run.prove_in::<P>(&claim).unwrap();
        (claim, proved)
    }
    let heights = [vec![4], vec![4, 7, 5], vec![6, 8, 4], vec![5, 4, 5]];
    for heights in heights {
        let traces = heights.iter().map(|&height| trace(height, height as u32));
        let run = Run::new(true, &traces.collect::<Vec<_>>());
        let claim = run.claim();
        let proved = run.prove(&claim).unwrap();
        assert_eq!(run.verify(&claim, &proved).unwrap(), proved.reduction);
        for (of_lanes, peer) in with_lanes!(in_lanes(&run)) {
            assert_eq!(of_lanes, claim);
            assert_eq!(peer.proof, proved.proof);
            assert_eq!(peer.opened, proved.opened);
        }
    }
}
