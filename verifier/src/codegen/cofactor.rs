//! Computes once the factors that several atoms are multiplied by (cofactors).
//!
//! If several constraints contain products of extension elements, or any bilinear map, with one
//! operand in common, they fold to `sum over j of x_j * cofactor_j`, where the cofactors depend on
//! the common operand and the folding challenge. The cofactors of the products differ only by a
//! power of the challenge, so they are computed once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use droste_native::field::BaseField;
use smallvec::smallvec;

use super::polynomial::{Arena, AtomId, Atoms, Monomial, Polynomial};

/// Smallest number of terms of a cofactor that is considered.
const MIN_TERMS: usize = 3;

/// One occurrence of a cofactor: multiplied by `scale * alpha^shift * atom`.
#[derive(Clone, Copy, Debug)]
struct Place<K> {
    atom: AtomId,
    shift: u32,
    scale: K,
}

/// Terms of a cofactor, shifted to begin at power 0, with first coefficient 1.
type Cofactor = Vec<(Monomial, u32)>;

/// Makes each cofactor that several atoms of `folded` share a value of its own, if that saves
/// instructions.
pub(super) fn cofactors<K: BaseField>(
    folded: Polynomial<K>,
    arena: &mut Arena<K>,
) -> Polynomial<K> {
    let (mut groups, occurrences) = collect(&folded);
    groups.retain(|(cofactor, places)| gain::<K>(cofactor, places.len()) > 0);
    if groups.is_empty() {
        return folded;
    }
    // Terms come and go all over it.
    let mut folded: BTreeMap<Monomial, K> = folded.terms.into_iter().collect();
    groups.sort_by_key(|(cofactor, places)| Reverse(gain::<K>(cofactor, places.len())));
    for (cofactor, mut places) in groups {
        let cofactor: Vec<(Monomial, K)> = cofactor
            .into_iter()
            .map(|(m, c)| (m, K::from_u32(c)))
            .collect();
        // The cofactor may also be a part of the larger cofactors of further atoms.
        let (pivot, _) = &cofactor[0];
        for &(atom, power, scale) in occurrences.get(&pivot.atoms).into_iter().flatten() {
            if let Some(shift) = power.checked_sub(pivot.power) {
                places.push(Place { atom, shift, scale });
            }
        }
        let mut taken: Vec<Place<K>> = Vec::new();
        for place in places {
            let terms = expand(&cofactor, place);
            if terms.iter().all(|(m, c)| folded.get(m) == Some(c)) {
                for (monomial, _) in terms {
                    folded.remove(&monomial);
                }
                taken.push(place);
            }
        }
        if taken.len() < 2 {
            for place in taken {
                folded.extend(expand(&cofactor, place));
            }
            continue;
        }
        let (sign, shared) = arena.share(Polynomial::sum(cofactor));
        for Place { atom, shift, scale } in taken {
            let mut atoms: Atoms = smallvec![atom, shared];
            atoms.sort_unstable();
            let power = shift;
            *folded.entry(Monomial { power, atoms }).or_default() += scale * sign;
        }
    }
    Polynomial::sum(folded.into_iter().collect())
}

/// Returns, for each cofactor, the places where it is the whole factor of an atom; and, for each
/// product of atoms, the atoms, powers and coefficients that it is multiplied by.
#[expect(clippy::type_complexity, reason = "two maps that are used once")]
fn collect<K: BaseField>(
    folded: &Polynomial<K>,
) -> (
    Vec<(Cofactor, Vec<Place<K>>)>,
    HashMap<Atoms, Vec<(AtomId, u32, K)>>,
) {
    let mut of_atom: BTreeMap<AtomId, Vec<(Monomial, K)>> = BTreeMap::new();
    let mut occurrences: HashMap<Atoms, Vec<(AtomId, u32, K)>> = HashMap::new();
    // A term of one atom is left alone: as the addend of a multiply-add it costs nothing.
    for (monomial, c) in folded.terms.iter().filter(|(m, _)| m.atoms.len() > 1) {
        for (i, &atom) in monomial.atoms.iter().enumerate() {
            if monomial.atoms[..i].contains(&atom) {
                continue;
            }
            let mut rest = monomial.clone();
            rest.atoms.remove(i);
            let found = (atom, monomial.power, *c);
            occurrences
                .entry(rest.atoms.clone())
                .or_default()
                .push(found);
            of_atom.entry(atom).or_default().push((rest, *c));
        }
    }
    let mut groups: BTreeMap<Cofactor, Vec<Place<K>>> = BTreeMap::new();
    for (atom, terms) in of_atom {
        // Terms are in order of power, so the first has the lowest.
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

fn expand<K: BaseField>(cofactor: &[(Monomial, K)], place: Place<K>) -> Vec<(Monomial, K)> {
    let factor = Monomial {
        power: place.shift,
        atoms: smallvec![place.atom],
    };
    cofactor
        .iter()
        .map(|(m, c)| (m.times(&factor), *c * place.scale))
        .collect()
}

/// Estimates the instructions saved by computing a cofactor once for `places` atoms; factoring the
/// rest later changes the exact number.
fn gain<K: BaseField>(cofactor: &Cofactor, places: usize) -> isize {
    let terms = || cofactor.iter().map(|(m, c)| (m, K::from_u32(*c)));
    let mut powers: Vec<u32> = terms().map(|(m, _)| m.power).collect();
    powers.dedup();
    let alone = terms().map(|(m, c)| m.cost(c)).sum::<usize>() + powers.len() - 1;
    let multiplied: usize = terms()
        .map(|(m, c)| m.cost(c) + usize::from(m.atoms.len() > 1))
        .sum();
    (places * multiplied) as isize - (places + alone) as isize
}
