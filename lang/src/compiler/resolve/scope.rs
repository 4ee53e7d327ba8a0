//! What a name means in a module: its items, its imports, and names that every module knows.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::builtin::{self, LANGUAGE};
use super::{Definition, Items, ModuleId, Named, Namespace, Reach, TraitName};
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};
use crate::compiler::output::Span;

/// Imports that are being followed. Until they are resolved they provide no name, which prevents
/// endless recursion.
type Following = Vec<(ModuleId, usize, Symbol, Namespace)>;

/// Largest number of imports that are followed. Globs that import each other lead in exponentially
/// many ways to a name.
const MAX_FOLLOWED: u32 = 1 << 21;

const NAMESPACES: [Namespace; 2] = [Namespace::Type, Namespace::Value];

impl Definition {
    /// Returns whether two definitions are the same item.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Function(_, a), Self::Function(_, b)) => Rc::ptr_eq(a, b),
            (Self::Const(_, a), Self::Const(_, b)) => Rc::ptr_eq(a, b),
            (Self::Alias(_, a), Self::Alias(_, b)) => Rc::ptr_eq(a, b),
            (Self::Struct(a), Self::Struct(b)) => a == b,
            (Self::Trait(a), Self::Trait(b)) => a == b,
            (Self::Module(a), Self::Module(b)) => a == b,
            (Self::Intrinsic(a), Self::Intrinsic(b)) => a == b,
            _ => false,
        }
    }
}

impl Items {
    /// Returns what `name` means in a module.
    ///
    /// An import only brings what is visible in its module, for each namespace separately. Items
    /// and named imports take precedence over globs, and globs over crates and names that every
    /// module knows. As in Rust, a name with two meanings of equal precedence is an error.
    pub fn lookup(
        &self,
        module: ModuleId,
        name: Symbol,
        namespace: Namespace,
        span: Span,
    ) -> Result<Option<Definition>> {
        let key = (module, name, namespace);
        if let Some(known) = self.known.borrow().get(&key) {
            return Ok(known.clone());
        }
        let definition = match self.find(module, name, namespace, &mut Vec::new(), span)? {
            None if namespace == Namespace::Type => self.outside(name),
            found => found.map(|named| named.definition),
        };
        self.known.borrow_mut().insert(key, definition.clone());
        Ok(definition)
    }

    /// Returns the meaning of a name outside of modules: a crate, or a name that every module
    /// knows.
    fn outside(&self, name: Symbol) -> Option<Definition> {
        if let Some(id) = self.crates.get(&name) {
            return Some(Definition::Module(*id));
        }
        let known = LANGUAGE.contains(&&*name.text());
        known.then_some(Definition::Intrinsic(name))
    }

    /// Returns what a module itself defines or imports under a name.
    fn find(
        &self,
        module: ModuleId,
        name: Symbol,
        namespace: Namespace,
        following: &mut Following,
        span: Span,
    ) -> Result<Option<Named>> {
        let info = &self.modules[module];
        let mut found = info.names.get(&(name, namespace)).cloned();
        for by_name in [Some(name), None] {
            for (index, import) in info.imports.iter().enumerate() {
                if import.name != by_name {
                    continue;
                }
                let imported = self.follow(module, index, name, namespace, following)?;
                match (&mut found, imported) {
                    (Some(first), Some(second)) if first.definition.same(&second.definition) => {
                        first.reach = self.wider(first.reach, second.reach);
                    }
                    (Some(_), Some(_)) if by_name.is_some() => {
                        let message = format!("`{name}` is defined twice in this module");
                        return fail(import.span, message);
                    }
                    (Some(_), Some(_)) => {
                        let message = format!("`{name}` is imported from two modules by `*`");
                        let help = "import it by name from the one that is meant";
                        return fail_help(span, message, help);
                    }
                    (None, Some(imported)) => found = Some(imported),
                    _ => {}
                }
            }
            if found.is_some() {
                break;
            }
        }
        Ok(found)
    }

    /// Returns what one import of a module brings under a name.
    fn follow(
        &self,
        module: ModuleId,
        index: usize,
        name: Symbol,
        namespace: Namespace,
        following: &mut Following,
    ) -> Result<Option<Named>> {
        let step = (module, index, name, namespace);
        if following.contains(&step) {
            return Ok(None);
        }
        following.push(step);
        let import = &self.modules[module].imports[index];
        self.followed.set(self.followed.get() + 1);
        if self.followed.get() > MAX_FOLLOWED {
            let message = format!("names are imported in more than {MAX_FOLLOWED} ways");
            return fail(import.span, message);
        }
        let found = match import.name {
            Some(_) => self.import(module, import, namespace, following)?,
            None => {
                let target = self.import(module, import, Namespace::Type, following)?;
                match target.map(|named| named.definition) {
                    Some(Definition::Module(target)) if target != module => {
                        self.find(target, name, namespace, following, import.span)?
                    }
                    _ => None,
                }
            }
        };
        following.pop();
        let visible = found.filter(|named| self.reaches(named.reach, module));
        Ok(visible.map(|named| Named {
            reach: self.narrower(named.reach, self.reach(module, import.visibility)),
            ..named
        }))
    }

