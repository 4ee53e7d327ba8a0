//! The item table: what a name means in each module, and which functions a type has.

mod alias;
mod builtin;
mod conform;
mod implement;
mod scope;
mod standard;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::ast::*;
use super::error::{Result, fail, fail_help};
use super::output::Span;
use super::value::StructId;

use builtin::{GADGETS, LIST_ITERATOR, MODULES};
pub use builtin::{
    INDEX, ITER_FROM_FN, ITERATOR, LANGUAGE, RANGES, STANDARD, UNCHECKED_SLICE, home, is_advice,
    is_builtin, standard_names,
};
pub use conform::{OPERATORS, knows_references};

/// Name of the crate of the standard library in the compiler. No path can name it.
pub const STD: &str = "std ";

/// Name of the entry's crate. No path can name it.
pub const ENTRY: &str = "main ";

pub type ModuleId = usize;
pub type TraitId = usize;

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Definition {
    Function(ModuleId, Rc<Function>),
    Const(ModuleId, Rc<Const>),
    /// A struct or an enum.
    Struct(StructId),
    /// A variant of an enum, by its number.
    Variant(StructId, usize),
    Alias(ModuleId, Rc<Alias>),
    Trait(TraitId),
    Module(ModuleId),
    /// An item of the prelude or of the standard library, or a type of the language.
    Intrinsic(Symbol),
}

/// The kind of a name: types and modules, or values. A name may have one meaning of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Namespace {
    Type,
    Value,
}

/// A trait of the program, the prelude, or the standard library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TraitName {
    User(TraitId),
    Builtin(Symbol),
}

impl TraitName {
    fn of(definition: &Definition) -> Option<Self> {
        match definition {
            Definition::Trait(id) => Some(Self::User(*id)),
            Definition::Intrinsic(name) => Some(Self::Builtin(*name)),
            _ => None,
        }
    }
}

/// The outermost constructor of a type, under which implementations are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    Struct(StructId),
    Intrinsic(Symbol),
    Array,
    Tuple,
    /// An implementation for a type parameter.
    Any,
}

/// The module within which a name is visible, or `None` if it is visible everywhere.
type Reach = Option<ModuleId>;

/// What a name means in a module, and where that is visible.
#[derive(Clone)]
struct Named {
    definition: Definition,
    reach: Reach,
    /// Whether it is the module of a file, and no `mod` has been met that declares it.
    undeclared: bool,
}

impl Named {
    fn new(definition: Definition, reach: Reach) -> Self {
        Self {
            definition,
            reach,
            undeclared: false,
        }
    }

    fn public(definition: Definition) -> Self {
        Self::new(definition, None)
    }
}

struct ModuleInfo {
    parent: Option<ModuleId>,
    /// Root module of its crate.
    root: ModuleId,
    names: HashMap<(Symbol, Namespace), Named>,
    imports: Vec<Import>,
    /// Whether the text of the module has been read.
    filled: bool,
    /// Whether it consists of the items that a block declares.
    hidden: bool,
}

/// A struct or an enum, and the module in which it is declared.
pub struct StructInfo {
    pub module: ModuleId,
    pub ast: Rc<Struct>,
    /// Whether `Clone` and `Copy` are derived or implemented.
    pub clone: bool,
    pub copy: bool,
}

/// An implementation, and the module in which it is written.
pub struct ImplInfo {
    pub module: ModuleId,
    pub ast: Rc<Impl>,
    /// Head of the type for which it is.
    pub head: Head,
    /// The trait, or `None` if it is inherent.
    pub of: Option<TraitName>,
}

/// An item that an implementation provides for its types.
#[derive(Clone)]
pub struct Associated<T> {
    pub implementation: usize,
    /// The module in which it is written: for a default, that of the trait.
    pub module: ModuleId,
    /// The trait, if it is a default of one.
    pub default_of: Option<TraitId>,
    pub item: T,
}

/// Items of implementations, by the head of the type and the name.
pub type Table<T> = HashMap<(Head, Symbol), Vec<Associated<T>>>;

