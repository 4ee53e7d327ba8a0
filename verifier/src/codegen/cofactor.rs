//! Sharing of what multiplies several atoms.
//!
//! A product of extension elements, or any bilinear map, that several constraints take with one
//! operand in common folds to `sum over j of x_j * cofactor_j`, where the cofactor holds the common
//! operand and the folding challenge. It is the same for each product, but for a power of the
//! challenge: it is computed once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use droste_native::F;
use p3_field::{Field, PrimeField32};

use super::polynomial::{Arena, AtomId, Monomial, Polynomial};

/// Fewest terms of a cofactor that is looked for.
const MIN_TERMS: usize = 3;

/// Where a cofactor stands: multiplied by `scale * alpha^shift * atom`.
#[derive(Clone, Copy, Debug)]
struct Place {
    atom: AtomId,
    shift: u32,
    scale: F,
}

/// Terms of a cofactor, shifted to begin at power 0, with first coefficient 1.
type Cofactor = Vec<(Monomial, u32)>;

/// Makes values of their own of the cofactors that several atoms of `folded` share.
pub(super) fn cofactors(mut folded: Polynomial, arena: &mut Arena) -> Polynomial {
    let (mut groups, occurrences) = collect(&folded);
    groups.retain(|(cofactor, places)| gain(cofactor, places.len()) > 0);
    groups.sort_by_key(|(cofactor, places)| Reverse(gain(cofactor, places.len())));
    for (cofactor, mut places) in groups {
        let cofactor: Vec<(Monomial, F)> =
            cofactor.into_iter().map(|(m, c)| (m, F::new(c))).collect();
        // The same terms may stand among others in the cofactor of further atoms.
        let (pivot, _) = &cofactor[0];
        for &(atom, power, scale) in occurrences.get(&pivot.atoms).into_iter().flatten() {
            if let Some(shift) = power.checked_sub(pivot.power) {
                places.push(Place { atom, shift, scale });
            }
        }
        let mut taken: Vec<Place> = Vec::new();
        for place in places {
            let terms = expand(&cofactor, place);
            if terms.iter().all(|(m, c)| folded.terms.get(m) == Some(c)) {
                for (monomial, _) in terms {
                    folded.terms.remove(&monomial);
                }
                taken.push(place);
            }
        }
        if taken.len() < 2 {
            for place in taken {
                for (monomial, c) in expand(&cofactor, place) {
                    folded.add(monomial, c);
                }
            }
            continue;
        }
        let mut shared = Polynomial::default();
        cofactor.into_iter().for_each(|(m, c)| shared.add(m, c));
        let (sign, shared) = arena.share(shared);
        for Place { atom, shift, scale } in taken {
            let mut atoms = vec![atom, shared];
            atoms.sort_unstable();
            let power = shift;
            folded.add(Monomial { power, atoms }, scale * sign);
        }
    }
    folded
}

/// Cofactors with the places where they are all that multiplies an atom, and, for each product of
/// atoms, the atoms, powers and coefficients that it is multiplied by.
#[expect(clippy::type_complexity, reason = "two maps that are used once")]
fn collect(
    folded: &Polynomial,
) -> (
    Vec<(Cofactor, Vec<Place>)>,
    HashMap<Vec<AtomId>, Vec<(AtomId, u32, F)>>,
) {
    let mut of_atom: BTreeMap<AtomId, Vec<(Monomial, F)>> = BTreeMap::new();
    let mut occurrences: HashMap<Vec<AtomId>, Vec<(AtomId, u32, F)>> = HashMap::new();
    // A term of one atom is left alone: it costs nothing where it is the addend of a step.
    for (monomial, &c) in folded.terms.iter().filter(|(m, _)| m.atoms.len() > 1) {
        for (i, &atom) in monomial.atoms.iter().enumerate() {
            if monomial.atoms[..i].contains(&atom) {
                continue;
            }
            let mut rest = monomial.clone();
            rest.atoms.remove(i);
            let found = (atom, monomial.power, c);
            occurrences
                .entry(rest.atoms.clone())
                .or_default()
                .push(found);
            of_atom.entry(atom).or_default().push((rest, c));
        }
    }
    let mut groups: BTreeMap<Cofactor, Vec<Place>> = BTreeMap::new();
    for (atom, terms) in of_atom {
        // Terms come in order of power, so the first has the lowest.
        let (shift, scale) = (terms[0].0.power, terms[0].1);
        if terms.len() < MIN_TERMS {
            continue;
        }
        let cofactor = terms
            .into_iter()
            .map(|(mut m, c)| {
                m.power -= shift;
                (m, (c * scale.inverse()).as_canonical_u32())
            })
            .collect();
        let place = Place { atom, shift, scale };
        groups.entry(cofactor).or_default().push(place);
    }
    let shared = groups.into_iter().filter(|(_, places)| places.len() > 1);
    (shared.collect(), occurrences)
}

fn expand(cofactor: &[(Monomial, F)], place: Place) -> Vec<(Monomial, F)> {
    let factor = Monomial {
        power: place.shift,
        atoms: vec![place.atom],
    };
    cofactor
        .iter()
        .map(|(m, c)| (m.times(&factor), *c * place.scale))
        .collect()
}

/// Instructions saved by computing a cofactor once for `places` atoms, as far as they can be told
/// before the rest is factored.
fn gain(cofactor: &Cofactor, places: usize) -> isize {
    let terms = || cofactor.iter().map(|(m, c)| (m, F::new(*c)));
    let mut powers: Vec<u32> = terms().map(|(m, _)| m.power).collect();
    powers.dedup();
    let alone = terms().map(|(m, c)| m.cost(c)).sum::<usize>() + powers.len() - 1;
    let multiplied: usize = terms()
        .map(|(m, c)| m.cost(c) + usize::from(m.atoms.len() > 1))
        .sum();
    (places * multiplied) as isize - (places + alone) as isize
}
