//! `droste hash` and `droste table`: digests equal those of other tools, tables have their columns,
//! wrong usage is reported.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};

use droste_native::hash::poseidon16::Poseidon16;
use serde_json::Value;
use tempfile::TempDir;

/// The 16 outputs of the Poseidon-16 permutation for the inputs 0 to 15.
const PERMUTED: &str = "610090613,935319874,1893335292,796792199,356405232,552237741,55134556,\
    1215104204,1823723405,1133298033,1780633798,1453946561,710069176,1128629550,1917333254,1175481618";

fn droste(arguments: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_droste"))
        .args(arguments.split(' '))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // With wrong usage the command may end before it reads its input, so writing may fail.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn text(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Messages with their digests in BLAKE3 and Keccak-256.
const DIGESTS: [(&str, &str, &str); 2] = [
    (
        "",
        "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
    ),
    (
        "abc",
        "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
        "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
    ),
];

#[test]
fn digests_are_those_of_other_tools() {
    let folder = TempDir::new().unwrap();
    for (message, blake3, keccak) in DIGESTS {
        let poseidon16 = hex(&Poseidon16.hash_bytes(message.as_bytes()));
        let path = folder.path().join("message");
        fs::write(&path, message).unwrap();
        for (hash, digest) in [
            ("poseidon16", poseidon16.as_str()),
            ("blake3", blake3),
            ("keccak", keccak),
        ] {
            for source in [
                String::new(),
                " -".to_owned(),
                format!(" {}", path.display()),
            ] {
                let printed = text(&droste(&format!("hash {hash}{source}"), message.as_bytes()));
                assert_eq!(printed.trim_end(), digest);
            }
            let printed = text(&droste(
                &format!("hash {hash} --format json"),
                message.as_bytes(),
            ));
            let json: Value = serde_json::from_str(&printed).unwrap();
            assert_eq!(json["hash"], hash);
            assert_eq!(json["digest"], digest);
        }
    }
}

#[test]
fn permutations_are_printed() {
    let list = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15";
    let printed = text(&droste(&format!("hash poseidon16 --permute {list}"), &[]));
    assert_eq!(printed.trim_end(), PERMUTED);
}

#[test]
fn tables_have_their_columns() {
    // Constraints of Poseidon are counted in `air/src/poseidon16/README.md` and in that of
    // `poseidon2`.
    for (hash, rows, main, constraints) in [
        ("poseidon16", 1_u64, 164, Some(148)),
        ("poseidon2", 1, 164, Some(148)),
        ("blake3", 1, 8271, None),
        ("keccak", 24, 2471, None),
    ] {
        let shape = |options: &str| -> Value {
            let arguments = format!("table {hash} {options}--format json");
            serde_json::from_str(&text(&droste(&arguments, &[]))).unwrap()
        };
        let table = shape("");
        assert_eq!(table["table"], hash);
        assert_eq!(table["main"], main);
        assert_eq!(table["degree"], 3);
        assert_eq!(table["rows_per_permutation"], rows);
        assert_eq!(table["cells_per_permutation"], rows * main);
        assert!(table["height"].is_null());
        let found = table["constraints"].as_u64().unwrap();
        assert!(
            constraints.is_none_or(|expected| found == expected),
            "{found}"
        );

        let table = shape("--count 3 ");
        let height = (3 * rows).next_power_of_two();
        assert_eq!(table["count"], 3);
        assert_eq!(table["height"], height);
        assert_eq!(table["fft_cost"], main * height * u64::from(height.ilog2()));
    }
    let printed = text(&droste("table keccak", &[]));
    assert!(
        printed.contains("cells per permutation  59304\n"),
        "{printed}"
    );
}

#[test]
fn wrong_usage_exits_2_and_failures_1() {
    let fifteen = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14";
    for (arguments, code) in [
        ("hash sha256".to_owned(), 2),
        ("hash".to_owned(), 2),
        ("hash blake3 --format xml".to_owned(), 2),
        ("hash blake3 /no/such/file".to_owned(), 1),
        (format!("hash poseidon16 --permute {fifteen}"), 2),
        (format!("hash poseidon16 --permute {fifteen},2130706433"), 2),
        (format!("hash poseidon16 --permute {fifteen},-1"), 2),
        (format!("hash poseidon2 --permute {fifteen}"), 2),
        (format!("hash poseidon2 --permute {fifteen},15,16"), 2),
        (format!("hash blake3 --permute {fifteen},15"), 2),
        (format!("hash poseidon16 - --permute {fifteen},15"), 2),
        ("table".to_owned(), 2),
        ("table poseidon16 --count 0".to_owned(), 2),
        ("table poseidon16 --count 524289".to_owned(), 2),
        ("table poseidon16 --count 1152921504606846976".to_owned(), 2),
        ("table sha256".to_owned(), 2),
        // Endless files.
        ("hash blake3 /dev/zero --limit 1000000".to_owned(), 1),
        ("hash blake3 --limit -1".to_owned(), 2),
        ("compile /dev/zero".to_owned(), 1),
        (
            "run /no/such/file --limit 1152921504606846976".to_owned(),
            2,
        ),
        ("prove /no/such/file -o /no/such/folder/file".to_owned(), 1),
        ("verify /dev/zero --program /no/such/file".to_owned(), 1),
        ("inspect /dev/zero".to_owned(), 1),
    ] {
        let output = droste(&arguments, &[]);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {output:?}");
        assert!(output.stdout.is_empty(), "{arguments}");
        assert!(!output.stderr.is_empty(), "{arguments}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!error.contains("panicked"), "{arguments}: {error}");
    }
}

/// With `--format json` the last line of standard output says why a command failed: what standard
/// error says, its causes and the exit code.
#[test]
fn refusals_are_json() {
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("program.rs");
    fs::write(&program, "pub fn main() { let x = y; }").unwrap();
    let program = program.display();
    for (arguments, code, words) in [
        (
            "inspect /no/such/file --format json".to_owned(),
            1,
            "No such file",
        ),
        ("--format=json hash sha256".to_owned(), 2, "sha256"),
        (
            "--format json hash poseidon16 --permute 1".to_owned(),
            2,
            "16",
        ),
        ("prove --format json".to_owned(), 2, "required"),
        (format!("compile {program} --format json"), 1, "y"),
    ] {
        let output = droste(&arguments, &[]);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {output:?}");
        let printed = String::from_utf8(output.stdout).unwrap();
        let refusal: Value = serde_json::from_str(&printed).unwrap();
        assert_eq!(refusal["exit_code"], code, "{arguments}: {refusal}");
        let error = refusal["error"].as_str().unwrap();
        assert!(error.contains(words), "{arguments}: {error}");
        let told = String::from_utf8_lossy(&output.stderr);
        let mut lines = error.lines().map(str::trim);
        assert!(lines.all(|line| told.contains(line)), "{error}: {told}");
        let causes = refusal["causes"].as_array().unwrap();
        assert!(!causes.is_empty(), "{refusal}");
        for cause in causes {
            assert!(error.contains(cause.as_str().unwrap()), "{refusal}");
        }
    }
    let file = &droste("inspect /no/such/file --format json", &[]).stdout;
    let refusal: Value = serde_json::from_slice(file).unwrap();
    assert_eq!(refusal["causes"][0], "/no/such/file");
    assert_eq!(refusal["causes"].as_array().unwrap().len(), 2);
    // Help is no refusal, and tables have none.
    assert!(text(&droste("--format json --help", &[])).contains("Usage"));
    assert!(droste("inspect /no/such/file", &[]).stdout.is_empty());
}

/// Malformed or oversized sources, inputs and hints end in an error, not in a panic.
#[test]
fn hostile_files_end_in_an_error() {
    let folder = TempDir::new().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let factorial = file(
        "factorial.rs",
        droste_programs::source("factorial").unwrap(),
    );
    let (open, close) = ("(".repeat(10_000), ")".repeat(10_000));
    let nested = format!("pub fn main() {{ let x = {open}1{close}; }}");
    let nested = file("nested.rs", &nested);
    let not_text = folder.path().join("bytes.rs");
    fs::write(&not_text, [0xff; 64]).unwrap();
    let huge = file("huge.json", &"[".repeat(1 << 20));
    let number = file("number.json", r#"[{"felt": 1152921504606846976}]"#);
    let row = file("row.json", r#"[{"slice": [[1, 2]]}]"#);
    for (arguments, code, words) in [
        (format!("run {nested}"), 1, "nested too deeply"),
        (format!("compile {nested}"), 1, "nested too deeply"),
        (format!("key {nested}"), 1, "nested too deeply"),
        (format!("cost --program {nested}"), 1, "nested too deeply"),
        (
            format!("run {}", not_text.display()),
            1,
            "is not text in UTF-8",
        ),
        (
            format!("run {factorial} --public 5 --hints {huge}"),
            1,
            "line 1 column",
        ),
        (
            format!("run {factorial} --public 5 --hints {number}"),
            1,
            "invalid value",
        ),
        (
            format!("run {factorial} --public 5 --hints {row}"),
            1,
            "invalid length",
        ),
        (format!("run {factorial} --public 2130706432"), 1, ""),
        (format!("run {factorial} --public 5 --limit 3"), 1, ""),
        (
            format!("cost --program {factorial} --queries 1152921504606846976"),
            2,
            "num_queries",
        ),
        (
            format!("key {factorial} --blowup 1152921504606846976"),
            2,
            "no preset has blowup",
        ),
    ] {
        let output = droste(&arguments, &[]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments}: {error}");
        assert!(error.contains(words), "{arguments}: {error}");
        assert!(!error.contains("panicked"), "{arguments}: {error}");
    }
}

/// A pipe that nobody writes to is refused by name wherever a file is read; it would be waited for.
#[cfg(unix)]
#[test]
fn pipes_without_a_writer_are_refused() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let pipe = path("a.proof");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let key = "0".repeat(64);
    let (folder, output) = (folder.path().display(), path("none"));
    for (arguments, words) in [
        (format!("hash blake3 {pipe}"), "nobody writes"),
        (format!("compile {pipe}"), "nobody writes"),
        (format!("verify {pipe} --key {key}"), "nobody writes"),
        (format!("xmss verify --json {pipe}"), "nobody writes"),
        (format!("cost --from {pipe}"), "nobody writes"),
        (
            format!("aggregate --list {pipe} -o {output}"),
            "nobody writes",
        ),
        // Leaves are read more than once.
        (format!("aggregate {folder} -o {output}"), "is not a file"),
        (format!("aggregate {pipe} -o {output}"), "is not a file"),
    ] {
        let output = droste(&arguments, &[]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {error}");
        assert!(error.contains(words), "{arguments}: {error}");
        assert!(error.contains("a.proof"), "{arguments}: {error}");
    }
}

/// Outputs that are inputs or other outputs, under whatever names, are refused before anything is
/// done, and nothing changes.
#[test]
fn outputs_replace_nothing() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let content = "what cannot be made again";
    fs::write(path("a"), content).unwrap();
    fs::write(path("b.rs"), content).unwrap();
    fs::write(path("list"), "a b.rs").unwrap();
    fs::hard_link(path("a"), path("hard")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(path("a"), path("link")).unwrap();
    #[cfg(not(unix))]
    fs::hard_link(path("a"), path("link")).unwrap();
    for (arguments, first, second) in [
        (
            "xmss aggregate a --registry b.rs -o a",
            "--output a",
            "FILES a",
        ),
        (
            "xmss aggregate a --registry b.rs -o y --signers y",
            "--output y",
            "--signers y",
        ),
        (
            "xmss aggregate a --registry b.rs -o y --signers ./a",
            "--signers ./a",
            "FILES a",
        ),
        // No option names the signers of a fold.
        (
            "xmss aggregate --fold a --registry b.rs -o a.signers.json",
            "--output a.signers.json",
            "the signers a.signers.json",
        ),
        (
            "xmss aggregate --fold a --registry b.rs -o y --signers ./a.signers.json",
            "--signers ./a.signers.json",
            "the signers a.signers.json",
        ),
        (
            "exit a -o e --leaf-root ./e",
            "--leaf-root ./e",
            "--output e",
        ),
        ("exit a -o hard", "--output hard", "AGGREGATE a"),
        ("inspect a --report link", "--report link", "PROOF a"),
        ("run b.rs --profile b.rs", "--profile b.rs", "FILE b.rs"),
        (
            "hashes prove --hash blake3 a -o ./h --list-out h",
            "--output ./h",
            "--list-out h",
        ),
        ("prove b.rs --hints a -o link", "--output link", "--hints a"),
        (
            "wrap a --program b.rs -o b.rs",
            "--output b.rs",
            "--program b.rs",
        ),
        ("join a link -o hard", "--output hard", "AGGREGATES a"),
        ("aggregate a -o a", "--output a", "LEAF a"),
        ("aggregate a -o s --store s", "--store s", "--output s"),
        ("member a --leaf 0 -o a", "--output a", "AGGREGATE a"),
        ("cost --from a --report hard", "--report hard", "--from a"),
        // No option names these.
        (
            "aggregate --list list -o hard",
            "--output hard",
            "the leaf a",
        ),
        (
            "aggregate --list list -o b.rs",
            "--output b.rs",
            "the program b.rs",
        ),
        ("aggregate b -o b.rs", "--output b.rs", "the program b.rs"),
        (
            "aggregate b -o b.public",
            "--output b.public",
            "the public inputs b.public",
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_droste"))
            .current_dir(folder.path())
            .args(arguments.split(' '))
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {error}");
        let expected = format!("{first} and {second} are the same file");
        assert!(error.contains(&expected), "{arguments}: {error}");
    }
    for name in ["a", "b.rs", "hard", "link"] {
        assert_eq!(fs::read_to_string(path(name)).unwrap(), content);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5);
}

/// An output that cannot be written is named before the program, which does not exist, is read. A
/// limit of the size of files stands for a full disk.
#[cfg(unix)]
#[test]
fn outputs_are_checked_before_the_work() {
    let folder = TempDir::new().unwrap();
    let fails = |script: &str, words: &str| {
        let output = Command::new("sh")
            .current_dir(folder.path())
            .args(["-c", script, env!("CARGO_BIN_EXE_droste")])
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{script}: {error}");
        assert!(error.contains(words), "{script}: {error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{script}");
    };
    let missing = "droste: no/x: the folder no does not exist";
    fails(r#"exec "$0" prove none -o no/x"#, missing);
    fails(r#"exec "$0" aggregate none -o no/x"#, missing);
    fails(r#"exec "$0" aggregate none -o x --store no/x"#, missing);
    fails(r#"exec "$0" prove none -o ."#, "droste: .: is not a file");
    let full = r#"trap '' XFSZ; ulimit -f 100; exec "$0" prove none -o x"#;
    fails(full, "droste: x: File too large");
    fails(r#"exec "$0" prove none -o x"#, "droste: none: ");
}

/// What reads a pipe gets the result, although the pipe is opened before the work.
#[cfg(unix)]
#[test]
fn a_pipe_is_an_output() {
    let folder = TempDir::new().unwrap();
    let source = droste_programs::source("factorial").unwrap();
    fs::write(folder.path().join("factorial.rs"), source).unwrap();
    // Until somebody reads the pipe, the command refuses it.
    let script = r#"mkfifo pipe; cat pipe >read &
        for attempt in 1 2 3 4 5 6 7 8 9; do
            if "$0" run factorial.rs --public 5 --profile pipe; then break; fi
            sleep 0.1
        done
        wait; grep "</svg>" read"#;
    let output = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", script, env!("CARGO_BIN_EXE_droste")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
}