impl Associated<()> {
    /// Adds an item of this origin to a table.
    fn add<T>(&self, table: &mut Table<T>, head: Head, name: Symbol, item: T) {
        table.entry((head, name)).or_default().push(Associated {
            implementation: self.implementation,
            module: self.module,
            default_of: self.default_of,
            item,
        });
    }
}

/// Every item of the program.
#[derive(Default)]
pub struct Items {
    modules: Vec<ModuleInfo>,
    /// The crate of the standard library, which is written in the language.
    std: ModuleId,
    std_structs: HashMap<Symbol, StructId>,
    custom: Vec<Symbol>,
    crates: HashMap<Symbol, ModuleId>,
    pub structs: Vec<StructInfo>,
    pub traits: Vec<(ModuleId, Rc<Trait>)>,
    pub impls: Vec<ImplInfo>,
    /// Implementations of each trait.
    pub implementors: HashMap<TraitName, Vec<usize>>,
    pub methods: Table<Rc<Function>>,
    pub constants: Table<Rc<Const>>,
    /// Indices of associated types in their implementations.
    pub types: Table<usize>,
    /// Number of imports that were followed.
    followed: Cell<u32>,
    /// Cached results of [`Self::lookup`].
    known: RefCell<HashMap<(ModuleId, Symbol, Namespace), Option<Definition>>>,
    /// Cached results of [`Self::declares`].
    declared: RefCell<HashMap<(ModuleId, Symbol, Namespace), bool>>,
    /// Cached results of [`Self::traits_in_scope`].
    scopes: RefCell<HashMap<ModuleId, Rc<BTreeSet<TraitName>>>>,
}

impl Items {
    /// Builds the table from files. The entry is first, with an empty path.
    ///
    /// A library's path begins with the name of its crate, which is [`ENTRY`] for the entry's own;
    /// `src`, `lib.rs` and `mod.rs` are not part of a module's name.
    ///
    /// `custom` are names of functions that mean the same as functions of the prelude.
    pub fn new(
        files: Vec<(String, Module)>,
        custom: impl Iterator<Item = &'static str>,
    ) -> Result<(Self, ModuleId)> {
        let mut items = Self {
            custom: custom.map(Symbol::new).collect(),
            ..Self::default()
        };
        items.declare_builtin();
        items.std = items.module_at(&[STD.to_owned()]);
        let mut contents = Vec::new();
        let mut entry = 0;
        for (index, (path, module)) in files.into_iter().enumerate() {
            let path = module_path(&path);
            // These files are the native form of the built-in modules.
            let builtin = |name: &&str| path.get(1).is_some_and(|second| second == name);
            let gadgets = path.first().is_some_and(|name| name == GADGETS);
            if index > 0 && gadgets && MODULES.iter().any(builtin) {
                continue;
            }
            let id = match index {
                0 => items.module_at(&[ENTRY.to_owned()]),
                _ => items.module_at(&path),
            };
            if std::mem::replace(&mut items.modules[id].filled, true) {
                let message = format!("two files are the module `{}`", path.join("::"));
                return fail(Span::default(), message);
            }
            if index == 0 {
                entry = id;
            }
            contents.push((id, module));
        }
        let mut implementations = Vec::new();
        for (id, module) in contents {
            items.declare(id, &module, &mut implementations)?;
        }
        items.drop_undeclared(entry);
        items.check_imports()?;
        items.check_aliases()?;
        for (module, ast) in implementations {
            items.implement(module, ast)?;
        }
        items.check_derives()?;
        Ok((items, entry))
    }

    /// Declares the modules of the gadgets' crate that no file defines.
    fn declare_builtin(&mut self) {
        for module in MODULES {
            let id = self.module_at(&[GADGETS.to_owned(), module.to_owned()]);
            for (name, namespace) in builtin::names(module) {
                let name = Symbol::new(name);
                let definition = Definition::Intrinsic(name);
                let names = &mut self.modules[id].names;
                names.insert((name, namespace), Named::public(definition));
            }
        }
    }

    fn add_module(&mut self, parent: Option<ModuleId>) -> ModuleId {
        let id = self.modules.len();
        let root = parent.map_or(id, |parent| self.modules[parent].root);
        self.modules.push(ModuleInfo {
            parent,
            root,
            names: HashMap::new(),
            imports: Vec::new(),
            filled: false,
            hidden: false,
        });
        id
    }

