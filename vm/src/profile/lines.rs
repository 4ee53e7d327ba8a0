//! Profiles by line: as a table of text, and for the developer tools of browsers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Frame, Weight, stacks_of};
use crate::compiler::Compiled;
use crate::record::Execution;

/// Returns a table of the lines of a program, those that weigh most first: what runs in the line
/// itself, what runs below it besides, the share of the line itself, the place, and the function.
pub fn line_table(compiled: &Compiled, execution: &Execution, weight: &Weight) -> String {
    let mut lines: BTreeMap<Frame<'_>, [f64; 2]> = BTreeMap::new();
    let mut whole = 0.0;
    for (frames, cost) in stacks_of(compiled, execution, weight) {
        whole += cost;
        if let Some(last) = frames.last() {
            lines.entry(last.clone()).or_default()[0] += cost;
        }
        // A function that calls itself is in a stack several times.
        for frame in frames.into_iter().collect::<BTreeSet<_>>() {
            lines.entry(frame).or_default()[1] += cost;
        }
    }
    let mut lines: Vec<_> = lines.into_iter().collect();
    lines.sort_by(|(_, a), (_, b)| b[0].total_cmp(&a[0]).then(b[1].total_cmp(&a[1])));
    let mut text = format!(
        "{:>12} {:>12} {:>7} place function\n",
        "self", "total", "self"
    );
    for (frame, [own, total]) in lines {
        let share = 100.0 * own / f64::max(whole, 1.0);
        let Frame {
            function,
            path,
            line,
        } = frame;
        let row = format_args!("{own:>12.0} {total:>12.0} {share:>6.1}% {path}:{line} {function}");
        let _ = writeln!(text, "{row}");
    }
    let _ = writeln!(text, "{whole:>12.0} {}", weight.unit());
    text
}

/// A function in the tree of calls.
#[derive(Default)]
struct Node<'a> {
    function: &'a str,
    path: &'a str,
    children: Vec<usize>,
    /// Weight of each line.
    ticks: BTreeMap<usize, f64>,
}

/// Returns a profile as browsers read it, in JSON: `.cpuprofile` of Chrome's developer tools, in
/// which a unit of the weight is a microsecond.
pub fn cpu_profile(compiled: &Compiled, execution: &Execution, weight: &Weight) -> String {
    let mut nodes = vec![Node {
        function: "(root)",
        ..Node::default()
    }];
    for (frames, cost) in stacks_of(compiled, execution, weight) {
        let mut at = 0;
        for Frame { function, path, .. } in &frames {
            at = child(&mut nodes, at, function, path);
        }
        if let (Some(node), Some(last)) = (nodes.get_mut(at), frames.last()) {
            *node.ticks.entry(last.line).or_default() += cost;
        }
    }
    let texts: Vec<_> = nodes.iter().enumerate().map(node_text).collect();
    // A sample lasts until the next one.
    let (mut samples, mut deltas, mut total) = (Vec::new(), vec!["0".to_owned()], 0);
    for (index, node) in nodes.iter().enumerate() {
        let own = node.ticks.values().sum::<f64>().round() as u64;
        if own > 0 {
            samples.push((index + 1).to_string());
            deltas.push(own.to_string());
            total += own;
        }
    }
    samples.push("1".to_owned());
    format!(
        r#"{{"nodes":[{}],"startTime":0,"endTime":{total},"samples":[{}],"timeDeltas":[{}]}}"#,
        texts.join(","),
        samples.join(","),
        deltas.join(",")
    )
}

/// Returns the index of the node of a function that another calls.
fn child<'a>(nodes: &mut Vec<Node<'a>>, at: usize, function: &'a str, path: &'a str) -> usize {
    let children = nodes.get(at).map_or(&[][..], |node| &node.children);
    let found = children.iter().copied().find(|index| {
        let node = nodes.get(*index);
        node.is_some_and(|node| (node.function, node.path) == (function, path))
    });
    found.unwrap_or_else(|| {
        let index = nodes.len();
        if let Some(node) = nodes.get_mut(at) {
            node.children.push(index);
        }
        nodes.push(Node {
            function,
            path,
            ..Node::default()
        });
        index
    })
}

fn node_text((index, node): (usize, &Node<'_>)) -> String {
    let children = node.children.iter().map(|child| (child + 1).to_string());
    let children: Vec<_> = children.collect();
    let ticks = node.ticks.iter();
    let ticks = ticks.map(|(line, cost)| format!(r#"{{"line":{line},"ticks":{cost:.0}}}"#));
    let ticks: Vec<_> = ticks.collect();
    // Lines of functions are counted from 0; of the root there is none.
    let line = node.ticks.keys().next().map_or(-1, |line| *line as i64 - 1);
    // The sum of nothing is -0.
    let hits = 0.0 + node.ticks.values().sum::<f64>();
    format!(
        r#"{{"id":{},"callFrame":{{"functionName":"{}","scriptId":"0","url":"{}","lineNumber":{line},"columnNumber":0}},"hitCount":{hits:.0},"children":[{}],"positionTicks":[{}]}}"#,
        index + 1,
        escaped(node.function),
        escaped(node.path),
        children.join(","),
        ticks.join(",")
    )
}

/// Returns a text as it is in a string of JSON.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' | '\\' => escaped.extend(['\\', character]),
            '\0'..='\u{1f}' => escaped.push(' '),
            _ => escaped.push(character),
        }
    }
    escaped
}
