//! Generic parameters, and what they stand for.
//!
//! A scope is opened for all parameters that an item declares. What one stands for may be
//! [`Ty::Unknown`], but its name never means an item of the module around. As in Rust, a constant
//! parameter `N` does not hide a type `N`, nor a type parameter a constant.

use std::rc::Rc;

use super::*;

/// The generic parameters in scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Generics(Vec<Parameter>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Parameter {
    name: Symbol,
    kind: Namespace,
    argument: Ty,
}

/// Returns the kind of a generic parameter.
pub(super) fn kind(constant: bool) -> Namespace {
    if constant {
        Namespace::Value
    } else {
        Namespace::Type
    }
}

impl Generics {
    /// Opens a scope for arguments in the order of their parameters. Parameters without an argument
    /// are unknown.
    pub fn of(params: &[GenericParam], arguments: impl IntoIterator<Item = Ty>) -> Self {
        let arguments = arguments.into_iter().chain(std::iter::repeat(Ty::Unknown));
        let parameters = params.iter().zip(arguments);
        let parameters = parameters.map(|(param, argument)| Parameter {
            name: param.name,
            kind: kind(param.constant),
            argument,
        });
        Self(parameters.collect())
    }

    /// Opens a scope in which nothing is known yet.
    pub fn unknown(params: &[GenericParam]) -> Self {
        Self::of(params, [])
    }

    /// Adds the parameters of an item inside of the present one.
    pub fn extend(&mut self, inner: Self) {
        self.0.extend(inner.0);
    }

    /// Returns what a parameter stands for, if there is one of this name.
    pub fn get(&self, name: Symbol, kind: Namespace) -> Option<&Ty> {
        let mut parameters = self.0.iter();
        let found = parameters.find(|parameter| parameter.name == name && parameter.kind == kind);
        found.map(|parameter| &parameter.argument)
    }

    /// Binds a parameter that is not known, if there is one of this name. A literal's type becomes
    /// known by another's.
    pub fn bind(&mut self, name: Symbol, kind: Namespace, ty: &Ty) {
        let mut parameters = self.0.iter_mut();
        let found = parameters.find(|parameter| parameter.name == name && parameter.kind == kind);
        let Some(Parameter { argument, .. }) = found else {
            return;
        };
        let is_open = |of: &Option<IntType>| of.is_none_or(IntType::is_open);
        let told = match (&*argument, ty) {
            (Ty::Unknown, _) => true,
            (Ty::Int(old), Ty::Int(new)) => is_open(old) && !is_open(new),
            _ => false,
        };
        if told {
            *argument = ty.clone();
        }
    }

    pub fn is_known(&self) -> bool {
        let mut parameters = self.0.iter();
        parameters.all(|parameter| !matches!(parameter.argument, Ty::Unknown))
    }

    /// Returns what the parameters stand for, in their order.
    pub fn arguments(&self) -> Rc<[Ty]> {
        let parameters = self.0.iter();
        parameters
            .map(|parameter| parameter.argument.clone())
            .collect()
    }
}

impl Evaluator<'_> {
    /// Returns what the type parameter of this name stands for in the present code.
    pub(super) fn type_parameter(&self, name: Symbol) -> Option<&Ty> {
        self.parameter(name, Namespace::Type)
    }

    /// Returns what the constant parameter of this name stands for in the present code.
    pub(super) fn constant_parameter(&self, name: Symbol) -> Option<&Ty> {
        self.parameter(name, Namespace::Value)
    }

    fn parameter(&self, name: Symbol, kind: Namespace) -> Option<&Ty> {
        let found = self.activations.last()?.generics.get(name, kind)?;
        (!self.is_of_block(name, kind)).then_some(found)
    }

    /// Returns whether a path to a value begins with the name of an item, and not with a type.
    pub(super) fn is_of_items(&self, path: &Path) -> bool {
        let (None, [first, rest @ ..]) = (&path.qualified, path.segments.as_slice()) else {
            return false;
        };
        let is_type = !rest.is_empty() && self.type_parameter(first.name).is_some();
        first.name != "Self" && !is_type
    }

    /// Returns whether a path is that of a constant parameter which is not known, or `_`.
    pub(super) fn is_unknown_constant(&self, path: &Path) -> bool {
        let Some(name) = path.ident() else {
            return false;
        };
        name == "_" || matches!(self.constant_parameter(name), Some(Ty::Unknown))
    }
}