    /// Takes away the modules of the entry's crate whose files no `mod` declares: rustc does not read
    /// them.
    fn drop_undeclared(&mut self, root: ModuleId) {
        for info in self.modules.iter_mut().filter(|info| info.root == root) {
            info.names.retain(|_, named| !named.undeclared);
        }
    }

    /// Returns the module of a library's file.
    fn module_at(&mut self, path: &[String]) -> ModuleId {
        let mut names = path.iter().map(|name| Symbol::new(name));
        let Some(name) = names.next() else {
            return self.add_module(None);
        };
        let mut id = match self.crates.get(&name) {
            Some(id) => *id,
            None => {
                let id = self.add_module(None);
                self.crates.insert(name, id);
                id
            }
        };
        for name in names {
            let key = (name, Namespace::Type);
            let named = self.modules[id].names.get(&key);
            id = match named.map(|named| &named.definition) {
                Some(Definition::Module(inner)) => *inner,
                _ => {
                    let inner = self.add_module(Some(id));
                    let named = Named {
                        undeclared: true,
                        ..Named::public(Definition::Module(inner))
                    };
                    self.modules[id].names.insert(key, named);
                    inner
                }
            };
        }
        id
    }

    fn declare(
        &mut self,
        module: ModuleId,
        contents: &Module,
        implementations: &mut Vec<(ModuleId, Rc<Impl>)>,
    ) -> Result<()> {
        const TYPE: &[Namespace] = &[Namespace::Type];
        const VALUE: &[Namespace] = &[Namespace::Value];
        for item in &contents.items {
            let reach = self.reach(module, item.visibility);
            let mut constructor = reach;
            let (definition, namespaces) = match &item.kind {
                ItemKind::Function(ast) => (Definition::Function(module, ast.clone()), VALUE),
                ItemKind::Const(ast) => (Definition::Const(module, ast.clone()), VALUE),
                ItemKind::Alias(ast) => (Definition::Alias(module, ast.clone()), TYPE),
                ItemKind::Struct(ast) => {
                    let (clone, copy) = (ast.derives("Clone"), ast.derives("Copy"));
                    let only = ast.variants.first().filter(|_| !ast.is_enum);
                    let is_value = only.is_some_and(|only| !only.named);
                    for field in only.iter().flat_map(|only| &only.visibilities) {
                        constructor = self.narrower(constructor, self.reach(module, *field));
                    }
                    self.structs.push(StructInfo {
                        module,
                        ast: ast.clone(),
                        clone,
                        copy,
                    });
                    let id = self.structs.len() - 1;
                    if self.is_std_struct(id) {
                        self.std_structs.insert(ast.name, id);
                    }
                    let definition = Definition::Struct(id);
                    if is_value {
                        (definition, &[Namespace::Type, Namespace::Value][..])
                    } else {
                        (definition, TYPE)
                    }
                }
                ItemKind::Trait(ast) => {
                    self.traits.push((module, ast.clone()));
                    (Definition::Trait(self.traits.len() - 1), TYPE)
                }
                ItemKind::Module(contents) => {
                    let inner = self.add_module(Some(module));
                    self.modules[inner].filled = true;
                    // No other module's name has a space.
                    self.modules[inner].hidden = item.name.text().contains(' ');
                    self.declare(inner, contents, implementations)?;
                    (Definition::Module(inner), TYPE)
                }
                ItemKind::ModuleFile => {
                    let key = (item.name, Namespace::Type);
                    if let Some(named) = self.modules[module].names.get_mut(&key) {
                        named.reach = reach;
                        named.undeclared = false;
                        continue;
                    }
                    let message = format!("the file of the module `{}` is missing", item.name);
                    let help = "write the module here, or in its file, which the command reads; \
                         `compile` takes it as a library";
                    return fail_help(item.span, message, help);
                }
            };
            // `const _` has no name.
            if item.name == "_" {
                continue;
            }
            for namespace in namespaces {
                let key = (item.name, *namespace);
                let reach = match namespace {
                    Namespace::Type => reach,
                    Namespace::Value => constructor,
                };
                let named = Named::new(definition.clone(), reach);
                let names = &mut self.modules[module].names;
                if names.insert(key, named).is_some() {
                    let message = format!("`{}` is defined twice in this module", item.name);
                    return fail(item.span, message);
                }
            }
        }
        let imports = &mut self.modules[module].imports;
        imports.extend(contents.imports.iter().cloned());
        implementations.extend(contents.impls.iter().map(|ast| (module, ast.clone())));
        Ok(())
    }

