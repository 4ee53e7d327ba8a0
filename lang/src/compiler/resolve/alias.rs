//! Aliases of types: those that depend on each other are refused.

use super::*;

/// Largest depth to which aliases stand for each other.
const MAX_ALIASES: usize = 128;

impl Items {
    /// Refuses aliases that depend on each other, which have no meaning.
    pub(super) fn check_aliases(&self) -> Result<()> {
        let names = self.modules.iter().flat_map(|module| module.names.values());
        let mut aliases: Vec<_> = names
            .filter_map(|named| match &named.definition {
                Definition::Alias(module, alias) => Some((*module, alias)),
                _ => None,
            })
            .collect();
        aliases.sort_by_key(|(_, alias)| (alias.ty.span.file, alias.ty.span.start));
        let mut ended = HashSet::new();
        for (module, alias) in aliases {
            self.check_alias(module, alias, &mut Vec::new(), &mut ended)?;
        }
        Ok(())
    }

    /// Follows an alias. `through` are the aliases that led to it, `ended` those that were followed
    /// to their ends.
    fn check_alias(
        &self,
        module: ModuleId,
        alias: &Rc<Alias>,
        through: &mut Vec<*const Alias>,
        ended: &mut HashSet<*const Alias>,
    ) -> Result<()> {
        let this = Rc::as_ptr(alias);
        if ended.contains(&this) {
            return Ok(());
        }
        if through.contains(&this) || through.len() > MAX_ALIASES {
            let message = format!("these types depend on each other, or {MAX_ALIASES} deep");
            return fail(alias.ty.span, message);
        }
        through.push(this);
        let mut paths = Vec::new();
        alias.ty.paths(&mut paths);
        for path in paths {
            let is_own = |name| {
                let mut params = alias.generics.iter();
                params.any(|param| !param.constant && param.name == name)
            };
            let first = path.segments.first();
            if path.qualified.is_none()
                && !first.is_some_and(|first| is_own(first.name))
                && let Some((Definition::Alias(module, next), _)) =
                    self.path(module, path, Namespace::Type)?
            {
                self.check_alias(module, &next, through, ended)?;
            }
        }
        through.pop();
        ended.insert(this);
        Ok(())
    }
}
