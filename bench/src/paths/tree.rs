//! A full tree, and paths in it.

/// Number of levels between a leaf and the root.
pub const DEPTH: usize = 16;

/// A full tree.
pub struct Tree<Node> {
    /// Its levels, from the leaves on.
    levels: Vec<Vec<Node>>,
}

impl<Node: Copy> Tree<Node> {
    /// The tree with these leaves, by their indices.
    pub fn new(leaf: impl Fn(usize) -> Node, parent: impl Fn(&Node, &Node) -> Node) -> Self {
        let mut levels: Vec<Vec<Node>> = vec![(0..1 << DEPTH).map(leaf).collect()];
        for level in 0..DEPTH {
            let pairs = levels[level].chunks(2);
            levels.push(pairs.map(|pair| parent(&pair[0], &pair[1])).collect());
        }
        Self { levels }
    }

    /// The root.
    pub fn root(&self) -> Node {
        self.levels[DEPTH][0]
    }

    /// Leaf, index and siblings of so many paths, whose indices are far apart.
    pub fn paths(&self, count: usize) -> impl Iterator<Item = (Node, usize, Vec<Node>)> {
        (0..count).map(|number| {
            let index = number * 0x9e37 % (1 << DEPTH);
            let siblings = (0..DEPTH).map(|level| self.levels[level][index >> level ^ 1]);
            (self.levels[0][index], index, siblings.collect())
        })
    }
}
