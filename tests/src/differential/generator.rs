//! The state of a program that is being generated: items, structs, functions, and variables in
//! scope.

use std::collections::BTreeSet;

use super::random::Random;
use super::source::{Node, group, line};
use super::types::{Int, Struct, Ty};

/// A variable in scope.
#[derive(Clone)]
pub struct Variable {
    /// Name of the variable.
    pub name: String,
    /// Type of the variable.
    pub ty: Ty,
    /// Whether it was declared `mut`.
    pub mutable: bool,
    /// Number of the run-time loop or branch in which it was declared.
    pub region: usize,
    /// How many blocks were around it.
    pub depth: usize,
}

/// A function without effects that expressions may call.
#[derive(Clone)]
pub struct Function {
    /// Path of the function, with the generic arguments that it needs.
    pub path: String,
    /// Types of the parameters.
    pub parameters: Vec<Ty>,
    /// Type of the result.
    pub result: Ty,
}

/// Generates one program.
pub struct Generator {
    /// Random choices.
    pub random: Random,
    /// Items beside `main`.
    pub items: Vec<Node>,
    /// Structs of the program.
    pub structs: Vec<Struct>,
    /// Functions without effects.
    pub functions: Vec<Function>,
    /// The variables in scope, innermost last.
    pub variables: Vec<Variable>,
    /// Number of the present run-time loop or branch; 0 outside of all of them.
    pub region: usize,
    /// Whether this is straight-line code of `main`, where inputs can be read and outputs written.
    pub in_main: bool,
    /// How many blocks are around the present place.
    pub depth: usize,
    /// Whether most statements are about `Vec`s.
    pub of_vecs: bool,
    /// Features that the program uses.
    pub features: BTreeSet<&'static str>,
    /// Number of statements that may still be generated.
    pub fuel: usize,
    inputs: usize,
    next: usize,
}

impl Generator {
    /// Returns a generator without any items or variables.
    pub fn new(random: Random) -> Self {
        Self {
            random,
            items: Vec::new(),
            structs: Vec::new(),
            functions: Vec::new(),
            variables: Vec::new(),
            region: 0,
            in_main: true,
            depth: 0,
            of_vecs: false,
            features: BTreeSet::new(),
            fuel: 0,
            inputs: 0,
            next: 0,
        }
    }

    /// Decides whether to use what Droste is known to refuse. It rarely does, so that most programs
    /// are not refused.
    pub fn refused(&mut self) -> bool {
        self.random.chance(8)
    }

