//! Another fold's proofs as children: of this fold's shape, or behind wraps.

use std::sync::Arc;

use droste_verifier::fold::{FoldClaim, ForeignChild, ForeignFold, LeafKindError, statement};
use droste_verifier::keys::{Deriver, Evidence};

use super::*;

/// Rules that go on from the states of a chain.
const LATER: &str = "
use droste_gadgets::fold::{Foreign, State};
use droste_gadgets::prelude::*;

use super::chain::Span;

pub struct Total {
    pub to: Block,
    pub blocks: Felt,
}

impl State for Total {
    const BLOCKS: usize = 2;

    fn blocks(&self) -> Vec<Block> {
        let zero = Felt::ZERO;
        let number = Block::new([self.blocks, zero, zero, zero, zero, zero, zero, zero]);
        vec![self.to, number]
    }

    fn of(blocks: &[Block]) -> Self {
        Self { to: blocks[0], blocks: blocks[1].lane(0) }
    }
}

pub fn import(old: &Foreign<0, Span>) -> Total {
    Total { to: old.state.to, blocks: old.state.blocks }
}

/// Goes on.
pub fn go_on(before: &Total, old: &Foreign<0, Span>) -> Total {
    assert_eq!(before.to, old.state.from, \"the next span begins elsewhere\");
    Total { to: old.state.to, blocks: before.blocks + old.state.blocks }
}
";

/// A fold of the shape of [`CHAIN`], whose proofs it takes as they are.
pub(super) struct Direct {
    pub fold: Fold,
    /// The node `pair` of the chain.
    imported: Folded,
    /// And the node `one`.
    gone_on: Folded,
}

/// A fold of another shape than [`WEAK`], whose proofs it takes behind wraps.
pub(super) struct Behind {
    pub fold: Fold,
    deriver: Arc<Deriver>,
    claim: FoldClaim,
    pub wrap: Aggregate,
    pub imported: Folded,
}

pub(super) static DIRECT: LazyLock<Direct> = LazyLock::new(|| {
    let none = Tape::default();
    let builder = Fold::of(later(), Preset::Toy);
    let fold = builder.with_fold(ForeignFold::of(&CHAIN.fold));
    let fold = fold.build().unwrap();
    let [pair, one] = [&CHAIN.pair, &CHAIN.one].map(root);
    let imported = fold.prove("import", &[pair], &none).unwrap();
    let children = [Child::Node(&imported), one];
    let gone_on = fold.prove("go_on", &children, &none).unwrap();
    Direct {
        fold,
        imported,
        gone_on,
    }
});

pub(super) static BEHIND: LazyLock<Behind> = LazyLock::new(|| {
    let (claim, recipe) = (WEAK.node.claim(), WEAK.fold.recipe());
    // As of a fold whose keys are known, but cannot be derived here any more.
    let other = ForeignFold::pinned(vec![short()], recipe, WEAK.fold.key()).unwrap();
    let deriver = Arc::new(Deriver::new());
    let builder = || Fold::of(alone(), Preset::Toy).with_deriver(Arc::clone(&deriver));
    let aggregator = builder().with_fold(other.clone()).aggregator().unwrap();
    let wrap = aggregator.wrap_fold(copy(&WEAK.node)).unwrap();
    let fold = builder().with_fold(other.behind(&wrap).unwrap());
    let fold = fold.build().unwrap();
    let child = wrapped(&claim, &wrap);
    let imported = fold.prove("import", &[child], &Tape::default()).unwrap();
    Behind {
        fold,
        deriver,
        claim,
        wrap,
        imported,
    }
});

fn later() -> Source {
    Source::new("later", LATER).unwrap()
}

/// The rule `import` alone.
fn alone() -> Source {
    let (text, _) = LATER.split_once("/// Goes on.").unwrap();
    Source::new("alone", text).unwrap()
}

fn root(folded: &Folded) -> Child<'_> {
    Child::Foreign(ForeignChild::Root(folded))
}

fn wrapped<'a>(fold: &'a FoldClaim, wrap: &'a Aggregate) -> Child<'a> {
    Child::Foreign(ForeignChild::Wrapped { fold, wrap })
}

