//! Proofs with a change.

use droste_native::{F, KeccakSuite};
use droste_vm::whir::Proof;
use p3_field::Field;
use serde_json::Value;

use crate::field::P;

/// A step through numbers that has no divisor in common with how many there are.
const STEP: usize = 7_919;

/// A proof, and what there is to change in it.
#[derive(Debug)]
pub struct Changes<'a> {
    proof: &'a Proof<KeccakSuite>,
    stark: Value,
    /// Paths of all numbers.
    pub numbers: Vec<String>,
    /// Paths of all lists.
    pub lists: Vec<String>,
}

/// An edit of a list.
pub type Edit = fn(&mut Vec<Value>);

/// Edits of a list's length.
pub const LENGTHS: [Edit; 3] = [
    |list| list.extend(list.last().cloned()),
    |list| drop(list.pop()),
    Vec::clear,
];

impl<'a> Changes<'a> {
    /// # Errors
    /// If the proof cannot be written as JSON.
    pub fn new(proof: &'a Proof<KeccakSuite>) -> Result<Self, serde_json::Error> {
        let stark = serde_json::to_value(&proof.stark)?;
        let (mut numbers, mut lists) = (vec![], vec![]);
        walk(&stark, String::new(), &mut |path, is_list| {
            if is_list { &mut lists } else { &mut numbers }.push(path.to_owned());
        });
        Ok(Self {
            proof,
            stark,
            numbers,
            lists,
        })
    }

    /// All changed proofs, and the path of what is changed: other lengths of lists, then of each
    /// number zero, the largest one, and one that differs in a bit.
    pub fn all(&self) -> impl Iterator<Item = (&str, Proof<KeccakSuite>)> {
        let lists = self.lists.iter().flat_map(move |path| {
            let edits = LENGTHS.into_iter();
            edits.map(move |edit| (path, self.with_list(path, edit)))
        });
        let of_each = 2 + F::bits();
        let count = self.numbers.len() * of_each;
        let numbers = (0..count).filter_map(move |index| {
            let change = index * STEP % count;
            let path = self.numbers.get(change / of_each)?;
            let number = match change % of_each {
                0 => 0,
                1 => P - 1,
                bit => self.number(path)? ^ (1 << (bit - 2)),
            };
            Some((path, self.with_number(path, number)))
        });
        let all = lists.chain(numbers);
        all.filter_map(|(path, proof)| Some((path.as_str(), proof?)))
    }

    /// The number at a path.
    pub fn number(&self, path: &str) -> Option<u64> {
        self.stark.pointer(path)?.as_u64()
    }

    /// The proof with another number, if there is such a proof.
    pub fn with_number(&self, path: &str, number: u64) -> Option<Proof<KeccakSuite>> {
        let mut stark = self.stark.clone();
        *stark.pointer_mut(path)? = number.into();
        self.with(stark)
            .filter(|_| self.number(path) != Some(number))
    }

    /// The proof with another list, if there is such a proof.
    pub fn with_list(&self, path: &str, edit: Edit) -> Option<Proof<KeccakSuite>> {
        let mut stark = self.stark.clone();
        edit(stark.pointer_mut(path)?.as_array_mut()?);
        let differs = stark != self.stark;
        self.with(stark).filter(|_| differs)
    }

    fn with(&self, stark: Value) -> Option<Proof<KeccakSuite>> {
        Some(Proof {
            key: self.proof.key.clone(),
            statement: self.proof.statement,
            log_heights: self.proof.log_heights.clone(),
            stark: serde_json::from_value(stark).ok()?,
        })
    }
}

/// Calls a function for the path of each number and each list.
fn walk(value: &Value, path: String, visit: &mut impl FnMut(&str, bool)) {
    match value {
        Value::Array(list) => {
            visit(&path, true);
            for (index, value) in list.iter().enumerate() {
                walk(value, format!("{path}/{index}"), visit);
            }
        }
        Value::Object(map) => {
            for (name, value) in map {
                walk(value, format!("{path}/{name}"), visit);
            }
        }
        Value::Number(_) => visit(&path, false),
        _ => {}
    }
}
