//! Integer expressions, most of which stay in the range of their type.

use super::generator::Generator;
use super::types::{Int, Ty};

impl Generator {
    /// Returns an integer expression, and a bound that its value does not exceed.
    pub fn int(&mut self, ty: Int, depth: usize) -> (String, u64) {
        if ty.signed() {
            return (self.signed_int(ty, depth), u64::MAX);
        }
        let (name, most) = (ty.name(), ty.max());
        if depth == 0 {
            return match self.random.below(12) {
                0 => (format!("{name}::MAX"), most),
                1 => (format!("{name}::MIN"), 0),
                2 if ty == Int::U32 => (format!("{}::BITS", self.some_int().name()), 64),
                3 if most > 255 => {
                    let value = self.random.below(60_000);
                    (format!("{value}_{name}"), value as u64)
                }
                4..=8 => match self.read(&Ty::Int(ty)) {
                    Some(place) => (place, most),
                    None => self.literal(ty),
                },
                _ => self.literal(ty),
            };
        }
        let below = depth - 1;
        let (a, high_a) = self.int(ty, below);
        match self.random.below(28) {
            0 | 1 => {
                let (b, high_b) = self.int(ty, below);
                match high_a.checked_add(high_b) {
                    Some(high) if high <= most => (format!("({a} + {b})"), high),
                    _ if self.wild() => (format!("({a} + {b})"), most),
                    _ => (format!("({a} / 2 + {b} / 2)"), most),
                }
            }
            2 | 3 => {
                let (b, high_b) = self.int(ty, below);
                match high_a.checked_mul(high_b) {
                    Some(high) if high <= most => (format!("({a} * {b})"), high),
                    _ if self.wild() => (format!("({a} * {b})"), most),
                    _ => (format!("({a} % 16 * ({b} % 16))"), 225),
                }
            }
            4 | 5 => {
                let (b, _) = self.int(ty, below);
                if self.wild() {
                    (format!("({a} - {b})"), most)
                } else {
                    (format!("(100 + {a} % 100 - {b} % 100)"), 199)
                }
            }
            6 => (
                format!("({a} / ({} % 7 + 1))", self.int(ty, below).0),
                high_a,
            ),
            7 => {
                let divisor = self.random.between(2, 250);
                (format!("({a} % {divisor})"), divisor as u64 - 1)
            }
            8 => {
                let operator = self.random.pick(&["&", "|", "^"]);
                (format!("({a} {operator} {})", self.int(ty, below).0), most)
            }
            9 => {
                let shift = self.random.below(ty.bits() as usize);
                (format!("({a} >> {shift})"), high_a >> shift)
            }
            10 => {
                let shift = self.random.below(ty.bits() as usize);
                (format!("({a} << {shift})"), most)
            }
            11 => {
                let (shift, _) = self.int(Int::U32, below);
                let operator = self.random.pick(&["<<", ">>"]);
                (format!("({a} {operator} ({shift} % {}))", ty.bits()), most)
            }
            12 => (format!("(!{a})"), most),
            13 | 14 => {
                let other = self.any_int();
                let (value, high) = self.int(other, below);
                (format!("({value} as {name})"), high.min(most))
            }
            15 => (format!("({} as {name})", self.bool(below)), 1),
            16 => {
                let method = self
                    .random
                    .pick(&["min", "max", "saturating_sub", "abs_diff"]);
                (format!("{a}.{method}({})", self.int(ty, below).0), most)
            }
            17 => {
                let method = self.random.pick(&[
                    "wrapping_add",
                    "wrapping_sub",
                    "wrapping_mul",
                    "saturating_add",
                    "saturating_mul",
                ]);
                if self.random.chance(30) {
                    (format!("{a}.{method}({})", self.int(ty, below).0), most)
                } else {
                    (a, high_a)
                }
            }
            18 => {
                let power = self.random.below(3);
                (format!("({a} % 6).pow({power})"), 25)
            }
            19 => (
                format!("({a} / 2).div_ceil({} % 9 + 1)", self.int(ty, below).0),
                most,
            ),
            20 => {
                let method = self.random.pick(&[
                    "trailing_zeros",
                    "count_ones",
                    "leading_zeros",
                    "trailing_ones",
                    "count_zeros",
                ]);
                let method = if self.random.chance(70) {
                    self.random.pick(&["trailing_zeros", "count_ones"])
                } else {
                    method
                };
                (format!("({a}.{method}() as {name})"), 64)
            }
            21 => match self.random.below(3) {
                0 => (format!("(({a} | 1).ilog2() as {name})"), 63),
                1 => (format!("({a} % 100).next_power_of_two()"), 128),
                _ => (
                    format!(
                        "({a} % 100).next_multiple_of({} % 9 + 1)",
                        self.int(ty, below).0
                    ),
                    110,
                ),
            },
            22 => {
                let (b, high_b) = self.int(ty, below);
                let condition = self.bool(below);
                (
                    format!("(if {condition} {{ {a} }} else {{ {b} }})"),
                    high_a.max(high_b),
                )
            }
            23 => {
                let (low, high) = (self.random.below(5), self.random.between(5, 40));
                let (b, c) = (self.int(ty, below), self.int(ty, below));
                let text = format!(
                    "(match {a} {{ {low} => {}, {low}..={high} => {}, _ => 7 }})",
                    b.0, c.0
                );
                (text, b.1.max(c.1).max(7))
            }
            24 | 25 => {
                let (b, n) = (self.int(ty, below).0, self.random.below(80));
                let text = match self.random.below(7) {
                    0 => format!("{a}.rotate_left({n})"),
                    1 => format!("{a}.swap_bytes()"),
                    2 => format!("{a}.reverse_bits()"),
                    3 => format!("{a}.midpoint({b})"),
                    4 => format!("{a}.checked_add({b}).unwrap_or({b} / 3)"),
                    5 => format!("{a}.checked_shl({n}).unwrap_or({b})"),
                    _ => format!("{name}::from_be_bytes({a}.to_le_bytes())"),
                };
                (text, most)
            }
            26 if ty == Int::Usize => match self.array_in_scope() {
                Some(array) => (format!("{array}.len()"), 8),
                None => (a, high_a),
            },
            _ => {
                let calls = self.functions.iter().filter(|f| f.result == Ty::Int(ty));
                let calls: Vec<_> = calls.cloned().collect();
                if calls.is_empty() {
                    return (a, high_a);
                }
                let call = &calls[self.random.below(calls.len())];
                let arguments: Vec<_> = call
                    .parameters
                    .iter()
                    .map(|ty| self.value(ty, below))
                    .collect();
                (format!("{}({})", call.path, arguments.join(", ")), most)
            }
        }
    }

