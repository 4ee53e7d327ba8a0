use droste_gadgets::prelude::*;

/// Trie over lowercase words, nodes stored in a flat arena.
#[derive(Default)]
struct Trie {
    nodes: Vec<TrieNode>,
}

#[derive(Default, Clone)]
struct TrieNode {
    children: [Option<u16>; 26],
    terminal: bool,
    passing: u32,
}

impl Trie {
    fn new() -> Self {
        Self {
            nodes: vec![TrieNode::default()],
        }
    }

    fn insert(&mut self, word: &str) -> bool {
        let mut at = 0;
        for b in word.bytes() {
            let slot = (b - b'a') as usize;
            at = match self.nodes[at].children[slot] {
                Some(child) => child as usize,
                None => {
                    let id = self.nodes.len();
                    self.nodes.push(TrieNode::default());
                    self.nodes[at].children[slot] = Some(id as u16);
                    id
                }
            };
            self.nodes[at].passing += 1;
        }
        !std::mem::replace(&mut self.nodes[at].terminal, true)
    }

    fn walk(&self, prefix: &str) -> Option<&TrieNode> {
        prefix.bytes().try_fold(&self.nodes[0], |node, b| {
            node.children[(b - b'a') as usize].map(|id| &self.nodes[id as usize])
        })
    }

    fn contains(&self, word: &str) -> bool {
        self.walk(word).is_some_and(|n| n.terminal)
    }

    fn count_prefix(&self, prefix: &str) -> u32 {
        self.walk(prefix).map_or(0, |n| n.passing)
    }
}

pub fn main() {
    let x = public_input();
    let mut trie = Trie::new();
    let fresh = "rust ruse rush run runt ran"
        .split(' ')
        .filter(|w| trie.insert(w))
        .count();
    assert_eq!(fresh, 6);
    assert!(!trie.insert("run"));
    assert!(trie.contains("runt") && !trie.contains("ru"));
    assert_eq!(trie.count_prefix("zz"), 0);
    reveal(x + felt(trie.count_prefix("ru") as usize));
    reveal(felt(trie.nodes.len()));
}
