//! An interpreter, which defines what the programs mean.

use droste_lang::executor::{Tape, TapeItem};
use droste_native::{EF, F, precompile};
use p3_field::{BasedVectorSpace, Field, PrimeCharacteristicRing, PrimeField32};

use super::program::{Block, Condition, Ext, Felt, Program, Statement};

/// A run that failed has no value.
type Run<T> = Option<T>;

/// Variables of a function.
struct Scope {
    f: [F; 4],
    e: [EF; 2],
    b: [F; 8],
    a: [F; 3],
    counter: F,
}

struct Interpreter<'a> {
    program: &'a Program,
    n: F,
    /// Hints that were read or chosen so far.
    tape: Tape,
    /// Hints to read. Where there is none, the interpreter chooses one.
    given: Option<&'a Tape>,
}

/// Returns the hints and the statement of a run, if it succeeds.
pub fn interpret(
    program: &Program,
    inputs: [F; 3],
    given: Option<&Tape>,
) -> (Tape, Option<[F; 8]>) {
    let mut interpreter = Interpreter {
        program,
        n: inputs[0],
        tape: Tape::default(),
        given,
    };
    let mut scope = Scope {
        f: [inputs[0], inputs[1], inputs[2], F::from_u32(7)],
        e: [EF::from(inputs[1]), extension([1, 2, 3, 4, 5])],
        b: [F::ZERO; 8],
        a: [inputs[2], F::ONE, F::ZERO],
        counter: F::ZERO,
    };
    let statement = interpreter.body(&program.main, &mut scope).map(|()| {
        let Scope { f, e, b, a, .. } = scope;
        let sum = (e[0] + e[1]).as_basis_coefficients_slice()[3];
        let [x, y, z] = inputs;
        [
            x,
            y,
            z,
            f[0] + f[2],
            f[1] + f[3],
            a[0] + a[1] + a[2],
            sum,
            b[6],
        ]
    });
    let left = given.is_some_and(|given| given.items.len() != interpreter.tape.items.len());
    (interpreter.tape, statement.filter(|_| !left))
}

fn extension(coefficients: [u32; 5]) -> EF {
    EF::from_basis_coefficients_fn(|i| F::from_u32(coefficients[i]))
}

fn coefficients(value: EF) -> [F; 5] {
    let slice: &[F] = value.as_basis_coefficients_slice();
    std::array::from_fn(|i| slice[i])
}

impl Scope {
    fn felt(&self, felt: &Felt) -> Run<F> {
        Some(match felt {
            Felt::Const(value) => F::from_u32(*value),
            Felt::Var(index) => self.f[*index],
            Felt::Element(index) => self.a[*index],
            Felt::Counter => self.counter,
            Felt::Add(a, b) => self.felt(a)? + self.felt(b)?,
            Felt::Sub(a, b) => self.felt(a)? - self.felt(b)?,
            Felt::Mul(a, b) => self.felt(a)? * self.felt(b)?,
            Felt::Neg(a) => -self.felt(a)?,
            Felt::Inverse(a) => self.felt(a)?.try_inverse()?,
            Felt::Coefficient(e, index) => coefficients(self.ext(e)?)[*index],
            Felt::Lane(b, index) => self.block(b)?[*index],
        })
    }

    fn ext(&self, ext: &Ext) -> Run<EF> {
        Some(match ext {
            Ext::Const(value) => extension(*value),
            Ext::Var(index) => self.e[*index],
            Ext::Scalar(value) => self.felt(value)?.into(),
            Ext::Coefficients(values) => {
                let (x, y) = (self.felt(&values[0])?, self.felt(&values[1])?);
                let all = [x, F::ZERO, y, F::from_u32(3), F::ONE];
                EF::from_basis_coefficients_fn(|i| all[i])
            }
            Ext::Add(a, b) => self.ext(a)? + self.ext(b)?,
            Ext::Sub(a, b) => self.ext(a)? - self.ext(b)?,
            Ext::Mul(a, b) => self.ext(a)? * self.ext(b)?,
            Ext::AddFelt(a, b) => self.ext(a)? + self.felt(b)?,
            Ext::SubFelt(a, b) => self.ext(a)? - self.felt(b)?,
            Ext::MulFelt(a, b) => self.ext(a)? * self.felt(b)?,
            Ext::Neg(a) => -self.ext(a)?,
            Ext::Inverse(a) => self.ext(a)?.try_inverse()?,
        })
    }

