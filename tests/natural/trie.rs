use droste_gadgets::prelude::*;

/// A trie over lowercase words kept in an arena.
const ALPHABET: usize = 26;

#[derive(Clone)]
struct Node {
    children: [Option<usize>; ALPHABET],
    terminal: bool,
    passes: usize,
}

impl Default for Node {
    fn default() -> Self {
        Node {
            children: [None; ALPHABET],
            terminal: false,
            passes: 0,
        }
    }
}

struct Trie {
    arena: Vec<Node>,
}

impl Trie {
    fn new() -> Self {
        Trie {
            arena: vec![Node::default()],
        }
    }

    fn insert(&mut self, word: &str) -> bool {
        let mut cur = 0;
        for b in word.bytes() {
            let slot = (b - b'a') as usize;
            cur = match self.arena[cur].children[slot] {
                Some(next) => next,
                None => {
                    let id = self.arena.len();
                    self.arena.push(Node::default());
                    self.arena[cur].children[slot] = Some(id);
                    id
                }
            };
            self.arena[cur].passes += 1;
        }
        !std::mem::replace(&mut self.arena[cur].terminal, true)
    }

    fn walk(&self, prefix: &str) -> Option<&Node> {
        prefix
            .bytes()
            .try_fold(0, |cur, b| self.arena[cur].children[(b - b'a') as usize])
            .map(|i| &self.arena[i])
    }

    fn contains(&self, word: &str) -> bool {
        self.walk(word).map_or(false, |n| n.terminal)
    }

    fn count_prefix(&self, prefix: &str) -> usize {
        self.walk(prefix).map(|n| n.passes).unwrap_or(0)
    }
}

pub fn main() {
    let x = public_input();
    let mut trie = Trie::new();
    let words = ["car", "card", "care", "cat", "dog", "do"];
    let fresh = words.iter().filter(|w| trie.insert(w)).count();
    assert_eq!(fresh, words.len());
    assert!(trie.contains("care") && !trie.contains("ca"));
    assert_eq!(trie.count_prefix("zebra"), 0);
    reveal(felt(trie.count_prefix("car")) * x);
    reveal(felt(trie.arena.len()));
}
