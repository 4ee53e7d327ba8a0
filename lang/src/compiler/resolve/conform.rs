//! Implementations against their traits, and derives against the fields, as rustc checks them.

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

/// Returns the functions of a trait of the standard library that programs may implement, each with
/// how it takes its parameters.
fn of_standard(name: &str) -> &'static [(&'static str, &'static [Way])] {
    match name {
        "Clone" => &[
            ("clone", &[Way::Reference]),
            ("clone_from", &[Way::Mutable, Way::Reference]),
        ],
        "Debug" => &[("fmt", &[Way::Reference, Way::Mutable])],
        "Default" => &[("default", &[])],
        _ => &[],
    }
}

impl Items {
    /// Refuses an implementation that is not one of what its trait declares.
    pub(super) fn check_implementation(&self, ast: &Impl, of: TraitName) -> Result<()> {
        let Some(path) = &ast.of else {
            return Ok(());
        };
        let (arguments, wanted) = match of {
            TraitName::User(id) => (&self.traits[id].1.generics[..], Some(&self.traits[id].1)),
            TraitName::Builtin(_) => (&[][..], None),
        };
        let given = path.segments.iter().map(|segment| segment.generics.len());
        if given.sum::<usize>() != arguments.len() {
            let message = format!("this trait takes {} generic arguments", arguments.len());
            return fail(path.span, message);
        }
        for function in &ast.functions {
            let fits = match (of, wanted) {
                (TraitName::Builtin(name), _) => {
                    let mut declared = of_standard(&name.text()).iter();
                    let declared = declared.find(|(name, _)| function.name == *name);
                    declared.map(|(_, ways)| {
                        let mut pairs = function.params.iter().zip(*ways);
                        function.params.len() == ways.len()
                            && pairs.all(|(param, way)| Way::of(param).fits(*way))
                    })
                }
                (_, declared) => {
                    let mut declared = declared.iter().flat_map(|of| &of.functions);
                    let declared = declared.find(|declared| declared.name == function.name);
                    declared.map(|declared| fits(function, declared))
                }
            };
            match fits {
                Some(true) => {}
                Some(false) => {
                    let message = format!("the trait declares `{}` otherwise", function.name);
                    return fail(function.span, message);
                }
                None => return self.not_declared(function.name, function.span),
            }
        }
        let has_constant = |name| {
            let mut declared = wanted.iter().flat_map(|of| &of.constants);
            declared.any(|declared| declared.name == name)
        };
        let has_type = |name| {
            let mut declared = wanted.iter().flat_map(|of| &of.types);
            declared.any(|(declared, _)| *declared == name)
        };
        let mut constants = ast.constants.iter();
        if let Some(other) = constants.find(|constant| !has_constant(constant.name)) {
            return self.not_declared(other.name, other.span);
        }
        let mut types = ast.types.iter();
        if let Some((name, ty)) = types.find(|(name, _)| !has_type(*name)) {
            return self.not_declared(*name, ty.span);
        }
        let Some(wanted) = wanted else {
            return Ok(());
        };
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

    fn not_declared(&self, name: Symbol, span: Span) -> Result<()> {
        let help = "write it in an `impl` of the type";
        fail_help(span, format!("the trait has no `{name}`"), help)
    }

    /// Refuses derives of `Clone` and `Copy` for structures with fields that certainly have it not.
    pub(super) fn check_derives(&self) -> Result<()> {
        for info in &self.structs {
            for (derived, of) in [(info.ast.clone, "Clone"), (info.copy, "Copy")] {
                for (name, ty) in info.ast.fields.iter().filter(|_| derived) {
                    if !self.may_have(ty, of, info)? {
                        let message = format!("the field `{name}` is not `{of}`");
                        return fail(ty.span, message);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns whether a field of this type may be `Clone` or `Copy`.
    fn may_have(&self, ty: &Type, of: &str, info: &StructInfo) -> Result<bool> {
        if ty.reference {
            return Ok(true);
        }
        match &ty.kind {
            TypeKind::Array(element, _) | TypeKind::Slice(element) => {
                self.may_have(element, of, info)
            }
            TypeKind::Tuple(types) => {
                for ty in types {
                    if !self.may_have(ty, of, info)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            TypeKind::Unknown => Ok(true),
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
                    Some((Definition::Struct(id), _)) => match of {
                        "Copy" => self.structs[id].copy,
                        _ => self.structs[id].clone,
                    },
                    Some((Definition::Intrinsic(name), _)) => of != "Copy" || name != "Vec",
                    _ => true,
                })
            }
        }
    }
}
