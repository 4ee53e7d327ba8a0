use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Op {
    Push(i32),
    Add,
    Mul,
    Dup,
    Swap,
    JmpNz(usize),
    Dec,
    Halt,
}

#[derive(Debug, PartialEq)]
enum VmError {
    StackUnderflow(usize),
    OutOfFuel,
}

struct Vm<'p> {
    program: &'p [Op],
    stack: Vec<i32>,
    pc: usize,
}

impl<'p> Vm<'p> {
    fn new(program: &'p [Op]) -> Self {
        Vm {
            program,
            stack: Vec::new(),
            pc: 0,
        }
    }

    fn pop(&mut self) -> Result<i32, VmError> {
        self.stack.pop().ok_or(VmError::StackUnderflow(self.pc))
    }

    fn run(mut self, fuel: u32) -> Result<i32, VmError> {
        for _ in 0..fuel {
            let op = self.program[self.pc];
            self.pc += 1;
            match op {
                Op::Push(v) => self.stack.push(v),
                Op::Add | Op::Mul => {
                    let (b, a) = (self.pop()?, self.pop()?);
                    self.stack.push(if op == Op::Add { a + b } else { a * b });
                }
                Op::Dup => {
                    let top = *self.stack.last().ok_or(VmError::StackUnderflow(self.pc))?;
                    self.stack.push(top);
                }
                Op::Swap => {
                    let (b, a) = (self.pop()?, self.pop()?);
                    self.stack.extend([b, a]);
                }
                Op::Dec => *self.stack.last_mut().unwrap() -= 1,
                Op::JmpNz(target) => {
                    if self.pop()? != 0 {
                        self.pc = target;
                    }
                }
                Op::Halt => return self.pop(),
            }
        }
        Err(VmError::OutOfFuel)
    }
}

pub fn main() {
    let x = public_input();
    use Op::*;
    // acc counter -> acc *= 3 while counter != 0
    let program = [
        Push(1),
        Push(6),
        Swap,
        Push(3),
        Mul,
        Swap,
        Dec,
        Dup,
        JmpNz(2),
        Swap,
        Halt,
    ];
    let result = Vm::new(&program).run(200).unwrap();
    assert_eq!(Vm::new(&program).run(10), Err(VmError::OutOfFuel));
    assert_eq!(
        Vm::new(&[Push(1), Add]).run(5),
        Err(VmError::StackUnderflow(2))
    );
    reveal(x + felt(result as usize));
}
