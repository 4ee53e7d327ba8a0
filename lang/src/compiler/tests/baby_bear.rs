//! Programs whose `Ext`s are elements of BabyBear^4.

use std::collections::BTreeSet;

use droste_native::precompile::{Block, baby_bear_dot, baby_bear_to_block};
use droste_native::{BabyBear, BabyBear4};
use p3_field::{BasedVectorSpace, Field, PrimeField32};

use super::*;
use crate::isa::{Op, id};

const MODULUS: u32 = BabyBear::ORDER_U32;

fn element(coefficients: [u32; 4]) -> BabyBear4 {
    BabyBear4::from_basis_coefficients_fn(|i| BabyBear::from_u32(coefficients[i]))
}

/// A tape with these elements, each as its block.
fn tape_of(elements: &[BabyBear4]) -> Tape {
    let mut tape = Tape::default();
    for element in elements {
        tape.slice(&[baby_bear_to_block(*element)]);
    }
    tape
}

/// The lanes of a block of four words.
fn words(words: [u32; 4]) -> Block {
    std::array::from_fn(|lane| F::from_u32(words[lane / 2] >> (16 * (lane % 2)) & 0xffff))
}

fn compiled(items: &str, body: &str) -> Compiled {
    match compile(&main_of(items, &format!("baby_bear();\n{body}")), &[]) {
        Ok(compiled) => compiled,
        Err(error) => panic!("{:?}", miette::Report::new(*error)),
    }
}

fn statement(compiled: &Compiled, tape: &Tape) -> Block {
    match execute(compiled, &[], tape, 1 << 20) {
        Ok(execution) => execution.statement,
        Err(error) => panic!("{:?}", miette::Report::new(error)),
    }
}

/// The error of a run.
fn failure(compiled: &Compiled, tape: &Tape) -> String {
    let error = execute(compiled, &[], tape, 1 << 20);
    error.expect_err("the run succeeds").to_string()
}

/// Returns the identities of the precompiles that a program calls.
fn called(compiled: &Compiled) -> Vec<u32> {
    let instructions = compiled.program.instructions.iter();
    let calls = instructions.filter(|instruction| instruction.op == Op::Call);
    calls.map(|instruction| instruction.id).collect()
}

/// Returns the number of calls of `baby_bear`.
fn products(compiled: &Compiled) -> usize {
    let called = called(compiled);
    called
        .iter()
        .filter(|found| **found == id::BABY_BEAR)
        .count()
}

const REVEAL: &str = "let block = result.as_block();
    for i in 0..8 { reveal(block.lane(i)); }";

/// A pseudorandom sequence (Knuth's MMIX generator).
struct Random(u64);

impl Random {
    fn draw(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6364136223846793005);
        self.0 = self.0.wrapping_add(1442695040888963407);
        (self.0 >> 33) as u32
    }

    fn below(&mut self, bound: usize) -> usize {
        self.draw() as usize % bound
    }

    /// An element of the base field, which often is at an end of its range.
    fn integer(&mut self) -> u32 {
        match self.below(6) {
            0 => 0,
            1 => 1,
            2 => MODULUS - 1,
            _ => self.draw() % MODULUS,
        }
    }

    fn coefficients(&mut self) -> [u32; 4] {
        std::array::from_fn(|_| self.integer())
    }
}

