use droste_gadgets::prelude::Block;
use droste_gadgets::verify::binary::called::CallList;
use droste_gadgets::{Hint, run_native};
use droste_native::HashId;
use droste_native::hash::keccak::keccak_f;
use droste_native::stark::security::Preset;
use droste_programs::keccak_calls;
use droste_vm::compiler::compile;
use droste_vm::executor::{Tape, execute};
use p3_field::{PrimeCharacteristicRing, PrimeField32};

use super::*;
use crate::tape::machine_tape;

mod blake3_pair;

/// Most instructions of a run.
const LIMIT: u64 = 1 << 20;

/// Elements 0 to 3 of a block of 120 bits.
fn revealed(bytes: &[u8]) -> [u32; 4] {
    let bits = u128::from_le_bytes(bytes[..16].try_into().unwrap());
    std::array::from_fn(|i| (bits >> (30 * i)) as u32 & 0x3fff_ffff)
}

/// The statement of a run in both ways, or that both fail.
fn both<P: Caller>(
    program: &CallingProgram,
    public: &[u32],
    tape: &NativeTape,
) -> Option<[u32; 8]> {
    let native = run_native(tape, public, || program.run::<P>()).ok();
    let inputs: Vec<F> = public.iter().map(|&x| F::from_u32(x)).collect();
    let machine = execute(program.compiled(), &inputs, &machine_tape(tape), LIMIT).ok();
    let machine = machine.map(|run| run.statement.map(|lane| lane.as_canonical_u32()));
    assert_eq!(native, machine);
    native
}

/// The text of [`blake3_pair`].
const PAIR: &str = include_str!("tests/blake3_pair.rs");

fn pair() -> (CallingProgram, NativeTape) {
    let program = CallingProgram::new(Hash::Blake3, 8, PAIR).unwrap();
    let hints = vec![[1, 2, 3, 4, 5, 0, 0, 0].map(F::from_u32).to_vec()];
    let tape = program.tape::<blake3_pair::Program>(&[], hints).unwrap();
    (program, tape)
}

/// 64 calls of Keccak-f, each of which takes the output before.
#[test]
fn a_chain_of_calls_is_proved() {
    let text = droste_programs::KECCAK_CALLS;
    let program = CallingProgram::new(Hash::KeccakF, 64, text).unwrap();
    assert!(program.security().bits() >= 100);
    let x = 0x2345_6789;
    let tape = program.tape::<keccak_calls::Program>(&[x], Vec::new());
    let tape = tape.unwrap();
    let mut lanes = [0; 25];
    lanes[0] = u64::from(x);
    for _ in 0..64 {
        keccak_f(&mut lanes);
    }
    let first = [lanes[0], lanes[1]].map(u64::to_le_bytes).concat();
    let [a, b, c, d] = revealed(&first);
    let expected = Some([x, a, b, c, d, 0, 0, 0]);
    let both = |x| both::<keccak_calls::Program>(&program, &[x], &tape);
    assert_eq!(both(x), expected);
    // The same calls of another start.
    assert_eq!(both(x + 1), None);
}

/// Fewer calls than those of the proof, with a hint of the program's own.
#[test]
fn calls_of_zeros_are_added() {
    let (program, tape) = pair();
    let element = [1_u128, 2, 3, 4, 5]
        .iter()
        .enumerate()
        .fold(0, |all, (i, lane)| all | lane << (30 * i));
    let mut input = [0; 112];
    input[..16].copy_from_slice(&element.to_le_bytes());
    let output = Hash::Blake3.output(&input).unwrap();
    input[32..96].copy_from_slice(&output);
    let [a, b, c, d] = revealed(&Hash::Blake3.output(&input).unwrap());
    let expected = Some([1, 2, 3, 4, a, b, c, d]);
    let both = both::<blake3_pair::Program>(&program, &[], &tape);
    assert_eq!(both, expected);
}

/// The program's own hint, outputs of its calls and of those of zeros, entries of the list and
/// their nodes: each lane that has a value.
#[test]
fn false_outputs_are_refused() {
    let (program, tape) = pair();
    let mut changes = 0;
    for hint in 0..1 + 8 + 2 {
        let Hint::Slice(blocks) = &tape.hints[hint] else {
            panic!("another hint than blocks")
        };
        // A few of the entries.
        let step = if blocks.len() > 8 { 3 } else { 1 };
        for block in (0..blocks.len()).step_by(step) {
            for lane in 0..8 {
                let mut changed = tape.clone();
                let Hint::Slice(blocks) = &mut changed.hints[hint] else {
                    continue;
                };
                if let Some(value) = &mut blocks[block][lane] {
                    *value += F::ONE;
                    let refused = both::<blake3_pair::Program>(&program, &[], &changed);
                    assert_eq!(refused, None, "hint {hint}, block {block}, lane {lane}");
                    changes += 1;
                }
            }
        }
    }
    assert!(changes > 300, "{changes}");
}

