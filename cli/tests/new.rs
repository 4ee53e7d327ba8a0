//! `droste new` writes packages of programs; `droste test` runs their tests natively and in the
//! machine.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use droste::prelude::{F, PrimeCharacteristicRing};
use tempfile::TempDir;

/// The package that `droste new` writes, as modules of this test, so that it must compile against
/// this version of the library.
#[path = "../template/src/lib.rs"]
mod template;
mod both_ways {
    use crate::template as program;

    include!("../template/tests/both_ways.rs");
}

/// The package that `droste new --lib` writes.
#[path = "../template/library/src/lib.rs"]
mod library_template;
mod steps {
    use crate::library_template as library;

    include!("../template/library/tests/steps.rs");
}
mod library_both_ways {
    use crate::library_template as library;

    include!("../template/library/tests/both_ways.rs");
}

/// The package that `droste fold new` writes.
#[path = "../template/fold/src/lib.rs"]
mod fold_template;
mod rules {
    use crate::fold_template as package;

    include!("../template/fold/tests/rules.rs");
}

const CHECKOUT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn droste(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_droste"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .unwrap()
}

/// Standard output and standard error as text.
fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// A package without dependencies, which builds in no time.
fn package(program: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    let manifest = "[package]\nname = \"plain\"\nedition = \"2024\"\n";
    fs::write(folder.path().join("Cargo.toml"), manifest).unwrap();
    fs::create_dir(folder.path().join("src")).unwrap();
    fs::write(folder.path().join("src/lib.rs"), program).unwrap();
    folder
}

/// Runs a line that the command printed, as it is.
fn shell(folder: &Path, line: &str) -> Output {
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("CARGO_NET_OFFLINE", "true")
        .output()
        .unwrap()
}

/// Makes a package, with the options given, and returns the lines to run and to test it.
fn printed_lines(folder: &Path, name: &str, options: &[&str]) -> [String; 2] {
    let arguments = [&["new", name], options].concat();
    let (printed, errors) = texts(&droste(folder, &arguments));
    ["run it", "test it"].map(|row| {
        let line = printed.lines().find_map(|line| line.strip_prefix(row));
        line.expect(&errors).trim().to_owned()
    })
}

#[test]
fn a_new_package_runs() {
    let folder = TempDir::new().unwrap();
    let [run, _] = printed_lines(folder.path(), "my-cube", &[]);
    let package = folder.path().join("my-cube");
    let test = fs::read_to_string(package.join("tests/both_ways.rs")).unwrap();
    assert!(test.contains("my_cube::main)"), "{test}");

    let (printed, errors) = texts(&shell(folder.path(), &format!("{run} --format json")));
    let commitment = droste::program::commitment(&[5, 125].map(F::from_u32));
    let outputs: Vec<_> = commitment.iter().map(ToString::to_string).collect();
    let outputs = format!("\"outputs\":[{}]", outputs.join(","));
    assert!(printed.contains(&outputs), "{printed}{errors}");
    assert!(!errors.contains("only rustc"), "{errors}");
    // Outside of a package nothing makes rustc compile it.
    let lone = folder.path().join("lone.rs");
    fs::copy(package.join("src/lib.rs"), &lone).unwrap();
    let (_, errors) = texts(&droste(folder.path(), &["compile", "lone.rs"]));
    assert!(errors.contains("only rustc checks all types"), "{errors}");

    is_a_package(&package, &["gadgets", "droste"]);
    // What commands write is not for the repository.
    let ignored = fs::read_to_string(package.join(".gitignore")).unwrap();
    for ending in ["proof", "wrap", "agg"] {
        assert!(ignored.contains(&format!("\n*.{ending}\n")), "{ignored}");
    }
}

/// Cargo finds these libraries, and rustfmt has nothing to change.
fn is_a_package(package: &Path, libraries: &[&str]) {
    let cargo = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(package)
            .output()
            .unwrap();
        let (printed, errors) = texts(&output);
        assert!(output.status.success(), "{arguments:?}: {printed}{errors}");
        printed
    };
    let tree = cargo(&["tree", "--offline"]);
    let checkout = Path::new(CHECKOUT).canonicalize().unwrap();
    for library in libraries {
        let path = format!("({})", checkout.join(library).display());
        assert!(tree.contains(&path), "{tree}");
    }
    cargo(&["fmt", "--check"]);
}