/// Returns the body of a program of random operations, its tape, and its result.
fn generated(seed: u64) -> (String, Tape, BabyBear4) {
    let mut random = Random(seed);
    let hints: [_; 3] = std::array::from_fn(|_| element(random.coefficients()));
    let mut values = hints.to_vec();
    let mut body = String::new();
    for i in 0..hints.len() {
        body += &format!("let x{i} = hint_ext().checked();\n");
    }
    for _ in 0..24 {
        let [a, b, c] = std::array::from_fn(|_| random.below(values.len()));
        let (x, y, z) = (values[a], values[b], values[c]);
        let integer = random.integer();
        let scalar = BabyBear::from_u32(integer);
        let (text, value) = match random.below(12) {
            0 => (format!("x{a} + x{b}"), x + y),
            1 => (format!("x{a} - x{b}"), x - y),
            2 => (format!("x{a} * x{b}"), x * y),
            3 => (format!("-x{a}"), -x),
            4 if x != BabyBear4::ZERO => (format!("x{a}.inverse()"), x.inverse()),
            5 => (format!("x{a} * felt({integer})"), x * scalar),
            6 => (format!("x{a} - felt({integer})"), x - scalar),
            7 => (format!("x{a} + felt({integer})"), x + scalar),
            8 => (format!("x{a} * x{b} + x{c}"), x * y + z),
            9 => (format!("x{a} - x{b} * x{c}"), x - y * z),
            10 => {
                let [p, q, r, s] = random.coefficients();
                let text = format!("Ext::new([{p}, {q}, {r}, {s}, 0])");
                (text, element([p, q, r, s]))
            }
            _ => (format!("x{a}.as_block().as_ext()"), x),
        };
        body += &format!("let x{} = {text};\n", values.len());
        values.push(value);
    }
    let last = values.len() - 1;
    body += &format!("let result = x{last} + x{} * x{};\n", last - 1, last - 2);
    let result = values[last] + values[last - 1] * values[last - 2];
    (body + REVEAL, tape_of(&hints), result)
}

#[test]
fn arithmetic_agrees_with_the_field() {
    for seed in 0..60 {
        let (body, tape, expected) = generated(seed);
        let compiled = compiled("", &body);
        let called: BTreeSet<u32> = called(&compiled).into_iter().collect();
        assert!(called.contains(&id::BABY_BEAR));
        assert!([id::EXT, id::EXT4].iter().all(|id| !called.contains(id)));
        let found = statement(&compiled, &tape);
        assert_eq!(found, baby_bear_to_block(expected), "{body}");
    }
}

#[test]
fn constants_are_of_the_field() {
    // Each is folded while compiling.
    let body = "
        let a = Ext::new([2013265920, 1, 2, 3, 0]);
        let x = Ext::new([0, 1, 0, 0, 0]);
        assert_eq!(a + Ext::ONE, Ext::new([0, 1, 2, 3, 0]));
        assert_eq!(Ext::ZERO - Ext::ONE, Ext::new([2013265920, 0, 0, 0, 0]));
        assert_eq!(-a, Ext::new([1, 2013265920, 2013265919, 2013265918, 0]));
        assert_eq!(x * x * x * x, Ext::new([11, 0, 0, 0, 0]));
        assert_eq!(a * a.inverse(), Ext::ONE);
        assert_eq!(a + felt(1), Ext::new([0, 1, 2, 3, 0]));
        assert_eq!(Ext::from_felt(felt(2)).inverse(), Ext::new([1006632961, 0, 0, 0, 0]));
        assert_eq!((-a).coeff(2), felt(2013265919));
        assert_eq!(Ext::ONE.as_block().lane(0), felt(65534));
        assert_eq!(Ext::ONE.as_block().as_ext(), Ext::ONE);
        assert_eq!(felt(Ext::modulus()), felt(2013265921));
        assert_eq!(Ext::degree(), 4);
        assert!(a == a + Ext::ZERO && a != x);";
    let compiled = compiled("", body);
    assert_eq!(products(&compiled), 0);
    assert_eq!(statement(&compiled, &Tape::default()), [F::ZERO; 8]);
    assert_eq!(
        outputs("", "reveal(felt(Ext::modulus() - 1));"),
        [droste_native::field::MODULUS - 1]
    );
}

/// A Felt is of KoalaBear, whatever is beside it: what it comes to there is the integer that counts.
#[test]
fn felts_beside_an_element_are_computed_over_koala_bear() {
    let body = "
        let x = Ext::new([1, 0, 0, 0, 0]);
        let half = felt(2).inverse();
        assert_eq!(x * half, Ext::new([1065353217, 0, 0, 0, 0]));
        assert_eq!(x * half * felt(2), Ext::new([117440513, 0, 0, 0, 0]));
        assert_eq!(x * Ext::new([2, 0, 0, 0, 0]).inverse() * felt(2), x);
        assert_eq!(x * (-felt(117440513)), -x);
        assert_eq!(x * (felt(65536) * felt(65536)), Ext::new([33554430, 0, 0, 0, 0]));
        assert_eq!(Ext::from_felt(half), x * half);";
    let compiled = compiled("", body);
    assert_eq!(products(&compiled), 0);
    assert_eq!(statement(&compiled, &Tape::default()), [F::ZERO; 8]);
}