/// Who is asked for the output of a call gives a false one, from which the program goes on; the
/// list has the true one, or the false one, too.
struct DishonestProver {
    prover: CallsProver,
    call: usize,
    /// The lane of the output that is false.
    lane: usize,
    in_list: bool,
}

/// Lanes of an input, and of an output.
const KECCAK_LANES: usize = 5 * 13;

impl Prover for DishonestProver {
    type Error = CallsProverError;

    fn message(&mut self, n: usize) -> Result<Vec<F>, CallsProverError> {
        let is_output = self.prover.output.is_some();
        let is_list = !is_output && self.prover.messages.is_none();
        let mut message = self.prover.message(n)?;
        let changed = if is_list && self.in_list {
            Some((2 * self.call + 1) * KECCAK_LANES + self.lane)
        } else {
            let is_it = is_output && self.prover.inputs.len() == self.call + 1;
            is_it.then_some(self.lane)
        };
        if let Some(lane) = changed {
            message[lane] = F::from_u32(message[lane].as_canonical_u32() ^ 1);
        }
        Ok(message)
    }

    fn told(&mut self, values: Vec<F>) {
        self.prover.told(values);
    }
}

/// The honest prover of eight calls of Keccak-f.
fn prover() -> CallsProver {
    CallsProver {
        hash: Hash::KeccakF,
        number: 8,
        hints: VecDeque::new(),
        inputs: Vec::new(),
        output: None,
        messages: None,
    }
}

/// How many hints the program read until it failed, if a lane of an output is false.
fn lie(call: usize, lane: usize, in_list: bool) -> usize {
    let program = CallingProgram::new(Hash::KeccakF, 8, droste_programs::KECCAK_CALLS).unwrap();
    let mut liar = DishonestProver {
        prover: prover(),
        call,
        lane,
        in_list,
    };
    let run = || program.run::<keccak_calls::Program>();
    match record_public(&mut liar, &[1], run) {
        Err(RecordError::Program { tape, .. }) => tape.hints.len(),
        Err(RecordError::Prover(error)) => panic!("{error}"),
        Ok(_) => panic!("call {call}, lane {lane}: accepted"),
    }
}

/// Without the false output in the list, nothing of the proof is read but the list and its nodes.
#[test]
fn provers_that_lie_about_an_output_are_refused() {
    for call in [0, 5, 7] {
        assert_eq!(lie(call, 0, false), 8 + 2);
        assert!(lie(call, 0, true) > 8 + 2);
    }
}

/// The last element of an output has eight bytes. Constraints leave the other eight to the prover.
/// The output is that of the last call, which is no input.
#[test]
fn outputs_have_no_other_bits() {
    let last = KECCAK_LANES - 5;
    for lane in [last + 3, last + 4] {
        assert_eq!(lie(7, lane, true), 8 + 2);
    }
}

/// Has the list with bits of inputs of which no call takes notice.
struct WithOtherBits(CallsProver);

impl Prover for WithOtherBits {
    type Error = CallsProverError;

    fn message(&mut self, n: usize) -> Result<Vec<F>, CallsProverError> {
        let is_list = self.0.output.is_none() && self.0.messages.is_none();
        let mut message = self.0.message(n)?;
        let entries = message.chunks_mut(2 * KECCAK_LANES);
        entries
            .filter(|_| is_list)
            .for_each(|entry| entry[KECCAK_LANES - 2] = F::ONE);
        Ok(message)
    }

    fn told(&mut self, mut values: Vec<F>) {
        values[8 * 12 + 3] = F::ZERO;
        self.0.told(values);
    }
}

/// Calls Keccak-f with an input whose last element has a bit from the 64th on.
struct LongInputs;

impl Caller for LongInputs {
    fn run(list: &mut CallList) {
        let mut input = vec![Block::ZERO; 13];
        input[12] = Block::new([0, 0, 0, 1, 0, 0, 0, 0].map(|lane| F::from_u32(lane).into()));
        for _ in 0..list.number() {
            list.call(&input);
        }
    }
}

/// Nor has the last element of an input.
#[test]
fn inputs_have_no_other_bits() {
    let program = CallingProgram::new(Hash::KeccakF, 8, droste_programs::KECCAK_CALLS).unwrap();
    let mut prover = WithOtherBits(prover());
    let run = || program.run::<LongInputs>();
    let Err(RecordError::Program { tape, .. }) = record_public(&mut prover, &[], run) else {
        panic!("accepted")
    };
    assert_eq!(tape.hints.len(), 8 + 2);
}

