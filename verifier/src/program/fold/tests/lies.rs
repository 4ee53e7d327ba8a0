//! Lies that rules must refuse, in the machine and natively.

use super::*;

/// No hint but the developer's own is free. A rule without nodes takes any list, which its statement
/// binds.
#[test]
fn every_lane_of_the_glue_is_bound() {
    let (left, right) = (
        Said([9, 4, 2], span(5, 6, 7)),
        Said([3, 1, 5], span(6, 8, 2)),
    );
    let hints = merge_tape(&left, &right, 6);
    merge_rule().refuses_changes(&hints, 0..hints.len());
    let hints = append_tape(&FIRST);
    append_rule().refuses_changes(&hints, 0..hints.len());
    let import = Rule::new("import", &[of_fold(&[WRAP])], 0, || import_behind(&[WRAP]));
    let hints = import_tape(&[WRAP]);
    import.refuses_changes(&hints, 1..hints.len());
    let mut changed = hints.clone();
    add_one(&mut changed[0], 8);
    let (honest, other) = (import.run(&hints).unwrap(), import.run(&changed).unwrap());
    assert_ne!(honest, other);
}

#[test]
fn children_are_nodes_of_this_fold() {
    let rule = merge_rule();
    let (left, right) = (
        Said([9, 4, 2], span(5, 6, 7)),
        Said([3, 1, 5], span(6, 8, 2)),
    );
    let honest = merge_tape(&left, &right, 6);
    let lie = |item: usize, hint: Hint, reason: &str| {
        let mut hints = honest.clone();
        hints[item] = hint;
        rule.refuses(&hints, reason);
    };
    let rules = rules();
    let no_rule = "the child is no proof of a rule";
    lie(3, felt(1), no_rule);
    lie(3, felt(3), "");
    lie(1, slice(&[lanes(7), left.statement(&rules)]), no_rule);
    // A list in which the child's program is.
    let evil = [rules[0], lanes(7), rules[2], rules[3]];
    lie(0, slice(&evil), no_rule);
    let mut hints = honest.clone();
    hints[0] = slice(&evil);
    hints[1] = slice(&[lanes(7), left.statement(&rules)]);
    rule.refuses(&hints, "the child is of another family");
    // A rule that both lists have.
    let (child, [place, said]) = left.child(&evil, 1);
    let mut hints = honest.clone();
    (hints[1], hints[3], hints[4]) = (child, place, said);
    rule.refuses(&hints, "the child is of another family");
    let something_else = "the child says something else";
    lie(4, slice(&right.message(&rules)), something_else);
    lie(
        1,
        slice(&[lanes(1), right.statement(&rules)]),
        something_else,
    );
    // Of two states that the function takes, the one that the child has proved.
    let more = Said([9, 4, 2], span(5, 6, 8));
    lie(4, slice(&more.message(&rules)), something_else);
    let (_, machine) = rule.run(&merge_tape(&left, &left, 3)).unwrap_err();
    assert!(
        machine.contains("the second span begins elsewhere"),
        "{machine}"
    );
}

/// Children with counters out of range, which they have really proved.
#[test]
fn counters_of_children_are_bounded() {
    let rule = merge_rule();
    let (most, minus_one) = (1 << 24, F::ORDER_U32 - 1);
    let honest = Said([1, 0, 0], span(6, 8, 2));
    for counters in [
        [0, 0, 0],
        [minus_one, 0, 0],
        [most + 1, 0, 0],
        [1, most, 0],
        [1, minus_one, 0],
        [1, 0, most],
        [1, 0, minus_one],
    ] {
        let other = Said(counters, span(5, 6, 7));
        let depth = F::from_u32(counters[2]) + F::ONE;
        let hints = merge_tape(&other, &honest, depth.as_canonical_u32());
        rule.refuses(&hints, "right_shifts");
    }
    let largest = Said([most, most - 1, most - 1], span(5, 6, 7));
    let expected = Said([most + 2, most - 1, most], span(5, 8, 9)).statement(&rules());
    assert_eq!(rule.run(&merge_tape(&largest, &honest, most)), Ok(expected));
}

