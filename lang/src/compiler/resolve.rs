//! The item table: what a name means in each module, and which functions a type has.

use std::collections::HashMap;
use std::rc::Rc;

use super::ast::*;
use super::error::{Result, fail, fail_help};
use super::output::Span;
use super::value::StructId;

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

/// The outermost constructor of a type, by which implementations are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    Struct(StructId),
    Intrinsic(Symbol),
    Array,
    Tuple,
    /// An implementation for a type parameter.
    Any,
}

struct ModuleInfo {
    parent: Option<ModuleId>,
    /// The root of its crate.
    root: ModuleId,
    names: HashMap<Symbol, Definition>,
    imports: Vec<Import>,
}

/// A structure and the module it is in.
pub struct StructInfo {
    pub module: ModuleId,
    pub ast: Rc<Struct>,
}

/// An implementation and the module it is in.
pub struct ImplInfo {
    pub module: ModuleId,
    pub ast: Rc<Impl>,
    pub of: Option<TraitId>,
}

/// Function `function` for the types of implementation `implementation`.
#[derive(Clone)]
pub struct Method {
    pub implementation: usize,
    /// Module of the function's text: the trait's, for a default method.
    pub module: ModuleId,
    pub function: Rc<Function>,
}

/// An associated constant.
#[derive(Clone)]
pub struct AssociatedConst {
    pub implementation: usize,
    pub module: ModuleId,
    pub constant: Rc<Const>,
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
    pub methods: HashMap<(Head, Symbol), Vec<Method>>,
    pub constants: HashMap<(Head, Symbol), Vec<AssociatedConst>>,
    /// Implementation and index of the associated type.
    pub types: HashMap<(Head, Symbol), Vec<(usize, usize)>>,
}

/// Names of the prelude and of the language.
const INTRINSICS: &[&str] = &[
    "Felt",
    "Ext",
    "Block",
    "Slice",
    "Unchecked",
    "Words",
    "Index",
    "PhantomData",
    "usize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "bool",
    "felt",
    "hint_felt",
    "hint_ext",
    "hint_slice",
    "public_input",
    "reveal",
    "count",
    "count_to",
    "poseidon16_compress",
    "poseidon16_sponge",
    "poseidon16_hash",
    "poseidon16_duplex",
    "poseidon16_merkle",
    "horner",
    "unpack",
    "assert_unpacked",
    "fold_pair",
    "limbs",
    "blake3_chunk",
    "blake3_parent",
    "blake3_merkle",
    "keccak_hash",
    "keccak_merkle",
    "Default",
    "Clone",
    "Copy",
    "Debug",
    "PartialEq",
    "Eq",
    "Sized",
];

impl Items {
    /// Builds the table from files: the entry first, with an empty path.
    ///
    /// A library's path begins with the name of its crate; `src`, `lib.rs` and `mod.rs` are not
    /// part of a module's name.
    ///
    /// `custom` are names of functions that mean what the prelude's do.
    pub fn new(
        files: Vec<(String, Module)>,
        custom: impl Iterator<Item = &'static str>,
    ) -> Result<(Self, ModuleId)> {
        let mut items = Self {
            custom: custom.map(Symbol::new).collect(),
            ..Self::default()
        };
        let mut contents = Vec::new();
        let mut entry = 0;
        for (index, (path, module)) in files.into_iter().enumerate() {
            let path = module_path(&path);
            if index > 0 && path.iter().any(|name| name == "prelude") {
                continue;
            }
            let id = items.module_at(&path, index == 0);
            if index == 0 {
                entry = id;
            }
            contents.push((id, module));
        }
        let mut implementations = Vec::new();
        for (id, module) in contents {
            items.declare(id, &module.items);
            items.modules[id].imports.extend(module.imports);
            implementations.extend(module.impls.into_iter().map(|ast| (id, ast)));
        }
        for (module, ast) in implementations {
            items.implement(module, ast)?;
        }
        Ok((items, entry))
    }

    fn add_module(&mut self, parent: Option<ModuleId>) -> ModuleId {
        let id = self.modules.len();
        let root = parent.map_or(id, |parent| self.modules[parent].root);
        self.modules.push(ModuleInfo {
            parent,
            root,
            names: HashMap::new(),
            imports: Vec::new(),
        });
        id
    }

