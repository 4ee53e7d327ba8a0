//! The item table: what a name means in each module, and which functions a type has.

mod builtin;
mod conform;
mod scope;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::ast::*;
use super::error::{Result, fail, fail_help};
use super::output::Span;
use super::value::StructId;

use builtin::{GADGETS, MODULES};
pub use builtin::{UNCHECKED_SLICE, home, is_advice, is_builtin};

/// Largest depth to which aliases stand for each other.
const MAX_ALIASES: usize = 128;

pub type ModuleId = usize;
pub type TraitId = usize;

/// What a name stands for.
#[derive(Clone, Debug)]
pub enum Definition {
    Function(ModuleId, Rc<Function>),
    Const(ModuleId, Rc<Const>),
    Struct(StructId),
    Alias(ModuleId, Rc<Alias>),
    Trait(TraitId),
    Module(ModuleId),
    /// An item of the prelude, or a type of the language.
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
}

impl Named {
    fn public(definition: Definition) -> Self {
        let reach = None;
        Self { definition, reach }
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
}

/// A structure, and the module in which it is declared.
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
    /// Cached results of [`Self::traits_in_scope`].
    scopes: RefCell<HashMap<ModuleId, Rc<BTreeSet<TraitName>>>>,
}

impl Items {
    /// Builds the table from files. The entry is first, with an empty path.
    ///
    /// A library's path begins with the name of its crate; `src`, `lib.rs` and `mod.rs` are not
    /// part of a module's name.
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
                0 => items.add_module(None),
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
        });
        id
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
                    let named = Named::public(Definition::Module(inner));
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
                    let (ast, named) = (ast.clone(), ast.named);
                    for field in &ast.visibilities {
                        constructor = self.narrower(constructor, self.reach(module, *field));
                    }
                    let (clone, copy) = (ast.clone, ast.copy);
                    self.structs.push(StructInfo {
                        module,
                        ast,
                        clone,
                        copy,
                    });
                    let definition = Definition::Struct(self.structs.len() - 1);
                    if named {
                        (definition, TYPE)
                    } else {
                        (definition, &[Namespace::Type, Namespace::Value][..])
                    }
                }
                ItemKind::Trait(ast) => {
                    self.traits.push((module, ast.clone()));
                    (Definition::Trait(self.traits.len() - 1), TYPE)
                }
                ItemKind::Module(contents) => {
                    let inner = self.add_module(Some(module));
                    self.modules[inner].filled = true;
                    self.declare(inner, contents, implementations)?;
                    (Definition::Module(inner), TYPE)
                }
                ItemKind::ModuleFile => {
                    let key = (item.name, Namespace::Type);
                    if let Some(named) = self.modules[module].names.get_mut(&key) {
                        named.reach = reach;
                        continue;
                    }
                    let message = format!("the file of the module `{}` is missing", item.name);
                    let help = "pass it to the compiler as a library, or write the module here";
                    return fail_help(item.span, message, help);
                }
            };
            // `const _` has no name.
            if item.name == "_" {
                continue;
            }
            for namespace in namespaces {
                let key = (item.name, *namespace);
                let named = Named {
                    definition: definition.clone(),
                    reach: match namespace {
                        Namespace::Type => reach,
                        Namespace::Value => constructor,
                    },
                };
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

    fn implement(&mut self, module: ModuleId, ast: Rc<Impl>) -> Result<()> {
        let head = self.head_of(module, &ast)?;
        if head == Head::Intrinsic(Symbol::new("Vec")) {
            // The meaning of a call would depend on whether the value is a `Vec` or a slice of one.
            let message = "implementations for `Vec` are not in the subset";
            return fail(ast.self_type.span, message);
        }
        let of = match &ast.of {
            None => None,
            Some(path) => match self.trait_named(module, path)? {
                TraitName::Builtin(name) if !builtin::may_be_implemented(&name.text()) => {
                    let message = format!("implementing `{name}` is not in the subset");
                    let help = "write a function with a name of its own, and call it";
                    return fail_help(path.span, message, help);
                }
                of => Some(of),
            },
        };
        if let Some(of) = of {
            self.check_implementation(&ast, of)?;
        }
        self.check_owner(module, &ast, head, of)?;
        if let (Head::Struct(id), Some(TraitName::Builtin(of))) = (head, of) {
            self.structs[id].clone |= of == "Clone";
            self.structs[id].copy |= of == "Copy";
        }
        let implementation = self.impls.len();
        let own = Associated {
            implementation,
            module,
            default_of: None,
            item: (),
        };
        for function in &ast.functions {
            own.add(&mut self.methods, head, function.name, function.clone());
        }
        for constant in &ast.constants {
            own.add(&mut self.constants, head, constant.name, constant.clone());
        }
        for (index, (name, _)) in ast.types.iter().enumerate() {
            own.add(&mut self.types, head, *name, index);
        }
        if let Some(TraitName::User(id)) = of {
            let (module, definition) = self.traits[id].clone();
            let default = Associated {
                module,
                default_of: Some(id),
                ..own
            };
            for function in &definition.functions {
                let given = ast.functions.iter().any(|own| own.name == function.name);
                if !given && function.body.is_some() {
                    default.add(&mut self.methods, head, function.name, function.clone());
                }
            }
            for constant in &definition.constants {
                let given = ast.constants.iter().any(|own| own.name == constant.name);
                if !given && constant.value.is_some() {
                    default.add(&mut self.constants, head, constant.name, constant.clone());
                }
            }
        }
        if let Some(of) = of {
            let implementors = self.implementors.entry(of).or_default();
            implementors.push(implementation);
        }
        self.impls.push(ImplInfo {
            module,
            ast,
            head,
            of,
        });
        Ok(())
    }

    /// Refuses an implementation that neither the type's crate nor, if there is one, the trait's has:
    /// it would take precedence over what another crate means.
    fn check_owner(
        &self,
        module: ModuleId,
        ast: &Impl,
        head: Head,
        of: Option<TraitName>,
    ) -> Result<()> {
        let root = self.modules[module].root;
        let is_own = |other: ModuleId| self.modules[other].root == root;
        let mut own = matches!(head, Head::Struct(id) if is_own(self.structs[id].module));
        own |= matches!(of, Some(TraitName::User(id)) if is_own(self.traits[id].0));
        if own {
            return Ok(());
        }
        // The trait may be given a type of this crate, if it takes any.
        let last = ast.of.as_ref().and_then(|path| path.segments.last());
        let last = last.filter(|_| head != Head::Any);
        for argument in last.iter().flat_map(|last| &last.generics) {
            if let GenericArg::Type(ty) = argument
                && let TypeKind::Path(path) = &ty.kind
                && let Ok(Some((Definition::Struct(id), _))) =
                    self.path(module, path, Namespace::Type)
                && is_own(self.structs[id].module)
            {
                return Ok(());
            }
        }
        let message = match of {
            None => "methods of a type can only be written in the crate that declares it",
            Some(_) => "neither the trait nor the type is of this crate",
        };
        fail_help(
            ast.self_type.span,
            message,
            "declare a trait, and implement it",
        )
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

    /// Returns whether a field of a structure is visible in a module.
    pub fn is_field_visible(&self, id: usize, field: usize, module: ModuleId) -> bool {
        let info = &self.structs[id];
        let own = info.ast.visibilities.get(field);
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

    fn head_of(&self, module: ModuleId, ast: &Impl) -> Result<Head> {
        let span = ast.self_type.span;
        let (mut module, mut kind) = (module, &ast.self_type.kind);
        let mut params = &ast.generics;
        let mut alias: Option<Rc<Alias>> = None;
        loop {
            let path = match kind {
                TypeKind::Path(path) => path,
                TypeKind::Array(..) | TypeKind::Slice(_) => return Ok(Head::Array),
                TypeKind::Tuple(_) => return Ok(Head::Tuple),
                TypeKind::Unknown => return Ok(Head::Any),
            };
            let name = path.ident();
            let mut types = params.iter().filter(|param| !param.constant);
            if types.any(|param| Some(param.name) == name) {
                return match alias {
                    None => Ok(Head::Any),
                    Some(_) => fail(
                        span,
                        "an alias of a type parameter is not in the subset here",
                    ),
                };
            }
            if path.qualified.is_some() {
                return fail(span, "an associated type is not in the subset here");
            }
            let next = match self.path(module, path, Namespace::Type)? {
                Some((definition, used)) if used == path.segments.len() => definition,
                _ => return fail(span, "there is no such type"),
            };
            match next {
                Definition::Struct(id) => return Ok(Head::Struct(id)),
                // All integers have one head, since the type of a value is not always known.
                Definition::Intrinsic(name) if is_integer(&name.text()) => {
                    return Ok(Head::Intrinsic(Symbol::new("usize")));
                }
                Definition::Intrinsic(name) => return Ok(Head::Intrinsic(name)),
                Definition::Alias(defined_in, ast) => {
                    module = defined_in;
                    let ast = alias.insert(ast);
                    (kind, params) = (&ast.ty.kind, &ast.generics);
                }
                _ => return fail(span, "there is no such type"),
            }
        }
    }

    /// Refuses aliases that depend on each other, which have no meaning.
    fn check_aliases(&self) -> Result<()> {
        let names = self.modules.iter().flat_map(|module| module.names.values());
        let mut aliases: Vec<_> = names
            .filter_map(|named| match &named.definition {
                Definition::Alias(module, alias) => Some((*module, alias)),
                _ => None,
            })
            .collect();
        aliases.sort_by_key(|(_, alias)| (alias.ty.span.file, alias.ty.span.start));
        let mut ended = HashSet::new();
        for (module, alias) in aliases {
            self.check_alias(module, alias, &mut Vec::new(), &mut ended)?;
        }
        Ok(())
    }

    /// Follows an alias. `through` are the aliases that led to it, `ended` those that were followed
    /// to their ends.
    fn check_alias(
        &self,
        module: ModuleId,
        alias: &Rc<Alias>,
        through: &mut Vec<*const Alias>,
        ended: &mut HashSet<*const Alias>,
    ) -> Result<()> {
        let this = Rc::as_ptr(alias);
        if ended.contains(&this) {
            return Ok(());
        }
        if through.contains(&this) || through.len() > MAX_ALIASES {
            let message = format!("these types depend on each other, or {MAX_ALIASES} deep");
            return fail(alias.ty.span, message);
        }
        through.push(this);
        let mut paths = Vec::new();
        alias.ty.paths(&mut paths);
        for path in paths {
            let is_own = |name| {
                let mut params = alias.generics.iter();
                params.any(|param| !param.constant && param.name == name)
            };
            let first = path.segments.first();
            if path.qualified.is_none()
                && !first.is_some_and(|first| is_own(first.name))
                && let Some((Definition::Alias(module, next), _)) =
                    self.path(module, path, Namespace::Type)?
            {
                self.check_alias(module, &next, through, ended)?;
            }
        }
        through.pop();
        ended.insert(this);
        Ok(())
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
    name.rsplit_once("::")
        .is_some_and(|(_, last)| last.starts_with(char::is_uppercase))
}

/// Returns whether a name is that of an integer type.
pub fn is_integer(name: &str) -> bool {
    matches!(name, "u8" | "u16" | "u32" | "u64" | "u128" | "usize")
}
