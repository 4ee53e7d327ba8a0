//! The text of a program as a tree of lines, parts of which can be removed.

use std::fmt::Write;

/// A statement, an item, or a group of them with a line before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// One or more whole statements, or an item.
    Line(String),
    /// The text before the body, the body, and the text after it.
    Group(String, Vec<Node>, String),
}

/// Makes a statement or item.
pub fn line(text: impl Into<String>) -> Node {
    Node::Line(text.into())
}

/// Makes the group `open { body }`.
pub fn group(open: impl Into<String>, body: Vec<Node>) -> Node {
    Node::Group(format!("{} {{", open.into()), body, "}".into())
}

/// A change that makes a program smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Removes the node of this number, counted in the order of the text.
    Remove(usize),
    /// Replaces the node of this number by its body.
    Unwrap(usize),
}

/// Returns the text of the program.
pub fn print(nodes: &[Node]) -> String {
    let mut text = String::new();
    print_at(nodes, 0, &mut text);
    text
}

fn print_at(nodes: &[Node], depth: usize, text: &mut String) {
    let mut put = |depth: usize, lines: &str| {
        for line in lines.lines() {
            let _ = writeln!(text, "{:1$}{line}", "", 4 * depth);
        }
    };
    for node in nodes {
        match node {
            Node::Line(lines) => put(depth, lines),
            Node::Group(open, body, close) => {
                put(depth, open);
                let mut inner = String::new();
                print_at(body, depth + 1, &mut inner);
                put(0, &inner);
                put(depth, close);
            }
        }
    }
}

/// Returns the number of nodes.
pub fn count(nodes: &[Node]) -> usize {
    let size = |node: &Node| match node {
        Node::Line(_) => 1,
        Node::Group(_, body, _) => 1 + count(body),
    };
    nodes.iter().map(size).sum()
}

/// Returns every change that makes the program smaller in one place.
pub fn cuts(nodes: &[Node]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    let mut number = 0;
    list_cuts(nodes, &mut number, &mut cuts);
    cuts
}

fn list_cuts(nodes: &[Node], number: &mut usize, cuts: &mut Vec<Cut>) {
    for node in nodes {
        cuts.push(Cut::Remove(*number));
        if let Node::Group(_, body, _) = node {
            cuts.push(Cut::Unwrap(*number));
            *number += 1;
            list_cuts(body, number, cuts);
        } else {
            *number += 1;
        }
    }
}

/// Returns the program after these changes.
pub fn apply(nodes: &[Node], cuts: &[Cut]) -> Vec<Node> {
    let mut number = 0;
    apply_at(nodes, cuts, &mut number)
}

fn apply_at(nodes: &[Node], cuts: &[Cut], number: &mut usize) -> Vec<Node> {
    let mut kept = Vec::new();
    for node in nodes {
        let here = *number;
        *number += 1;
        let body = match node {
            Node::Group(open, body, close) => {
                let body = apply_at(body, cuts, number);
                Node::Group(open.clone(), body, close.clone())
            }
            line => line.clone(),
        };
        if cuts.contains(&Cut::Remove(here)) {
            continue;
        }
        match body {
            Node::Group(_, body, _) if cuts.contains(&Cut::Unwrap(here)) => kept.extend(body),
            node => kept.push(node),
        }
    }
    kept
}