    fn module_at(&mut self, path: &[String], entry: bool) -> ModuleId {
        if entry {
            return self.add_module(None);
        }
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
            id = match self.modules[id].names.get(&name) {
                Some(Definition::Module(inner)) => *inner,
                _ => {
                    let inner = self.add_module(Some(id));
                    let definition = Definition::Module(inner);
                    self.modules[id].names.insert(name, definition);
                    inner
                }
            };
        }
        id
    }

    fn declare(&mut self, module: ModuleId, items: &[Item]) {
        for item in items {
            let definition = match &item.kind {
                ItemKind::Function(function) => Definition::Function(module, function.clone()),
                ItemKind::Const(constant) => Definition::Const(module, constant.clone()),
                ItemKind::Alias(alias) => Definition::Alias(module, alias.clone()),
                ItemKind::Struct(ast) => {
                    let ast = ast.clone();
                    self.structs.push(StructInfo { module, ast });
                    Definition::Struct(self.structs.len() - 1)
                }
                ItemKind::Trait(ast) => {
                    self.traits.push((module, ast.clone()));
                    Definition::Trait(self.traits.len() - 1)
                }
                ItemKind::Module(items) => {
                    let inner = self.add_module(Some(module));
                    self.declare(inner, items);
                    Definition::Module(inner)
                }
                ItemKind::ModuleFile => continue,
            };
            self.modules[module].names.insert(item.name, definition);
        }
    }

    fn implement(&mut self, module: ModuleId, ast: Rc<Impl>) -> Result<()> {
        let head = self.head_of(module, &ast)?;
        let of = match &ast.of {
            Some(path) => match self.path(module, path)? {
                Some((Definition::Trait(id), _)) => Some(id),
                _ => None,
            },
            None => None,
        };
        let implementation = self.impls.len();
        for function in &ast.functions {
            let entry = self.methods.entry((head, function.name)).or_default();
            entry.push(Method {
                implementation,
                module,
                function: function.clone(),
            });
        }
        for constant in &ast.constants {
            let entry = self.constants.entry((head, constant.name)).or_default();
            entry.push(AssociatedConst {
                implementation,
                module,
                constant: constant.clone(),
            });
        }
        for (index, (name, _)) in ast.types.iter().enumerate() {
            let entry = self.types.entry((head, *name)).or_default();
            entry.push((implementation, index));
        }
        if let Some(of) = of {
            let (home, of) = self.traits[of].clone();
            for function in of
                .functions
                .iter()
                .filter(|function| function.body.is_some())
            {
                if ast.functions.iter().all(|own| own.name != function.name) {
                    let entry = self.methods.entry((head, function.name)).or_default();
                    entry.push(Method {
                        implementation,
                        module: home,
                        function: function.clone(),
                    });
                }
            }
            for constant in of
                .constants
                .iter()
                .filter(|constant| constant.value.is_some())
            {
                if ast.constants.iter().all(|own| own.name != constant.name) {
                    let entry = self.constants.entry((head, constant.name)).or_default();
                    entry.push(AssociatedConst {
                        implementation,
                        module: home,
                        constant: constant.clone(),
                    });
                }
            }
        }
        self.impls.push(ImplInfo { module, ast, of });
        Ok(())
    }

    fn head_of(&self, module: ModuleId, ast: &Impl) -> Result<Head> {
        let ty = &ast.self_type;
        let mut module = module;
        let mut kind = &ty.kind;
        let mut alias;
        loop {
            let path = match kind {
                TypeKind::Path(path) => path,
                TypeKind::Array(..) | TypeKind::Slice(_) => return Ok(Head::Array),
                TypeKind::Tuple(_) => return Ok(Head::Tuple),
                TypeKind::Unknown => return Ok(Head::Any),
            };
            if let Some(name) = path.ident()
                && ast.generics.iter().any(|param| param.name == name)
            {
                return Ok(Head::Any);
            }
            match self.path(module, path)? {
                Some((Definition::Struct(id), _)) => return Ok(Head::Struct(id)),
                Some((Definition::Intrinsic(name), _)) => return Ok(Head::Intrinsic(name)),
                Some((Definition::Alias(home, ast), _)) => {
                    module = home;
                    alias = ast;
                    kind = &alias.ty.kind;
                }
                _ => return fail(ty.span, "there is no such type"),
            }
        }
    }

    /// What `name` means in a module.
    pub fn lookup(&self, module: ModuleId, name: Symbol, span: Span) -> Result<Option<Definition>> {
        if let Some(definition) = self.find(module, name, span, 0)? {
            return Ok(Some(definition));
        }
        // An inner module written in the same file shares its file's imports.
        match self.modules[module].parent {
            Some(parent) => self.find(parent, name, span, 0),
            None => Ok(None),
        }
    }

    fn intrinsic(&self, name: Symbol) -> bool {
        self.custom.contains(&name) || INTRINSICS.contains(&&*name.text())
    }

    fn find(
        &self,
        module: ModuleId,
        name: Symbol,
        span: Span,
        depth: usize,
    ) -> Result<Option<Definition>> {
        if depth > 32 {
            return fail(span, format!("imports of `{name}` go round in a circle"));
        }
        let info = &self.modules[module];
        if let Some(definition) = info.names.get(&name) {
            return Ok(Some(definition.clone()));
        }
        let named = info.imports.iter().find(|import| import.name == Some(name));
        if let Some(import) = named {
            if let Some(definition) = self.import(module, &import.path, import.span, depth + 1)? {
                return Ok(Some(definition));
            }
            if self.intrinsic(name) || import.path.first().is_some_and(is_standard) {
                return Ok(Some(Definition::Intrinsic(name)));
            }
            let text: Vec<_> = import.path.iter().map(ToString::to_string).collect();
            return fail_help(
                import.span,
                format!("there is no `{}`", text.join("::")),
                "imports name items of the program's own files and of the libraries handed to the compiler",
            );
        }
        for import in info.imports.iter().filter(|import| import.name.is_none()) {
            let target = self.import(module, &import.path, import.span, depth + 1)?;
            if let Some(Definition::Module(target)) = target
                && target != module
                && let Some(definition) = self.find(target, name, span, depth + 1)?
            {
                return Ok(Some(definition));
            }
        }
        Ok(self.intrinsic(name).then_some(Definition::Intrinsic(name)))
    }

    /// The definition at the end of a `use` path.
    fn import(
        &self,
        module: ModuleId,
        path: &[Symbol],
        span: Span,
        depth: usize,
    ) -> Result<Option<Definition>> {
        let mut names = path.iter().copied();
        let Some(first) = names.next() else {
            return Ok(None);
        };
        let mut definition = match self.start(module, first, span, depth)? {
            Some(definition) => definition,
            None => return Ok(None),
        };
        for name in names {
            let Definition::Module(inner) = definition else {
                return Ok(None);
            };
            definition = match self.find(inner, name, span, depth + 1)? {
                Some(definition) => definition,
                None => return Ok(None),
            };
        }
        Ok(Some(definition))
    }

    fn start(
        &self,
        module: ModuleId,
        name: Symbol,
        span: Span,
        depth: usize,
    ) -> Result<Option<Definition>> {
        let info = &self.modules[module];
        Ok(match &*name.text() {
            "crate" => Some(Definition::Module(info.root)),
            "self" => Some(Definition::Module(module)),
            "super" => Some(Definition::Module(info.parent.unwrap_or(info.root))),
            _ => {
                let own = info.names.get(&name).cloned();
                let own = match own {
                    None => self.crates.get(&name).map(|id| Definition::Module(*id)),
                    own => own,
                };
                match own {
                    // An import cannot begin with the name it brings in.
                    None if depth > 1 => None,
                    None => self.find(module, name, span, depth + 1)?,
                    own => own,
                }
            }
        })
    }

    /// Follows a path from a module as far as items go; the rest is left to the type.
    ///
    /// The answer is the definition and the number of segments it took; `None` when not even the
    /// first segment is an item.
    pub fn path(&self, module: ModuleId, path: &Path) -> Result<Option<(Definition, usize)>> {
        let Some(first) = path.segments.first() else {
            return Ok(None);
        };
        let mut definition = match self.lookup(module, first.name, path.span)? {
            Some(definition) => definition,
            None => match self.start(module, first.name, path.span, 0)? {
                Some(definition) => definition,
                None => return Ok(None),
            },
        };
        let mut used = 1;
        while let Definition::Module(inner) = definition {
            let Some(segment) = path.segments.get(used) else {
                break;
            };
            definition = match &*segment.name.text() {
                "super" => {
                    let info = &self.modules[inner];
                    Definition::Module(info.parent.unwrap_or(info.root))
                }
                "prelude" => Definition::Module(inner),
                _ => match self.find(inner, segment.name, path.span, 0)? {
                    Some(definition) => definition,
                    None => {
                        let name = segment.name;
                        return fail(path.span, format!("there is no `{name}` in this module"));
                    }
                },
            };
            used += 1;
        }
        Ok(Some((definition, used)))
    }
}

fn is_standard(name: &Symbol) -> bool {
    matches!(&*name.text(), "std" | "core" | "alloc")
}

/// `gadgets/src/fri/mod.rs` and `gadgets::fri` are module `gadgets::fri`.
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
