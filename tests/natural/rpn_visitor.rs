use droste_gadgets::prelude::*;

trait Visitor {
    type Output;
    fn number(&mut self, n: i64) -> Self::Output;
    fn binary(&mut self, op: BinOp, l: Self::Output, r: Self::Output) -> Self::Output;
}

#[derive(Clone, Copy)]
enum BinOp {
    Add,
    Sub,
    Mul,
}

struct Eval;
struct Cost {
    multiplications: usize,
}

impl Visitor for Eval {
    type Output = i64;
    fn number(&mut self, n: i64) -> i64 {
        n
    }
    fn binary(&mut self, op: BinOp, l: i64, r: i64) -> i64 {
        match op {
            BinOp::Add => l + r,
            BinOp::Sub => l - r,
            BinOp::Mul => l * r,
        }
    }
}

impl Visitor for Cost {
    type Output = ();
    fn number(&mut self, _: i64) {}
    fn binary(&mut self, op: BinOp, _: (), _: ()) {
        if let BinOp::Mul = op {
            self.multiplications += 1;
        }
    }
}

fn walk_rpn<V: Visitor>(src: &str, visitor: &mut V) -> Option<V::Output> {
    let mut stack = Vec::new();
    for word in src.split(' ') {
        let op = match word {
            "+" => BinOp::Add,
            "-" => BinOp::Sub,
            "*" => BinOp::Mul,
            _ => {
                stack.push(visitor.number(word.parse().ok()?));
                continue;
            }
        };
        let r = stack.pop()?;
        let l = stack.pop()?;
        stack.push(visitor.binary(op, l, r));
    }
    stack.pop()
}

pub fn main() {
    let x = public_input();
    let src = "3 4 + 5 * 2 7 * -";
    let value = walk_rpn(src, &mut Eval).unwrap();
    let mut cost = Cost { multiplications: 0 };
    walk_rpn(src, &mut cost);
    assert!(walk_rpn("1 +", &mut Eval).is_none());
    reveal(x + felt(value as usize));
    reveal(felt(cost.multiplications));
}