/// A check of words that come from outside stays, whether or not their element is used, and
/// wherever it is.
#[test]
fn words_are_checked_though_nothing_uses_them() {
    let never = "#[inline(never)]\nfn check(data: Slice) { let _x = data.block(0).as_ext(); }";
    for (items, body) in [
        ("", "let _x = hint_ext().checked();"),
        ("", "let _x = hint_slice(1).any().block(0).as_ext();"),
        ("", "for _i in count(1) { let _x = hint_ext().checked(); }"),
        (
            "",
            "let data = hint_slice(1).any();
             for _i in count(1) { let _x = data.block(0).as_ext(); }",
        ),
        (
            "",
            "let data = hint_slice(1).any();
             if public_input() == felt(0) { let _x = data.block(0).as_ext(); }",
        ),
        (never, "check(hint_slice(1).any());"),
        (
            "",
            "let data = hint_slice(1).any().block(0);
             let lanes: [Felt; 8] = std::array::from_fn(|i| data.lane(i));
             let _x = Block::new(lanes).as_ext();",
        ),
    ] {
        let compiled = compiled(items, body);
        let public = vec![F::ZERO; compiled.public_inputs];
        let run = |block: Block| {
            let mut tape = Tape::default();
            tape.slice(&[block]);
            execute(&compiled, &public, &tape, 1 << 20)
        };
        for good in [[0; 4], [MODULUS - 1; 4], [1, 2, 3, 4]] {
            if let Err(error) = run(words(good)) {
                panic!("{body}\n{:?}", miette::Report::new(error));
            }
        }
        for position in 0..4 {
            for word in [MODULUS, MODULUS + 1, u32::MAX] {
                let mut block = [5; 4];
                block[position] = word;
                assert!(run(words(block)).is_err(), "{body}: word {word}");
            }
            for lane in [2 * position, 2 * position + 1] {
                let mut block = words([5; 4]);
                block[lane] = F::from_u32(1 << 16);
                assert!(run(block).is_err(), "{body}: lane {lane}");
            }
        }
    }
}

#[test]
fn a_refused_block_is_explained() {
    let body = "let _x = hint_slice(1).any().block(0).as_ext();";
    let compiled = compiled("", body);
    let mut tape = Tape::default();
    tape.slice(&[words([0, 0, MODULUS, 0])]);
    let text = failure(&compiled, &tape);
    assert!(
        text.contains("the block is not a canonical element of BabyBear^4"),
        "{text}"
    );
}

/// The block of a result may hold other words for the same element, so a program gets it only with
/// a check. What is checked already is not checked again.
#[test]
fn blocks_of_elements_are_canonical() {
    let hints = "let (a, b) = (hint_ext().checked(), hint_ext().checked());";
    let count = |rest: &str| {
        let compiled = compiled("", &format!("{hints} {rest}"));
        products(&compiled)
    };
    assert_eq!(count(""), 2);
    assert_eq!(count("reveal(a.as_block().lane(0));"), 2);
    assert_eq!(
        count("reveal(a.as_block().as_ext().as_block().lane(0));"),
        2
    );
    assert_eq!(count("let p = a * b; reveal(p.as_block().lane(0));"), 4);
    assert_eq!(
        count("let p = a * b; reveal(p.as_block().lane(0)); reveal(p.as_block().lane(1));"),
        4
    );
    // The factor on the left is checked by the product.
    assert_eq!(
        count("let p = a * b; let q = p * p; assert_eq!(q, b); reveal(p.as_block().lane(0));"),
        4
    );
    // So it is if nothing uses that product, which therefore stays.
    assert_eq!(
        count("let p = a * b; let _s = p * p + a; reveal(p.as_block().lane(0));"),
        4
    );
    // What a branch checks is not checked after it.
    let branch = "if a.as_block().lane(0) == felt(1) { let _x = b.as_block(); }";
    assert_eq!(count(branch), 2);
    let branch = "let p = a * b;
        if a.as_block().lane(0) == felt(1) { reveal_nothing(p.as_block()); }
        reveal(p.as_block().lane(0));";
    let items = "fn reveal_nothing(_block: Block) {}";
    let compiled = compiled(items, &format!("{hints} {branch}"));
    assert_eq!(products(&compiled), 5);
}