    /// Returns the definition at the end of a `use` path.
    fn import(
        &self,
        module: ModuleId,
        import: &Import,
        namespace: Namespace,
        following: &mut Following,
    ) -> Result<Option<Named>> {
        let Some((first, rest)) = import.path.split_first() else {
            return Ok(None);
        };
        let span = import.span;
        let whole = if rest.is_empty() {
            namespace
        } else {
            Namespace::Type
        };
        let start = match self.relative(module, *first, span)? {
            Some(start) => Some(Named::public(Definition::Module(start))),
            None => match self.find(module, *first, whole, following, span)? {
                None if builtin::is_standard(&first.text()) => {
                    let definition = standard_import(&import.path, namespace);
                    return Ok(definition.map(Named::public));
                }
                None => {
                    let id = self.crates.get(first);
                    id.map(|id| Named::public(Definition::Module(*id)))
                }
                found => found,
            },
        };
        let Some(mut named) = start else {
            let definition = self.custom_import(import, namespace);
            return Ok(definition.map(Named::public));
        };
        for (index, name) in rest.iter().enumerate() {
            let Definition::Module(inner) = named.definition else {
                return Ok(None);
            };
            let wanted = if index + 1 == rest.len() {
                namespace
            } else {
                Namespace::Type
            };
            let next = match &*name.text() {
                "super" => Some(Named::public(Definition::Module(self.above(inner, span)?))),
                _ => self.find(inner, *name, wanted, following, span)?,
            };
            match next {
                Some(next) => named = next,
                None => return Ok(None),
            }
        }
        // What is not visible here is not imported, so the name may mean something else.
        Ok(Some(named).filter(|named| self.reaches(named.reach, module)))
    }

    /// Returns the definition of a user's precompile, whose crate is not among the files.
    fn custom_import(&self, import: &Import, namespace: Namespace) -> Option<Definition> {
        let last = *import.path.last()?;
        let known = import.path.len() > 1
            && import.name.is_some()
            && namespace == Namespace::Value
            && self.custom.contains(&last);
        known.then_some(Definition::Intrinsic(last))
    }

    /// Returns whether a module is `outer` or within it.
    pub(super) fn is_within(&self, module: ModuleId, outer: ModuleId) -> bool {
        let mut around = Some(module);
        while let Some(inner) = around.filter(|inner| *inner != outer) {
            around = self.modules[inner].parent;
        }
        around.is_some()
    }

    /// Returns where something is visible that a module declares or imports.
    pub(super) fn reach(&self, module: ModuleId, visibility: Visibility) -> Reach {
        let mut around = vec![module];
        while let Some(parent) = around.last().and_then(|inner| self.modules[*inner].parent) {
            around.push(parent);
        }
        let level = match visibility {
            Visibility::Public => return None,
            Visibility::Above(levels) => levels,
            Visibility::Below(levels) => (around.len() - 1).saturating_sub(levels),
        };
        let outer = around.get(level).copied();
        Some(outer.unwrap_or(self.modules[module].root))
    }

    /// Returns whether something that is visible within `reach` is visible in a module.
    fn reaches(&self, reach: Reach, module: ModuleId) -> bool {
        reach.is_none_or(|outer| self.is_within(module, outer))
    }

    /// Returns the smaller of two scopes of visibility, one of which contains the other.
    pub(super) fn narrower(&self, a: Reach, b: Reach) -> Reach {
        match (a, b) {
            (Some(inner), Some(outer)) if !self.is_within(inner, outer) => Some(outer),
            (a, b) => a.or(b),
        }
    }

    /// Returns the larger of two scopes of visibility, one of which contains the other.
    fn wider(&self, a: Reach, b: Reach) -> Reach {
        match (a, b) {
            (Some(inner), Some(outer)) if self.is_within(inner, outer) => Some(outer),
            (Some(outer), Some(_)) => Some(outer),
            _ => None,
        }
    }

    /// Returns the module that `crate`, `self` or `super` means.
    fn relative(&self, module: ModuleId, name: Symbol, span: Span) -> Result<Option<ModuleId>> {
        Ok(match &*name.text() {
            "crate" => Some(self.modules[module].root),
            "self" => Some(module),
            "super" => Some(self.above(module, span)?),
            _ => None,
        })
    }

    fn above(&self, module: ModuleId, span: Span) -> Result<ModuleId> {
        match self.modules[module].parent {
            Some(parent) => Ok(parent),
            None => fail(span, "there is no module above this one"),
        }
    }

