use droste_native::F;
use droste_vm::executor::Tape;
use p3_field::PrimeCharacteristicRing;

use super::super::source::tests::chain;
use super::*;

const START: &str = "pub fn start() -> Span { Span { to: Block::ZERO } }\n";
const STEP: &str = "pub fn step(before: &Span) -> Span {\n    \
                    Span { to: poseidon16_compress(before.to, before.to) }\n}\n";

fn toy(functions: &str) -> FoldBuilder {
    Fold::of(chain(functions), Preset::Toy)
}

/// Keys depend on rules and shape, and recipes give them again.
#[test]
fn keys_are_derived_again() {
    let functions = [START, STEP].concat();
    let deriver = Arc::new(Deriver::new());
    let builder = toy(&functions).with_deriver(Arc::clone(&deriver));
    let fold = builder.build().unwrap();
    let rules: Vec<RuleInfo> = fold.rules().collect();
    let slots: Vec<(&str, Vec<String>)> = rules
        .iter()
        .map(|rule| (rule.name.as_str(), rule.slots.clone()))
        .collect();
    assert_eq!(
        slots,
        [("start", vec![]), ("step", vec!["node".to_owned()])]
    );
    let keys: BTreeSet<KeyDigest> = rules.iter().map(|rule| rule.key).collect();
    assert!(keys.iter().eq(&fold.family().keys));
    assert_eq!(fold.blocks(), 1);
    // Nothing is behind a wrap, and toy proofs have few bits.
    assert_eq!(usize::from(fold.family().bits_behind), MAX_BITS);
    assert!(usize::from(fold.family().bits) < 100);
    assert_eq!(fold.aggregator().log_heights(), fold.recipe().log_heights);

    let again = |source: Source, recipe: FamilyRecipe| {
        Fold::from_recipe(source, &[], vec![], recipe, Arc::clone(&deriver))
    };
    let recipe = fold.recipe().clone();
    let same = again(chain(&functions), recipe.clone()).unwrap();
    assert_eq!((same.key(), same.recipe()), (fold.key(), &recipe));
    let other = again(chain(START), recipe.clone()).unwrap_err();
    assert!(matches!(other, FoldError::Source(_)), "{other}");
    // A recipe's keys and bits are not believed.
    let mut forged = recipe.clone();
    forged.family.bits_behind -= 1;
    let refused = again(chain(&functions), forged).unwrap_err();
    assert!(matches!(refused, FoldError::Key { .. }), "{refused}");
    let leaves = LeafProgram::Airs(fold.key());
    let refused = FoldBuilder::of_recipe(
        chain(&functions),
        &[leaves],
        vec![],
        &recipe,
        Arc::clone(&deriver),
    );
    assert!(matches!(refused, Err(FoldError::Source(_))));
    // The keys are known to the deriver, so their proofs are no leaves.
    assert!(keys.iter().all(|&key| deriver.is_recursion(key)));

    // A rule without children is proved without a proof of anything else.
    let node = fold.prove("start", &[], &Tape::default()).unwrap();
    assert_eq!(node.state(), [[droste_native::F::default(); 8]]);
    assert_eq!(node.key(), fold.key());
    let refused = fold.prove("step", &[], &Tape::default()).unwrap_err();
    assert!(matches!(
        refused,
        FoldError::Children {
            expected: 1,
            found: 0,
            ..
        }
    ));
    let refused = fold.prove("stop", &[], &Tape::default()).unwrap_err();
    let words = "there is no rule `stop`: the rules are start, step";
    assert_eq!(refused.to_string(), words);
}

#[test]
fn no_two_rules_are_the_same_program() {
    let both = [START, &START.replace("start", "begin")].concat();
    let Err(FoldError::SameRule { first, second }) = toy(&both).build() else {
        panic!("not refused");
    };
    assert_eq!((first.as_str(), second.as_str()), ("start", "begin"));
}

