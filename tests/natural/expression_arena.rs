use droste_gadgets::prelude::*;

/// Arithmetic circuit as an expression arena: build, evaluate, differentiate.
#[derive(Clone, Copy)]
enum Expr {
    Const(i32),
    Var(usize),
    Add(Id, Id),
    Mul(Id, Id),
}

#[derive(Clone, Copy, PartialEq)]
struct Id(usize);

#[derive(Default)]
struct Arena(Vec<Expr>);

impl Arena {
    fn push(&mut self, e: Expr) -> Id {
        self.0.push(e);
        Id(self.0.len() - 1)
    }

    fn add(&mut self, a: Id, b: Id) -> Id {
        match (self.0[a.0], self.0[b.0]) {
            (Expr::Const(0), _) => b,
            (_, Expr::Const(0)) => a,
            (Expr::Const(x), Expr::Const(y)) => self.push(Expr::Const(x + y)),
            _ => self.push(Expr::Add(a, b)),
        }
    }

    fn mul(&mut self, a: Id, b: Id) -> Id {
        match (self.0[a.0], self.0[b.0]) {
            (Expr::Const(0), _) | (_, Expr::Const(1)) => a,
            (_, Expr::Const(0)) | (Expr::Const(1), _) => b,
            _ => self.push(Expr::Mul(a, b)),
        }
    }

    fn eval(&self, id: Id, env: &[Felt]) -> Felt {
        match self.0[id.0] {
            Expr::Const(c) if c < 0 => felt(0) - felt(c.unsigned_abs() as usize),
            Expr::Const(c) => felt(c as usize),
            Expr::Var(v) => env[v],
            Expr::Add(a, b) => self.eval(a, env) + self.eval(b, env),
            Expr::Mul(a, b) => self.eval(a, env) * self.eval(b, env),
        }
    }

    fn derive(&mut self, id: Id, var: usize) -> Id {
        match self.0[id.0] {
            Expr::Const(_) => self.push(Expr::Const(0)),
            Expr::Var(v) => self.push(Expr::Const((v == var) as i32)),
            Expr::Add(a, b) => {
                let (da, db) = (self.derive(a, var), self.derive(b, var));
                self.add(da, db)
            }
            Expr::Mul(a, b) => {
                let (da, db) = (self.derive(a, var), self.derive(b, var));
                let (l, r) = (self.mul(da, b), self.mul(a, db));
                self.add(l, r)
            }
        }
    }
}

pub fn main() {
    let env = [public_input(), public_input()];
    let mut c = Arena::default();
    let (x, y, k) = (
        c.push(Expr::Var(0)),
        c.push(Expr::Var(1)),
        c.push(Expr::Const(-3)),
    );
    let xy = c.mul(x, y);
    let kx = c.mul(k, x);
    let s = c.add(xy, kx);
    let f = c.mul(s, x); // x^2 y - 3 x^2
    let (dx, dy) = (c.derive(f, 0), c.derive(f, 1));
    let [a, b] = env;
    assert_eq!(c.eval(dx, &env), felt(2) * a * b - felt(6) * a);
    assert_eq!(c.eval(dy, &env), a * a);
    reveal(c.eval(f, &env));
    reveal(c.eval(dx, &env));
    reveal(felt(c.0.len()));
}
