//! What a name means in a module: its items, its imports, and names that every module knows.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::builtin::{self, LANGUAGE, OF_STANDARD};
use super::standard::within;
use super::{Definition, Items, ModuleId, Named, Namespace, Reach, TraitName};
use crate::compiler::ast::*;
use crate::compiler::error::{Result, fail, fail_help};
use crate::compiler::output::Span;
use crate::compiler::value::StructId;

/// Imports that are being followed. Until they are resolved they provide no name, which prevents
/// endless recursion.
type Following = Vec<(ModuleId, usize, Symbol, Namespace)>;

/// Largest number of imports that are followed. Globs that import each other lead in exponentially
/// many ways to a name.
const MAX_FOLLOWED: u32 = 1 << 21;

pub(super) const NAMESPACES: [Namespace; 2] = [Namespace::Type, Namespace::Value];

impl Definition {
    /// Returns whether two definitions are the same item.
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Function(_, a), Self::Function(_, b)) => Rc::ptr_eq(a, b),
            (Self::Const(_, a), Self::Const(_, b)) => Rc::ptr_eq(a, b),
            (Self::Alias(_, a), Self::Alias(_, b)) => Rc::ptr_eq(a, b),
            (Self::Struct(a), Self::Struct(b)) => a == b,
            (Self::Variant(a, m), Self::Variant(b, n)) => (a, m) == (b, n),
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
    /// module knows. As in Rust, a name with two meanings of equal precedence is an error. What the
    /// items of a block do not mean is looked up around it.
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
        let found = self.find_around(module, name, namespace, &mut Vec::new(), span)?;
        let definition = match found {
            Some(named) => Some(named.definition),
            None => self.outside(module, name, namespace),
        };
        self.known.borrow_mut().insert(key, definition.clone());
        Ok(definition)
    }

    /// Returns the meaning of a name outside of modules: a crate, or a name that every module
    /// knows.
    fn outside(&self, module: ModuleId, name: Symbol, namespace: Namespace) -> Option<Definition> {
        let text = name.text();
        if namespace == Namespace::Type
            && let Some(id) = self.crates.get(&name)
        {
            return Some(Definition::Module(*id));
        }
        let of_std = match &*text {
            "Option" | "Some" | "None" => Some(("option", "Option")),
            "Result" | "Ok" | "Err" => Some(("result", "Result")),
            _ => None,
        };
        if let Some((module, item)) = of_std {
            let mut path = ["std", module, item].map(Symbol::new).to_vec();
            path.extend((item != &*text).then_some(name));
            let found = self.standard(&path, namespace);
            return found.map(|(definition, _)| definition);
        }
        let known = match namespace {
            Namespace::Type => LANGUAGE.contains(&&*text),
            Namespace::Value => {
                self.modules[module].root == self.std && OF_STANDARD.contains(&&*text)
            }
        };
        known.then_some(Definition::Intrinsic(name))
    }

    /// Returns whether a module itself, without those around it, has an item or an import of this
    /// name, or too many.
    pub fn declares(&self, module: ModuleId, name: Symbol, namespace: Namespace) -> bool {
        let key = (module, name, namespace);
        if let Some(known) = self.declared.borrow().get(&key) {
            return *known;
        }
        let found = self.find(module, name, namespace, &mut Vec::new(), Span::default());
        let declares = !matches!(found, Ok(None));
        self.declared.borrow_mut().insert(key, declares);
        declares
    }

    /// Returns what a module defines or imports under a name or, if it is that of a block and has
    /// nothing of this name, what those around it do.
    fn find_around(
        &self,
        mut module: ModuleId,
        name: Symbol,
        namespace: Namespace,
        following: &mut Following,
        span: Span,
    ) -> Result<Option<Named>> {
        loop {
            let found = self.find(module, name, namespace, following, span)?;
            let info = &self.modules[module];
            match info.parent {
                Some(parent) if found.is_none() && info.hidden => module = parent,
                _ => return Ok(found),
            }
        }
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
                let reach = target.as_ref().and_then(|named| named.reach);
                match target.map(|named| named.definition) {
                    Some(Definition::Module(target)) if target != module => {
                        self.find(target, name, namespace, following, import.span)?
                    }
                    Some(Definition::Struct(id)) => {
                        let variant = self.variant(id, name, namespace);
                        variant.map(|definition| Named::new(definition, reach))
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
            None => match self.find_around(module, *first, whole, following, span)? {
                None if builtin::is_standard(&first.text()) => {
                    let definition = self.standard_import(&import.path, namespace);
                    return Ok(definition.map(Named::public));
                }
                None => self.outside(module, *first, whole).map(Named::public),
                found => found,
            },
        };
        let Some(mut named) = start else {
            let definition = self.custom_import(import, namespace);
            return Ok(definition.map(Named::public));
        };
        for (index, name) in rest.iter().enumerate() {
            let wanted = if index + 1 == rest.len() {
                namespace
            } else {
                Namespace::Type
            };
            let next = match named.definition {
                Definition::Module(inner) => match &*name.text() {
                    "super" => Some(Named::public(Definition::Module(self.above(inner, span)?))),
                    _ => self.find(inner, *name, wanted, following, span)?,
                },
                Definition::Struct(id) => {
                    let (variant, reach) = (self.variant(id, *name, wanted), named.reach);
                    variant.map(|definition| Named::new(definition, reach))
                }
                Definition::Intrinsic(of) if of.text().contains("::") => {
                    let path = within(of, &rest[index..]);
                    let definition = self.standard_import(&path, namespace);
                    return Ok(definition.map(Named::public));
                }
                _ => None,
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
        let mut around = vec![self.written(module)];
        while let Some(parent) = around.last().and_then(|inner| self.modules[*inner].parent) {
            around.push(self.written(parent));
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

    /// Returns the module around a block's or, if it is none, the module itself.
    fn written(&self, mut module: ModuleId) -> ModuleId {
        while let Some(parent) = self.modules[module].parent
            && self.modules[module].hidden
        {
            module = parent;
        }
        module
    }

    /// Returns the module that `crate`, `self` or `super` means.
    fn relative(&self, module: ModuleId, name: Symbol, span: Span) -> Result<Option<ModuleId>> {
        Ok(match &*name.text() {
            "crate" => Some(self.modules[module].root),
            "self" => Some(self.written(module)),
            "super" => Some(self.above(module, span)?),
            _ => None,
        })
    }

    fn above(&self, module: ModuleId, span: Span) -> Result<ModuleId> {
        match self.modules[self.written(module)].parent {
            Some(parent) => Ok(self.written(parent)),
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
                        let has_names = match named.definition {
                            Definition::Module(_) => true,
                            Definition::Struct(id) => self.structs[id].ast.is_enum,
                            _ => false,
                        };
                        import.name.is_some() || has_names
                    });
                }
                if !found {
                    let text: Vec<_> = import.path.iter().map(ToString::to_string).collect();
                    let help = match text.first() {
                        Some(first) if builtin::is_standard(first) => {
                            "import what the subset has of it one by one, by name"
                        }
                        _ => {
                            "imports name items of the program's own files and of libraries: to the \
                             command these are `droste_gadgets` and those of `--library`; programs \
                             with precompiles of your own run in the library only"
                        }
                    };
                    let message = format!("there is no `{}`", text.join("::"));
                    return fail_help(import.span, message, help);
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
                    return self.standard_path(Vec::new(), path, 0, namespace);
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
        match (definition, path.segments.get(used)) {
            (Definition::Struct(id), Some(segment)) => {
                match self.variant(id, segment.name, wanted(used)) {
                    Some(variant) => Ok(Some((variant, used + 1))),
                    None => Ok(Some((Definition::Struct(id), used))),
                }
            }
            (Definition::Intrinsic(of), Some(_)) if of.text().contains("::") => {
                self.standard_path(within(of, &[]), path, used, namespace)
            }
            (definition, _) => Ok(Some((definition, used))),
        }
    }

    /// Returns the variant of an enum that a name means. The name of one whose fields have names is
    /// no value.
    pub fn variant(&self, id: StructId, name: Symbol, namespace: Namespace) -> Option<Definition> {
        let ast = &self.structs[id].ast;
        let mut variants = ast.variants.iter();
        let number = variants.position(|variant| variant.name == name)?;
        let is_known = namespace == Namespace::Type || !ast.variant(number).named;
        (ast.is_enum && is_known).then_some(Definition::Variant(id, number))
    }

    /// Returns the traits whose methods may be meant by method calls in a module.
    pub fn traits_in_scope(&self, module: ModuleId) -> Result<Rc<BTreeSet<TraitName>>> {
        if let Some(known) = self.scopes.borrow().get(&module) {
            return Ok(known.clone());
        }
        let mut traits = BTreeSet::new();
        let (mut around, mut visited) = (module, Vec::new());
        self.collect_traits(around, module, &mut traits, &mut visited)?;
        while let Some(parent) = self.modules[around].parent
            && self.modules[around].hidden
        {
            around = parent;
            self.collect_traits(around, module, &mut traits, &mut visited)?;
        }
        let traits = Rc::new(traits);
        self.scopes.borrow_mut().insert(module, traits.clone());
        Ok(traits)
    }

    /// Collects the traits that a module declares and imports, if they are visible in `reader`.
    fn collect_traits(
        &self,
        module: ModuleId,
        reader: ModuleId,
        traits: &mut BTreeSet<TraitName>,
        visited: &mut Vec<ModuleId>,
    ) -> Result<()> {
        if visited.contains(&module) {
            return Ok(());
        }
        visited.push(module);
        let info = &self.modules[module];
        let names = info.names.values();
        let names = names.filter(|named| self.reaches(named.reach, reader));
        traits.extend(names.filter_map(|named| TraitName::of(&named.definition)));
        for import in &info.imports {
            if !self.reaches(self.reach(module, import.visibility), reader) {
                continue;
            }
            let target = self.import(module, import, Namespace::Type, &mut Vec::new())?;
            match (import.name, target.map(|named| named.definition)) {
                (Some(_), Some(definition)) => traits.extend(TraitName::of(&definition)),
                (None, Some(Definition::Module(target))) => {
                    self.collect_traits(target, reader, traits, visited)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