#[test]
fn comparisons_assert() {
    let (a, b) = (element([1, 2, 3, 4]), element([MODULUS - 1, 0, 7, 9]));
    let hints = "let (a, b) = (hint_ext().checked(), hint_ext().checked());";
    let holds = |body: &str, elements: &[BabyBear4]| {
        let compiled = compiled("", &format!("{hints} {body}"));
        execute(&compiled, &[], &tape_of(elements), 1 << 20).is_ok()
    };
    assert!(holds("assert_eq!(a, b);", &[a, a]));
    assert!(!holds("assert_eq!(a, b);", &[a, b]));
    assert!(holds("assert_ne!(a, b);", &[a, b]));
    assert!(!holds("assert_ne!(a, b);", &[a, a]));
    assert!(holds("assert_eq!(a * b, Ext::ONE);", &[a, a.inverse()]));
    assert!(!holds("assert_eq!(a * b, Ext::ONE);", &[a, b]));
    assert!(holds("assert_eq!(a, Ext::new([1, 2, 3, 4, 0]));", &[a, b]));
    assert!(!holds("let _x = (a - b).inverse();", &[a, a]));
}

#[test]
fn sums_of_weighted_words_agree() {
    let mut random = Random(7);
    let data: Vec<Block> = (0..3).map(|_| words(random.coefficients())).collect();
    let weights: Vec<Block> = (0..12)
        .map(|_| baby_bear_to_block(element(random.coefficients())))
        .collect();
    let sum = element(random.coefficients());
    let expected = baby_bear_dot(&data, &weights, &baby_bear_to_block(sum)).unwrap();
    let body = "let (data, weights) = (hint_slice(3).any(), hint_slice(12).any());
        let sum = hint_ext().checked();
        let result = baby_bear_dot(data, weights, 3, sum);";
    let compiled = compiled("", &format!("{body} {REVEAL}"));
    let tape_of = |data: &[Block]| {
        let mut tape = Tape::default();
        tape.slice(data);
        tape.slice(&weights);
        tape.slice(&[baby_bear_to_block(sum)]);
        tape
    };
    let found = statement(&compiled, &tape_of(&data));
    assert_eq!(found, baby_bear_to_block(expected));
    // A word that Plonky3 refuses is refused, though nothing uses the sum.
    let body = format!("{body} let _x = result;");
    let compiled = self::compiled("", &body);
    let mut wrong = data.clone();
    wrong[2] = words([0, 0, 0, MODULUS]);
    assert!(execute(&compiled, &[], &tape_of(&data), 1 << 20).is_ok());
    assert!(execute(&compiled, &[], &tape_of(&wrong), 1 << 20).is_err());
}

#[test]
fn elements_cross_loops_branches_and_calls() {
    let items = "#[inline(never)]\nfn step(x: Ext, y: Ext) -> Ext { x * x + y }";
    let body = "
        let (a, b) = (hint_ext().checked(), hint_ext().checked());
        let mut x = a;
        for i in count(5) {
            x = step(x, b);
            if i == felt(2) { x = x - Ext::ONE; } else { x = -x; }
        }
        let result = x;";
    let compiled = compiled(items, &format!("{body} {REVEAL}"));
    let (a, b) = (element([1, 2, 3, 4]), element([5, 0, MODULUS - 1, 1 << 30]));
    let mut x = a;
    for i in 0..5 {
        x = x * x + b;
        x = if i == 2 { x - BabyBear4::ONE } else { -x };
    }
    let found = statement(&compiled, &tape_of(&[a, b]));
    assert_eq!(found, baby_bear_to_block(x));
}

