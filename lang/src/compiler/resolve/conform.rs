//! Implementations against their traits, and derives against the fields, as rustc checks them.

use super::builtin::INDEX;
use super::*;

/// How a function takes a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By value, or by the reference that a name may stand for.
    Named,
    Value,
    Reference,
    Mutable,
}

impl Way {
    fn of(param: &Param) -> Self {
        match (param.mutable_reference, param.ty.reference, &param.ty.kind) {
            (true, ..) => Self::Mutable,
            (false, true, _) => Self::Reference,
            (false, false, TypeKind::Path(_)) => Self::Named,
            (false, false, _) => Self::Value,
        }
    }

    fn fits(self, other: Self) -> bool {
        match (self, other) {
            (Self::Named, other) | (other, Self::Named) => other != Self::Mutable,
            (one, other) => one == other,
        }
    }
}

fn takes_self(function: &Function) -> bool {
    let first = function.params.first().and_then(Param::name);
    first.is_some_and(|name| name == "self")
}

/// Returns whether a function may implement one that a trait declares.
fn fits(function: &Function, declared: &Function) -> bool {
    let mut params = function.params.iter().zip(&declared.params);
    let mut generics = function.generics.iter().zip(&declared.generics);
    function.params.len() == declared.params.len()
        && function.generics.len() == declared.generics.len()
        && takes_self(function) == takes_self(declared)
        && params.all(|(one, other)| Way::of(one).fits(Way::of(other)))
        && generics.all(|(one, other)| one.constant == other.constant)
}

/// Returns whether an implementation is for references, or of a trait for operands that are.
pub(super) fn has_reference(ast: &Impl) -> bool {
    let segments = ast.of.iter().flat_map(|path| &path.segments);
    let mut arguments = segments.flat_map(|segment| &segment.generics);
    let is_one = |argument: &_| matches!(argument, GenericArg::Type(ty) if ty.reference);
    ast.self_type.reference || arguments.any(is_one)
}

/// Returns whether the implementations of a trait for values and for references can be told apart.
pub fn knows_references(of: Option<TraitName>) -> bool {
    let Some(TraitName::Builtin(name)) = of else {
        return false;
    };
    let name = name.text();
    let operator = name.strip_suffix("Assign").unwrap_or(&name);
    let mut operators = OPERATORS.iter().filter_map(|op| op.method());
    matches!(&*name, "From" | INDEX | "IndexMut" | "IntoIterator")
        || matches!(&*name, "Neg" | "Not" | "Product" | "Sum")
        || operators.any(|(of, _)| of == operator)
}

/// Operators that call a function of a trait of the same kind: one that takes both sides, and one
/// that assigns.
pub const OPERATORS: [BinaryOp; 10] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::Shl,
    BinaryOp::Shr,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
];

/// A trait of the standard library, as far as programs may implement it.
#[derive(Default)]
struct Standard {
    /// Least and largest number of generic arguments.
    arguments: (usize, usize),
    /// Functions, each with how it takes its parameters. The first one has no default.
    functions: Vec<(String, &'static [Way])>,
    /// Associated types.
    types: &'static [&'static str],
}

