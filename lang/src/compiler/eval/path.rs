//! What a path to a value means: a variable, a parameter, a constant or a structure without fields.

use std::rc::Rc;

use super::generics::Generics;
use super::*;
use crate::compiler::value::Held;

impl Evaluator<'_> {
    pub(super) fn path_value(&mut self, path: &Path) -> Eval<Value> {
        if let Some(name) = path.ident() {
            if let Some(value) = self.local_constant(name)? {
                return Ok(value);
            }
            if let Some(slot) = self.slot(name) {
                let here = self.here();
                if here.borrowed.contains(&slot) {
                    let value = here.vars[slot].clone();
                    let message =
                        format!("`{name}` is a mutable reference, which cannot be kept or copied");
                    let help = match value {
                        value if self.is_owned(&value) => {
                            "pass it to a `&mut` parameter".to_owned()
                        }
                        _ => format!(
                            "write `*{name}` for its value, or pass it to a `&mut` parameter"
                        ),
                    };
                    return fail_help(path.span, message, help);
                }
                let value = here.vars[slot].clone();
                if let Value::Empty(..) = value {
                    return fail(path.span, format!("`{name}` has no value here"));
                }
                self.check_whole(slot, &[], path.span)?;
                return Ok(value);
            }
            match self.constant_parameter(name) {
                Some(Ty::Const(value)) => return Ok(Value::Int(*value, Some(IntType::Usize))),
                Some(Ty::ConstBool(value)) => return Ok(Value::Bool(*value)),
                Some(_) => {
                    let message = format!("cannot tell the value of `{name}`");
                    return fail_help(path.span, message, "give it with a turbofish, `::<..>`");
                }
                None => {}
            }
        }
        let module = self.module();
        let own = self.is_of_items(path);
        if own && let Some((definition, used)) = self.items.path(module, path, Namespace::Value)? {
            let whole = used == path.segments.len();
            match definition {
                Definition::Const(defined_in, constant) if whole => {
                    let generics = Generics::default();
                    return self.constant(&constant, defined_in, generics, None, None);
                }
                Definition::Struct(id) if whole => {
                    let params = &self.items.structs[id].ast.generics;
                    let generics = self.open(params, &path.segments[used - 1].generics)?;
                    return self.unit_structure(id, generics.arguments(), path.span);
                }
                Definition::Intrinsic(name) if whole && name == "PhantomData" => {
                    return Ok(Value::Phantom);
                }
                Definition::Function(..) => {
                    return fail(path.span, "functions are not values in the subset");
                }
                _ => {}
            }
        } else if own && path.segments.len() == 1 {
            let name = path.segments[0].name;
            return missing(&format!("`{name}` here"), name, path.span);
        }
        let last = path.segments.len() - 1;
        if last == 0 && path.qualified.is_none() {
            if path.segments[0].name == "Self"
                && let Some(Ty::Struct(id, generics)) = self.here().self_type.clone()
            {
                return self.unit_structure(id, generics, path.span);
            }
            let name = path.segments[0].name;
            return fail(path.span, format!("`{name}` is not a value"));
        }
        let ty = self.path_prefix_type(path, last)?;
        let prefix = self.prefix(path, last)?;
        let name = path.segments[last].name;
        match self.constant_candidate(&prefix, &ty, name, path.span)? {
            Some(candidate) => {
                let owner = candidate.owner();
                let generics = self.owner_generics(owner, &candidate.generics, &ty)?;
                let (constant, module) = (candidate.item.item, candidate.item.module);
                self.constant(&constant, module, generics, Some(ty), Some(owner))
            }
            None => match builtin::constant(&ty, &name.text()) {
                Some(value) => Ok(value),
                None => fail(
                    path.span,
                    format!("there is no constant `{name}` of this type"),
                ),
            },
        }
    }

    /// Returns the value of a constant that is declared in a block of this call, if the name is
    /// that of one.
    fn local_constant(&mut self, name: Symbol) -> Eval<Option<Value>> {
        let here = self.here();
        let mut locals = here.constants.iter().rev();
        let Some(local) = locals.find(|local| local.constant.name == name).cloned() else {
            return Ok(None);
        };
        let module = here.module;
        let around = here.constants[..local.visible].to_vec();
        let constants = Activation {
            constants: around,
            ..Activation::new(module)
        };
        self.constant_in(&local.constant, constants).map(Some)
    }

    /// Returns the value of a constant, evaluated in the scope in which it is written.
    fn constant(
        &mut self,
        constant: &Rc<Const>,
        module: ModuleId,
        generics: Generics,
        self_type: Option<Ty>,
        owner: Option<Owner>,
    ) -> Eval<Value> {
        let activation = Activation {
            generics,
            self_type,
            owner,
            ..Activation::new(module)
        };
        self.constant_in(constant, activation)
    }

    fn constant_in(&mut self, constant: &Rc<Const>, mut activation: Activation) -> Eval<Value> {
        let types = activation.generics.arguments();
        self.walk_types(types.iter().chain(&activation.self_type), constant.span)?;
        let key = (
            Rc::as_ptr(constant),
            activation.owner.map(|owner| owner.implementation),
            activation.generics.clone(),
            activation.self_type.clone(),
        );
        if let Some(value) = self.constants.get(&key) {
            return Ok(value.clone());
        }
        let Some(expr) = &constant.value else {
            return fail(constant.span, format!("`{}` has no value", constant.name));
        };
        self.check_items(constant.span)?;
        activation.site = self.activations.last().map_or(0, |here| here.site);
        let value = self.in_activation(activation, constant.span, |this| {
            let ty = this.ty(&constant.ty)?;
            let value = this.constantly(expr.span, |this| this.moved(expr, ty))?;
            this.check_type(&value, &constant.ty, expr.span)?;
            Ok(value)
        })?;
        let mut leaves = Vec::new();
        value.leaves(&mut leaves);
        if !leaves.into_iter().all(Value::is_constant) {
            let message = format!("`{}` is not known at compile time", constant.name);
            return fail(constant.span, message);
        }
        self.constants.insert(key, value.clone());
        Ok(value)
    }

    fn unit_structure(&self, id: usize, generics: Rc<[Ty]>, span: Span) -> Eval<Value> {
        let ast = &self.items.structs[id].ast;
        if ast.unit {
            let structure = self.new_structure(id, generics, Vec::new());
            Ok(Value::Struct(Rc::new(structure), Held::Owned))
        } else {
            fail(
                span,
                format!("`{}` has fields, and is not a value", ast.name),
            )
        }
    }
}
