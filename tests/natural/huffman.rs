use droste_gadgets::prelude::*;

/// Huffman coding with nodes in an arena.
#[derive(Debug, Clone, Copy)]
enum Node {
    Leaf {
        symbol: u8,
        weight: usize,
    },
    Branch {
        left: usize,
        right: usize,
        weight: usize,
    },
}

impl Node {
    fn weight(&self) -> usize {
        match *self {
            Node::Leaf { weight, .. } | Node::Branch { weight, .. } => weight,
        }
    }
}

struct Huffman {
    arena: Vec<Node>,
    root: usize,
}

impl Huffman {
    fn new(text: &[u8]) -> Option<Self> {
        let mut counts = [0usize; 256];
        for &b in text {
            counts[b as usize] += 1;
        }
        let mut arena: Vec<Node> = counts
            .iter()
            .enumerate()
            .filter(|&(_, &n)| n > 0)
            .map(|(s, &weight)| Node::Leaf {
                symbol: s as u8,
                weight,
            })
            .collect();
        let mut live: Vec<usize> = (0..arena.len()).collect();
        while live.len() > 1 {
            live.sort_by_key(|&i| std::cmp::Reverse((arena[i].weight(), i)));
            let (left, right) = (live.pop()?, live.pop()?);
            let weight = arena[left].weight() + arena[right].weight();
            arena.push(Node::Branch {
                left,
                right,
                weight,
            });
            live.push(arena.len() - 1);
        }
        let root = live.pop()?;
        Some(Huffman { arena, root })
    }

    fn codes(&self) -> Vec<(u8, Vec<bool>)> {
        let mut out = Vec::new();
        let mut stack = vec![(self.root, Vec::new())];
        while let Some((i, path)) = stack.pop() {
            match self.arena[i] {
                Node::Leaf { symbol, .. } => out.push((symbol, path)),
                Node::Branch { left, right, .. } => {
                    for (child, bit) in [(left, false), (right, true)] {
                        let mut next = path.clone();
                        next.push(bit);
                        stack.push((child, next));
                    }
                }
            }
        }
        out.sort();
        out
    }
}

pub fn main() {
    let x = public_input();
    let text = b"abracadabra";
    let codes = Huffman::new(text).unwrap().codes();
    assert!(Huffman::new(b"").is_none());
    assert_eq!(codes[0].1.len(), 1);
    let bits: Vec<bool> = text
        .iter()
        .flat_map(|b| {
            codes
                .iter()
                .find(|(s, _)| s == b)
                .unwrap()
                .1
                .iter()
                .copied()
        })
        .collect();
    reveal(felt(bits.len()) * x);
    reveal(felt(codes.len()));
}
