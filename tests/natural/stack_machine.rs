use droste_gadgets::prelude::*;

/// A stack machine with a typed error and a tiny program.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Instr {
    Push(i64),
    Dup,
    Swap,
    Add,
    Sub,
    Mul,
    JmpIfZero(usize),
    Jmp(usize),
    Load(usize),
    Store(usize),
    Halt,
}

#[derive(Debug, PartialEq)]
enum VmError {
    StackUnderflow { pc: usize },
    BadJump(usize),
    OutOfGas,
}

struct Vm<'p> {
    program: &'p [Instr],
    stack: Vec<i64>,
    memory: [i64; 4],
    pc: usize,
}

impl<'p> Vm<'p> {
    fn new(program: &'p [Instr]) -> Self {
        Vm {
            program,
            stack: vec![],
            memory: [0; 4],
            pc: 0,
        }
    }

    fn pop(&mut self) -> Result<i64, VmError> {
        self.stack
            .pop()
            .ok_or(VmError::StackUnderflow { pc: self.pc })
    }

    fn binary(&mut self, op: fn(i64, i64) -> i64) -> Result<(), VmError> {
        let b = self.pop()?;
        let a = self.pop()?;
        self.stack.push(op(a, b));
        Ok(())
    }

    fn run(&mut self, gas: usize) -> Result<i64, VmError> {
        for _ in 0..gas {
            let instr = *self.program.get(self.pc).ok_or(VmError::BadJump(self.pc))?;
            let mut next = self.pc + 1;
            match instr {
                Instr::Push(v) => self.stack.push(v),
                Instr::Dup => {
                    let v = self.pop()?;
                    self.stack.extend([v, v])
                }
                Instr::Swap => {
                    let (b, a) = (self.pop()?, self.pop()?);
                    self.stack.extend([b, a])
                }
                Instr::Add => self.binary(|a, b| a + b)?,
                Instr::Sub => self.binary(|a, b| a - b)?,
                Instr::Mul => self.binary(|a, b| a.wrapping_mul(b))?,
                Instr::JmpIfZero(t) => {
                    if self.pop()? == 0 {
                        next = t
                    }
                }
                Instr::Jmp(t) => next = t,
                Instr::Load(i) => self.stack.push(self.memory[i]),
                Instr::Store(i) => self.memory[i] = self.pop()?,
                Instr::Halt => return self.pop(),
            }
            self.pc = next;
        }
        Err(VmError::OutOfGas)
    }
}

pub fn main() {
    use Instr::*;
    let x = public_input();
    let factorial = [
        Push(1),
        Store(0),
        Push(10),
        Dup,
        JmpIfZero(12),
        Dup,
        Load(0),
        Mul,
        Store(0),
        Push(1),
        Sub,
        Jmp(3),
        Load(0),
        Halt,
    ];
    let v = Vm::new(&factorial).run(200).unwrap();
    assert_eq!(v, 3_628_800);
    assert_eq!(Vm::new(&factorial).run(20), Err(VmError::OutOfGas));
    assert_eq!(
        Vm::new(&[Push(1), Swap]).run(9),
        Err(VmError::StackUnderflow { pc: 1 })
    );
    assert_eq!(Vm::new(&[Jmp(7)]).run(9), Err(VmError::BadJump(7)));
    reveal(felt(v as usize) * x);
}
