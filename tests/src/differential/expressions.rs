//! Expressions of a given type, without effects.

use super::generator::{Generator, Variable};
use super::types::{Int, Ty};

impl Generator {
    /// Returns a value of a type.
    pub fn value(&mut self, ty: &Ty, depth: usize) -> String {
        if self.random.chance(35)
            && let Some(place) = self.read(ty)
        {
            return match ty {
                Ty::Vec(..) => format!("{place}.clone()"),
                _ => place,
            };
        }
        let below = depth.saturating_sub(1);
        match ty {
            Ty::Felt | Ty::Parameter => self.felt(depth),
            Ty::Ext => self.ext(depth),
            Ty::Block => self.block(depth),
            Ty::Flag => self.flag(depth),
            Ty::Bool => self.bool(depth),
            Ty::Int(int) => self.int(*int, depth).0,
            Ty::Array(element, n) if self.random.chance(25) => {
                format!("[{}; {n}]", self.value(element, below))
            }
            Ty::Array(element, n) => {
                let values: Vec<_> = (0..*n).map(|_| self.value(element, below)).collect();
                format!("[{}]", values.join(", "))
            }
            Ty::Vec(element, n) if self.random.chance(25) => {
                format!("vec![{}; {n}]", self.value(element, below))
            }
            Ty::Vec(element, n) => {
                let values: Vec<_> = (0..*n).map(|_| self.value(element, below)).collect();
                format!("vec![{}]", values.join(", "))
            }
            Ty::Tuple(types) => {
                let values: Vec<_> = types.iter().map(|ty| self.value(ty, below)).collect();
                format!("({},)", values.join(", "))
            }
            Ty::Struct(id, ..) => {
                let fields = self.fields(ty);
                let mut values: Vec<_> = fields
                    .iter()
                    .map(|(_, field)| self.value(field, below))
                    .collect();
                let (name, tuple) = (self.structs[*id].name.clone(), self.structs[*id].tuple);
                if tuple {
                    return format!("{name}({})", values.join(", "));
                }
                let base = if self.random.chance(20) {
                    self.read(ty)
                } else {
                    None
                };
                let mut order = self.random.order(fields.len());
                if base.is_some() {
                    order.truncate(self.random.below(fields.len() + 1));
                }
                let mut list: Vec<_> = order
                    .iter()
                    .map(|&i| format!("{}: {}", fields[i].0, std::mem::take(&mut values[i])))
                    .collect();
                list.extend(base.map(|base| format!("..{base}")));
                format!("({name} {{ {} }})", list.join(", "))
            }
        }
    }

    /// Returns a place in scope of this type, if there is one.
    pub fn read(&mut self, ty: &Ty) -> Option<String> {
        let mut places = Vec::new();
        for variable in self.visible() {
            self.places(&variable.name, &variable.ty, ty, 3, &mut places);
        }
        let place = (!places.is_empty()).then(|| self.random.below(places.len()))?;
        Some(places.swap_remove(place))
    }

    /// Returns a place in scope of this type that can be assigned to here, if there is one.
    pub fn target(&mut self, ty: &Ty) -> Option<String> {
        let comptime = !self.is_run_time(ty);
        let region = self.region;
        let fits = |variable: &Variable| {
            variable.mutable && variable.name != "acc" && (!comptime || variable.region == region)
        };
        let mut places = Vec::new();
        for variable in self.visible().into_iter().filter(fits) {
            self.places(&variable.name, &variable.ty, ty, 3, &mut places);
        }
        let place = (!places.is_empty()).then(|| self.random.below(places.len()))?;
        Some(places.swap_remove(place))
    }

    /// Whether a place is in a `Vec`, of which nothing else can be read while it is changed.
    pub fn is_in_vec(&self, place: &str) -> bool {
        let root = place.split(['.', '[']).next();
        let visible = self.visible().into_iter();
        let mut vecs = visible.filter(|variable| matches!(variable.ty, Ty::Vec(..)));
        vecs.any(|variable| Some(variable.name.as_str()) == root)
    }

