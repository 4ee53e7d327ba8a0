use droste_gadgets::prelude::*;

/// Merkle tree with a toy compression function.
struct Merkle {
    levels: Vec<Vec<Felt>>,
}

#[derive(Clone, Copy)]
enum Step {
    Left(Felt),
    Right(Felt),
}

fn compress(l: Felt, r: Felt) -> Felt {
    let a = l + felt(7) * r + felt(11);
    let cube = a * a * a;
    cube * a * a + r
}

impl Merkle {
    fn build(leaves: &[Felt]) -> Self {
        assert!(leaves.len().is_power_of_two());
        let mut levels = vec![leaves.to_vec()];
        while levels.last().unwrap().len() > 1 {
            let next = levels
                .last()
                .unwrap()
                .chunks(2)
                .map(|pair| compress(pair[0], pair[1]))
                .collect();
            levels.push(next);
        }
        Merkle { levels }
    }

    fn root(&self) -> Felt {
        self.levels[self.levels.len() - 1][0]
    }

    fn path(&self, mut index: usize) -> Vec<Step> {
        let mut steps = Vec::new();
        for level in &self.levels[..self.levels.len() - 1] {
            let sibling = level[index ^ 1];
            steps.push(if index % 2 == 0 {
                Step::Right(sibling)
            } else {
                Step::Left(sibling)
            });
            index /= 2;
        }
        steps
    }
}

fn verify(leaf: Felt, path: &[Step]) -> Felt {
    path.iter().fold(leaf, |node, step| match *step {
        Step::Left(s) => compress(s, node),
        Step::Right(s) => compress(node, s),
    })
}

pub fn main() {
    let x = public_input();
    let leaves: Vec<Felt> = (0..8)
        .map(|i| if i == 5 { x } else { felt(i * i + 1) })
        .collect();
    let tree = Merkle::build(&leaves);
    for (i, &leaf) in leaves.iter().enumerate() {
        assert_eq!(verify(leaf, &tree.path(i)), tree.root());
    }
    reveal(tree.root());
    reveal(felt(tree.path(3).len()));
}