    /// Returns a name that is not used yet.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.next += 1;
        format!("{prefix}{}", self.next)
    }

    /// The attribute of a function that is not inlined, in so many cases of a hundred.
    pub fn never_inline(&mut self, percent: usize) -> &'static str {
        if self.random.chance(percent) {
            "#[inline(never)]\n"
        } else {
            ""
        }
    }

    /// Adds a variable to the scope.
    pub fn declare(&mut self, name: &str, ty: Ty, mutable: bool) {
        self.variables.push(Variable {
            name: name.to_owned(),
            ty,
            mutable,
            region: self.region,
            depth: self.depth,
        });
    }

    /// Returns the variables that are not shadowed.
    pub fn visible(&self) -> Vec<Variable> {
        let mut seen = BTreeSet::new();
        let visible = self.variables.iter().rev();
        let visible = visible.filter(|variable| seen.insert(variable.name.clone()));
        visible.cloned().collect()
    }

    /// Generates the statements of a block, at whose end its variables leave the scope.
    pub fn scoped(&mut self, make: impl FnOnce(&mut Self, &mut Vec<Node>)) -> Vec<Node> {
        let mark = self.variables.len();
        let mut body = Vec::new();
        self.depth += 1;
        make(self, &mut body);
        self.depth -= 1;
        self.variables.truncate(mark);
        body
    }

    /// Like [`Self::scoped`], for a body that runs at run time, or may not run.
    pub fn run_time(&mut self, make: impl FnOnce(&mut Self, &mut Vec<Node>)) -> Vec<Node> {
        let (region, in_main) = (self.region, self.in_main);
        self.next += 1;
        self.region = self.next;
        self.in_main = false;
        let body = self.scoped(make);
        self.region = region;
        self.in_main = in_main;
        body
    }

    /// Generates the body of a function, in which only its parameters are in scope.
    pub fn function(
        &mut self,
        parameters: &[(&str, Ty, bool)],
        make: impl FnOnce(&mut Self, &mut Vec<Node>),
    ) -> Vec<Node> {
        let outside = std::mem::take(&mut self.variables);
        let (region, in_main) = (self.region, self.in_main);
        self.region = 0;
        self.in_main = false;
        for (name, ty, mutable) in parameters {
            self.declare(name, ty.clone(), *mutable);
        }
        let body = self.scoped(make);
        self.variables = outside;
        self.region = region;
        self.in_main = in_main;
        body
    }

    /// Returns the type as Rust writes it.
    pub fn type_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Felt => "Felt".into(),
            Ty::Ext => "Ext".into(),
            Ty::Block => "Block".into(),
            Ty::Flag | Ty::Bool => "bool".into(),
            Ty::Int(int) => int.name().into(),
            Ty::Array(element, 0) => format!("[{}; N]", self.type_name(element)),
            Ty::Array(element, n) => format!("[{}; {n}]", self.type_name(element)),
            Ty::Vec(element, _) => format!("Vec<{}>", self.type_name(element)),
            Ty::Tuple(types) => {
                let types: Vec<_> = types.iter().map(|ty| self.type_name(ty)).collect();
                format!("({},)", types.join(", "))
            }
            Ty::Struct(id, argument, n) => {
                let mut arguments = Vec::new();
                if let Some(argument) = argument {
                    arguments.push(self.type_name(argument));
                }
                if self.structs[*id].sized {
                    arguments.push(n.to_string());
                }
                let name = &self.structs[*id].name;
                if arguments.is_empty() {
                    name.clone()
                } else {
                    format!("{name}<{}>", arguments.join(", "))
                }
            }
            Ty::Parameter => "T".into(),
        }
    }

    /// Returns how each field of a struct type is written, and its type.
    pub fn fields(&self, ty: &Ty) -> Vec<(String, Ty)> {
        let Ty::Struct(id, argument, n) = ty else {
            return Vec::new();
        };
        let fields = self.structs[*id].fields.iter();
        fields
            .map(|(name, ty)| (name.clone(), ty.substitute(argument.as_deref(), *n)))
            .collect()
    }

    /// Returns whether every part of a value of this type may be known only at run time.
    pub fn is_run_time(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Felt | Ty::Ext | Ty::Block | Ty::Flag => true,
            Ty::Bool | Ty::Int(_) | Ty::Parameter => false,
            Ty::Array(element, _) | Ty::Vec(element, _) => self.is_run_time(element),
            Ty::Tuple(types) => types.iter().all(|ty| self.is_run_time(ty)),
            Ty::Struct(..) => self.fields(ty).iter().all(|(_, ty)| self.is_run_time(ty)),
        }
    }

    /// Returns a random integer type without sign.
    pub fn some_int(&mut self) -> Int {
        Int::ALL[self.random.below(5)]
    }

    /// Returns a random integer type.
    pub fn any_int(&mut self) -> Int {
        Int::ALL[self.random.below(10)]
    }

    /// Returns a random type.
    pub fn some_type(&mut self, depth: usize) -> Ty {
        match self.random.below(if depth == 0 { 10 } else { 15 }) {
            0..=3 => Ty::Felt,
            4 | 5 => Ty::Ext,
            6 => Ty::Block,
            7 => Ty::Bool,
            8 | 9 => Ty::Int(self.any_int()),
            10 | 11 => {
                let length = self.random.between(1, 3);
                Ty::array(self.some_type(depth - 1), length)
            }
            12 => {
                let length = self.random.between(1, 3);
                Ty::Tuple((0..length).map(|_| self.some_type(depth - 1)).collect())
            }
            _ => self.some_struct(),
        }
    }

    /// Returns a random type whose values are known only at run time.
    pub fn some_run_time_type(&mut self, depth: usize) -> Ty {
        for _ in 0..20 {
            let ty = self.some_type(depth);
            if self.is_run_time(&ty) {
                return ty;
            }
        }
        Ty::Felt
    }

    /// Returns a random struct type, of an existing struct or a new one.
    pub fn some_struct(&mut self) -> Ty {
        let id = match self.structs.len() {
            n if n > 0 && (n > 4 || self.random.chance(60)) => self.random.below(n),
            _ => self.new_struct(),
        };
        let argument = self.structs[id]
            .generic
            .then(|| Box::new(self.simple_type()));
        let n = if self.structs[id].sized {
            self.random.between(1, 3)
        } else {
            1
        };
        Ty::Struct(id, argument, n)
    }

    /// Returns a random type without parts.
    pub fn simple_type(&mut self) -> Ty {
        match self.random.below(5) {
            0 | 1 => Ty::Felt,
            2 => Ty::Ext,
            3 => Ty::Block,
            _ => Ty::Int(self.any_int()),
        }
    }

    fn new_struct(&mut self) -> usize {
        let generic = self.random.chance(30);
        let sized = self.random.chance(25);
        let tuple = self.random.chance(30);
        let mut fields = Vec::new();
        for index in 0..self.random.between(1, 4) {
            let ty = match self.random.below(6) {
                0 if generic => Ty::Parameter,
                1 if sized => Ty::array(Ty::Felt, 0),
                2 if !self.structs.is_empty() => self.some_struct(),
                3 => self.some_type(1),
                4 if self.random.chance(40) => Ty::Flag,
                _ => Ty::Felt,
            };
            let name = if tuple {
                index.to_string()
            } else {
                self.fresh("f")
            };
            fields.push((name, ty));
        }
        for (needed, ty) in [(generic, Ty::Parameter), (sized, Ty::array(Ty::Felt, 0))] {
            if needed && !fields.iter().any(|(_, field)| *field == ty) {
                let name = if tuple {
                    fields.len().to_string()
                } else {
                    self.fresh("f")
                };
                fields.push((name, ty));
            }
        }
        let name = self.fresh("S");
        let parameters = match (generic, sized) {
            (true, true) => "<T, const N: usize>",
            (true, false) => "<T>",
            (false, true) => "<const N: usize>",
            (false, false) => "",
        };
        let list: Vec<_> = fields
            .iter()
            .map(|(field, ty)| {
                if tuple {
                    format!("pub {}", self.type_name(ty))
                } else {
                    format!("pub {field}: {}", self.type_name(ty))
                }
            })
            .collect();
        let list = list.join(", ");
        let body = if tuple {
            format!("({list});")
        } else {
            format!(" {{ {list} }}")
        };
        self.items.push(line(format!(
            "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub struct {name}{parameters}{body}"
        )));
        self.structs.push(Struct {
            name,
            tuple,
            fields,
            generic,
            sized,
        });
        self.structs.len() - 1
    }

    /// Adds `value` to what the program reveals at its end. Every scope has a variable `acc` for
    /// this.
    pub fn observe(&mut self, value: &str, ty: &Ty, body: &mut Vec<Node>) {
        let factor = self.random.between(3, 1000);
        let mut put =
            |term: String| body.push(line(format!("acc = acc * felt({factor}) + {term};")));
        match ty {
            Ty::Felt => put(value.to_owned()),
            Ty::Ext => {
                for i in 0..5 {
                    put(format!("{value}.coeff({i})"));
                }
            }
            Ty::Block => {
                for i in 0..8 {
                    put(format!("{value}.lane({i})"));
                }
            }
            Ty::Flag => put(format!("if {value} {{ felt(5) }} else {{ felt(9) }}")),
            Ty::Bool => put(format!("felt({value} as usize)")),
            Ty::Int(int) if int.signed() || int.bits() > 16 => {
                put(format!("felt({value} as usize % 1000003)"));
                put(format!("felt({value} as usize / 1000003 % 1000003)"));
                put(format!("felt({value} as usize / 1000003 / 1000003)"));
            }
            Ty::Int(_) => put(format!("felt({value} as usize)")),
            Ty::Array(element, n) | Ty::Vec(element, n) => {
                if let Ty::Vec(..) = ty {
                    put(format!("felt({value}.len())"));
                }
                for i in 0..*n {
                    self.observe(&format!("{value}[{i}]"), element, body);
                }
            }
            Ty::Tuple(types) => {
                for (i, ty) in types.iter().enumerate() {
                    self.observe(&format!("{value}.{i}"), ty, body);
                }
            }
            Ty::Struct(..) => {
                for (field, ty) in self.fields(ty) {
                    self.observe(&format!("{value}.{field}"), &ty, body);
                }
            }
            Ty::Parameter => {}
        }
    }

    /// Declares a new variable of a type, with a random value.
    pub fn let_new(&mut self, ty: &Ty, mutable: bool, body: &mut Vec<Node>) -> String {
        let value = self.value(ty, 2);
        let name = self.fresh("v");
        let (keyword, of) = (if mutable { "mut " } else { "" }, self.type_name(ty));
        body.push(line(format!("let {keyword}{name}: {of} = {value};")));
        self.declare(&name, ty.clone(), mutable);
        name
    }

    /// Returns a field element that the compiler does not know: an input, a hint, or a function of
    /// a variable.
    pub fn unknown(&mut self, body: &mut Vec<Node>) -> String {
        let name = self.fresh("x");
        let value = match self.random.below(3) {
            0 | 1 if self.in_main && self.region == 0 && self.inputs_left() => {
                "public_input()".into()
            }
            0 => self.felt(1),
            _ => "hint_felt().any()".into(),
        };
        body.push(line(format!("let {name} = {value};")));
        self.declare(&name, Ty::Felt, false);
        name
    }

    fn inputs_left(&mut self) -> bool {
        self.inputs += 1;
        self.inputs <= 4
    }

    /// Adds a function.
    pub fn item(&mut self, open: impl Into<String>, body: Vec<Node>) {
        self.items.push(group(open, body));
    }
}