    /// Returns whether a struct or enum is one of the standard library's.
    pub fn is_std_struct(&self, id: StructId) -> bool {
        self.modules[self.structs[id].module].root == self.std
    }

    /// Returns the struct or enum of the standard library that has this name.
    ///
    /// # Panics
    /// If `standard/` does not declare it.
    pub fn std_enum(&self, name: &str) -> StructId {
        self.std_structs[&Symbol::new(name)]
    }

    /// Returns whether a type of the program may have a trait of the standard library.
    pub fn may_have(&self, id: StructId, of: &str) -> bool {
        // All types have these, or references to them.
        let all = ["Clone", "ToOwned", "From", "Into", "TryFrom", "TryInto"];
        all.contains(&of) || self.has_standard(id, of)
    }

    /// Returns whether an implementation applies to every type that meets its conditions.
    pub fn is_blanket(&self, implementation: usize) -> bool {
        self.impls[implementation].head == Head::Any
    }

    /// Returns whether an inherent function or constant is visible in a module.
    pub fn is_visible(&self, implementation: usize, name: Symbol, module: ModuleId) -> bool {
        let info = &self.impls[implementation];
        let mut restricted = info.ast.restricted.iter();
        let own = restricted.find(|(restricted, _)| *restricted == name);
        own.is_none_or(|&(_, visibility)| self.sees(module, info.module, visibility))
    }

    /// Returns whether a field of a struct is visible in a module. Those of an enum are wherever it
    /// is itself.
    pub fn is_field_visible(&self, id: usize, field: usize, module: ModuleId) -> bool {
        let info = &self.structs[id];
        let only = info.ast.variants.first().filter(|_| !info.ast.is_enum);
        let own = only.and_then(|only| only.visibilities.get(field));
        own.is_none_or(|&visibility| self.sees(module, info.module, visibility))
    }

    /// Returns whether what is declared in the module `owner` is visible in a module.
    fn sees(&self, module: ModuleId, owner: ModuleId, visibility: Visibility) -> bool {
        // Most are, and are looked at often.
        visibility == Visibility::Public
            || self.is_within(module, owner)
            || self
                .reach(owner, visibility)
                .is_none_or(|outer| self.is_within(module, outer))
    }

    /// Returns the trait that a path names.
    pub fn trait_named(&self, module: ModuleId, path: &Path) -> Result<TraitName> {
        match self.path(module, path, Namespace::Type)? {
            // Here a name can only mean a trait, of either kind.
            Some((definition, used)) => match TraitName::of(&definition) {
                Some(name) if used == path.segments.len() => Ok(name),
                _ => fail(path.span, "this is not a trait"),
            },
            None => fail(path.span, "there is no such trait"),
        }
    }
}

/// Both `gadgets/src/fri/mod.rs` and `gadgets::fri` are the module `gadgets::fri`.
fn module_path(path: &str) -> Vec<String> {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let mut names: Vec<String> = path
        .split(['/', '\\', ':'])
        .filter(|name| !name.is_empty() && *name != "src" && *name != ".")
        .map(str::to_owned)
        .collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib")) {
        names.pop();
    }
    names
}

/// Returns whether a name may be that of a trait of the standard library that the evaluator does
/// not know: it is a path whose last segment is capitalised like a type or trait.
pub fn is_unknown_trait(name: &str) -> bool {
    let others = [
        INDEX,
        LIST_ITERATOR,
        "std::fmt::Formatter",
        "std::fmt::Result",
    ];
    let last = name.rsplit_once("::");
    last.is_some_and(|(_, last)| last.starts_with(char::is_uppercase))
        && !others.contains(&name)
        && !RANGES.contains(&name)
}
