use droste_gadgets::prelude::*;

/// Brainf*** interpreter with a precomputed jump table.
#[derive(Debug, PartialEq, Eq)]
enum BfError {
    UnmatchedOpen(usize),
    UnmatchedClose(usize),
    StepLimit,
}

fn jump_table(code: &[u8]) -> Result<Vec<usize>, BfError> {
    let mut jumps = vec![0; code.len()];
    let mut stack = Vec::new();
    for (i, &op) in code.iter().enumerate() {
        match op {
            b'[' => stack.push(i),
            b']' => {
                let open = stack.pop().ok_or(BfError::UnmatchedClose(i))?;
                jumps[open] = i;
                jumps[i] = open;
            }
            _ => {}
        }
    }
    match stack.first() {
        Some(&open) => Err(BfError::UnmatchedOpen(open)),
        None => Ok(jumps),
    }
}

fn run(code: &str, input: &[u8]) -> Result<Vec<u8>, BfError> {
    let code = code.as_bytes();
    let jumps = jump_table(code)?;
    let mut input = input.iter();
    let mut tape = [0u8; 32];
    let (mut ip, mut dp) = (0usize, 0usize);
    let mut out = vec![];
    let mut steps = 0;
    while ip < code.len() {
        steps += 1;
        if steps > 3000 {
            return Err(BfError::StepLimit);
        }
        match code[ip] {
            b'>' => dp = (dp + 1) % tape.len(),
            b'<' => dp = dp.checked_sub(1).unwrap_or(tape.len() - 1),
            b'+' => tape[dp] = tape[dp].wrapping_add(1),
            b'-' => tape[dp] = tape[dp].wrapping_sub(1),
            b'.' => out.push(tape[dp]),
            b',' => tape[dp] = *input.next().unwrap_or(&0),
            b'[' if tape[dp] == 0 => ip = jumps[ip],
            b']' if tape[dp] != 0 => ip = jumps[ip],
            _ => (),
        }
        ip += 1;
    }
    Ok(out)
}

pub fn main() {
    let x = public_input();
    let letters = run("++++++++[>++++++++<-]>+.+.+.", &[]).unwrap();
    assert_eq!(letters, b"ABC");
    let reversed = run(">,[>,]<[.<]", b"zk!").unwrap();
    assert_eq!(reversed, *b"!kz");
    assert_eq!(run("+[]", b""), Err(BfError::StepLimit));
    assert_eq!(run("[[]", b""), Err(BfError::UnmatchedOpen(0)));
    assert_eq!(run("]", b""), Err(BfError::UnmatchedClose(0)));
    let product = run(",>,<[->[->+>+<<]>>[-<<+>>]<<<]>>.", &[7, 6]).unwrap();
    reveal(felt(product[0] as usize) * x);
}
