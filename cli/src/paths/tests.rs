//! The paths of all commands, and files in temporary folders.

use std::any::TypeId;
use std::ffi::OsString;

use clap::CommandFactory;

use super::*;
use crate::Arguments;

/// Calls `visit` with every command that has no subcommands, and with the words that lead to it.
fn visit_commands(
    command: &Command,
    words: &[String],
    visit: &mut impl FnMut(&Command, &[String]),
) {
    let mut has_subcommands = false;
    for command in command.get_subcommands() {
        has_subcommands = true;
        let words = [words, &[command.get_name().to_owned()]].concat();
        visit_commands(command, &words, visit);
    }
    if !has_subcommands {
        visit(command, words);
    }
}

fn visit_all(visit: &mut impl FnMut(&Command, &[String])) {
    let mut command = Arguments::command();
    command.build();
    visit_commands(&command, &["droste".to_owned()], visit);
}

/// What a command does with an argument, if that is a path.
fn role(argument: &Arg) -> Option<Role> {
    let found = argument.get_value_parser().type_id();
    let roles = [
        (TypeId::of::<Input>(), Role::Read),
        (TypeId::of::<Output>(), Role::Write),
        (TypeId::of::<Kept>(), Role::Keep),
    ];
    let role = roles.into_iter().find(|(id, _)| found == *id);
    role.map(|(_, role)| role)
}

/// A path of another type would not be compared with those of these.
#[test]
fn every_path_has_a_role() {
    let mut roles = vec![];
    visit_all(&mut |command, words| {
        for argument in command.get_arguments() {
            let found = argument.get_value_parser().type_id();
            let others = [TypeId::of::<PathBuf>(), TypeId::of::<OsString>()];
            let is_untyped = others.iter().any(|other| found == *other);
            assert!(!is_untyped, "{words:?}: {}", argument.get_id());
            roles.extend(role(argument));
        }
    });
    let count = |role: Role| roles.iter().filter(|found| **found == role).count();
    let counts = [Role::Read, Role::Write, Role::Keep].map(count);
    assert!(counts.iter().all(|count| *count >= 5), "{counts:?}");
}

/// Gives every pair of paths of each command one name, of which the command changes what is there.
#[test]
fn one_name_for_two_paths_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one").display().to_string();
    let mut pairs = 0;
    let mut refused = |words: &[String], [first, second]: [&Arg; 2]| {
        let mut line = words.to_vec();
        for argument in [first, second] {
            if let Some(long) = argument.get_long() {
                line.push(format!("--{long}={path}"));
            } else {
                let before = argument.get_index().unwrap() - 1;
                line.extend(vec!["another".to_owned(); before]);
                line.push(path.clone());
            }
        }
        // Other arguments are missing.
        let mut command = Arguments::command().ignore_errors(true);
        let matches = command.try_get_matches_from_mut(&line).unwrap();
        let error = check(&command, &matches).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{line:?}: {error}");
        let error = error.to_string();
        for argument in [first, second] {
            assert!(error.contains(&name_of(argument)), "{line:?}: {error}");
        }
        pairs += 1;
    };
    visit_all(&mut |command, words| {
        let paths: Vec<(&Arg, Role)> = command
            .get_arguments()
            .filter_map(|argument| Some((argument, role(argument)?)))
            .collect();
        for (index, (first, role)) in paths.iter().enumerate() {
            for (second, other) in &paths[..index] {
                if [role, other] != [&Role::Read; 2] {
                    refused(words, [*second, *first]);
                }
            }
        }
    });
    assert!(pairs >= 30, "{pairs}");
}