#[test]
fn direct() {
    let Direct {
        fold,
        imported,
        gone_on,
    } = &*DIRECT;
    let (pair, one) = (&CHAIN.pair, &CHAIN.one);
    let total = |to: &Folded, blocks: u32| vec![to.state()[1], numbers([blocks])];
    // Of the other fold's proofs, its root has this fold's shape.
    for (node, state, expected) in [
        (imported, total(pair, 2), counters(2, 4, 1)),
        (gone_on, total(one, 3), counters(4, 6, 2)),
    ] {
        assert_eq!(
            (node.state(), node.evidence()),
            (&*state, Evidence::Derived)
        );
        assert_eq!(node.counters(), expected);
        unverified(node).verify(fold.key(), &ANY).unwrap();
    }

    let refused = |rule: &str, children: &[Child<'_>]| {
        let refused = fold.prove(rule, children, &Tape::default());
        refused.unwrap_err()
    };
    let error = refused("go_on", &[Child::Node(imported), root(pair)]);
    let FoldError::Run { reason, .. } = error else {
        panic!("{error}");
    };
    assert!(
        reason.contains("the next span begins elsewhere"),
        "{reason}"
    );
    for other in [root(&WEAK.node), root(imported), Child::Node(imported)] {
        let words = mismatch(refused("import", &[other]), 0);
        assert!(words.contains("a third fold"), "{words}");
    }
    mismatch(refused("import", &[Child::Leaf(&CHAIN.leaves[0].wrap)]), 0);
    mismatch(refused("go_on", &[root(pair), root(one)]), 0);

    // By the program alone: a node of another fold, and a list that has its key.
    let mut others = list(CHAIN.fold.family());
    let own = |list: &[Lanes], node: &Folded| {
        let place = CHAIN.fold.family().place(pair.rule()).unwrap();
        let said = said(node.key(), node.counters(), node.state());
        [slice(list), felt(place), slice(&said)]
    };
    let import = |list: &[Lanes], node: &Folded| {
        let family = self::list(fold.family());
        tape(fold, "import", &family, &[node.proof()], &own(list, node))
    };
    assert_eq!(
        run(fold, "import", &import(&others, pair)),
        Ok(imported.statement())
    );
    let no_rule = "the child is no proof of a rule";
    refuses(fold, "import", &import(&others, &WEAK.node), no_rule);
    let place = CHAIN.fold.family().place(pair.rule()).unwrap();
    others[1 + place] = WEAK.node.rule().0;
    let list = "a list of another fold's rules";
    refuses(fold, "import", &import(&others, &WEAK.node), list);
}

#[test]
fn behind_wraps() {
    let Behind {
        fold,
        deriver,
        claim,
        wrap,
        imported,
    } = &*BEHIND;
    let wraps = path(wrap).len() as u32 - 1;
    // The node, its leaf and the leaf's wrap, and the wraps but for the last one.
    assert_eq!(imported.counters(), counters(2, 3 + wraps - 1, 1));
    assert_eq!(imported.state(), [claim.state[1], claim.state[2]]);
    unverified(imported).verify(fold.key(), &ANY).unwrap();

    // The other fold's key was pinned, so this one's was not derived from texts alone.
    let of_both = [fold.evidence(), imported.evidence()];
    assert_eq!(of_both, [Evidence::Pinned; 2]);
    assert_eq!(ForeignFold::of(fold).evidence(), Evidence::Pinned);

    let refused = |child: Child<'_>| {
        let refused = fold.prove("import", &[child], &Tape::default());
        mismatch(refused.unwrap_err(), 0)
    };
    let mut other = claim.clone();
    other.state[1] = lanes(8);
    let words = refused(wrapped(&other, wrap));
    assert!(words.contains("says something else"), "{words}");
    let words = refused(wrapped(&CHAIN.one.claim(), wrap));
    assert!(words.contains("a wrap of another fold"), "{words}");
    let words = refused(wrapped(claim, &CHAIN.leaves[0].wrap));
    assert!(words.contains("another path"), "{words}");
    assert_eq!(refused(root(&WEAK.node)), "a node of another fold");

    // By the program alone: the proof itself has another shape, and the wrap says which one it is.
    let weak = WEAK.fold.family();
    let glue = |statement: Lanes| {
        let place = weak.place(WEAK.node.rule()).unwrap();
        let said = said(claim.key(), claim.counters, &claim.state);
        let behind = [WEAK.node.rule().0, statement];
        [
            slice(&list(weak)),
            slice(&behind),
            felt(place),
            slice(&said),
        ]
    };
    let import = |statement: Lanes| {
        let (list, proof) = (list(fold.family()), wrap.proof());
        tape(fold, "import", &list, &[proof], &glue(statement))
    };
    let honest = run(fold, "import", &import(claim.statement()));
    assert_eq!(honest, Ok(imported.statement()));
    let words = "the wraps verified something else";
    refuses(fold, "import", &import(lanes(1)), words);

    // The recipe names the wraps.
    let others = vec![ForeignFold::of(&WEAK.fold)];
    let derive = |others| {
        let recipe = fold.recipe().clone();
        Fold::from_recipe(alone(), &[], others, recipe, Arc::clone(deriver))
    };
    let derived = derive(others).unwrap();
    assert_eq!(derived.family(), fold.family());
    assert_eq!(derived.evidence(), Evidence::Derived);
    // Of the same rules, but with other leaves.
    let others = vec![ForeignFold::of(&PATHS.fold)];
    let refused = derive(others).unwrap_err();
    assert!(matches!(refused, FoldError::Key { .. }), "{refused}");
}