/// `droste new --lib` writes a package that uses the library. Its code is a module of this test.
#[test]
fn a_new_library_is_a_package() {
    let folder = TempDir::new().unwrap();
    let [run, test] = printed_lines(folder.path(), "my-proofs", &["--lib"]);
    assert_eq!(run, "cd my-proofs && cargo run --release");
    assert_eq!(test, "cd my-proofs && cargo test");
    let package = folder.path().join("my-proofs");
    is_a_package(&package, &["gadgets", "droste"]);
    for file in ["src/main.rs", "tests/both_ways.rs", "tests/steps.rs"] {
        let text = fs::read_to_string(package.join(file)).unwrap();
        assert!(text.contains("use my_proofs::"), "{text}");
    }
    // rustc compiles the program as a module, which rustfmt looks at, too.
    let text = fs::read_to_string(package.join("src/lib.rs")).unwrap();
    assert!(text.contains("\npub mod program;\n"), "{text}");
    let flags = fs::read_to_string(package.join(".cargo/config.toml")).unwrap();
    assert!(flags.contains("target-cpu=native"), "{flags}");
}

/// `droste fold new` writes a package of rules, whose code is a module of this test. The first
/// command that it prints tests them on paper.
#[test]
fn a_new_fold_is_a_package() {
    let folder = TempDir::new().unwrap();
    let (printed, errors) = texts(&droste(folder.path(), &["fold", "new", "my-chain"]));
    let mut lines = printed.lines();
    let test = lines.find_map(|line| line.strip_prefix("run"));
    let test = test.expect(&errors).trim();
    let (printed, errors) = texts(&shell(folder.path(), test));
    assert!(printed.contains("append"), "{printed}{errors}");
    let package = folder.path().join("my-chain");
    is_a_package(&package, &["gadgets", "droste"]);
    let tests = fs::read_to_string(package.join("tests/rules.rs")).unwrap();
    assert!(tests.contains("use my_chain::{block, chain};"), "{tests}");
    // The rules are those of the documents.
    let rules = fs::read_to_string(package.join("src/chain.rs")).unwrap();
    assert_eq!(Some(rules.as_str()), droste_programs::fold_source("chain"));
}

/// The names of the package's folder and of the checkout have spaces.
#[test]
fn names_are_quoted_for_the_shell() {
    let folder = TempDir::new().unwrap();
    let checkout = folder.path().join("the checkout");
    std::os::unix::fs::symlink(CHECKOUT, &checkout).unwrap();
    let options = ["--path", checkout.to_str().unwrap()];
    fs::create_dir(folder.path().join("my programs")).unwrap();
    let [run, test] = printed_lines(folder.path(), "my programs/cube", &options);
    assert!(shell(folder.path(), &run).status.success(), "{run}");
    assert!(test.ends_with("test 'my programs/cube'"), "{test}");
}