/// What a rule may not do is said before anything is derived.
#[test]
fn rules_that_cannot_be_proved_are_refused() {
    let refused = |functions: &str| {
        let paper = toy(functions).paper().unwrap();
        let refused = paper.compile().unwrap_err();
        match refused {
            FoldError::Compile(error) | FoldError::Rule { source: error, .. } => error,
            error => panic!("{error}"),
        }
    };
    let outside = STEP.replace("poseidon16_compress", "poseidon2_compress");
    let error = refused(&outside);
    assert!(
        error.message.contains("`step` calls `poseidon2_compress`"),
        "{error}"
    );
    assert!(error.help.as_deref().unwrap().contains("leaf program"));
    let source = chain(&outside);
    let at = &source.text()[error.span.offset()..][..error.span.len()];
    assert!(at.contains("poseidon2_compress"), "{at}");
    // A function cannot say anything itself.
    let reveals = "pub fn start() -> Span {\n    reveal(Felt::ONE);\n    \
                   Span { to: Block::ZERO }\n}\n";
    let error = refused(reveals);
    let words = "a rule has no `reveal`: its statement is the fold's";
    assert_eq!(error.message, words);
    let input = "pub fn start() -> Span {\n    let x = public_input();\n    \
                 Span { to: Block::splat(x) }\n}\n";
    refused(&input.replace("Block::splat(x)", "Block::new([x; 8])"));
}

#[test]
fn states_have_one_to_64_blocks() {
    for (blocks, is_allowed) in [(0, false), (1, true), (64, true), (65, false)] {
        let text = chain(START).text().replace(
            "const BLOCKS: usize = 1;",
            &format!("const BLOCKS: usize = {blocks};"),
        );
        let source = Source::new("chain", text).unwrap();
        match Fold::of(source, Preset::Toy).paper() {
            Ok(paper) => assert_eq!((paper.blocks(), is_allowed), (blocks, true)),
            Err(FoldError::Compile(error)) => {
                assert!(!is_allowed);
                let words = format!("a state has {blocks} blocks");
                assert_eq!(error.message, words);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// A program that is longer than its table says how much room it needs.
#[test]
fn long_functions_say_what_to_ask_for() {
    let long = "pub fn start() -> Span {\n    let mut x = hint_felt().any();\n    \
                for _i in 0..20000 {\n        x = x * x;\n    }\n    \
                Span { to: Block::new([x; 8]) }\n}\n";
    let refused = toy(long).build().unwrap_err();
    let FoldError::Room {
        table,
        needs,
        room,
        suggested,
        ..
    } = &refused
    else {
        panic!("{refused}");
    };
    assert_eq!(table, "program");
    assert!(*needs > 20_000 && suggested["program"] >= *needs && *room <= 1 << 14);
    assert_eq!(suggested["cpu"], suggested["program"]);
    let words = refused.to_string();
    assert!(
        words.contains("--room cpu=") && words.contains(",program="),
        "{words}"
    );
    // What was asked for before is asked for again.
    let asked = Room::Least([("words".to_owned(), 77)].into());
    let refused = toy(long).with_room(asked).build().unwrap_err();
    assert!(refused.to_string().ends_with(",words=77"), "{refused}");
}

/// A rule reveals nothing of its own, which is said where it does.
#[test]
fn rules_do_not_reveal() {
    let rule = "pub fn start() -> Span {\n    // reveal(x) is the fold's.\n    \
                let x = hint_felt().any();\n    reveal(x);\n    \
                Span { to: Block::new([x; 8]) }\n}\n";
    let refused = toy(rule).build().unwrap_err();
    let FoldError::Compile(error) = refused else {
        panic!("{refused}");
    };
    assert!(
        error.message.starts_with("a rule has no `reveal`"),
        "{error:?}"
    );
    let source = toy(rule).source;
    assert_eq!(&source.text()[error.span.offset()..][..7], "reveal(");
    assert!(source.text()[..error.span.offset()].ends_with("any();\n    "));
}

/// A hint that is missing is named by its number in the function.
#[test]
fn missing_hints_are_named() {
    let rule = "pub fn start() -> Span {\n    let x = hint_felt().any();\n    \
                let y = hint_felt().any();\n    Span { to: Block::new([x + y; 8]) }\n}\n";
    let paper = toy(rule).paper().unwrap();
    let mut tape = Tape::default();
    for (words, hints) in [
        ("reads hint 0 (", "no hints were"),
        ("reads hint 1 (", "1 hint was"),
    ] {
        let refused = paper.run("start", &[], &tape).unwrap_err().to_string();
        assert!(
            refused.contains(words) && refused.contains(hints),
            "{refused}"
        );
        tape.felt(F::ONE);
    }
    paper.run("start", &[], &tape).unwrap();
}
