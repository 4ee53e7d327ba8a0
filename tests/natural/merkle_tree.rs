use droste_gadgets::prelude::*;

/// Merkle membership proof with a toy algebraic hash.
fn compress(l: Felt, r: Felt) -> Felt {
    let mut s = l * felt(3) + r * felt(5) + felt(7);
    for round in 0..4 {
        let t = s + felt(round * 11 + 1);
        s = t * t * t + l;
    }
    s
}

struct MerkleTree {
    layers: Vec<Vec<Felt>>,
}

struct Proof {
    index: usize,
    siblings: Vec<Felt>,
}

impl MerkleTree {
    fn new(leaves: &[Felt]) -> Self {
        assert!(leaves.len().is_power_of_two());
        let mut layers = vec![leaves.to_vec()];
        while layers.last().unwrap().len() > 1 {
            let next = layers
                .last()
                .unwrap()
                .chunks_exact(2)
                .map(|pair| compress(pair[0], pair[1]))
                .collect();
            layers.push(next);
        }
        MerkleTree { layers }
    }

    fn root(&self) -> Felt {
        self.layers[self.layers.len() - 1][0]
    }

    fn prove(&self, index: usize) -> Proof {
        let siblings = self.layers[..self.layers.len() - 1]
            .iter()
            .enumerate()
            .map(|(depth, layer)| layer[(index >> depth) ^ 1])
            .collect();
        Proof { index, siblings }
    }
}

impl Proof {
    fn root_for(&self, leaf: Felt) -> Felt {
        let mut index = self.index;
        let mut node = leaf;
        for &sibling in &self.siblings {
            node = if index & 1 == 0 {
                compress(node, sibling)
            } else {
                compress(sibling, node)
            };
            index >>= 1;
        }
        node
    }
}

pub fn main() {
    let x = public_input();
    let leaves: Vec<Felt> = (1..=8).map(|i| x * felt(i) + felt(i * i)).collect();
    let tree = MerkleTree::new(&leaves);
    for (i, &leaf) in leaves.iter().enumerate() {
        assert_eq!(tree.prove(i).root_for(leaf), tree.root());
    }
    reveal(tree.root());
}
