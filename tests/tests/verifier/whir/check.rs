//! The checks of the verifier: by the native verifier's error, and by the place where the program
//! fails in the machine.

use droste_gadgets::{NativeTape, SOURCES};
use droste_native::gkr::GkrError;
use droste_native::whir::OpeningError;
use droste_verifier::tape::machine_tape;
use droste_vm::compiler::Compiled;
use droste_vm::executor::{RunError, execute};
use droste_vm::verifier::VerifyError;
use droste_vm::whir::zerocheck::ZerocheckError;

/// A check of the verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    Sum,
    Denominators,
    Layer(usize),
    Constraints,
    Work(&'static str),
    Path(usize, usize),
    FinalPolynomial,
    FinalEquation,
}

impl Check {
    /// The check that the native verifier says has failed.
    pub fn of(error: &VerifyError) -> Option<Self> {
        match error {
            VerifyError::Fractions(error) => Self::of_fractions(error),
            VerifyError::Zerocheck(ZerocheckError::Value) => Some(Self::Constraints),
            VerifyError::WhirOpening(error) => match error {
                OpeningError::Grinding { before } => Some(Self::Work(before)),
                &OpeningError::Path {
                    commitment, tree, ..
                } => Some(Self::Path(commitment, tree)),
                OpeningError::FinalPolynomial { .. } => Some(Self::FinalPolynomial),
                OpeningError::FinalEquation => Some(Self::FinalEquation),
                OpeningError::Length { .. } => None,
            },
            _ => None,
        }
    }

    pub const fn of_fractions(error: &GkrError) -> Option<Self> {
        match *error {
            GkrError::Unbalanced => Some(Self::Sum),
            GkrError::ZeroDenominator => Some(Self::Denominators),
            GkrError::Sumcheck { layer } => Some(Self::Layer(layer)),
            _ => None,
        }
    }

    /// The file of the same check in the program, and how its line begins.
    fn line(self) -> (&'static str, &'static str) {
        match self {
            Self::Sum => ("whir/gkr.rs", "assert_eq!(halves.numerator(), Ext::ZERO);"),
            Self::Denominators => (
                "whir/gkr.rs",
                "assert_eq!(product * product.inverse(), Ext::ONE);",
            ),
            Self::Layer(_) => ("whir/gkr.rs", "assert_eq!(sum, halves.sum(combiner));"),
            Self::Constraints => ("whir.rs", "assert_eq!(total, sum);"),
            Self::Work("queries") => ("whir/opening.rs", "t.grind(queries.grinding_bits);"),
            Self::Work("lookups") => ("whir/transcript.rs", "t.grind(shape.lookup_grinding_bits);"),
            Self::Work(_) => ("whir/opening/sumcheck.rs", "t.grind(shape.grinding_bits);"),
            Self::Path(..) => ("whir/opening/query.rs", "H::assert_same(root, node);"),
            Self::FinalPolynomial => ("whir/opening/query.rs", "assert_eq!(sum, answers.value);"),
            Self::FinalEquation => (
                "whir/opening.rs",
                "assert_eq!((weight + self.added) * self.last, self.claim);",
            ),
        }
    }
}

/// Why the program in the machine fails on this tape: the innermost place in the verifier's source.
pub fn failure(compiled: &Compiled, tape: &NativeTape) -> Result<(), String> {
    let run = execute(compiled, &[], &machine_tape(tape), 1 << 22);
    run.map(|_| ()).map_err(|error| line(&error))
}

/// The path of the innermost place of an error in the verifier's source, and the text from there.
fn line(error: &RunError) -> String {
    let verify = "droste_gadgets/verify/";
    let mut places = error.places.iter();
    let place = places.find_map(|place| Some((place, place.path.strip_prefix(verify)?)));
    let Some((place, path)) = place else {
        return error.to_string();
    };
    let (_, text) = SOURCES
        .iter()
        .find(|(name, _)| *name == place.path)
        .unwrap();
    let rest: Vec<&str> = text.lines().skip(place.line - 1).take(4).collect();
    let words: Vec<&str> = rest
        .iter()
        .flat_map(|line| line.split_whitespace())
        .collect();
    format!("{path}: {}", words.join(" "))
}

/// What goes wrong if this check should fail on this tape.
pub fn fault_in_the_machine(
    compiled: &Compiled,
    tape: &NativeTape,
    check: Check,
) -> Option<String> {
    let (file, text) = check.line();
    match failure(compiled, tape) {
        Ok(()) => Some("the program accepts".to_owned()),
        Err(found) if found.starts_with(&format!("{file}: {text}")) => None,
        Err(found) => Some(format!("the program fails at {found}")),
    }
}
