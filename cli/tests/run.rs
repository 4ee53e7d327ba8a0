//! When a program fails, `droste run` names the file, line and column of the expression that
//! failed. Hints may be those of a native run. Commands use as many threads as there can be, and end
//! with a sentence whatever is closed.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread::available_parallelism;
use std::{fs, io};

use tempfile::TempDir;

/// A program that fails at a different expression for each public input and tape. The executor
/// reads a hint before the next instruction, and the instructions that compute the product and the
/// digest also compare them, so in these cases the failing instruction is not the expression at
/// fault.
const PROGRAM: &str = "use droste_gadgets::prelude::*;

fn half() -> Felt {
    let double = hint_felt().any();
    double * felt(2).inverse()
}

pub fn main() {
    let x = public_input();
    let inverse = (x - felt(1)).inverse();
    let table = hint_slice(4).any();
    let entry = table.at(Index::<4>::new(x));
    let product = x * inverse;
    let y = half();
    assert_eq!(product, felt(2));
    let digest = poseidon16_compress(entry, entry);
    let z = hint_ext().checked().coeff(0);
    assert_eq!(digest, Block::ZERO);
    reveal(y + z);
}
";

/// Runs `droste` in a folder, where it must fail, and returns its standard error.
fn failure(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_droste"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {errors}");
    errors
}

/// `line:column` of an expression that occurs once in the program.
fn place(expression: &str) -> String {
    let parts: Vec<&str> = PROGRAM.split(expression).collect();
    assert_eq!(parts.len(), 2, "{expression}");
    let (lines, last) = parts[0].rsplit_once('\n').unwrap();
    format!("{}:{}", lines.lines().count() + 1, last.len() + 1)
}

#[test]
fn a_failed_run_points_at_the_expression_that_failed() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("program.rs", PROGRAM);
    let felt = r#"{"felt":1}"#;
    let row = "[0,0,0,0,0,0,0,0]";
    let table = &format!(r#"{{"slice":[{row},{row},{row},{row}]}}"#);
    let both = &format!("{table},{felt}");
    let all = &format!(r#"{both},{{"ext":[1,0,0,0,0]}}"#);
    for (public, hints, expression, message) in [
        ("1", "", "(x - felt(1)).inverse()", "division by zero"),
        ("2", "", "hint_slice(4)", "the hint tape is exhausted"),
        ("2", felt, "hint_slice(4)", "expected a slice of 4 blocks"),
        (
            "9",
            table,
            "Index::<4>::new(x)",
            "assertion failed: `Index::<4>::new(x)`: 9 is not below 4",
        ),
        (
            "3",
            table,
            "assert_eq!(product, felt(2))",
            "assertion failed: `assert_eq!(product, felt(2))`: left ",
        ),
        ("2", table, "hint_felt()", "the hint tape is exhausted"),
        (
            "2",
            both,
            "assert_eq!(digest, Block::ZERO)",
            "assertion failed",
        ),
        (
            "2",
            all,
            "assert_eq!(digest, Block::ZERO)",
            "assertion failed",
        ),
    ] {
        write("hints.json", &format!("[{hints}]"));
        let arguments = [
            "run",
            "program.rs",
            "--public",
            public,
            "--hints",
            "hints.json",
        ];
        let errors = failure(folder.path(), &arguments);
        let place = format!("program.rs:{}", place(expression));
        assert!(errors.contains(message), "{expression}: {errors}");
        // The place is named in the message and above the source lines.
        assert!(
            errors.contains(&format!("at {place} in ")),
            "{place}: {errors}"
        );
        assert!(errors.contains(&format!("[{place}]")), "{place}: {errors}");
    }
}

/// A package is run by its folder, with its modules, and with libraries. What it prints is on
/// standard error; `--format json` has the places of errors.
#[test]
fn packages_and_libraries_are_run() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("own/Cargo.toml", "[package]\nname = \"own\"\n");
    let program = "use droste_gadgets::prelude::*;\nmod helper;\n\
                   pub fn main() {\n    let x = dbg!(public_input());\n    \
                   assert_ne!(x, felt(2), \"not {x}\");\n    reveal(helper::twice(x));\n}\n";
    write("own/src/lib.rs", program);
    let helper = "use droste_gadgets::prelude::*;\n\
                  pub fn twice(x: Felt) -> Felt {\n    x * other::two()\n}\n";
    write("own/src/helper.rs", helper);
    let other = "use droste_gadgets::prelude::*;\npub fn two() -> Felt {\n    felt(2)\n}\n";
    write("other.rs", other);
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_droste"));
        command.args(arguments).current_dir(folder.path());
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let json = ["--format", "json", "run", "own", "--public"];
    let library = ["--library", "other.rs"];
    let (code, printed, errors) = run(&[&json[..], &["5"], &library].concat());
    assert_eq!(code, Some(0), "{errors}");
    assert!(printed.contains("\"outputs\":[10]"), "{printed}");
    assert!(
        errors.contains("src/lib.rs:4:18] public_input() = 5"),
        "{errors}"
    );
    let (code, printed, errors) = run(&[&json[..], &["2"], &library].concat());
    assert_eq!(code, Some(1), "{errors}");
    for expected in [
        "both sides are 2: not 2",
        "\"line\":5,\"column\":5,\"end_line\":5",
    ] {
        assert!(printed.contains(expected), "{printed}");
    }
    // Without the library the path means nothing.
    let (code, printed, _) = run(&[&json[..], &["5"]].concat());
    assert_eq!(code, Some(1));
    assert!(printed.contains("src/helper.rs\",\"line\":3"), "{printed}");
}