    /// Returns an expression of a type with negative values.
    fn signed_int(&mut self, ty: Int, depth: usize) -> String {
        let name = ty.name();
        if depth == 0 {
            return match self.random.below(8) {
                0 => format!("{name}::MAX"),
                1 => format!("{name}::MIN"),
                2..=4 => match self.read(&Ty::Int(ty)) {
                    Some(place) => place,
                    None => self.literal(ty).0,
                },
                5 => self.literal(ty).0,
                _ => format!("(-{})", self.literal(ty).0),
            };
        }
        let below = depth - 1;
        let (a, b) = (self.int(ty, below).0, self.int(ty, below).0);
        let (n, bits) = (self.random.between(2, 100), ty.bits() as usize);
        match self.random.below(18) {
            0 if self.wild() => format!("({a} - {b})"),
            0 => format!("({a} / 2 - {b} / 2)"),
            1 => format!("({a} / 2 + {b} / 2)"),
            2 => format!("({a} % 11 * ({b} % 11))"),
            3 => format!("({a} / ({b} % 7 + 8))"),
            4 => format!("({a} % {n})"),
            5 => format!("({a} {} {b})", self.random.pick(&["&", "|", "^"])),
            6 => {
                let operator = self.random.pick(&["<<", ">>"]);
                format!("({a} {operator} {})", self.random.below(bits))
            }
            7 => format!("(!{a})"),
            8 | 9 => {
                let other = self.any_int();
                format!("({} as {name})", self.int(other, below).0)
            }
            10 | 11 => {
                let method = self.random.pick(&[
                    "wrapping_add",
                    "wrapping_sub",
                    "wrapping_mul",
                    "saturating_sub",
                    "saturating_mul",
                    "min",
                    "max",
                    "midpoint",
                ]);
                format!("{a}.{method}({b})")
            }
            12 => {
                let method = self.random.pick(&[
                    "wrapping_neg",
                    "wrapping_abs",
                    "signum",
                    "swap_bytes",
                    "reverse_bits",
                ]);
                format!("{a}.{method}()")
            }
            13 => {
                let method = self.random.pick(&["rem_euclid", "div_euclid"]);
                format!("{a}.{method}({n})")
            }
            14 => format!("{a}.rotate_right({n})"),
            15 => format!("{a}.checked_mul({b}).unwrap_or({b} / 3)"),
            16 => format!("(-({a} / 2))"),
            _ => format!("(if {a} < {b} {{ {b} }} else {{ {a} }})"),
        }
    }

    /// Returns an integer expression whose value does not exceed `most`.
    pub fn int_below(&mut self, ty: Int, depth: usize, most: u64) -> String {
        let (text, high) = self.int(ty, depth);
        if high <= most {
            return text;
        }
        format!("({text} % {most})")
    }

    fn literal(&mut self, ty: Int) -> (String, u64) {
        let value = self.random.below(20);
        (format!("{value}_{}", ty.name()), value as u64)
    }

    /// Decides whether this operation may leave the range of its type.
    fn wild(&mut self) -> bool {
        self.random.chance(2)
    }

    fn array_in_scope(&mut self) -> Option<String> {
        let arrays = self.visible().into_iter();
        let mut arrays =
            arrays.filter(|variable| matches!(variable.ty, Ty::Array(..) | Ty::Vec(..)));
        arrays.next().map(|variable| variable.name)
    }
}
