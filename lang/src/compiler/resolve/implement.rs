//! Implementations: for which types they are, and which items they provide.

use super::*;

impl Items {
    pub(super) fn implement(&mut self, module: ModuleId, ast: Rc<Impl>) -> Result<()> {
        let head = self.head_of(module, &ast)?;
        let of = match &ast.of {
            None => None,
            Some(path) => {
                let of = self.trait_named(module, path)?;
                if let TraitName::Builtin(name) = of {
                    self.check_standard(name, path.span)?;
                }
                Some(of)
            }
        };
        let is_from = of == Some(TraitName::Builtin(Symbol::new("From")));
        if head == Head::Intrinsic(Symbol::new("Vec")) && !is_from {
            // The meaning of a call would depend on whether the value is a `Vec` or a slice of one.
            let message = "implementations for `Vec` are in the subset only of `From`";
            return fail(ast.self_type.span, message);
        }
        if conform::has_reference(&ast) && !conform::knows_references(of) {
            let message = "implementations for references are in the subset only of operators, \
                           `From` and `IntoIterator`";
            return fail_help(ast.self_type.span, message, "implement for the type itself");
        }
        if let Some(of) = of {
            self.check_implementation(&ast, of)?;
        }
        self.check_owner(module, &ast, head, of)?;
        check_parameters(&ast)?;
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
                TypeKind::Function(..) => {
                    return fail(span, "implementations for functions are not in the subset");
                }
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
                None if name.is_some_and(|name| name == "str") => {
                    return fail(span, "implementations for `str` are not in the subset");
                }
                _ => return fail(span, "there is no such type"),
            };
            match next {
                Definition::Struct(id) => return Ok(Head::Struct(id)),
                // All integers have one head, since the type of a value is not always known.
                Definition::Intrinsic(name)
                    if IntType::named(&name.text()).is_some_and(|ty| ty != IntType::Char) =>
                {
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
}

/// Refuses generic parameters of an implementation that its type and its trait do not tell.
fn check_parameters(ast: &Impl) -> Result<()> {
    let is_told = |name| {
        let mut bounds = conditions(&ast.generics, &ast.predicates).flat_map(|(_, bounds)| bounds);
        tells(&ast.self_type, name)
            || ast.of.as_ref().is_some_and(|of| arguments_tell(of, name))
            // An associated type may be a parameter: `I: Iterator<Item = T>`, `F: Fn() -> T`.
            || bounds.any(|bound| {
                let mut segments = bound.segments.iter();
                segments.any(|of| !of.bindings.is_empty() || of.name.text().starts_with("Fn"))
                    && arguments_tell(bound, name)
            })
    };
    match ast.generics.iter().find(|param| !is_told(param.name)) {
        None => Ok(()),
        Some(param) => {
            let message = format!("neither the type nor the trait has `{}`", param.name);
            let help = "remove it, or write it in one of them";
            fail_help(ast.self_type.span, message, help)
        }
    }
}

/// Returns whether a type tells what a generic parameter is. What is computed may do so.
fn tells(ty: &Type, name: Symbol) -> bool {
    match &ty.kind {
        TypeKind::Unknown => false,
        TypeKind::Array(element, length) => tells(element, name) || constant_tells(length, name),
        TypeKind::Slice(element) => tells(element, name),
        TypeKind::Tuple(types) => types.iter().any(|ty| tells(ty, name)),
        TypeKind::Function(params, output) => {
            let mut types = params.iter().chain(output.as_deref());
            types.any(|ty| tells(ty, name))
        }
        TypeKind::Path(path) => path.ident() == Some(name) || arguments_tell(path, name),
    }
}

fn arguments_tell(path: &Path, name: Symbol) -> bool {
    path.segments.iter().any(|segment| {
        let mut bindings = segment.bindings.iter();
        segment.generics.iter().any(|argument| match argument {
            GenericArg::Type(ty) => tells(ty, name),
            GenericArg::Const(expr) => constant_tells(expr, name),
        }) || bindings.any(|(_, ty)| tells(ty, name))
    })
}

fn constant_tells(expr: &Expr, name: Symbol) -> bool {
    match &expr.kind {
        ExprKind::Path(path) => path.ident() == Some(name),
        ExprKind::Int(..) | ExprKind::Bool(_) => false,
        _ => true,
    }
}
