//! Evaluates linear layers by their transpose.

use std::collections::BTreeMap;

use droste_native::field::BaseField;

use super::polynomial::{Arena, Atoms, Monomial, Polynomial, magnitude};

/// The factor of a product of atoms in the folded sum, as powers of the challenge and canonical
/// coefficients, shifted and scaled to begin at power 0 with coefficient 1.
type Row = Vec<(u32, u32)>;

/// A product of atoms, with the shift and the scale that were taken out of its row.
type Member<K> = (Atoms, u32, K);

/// Gathers the factor of each product of atoms into a polynomial in the challenge. Polynomials that
/// several products share become values of their own, if that saves instructions.
pub(super) fn transpose<K: BaseField>(
    folded: Polynomial<K>,
    arena: &mut Arena<K>,
) -> Polynomial<K> {
    let mut by_atoms: BTreeMap<Atoms, Vec<(u32, K)>> = BTreeMap::new();
    for (monomial, coefficient) in folded.terms {
        let powers = by_atoms.entry(monomial.atoms).or_default();
        powers.push((monomial.power, coefficient));
    }
    let mut groups: BTreeMap<Row, Vec<Member<K>>> = BTreeMap::new();
    let mut result = Vec::new();
    for (atoms, powers) in by_atoms {
        if atoms.is_empty() || powers.len() < 2 {
            for (power, coefficient) in powers {
                let atoms = atoms.clone();
                result.push((Monomial { power, atoms }, coefficient));
            }
            continue;
        }
        let (shift, scale) = powers[0];
        let normalised = |&(power, c): &(u32, K)| {
            let c: K = c * scale.inverse();
            (power - shift, c.as_canonical_u32())
        };
        let row = powers.iter().map(normalised).collect();
        groups.entry(row).or_default().push((atoms, shift, scale));
    }
    for (row, members) in groups {
        // The most frequent scale goes into the row, so that most members need none of their own.
        let common = commonest(members.iter().map(|&(_, _, scale)| scale));
        let members: Vec<(Monomial, K)> = members
            .into_iter()
            .map(|(atoms, power, scale)| (Monomial { power, atoms }, scale * common.inverse()))
            .collect();
        let row: Vec<(Monomial, K)> = row
            .into_iter()
            .map(|(power, c)| {
                let atoms = Atoms::new();
                (Monomial { power, atoms }, K::from_u32(c) * common)
            })
            .collect();
        let expanded = members
            .iter()
            .flat_map(|(m, scale)| row.iter().map(move |(r, c)| (m.times(r), *scale * *c)));
        // Sharing costs one more factor in each member, and the row itself.
        let after = row.len()
            + members
                .iter()
                .map(|(m, scale)| m.cost(*scale) + usize::from(m.atoms.len() > 1))
                .sum::<usize>();
        if expanded.clone().map(|(m, c)| m.cost(c)).sum::<usize>() <= after {
            result.extend(expanded);
            continue;
        }
        let (sign, multiplier) = arena.share(Polynomial::sum(row));
        for (mut monomial, scale) in members {
            monomial.atoms.push(multiplier);
            monomial.atoms.sort_unstable();
            result.push((monomial, scale * sign));
        }
    }
    Polynomial::sum(result)
}

/// The value that occurs most often, up to sign.
fn commonest<K: BaseField>(scales: impl Iterator<Item = K>) -> K {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for scale in scales {
        *counts
            .entry(magnitude(scale).0.as_canonical_u32())
            .or_default() += 1;
    }
    let best = counts.into_iter().max_by_key(|&(_, count)| count);
    best.map_or(K::ONE, |(scale, _)| K::from_u32(scale))
}