#[test]
fn what_has_no_meaning_in_the_field_is_refused() {
    let unknown = "elements known while compiling";
    let late = "something may depend on the field";
    let below = "is no element of BabyBear";
    let hints = "baby_bear(); let (a, b) = (hint_ext().checked(), hint_ext().checked());
        let f = hint_felt().any();";
    let in_field = |body: &str| format!("{hints} {body}");
    let never = "#[inline(never)]\nfn choose() { baby_bear(); }";
    for (items, body, expected) in [
        ("", in_field("let _x = a + f;"), unknown),
        ("", in_field("let _x = f * a;"), unknown),
        ("", in_field("let _x = Ext::from_felt(f);"), unknown),
        (
            "",
            in_field("let _x = Ext::from_coeffs([f, f, f, f, Felt::ZERO]);"),
            unknown,
        ),
        ("", in_field("reveal(a.coeff(0));"), unknown),
        ("", in_field("reveal((a * b).coeff(1));"), unknown),
        (
            "",
            in_field("let _x = hint_ext().any();"),
            "no method `any`",
        ),
        ("", in_field("assert!(a == b);"), "`==` of Exts of BabyBear"),
        (
            "",
            in_field("if a != b { reveal(f); }"),
            "`==` of Exts of BabyBear",
        ),
        ("", in_field("let _x = fold_pair(a, b, a);"), "no form"),
        (
            "",
            in_field("let _x = horner(hint_slice(1).any(), 0, 8, a);"),
            "no form",
        ),
        (
            "",
            in_field("let _x = unpack(hint_slice(1).any(), 0, 1);"),
            "no form",
        ),
        (
            "",
            in_field("let s = hint_slice(2).any(); assert_unpacked(s, 0, 1, s);"),
            "no form",
        ),
        (
            "",
            in_field("let _x = power_weights(hint_slice(1).any(), 1, felt(3), felt(1));"),
            "no form",
        ),
        (
            "",
            in_field("let _x = Ext::new([2013265921, 0, 0, 0, 0]);"),
            below,
        ),
        (
            "",
            in_field("let _x = Ext::new([0, 0, 0, 4294967295, 0]);"),
            below,
        ),
        ("", in_field("let _x = a + felt(2013265921);"), below),
        ("", in_field("let _x = a * (-felt(1));"), below),
        (
            "",
            in_field("let _x = Ext::from_felt(felt(2013265921));"),
            below,
        ),
        (
            "",
            in_field("let z = felt(0); let _x = Ext::from_coeffs([z, z, -felt(1), z, z]);"),
            below,
        ),
        (
            "",
            in_field("let _x = Ext::new([0, 0, 0, 0, 1]);"),
            "four coefficients",
        ),
        ("", in_field("reveal(Ext::ONE.coeff(4));"), "only 0 to 3"),
        (
            "",
            in_field(
                "let (z, high) = (felt(0), felt(30720));
                 let _x = Block::new([felt(1), high, z, z, z, z, z, z]).as_ext();",
            ),
            "word",
        ),
        (
            "",
            in_field("let _x = Block::new([felt(65536); 8]).as_ext();"),
            "",
        ),
        ("", in_field("baby_bear();"), late),
        (
            "",
            in_field("quartic();"),
            "something may depend on the degree",
        ),
        ("", "quartic(); baby_bear();".into(), late),
        ("", "let _n = Ext::modulus(); baby_bear();".into(), late),
        (
            "",
            "let _x = Ext::ONE + Ext::ONE; baby_bear();".into(),
            late,
        ),
        (
            "",
            "let _x = Ext::from_felt(felt(3)); baby_bear();".into(),
            late,
        ),
        ("", "let _x = hint_felt(); baby_bear();".into(), late),
        (
            "",
            "for _i in count(2) { baby_bear(); }".into(),
            "exactly once",
        ),
        (never, "choose();".into(), "exactly once"),
        (
            "",
            "let s = hint_slice(5).any();
             let _x = baby_bear_dot(s, s.skip(1), 1, hint_ext().checked());"
                .into(),
            "takes and returns Exts of BabyBear",
        ),
        (
            "",
            in_field("let s = hint_slice(4).any(); let _x = baby_bear_dot(s, s, 2, a);"),
            "",
        ),
    ] {
        let source = main_of(items, &body);
        let Err(error) = compile(&source, &[]) else {
            panic!("this compiles: {source}");
        };
        assert!(
            error.message.contains(expected),
            "{source}\n{}",
            error.message
        );
    }
}
