//! What a file offers to others, as it is written.

use super::*;

const TEXT: &str = "
    use droste_gadgets::fold::{Foreign, Leaf, State};
    use droste_gadgets::prelude::*;

    pub struct Span { pub from: Block, pub to: Block }
    pub type Alias = Span;

    impl State for Span {
        const BLOCKS: usize = 2;
        fn blocks(&self) -> Vec<Block> { vec![self.from, self.to] }
        fn of(blocks: &[Block]) -> Self { Self { from: blocks[0], to: blocks[1] } }
    }
    impl droste_gadgets::fold::Other<Felt> for [Span; 2] {}
    impl Span {
        pub fn empty() -> Span { Span { from: Block::ZERO, to: Block::ZERO } }
    }

    pub fn start() -> Span { Span::empty() }
    pub fn append<'a>(before: &'a Span, leaf: &Leaf<0>) -> Span { inner(before, leaf) }
    pub fn import(old: &droste_gadgets::fold::Foreign<1, super::old::Old>) -> Alias { Span::empty() }
    pub fn several(mut x: Felt, (y, _): (Felt,
        Felt), z: &mut [Span], kind: &Leaf<{ KIND }>, more: Leaf<KIND>) {}
    pub fn generic<const N: usize, T>(x: T) -> T { x }

    fn inner(before: &Span, leaf: &Leaf<0>) -> Span { Span::empty() }
    pub(crate) fn of_the_crate() -> Span { Span::empty() }
    #[cfg(test)]
    pub fn of_tests() -> Span { Span::empty() }
    #[test]
    fn a_test() {}
    pub mod within {
        pub fn nested() -> super::Span { super::Span::empty() }
        impl super::State for Inner {}
    }
";

fn read() -> Interface {
    match interface("chain.rs", TEXT) {
        Ok(interface) => interface,
        Err(error) => panic!("{:?}", miette::Report::new(*error)),
    }
}

fn function(name: &str) -> Signature {
    let mut functions = read().functions.into_iter();
    functions.find(|function| function.name == name).unwrap()
}

/// What is written in a place.
fn at(span: Span) -> &'static str {
    assert_eq!(span.file, 0);
    &TEXT[span.start as usize..span.end as usize]
}

#[test]
fn public_functions_of_the_file_itself_are_listed() {
    let names: Vec<String> = read().functions.into_iter().map(|f| f.name).collect();
    assert_eq!(names, ["start", "append", "import", "several", "generic"]);
}

#[test]
fn implementations_are_named_by_the_last_parts_of_paths() {
    let found = read().implementations;
    let found: Vec<(&str, &str, &str)> = found
        .iter()
        .map(|(of, ty)| (of.as_str(), ty.name.as_str(), ty.text.as_str()))
        .collect();
    assert_eq!(
        found,
        [("State", "Span", "Span"), ("Other", "", "[Span; 2]")]
    );
}

#[test]
fn signatures_are_as_written() {
    let start = function("start");
    assert!(start.parameters.is_empty() && !start.generic);
    assert_eq!(start.output.unwrap().name, "Span");
    assert_eq!(at(start.span), "start");

    let append = function("append");
    assert!(!append.generic);
    let [before, leaf] = &append.parameters[..] else {
        panic!("{append:?}");
    };
    assert_eq!(
        (before.name.as_str(), at(before.ty.span)),
        ("before", "Span")
    );
    assert!(before.reference && !before.mutable);
    assert_eq!(
        (leaf.ty.name.as_str(), leaf.ty.text.as_str()),
        ("Leaf", "Leaf<0>")
    );
    assert_eq!(leaf.ty.arguments, [Argument::Integer(0)]);

    // An alias is a name like others.
    let import = function("import");
    assert_eq!(import.output.unwrap().name, "Alias");
    let old = &import.parameters[0].ty;
    assert_eq!(old.name, "Foreign");
    assert_eq!(
        old.text,
        "droste_gadgets::fold::Foreign<1, super::old::Old>"
    );
    let [Argument::Integer(1), Argument::Type(state)] = &old.arguments[..] else {
        panic!("{old:?}");
    };
    assert_eq!(
        (state.name.as_str(), state.text.as_str()),
        ("Old", "super::old::Old")
    );
}

#[test]
fn parameters_of_any_kind_are_shown() {
    let several = function("several");
    assert_eq!(several.output, None);
    let shown: Vec<(&str, &str, bool, bool)> = several
        .parameters
        .iter()
        .map(|p| (p.name.as_str(), p.ty.text.as_str(), p.reference, p.mutable))
        .collect();
    let expected = [
        ("x", "Felt", false, false),
        ("(y, _)", "(Felt, Felt)", false, false),
        ("z", "[Span]", true, true),
        ("kind", "Leaf<{ KIND }>", true, false),
        ("more", "Leaf<KIND>", false, false),
    ];
    assert_eq!(shown, expected);
    // Whether a name is a type or a constant is not known here.
    for parameter in &several.parameters[3..] {
        let [Argument::Type(kind)] = &parameter.ty.arguments[..] else {
            panic!("{parameter:?}");
        };
        assert_eq!(kind.text, "KIND");
    }
    assert!(function("generic").generic);
}

#[test]
fn what_does_not_parse_is_refused_at_its_place() {
    for (text, message) in [
        ("pub fn f( {}", "syntax error"),
        ("pub union U { x: u8 }", "this item is not in the subset"),
        (
            "pub async fn f() {}",
            "this kind of function is not in the subset",
        ),
    ] {
        let error = interface("chain.rs", text).unwrap_err();
        assert!(error.message.contains(message), "{}", error.message);
        assert_eq!(error.source_code.name(), "chain.rs");
    }
    let long = " ".repeat(parse::MAX_TEXT + 1);
    let error = interface("chain.rs", &long).unwrap_err();
    assert!(error.message.contains("bytes"), "{}", error.message);
}

#[test]
fn callers_point_at_places() {
    let span = function("append").parameters[1].ty.span;
    let help = Some("write this".to_owned());
    let error = error_at("chain.rs", TEXT, span, "found this", help);
    assert_eq!(
        (error.message.as_str(), error.help.as_deref()),
        ("found this", Some("write this"))
    );
    let (start, length) = (error.span.offset(), error.span.len());
    assert_eq!(&TEXT[start..start + length], "Leaf<0>");
    assert_eq!(error.source_code.name(), "chain.rs");
    assert!(error.chain.is_empty());
}
