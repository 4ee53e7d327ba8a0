use super::*;

/// A rules file with these functions.
pub(in crate::fold) fn chain(functions: &str) -> Source {
    let text = format!(
        "use droste_gadgets::fold::{{Foreign, Leaf, State}};\n\
         use droste_gadgets::prelude::*;\n\n\
         pub struct Span {{\n    pub to: Block,\n}}\n\n\
         impl State for Span {{\n    const BLOCKS: usize = 1;\n    \
         fn blocks(&self) -> Vec<Block> {{\n        vec![self.to]\n    }}\n    \
         fn of(blocks: &[Block]) -> Self {{\n        Self {{ to: blocks[0] }}\n    }}\n}}\n\n\
         {functions}"
    );
    Source::new("chain", text).unwrap()
}

/// What is said about rules that are refused, and the text to which it points.
fn refused(source: &Source, given: Given<'_>) -> (String, String, String) {
    let Err(FoldError::Compile(error)) = source.declared(given) else {
        panic!("not refused");
    };
    let (start, length) = (error.span.offset(), error.span.len());
    let at = source.text()[start..start + length].to_owned();
    (error.message, error.help.unwrap(), at)
}

const ONE: Given<'static> = Given {
    leaves: Some(1),
    folds: &[("old", "Old")],
};

#[test]
fn public_functions_that_return_the_state_are_rules() {
    let source = chain(
        "pub fn start() -> Span { Span { to: Block::ZERO } }\n\
         fn helper(x: Felt) -> Span { start() }\n\
         pub fn number(span: &Span) -> Felt { span.to.lane(0) }\n\
         pub fn block(leaf: &Leaf<0>) -> Span { Span { to: leaf.statement } }\n\
         pub fn merge(left: &Span, right: &Span) -> Span { start() }\n\
         pub fn import(old: &Foreign<0, Old>, leaf: &Leaf<0>) -> Span { start() }\n",
    );
    let declared = source.declared(ONE).unwrap();
    assert_eq!(declared.state, "Span");
    let rules = declared.rules.iter();
    let rules: Vec<(&str, &[Slot])> = rules
        .map(|rule| (rule.name.as_str(), rule.slots.as_slice()))
        .collect();
    let expected: [(&str, &[Slot]); 4] = [
        ("start", &[]),
        ("block", &[Slot::Leaf(0)]),
        ("merge", &[Slot::Node, Slot::Node]),
        ("import", &[Slot::Foreign(0), Slot::Leaf(0)]),
    ];
    assert_eq!(rules, expected);
    let words: Vec<String> = [Slot::Node, Slot::Leaf(1), Slot::Foreign(0)]
        .map(|slot| slot.to_string())
        .into();
    assert_eq!(words, ["node", "leaf 1", "fold 0"]);
}

#[test]
fn signatures_of_other_functions_are_refused() {
    let cases = [
        ("", "no `pub fn` returns `Span`", "public function"),
        (
            "pub fn main() -> Span { Span { to: Block::ZERO } }",
            "named `main`",
            "another name",
        ),
        (
            "pub fn f<const N: usize>() -> Span { Span { to: Block::ZERO } }",
            "the rule `f` is generic",
            "one function for each",
        ),
        (
            "pub fn f(x: &Felt) -> Span { Span { to: Block::ZERO } }",
            "parameter `x` of the rule `f` has the type `Felt`",
            "expected `&Span`, `&Leaf<0>` or `&Foreign<0, S>`",
        ),
        (
            "pub fn f(x: Span) -> Span { x }",
            "parameter `x` of the rule `f` is taken by value",
            "expected `&Span`",
        ),
        (
            "pub fn f(x: &mut Span) -> Span { Span { to: Block::ZERO } }",
            "is taken to be changed",
            "expected `&Span`",
        ),
        (
            "pub fn f(x: &Leaf<1>) -> Span { Span { to: x.statement } }",
            "there is no leaf 1: the fold has 1, counted from 0",
            "--leaf",
        ),
        (
            "pub fn f(x: &Foreign<1, Old>) -> Span { Span { to: Block::ZERO } }",
            "there is no other fold 1: there are 1",
            "--fold",
        ),
        (
            "pub fn f(x: &Foreign<0, Span>) -> Span { Span { to: Block::ZERO } }",
            "the state of the other fold 0 is `Old` of old.rs",
            "`&Foreign<0, super::old::Old>`",
        ),
        (
            "pub fn f(x: &other::Span) -> Span { Span { to: Block::ZERO } }",
            "parameter `x` of the rule `f` has the type `other::Span`",
            "expected `&Span`",
        ),
        (
            "pub fn f() -> other::Span { g() }",
            "no `pub fn` returns `Span`",
            "public function",
        ),
    ];
    for (function, message, help) in cases {
        let said = refused(&chain(function), ONE);
        assert!(said.0.contains(message), "{function}: {said:?}");
        assert!(said.1.contains(help), "{function}: {said:?}");
    }
    let many = "a: &Span, ".repeat(MAX_SLOTS + 1);
    let said = refused(&chain(&format!("pub fn f({many}) -> Span {{ a }}")), ONE);
    assert!(said.0.contains("takes 17 proofs"), "{said:?}");
    // Places are those of the types.
    let said = refused(&chain("pub fn f(x: &Leaf<1>) -> Span { x }"), ONE);
    assert!(said.2.contains("Leaf<1>"), "{said:?}");
}

/// A type of another fold that has the name of the own state is named by its path.
#[test]
fn states_of_other_folds_are_not_mistaken() {
    let of = |name: &str, ty: &str| {
        let given = Given {
            leaves: None,
            folds: &[("old", name)],
        };
        let rule = format!("pub fn f(x: &Foreign<0, {ty}>) -> Span {{ g() }}");
        chain(&rule).declared(given).is_ok()
    };
    for ty in ["Old", "super::old::Old", "old::Old"] {
        assert!(of("Old", ty), "{ty}");
    }
    assert!(of("Span", "super::old::Span") && of("Span", "old::Span"));
    for ty in ["Span", "other::Span", "super::bold::Span", "old::Old"] {
        assert!(!of("Span", ty), "{ty}");
    }
}

#[test]
fn there_is_one_state() {
    let none = Source::new("chain", "pub fn f() -> Felt { Felt::ONE }").unwrap();
    let said = refused(&none, ONE);
    assert!(said.0.contains("no type of this file implements `State`"));
    let second = "pub struct Other {}\nimpl State for Other {}\n\
                  pub fn f() -> Span { Span { to: Block::ZERO } }";
    let said = refused(&chain(second), ONE);
    assert!(said.0.contains("a second type implements `State`"));
    assert!(said.2.contains("Other"), "{said:?}");
}

#[test]
fn names_are_those_of_modules() {
    for name in ["chain", "chain_2", "x"] {
        let source = Source::new(name, "").unwrap();
        assert_eq!(source.path(), format!("rules/{name}.rs"));
    }
    for name in [
        "",
        "Chain",
        "2",
        "_x",
        "a-b",
        "a b",
        "ä",
        "main",
        "std",
        "fn",
        "droste_gadgets",
    ] {
        let refused = Source::new(name, "");
        assert!(matches!(refused, Err(FoldError::Stem(_))), "{name}");
    }
    let long = Source::new("chain", " ".repeat(MAX_SOURCE + 1));
    assert!(matches!(long, Err(FoldError::TooLong(_))));
}