/// Returns what a trait of the standard library declares, if programs may implement it. Functions
/// with a default that programs could write otherwise are left out: which of them `==`, `<`, `max`
/// and sorting call is rustc's choice.
fn standard(name: &str) -> Option<Standard> {
    use Way::{Mutable, Reference, Value};
    let of = |arguments, functions: &[(&str, &'static [Way])]| Standard {
        arguments,
        functions: functions
            .iter()
            .map(|(name, ways)| ((*name).to_owned(), *ways))
            .collect(),
        types: &[],
    };
    let output = &["Output"];
    let compared: &[Way] = &[Reference, Reference];
    Some(match name {
        "Copy" | "Eq" => Standard::default(),
        "Clone" => of(
            (0, 0),
            &[
                ("clone", &[Reference]),
                ("clone_from", &[Mutable, Reference]),
            ],
        ),
        "Debug" | "Display" => of((0, 0), &[("fmt", &[Reference, Mutable])]),
        "Hash" => of((0, 0), &[("hash", &[Reference, Mutable])]),
        "Default" => of((0, 0), &[("default", &[])]),
        "From" => of((1, 1), &[("from", &[Value])]),
        "PartialEq" => of((0, 1), &[("eq", compared)]),
        "PartialOrd" => of((0, 1), &[("partial_cmp", compared)]),
        "Ord" => of((0, 0), &[("cmp", compared)]),
        "Iterator" => Standard {
            types: &["Item"],
            ..of((0, 0), &[("next", &[Mutable])])
        },
        "IntoIterator" => Standard {
            types: &["Item", "IntoIter"],
            ..of((0, 0), &[("into_iter", &[Value])])
        },
        INDEX => Standard {
            types: output,
            ..of((1, 1), &[("index", &[Reference, Value])])
        },
        "IndexMut" => of((1, 1), &[("index_mut", &[Mutable, Value])]),
        "Product" | "Sum" => of((0, 1), &[(&name.to_lowercase(), &[Value])]),
        "Neg" | "Not" => Standard {
            types: output,
            ..of((0, 0), &[(&name.to_lowercase(), &[Value])])
        },
        name => {
            let assigns = name.strip_suffix("Assign");
            let mut methods = OPERATORS.iter().filter_map(|op| op.method());
            let (_, method) = methods.find(|(of, _)| *of == assigns.unwrap_or(name))?;
            match assigns {
                Some(_) => of((0, 1), &[(&format!("{method}_assign"), &[Mutable, Value])]),
                None => Standard {
                    types: output,
                    ..of((0, 1), &[(method, &[Value, Value])])
                },
            }
        }
    })
}

impl Items {
    /// Refuses to implement a trait of the standard library that has no meaning here.
    pub(super) fn check_standard(&self, name: Symbol, span: Span) -> Result<()> {
        let name = name.text();
        if standard(&name).is_some() {
            return Ok(());
        }
        let help = match &*name {
            "Into" => "implement `From`, which gives `into`, too",
            "TryFrom" | "TryInto" => "write a function that returns a `Result`",
            _ => "write a function with a name of its own, and call it",
        };
        let message = format!("implementing `{name}` is not in the subset");
        fail_help(span, message, help)
    }

    /// Refuses an implementation that is not one of what its trait declares.
    pub(super) fn check_implementation(&self, ast: &Impl, of: TraitName) -> Result<()> {
        let Some(path) = &ast.of else {
            return Ok(());
        };
        match of {
            TraitName::Builtin(name) => match standard(&name.text()) {
                Some(declared) => self.check_standard_items(ast, path, &declared),
                None => Ok(()),
            },
            TraitName::User(id) => self.check_user_items(ast, path, &self.traits[id].1),
        }
    }

    fn check_arguments(&self, path: &Path, least: usize, most: usize) -> Result<()> {
        let given = path.segments.iter().map(|segment| segment.generics.len());
        let given: usize = given.sum();
        if (least..=most).contains(&given) {
            return Ok(());
        }
        fail(
            path.span,
            format!("this trait takes {most} generic arguments"),
        )
    }

    fn check_standard_items(&self, ast: &Impl, path: &Path, declared: &Standard) -> Result<()> {
        self.check_arguments(path, declared.arguments.0, declared.arguments.1)?;
        for function in &ast.functions {
            let mut functions = declared.functions.iter();
            match functions.find(|(name, _)| function.name == name.as_str()) {
                Some((_, ways)) => {
                    let mut pairs = function.params.iter().zip(*ways);
                    // A value may be of a type that is a reference.
                    let references = has_reference(ast);
                    let fits = |way: Way, wanted: Way| {
                        let both = (way, wanted);
                        way.fits(wanted) || references && both == (Way::Reference, Way::Value)
                    };
                    let fit = function.params.len() == ways.len()
                        && pairs.all(|(param, way)| fits(Way::of(param), *way));
                    self.declared_alike(fit, function)?;
                }
                None => return self.not_declared(function.name, function.span),
            }
        }
        if let Some(constant) = ast.constants.first() {
            return self.not_declared(constant.name, constant.span);
        }
        let has_type = |name: Symbol| declared.types.iter().any(|ty| name == *ty);
        if let Some((name, ty)) = ast.types.iter().find(|(name, _)| !has_type(*name)) {
            return self.not_declared(*name, ty.span);
        }
        let required = declared.functions.first().map(|(name, _)| name.as_str());
        let required = required.filter(|_| ast.functions.is_empty());
        let is_given = |name: &str| ast.types.iter().any(|(given, _)| *given == name);
        let mut types = declared.types.iter().copied();
        match required.or_else(|| types.find(|name| !is_given(name))) {
            Some(name) => fail(path.span, format!("`{name}` of the trait is missing")),
            None => Ok(()),
        }
    }

    fn check_user_items(&self, ast: &Impl, path: &Path, wanted: &Trait) -> Result<()> {
        let arguments = wanted.generics.len();
        self.check_arguments(path, arguments, arguments)?;
        for function in &ast.functions {
            let mut declared = wanted.functions.iter();
            match declared.find(|declared| declared.name == function.name) {
                Some(declared) => self.declared_alike(fits(function, declared), function)?,
                None => return self.not_declared(function.name, function.span),
            }
        }
        let has_constant = |name| wanted.constants.iter().any(|item| item.name == name);
        let has_type = |name| wanted.types.iter().any(|(declared, _)| *declared == name);
        let mut constants = ast.constants.iter();
        if let Some(other) = constants.find(|constant| !has_constant(constant.name)) {
            return self.not_declared(other.name, other.span);
        }
        let mut types = ast.types.iter();
        if let Some((name, ty)) = types.find(|(name, _)| !has_type(*name)) {
            return self.not_declared(*name, ty.span);
        }
        let functions = wanted.functions.iter().filter(|item| item.body.is_none());
        let constants = wanted.constants.iter().filter(|item| item.value.is_none());
        let required = functions.map(|item| item.name);
        let required = required.chain(constants.map(|item| item.name));
        let given: HashSet<Symbol> = {
            let functions = ast.functions.iter().map(|item| item.name);
            functions
                .chain(ast.constants.iter().map(|item| item.name))
                .collect()
        };
        let mut required = required.filter(|name| !given.contains(name));
        let types = wanted.types.iter().map(|(name, _)| *name);
        let mut types = types.filter(|name| ast.types.iter().all(|(given, _)| given != name));
        match required.next().or_else(|| types.next()) {
            Some(name) => fail(path.span, format!("`{name}` of the trait is missing")),
            None => Ok(()),
        }
    }

    fn declared_alike(&self, fit: bool, function: &Function) -> Result<()> {
        if fit {
            return Ok(());
        }
        let message = format!("the trait declares `{}` otherwise", function.name);
        fail(function.span, message)
    }

    fn not_declared(&self, name: Symbol, span: Span) -> Result<()> {
        let help = "write it in an `impl` of the type";
        fail_help(span, format!("the trait has no `{name}`"), help)
    }

    /// Refuses derives for types with fields that certainly do not have the trait.
    pub(super) fn check_derives(&self) -> Result<()> {
        for info in &self.structs {
            for derived in &info.ast.derives {
                let of = derived.text();
                // The default of an enum is a variant without fields.
                if info.ast.is_enum && &*of == "Default" {
                    continue;
                }
                let fields = info.ast.variants.iter();
                for (name, ty) in fields.flat_map(|variant| &variant.fields) {
                    if !self.field_may_have(ty, &of, info)? {
                        let message = format!("the field `{name}` is not `{of}`");
                        return fail(ty.span, message);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns whether a field of this type may have a trait that can be derived.
    fn field_may_have(&self, ty: &Type, of: &str, info: &StructInfo) -> Result<bool> {
        if ty.reference {
            let is_text = ty.ident().is_some_and(|name| name == "str");
            return Ok(of != "Default" || is_text);
        }
        match &ty.kind {
            TypeKind::Array(element, _) | TypeKind::Slice(element) => {
                self.field_may_have(element, of, info)
            }
            TypeKind::Tuple(types) => {
                for ty in types {
                    if !self.field_may_have(ty, of, info)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            TypeKind::Unknown | TypeKind::Function(..) => Ok(true),
            TypeKind::Path(path) => {
                let name = path.segments.first().map(|first| first.name);
                let mut params = info.ast.generics.iter();
                if path.qualified.is_some()
                    || name.is_some_and(|name| name == "Self")
                    || params.any(|param| Some(param.name) == name)
                {
                    return Ok(true);
                }
                let found = self.path(info.module, path, Namespace::Type)?;
                Ok(match found {
                    Some((Definition::Struct(id), _)) => self.has_standard(id, of),
                    Some((Definition::Intrinsic(name), _)) => !lacks(&name.text(), of),
                    _ => true,
                })
            }
        }
    }

    /// Returns whether a struct or an enum derives or implements a trait of the standard library.
    pub(super) fn has_standard(&self, id: StructId, of: &str) -> bool {
        let of_name = TraitName::Builtin(Symbol::new(of));
        let implementors = self.implementors.get(&of_name).into_iter().flatten();
        let mut heads = implementors.map(|number| self.impls[*number].head);
        self.structs[id].ast.derives(of) || heads.any(|head| head == Head::Struct(id))
    }
}

/// Returns whether a type that no program declares does not have a trait that can be derived.
fn lacks(name: &str, of: &str) -> bool {
    let lacking: &[&str] = match name {
        "Vec" => &["Copy"],
        "Felt" | "Ext" | "Block" => &["PartialOrd", "Ord", "Hash"],
        "Index" => &["PartialOrd", "Ord", "Hash", "Default"],
        "Slice" | "Unchecked" => &["PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default"],
        "Words" => &["Copy", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash"],
        _ => &[],
    };
    lacking.contains(&of)
}