    fn block(&self, block: &Block) -> Run<[F; 8]> {
        Some(match block {
            Block::Var => self.b,
            Block::Lanes(values) => {
                let (x, y) = (self.felt(&values[0])?, self.felt(&values[1])?);
                [x, y, F::from_u32(5), x, F::ZERO, y, x, F::ONE]
            }
            Block::Compress(a, b) => {
                precompile::poseidon16_compress(&self.block(a)?, &self.block(b)?)
            }
            Block::Sponge(a, b) => {
                let (data, capacity) = (self.block(a)?, self.block(b)?);
                precompile::poseidon16_sponge(&[data], 8, &capacity)
                    .ok()?
                    .rate
            }
            Block::OfExt(e) => {
                let values = coefficients(self.ext(e)?);
                std::array::from_fn(|i| values.get(i).copied().unwrap_or_default())
            }
        })
    }

    fn condition(&self, condition: &Condition) -> Run<bool> {
        let first =
            (self.felt(&condition.left)? == self.felt(&condition.right)?) == condition.equal;
        match &condition.more {
            None => Some(first),
            Some((and, _, _)) if first != *and => Some(first),
            Some((_, left, right)) => Some(self.felt(left)? == self.felt(right)?),
        }
    }
}

impl Interpreter<'_> {
    /// Returns the next hint, or the given value if none is to be read.
    fn hint(&mut self, chosen: TapeItem) -> Run<TapeItem> {
        let item = match self.given {
            None => chosen,
            Some(given) => given.items.get(self.tape.items.len())?.clone(),
        };
        self.tape.items.push(item.clone());
        Some(item)
    }

    fn body(&mut self, body: &[Statement], scope: &mut Scope) -> Run<()> {
        body.iter()
            .try_for_each(|statement| self.statement(statement, scope))
    }

    fn repeat(&mut self, times: u32, body: &[Statement], scope: &mut Scope) -> Run<()> {
        let counter = scope.counter;
        for i in 0..times {
            scope.counter = F::from_u32(i);
            self.body(body, scope)?;
        }
        scope.counter = counter;
        Some(())
    }

    fn statement(&mut self, statement: &Statement, scope: &mut Scope) -> Run<()> {
        match statement {
            Statement::SetFelt(index, value) => scope.f[*index] = scope.felt(value)?,
            Statement::SetElement(index, value) => scope.a[*index] = scope.felt(value)?,
            Statement::SetExt(index, value) => scope.e[*index] = scope.ext(value)?,
            Statement::SetBlock(value) => scope.b = scope.block(value)?,
            Statement::CloseFelt(left, right, _) => {
                let (left, right) = (scope.felt(left)?, scope.felt(right)?);
                match self.hint(TapeItem::Felt(left - right))? {
                    TapeItem::Felt(hint) if left == right + hint => {}
                    _ => return None,
                }
            }
            Statement::CloseExt(left, right, _) => {
                let (left, right) = (scope.ext(left)?, scope.ext(right)?);
                match self.hint(TapeItem::Ext(coefficients(left - right)))? {
                    TapeItem::Ext(hint)
                        if left == right + EF::from_basis_coefficients_fn(|i| hint[i]) => {}
                    _ => return None,
                }
            }
            Statement::CloseBlock(value, _) => {
                let value = scope.block(value)?.map(Some);
                match self.hint(TapeItem::Slice(vec![value]))? {
                    TapeItem::Slice(hint) if hint == [value] => {}
                    _ => return None,
                }
            }
            Statement::AssertFelt(left, right) => {
                (scope.felt(left)? == scope.felt(right)?).then_some(())?;
            }
            Statement::AssertDifferent(left, right) => {
                (scope.felt(left)? != scope.felt(right)?).then_some(())?;
            }
            Statement::AssertSame(value, _) => {
                let _ = scope.felt(value)?;
            }
            Statement::Words(x, y) => {
                let (x, y) = (scope.felt(x)?, scope.felt(y)?);
                let at = scope.f[1].as_canonical_u32();
                if at >= 3 || (at == 1 && x != y) {
                    return None;
                }
                scope.f[2] = y + x;
            }
            Statement::If(condition, then, otherwise) => {
                let side = if scope.condition(condition)? {
                    then
                } else {
                    otherwise
                };
                self.body(side, scope)?;
            }
            Statement::Count(n, body) | Statement::Unrolled(n, body) => {
                self.repeat(*n, body, scope)?;
            }
            Statement::CountTo(body) => {
                self.repeat(self.n.as_canonical_u32(), body, scope)?;
            }
            Statement::Call(function, x, e) => {
                let (x, e) = (scope.felt(x)?, scope.ext(e)?);
                let mut inner = Scope {
                    f: [x, self.n, x * x, F::ONE],
                    e: [e, EF::ONE],
                    b: scope.b,
                    a: scope.a,
                    counter: F::ZERO,
                };
                self.body(&self.program.functions[*function].body, &mut inner)?;
                scope.a = inner.a;
                scope.f[3] = inner.f[0] + inner.f[3];
                scope.e[1] = inner.e[0] * inner.e[1];
                scope.b = inner.b;
            }
        }
        Some(())
    }
}