fn refused(paths: &[(&Path, Role)]) -> bool {
    let named = paths.iter().zip(["FIRST", "--second", "--third"]);
    let named: Vec<_> = named
        .map(|((path, role), name)| Named::new(name, path, *role))
        .collect();
    match distinct(&named) {
        Ok(()) => false,
        Err(CommandError::Usage(message)) => {
            assert!(message.contains("are the same file"), "{message}");
            true
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn what_is_only_read_may_be_given_twice() {
    let one = Path::new("one");
    assert!(!refused(&[(one, Role::Read), (one, Role::Read)]));
    assert!(refused(&[
        (one, Role::Read),
        (one, Role::Read),
        (one, Role::Write)
    ]));
}

/// Through `.` and `..`, links to files and to folders, and hard links; files that are there, and
/// files that are not.
#[cfg(unix)]
#[test]
fn a_file_is_known_by_all_its_names() {
    use std::os::unix::fs::symlink;

    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("there"), b"").unwrap();
    fs::hard_link(path("there"), path("hard")).unwrap();
    symlink(path("there"), path("link")).unwrap();
    fs::create_dir(path("folder")).unwrap();
    symlink(path("folder"), path("other")).unwrap();
    symlink(folder.path(), path("folder/up")).unwrap();
    let same = |one: &str, two: &str| {
        let (one, two) = (path(one), path(two));
        let (one, two) = (one.as_path(), two.as_path());
        let found = refused(&[(one, Role::Read), (two, Role::Write)]);
        assert_eq!(found, refused(&[(one, Role::Write), (two, Role::Read)]));
        assert_eq!(found, refused(&[(one, Role::Keep), (two, Role::Write)]));
        assert_eq!(found, is_same(one, two));
        found
    };
    for name in ["there", "./there", "folder/../there", "hard", "link"] {
        assert!(same("there", name), "{name}");
        assert!(same("hard", name), "{name}");
    }
    for name in ["./missing", "folder/up/missing", "other/../missing"] {
        assert!(same("missing", name), "{name}");
    }
    assert!(same("folder/missing", "other/missing"));
    assert!(same("folder", "other"));
    for [one, two] in [
        ["there", "missing"],
        ["folder", "folder/there"],
        ["folder/there", "there"],
    ] {
        assert!(!same(one, two), "{one} {two}");
    }
    // Nothing is replaced there.
    let null = Path::new("/dev/null");
    assert!(!refused(&[(null, Role::Write), (null, Role::Write)]));
}

/// Exit code and words of what is wrong with the paths of a command line, which needs no others.
fn failure(line: &[&str]) -> Option<(u8, String)> {
    let mut command = Arguments::command().ignore_errors(true);
    let matches = command.try_get_matches_from_mut(line).unwrap();
    let error = check(&command, &matches).err()?;
    let causes = droste_verifier::summary::causes(&error);
    Some((error.exit_code(), causes))
}

#[test]
fn what_cannot_be_written_is_said_before_the_work() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let missing = path("no");
    let words = format!("the folder {missing} does not exist");
    let refused = |line: &[&str], words: &str| {
        let (code, text) = failure(line).unwrap();
        assert_eq!(code, 1, "{line:?}: {text}");
        assert!(text.contains(words), "{line:?}: {text}");
    };
    for (command, option) in [
        ("prove", "-o"),
        ("inspect", "--report"),
        ("run", "--profile"),
        ("aggregate", "--store"),
        ("exit", "--leaf-root"),
    ] {
        refused(&["droste", command, option, &path("no/x")], &words);
    }
    refused(&["droste", "new", &path("no/x")], &words);
    refused(&["droste", "xmss", "keygen", &path("no/x")], &words);
    let folder_name = folder.path().display().to_string();
    refused(&["droste", "prove", "-o", &folder_name], "is not a file");
    assert!(!Path::new(&missing).exists());
    // The folder of a key is made, and what is in it.
    let (key, witness) = (path("key"), path("key/witness"));
    let line = ["droste", "xmss", "keygen", &key, "--witness", &witness];
    assert_eq!(failure(&line), None);
    assert_eq!(failure(&["droste", "prove", "-o", &path("x")]), None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Paths are printed as JSON, whatever bytes they have.
#[cfg(unix)]
#[test]
fn paths_that_are_not_text_are_printed() {
    use std::os::unix::ffi::OsStringExt;

    let output = Output(OsString::from_vec(b"a\xff".to_vec()).into());
    let output = output.with_ending("claims.json");
    let printed = serde_json::to_string(&output).unwrap();
    assert_eq!(printed, "\"a\u{fffd}.claims.json\"");
}
