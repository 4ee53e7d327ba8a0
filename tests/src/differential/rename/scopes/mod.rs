//! Finds what each name in a program refers to.

mod declarations;
mod macros;
mod visit;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::names::{Edit, Group, Key, Names, Position, is_outside};
use declarations::Declarations;

/// A function, or the expression of a constant: its number and its text.
#[derive(Clone, Default)]
struct Function(usize, Range<usize>);

/// Names that an inner block, function or item declares.
enum Scope {
    /// Names in a block, an arm or a loop, and whether each is a variable or else a constant.
    Block(Function, BTreeMap<String, bool>),
    /// Generic parameters of the item of this number, and whether each is a type.
    Generics(usize, BTreeMap<String, bool>),
}

/// Reads the names of a program. Those in `outside` are also names of something that the program
/// does not declare. Returns `None` for a program that does not parse, or that has something in it
/// whose names are not understood.
pub fn names(source: &str, outside: &BTreeSet<&str>) -> Option<Names> {
    let names = read(source, outside);
    proc_macro2::extra::invalidate_current_thread_spans();
    names
}

fn read(source: &str, outside: &BTreeSet<&str>) -> Option<Names> {
    let file = syn::parse_file(source).ok()?;
    let mut reader = Reader {
        source,
        names: Names::default(),
        scopes: Vec::new(),
        imported: BTreeSet::new(),
        next: 0,
        lost: false,
    };
    Declarations(&mut reader).visit_file(&file);
    reader.visit_file(&file);
    let Reader {
        mut names, lost, ..
    } = reader;
    names.edits.sort_by_key(Edit::start);
    for (key, group) in &mut names.groups {
        let reserved = match key {
            Key::Global(name) => name == "main" || is_outside(name) || outside.contains(&**name),
            Key::Field(name) => outside.contains(&**name),
            Key::Outside(_) => true,
            Key::Local(..) | Key::Generic(..) => false,
        };
        group.fixed |= reserved;
    }
    (!lost).then_some(names)
}

struct Reader<'a> {
    source: &'a str,
    names: Names,
    scopes: Vec<Scope>,
    /// Names that a `use` names.
    imported: BTreeSet<String>,
    /// Number of the next function or generic item.
    next: usize,
    /// Whether something was not understood.
    lost: bool,
}

fn bytes(ident: &Ident) -> Range<usize> {
    ident.span().byte_range()
}

fn whole(item: &impl Spanned) -> Range<usize> {
    item.span().byte_range()
}

