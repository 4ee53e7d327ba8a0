use droste_native::HashId;
use droste_native::stark::security::Preset;
use droste_native::whir::WhirSettings;
use droste_vm::compiler::compile;

use super::super::shape::{Room, choose};
use super::*;
use crate::aggregate::Aggregator;
use crate::claim::tests::{key, leaf, node, tree};

fn program(name: &str) -> Program {
    let source = droste_programs::source(name).unwrap();
    compile(source, &[]).unwrap().program
}

fn shape() -> FoldShape {
    choose(Preset::Toy, 2, 1, &Room::Joins).unwrap()
}

/// The shape of proofs of a program over WHIR at toy parameters, and their key.
fn leaf_of(program: &Program) -> (KeyDigest, ChildShape) {
    let settings = WhirSettings::toy();
    let key = proofs::key(HashId::Blake3, program, settings, Heights::Minimal);
    let (key, tables) = key.unwrap();
    let shape = ChildShape {
        hash: HashId::Blake3,
        settings: settings.into(),
        log_heights: vec![6; tables.len()],
        tables,
        fixed: false,
    };
    (key, shape)
}

/// A wrap of canonical shape whose program accepts `children`.
fn wrap(number: u32, children: Children) -> Wrap {
    Wrap {
        key: key(number),
        bits: number as usize,
        recipe: Recipe {
            children,
            settings: shape().settings,
            heights: shape().heights(),
        },
    }
}

fn of_shape(shape: ChildShape) -> Children {
    Children::Programs { shape, count: 1 }
}

fn kind(path: LeafPath, inner: Option<usize>) -> LeafKind {
    LeafKind {
        name: "leaf".to_owned(),
        calls: None,
        inner,
        paths: vec![path],
    }
}

#[test]
fn keys_are_those_of_programs() {
    let factorial = program("factorial");
    let (own, of_leaf) = leaf_of(&factorial);
    let new = |key, children: Children, of: LeafProgram<'_>| {
        LeafPath::new(key, vec![wrap(90, children)], of)
    };
    let of = LeafProgram::Program(&factorial);
    let path = new(own, of_shape(of_leaf.clone()), of).unwrap();
    assert_eq!(path.keys(), [key(90), own]);
    let other = program("fibonacci");
    let cases = [
        new(key(1), of_shape(of_leaf.clone()), of),
        new(own, of_shape(of_leaf.clone()), LeafProgram::Program(&other)),
        new(own, of_shape(of_leaf.clone()), LeafProgram::Airs(own)),
        new(own, Children::Airs { identity: own.0 }, of),
    ];
    for refused in cases {
        let refused = refused.unwrap_err();
        assert!(
            matches!(refused, LeafKindError::OtherProgram { .. }),
            "{refused}"
        );
    }
    // What a wrap or a join verifies is no leaf, whatever its key.
    let canonical = shape().children().unwrap();
    let refused = new(own, of_shape(canonical), of).unwrap_err().to_string();
    assert!(refused.contains("toy and arity 2"), "{refused}");
    let none = LeafPath::new(own, vec![], of);
    assert!(matches!(none, Err(LeafKindError::Unwrapped)));
    // The work for a recipe's settings is bounded.
    let large = ChildShape {
        settings: WhirSettings {
            log_block: 20,
            log_blowup: 8,
            second_log_blowup: 8,
            ..WhirSettings::toy()
        }
        .into(),
        ..of_leaf
    };
    let refused = new(own, of_shape(large), of).unwrap_err();
    assert!(
        matches!(
            refused,
            LeafKindError::Accept(AcceptError::Verify(VerifyError::Limit { .. }))
        ),
        "{refused}"
    );
    let calls = BinaryShape::Calls(CallsShape {
        hash: 2,
        log_calls: 4,
    });
    let of = LeafProgram::Binary(calls);
    new(calls.key(), calls.into(), of).unwrap();
    new(own, calls.into(), of).unwrap_err();
    new(
        key(3),
        Children::Airs { identity: own.0 },
        LeafProgram::Airs(key(3)),
    )
    .unwrap();
}