/// Whether the program of two calls compiles with another line instead of one of its own.
fn compiles_with(line: &str, instead: &str) -> Result<(), String> {
    assert_eq!(PAIR.matches(line).count(), 1, "{line}");
    match CallingProgram::new(Hash::Blake3, 8, &PAIR.replace(line, instead)) {
        Ok(_) => Ok(()),
        Err(CallingError::Compile(error)) => Err(error.to_string()),
        Err(error) => panic!("{error}"),
    }
}

/// The list of the calls is made and verified by the generated `main` alone, so no output of a call
/// is what a prover wants.
#[test]
fn every_call_is_in_the_list_that_main_verifies() {
    let last = "let output = list.call(&input);";
    let again = |line: &str| compiles_with(last, &format!("{last} {line}"));
    again("for _i in 0..6usize { list.call(&input); }").unwrap();
    let refused = |line: &str, why: &str| {
        let told = again(line).unwrap_err();
        assert!(told.contains(why), "{line}: {told}");
    };
    // More than the proof has room for, or some in one branch of a run only.
    again("for _i in 0..7usize { list.call(&input); }").unwrap_err();
    again("if first.lane(0) == Felt::ONE { list.call(&input); }").unwrap_err();
    // A second list, which nothing verifies.
    let list =
        "CallList { calls: shape::calls(), number: 8usize, elements: Vec::new(), made: 0usize }";
    refused(&format!("let mut other = {list};"), "private");
    again("let mut other = CallList::empty();").unwrap_err();
    let none = "`CallList` has no default value";
    refused("let mut other = CallList::default();", none);
    refused("let mut other: CallList = Default::default();", none);
    refused("let mut other = std::mem::take(list);", none);
    // The list itself, without the calls up to here.
    refused("list.made = 0usize;", "private");
    refused("list.elements = Vec::new();", "private");
    refused("list.number = 2usize;", "private");
    // A copy of it.
    refused("let saved = *list;", "not `Copy`");
    refused("let other = list.clone();", "not `Clone`");
    refused("let mut lists = vec![*list];", "not `Copy`");
    let (behind, other) = ("shared reference", "expected a value of type `CallList`");
    refused("let mut other = &*list; other.call(&input);", behind);
    refused(
        "let mut other = (&*list, 1usize).0; other.call(&input);",
        behind,
    );
    refused("let saved = &*list; *list = saved;", other);
    refused("let saved = { *list }; *list = saved;", "not `Copy`");
    let stale = "has changed since this closure was made";
    again("let mut c = || { list.call(&input); }; c(); c(); list.call(&input);").unwrap();
    let with = |items: &str, line: &str| {
        let text = PAIR.replace(last, &format!("{last} {line}"));
        match CallingProgram::new(Hash::Blake3, 8, &format!("{text}\n{items}")) {
            Err(CallingError::Compile(error)) => error.to_string(),
            other => panic!("{items}: {other:?}"),
        }
    };
    for (items, line, why) in [
        (
            "fn scratch(list: &CallList, x: &[Block]) { list.call(x); }",
            "scratch(list, &input);",
            behind,
        ),
        (
            "fn scratch(list: CallList, x: &[Block]) { let mut list = list; list.call(x); }",
            "scratch(&*list, &input);",
            other,
        ),
        (
            "trait Forge { fn forge(self) -> Self; }
            impl Forge for CallList { fn forge(self) -> Self { self } }",
            "let mut other = list.forge(); other.call(&input);",
            "not `Copy`",
        ),
        (
            "trait Forge { fn forge(&self) -> Self; }
            impl Forge for CallList { fn forge(&self) -> Self { *self } }",
            "let mut other = list.forge(); other.call(&input);",
            behind,
        ),
        // Closures that have the list as it was, which rustc refuses.
        (
            "",
            "let mut c = || list.call(&input); list.call(&input); c();",
            stale,
        ),
        (
            "fn two<F: FnMut()>(list: &mut CallList, x: &[Block], mut f: F) { f(); list.call(x); }",
            "two(list, &input, || { list.call(&input); });",
            stale,
        ),
        (
            "fn two<F: FnMut()>(mut f: F, list: &mut CallList, x: &[Block]) { f(); list.call(x); }",
            "two(|| { list.call(&input); }, list, &input);",
            stale,
        ),
        (
            "fn both<F: FnMut(), G: FnMut()>(mut f: F, mut g: G) { f(); g(); }",
            "both(|| { list.call(&input); }, || { list.call(&input); });",
            stale,
        ),
        (
            "",
            "let mut c = || { list.call(&input); }; let mut d = c; c(); d();",
            stale,
        ),
        (
            "",
            "for _x in [1usize, 2].iter().map(|_x| list.call(&input)) { list.call(&input); }",
            stale,
        ),
        (
            "fn nest<F: FnMut(usize) -> usize>(mut f: F) -> usize { f(f(1usize)) }",
            "nest(|x| { list.call(&input); x });",
            "change what is called",
        ),
        (
            "",
            "let mut c = |x: usize| { list.call(&input); x }; c(c(1usize));",
            "change what is called",
        ),
        // Functions that the generated `main` would call instead of the library's.
        (
            "impl CallList { pub fn verify(&mut self, _shape: &usize) {} }",
            "",
            "crate that declares it",
        ),
        (
            "impl Clone for CallList { fn clone(&self) -> Self { *self } }",
            "",
            "of this crate",
        ),
        (
            "pub struct Mine; impl Clone<Mine> for CallList {}",
            "",
            "takes 0 generic arguments",
        ),
        (
            "pub struct Mine;
            impl Default<Mine> for CallList { fn default() -> Self { CallList::default() } }",
            "",
            "takes 0 generic arguments",
        ),
        (
            "pub struct Mine; impl Caller<Mine> for CallList { fn run(_l: &mut CallList) {} }",
            "",
            "takes 0 generic arguments",
        ),
        // A value of another type, whose `verify` the generated `main` would call.
        (
            "pub struct Fake; impl Fake { pub fn verify(&mut self, _shape: &usize) {} }",
            "*list = Fake;",
            other,
        ),
        (
            "pub struct Fake; fn put<T>(place: &mut T, value: T) { *place = value; }",
            "put(list, Fake);",
            other,
        ),
        (
            "pub struct Fake; fn put(place: &mut Fake) { *place = Fake; }",
            "put(list);",
            "found `CallList`",
        ),
        // Another list in the program.
        (
            "use droste_gadgets::verify::binary::shape::{Calls, Shape};
            fn nested(shape: &Shape, calls: Calls) {
                droste_gadgets::verify::binary::called::run::<Program>(shape, calls);
            }",
            "nested(&droste_gadgets::verify::binary::calling_main::shape(), \
             droste_gadgets::verify::binary::calling_main::calls());",
            "private",
        ),
    ] {
        let told = with(items, line);
        assert!(told.contains(why), "{items}: {told}");
    }
    again("droste_gadgets::verify::binary::calling_main::main();").unwrap_err();
}