    fn places(&self, at: &str, ty: &Ty, wanted: &Ty, depth: usize, places: &mut Vec<String>) {
        if ty == wanted || (*wanted == Ty::Flag && *ty == Ty::Bool) {
            places.push(at.to_owned());
        }
        if depth == 0 {
            return;
        }
        match ty {
            Ty::Array(element, n) | Ty::Vec(element, n) => {
                for i in 0..*n {
                    self.places(&format!("{at}[{i}]"), element, wanted, depth - 1, places);
                }
            }
            Ty::Tuple(types) => {
                for (i, ty) in types.iter().enumerate() {
                    self.places(&format!("{at}.{i}"), ty, wanted, depth - 1, places);
                }
            }
            Ty::Struct(..) => {
                for (field, ty) in self.fields(ty) {
                    self.places(&format!("{at}.{field}"), &ty, wanted, depth - 1, places);
                }
            }
            _ => {}
        }
    }

    /// Returns a call of one of the program's functions that return this type, if there is one.
    fn some_call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let fitting: Vec<_> = self
            .functions
            .iter()
            .filter(|f| f.result == *ty)
            .cloned()
            .collect();
        let function = (!fitting.is_empty()).then(|| self.random.below(fitting.len()))?;
        let function = &fitting[function];
        let below = depth.saturating_sub(1);
        let arguments: Vec<_> = function
            .parameters
            .iter()
            .map(|ty| self.value(ty, below))
            .collect();
        Some(format!("{}({})", function.path, arguments.join(", ")))
    }

    /// Returns a field element.
    pub fn felt(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(8) {
                0 => "Felt::ONE".into(),
                1 => "Felt::ZERO".into(),
                2 => format!("Felt::new({})", self.random.below(1 << 20)),
                3 => format!("felt({})", self.random.below(1 << 16)),
                _ => match self.read(&Ty::Felt) {
                    Some(place) => place,
                    None => format!("felt({})", self.random.below(50)),
                },
            };
        }
        let below = depth - 1;
        match self.random.below(24) {
            0..=4 => format!("({} + {})", self.felt(below), self.felt(below)),
            5..=8 => format!("({} - {})", self.felt(below), self.felt(below)),
            9..=12 => format!("({} * {})", self.felt(below), self.felt(below)),
            13 => format!("(-{})", self.felt(below)),
            14 => format!("{}.coeff({})", self.ext(below), self.random.below(5)),
            15 => format!("{}.lane({})", self.block(below), self.random.below(8)),
            16 => format!(
                "felt({} as usize)",
                self.int_below(Int::Usize, below, 1 << 20)
            ),
            17 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.flag(below),
                self.felt(below),
                self.felt(below)
            ),
            18 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.bool(below),
                self.felt(below),
                self.felt(below)
            ),
            19 => {
                let (value, name) = (self.felt(below), self.fresh("t"));
                format!(
                    "({{ let {name} = {value}; {name} * {name} + {} }})",
                    self.felt(below)
                )
            }
            // -3 is not a square.
            20 => {
                let (value, name) = (self.felt(below), self.fresh("t"));
                format!("({{ let {name} = {value}; ({name} * {name} + felt(3)).inverse() }})")
            }
            _ => match self.some_call(&Ty::Felt, depth) {
                Some(call) => call,
                None => self.felt(below),
            },
        }
    }

    /// Returns an extension element.
    pub fn ext(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.random.below(6) {
                0 => "Ext::ONE".into(),
                1 => "Ext::ZERO".into(),
                2 => format!("Ext::from_felt({})", self.felt(0)),
                3 => format!(
                    "Ext::new([{}, 1, {}, 0, 2])",
                    self.random.below(9),
                    self.random.below(1 << 20)
                ),
                _ => match self.read(&Ty::Ext) {
                    Some(place) => place,
                    None => format!("Ext::new([{}, 1, 0, 3, 0])", self.random.below(50)),
                },
            };
        }
        let below = depth - 1;
        match self.random.below(20) {
            0..=2 => format!("({} + {})", self.ext(below), self.ext(below)),
            3 | 4 => format!("({} - {})", self.ext(below), self.ext(below)),
            5..=7 => format!("({} * {})", self.ext(below), self.ext(below)),
            8 => format!("({} + {})", self.ext(below), self.felt(below)),
            9 => format!("({} - {})", self.ext(below), self.felt(below)),
            10 => format!("({} * {})", self.ext(below), self.felt(below)),
            11 => format!("(-{})", self.ext(below)),
            12 => {
                let list: Vec<_> = (0..5).map(|_| self.felt(below.min(1))).collect();
                format!("Ext::from_coeffs([{}])", list.join(", "))
            }
            13 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.flag(below),
                self.ext(below),
                self.ext(below)
            ),
            14 => format!("{}.pin()", self.ext(below)),
            15 => format!("{}.as_block().as_ext()", self.ext(below)),
            16 => format!(
                "fold_pair({}, {}, {})",
                self.ext(0),
                self.ext(below),
                self.ext(0)
            ),
            17 => {
                let (value, name) = (self.ext(below), self.fresh("t"));
                format!(
                    "({{ let {name} = {value}; {name} * {name} - {} }})",
                    self.ext(below)
                )
            }
            _ => match self.some_call(&Ty::Ext, depth) {
                Some(call) => call,
                None => self.ext(below),
            },
        }
    }

    /// Returns a block.
    pub fn block(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.read(&Ty::Block) {
                Some(place) if self.random.chance(80) => place,
                _ => "Block::ZERO".into(),
            };
        }
        let below = depth - 1;
        match self.random.below(8) {
            0..=2 => {
                let list: Vec<_> = (0..8).map(|_| self.felt(below.min(1))).collect();
                format!("Block::new([{}])", list.join(", "))
            }
            3 => format!("{}.as_block()", self.ext(below)),
            4 => format!(
                "poseidon16_compress({}, {})",
                self.block(below),
                self.block(below)
            ),
            5 => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.flag(below),
                self.block(below),
                self.block(below)
            ),
            _ => match self.some_call(&Ty::Block, depth) {
                Some(call) => call,
                None => self.block(below),
            },
        }
    }

    /// Returns a condition that may be known only at run time.
    pub fn flag(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.read(&Ty::Flag) {
                Some(place) if self.random.chance(40) => place,
                _ => self.comparison(0),
            };
        }
        let below = depth - 1;
        match self.random.below(9) {
            0..=3 => self.comparison(below),
            4 => format!("({} && {})", self.flag(below), self.flag(below)),
            5 => format!("({} || {})", self.flag(below), self.flag(below)),
            6 => format!("(!{})", self.flag(below)),
            7 => {
                let operator = self.random.pick(&["&", "|", "^", "==", "!="]);
                format!("({} {operator} {})", self.flag(below), self.flag(below))
            }
            _ => self.bool(below),
        }
    }

    fn comparison(&mut self, depth: usize) -> String {
        let operator = self.random.pick(&["==", "!="]);
        // A small constant, which small inputs often equal.
        let right = if self.random.chance(70) {
            format!("felt({})", self.random.below(4))
        } else {
            self.felt(depth)
        };
        let left = self.read(&Ty::Felt).unwrap_or_else(|| self.felt(depth));
        format!("({left} {operator} {right})")
    }

    /// Returns a condition that is known at compile time.
    pub fn bool(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.read(&Ty::Bool) {
                Some(place) if self.random.chance(60) => place,
                _ => self.random.pick(&["true", "false"]).to_owned(),
            };
        }
        let below = depth - 1;
        match self.random.below(9) {
            0..=4 => {
                let int = self.any_int();
                let operator = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!(
                    "({} {operator} {})",
                    self.int(int, below).0,
                    self.int(int, below).0
                )
            }
            5 => format!("(!{})", self.bool(below)),
            6 => {
                let operator = self.random.pick(&["&&", "||", "&", "|", "^", "==", "!="]);
                format!("({} {operator} {})", self.bool(below), self.bool(below))
            }
            7 => {
                let int = self.some_int();
                format!("{}.is_power_of_two()", self.int(int, below).0)
            }
            _ => match self.some_call(&Ty::Bool, depth) {
                Some(call) => call,
                None => self.bool(below),
            },
        }
    }
}
