//! What a rule's run reads beside the proofs of its children, and what it says: both as in
//! `droste_gadgets::fold`, and the same for rules on paper.

use droste_native::F;
use droste_vm::executor::TapeItem;
use droste_vm::key::KeyDigest;
use droste_vm::record::Execution;
use p3_field::PrimeCharacteristicRing;

use super::compiled::Rules;
use super::{Counters, Family, FoldError, MAX_COUNT, statement};
use crate::claim::claim_digest;

/// Blocks of a node's message before its state.
const HEAD: usize = 2;

/// What a child says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said<'a> {
    /// A node of the fold.
    Node {
        /// Place of its key in the list of rules.
        place: usize,
        /// Fold key.
        family: KeyDigest,
        /// Its counters.
        counters: Counters,
        /// Its state.
        state: &'a [[F; 8]],
    },
    /// A proof of an accepted program, behind wraps.
    Leaf {
        /// Statement of that proof.
        statement: [F; 8],
    },
    /// A proof of another fold.
    Foreign {
        /// The rules of that fold.
        family: &'a Family,
        /// If it is behind wraps: its key and its statement.
        wrapped: Option<(KeyDigest, [F; 8])>,
        /// Place of its key in the list of that fold's rules.
        place: usize,
        /// Its counters.
        counters: Counters,
        /// Its state.
        state: &'a [[F; 8]],
    },
}

impl Said<'_> {
    /// Its depth, if it is a proof of a fold.
    const fn depth(&self) -> Option<u32> {
        match self {
            Self::Node { counters, .. } | Self::Foreign { counters, .. } => Some(counters.depth),
            Self::Leaf { .. } => None,
        }
    }

    /// Appends the hints with which a rule opens it.
    fn write(&self, items: &mut Vec<TapeItem>) {
        let felt = |place: usize| TapeItem::Felt(F::from_usize(place));
        match *self {
            Self::Node {
                place,
                family,
                counters,
                state,
            } => items.extend([felt(place), message(family, counters, state)]),
            Self::Leaf { statement } => items.push(slice([statement])),
            Self::Foreign {
                family,
                wrapped,
                place,
                counters,
                state,
            } => {
                items.push(family_item(family));
                items.extend(wrapped.map(|(key, statement)| paper_child(key, statement)));
                items.extend([felt(place), message(family.key(), counters, state)]);
            }
        }
    }
}

fn slice(blocks: impl IntoIterator<Item = [F; 8]>) -> TapeItem {
    let blocks = blocks.into_iter().map(|block| block.map(Some));
    TapeItem::Slice(blocks.collect())
}

/// What a node's statement is the digest of.
fn message(family: KeyDigest, counters: Counters, state: &[[F; 8]]) -> TapeItem {
    let head = [family.0, counters.block()];
    slice(head.into_iter().chain(state.iter().copied()))
}

/// The first hint of every run: the list of its fold's rules.
pub(super) fn family_item(family: &Family) -> TapeItem {
    slice(family.blocks())
}

/// The hint of a child that is not verified: its key and its statement.
pub(super) fn paper_child(key: KeyDigest, statement: [F; 8]) -> TapeItem {
    slice([key.0, statement])
}