/// A program may swap its list with another one, so the library must give it none: no function makes
/// a list but the one that verifies it, and nothing is derived or implemented for it.
#[test]
fn the_library_makes_one_list() {
    let code = |text: &'static str| {
        let lines = text.lines().map(str::trim);
        lines.filter(|line| !line.starts_with("//"))
    };
    let lines = SOURCES.iter().flat_map(|(_, text)| code(text));
    let found: Vec<&str> = lines.filter(|line| line.contains("CallList")).collect();
    assert_eq!(
        found,
        [
            "fn run(list: &mut CallList);",
            "pub struct CallList {",
            "let mut list = CallList {",
            "impl CallList {",
        ]
    );
    let mut texts = SOURCES.iter().map(|(_, text)| text);
    let own = texts.find(|text| text.contains("pub struct CallList"));
    let mut own = code(own.unwrap());
    assert!(own.all(|line| !line.contains("Self") && !line.contains("derive")));
}

/// Elements of 128 bits have five lanes, so a program with calls cannot choose challenges of degree
/// 4.
#[test]
fn the_degree_of_challenges_is_five() {
    let first = "fn run(list: &mut CallList) {";
    assert!(PAIR.contains(first));
    let text = PAIR.replace(first, &format!("{first} quartic();"));
    let Err(CallingError::Compile(error)) = CallingProgram::new(Hash::Blake3, 8, &text) else {
        panic!("it compiles")
    };
    let late = "something may depend on the degree";
    assert!(error.message.contains(late), "{error}");
}