/// For which calls a program is compiled, the program says, not the recipe.
#[test]
fn calls_are_those_of_the_program() {
    let recipe = LeafRecipe {
        name: "leaf".to_owned(),
        calls: Some(CallsShape {
            hash: 2,
            log_calls: 4,
        }),
        paths: vec![],
    };
    let factorial = program("factorial");
    let of = LeafProgram::Program(&factorial);
    let kind = LeafKind::from_recipe(&recipe, of, &Deriver::new()).unwrap();
    assert_eq!(kind.recipe().calls, None);
}

#[test]
fn wraps_lead_to_the_shape_of_the_fold() {
    let (own, of_leaf) = leaf_of(&program("factorial"));
    let (shape, deriver) = (shape(), Deriver::new());
    let path = |wraps: Vec<Wrap>| LeafPath { key: own, wraps };
    let one = wrap(90, of_shape(of_leaf.clone()));
    let two = vec![wrap(80, of_shape(of_leaf.clone())), one.clone()];
    let of_two = kind(path(two), Some(70));
    of_two.check(&shape, &deriver.known_keys()).unwrap();
    assert_eq!(of_two.bits(), 70);
    let text = of_two.text();
    assert_eq!(text.paths, [vec![key(80), key(90), own]]);
    assert!(text.inner);
    let of_one = kind(path(vec![one.clone()]), None);
    assert_eq!(of_one.bits(), 90);
    let other = choose(Preset::Toy, 4, 1, &Room::Joins).unwrap();
    let refused = of_one.check(&other, &deriver.known_keys());
    assert!(matches!(refused, Err(LeafKindError::Shape)), "{refused:?}");
    // Proofs of the fold's own shape are refused, which need not be that of joins.
    let mut own_shape = shape.clone();
    own_shape.log_heights[0] += 1;
    let mut hides = wrap(90, of_shape(own_shape.children().unwrap()));
    hides.recipe.heights = own_shape.heights();
    let refused = kind(path(vec![hides]), None).check(&own_shape, &deriver.known_keys());
    assert!(
        matches!(refused, Err(LeafKindError::Canonical(_))),
        "{refused:?}"
    );
    // So are keys that are known as those of recursion programs or rules.
    let known: Result<_, ()> = deriver.cached(&"a rule", || Ok((own, 100)));
    known.unwrap();
    let refused = of_one.check(&shape, &deriver.known_keys());
    assert!(
        matches!(refused, Err(LeafKindError::Recursion(found)) if found == own),
        "{refused:?}"
    );
    let rules = BTreeSet::from([key(1), own]);
    of_one.check_rules(&rules).unwrap_err();
    of_one.check_rules(&BTreeSet::from([key(1)])).unwrap();
}

#[test]
fn there_are_few_paths() {
    let (own, of_leaf) = leaf_of(&program("factorial"));
    let path = |number: u32| LeafPath {
        key: own,
        wraps: vec![wrap(number, of_shape(of_leaf.clone()))],
    };
    let mut of_many = kind(path(1), None);
    for number in [1, 2, 3, 2, 4] {
        of_many.push(path(number)).unwrap();
    }
    assert_eq!(of_many.paths().len(), MAX_PATHS);
    let refused = of_many.push(path(5));
    assert!(matches!(refused, Err(LeafKindError::Paths(5))));
    let none = LeafKind {
        paths: vec![],
        ..of_many
    };
    let refused = none.check(&shape(), &BTreeSet::new());
    assert!(matches!(refused, Err(LeafKindError::Paths(0))));
}

#[test]
fn one_leaf_has_one_path() {
    let two = node(20, vec![node(10, vec![leaf(1)])]);
    let (keys, statement) = only_path(&two).unwrap();
    assert_eq!(
        (keys, statement),
        (vec![key(20), key(10), key(1)], key(1).0)
    );
    assert_eq!(only_path(&leaf(1)).unwrap().0, [key(1)]);
    assert_eq!(only_path(&tree()), None);
}

/// Toy aggregators of a fold have the shape that its leaves must have.
#[test]
fn shapes_are_those_of_aggregators() {
    let aggregator = Aggregator::for_preset(Preset::Toy, 2);
    assert_eq!(FoldShape::of(&aggregator), shape());
}