#[test]
fn the_depth_is_that_of_the_deepest_child() {
    let rule = merge_rule();
    let (left, right) = (
        Said([9, 4, 2], span(5, 6, 7)),
        Said([3, 1, 5], span(6, 8, 2)),
    );
    assert!(rule.run(&merge_tape(&left, &right, 6)).is_ok());
    for depth in [7, 8, 1 << 24] {
        let hints = merge_tape(&left, &right, depth);
        rule.refuses(&hints, "the depth is more than one above the deepest child");
    }
    for depth in [0, 3, 5, F::ORDER_U32 - 1] {
        rule.refuses(&merge_tape(&left, &right, depth), "right_shifts");
    }
    // It is the same whichever of the children is deeper.
    let (left, right) = (
        Said([9, 4, 5], span(5, 6, 7)),
        Said([3, 1, 5], span(6, 8, 2)),
    );
    assert!(rule.run(&merge_tape(&left, &right, 6)).is_ok());
}

#[test]
fn leaves_come_through_their_own_wraps() {
    let rule = append_rule();
    let [last, first, program] = FIRST;
    let last_wrap = "the child is no last wrap of such a proof";
    let something_else = "the wraps verified something else";
    let lies: [(&[[u32; 8]], &str); 8] = [
        (&[[10; 8], first, program], last_wrap),
        (&[last, [10; 8], program], something_else),
        (&[last, first, [10; 8]], something_else),
        // The same in another order, and paths of other lengths.
        (&[last, program, first], something_else),
        (&[first, last, program], last_wrap),
        (&[last, program], something_else),
        (&[last, first, first, program], something_else),
        (&[last], something_else),
    ];
    for (path, reason) in lies {
        rule.refuses(&append_tape(path), reason);
    }
    let mut hints = append_tape(&FIRST);
    hints[5] = slice(&[lanes(8)]);
    rule.refuses(&hints, something_else);
    // A node in the leaf's place.
    let node = Said([4, 3, 2], span(5, 6, 7)).child(&rules(), 0).0;
    let mut hints = append_tape(&FIRST);
    hints[2] = node;
    rule.refuses(&hints, last_wrap);
    // A leaf in the node's place.
    let mut hints = append_tape(&FIRST);
    hints[1] = leaf_child(&FIRST, lanes(9)).0;
    rule.refuses(&hints, "the child is no proof of a rule");
}

#[test]
fn another_fold_is_known_by_its_list() {
    type Import<'a> = (&'a [[u32; 8]], fn());
    let both: [Import<'_>; 2] = [
        (&[], || import_behind(&[])),
        (&[WRAP], || import_behind(&[WRAP])),
    ];
    for (wraps, main) in both {
        let rule = Rule::new("import", &[of_fold(wraps)], 0, main);
        // Another list with the key of the proof.
        let list = [old_rules()[0], lanes(7), lanes(32)];
        let mut hints = import_tape(wraps);
        let at = hints.iter().position(|hint| *hint == slice(&old_rules()));
        hints[at.unwrap()] = slice(&list);
        rule.refuses(&hints, "a list of another fold's rules");
    }
    // A direct proof in the place of a wrapped one, and the other way round.
    let wrapped = Rule::new("import", &[of_fold(&[WRAP])], 0, || import_behind(&[WRAP]));
    let mut hints = import_tape(&[WRAP]);
    hints[1] = import_tape(&[])[1].clone();
    wrapped.refuses(&hints, "the child is no last wrap of such a proof");
    let direct = Rule::new("import", &[of_fold(&[])], 0, || import_behind(&[]));
    let mut hints = import_tape(&[]);
    hints[1] = import_tape(&[WRAP])[1].clone();
    direct.refuses(&hints, "the child is no proof of a rule");
    // Another key behind the wrap than the one that it verified.
    let mut hints = import_tape(&[WRAP]);
    let said = Said([7, 20, 3], vec![lanes(5), lanes(6)]);
    hints[3] = slice(&[lanes(31), said.statement(&old_rules())]);
    wrapped.refuses(&hints, "the wraps verified something else");
}
