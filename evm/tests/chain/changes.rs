//! Proofs with a change.

use droste_native::KeccakSuite;
use droste_vm::whir::Proof;
use serde_json::Value;

/// A proof, and what there is to change in it.
pub struct Changes<'a> {
    proof: &'a Proof<KeccakSuite>,
    stark: Value,
    /// Paths of all numbers.
    pub numbers: Vec<String>,
    /// Paths of all lists.
    pub lists: Vec<String>,
}

/// An edit of a list.
type Edit = fn(&mut Vec<Value>);

/// Edits of a list's length.
pub const LENGTHS: [Edit; 3] = [
    |list| list.extend(list.last().cloned()),
    |list| drop(list.pop()),
    Vec::clear,
];

impl<'a> Changes<'a> {
    pub fn new(proof: &'a Proof<KeccakSuite>) -> Self {
        let stark = serde_json::to_value(&proof.stark).expect("a value");
        let (mut numbers, mut lists) = (vec![], vec![]);
        walk(&stark, String::new(), &mut |path, is_list| {
            if is_list { &mut lists } else { &mut numbers }.push(path.to_owned());
        });
        Self {
            proof,
            stark,
            numbers,
            lists,
        }
    }

    /// The number at a path.
    pub fn number(&self, path: &str) -> u64 {
        self.stark
            .pointer(path)
            .and_then(Value::as_u64)
            .expect("a number")
    }

    /// The proof with another number, if there is such a proof.
    pub fn with_number(&self, path: &str, number: u64) -> Option<Proof<KeccakSuite>> {
        let mut stark = self.stark.clone();
        *stark.pointer_mut(path)? = number.into();
        self.with(stark).filter(|_| self.number(path) != number)
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
