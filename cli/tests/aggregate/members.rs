//! `droste member` and `droste verify-member`.

use super::*;

/// `droste verify-member` accepts what `droste member` writes for each leaf, and nothing else.
pub fn leaves_are_members(folder: &TempDir, key: &str, claim: &str, bits: u64) {
    let inspected = json(folder, "inspect FOLDER/both");
    assert_eq!(inspected["leaves"], 2);
    let keys: Vec<&str> = (0..2)
        .map(|leaf| text(&inspected["tree"]["children"][leaf]["children"][0], "key"))
        .collect();
    let verify = format!("verify-member FOLDER/member --claim {claim} --key {key} --min-bits 1");
    let statements = ["5,120", "4,3"];
    for leaf in [0, 1] {
        let made = json(
            folder,
            &format!("member FOLDER/both --leaf {leaf} -o FOLDER/member"),
        );
        assert_eq!((text(&made, "claim"), text(&made, "key")), (claim, key));
        let (own, statement) = (keys[leaf], statements[leaf]);
        let options = format!("--leaf {own} --statement {statement} --position {leaf}.0");
        let shown = json(folder, &format!("{verify} {options}"));
        assert_eq!(text(&shown, "leaf_key"), own);
        assert_eq!(text(&shown, "position"), format!("{leaf}.0"));
        assert!(shown["proven_bits"].as_u64().unwrap() >= bits);
        let both = format!("{verify} --leaf {} --leaf {}", keys[0], keys[1]);
        assert_eq!(json(folder, &both)["statement"], shown["statement"]);
        let other = keys[1 - leaf];
        let words = format!("{own} is the key of a leaf, but not one of the keys");
        fails(folder, &format!("{verify} --leaf {other}"), 1, &words);
        let words = format!("the leaf is at {leaf}.0, expected at 7");
        fails(
            folder,
            &format!("{verify} --any-leaf --position 7"),
            1,
            &words,
        );
    }
    fails(folder, &verify, 2, "nothing says which leaves to accept");
    let verify = format!("{verify} --any-leaf");
    assert_eq!(json(folder, &verify)["accepted_leaves"], "any");
    // Whoever makes one has checked nothing but that the file is consistent in itself.
    let made = "member FOLDER/both --leaf 1 -o FOLDER/member";
    assert_eq!(json(folder, made)["keys_are"], "claimed");
    let printed = String::from_utf8(droste(folder, made).stdout).unwrap();
    assert!(
        printed.contains("4,3,0,0,0,0,0,0, as the file claims"),
        "{printed}"
    );
    let printed = droste(folder, &verify);
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(printed.contains("4,3,0,0,0,0,0,0"), "{printed}");
    assert!(
        printed.starts_with("accepted: a leaf of any program, "),
        "{printed}"
    );
    let words = "element 1 of the statement is 3, expected 4";
    fails(folder, &format!("{verify} --statement 4,4"), 1, words);
    let words = "9 elements of the statement were given";
    let nine = "4,3,0,0,0,0,0,0,0";
    fails(folder, &format!("{verify} --statement {nine}"), 1, words);

    // Another claim, key or security.
    let other = "0".repeat(64);
    let member = "verify-member FOLDER/member --min-bits 0 --any-leaf";
    let arguments = format!("{member} --claim {other} --key {key}");
    fails(folder, &arguments, 1, "do not hash to the claim");
    let arguments = format!("{member} --claim {claim} --key {other}");
    let words = format!("the key set is {key}, expected {other}");
    fails(folder, &arguments, 1, &words);
    let arguments = format!("{member} --claim {claim} --key {}", keys[1]);
    fails(
        folder,
        &arguments,
        1,
        "which this file has as a program key",
    );
    let arguments = format!("verify-member FOLDER/member --claim {claim} --key {key} --any-leaf");
    fails(folder, &arguments, 1, "expected at least 100");
    fails(folder, &format!("{member} --claim {claim}"), 2, "--key");

    // No such leaf, and other files.
    let arguments = "member FOLDER/both --leaf 2 -o FOLDER/none";
    fails(
        folder,
        arguments,
        1,
        "there is no leaf 2: the tree has 2 leaves",
    );
    let arguments = "member FOLDER/factorial.proof --leaf 0 -o FOLDER/none";
    fails(folder, arguments, 1, "not an aggregate");
    let arguments = format!("verify-member FOLDER/both --claim {claim} --key {key}");
    fails(folder, &arguments, 1, "not a membership");
    let verify = format!("verify FOLDER/member --key {key} --claim {claim}");
    for arguments in [&verify, "inspect FOLDER/member"] {
        fails(folder, arguments, 2, "this is a membership");
    }
    assert!(!file(folder, "none").exists());
}
