//! Implementations: for which types they are, and which items they provide.

use super::*;

impl Items {
    pub(super) fn implement(&mut self, module: ModuleId, ast: Rc<Impl>) -> Result<()> {
        let head = self.head_of(module, &ast)?;
        if head == Head::Intrinsic(Symbol::new("Vec")) {
            // The meaning of a call would depend on whether the value is a `Vec` or a slice of one.
            let message = "implementations for `Vec` are not in the subset";
            return fail(ast.self_type.span, message);
        }
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