/// A recipe may list a program that says whatever it is given as the rule of the honest text: only
/// whoever gives the fold key vouches for it, and what is made of its proofs says so.
#[test]
fn what_is_made_of_a_pinned_fold_is_not_derived() {
    let program = says(&CHAIN.fold, lanes(0)).key.digest();
    let family = Family::new(120, 120, vec![program]).unwrap();
    let (key, counters, state) = (
        family.key(),
        counters(1, 0, 0),
        span(lanes(7), lanes(8), 1_000),
    );
    let said = statement(key, counters, &state);
    let mut recipe = CHAIN.fold.recipe().clone();
    recipe.family = family.clone();
    recipe.rules.truncate(1);
    recipe.rules[0].key = program;
    let forged = UnverifiedFold {
        family,
        counters,
        state,
        proof: says(&CHAIN.fold, said),
    };
    let forged = forged.verify(key, &ANY).unwrap();

    let other = ForeignFold::pinned(vec![chain()], &recipe, key).unwrap();
    let fold = Fold::of(later(), Preset::Toy).with_fold(other);
    let fold = fold.build().unwrap();
    assert_eq!(fold.folds()[0].key(), key);
    let none = Tape::default();
    let imported = fold.prove("import", &[root(&forged)], &none).unwrap();
    assert_eq!(imported.state(), [lanes(8), numbers([1_000])]);
    assert_ne!(imported.evidence(), Evidence::Derived);
    let accepted = fold.accept(unverified(&imported), &ANY).unwrap();
    assert_ne!(accepted.evidence(), Evidence::Derived);
    // Whoever has derived the key of the honest text has another one.
    assert_ne!(fold.key(), DIRECT.fold.key());
    let refused = ForeignFold::pinned(vec![chain()], &recipe, CHAIN.fold.key()).unwrap_err();
    assert!(matches!(refused, FoldError::Key { .. }), "{refused}");
}

/// What cannot be another fold is refused before any key is derived.
#[test]
fn other_folds_are_those_of_their_recipes() {
    let (recipe, key) = (WEAK.fold.recipe(), WEAK.fold.key());
    let refused = ForeignFold::pinned(vec![short()], recipe, CHAIN.fold.key()).unwrap_err();
    assert!(matches!(refused, FoldError::Key { .. }), "{refused}");
    for sources in [vec![], vec![chain()], vec![short(), chain()]] {
        let refused = ForeignFold::pinned(sources, recipe, key).unwrap_err();
        assert!(matches!(refused, FoldError::Source(_)), "{refused}");
    }
    let other = || ForeignFold::of(&WEAK.fold);
    let refused = other().behind(&CHAIN.leaves[0].wrap).unwrap_err();
    let named = matches!(refused, LeafKindError::OtherProgram { .. });
    assert!(named, "{refused}");
    // Its proofs have the shape of two slots, the rules of this fold have one.
    let builder = Fold::of(alone(), Preset::Toy).with_fold(other());
    let refused = builder.build().unwrap_err();
    assert!(matches!(refused, FoldError::ForeignShape(0)), "{refused}");
    // Two files of one name.
    let builder = Fold::of(chain(), Preset::Toy).with_fold(other());
    let refused = builder.paper().err().unwrap();
    assert!(matches!(refused, FoldError::SameStem(_)), "{refused}");
}