#[test]
fn what_is_there_is_not_overwritten() {
    let folder = TempDir::new().unwrap();
    for (arguments, code, words) in [
        (&["new", "."][..], 2, "cannot be the name of a package"),
        (&["new", "Upper"], 2, "cannot be the name of a package"),
        (&["new", "fn"], 2, "cannot be the name of a package"),
        (&["new", "std"], 2, "cannot be the name of a package"),
        (
            &["new", "a", "--path", "no/checkout"],
            1,
            "no/checkout is not a checkout of Droste",
        ),
        (&["new", "a"], 0, ""),
        (&["new", "a"], 1, "a already exists"),
    ] {
        let output = droste(folder.path(), arguments);
        let (_, errors) = texts(&output);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
}

#[test]
fn tests_run_both_ways() {
    let folder = package(
        "#[cfg(test)]\nmod tests {\n    const FOUR: usize = 4;\n    #[test]\n    fn sums() {\n        \
         assert_eq!(2 + 2, FOUR);\n    }\n    #[test]\n    #[ignore]\n    fn never() {\n        panic!()\n    \
         }\n}\n",
    );
    for path in [".", "src/lib.rs"] {
        let output = droste(folder.path(), &["test", path, "--format", "json"]);
        let (printed, errors) = texts(&output);
        assert!(output.status.success(), "{errors}");
        let line = r#"[{"test":"tests::sums","native":"ok","machine":"ok"}]"#;
        assert_eq!(printed.trim(), line);
    }
}

/// A test of something that rustc compiles but the zk-DSL does not have, and a test that fails in
/// both runs: both outputs are shown.
#[test]
fn a_difference_shows_both_outputs() {
    let folder = package(
        "#[test]\nfn strings() {\n    assert_eq!(String::new().len(), 0);\n}\n\n#[test]\nfn wrong() {\n    \
         assert_eq!(2 + 2, 5_usize);\n}\n",
    );
    let output = droste(folder.path(), &["test"]);
    let (printed, errors) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let lines: Vec<Vec<&str>> = printed
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(lines[1], ["strings", "ok", "refused"]);
    assert_eq!(lines[2], ["wrong", "failed", "failed"]);
    let (refused, fails) = errors
        .split_once("the test wrong fails both ways")
        .expect("both");
    assert!(
        refused.contains("the test strings is not in the zk-DSL"),
        "{errors}"
    );
    assert!(
        refused.contains("\n-- natively:\nok\n-- in the machine:\n"),
        "{errors}"
    );
    assert!(refused.contains("src/lib.rs:3"), "{errors}");
    assert!(fails.contains("right: 5"), "{errors}");
    assert!(fails.contains("src/lib.rs:8"), "{errors}");
}

/// What fails whenever it runs is found while compiling; text is for the native run; a name chooses
/// tests; modules beside the file are read.
#[test]
fn tests_are_chosen_and_may_fail_while_compiling() {
    let folder = package(
        "mod helper;\n\
         #[test]\n#[should_panic]\nfn overflows() {\n    let _ = helper::twice(200);\n}\n\
         #[test]\nfn text() {\n    // native only\n    assert_eq!(\"a\".len(), 1);\n}\n\
         #[test]\nfn floats() {\n    assert!(1.5 > 1.0);\n}\n\
         #[test]\nfn returns() -> Result<(), u8> {\n    helper::small(2)?;\n    Ok(())\n}\n\
         #[test]\nfn errs() -> Result<(), u8> {\n    helper::small(4)\n}\n",
    );
    let helper = "pub fn twice(a: u8) -> u8 {\n    a + a\n}\n\
                  pub fn small(a: u8) -> Result<(), u8> {\n    \
                  if a < 3 { Ok(()) } else { Err(a) }\n}\n";
    fs::write(folder.path().join("src/helper.rs"), helper).unwrap();
    for (arguments, code, expected) in [
        (&["test", "overflows"][..], 0, "overflows ok ok"),
        (&["test", ".", "text"], 0, "text ok native only"),
        (&["test", "src/lib.rs", "floats"], 1, "floats ok refused"),
        (&["test", "returns"], 0, "returns ok ok"),
        (&["test", "errs"], 1, "errs failed failed"),
    ] {
        let output = droste(folder.path(), arguments);
        let (printed, errors) = texts(&output);
        assert_eq!(output.status.code(), Some(code), "{printed}{errors}");
        let lines = printed.lines().skip(1);
        let lines: Vec<String> = lines
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(lines, [expected], "{errors}");
    }
    let output = droste(folder.path(), &["test", "nothing"]);
    assert!(texts(&output).1.contains("with `nothing` in their names"));
}

/// `droste check` has what rustc and the compiler refuse in one list, also for programs.
#[test]
fn one_command_checks_with_rustc_and_the_compiler() {
    let folder = package("pub fn unused() {}\n");
    let output = droste(folder.path(), &["check"]);
    let (printed, errors) = texts(&output);
    assert!(output.status.success(), "{errors}");
    assert!(printed.contains("none"), "{printed}");
    // The imports are of a module, since the package has no dependencies.
    let program = "mod droste_gadgets {\n    pub fn reveal(_: usize) {}\n}\n\
                   use droste_gadgets::reveal;\n\
                   pub fn main() {\n    let x: u8 = \"a\";\n    let y = 1.5;\n    reveal(1);\n}\n";
    fs::write(folder.path().join("src/lib.rs"), program).unwrap();
    let output = droste(folder.path(), &["check", "--format", "json"]);
    let (printed, errors) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    for expected in [
        r#""by":"rustc","level":"error""#,
        r#""path":"src/lib.rs","line":6"#,
        r#""by":"droste","level":"error","message":"this literal is not in the subset""#,
        r#""path":"src/lib.rs","line":7,"column":13"#,
    ] {
        assert!(printed.contains(expected), "{expected}: {printed}{errors}");
    }
    let output = droste(folder.path(), &["check", "--editor"]);
    let (printed, _) = texts(&output);
    assert!(
        printed.contains(r#""reason":"compiler-message""#),
        "{printed}"
    );
    assert!(printed.contains(r#""code":{"code":"droste""#), "{printed}");
}

/// Overflows, divisions by zero and indices out of range are found when the test is compiled for
/// the machine; these errors point at the expression, too.
#[test]
fn a_failed_test_points_at_the_expression_that_failed() {
    let folder = package(
        "fn sum(a: u8, b: u8) -> u8 {\n    1 * (a + b)\n}\n\
         fn quotient(a: u8, b: u8) -> u8 {\n    1 + a / b\n}\n\
         fn entry(list: [u8; 2], i: usize) -> u8 {\n    1 + list[i]\n}\n\
         #[test]\nfn overflows() {\n    assert_eq!(sum(255, 1), 0);\n}\n\
         #[test]\nfn divides() {\n    assert_eq!(quotient(1, 0), 0);\n}\n\
         #[test]\nfn indexes() {\n    assert_eq!(entry([1, 2], 2), 0);\n}\n",
    );
    let output = droste(folder.path(), &["test"]);
    let (_, errors) = texts(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    let failures: Vec<&str> = errors.split("-- in the machine:").skip(1).collect();
    assert_eq!(failures.len(), 3, "{errors}");
    for (failure, place) in failures.iter().zip(["2:10", "5:9", "8:14"]) {
        assert!(
            failure.contains(&format!("src/lib.rs:{place}]")),
            "{errors}"
        );
    }
}

#[test]
fn nothing_to_test_is_no_success() {
    let folder = package("pub fn main() {}\n");
    let output = droste(folder.path(), &["test"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(texts(&output).1.contains("has no `#[test]` functions"));
    // Tests of the whole program alone are run, natively.
    let tests = folder.path().join("tests");
    fs::create_dir(&tests).unwrap();
    let test = |body: &str| {
        let text = format!("#[test]\nfn a() {{ {body} }}\n");
        fs::write(tests.join("whole.rs"), text).unwrap();
        let output = droste(folder.path(), &["test"]);
        (output.status.code(), texts(&output).1)
    };
    let (code, errors) = test("");
    assert_eq!(code, Some(0), "{errors}");
    assert!(errors.contains("no tests in `src`"), "{errors}");
    let (code, errors) = test("panic!()");
    assert_eq!(code, Some(1), "{errors}");
    assert!(errors.contains("cargo test failed outside"), "{errors}");
    // Cargo does not run the tests of a file that is not a module of the package.
    fs::write(folder.path().join("src/lone.rs"), "#[test]\nfn a() {}\n").unwrap();
    let output = droste(folder.path(), &["test", "src/lone.rs"]);
    assert_eq!(output.status.code(), Some(1));
    let (_, errors) = texts(&output);
    assert!(errors.contains("the test lone::a differs"), "{errors}");
}

#[test]
#[ignore = "builds from nothing, 45 s of CPU time: cargo test -p droste-cli --test new -- --ignored"]
fn a_new_package_passes_its_tests() {
    let folder = TempDir::new().unwrap();
    let [run, test] = printed_lines(folder.path(), "hello", &[]);
    let (printed, errors) = texts(&shell(folder.path(), &test));
    assert!(
        printed.contains("tests::the_cube_of_three"),
        "{printed}{errors}"
    );
    assert!(!printed.contains("failed"), "{printed}{errors}");
    let record = format!("{run} --record tape.json");
    let (_, errors) = texts(&shell(folder.path(), &record));
    let tape = fs::read_to_string(folder.path().join("tape.json")).expect(&errors);
    assert_eq!(tape, r#"[{"felt":5}]"#);
}
