//! What paths of the standard library mean: items of its crate here, or what the evaluator knows.

use super::builtin;
use super::scope::NAMESPACES;
use super::{Definition, Items, ModuleId, Namespace};
use crate::compiler::ast::{Path, Symbol};
use crate::compiler::error::{Result, fail, fail_help, wanted};

/// Types of errors, by their modules.
const ERRORS: [(&str, &str); 4] = [
    ("array", "TryFromSliceError"),
    ("num", "IntErrorKind"),
    ("num", "ParseIntError"),
    ("num", "TryFromIntError"),
];

impl Items {
    /// Returns what a path of the standard library means, as far as it consists of items, and the
    /// number of its names that it took.
    pub(super) fn standard(
        &self,
        path: &[Symbol],
        namespace: Namespace,
    ) -> Option<(Definition, usize)> {
        let [_, module, item, rest @ ..] = path else {
            return None;
        };
        let wanted = |rest: &[Symbol]| match rest {
            [] => namespace,
            _ => Namespace::Type,
        };
        let declared = match self.public(self.std, *module, Namespace::Type) {
            Some(Definition::Module(inner)) => self.public(inner, *item, wanted(rest)),
            // They are declared with `Result`.
            _ if ERRORS.contains(&(&*module.text(), &*item.text())) => {
                self.std_structs.get(item).map(|id| Definition::Struct(*id))
            }
            _ => None,
        };
        let definition = match declared {
            Some(definition) => definition,
            None => {
                let name = builtin::standard(&module.text(), &item.text(), wanted(rest))?;
                Definition::Intrinsic(Symbol::new(name))
            }
        };
        if let (Definition::Struct(id), [name, rest @ ..]) = (&definition, rest)
            && let Some(variant) = self.variant(*id, *name, wanted(rest))
        {
            return Some((variant, 4));
        }
        Some((definition, 3))
    }

    /// Returns the public item of a module that has a name.
    fn public(&self, module: ModuleId, name: Symbol, namespace: Namespace) -> Option<Definition> {
        let named = self.modules[module].names.get(&(name, namespace))?;
        named.reach.is_none().then(|| named.definition.clone())
    }

    /// Returns what an import from the standard library brings. If the compiler does not know it, it
    /// gets a name that nothing else has, so that it shadows the same names as in Rust and is refused
    /// if it is used.
    pub(super) fn standard_import(
        &self,
        path: &[Symbol],
        namespace: Namespace,
    ) -> Option<Definition> {
        let whole = |namespace| {
            let found = self.standard(path, namespace);
            found.filter(|(_, used)| *used == path.len())
        };
        if NAMESPACES.into_iter().any(|other| whole(other).is_some()) {
            return whole(namespace).map(|(definition, _)| definition);
        }
        // At its root, the library has modules only.
        let module = path.len() <= 2;
        let text: Vec<_> = path.iter().map(ToString::to_string).collect();
        let unknown = Definition::Intrinsic(Symbol::new(&text.join("::")));
        (namespace == Namespace::Type || !module).then_some(unknown)
    }

    /// Follows a path in the standard library. `start` are the names that stand for the first `used`
    /// segments.
    pub(super) fn standard_path(
        &self,
        mut start: Vec<Symbol>,
        path: &Path,
        used: usize,
        namespace: Namespace,
    ) -> Result<Option<(Definition, usize)>> {
        let before = start.len();
        start.extend(path.segments[used..].iter().map(|segment| segment.name));
        if let Some((definition, taken)) = self.standard(&start, namespace)
            && taken > before
        {
            return Ok(Some((definition, used + taken - before)));
        }
        let message = "this item of the standard library is not in the subset";
        let mut names = start.iter().rev();
        match names.find_map(|name| wanted(&name.text())) {
            Some(help) => fail_help(path.span, message, help),
            None => fail(path.span, message),
        }
    }
}

/// Returns the path of an item of the standard library, given the names after what was imported of
/// it.
pub(super) fn within(imported: Symbol, rest: &[Symbol]) -> Vec<Symbol> {
    let text = imported.text();
    let start = text.split("::").map(Symbol::new);
    start.chain(rest.iter().copied()).collect()
}
