//! The text of a fold's rule: what verifies its children, and a `main` around the developer's
//! function. What `main` calls, and why, is in `droste_gadgets::fold`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::whir;
use crate::circuit::WhirVerifier;

/// The crate of the developer's files among the libraries: `chain.rs` is `rules/chain.rs` there,
/// the module `rules::chain`.
pub(crate) const RULES: &str = "rules";

/// A slot of a rule, as its text needs it. Keys are given by their lanes.
#[derive(Clone, Debug)]
pub(crate) enum SlotText {
    /// A proof of this fold.
    Node,
    /// A proof of an accepted program, behind at least one wrap.
    Leaf {
        /// Number of the program among the accepted ones.
        kind: usize,
        /// Keys of the wraps, the last one first, and then that of the program.
        path: Vec<[u32; 8]>,
    },
    /// A proof of another fold.
    Foreign {
        /// Number of the fold among the other folds.
        fold: usize,
        /// Path of its state type, which begins with [`RULES`].
        state: String,
        /// Number of its rules.
        rules: usize,
        /// Keys of the wraps, the last one first; none if its proofs have this fold's shape.
        wraps: Vec<[u32; 8]>,
        /// Digest of the list of its rules.
        digest: [u32; 8],
    },
}

/// What the text of a rule is written from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleText<'a> {
    /// Module of the rules, in the crate [`RULES`].
    pub module: &'a str,
    /// Name of the state type in it.
    pub state: &'a str,
    /// Name of the rule's function in it.
    pub function: &'a str,
    /// Number of the fold's rules.
    pub rules: usize,
    /// Slots, in the order of the function's parameters.
    pub slots: &'a [SlotText],
    /// Number of proofs that are behind the last wraps of all leaves.
    pub behind: usize,
}

impl RuleText<'_> {
    /// The program: `verifier` says what verifies its children, if there are any.
    pub(crate) fn program(&self, verifier: &WhirVerifier) -> String {
        if self.slots.is_empty() {
            return self.paper();
        }
        let mut text = whir::verifier(&verifier.shape, &verifier.evaluators);
        let entry = whir::entry(verifier.hash, &verifier.header, self.slots.len());
        let suite = entry.suite();
        let _ = write!(
            text,
            "\n{suite}\nuse droste_gadgets::verify::recursion::{{Key, over_whir}};\n"
        );
        self.write(&mut text, &entry.verified(), None);
        text
    }

    /// The same program, but that nothing is verified: key and statement of each child are hints.
    pub(crate) fn paper(&self) -> String {
        let mut text = String::from("//! A rule of a fold.\n\nuse droste_gadgets::prelude::*;\n");
        if self.slots.is_empty() {
            self.write(&mut text, "", None);
            return text;
        }
        let children = format!(
            "    let mut children = Vec::new();
    for _i in 0..{} {{
        children.push(paper_child());
    }}
",
            self.slots.len()
        );
        self.write(&mut text, &children, Some("paper_child"));
        text
    }

    /// Appends `main`, in which the statements `children` make the list of the children. For that
    /// they call the function `from` of `droste_gadgets::fold`, if any.
    fn write(&self, text: &mut String, children: &str, from: Option<&'static str>) {
        let Self {
            module,
            state,
            function,
            rules,
            slots,
            behind,
        } = *self;
        let state = format!("{RULES}::{module}::{state}");
        let mut used = BTreeSet::from(["counted", "family", "reveal_state"]);
        used.extend(from);
        let (mut opened, mut leaves) = (String::new(), 0);
        for (index, slot) in slots.iter().enumerate() {
            leaves += usize::from(matches!(slot, SlotText::Leaf { .. }));
            slot.write(&mut opened, &mut used, index, &state, rules);
        }
        let below = if leaves == slots.len() {
            "let below"
        } else {
            "let mut below"
        };
        let used = used.into_iter().collect::<Vec<_>>().join(", ");
        let arguments: Vec<String> = (0..slots.len()).map(|i| format!("&slot{i}")).collect();
        let arguments = arguments.join(", ");
        let _ = write!(
            text,
            "use droste_gadgets::fold::{{{used}}};

/// Opens what every child says, and reveals what the rule `{function}` makes of it.
pub fn main() {{
    let own = family({rules});
{children}    {below} = Vec::new();
{opened}    let counters = counted(&below, {leaves}, {behind});
    let state = {RULES}::{module}::{function}({arguments});
    reveal_state::<{state}>(&own, &counters, &state);
}}
"
        );
    }
}

impl SlotText {
    /// Appends the statements that open the child of this slot, and adds the functions that they
    /// call. `state` and `rules` are those of this fold.
    fn write(
        &self,
        text: &mut String,
        used: &mut BTreeSet<&'static str>,
        index: usize,
        state: &str,
        rules: usize,
    ) {
        let child = format!("&children[{index}]");
        let _ = match self {
            Self::Node => {
                used.insert("node");
                write!(
                    text,
                    "    let (counters, slot{index}) = node::<{state}, {rules}>(&own, {child});
    below.push(counters);
"
                )
            }
            Self::Leaf { kind, path } => {
                used.insert("leaf");
                writeln!(
                    text,
                    "    let slot{index} = leaf::<{kind}>({child}, &{path:?});"
                )
            }
            Self::Foreign {
                fold,
                state,
                rules,
                wraps,
                digest,
            } => {
                used.extend(["as_behind", "foreign"]);
                write!(
                    text,
                    "    let (counters, slot{index}) =
        foreign::<{fold}, {state}, {rules}>({child}, &{wraps:?}, {digest:?});
    below.push(as_behind(&counters, {}));
",
                    wraps.len()
                )
            }
        };
    }
}

#[cfg(test)]
mod tests;