/// The hints with which a rule opens what its children say, in the order of its slots, and then
/// finds its depth.
pub(super) fn glue(said: &[Said<'_>]) -> Vec<TapeItem> {
    let mut items = vec![];
    for child in said {
        child.write(&mut items);
    }
    let depths = said.iter().filter_map(Said::depth);
    // With fewer it is no hint.
    if depths.clone().count() > 1 {
        let deepest = depths.fold(0, u32::max);
        items.push(TapeItem::Felt(F::from_u32(deepest) + F::ONE));
    }
    items
}

impl Rules {
    /// The counters of the result of this program's run on these children.
    ///
    /// # Errors
    /// If one of them would be too large.
    pub fn counted(&self, number: usize, said: &[Said<'_>]) -> Result<Counters, FoldError> {
        let (mut rules, mut behind, mut depth) = (1_u64, 0_u64, 0_u64);
        let slots = &self.program(number)?.slots;
        for (slot, child) in slots.iter().zip(said) {
            match child {
                Said::Node { counters, .. } => {
                    rules += u64::from(counters.rules);
                    behind += u64::from(counters.behind);
                }
                Said::Leaf { .. } => {
                    rules += 1;
                    behind += slot.behind() as u64;
                }
                // Of these proofs, one has this fold's shape.
                Said::Foreign { counters, .. } => {
                    rules += 1;
                    behind += (counters.proofs() + slot.wraps() as u64).saturating_sub(1);
                }
            }
            let levels = child.depth().map_or(0, |below| u64::from(below) + 1);
            depth = depth.max(levels);
        }
        let most = u64::from(MAX_COUNT);
        let counters = [(rules, most), (behind, most - 1), (depth, most - 1)];
        if let Some((found, _)) = counters.iter().find(|(found, most)| found > most) {
            return Err(FoldError::Counter(*found));
        }
        Ok(Counters {
            rules: rules as u32,
            behind: behind as u32,
            depth: depth as u32,
        })
    }
}

/// The state that a run reveals, of so many blocks. It is in the memory of the run, behind fold key
/// and counters, since these are hashed together.
pub(super) fn said_state(
    execution: &Execution,
    family: KeyDigest,
    counters: Counters,
    blocks: usize,
) -> Option<Vec<[F; 8]>> {
    let head = [family.0, counters.block()];
    let mut windows = execution.memory.blocks.windows(HEAD + blocks);
    windows.find_map(|window| {
        let (found, state) = window.split_at_checked(HEAD)?;
        // A child with the same counters may be there, too.
        let is_own = found == head && statement(family, counters, state) == execution.statement;
        is_own.then(|| state.to_vec())
    })
}

/// The statement of the first proof of `path`, which has the keys of wraps, the last one first, and
/// that of a program, whose proof has this statement.
pub(super) fn claim_of_path(path: &[KeyDigest], statement: [F; 8]) -> [F; 8] {
    let below = path.iter().skip(1).rev();
    below.fold(statement, |said, &key| claim_digest(&[(key, said)]))
}

#[cfg(test)]
mod tests {
    use droste_vm::record::FinalMemory;

    use super::super::statement::tests::family;
    use super::*;
    use crate::claim::tests::key;
    use crate::claim::{Claim, ClaimTree};

    const STATE: [[F; 8]; 2] = [[F::ONE; 8], [F::TWO; 8]];

    fn node(depth: u32) -> Said<'static> {
        let counters = Counters {
            rules: 3,
            behind: 2,
            depth,
        };
        Said::Node {
            place: 1,
            family: key(7),
            counters,
            state: &STATE,
        }
    }

    #[test]
    fn hints_are_in_the_order_of_the_slots() {
        let leaf = Said::Leaf {
            statement: [F::TWO; 8],
        };
        let blocks = |item: &TapeItem| match item {
            TapeItem::Slice(blocks) => Some(blocks.len()),
            _ => None,
        };
        let kinds =
            |said: &[Said<'_>]| -> Vec<Option<usize>> { glue(said).iter().map(blocks).collect() };
        assert!(kinds(&[]).is_empty());
        assert_eq!(kinds(&[leaf, leaf]), [Some(1), Some(1)]);
        // The place, then what it says. The depth is a hint from two on.
        assert_eq!(kinds(&[leaf, node(1)]), [Some(1), None, Some(4)]);
        let two = [None, Some(4), None, Some(4), None];
        assert_eq!(kinds(&[node(1), node(5)]), two);
        let depth = glue(&[node(1), node(5), node(2)]).pop();
        assert_eq!(depth, Some(TapeItem::Felt(F::from_u32(6))));
        let other = family();
        let foreign = |wrapped| Said::Foreign {
            family: &other,
            wrapped,
            place: 2,
            counters: Counters::START,
            state: &STATE,
        };
        assert_eq!(kinds(&[foreign(None)]), [Some(4), None, Some(4)]);
        let wrapped = Some((key(30), [F::ONE; 8]));
        let four = [Some(4), Some(2), None, Some(4)];
        assert_eq!(kinds(&[foreign(wrapped)]), four);
        assert_eq!(kinds(&[foreign(None), node(1)]).len(), 6);
    }

    #[test]
    fn paths_are_opened_as_trees_are_digested() {
        let leaf = ClaimTree {
            key: key(1),
            claim: Claim::Statement([F::TWO; 8]),
        };
        let above = |number: u32, below: ClaimTree| ClaimTree {
            key: key(number),
            claim: Claim::Children(vec![below]),
        };
        let one = above(2, leaf);
        let path = [key(2), key(1)];
        assert_eq!(claim_of_path(&path, [F::TWO; 8]), one.claim.statement());
        let three = above(4, above(3, one));
        let path = [key(4), key(3), key(2), key(1)];
        assert_eq!(claim_of_path(&path, [F::TWO; 8]), three.claim.statement());
    }

    #[test]
    fn the_state_is_found_behind_its_counters() {
        let counters = Counters::START;
        let other = [[F::ZERO; 8], [F::TWO; 8]];
        let head = [key(7).0, counters.block()];
        let of = |statement, blocks: &[&[[F; 8]]]| Execution {
            memory: FinalMemory {
                blocks: blocks.concat(),
                ..FinalMemory::default()
            },
            statement,
            ..Execution::default()
        };
        let said = statement(key(7), counters, &STATE);
        let run = of(said, &[&[[F::ONE; 8]], &head, &other, &head, &STATE]);
        let found = said_state(&run, key(7), counters, 2);
        assert_eq!(found.as_deref(), Some(&STATE[..]));
        // Neither of another fold or length, nor of a run that says something else.
        assert_eq!(said_state(&run, key(8), counters, 2), None);
        assert_eq!(said_state(&run, key(7), counters, 1), None);
        let run = of([F::ZERO; 8], &[&head, &STATE]);
        assert_eq!(said_state(&run, key(7), counters, 2), None);
        let run = of(said, &[&head, &STATE[..1]]);
        assert_eq!(said_state(&run, key(7), counters, 2), None);
    }
}
