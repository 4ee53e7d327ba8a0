//! Code that is run, and mistakes.

use super::*;
use crate::machine::{return_words, run, words};

fn assemble(build: impl FnOnce(&mut Assembler)) -> Result<Code, AssemblerError> {
    let mut assembler = Assembler::new();
    build(&mut assembler);
    assembler.assemble()
}

fn number(value: u64) -> Expr {
    value.into()
}

#[test]
fn pushes_are_as_short_as_they_can_be() {
    let word = Word::from_limbs([0, 0, 0, 1 << 63]);
    let code = assemble(|a| {
        for value in [0.into(), 1.into(), 255.into(), 256.into(), word] {
            a.push(value);
        }
    });
    let mut expected = vec![0x5f, 0x60, 1, 0x60, 255, 0x61, 1, 0, 0x7f, 0x80];
    expected.extend([0; 32]);
    *expected.last_mut().unwrap() = 0;
    // The last of the zeros is the instruction that ends the code.
    assert_eq!(code.unwrap().bytes, expected);
}

#[test]
fn functions_loops_and_tables_run() {
    let code = assemble(|a| {
        a.bind("sum", 0);
        a.bind("i", number(0).calldata());
        a.repeat_while(|a| {
            a.set("sum", call("plus_square", [var("sum"), var("i")]));
            a.set("i", var("i") - 1);
            var("i")
        });
        a.run_if(var("sum").lt(100), |a| a.call("note", [number(7)]));
        a.bind("parity", 0);
        let is_odd = var("sum") & 1;
        a.run_either(is_odd, |a| a.set("parity", 1), |a| a.set("parity", 2));
        a.run(
            Op::CodeCopy,
            [number(28), Expr::Data("table".into()), number(4)],
        );
        let table = load(0);
        a.bind("table", table);
        return_words(a, [var("sum"), load(0x80), var("table"), var("parity")]);
        a.function("plus_square", ["x", "y"], |a| {
            a.bind("square", var("y") * var("y"));
            Some(take("square") + var("x"))
        });
        a.function("note", ["x"], |a| {
            a.store(0x80, var("x"));
            None
        });
        a.table("table", vec![0x5b, 1, 2, 3]);
    });
    let code = code.unwrap();
    for (n, noted) in [(4, 7), (9, 0)] {
        let sum = (1..=n).map(|i| i * i).sum::<u64>();
        let found = words(&code, &Word::from(n).to_be_bytes()).unwrap();
        let parity = 2 - sum % 2;
        assert_eq!(found, [sum, noted, 0x5b01_0203, parity].map(Word::from));
    }
    for line in [
        "sum := plus_square(sum, i) // ",
        "function plus_square(x, y) -> result { // ",
        "switch and(sum, 1) // ",
        "codecopy(28, dataoffset(\"table\"), 4) // ",
        "data \"table\" hex\"5b010203\"",
    ] {
        assert!(code.yul.contains(line), "{line}");
    }
}

#[test]
fn kept_constants_are_loaded() {
    let word = Word::from_limbs([1, 2, 3, 4]);
    let code = assemble(|a| {
        a.function("early", [], |_| Some(word.into()));
        a.keep(word, 0x80);
        a.function("late", [], |_| Some(word.into()));
        return_words(a, [call("early", []), call("late", []), word.into()]);
    });
    let code = code.unwrap();
    assert_eq!(words(&code, &[]).unwrap(), [word; 3]);
    let constant = word.to_string();
    assert_eq!(code.yul.matches(&constant).count(), 2);
}

#[test]
fn it_reverts_where_told() {
    let code = assemble(|a| {
        a.revert_if(number(0).calldata().lt(5));
        return_words(a, [number(1)]);
    });
    let code = code.unwrap();
    assert_eq!(run(&code, &Word::from(4).to_be_bytes()), None);
    assert!(run(&code, &Word::from(5).to_be_bytes()).is_some());
}

#[test]
fn mistakes_are_refused() {
    use AssemblerError::*;
    let name = |name: &'static str| Name::from(name);
    let unknown = assemble(|a| a.set("x", 1));
    assert_eq!(unknown, Err(NoVariable(name("x"))));
    let unnamed = assemble(|a| {
        a.push(1);
        a.set("", 1);
    });
    assert_eq!(unnamed, Err(NoVariable(name(""))));
    let covered = assemble(|a| {
        a.bind("x", 1);
        a.bind("y", 2);
        a.bind("z", take("x"));
    });
    assert_eq!(covered, Err(NotOnTop(name("x"))));
    let deep = assemble(|a| {
        a.bind("x", 1);
        (0..16).for_each(|_| a.push(0));
        a.push(var("x"));
    });
    assert_eq!(deep, Err(TooDeep(name("x"))));
    assert_eq!(
        assemble(|a| a.op(Op::Add)),
        Err(Underflow("add".to_owned()))
    );
    let growing = assemble(|a| {
        a.bind("x", 1);
        a.repeat_while(take_and_return);
    });
    assert!(matches!(
        growing,
        Err(Height {
            expected: 1,
            found: 0,
            ..
        })
    ));
    let missing = assemble(|a| a.call("f", []));
    assert_eq!(missing, Err(Undefined(name("f"))));
    let missing = assemble(|a| a.push(Expr::Data(name("t"))));
    assert_eq!(missing, Err(Undefined(name("t"))));
    let twice = assemble(|a| (0..2).for_each(|_| a.function("f", [], |_| None)));
    assert_eq!(twice, Err(DefinedTwice(name("f"))));
    let signature = |error| matches!(error, Err(Signature { .. }));
    assert!(signature(assemble(|a| {
        a.call("f", [number(1)]);
        a.function("f", ["x", "y"], |_| None);
    })));
    assert!(signature(assemble(|a| {
        a.function("f", ["x"], |_| None);
        a.push(call("f", [number(1)]));
    })));
    let placeless = encode(&[Item::Label(0), Item::PushLabel(1)]);
    assert_eq!(placeless, Err(NoPlace(1)));
    let long = assemble(|a| a.table("t", vec![0; 1 << 16]));
    assert!(matches!(long, Err(TooLong(_))));
}

/// Removes the variable `x` and returns a condition.
fn take_and_return(a: &mut Assembler) -> Expr {
    a.op(Op::Pop);
    1.into()
}