/// A jump out of a constant, a length or a type would go on in the program's module where the
/// library verifies the list, and there `list` and `verify` would be the program's.
#[test]
fn no_jump_leaves_the_code_of_the_program() {
    let last = "let output = list.call(&input);";
    let fake = "pub struct Fake; impl Fake { pub fn verify(&mut self, _shape: &usize) {} }";
    for (items, line) in [
        ("", "const K: () = { return; }; K"),
        ("", "for _i in 0..1usize { const K: () = { break; }; K }"),
        ("struct S; impl S { const K: () = { return; }; }", "S::K"),
        ("const Q: [Felt; { return; }] = [felt(0)];", "let _x = Q;"),
        ("type A = [Felt; { return; }];", "let _x: A = felt(0);"),
        (
            "struct T { a: [Felt; { return; }] }",
            "let _x = T { a: felt(0) };",
        ),
        ("fn h(a: [Felt; { return; }]) {}", "h(felt(0));"),
        ("", "let _a: [Felt; { return; }] = [felt(0); 1];"),
        ("fn g<const N: usize>() {}", "g::<{ return; }>();"),
        ("", "const { return; }"),
    ] {
        let with = format!("{last} let list = Fake; let shape = 0usize; {line};");
        let text = format!("{}\n{fake} {items}", PAIR.replace(last, &with));
        let Err(CallingError::Compile(error)) = CallingProgram::new(Hash::Blake3, 8, &text) else {
            panic!("{items} {line}")
        };
        assert!(error.message.contains("outside of a"), "{line}: {error}");
    }
}

#[test]
fn programs_without_a_program_of_calls_are_refused() {
    let name = "pub struct Program;";
    compiles_with(name, "pub struct Other;").unwrap_err();
    for text in [
        "pub fn main() {}",
        // What makes and verifies a list by itself.
        "use droste_gadgets::verify::binary::called::CallList;
        use droste_gadgets::verify::binary::shape::{Calls, Shape};
        pub fn run(shape: &Shape, calls: &Calls) {
            let mut list = CallList::empty();
            list.call(calls, &[]);
        }",
        "pub struct Program;",
    ] {
        let refused = CallingProgram::new(Hash::Blake3, 8, text).unwrap_err();
        assert!(matches!(refused, CallingError::Compile(_)), "{refused}");
    }
}

/// A proof of the program has the bits of the weaker one of both proofs.
#[test]
fn bits_are_the_least_of_both_proofs() {
    let (program, _) = pair();
    let own = program.security().bits();
    assert!((100..120).contains(&own), "{own} bits");
    let text = "use droste_gadgets::prelude::*; pub fn main() { reveal(public_input()); }";
    let other = compile(text, SOURCES).unwrap();
    let run = execute(&other, &[F::ONE], &Tape::default(), LIMIT).unwrap();
    for (preset, least) in [(Preset::Toy, false), (Preset::Proven120, true)] {
        let settings = preset.settings(2).unwrap();
        let proved = proofs::prove(HashId::Poseidon16, &other, &run, &[F::ONE], settings);
        let (bytes, says) = proved.map(|proved| (proved.bytes, proved.says)).unwrap();
        let terms = |says: &ProofSummary| says.security.without_eprint_2026_2056.terms.len();
        let (bits, before) = (says.proven_bits, terms(&says));
        let counted = program.counted(says);
        assert_eq!(counted.proven_bits, bits.min(own));
        assert_eq!(counted.proven_bits == own, least);
        assert_eq!(
            terms(&counted),
            before + program.security().without.terms.len()
        );
        // More bits than the binary proof has are refused before anything else, and so is the proof
        // of another program.
        let refused = |min_bits| {
            let options = VerifyOptions::min_bits(min_bits);
            match program.verify(&bytes, &[], options).unwrap_err() {
                ProofError::Verify(error) => error,
                error => panic!("{error}"),
            }
        };
        let too_few = |error| match error {
            VerifyError::Security { expected, found } => Some((expected, found)),
            _ => None,
        };
        assert_eq!(too_few(refused(own + 1)), Some((own + 1, own)));
        assert_eq!(too_few(refused(0)), None);
    }
}

#[test]
fn programs_without_a_proof_or_hints_are_refused_by_name() {
    for calls in [0, 4, 12] {
        let refused = CallingProgram::new(Hash::Blake3, calls, PAIR).unwrap_err();
        assert!(matches!(refused, CallingError::Shape(_)), "{refused}");
    }
    let (program, _) = pair();
    let with = |hints: Vec<Vec<F>>| {
        let refused = program.tape::<blake3_pair::Program>(&[], hints);
        let refused = refused.unwrap_err();
        let CallingError::Prover(error) = refused else {
            panic!("{refused}")
        };
        error
    };
    assert!(matches!(with(Vec::new()), CallsProverError::Hint(8)));
    assert!(matches!(
        with(vec![vec![F::ONE; 5]]),
        CallsProverError::Hint(8)
    ));
    let refused = with(vec![vec![F::ONE; 8]]);
    assert!(
        matches!(refused, CallsProverError::Element { call: 0 }),
        "{refused}"
    );
}
