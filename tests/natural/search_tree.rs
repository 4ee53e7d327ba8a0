use droste_gadgets::prelude::*;

/// Arena-allocated binary search tree.
struct Tree<K, V> {
    nodes: Vec<Node<K, V>>,
    root: Option<usize>,
}

struct Node<K, V> {
    key: K,
    value: V,
    left: Option<usize>,
    right: Option<usize>,
}

impl<K: Ord + Copy, V: Copy> Tree<K, V> {
    fn new() -> Self {
        Tree {
            nodes: vec![],
            root: None,
        }
    }

    fn insert(&mut self, key: K, value: V) -> Option<V> {
        let new = self.nodes.len();
        let mut cursor = &mut self.root;
        while let Some(i) = *cursor {
            let node = &mut self.nodes[i];
            if key == node.key {
                return Some(std::mem::replace(&mut node.value, value));
            }
            cursor = if key < node.key {
                &mut node.left
            } else {
                &mut node.right
            };
        }
        *cursor = Some(new);
        self.nodes.push(Node {
            key,
            value,
            left: None,
            right: None,
        });
        None
    }

    fn depth(&self, at: Option<usize>) -> usize {
        match at {
            None => 0,
            Some(i) => {
                1 + self
                    .depth(self.nodes[i].left)
                    .max(self.depth(self.nodes[i].right))
            }
        }
    }

    fn in_order(&self, at: Option<usize>, visit: &mut impl FnMut(K, V)) {
        if let Some(i) = at {
            let Node {
                key,
                value,
                left,
                right,
            } = &self.nodes[i];
            self.in_order(*left, visit);
            visit(*key, *value);
            self.in_order(*right, visit);
        }
    }
}

pub fn main() {
    let x = public_input();
    let mut tree = Tree::new();
    for (i, k) in [50, 30, 70, 20, 40, 60, 80, 30].into_iter().enumerate() {
        let previous = tree.insert(k, felt(i) + x);
        assert_eq!(previous.is_some(), i == 7);
    }
    let mut keys = Vec::new();
    let mut acc = felt(0);
    tree.in_order(tree.root, &mut |k, v| {
        keys.push(k);
        acc = acc * felt(3) + v;
    });
    assert!(keys.windows(2).all(|w| w[0] < w[1]));
    reveal(acc);
    reveal(felt(tree.depth(tree.root)));
}
