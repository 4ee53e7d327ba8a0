//! Methods whose results are mutable references to elements, or to parts of the list.

use super::*;

impl Evaluator<'_> {
    /// Calls a method that gives mutable references to parts of the list at a place.
    pub(super) fn list_parts(
        &mut self,
        list: &Value,
        place: Option<Place>,
        name: &str,
        values: Vec<Value>,
        span: Span,
    ) -> Eval<Value> {
        let Some(place) = place else {
            return fail(span, "the list that this changes is not in a variable");
        };
        let all = listed(list, span)?;
        let length = all.len();
        let element = all.first().map_or(Ty::Unknown, Value::ty);
        let found = match (name, values.as_slice()) {
            ("as_mut_slice", []) => return self.reference_to(place.elements(0, length)),
            ("iter_mut", []) => return Ok(self.iterate_places(&place, span)?.into_value()),
            ("first_mut", []) => (length > 0).then(|| place.element(0)),
            ("last_mut", []) => length.checked_sub(1).map(|last| place.element(last)),
            ("get_mut", [at @ Value::Int(..)]) => {
                let at = usize::try_from(self.integer(at, span)?).ok();
                let at = at.filter(|at| *at < length);
                at.map(|at| place.element(at))
            }
            ("get_mut", [range]) => {
                let within = self.range_within(range, length, span)?;
                let part = within.map(|(start, end)| place.elements(start, end));
                let part = part.map(|part| self.reference_to(part)).transpose()?;
                return self.option(part, Ty::Array(Rc::new(element), None), span);
            }
            ("split_first_mut" | "split_last_mut", []) => {
                let parts = match (name, length.checked_sub(1)) {
                    (_, None) => return self.option(None, Ty::Unknown, span),
                    ("split_first_mut", _) => [place.element(0), place.elements(1, length)],
                    (_, Some(last)) => [place.element(last), place.elements(0, last)],
                };
                let parts = Value::Tuple(Rc::new(self.all_references(parts)?));
                let ty = parts.ty();
                return self.option(Some(parts), ty, span);
            }
            ("split_at_mut", [at]) => {
                let at = usize::try_from(self.integer(at, span)?).ok();
                let Some(at) = at.filter(|at| *at <= length) else {
                    return fail(span, "mid > len");
                };
                let parts = [place.elements(0, at), place.elements(at, length)];
                return Ok(Value::Tuple(Rc::new(self.all_references(parts)?)));
            }
            ("chunks_mut" | "chunks_exact_mut" | "rchunks_mut", [size]) => {
                let size = usize::try_from(self.integer(size, span)?).unwrap_or(usize::MAX);
                if size == 0 {
                    return fail(span, "chunk size must be non-zero");
                }
                let whole = match name {
                    "chunks_exact_mut" => length - length % size,
                    _ => length,
                };
                let parts = (0..whole).step_by(size).map(|from| {
                    let to = from.saturating_add(size).min(whole);
                    match name {
                        "rchunks_mut" => place.elements(length - to, length - from),
                        _ => place.elements(from, to),
                    }
                });
                let parts = self.all_references(parts)?;
                return Ok(Iter::items(Rc::new(parts), Held::Owned).into_value());
            }
            _ => return no_method(name, span),
        };
        let found = found.map(|place| self.reference_to(place)).transpose()?;
        let ty = found.as_ref().map_or(element, Value::ty);
        self.option(found, ty, span)
    }

    fn all_references(&mut self, places: impl IntoIterator<Item = Place>) -> Eval<Vec<Value>> {
        let places = places.into_iter();
        places.map(|place| self.reference_to(place)).collect()
    }
}