    /// Refuses imports of names that do not exist.
    pub(super) fn check_imports(&self) -> Result<()> {
        for (module, info) in self.modules.iter().enumerate() {
            for import in &info.imports {
                let mut found = false;
                for namespace in NAMESPACES {
                    let target = self.import(module, import, namespace, &mut Vec::new())?;
                    found |= target.is_some_and(|named| {
                        let is_module = matches!(named.definition, Definition::Module(_));
                        import.name.is_some() || is_module
                    });
                }
                if !found {
                    let text: Vec<_> = import.path.iter().map(ToString::to_string).collect();
                    return fail_help(
                        import.span,
                        format!("there is no `{}`", text.join("::")),
                        "imports name items of the program's own files and of the libraries passed to \
                         the compiler; the command `droste` passes `droste_gadgets`, so programs with \
                         precompiles of your own run in the library only",
                    );
                }
            }
        }
        Ok(())
    }

    /// Follows a path from a module as far as it consists of items. The rest belongs to a type.
    ///
    /// Returns the definition and the number of segments that it took, or `None` if not even the
    /// first segment is an item. The last segment of the path is looked up in `namespace`.
    pub fn path(
        &self,
        module: ModuleId,
        path: &Path,
        namespace: Namespace,
    ) -> Result<Option<(Definition, usize)>> {
        let Some(first) = path.segments.first() else {
            return Ok(None);
        };
        let count = path.segments.len();
        let wanted = |used: usize| {
            if used + 1 == count {
                namespace
            } else {
                Namespace::Type
            }
        };
        let mut definition = match self.relative(module, first.name, path.span)? {
            Some(start) => Definition::Module(start),
            None => match self.lookup(module, first.name, wanted(0), path.span)? {
                Some(definition) => definition,
                None if builtin::is_standard(&first.name.text()) => {
                    return standard_path(path).map(Some);
                }
                None => return Ok(None),
            },
        };
        let mut used = 1;
        while let Definition::Module(inner) = definition {
            let Some(segment) = path.segments.get(used) else {
                break;
            };
            let name = segment.name;
            let next = match &*name.text() {
                "super" => Some(Definition::Module(self.above(inner, path.span)?)),
                _ => match self.find(inner, name, wanted(used), &mut Vec::new(), path.span)? {
                    Some(named) if !self.reaches(named.reach, module) => {
                        return fail(path.span, format!("`{name}` is private in another module"));
                    }
                    named => named.map(|named| named.definition),
                },
            };
            definition = match next {
                Some(definition) => definition,
                None => return fail(path.span, format!("there is no `{name}` in this module")),
            };
            used += 1;
        }
        Ok(Some((definition, used)))
    }

    /// Returns the traits whose methods may be meant by method calls in a module.
    pub fn traits_in_scope(&self, module: ModuleId) -> Result<Rc<BTreeSet<TraitName>>> {
        if let Some(known) = self.scopes.borrow().get(&module) {
            return Ok(known.clone());
        }
        let mut traits = BTreeSet::new();
        self.collect_traits(module, &mut traits, &mut Vec::new())?;
        let traits = Rc::new(traits);
        self.scopes.borrow_mut().insert(module, traits.clone());
        Ok(traits)
    }

    fn collect_traits(
        &self,
        module: ModuleId,
        traits: &mut BTreeSet<TraitName>,
        visited: &mut Vec<ModuleId>,
    ) -> Result<()> {
        if visited.contains(&module) {
            return Ok(());
        }
        visited.push(module);
        let info = &self.modules[module];
        let names = info.names.values();
        traits.extend(names.filter_map(|named| TraitName::of(&named.definition)));
        for import in &info.imports {
            let target = self.import(module, import, Namespace::Type, &mut Vec::new())?;
            match (import.name, target.map(|named| named.definition)) {
                (Some(_), Some(definition)) => traits.extend(TraitName::of(&definition)),
                (None, Some(Definition::Module(target))) => {
                    self.collect_traits(target, traits, visited)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns an item of the standard library. If the evaluator does not know it, the item gets a name
/// that nothing else has, so that it shadows the same names as in Rust and is refused if it is
/// used.
fn standard_import(path: &[Symbol], namespace: Namespace) -> Option<Definition> {
    if let [_, module, item] = path
        && let Some(name) = builtin::standard(&module.text(), &item.text())
        && (namespace == Namespace::Type || name == "PhantomData")
    {
        return Some(Definition::Intrinsic(Symbol::new(name)));
    }
    let text: Vec<_> = path.iter().map(ToString::to_string).collect();
    Some(Definition::Intrinsic(Symbol::new(&text.join("::"))))
}

fn standard_path(path: &Path) -> Result<(Definition, usize)> {
    if let [_, module, item, ..] = path.segments.as_slice()
        && let Some(name) = builtin::standard(&module.name.text(), &item.name.text())
    {
        return Ok((Definition::Intrinsic(Symbol::new(name)), 3));
    }
    let message = "this item of the standard library is not in the subset";
    fail(path.span, message)
}
