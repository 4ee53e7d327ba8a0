//! What other files can use of a file: its public functions, and what its types implement. It is
//! read from the text of this file alone. No name is resolved and nothing is evaluated, so a type is
//! what is written, which may be an alias of another.

use super::ast::{
    ExprKind, Function, GenericArg, ItemKind, Module, Param, Path, Type, TypeKind, Visibility,
};
use super::error::{self, CompileError};
use super::output::{SourceFile, Span};
use super::{check_size, on_large_stack, parse};

/// What other files can use of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// The public functions of the file itself, in order, without those of the modules in it.
    pub functions: Vec<Signature>,
    /// The traits that are implemented in the file itself, each with the type that implements it. A
    /// trait is named by the last part of its path.
    pub implementations: Vec<(String, TypeName)>,
}

/// The signature of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name.
    pub name: String,
    /// Whether it has generic parameters. Lifetimes are none.
    pub generic: bool,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The type of its result, if one is written.
    pub output: Option<TypeName>,
    /// Where its name is.
    pub span: Span,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name or the pattern, as it is written.
    pub name: String,
    /// Its type, without a `&` before it.
    pub ty: TypeName,
    /// Whether it is taken by `&` or `&mut`.
    pub reference: bool,
    /// Whether it is taken by `&mut`.
    pub mutable: bool,
}

/// A type, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// The last part of its path; empty if the type is no path, such as a tuple.
    pub name: String,
    /// Generic arguments of the last part.
    pub arguments: Vec<Argument>,
    /// Its text, in one line.
    pub text: String,
    /// Where it is.
    pub span: Span,
}

/// A generic argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// An integer literal.
    Integer(u64),
    /// A type or, if it is a single name, perhaps a constant. Of other constants only text and place
    /// are known.
    Type(TypeName),
}

/// Reads the interface of a file. `path` is what messages call it.
///
/// # Errors
/// A [`CompileError`] that points at the first piece of source that is wrong or outside the subset.
pub fn interface(path: &str, text: &str) -> Result<Interface, Box<CompileError>> {
    on_large_stack(path, text, &[], |files| {
        check_size(files)?;
        let module = parse::parse_file(0, text)?;
        Ok(Reader(text).interface(&module))
    })
}

/// Returns an error about a place of a file, for what a caller of [`interface()`] wants of it.
pub fn error_at(
    path: &str,
    text: &str,
    span: Span,
    message: impl Into<String>,
    help: Option<String>,
) -> Box<CompileError> {
    let file = SourceFile {
        path: path.to_owned(),
        text: text.to_owned(),
    };
    let mut failure = error::failure(span, message);
    failure.help = help;
    failure.into_error(&[file])
}

/// Reads the syntax tree of a file of this text.
struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn interface(&self, module: &Module) -> Interface {
        let functions = module.items.iter().filter_map(|item| match &item.kind {
            ItemKind::Function(function) if item.visibility == Visibility::Public => {
                Some(self.signature(function))
            }
            _ => None,
        });
        let implementations = module.impls.iter().filter_map(|ast| {
            let of = ast.of.as_ref()?;
            Some((last_name(of), self.type_name(&ast.self_type)))
        });
        Interface {
            functions: functions.collect(),
            implementations: implementations.collect(),
        }
    }

    fn signature(&self, function: &Function) -> Signature {
        let parameters = function.params.iter().map(|param| self.parameter(param));
        Signature {
            name: function.name.to_string(),
            generic: !function.generics.is_empty(),
            parameters: parameters.collect(),
            output: function.output.as_ref().map(|ty| self.type_name(ty)),
            span: function.span,
        }
    }

    fn parameter(&self, param: &Param) -> Parameter {
        let name = param.name();
        Parameter {
            name: name.map_or_else(|| self.text(param.pattern.span), |name| name.to_string()),
            ty: self.type_name(&param.ty),
            reference: param.ty.reference || param.mutable_reference,
            mutable: param.mutable_reference,
        }
    }

    fn type_name(&self, ty: &Type) -> TypeName {
        let (mut name, mut arguments) = (String::new(), Vec::new());
        if let TypeKind::Path(path) = &ty.kind {
            name = last_name(path);
            let last = path.segments.last();
            let generics = last.map_or(&[][..], |last| &last.generics);
            arguments.extend(generics.iter().map(|argument| self.argument(argument)));
        }
        TypeName {
            name,
            arguments,
            text: self.text(ty.span),
            span: ty.span,
        }
    }

    fn argument(&self, argument: &GenericArg) -> Argument {
        match argument {
            GenericArg::Type(ty) => Argument::Type(self.type_name(ty)),
            GenericArg::Const(expr) => {
                let integer = match expr.kind {
                    ExprKind::Int(value, _) => u64::try_from(value).ok(),
                    _ => None,
                };
                let other = || {
                    Argument::Type(TypeName {
                        name: String::new(),
                        arguments: Vec::new(),
                        text: self.text(expr.span),
                        span: expr.span,
                    })
                };
                integer.map_or_else(other, Argument::Integer)
            }
        }
    }

    /// Returns what is written in a place, in one line.
    fn text(&self, span: Span) -> String {
        let text = self.0.get(span.start as usize..span.end as usize);
        let words = text.unwrap_or_default().split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Returns the last part of a path.
fn last_name(path: &Path) -> String {
    let last = path.segments.last();
    last.map_or_else(String::new, |last| last.name.to_string())
}
