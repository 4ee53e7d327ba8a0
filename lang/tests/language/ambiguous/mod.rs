//! The compiler refuses names that it cannot resolve as rustc does, and points at them.

mod candidates;
mod standard;
mod unknown;

use droste_lang::compiler::compile_file;

/// Items, body of `main`, and message. « and » mark the place at which the error must point.
type Case = (&'static str, &'static str, &'static str);

#[test]
fn every_ambiguity_is_refused_at_its_place() {
    let cases = [candidates::CASES, standard::CASES, unknown::CASES];
    for (items, body, message) in cases.concat() {
        let marked =
            format!("use droste_gadgets::prelude::*;\n{items}\npub fn main() {{ {body} }}\n");
        let source = marked.replace(['«', '»'], "");
        let Err(error) = compile_file("main.rs", &source, &[]) else {
            panic!("this compiles:\n{marked}");
        };
        let text = error.to_string();
        assert!(text.contains(message), "{marked}\n{text}");
        let (start, end) = (error.span.offset(), error.span.offset() + error.span.len());
        let first = marked.find('«').expect("a mark");
        let last = marked.find('»').expect("a mark") - '«'.len_utf8();
        assert!(
            start <= last && first <= end,
            "{marked}\n{text}\nat {start}..{end}"
        );
    }
}

#[test]
fn modules_come_from_one_file_and_only_the_prelude_is_built_in() {
    let main = |import: &str| {
        format!(
            "use {import};\nuse droste_gadgets::prelude::*;\npub fn main() {{ reveal(seven()); }}\n"
        )
    };
    let library = "use droste_gadgets::prelude::*;\npub fn seven() -> Felt { felt(7) }\n";
    let entry = main("mine::prelude_of_mine::prelude::seven");
    let file = ("mine/prelude_of_mine/prelude.rs", library);
    assert!(compile_file("main.rs", &entry, &[file]).is_ok());
    let entry = main("mine::a::seven");
    let error = compile_file(
        "main.rs",
        &entry,
        &[("mine/a.rs", library), ("mine::a", library)],
    );
    assert!(
        error
            .unwrap_err()
            .to_string()
            .contains("two files are the module")
    );
}