/// `--record` runs the program natively, with what it is given, and takes the hints of that run. Here
/// another library has the name of the real one, which takes long to build: it prints a tape.
#[test]
fn hints_are_those_of_a_native_run() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let gadgets = "[package]\nname = \"droste-gadgets\"\nedition = \"2024\"\n";
    write("gadgets/Cargo.toml", gadgets);
    write(
        "gadgets/src/lib.rs",
        "pub mod prelude {
             pub struct Hint;
             impl Hint {
                 pub fn bit(self) -> Self { self }
                 pub fn any(self) -> Self { self }
             }
             pub fn public_input() -> Hint { Hint }
             pub fn hint_felt() -> Hint { Hint }
             pub fn reveal(_: Hint) {}
         }
         pub mod record {
             pub fn record_main(program: fn()) -> std::process::ExitCode {
                 program();
                 let lines: Vec<_> = std::io::stdin().lines().map(Result::unwrap).collect();
                 assert_eq!(lines, [\"5\", \"7\"]);
                 println!(r#\"[{{\"felt\": 1}}, {{\"felt\": 7}}]\"#);
                 std::process::ExitCode::SUCCESS
             }
         }",
    );
    write(
        "own/Cargo.toml",
        "[package]\nname = \"own\"\nedition = \"2024\"\n[workspace]\n\
         [dependencies]\ndroste-gadgets = { path = \"../gadgets\" }\n",
    );
    write("own/src/lib.rs", "pub mod program;\n");
    let program = "use droste_gadgets::prelude::*;\n\
                   pub fn main() {\n    let x = public_input();\n    hint_felt().bit();\n    \
                   reveal(x);\n    reveal(hint_felt().any());\n}\n";
    write("own/src/program.rs", program);
    write("given.json", r#"[{"felt": 7}]"#);
    let run = |public: &str, hints: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_droste"))
            .args(["run", "own/src/program.rs", "--format", "json"])
            .args(["--public", public])
            .args(hints)
            .current_dir(folder.path())
            .env("CARGO_TARGET_DIR", folder.path().join("target"))
            .env("CARGO_NET_OFFLINE", "true")
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    };
    let record = ["--hints", "given.json", "--record", "tape.json"];
    let (printed, errors) = run("5", &record);
    assert!(printed.contains("\"outputs\":[5,7]"), "{printed}{errors}");
    let tape = fs::read_to_string(folder.path().join("tape.json")).unwrap();
    assert_eq!(tape, r#"[{"felt":1},{"felt":7}]"#);
    // The tape is all that the program reads.
    let (printed, errors) = run("5", &["--hints", "tape.json"]);
    assert!(printed.contains("\"outputs\":[5,7]"), "{printed}{errors}");
    let (_, errors) = run("6", &record);
    assert!(errors.contains("the native run failed"), "{errors}");
}

#[test]
fn programs_with_precompiles_of_their_own_are_for_the_library() {
    let folder = TempDir::new().unwrap();
    let own = "use droste_gadgets::prelude::*;\nuse own::scaled_products;\npub fn main() {}\n";
    fs::write(folder.path().join("own.rs"), own).unwrap();
    let errors = failure(folder.path(), &["run", "own.rs"]);
    let words: Vec<&str> = errors.split_whitespace().collect();
    let words = words.join(" ");
    for expected in [
        "there is no `own::scaled_products`",
        "programs with precompiles of your own run in the library only",
    ] {
        assert!(words.contains(expected), "{errors}");
    }
}

/// Squares its public input.
const SQUARE: &str = "use droste_gadgets::prelude::*;
pub fn main() {
    let x = public_input();
    reveal(x * x);
}
";

/// Proves that 7 squared is 49, with options of the command and a variable.
fn prove(folder: &Path, options: &str, variable: Option<(&str, &str)>) -> Output {
    let arguments = "prove square.rs --public 7 --preset toy -o square.proof";
    Command::new(env!("CARGO_BIN_EXE_droste"))
        .args(arguments.split(' ').chain(options.split_whitespace()))
        .envs(variable)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Thousands of threads do not make a command wait, and a proof is the same at any number.
#[test]
fn proofs_are_the_same_at_any_number_of_threads() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("square.rs"), SQUARE).unwrap();
    let processors = available_parallelism().unwrap().get();
    let mut proofs = vec![];
    for (options, variable, asked) in [
        ("", None, 1),
        ("--threads 1", None, 1),
        ("--threads 3", Some("2000"), 3),
        ("--threads 2000", None, 2_000),
        ("", Some("2000"), 2_000),
    ] {
        let variable = variable.map(|number| ("RAYON_NUM_THREADS", number));
        let output = prove(folder.path(), options, variable);
        assert!(output.status.success(), "{options}: {output:?}");
        proofs.push(fs::read(folder.path().join("square.proof")).unwrap());
        let errors = String::from_utf8(output.stderr).unwrap();
        let limited = asked > 4 * processors;
        let warning = format!("warning: using {} of 2000 threads", 4 * processors);
        assert_eq!(errors.contains(&warning), limited, "{options}: {errors}");
    }
    assert!(proofs.windows(2).all(|pair| pair[0] == pair[1]));
    let refused = prove(folder.path(), "--threads 0", None);
    assert_eq!(refused.status.code(), Some(2));
}

/// Stacks that have no room in memory: the operating system refuses each thread of the pool.
#[test]
fn commands_say_that_no_thread_can_be_started() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("square.rs"), SQUARE).unwrap();
    let stack = (1_u64 << 60).to_string();
    let output = prove(folder.path(), "", Some(("RUST_MIN_STACK", &stack)));
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("droste: no thread can be started"),
        "{errors}"
    );
    assert!(!errors.contains("panicked"), "{errors}");
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (_, writer) = io::pipe().unwrap();
    writer.into()
}

