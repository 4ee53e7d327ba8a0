use droste_gadgets::prelude::*;

/// Run-length and LZ77-style compression with round-trip checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Literal(u8),
    Copy { distance: usize, length: usize },
}

fn compress(data: &[u8], window: usize) -> Vec<Op> {
    let mut ops = Vec::new();
    let mut pos = 0;
    while pos < data.len() {
        let start = pos.saturating_sub(window);
        let best = (start..pos)
            .map(|from| {
                let len = data[from..]
                    .iter()
                    .zip(&data[pos..])
                    .take_while(|(a, b)| a == b)
                    .count();
                (len, from)
            })
            .max();
        match best {
            Some((length, from)) if length >= 3 => {
                ops.push(Op::Copy {
                    distance: pos - from,
                    length,
                });
                pos += length;
            }
            _ => {
                ops.push(Op::Literal(data[pos]));
                pos += 1;
            }
        }
    }
    ops
}

fn decompress(ops: &[Op]) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::new();
    for op in ops {
        match *op {
            Op::Literal(b) => out.push(b),
            Op::Copy { distance, length } => {
                let from = out.len().checked_sub(distance)?;
                for i in from..from + length {
                    out.push(out[i]);
                }
            }
        }
    }
    Some(out)
}

fn run_lengths<T: PartialEq + Copy>(data: &[T]) -> Vec<(T, usize)> {
    data.iter()
        .fold(Vec::new(), |mut runs: Vec<(T, usize)>, &item| {
            match runs.last_mut() {
                Some((last, n)) if *last == item => *n += 1,
                _ => runs.push((item, 1)),
            }
            runs
        })
}

pub fn main() {
    let x = public_input();
    let text = b"she sells sea shells by the sea shore";
    let ops = compress(text, 32);
    assert_eq!(decompress(&ops).as_deref(), Some(&text[..]));
    assert_eq!(
        decompress(&[Op::Copy {
            distance: 1,
            length: 1
        }]),
        None
    );
    assert_eq!(
        compress(b"aaaaaa", 8),
        vec![
            Op::Literal(b'a'),
            Op::Copy {
                distance: 1,
                length: 5
            }
        ]
    );
    let runs = run_lengths(&[1, 1, 2, 3, 3, 3, 1]);
    assert_eq!(runs, vec![(1, 2), (2, 1), (3, 3), (1, 1)]);
    let copied: usize = ops
        .iter()
        .map(|op| {
            if let Op::Copy { length, .. } = op {
                *length
            } else {
                0
            }
        })
        .sum();
    reveal(felt(ops.len()) * x);
    reveal(felt(copied));
}