impl Reader<'_> {
    fn number(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn edit(&mut self, at: Range<usize>, key: Key) {
        self.names.edits.push(Edit::Name(at, key));
    }

    fn declared(&self, name: &str) -> bool {
        let key = Key::Global(name.to_owned());
        self.names.groups.contains_key(&key)
    }

    /// Runs a part with one more scope.
    fn within(&mut self, scope: Scope, part: impl FnOnce(&mut Self)) {
        self.scopes.push(scope);
        part(self);
        self.scopes.pop();
    }

    /// Runs a part in a block of the present function.
    fn block(&mut self, part: impl FnOnce(&mut Self)) {
        let mut functions = self.scopes.iter().rev().filter_map(|scope| match scope {
            Scope::Block(function, _) => Some(function.clone()),
            Scope::Generics(..) => None,
        });
        let function = functions.next().unwrap_or_default();
        self.within(Scope::Block(function, BTreeMap::new()), part);
    }

    /// Runs the part of a function or constant, in which no variables from around it are in scope.
    fn function(&mut self, text: Range<usize>, part: impl FnOnce(&mut Self)) {
        let function = Function(self.number(), text);
        let is_block = |scope: &Scope| matches!(scope, Scope::Block(..));
        let first = self.scopes.iter().position(is_block);
        let around = self.scopes.split_off(first.unwrap_or(self.scopes.len()));
        self.within(Scope::Block(function, BTreeMap::new()), part);
        self.scopes.extend(around);
    }

    fn generics(
        &mut self,
        generics: &syn::Generics,
        scope: Range<usize>,
        part: impl FnOnce(&mut Self),
    ) {
        let owner = self.number();
        let mut parameters = BTreeMap::new();
        for parameter in &generics.params {
            let (ident, ty) = match parameter {
                syn::GenericParam::Type(parameter) => (&parameter.ident, true),
                syn::GenericParam::Const(parameter) => (&parameter.ident, false),
                syn::GenericParam::Lifetime(_) => continue,
            };
            let key = Key::Generic(owner, ident.to_string());
            let group = self.names.groups.entry(key.clone()).or_default();
            group.kinds.type_parameter = ty;
            group.kinds.const_parameter = !ty;
            group.scope = scope.clone();
            self.edit(bytes(ident), key);
            parameters.insert(ident.to_string(), ty);
        }
        self.within(Scope::Generics(owner, parameters), part);
    }

    /// Declares the variable of a pattern.
    fn bind(&mut self, name: &str) -> Key {
        let last = self.scopes.iter_mut().rev().find_map(|scope| match scope {
            Scope::Block(function, names) => Some((function, names)),
            Scope::Generics(..) => None,
        });
        let Some((Function(number, text), names)) = last else {
            self.lost = true;
            return Key::Outside(name.to_owned());
        };
        names.insert(name.to_owned(), true);
        let key = Key::Local(*number, name.to_owned());
        let group = self.names.groups.entry(key.clone()).or_default();
        group.kinds.local = true;
        group.scope = text.clone();
        key
    }

    /// Returns what the first segment of a path refers to.
    fn resolve(&self, name: &str, position: Position) -> Key {
        let mut constant = None;
        for scope in self.scopes.iter().rev() {
            match scope {
                Scope::Block(function, names) if position == Position::Value => {
                    match names.get(name) {
                        Some(true) => return Key::Local(function.0, name.to_owned()),
                        Some(false) => return Key::Global(name.to_owned()),
                        None => {}
                    }
                }
                Scope::Block(..) => {}
                Scope::Generics(owner, names) => {
                    let key = || Key::Generic(*owner, name.to_owned());
                    match (names.get(name), position) {
                        (Some(true), Position::Type | Position::Argument) => return key(),
                        (Some(false), Position::Value) => return key(),
                        (Some(false), Position::Argument) => constant = constant.or(Some(key())),
                        _ => {}
                    }
                }
            }
        }
        let global = Key::Global(name.to_owned());
        let is_type = |group: &Group| group.kinds.type_item;
        if constant.is_some() && !self.names.groups.get(&global).is_some_and(is_type) {
            return constant.unwrap_or(global);
        }
        if self.declared(name) {
            global
        } else {
            Key::Outside(name.to_owned())
        }
    }

    /// Reads the first segment of a path. Returns whether it belongs to the program.
    fn first(&mut self, ident: &Ident, position: Position) -> bool {
        let name = ident.to_string();
        if matches!(name.as_str(), "self" | "Self" | "super" | "crate") {
            return true;
        }
        let key = self.resolve(&name, position);
        let ours = !matches!(key, Key::Outside(_));
        let group = self.names.groups.entry(key.clone()).or_default();
        group.uses.push((bytes(ident).start, position));
        self.edit(bytes(ident), key);
        ours
    }

    /// Reads a later segment of a path, or the name of a member.
    fn later(&mut self, ident: &Ident, ours: bool) {
        let name = ident.to_string();
        if !self.declared(&name) || matches!(name.as_str(), "self" | "super") {
            return;
        }
        let key = Key::Global(name);
        if let Some(group) = self.names.groups.get_mut(&key) {
            group.fixed |= !ours;
        }
        self.edit(bytes(ident), key);
    }

    fn path(&mut self, qself: bool, members: usize, path: &syn::Path, position: Position) {
        let count = path.segments.len();
        let mut ours = true;
        for (index, segment) in path.segments.iter().enumerate() {
            if index == 0 && !(qself && members == 0) {
                let alone = count == 1;
                let plain = segment.arguments.is_none() || position == Position::Value;
                let position = if alone && plain {
                    position
                } else {
                    Position::Type
                };
                ours = self.first(&segment.ident, position);
            } else {
                self.later(&segment.ident, ours);
            }
            self.visit_path_arguments(&segment.arguments);
        }
    }

    fn field(&mut self, ident: &Ident) {
        let key = Key::Field(ident.to_string());
        if self.names.groups.contains_key(&key) {
            self.edit(bytes(ident), key);
        }
    }

    fn shorthand(&mut self, ident: &Ident, start: usize) {
        let key = Key::Field(ident.to_string());
        if self.names.groups.contains_key(&key) {
            self.names.edits.push(Edit::Field(start, key));
        }
    }

    fn declare(&mut self, ident: &Ident) {
        if ident != "_" {
            self.edit(bytes(ident), Key::Global(ident.to_string()));
        }
    }

    /// A constant of a module, an implementation or a trait.
    fn constant(
        &mut self,
        text: Range<usize>,
        ident: &Ident,
        ty: &syn::Type,
        value: Option<&syn::Expr>,
    ) {
        self.declare(ident);
        self.function(text, |this| {
            this.visit_type(ty);
            if let Some(value) = value {
                this.visit_expr(value);
            }
        });
    }

    /// A function of a module, an implementation or a trait.
    fn callable(
        &mut self,
        text: Range<usize>,
        signature: &syn::Signature,
        body: Option<&syn::Block>,
    ) {
        self.declare(&signature.ident);
        self.generics(&signature.generics, text.clone(), |this| {
            this.function(text, |this| {
                this.visit_signature(signature);
                if let Some(body) = body {
                    this.visit_block(body);
                }
            });
        });
    }

    /// Declares an item of the present block.
    fn item_of_block(&mut self, item: &syn::Stmt, name: &str) {
        let is_value = !matches!(
            item,
            syn::Stmt::Item(syn::Item::Enum(_) | syn::Item::Trait(_) | syn::Item::Type(_))
        );
        // A generic parameter that the item hides would be taken for it.
        let hidden = self.scopes.iter().any(|scope| match scope {
            Scope::Generics(_, names) => names.contains_key(name),
            Scope::Block(..) => false,
        });
        self.lost |= hidden;
        if is_value && let Some(Scope::Block(_, names)) = self.scopes.last_mut() {
            names.insert(name.to_owned(), false);
        }
    }

    fn members(&mut self, outside: bool, idents: impl Iterator<Item = Ident>) {
        for ident in idents {
            let key = Key::Global(ident.to_string());
            if let Some(group) = self.names.groups.get_mut(&key) {
                group.fixed |= outside;
            }
        }
    }
}