#[test]
fn closed_outputs_do_not_panic() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("square.rs"), SQUARE).unwrap();
    fs::write(folder.path().join("broken.rs"), "pub fn main() { x; }").unwrap();
    let run = |arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_droste"));
        command
            .args(arguments.split(' '))
            .current_dir(folder.path())
            .stdin(Stdio::null());
        command
    };
    for (arguments, code) in [
        ("run no.rs", 1),
        ("run broken.rs", 1),
        ("run square.rs", 1),
        ("run", 2),
        ("--format json run no.rs", 1),
        ("run square.rs --public 7 --threads 2000", 0),
    ] {
        let status = run(arguments)
            .stderr(closed())
            .stdout(Stdio::null())
            .status();
        assert_eq!(status.unwrap().code(), Some(code), "{arguments}");
    }
    for (arguments, code) in [
        ("--help", 0),
        ("run square.rs --public 7", 1),
        ("compile square.rs --emit asm", 1),
        ("--format json run no.rs", 1),
    ] {
        let output = run(arguments).stdout(closed()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments}: {output:?}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!errors.contains("panicked"), "{arguments}: {errors}");
    }
}

/// A program whose calls of a hash are in a binary proof has a key for each number of calls.
#[test]
fn programs_with_calls_are_compiled_for_a_hash_and_a_number() {
    let folder = TempDir::new().unwrap();
    let program = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../programs/src/keccak_calls.rs"
    );
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_droste"));
        command.args(arguments).current_dir(folder.path());
        command.output().unwrap()
    };
    let key = |calls: &str| {
        let output = run(&["key", program, "--calls", calls, "--preset", "toy"]);
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    assert_ne!(key("keccak-f:8"), key("keccak-f:16"));
    for (calls, code) in [
        ("md5:8", 2),
        ("keccak-f", 2),
        ("keccak-f:9", 1),
        ("blake3:8", 1),
    ] {
        let output = run(&["key", program, "--calls", calls]);
        assert_eq!(output.status.code(), Some(code), "{calls}: {output:?}");
    }
    assert_eq!(run(&["key", program]).status.code(), Some(1));
    // It has hints, and the proof of another program is none of it.
    let calls = ["--calls", "keccak-f:8"];
    let arguments = [&["run", program, "--public", "5"][..], &calls].concat();
    assert!(failure(folder.path(), &arguments).contains("the hint tape is exhausted"));
    fs::write(folder.path().join("square.rs"), SQUARE).unwrap();
    assert!(prove(folder.path(), "", None).status.success());
    for (bits, words) in [
        ("0", "another program: the table of the proof's program has"),
        ("110", "expected at least 110"),
    ] {
        let more = [
            "verify",
            "square.proof",
            "--program",
            program,
            "--min-bits",
            bits,
        ];
        let errors = failure(folder.path(), &[&more[..], &calls].concat());
        assert!(errors.contains(words), "{errors}");
    }
}
