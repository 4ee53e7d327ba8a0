//! What a registry of leaf roots is made with, as `droste exit` and `droste keys` write it.

use std::path::Path;

use droste_native::files;
use droste_verifier::aggregate::Aggregator;
use droste_verifier::keys::Deriver;
use droste_verifier::leaf_root::{LeafRootProgram, ListedKeys, PinnedKeys};
use droste_vm::key::{DigestError, KeyDigest};
use serde::Deserialize;

use crate::error::CommandError;
use crate::program::from_json;

/// Most bytes of a file of leaves: more than those of all that a leaf root can have.
pub const MAX_BYTES: u64 = 16 << 20;

/// A digest that is written as text.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub struct Text(pub KeyDigest);

impl TryFrom<String> for Text {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse().map(Self)
    }
}

/// The fields of such a file that a registry is made with.
#[derive(Deserialize)]
pub struct RegistryFields {
    most_leaves: usize,
    recursion_keys: Vec<Text>,
    program_key: Text,
    wrap_keys: Vec<Text>,
    join_key: Text,
    exit_key: Text,
}

/// What a registry is made with.
pub struct RegistryKeys {
    /// The recursion keys that aggregates may have.
    pub listed: ListedKeys,
    /// The program that computes leaf roots.
    pub program: LeafRootProgram,
    /// The keys between a leaf root and the last proof.
    pub pinned: PinnedKeys,
    /// The key of the last proof.
    pub exit: KeyDigest,
}

impl RegistryFields {
    /// The keys, if there can be such a registry.
    pub fn keys(&self) -> Result<RegistryKeys, CommandError> {
        let most = self.most_leaves;
        let program = LeafRootProgram::for_leaves(most);
        let program = program.filter(|program| program.leaves() == most);
        let program = program.ok_or_else(|| {
            CommandError::failed(format!("there is no program for up to {most} leaves"))
        })?;
        Ok(RegistryKeys {
            listed: ListedKeys::new(self.recursion_keys.iter().map(|key| key.0))?,
            program,
            pinned: PinnedKeys {
                join: self.join_key.0,
                wraps: self.wrap_keys.iter().map(|key| key.0).collect(),
                program: self.program_key.0,
            },
            exit: self.exit_key.0,
        })
    }
}

impl RegistryKeys {
    /// Reads what `droste keys --exit PRESET --leaf-root LEAVES --format json` printed, or what
    /// `droste exit --leaf-root` wrote.
    pub fn read(path: &Path) -> Result<Self, CommandError> {
        let bytes = files::read(path, MAX_BYTES).map_err(CommandError::file(path))?;
        let what = "what `droste keys --leaf-root` or `droste exit --leaf-root` prints";
        let fields: RegistryFields = from_json(path, &bytes, what)?;
        fields.keys().map_err(CommandError::about(path.display()))
    }

    /// Checks that the registry is for aggregates of this aggregator, before anything is proved.
    pub fn check_join(
        &self,
        aggregator: &Aggregator,
        deriver: &Deriver,
    ) -> Result<(), CommandError> {
        let (join, _) = deriver.key(&aggregator.join_recipe(2)?)?;
        let pinned = PinnedKeys {
            join,
            ..self.pinned.clone()
        };
        self.check(&pinned, self.exit)
    }

    /// Checks that last proofs with these keys are what the registry takes.
    pub fn check(&self, pinned: &PinnedKeys, exit: KeyDigest) -> Result<(), CommandError> {
        let differs = if self.exit != exit {
            Some(("exit key", self.exit, exit))
        } else if self.pinned.program != pinned.program {
            Some(("program key", self.pinned.program, pinned.program))
        } else if self.pinned.join != pinned.join {
            Some(("key of the join", self.pinned.join, pinned.join))
        } else {
            None
        };
        match differs {
            Some((name, expected, found)) => Err(CommandError::failed(format!(
                "the registry has the {name} {expected}, but this leaf root has {found}: its \
                 preset, arity or exit preset are others"
            ))),
            None if self.pinned.wraps != pinned.wraps => Err(CommandError::failed(
                "the registry has other keys of the wraps of leaf roots",
            )),
            None => Ok(()),
        }
    }
}
