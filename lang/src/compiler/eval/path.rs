//! What a path to a value means: a variable, a parameter, a constant, a struct or variant without
//! fields, or a function.

use std::rc::Rc;

use super::generics::Generics;
use super::place::Place;
use super::*;

impl Evaluator<'_> {
    /// Returns the value that a path means. A variant without fields may need the expected type.
    pub(super) fn path_value(&mut self, path: &Path) -> Eval<Value> {
        let expected = std::mem::replace(&mut self.expected, Ty::Unknown);
        if let Some(name) = path.ident() {
            if let Some(slot) = self.slot(name) {
                let here = self.here();
                let is_value = !matches!(here.vars[slot], Value::Reference(_));
                if here.borrowed.contains(&slot) && is_value {
                    return self.reference_to(Place::of_variable(slot, path.span));
                }
                let value = here.vars[slot].clone();
                if let Value::Empty(..) = value {
                    return fail(path.span, format!("`{name}` has no value here"));
                }
                self.check_whole(slot, &[], path.span)?;
                return Ok(value);
            }
            match self.constant_parameter(name) {
                Some(Ty::Const(value, ty)) => return Ok(Value::Int(*value, Some(*ty))),
                Some(Ty::ConstBool(value)) => return Ok(Value::Bool(*value)),
                Some(_) => {
                    let message = format!("cannot tell the value of `{name}`");
                    return fail_help(path.span, message, "give it with a turbofish, `::<..>`");
                }
                None => {}
            }
        }
        if let Some((id, variant, generics)) = self.variant_named(path, Namespace::Value)? {
            let ast = self.items.structs[id].ast.variant(variant);
            if ast.unit || ast.named {
                return self.unit_variant(id, variant, generics, &expected, path.span);
            }
            return self.function_value(path);
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
                Definition::Intrinsic(name) if whole && name == "PhantomData" => {
                    return Ok(Value::Phantom);
                }
                Definition::Function(..) if whole => return self.function_value(path),
                Definition::Intrinsic(name) if whole && !name.text().contains("::") => {
                    return self.function_value(path);
                }
                Definition::Trait(_) if used + 1 == path.segments.len() => {
                    return self.function_value(path);
                }
                _ => {}
            }
        } else if own && path.segments.len() == 1 {
            let name = path.segments[0].name;
            return missing(&format!("`{name}` here"), name, path.span);
        }
        let last = path.segments.len() - 1;
        if last == 0 && path.qualified.is_none() {
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
            None => match builtin::constant(&self.found_type(&ty), &name.text()) {
                Some(value) => Ok(value),
                // Whether there is such a function is known when it is called.
                None if name.text().starts_with(char::is_lowercase) => self.function_value(path),
                None if name == "MAX" && ty == Ty::Int(Some(IntType::U128)) => {
                    integer::beyond(path.span)
                }
                None => fail(
                    path.span,
                    format!("there is no constant `{name}` of this type"),
                ),
            },
        }
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
            site: self.activations.last().map_or(0, |here| here.site),
            ..Activation::new(module)
        };
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
        let value = self.in_activation(activation, constant.span, |this| {
            let ty = this.ty(&constant.ty)?;
            let value = this.constantly(expr.span, |this| this.moved(expr, ty))?;
            this.check_type(&value, &constant.ty, expr.span)?;
            Ok(value)
        })?;
        if !value.is_all_constant() {
            let message = format!("`{}` is not known at compile time", constant.name);
            return fail(constant.span, message);
        }
        self.constants.insert(key, value.clone());
        Ok(value)
    }
}
