//! Methods of the program with the names of methods that the standard library provides for every
//! type.

use super::super::generator::Generator;
use super::super::source::{Node, group, line};
use super::super::types::Ty;

/// The receiver of a method.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Value,
    Reference,
}

impl Takes {
    const fn receiver(self) -> &'static str {
        match self {
            Self::Value => "self",
            Self::Reference => "&self",
        }
    }

    fn argument(self, object: &str) -> String {
        match self {
            Self::Value => object.to_owned(),
            Self::Reference => format!("&{object}"),
        }
    }
}

/// Returns whether rustc finds exactly one method: methods by value take precedence, and inherent
/// ones over those of traits.
fn is_clear(inherent: Option<Takes>, traits: &[Takes]) -> bool {
    for takes in [Takes::Value, Takes::Reference] {
        if inherent == Some(takes) {
            return true;
        }
        match traits.iter().filter(|found| **found == takes).count() {
            0 => {}
            count => return count == 1,
        }
    }
    false
}

/// A trait, and a type, with methods called `into`, `max`, `min`, `clone` or `eq`.
pub fn names(g: &mut Generator, body: &mut Vec<Node>) {
    let name = g.fresh("N");
    let method = g
        .random
        .pick(&["into", "into", "max", "min", "clone", "eq"])
        .to_owned();
    let standard = match method.as_str() {
        "into" | "max" | "min" => Takes::Value,
        _ => Takes::Reference,
    };
    let mut some = || [Takes::Value, Takes::Reference][g.random.below(2)];
    let (takes, own) = (some(), some());
    let (parameter, result) = match method.as_str() {
        "into" | "clone" => ("", "Self"),
        "eq" => (", other: &Self", "bool"),
        _ => (", other: Self", "Self"),
    };
    let signature =
        |takes: Takes| format!("fn {method}({}{parameter}) -> {result}", takes.receiver());
    // The result differs from that of the standard library's method.
    let (p, q) = (g.random.between(2, 99), g.random.between(2, 99));
    let other = |field: &str| match parameter {
        "" => String::new(),
        _ => format!(" - other{field}"),
    };
    let of_struct = |factor: usize| match result {
        "bool" => format!("self.x == other.x + felt({factor} % 3)"),
        _ => format!("Self {{ x: self.x * felt({factor}){} }}", other(".x")),
    };
    let this = if takes == Takes::Value {
        "self"
    } else {
        "*self"
    };
    let of_felt = match result {
        "bool" => "*other == felt(1)".to_owned(),
        _ => format!("{this} + felt({p}){}", other("")),
    };
    let of_int = match result {
        "bool" => "*other == 2".to_owned(),
        _ => {
            let other = other("").replace(" - other", " + other % 100");
            format!("{this} % 1000 + {p}{other}")
        }
    };
    let compares = g.random.chance(50);
    let derived = if compares { ", PartialEq" } else { "" };
    let inherent = g.random.chance(40).then_some(own);
    g.items.push(line(format!(
        "#[derive(Clone, Copy{derived})]\nstruct {name}S {{ x: Felt }}"
    )));
    // If the trait is not imported, the name means the standard library's method.
    let imported = g.random.chance(50);
    let declared = format!("trait {name} {{ {}; }}", signature(takes));
    let (declared, path) = if imported {
        (declared, name.clone())
    } else {
        (
            format!("mod {}m {{ pub {declared} }}", name.to_lowercase()),
            format!("{}m::{name}", name.to_lowercase()),
        )
    };
    g.items.push(line(declared));
    let mut items = vec![
        group(
            format!("impl {path} for {name}S"),
            vec![line(format!("{} {{ {} }}", signature(takes), of_struct(p)))],
        ),
        line(format!(
            "impl {path} for Felt {{ {} {{ {of_felt} }} }}",
            signature(takes)
        )),
        line(format!(
            "impl {path} for u32 {{ {} {{ {of_int} }} }}",
            signature(takes)
        )),
    ];
    if inherent.is_some() {
        let text = format!(
            "impl {name}S {{ {} {{ {} }} }}",
            signature(own),
            of_struct(q)
        );
        items.push(line(text));
    }
    for index in g.random.order(items.len()) {
        g.items.push(items[index].clone());
    }
    let (generic, passed) = match parameter {
        "" => ("", ""),
        ", other: &Self" => (", other: T", "&other"),
        _ => (", other: T", "other"),
    };
    let generic_result = result.replace("Self", "T");
    g.items.push(line(format!(
        "fn any_{name}<T: {path}>(x: T{generic}) -> {generic_result} {{ x.{method}({passed}) }}"
    )));
    let (x, y, v, n) = (g.unknown(body), g.felt(1), g.fresh("v"), g.random.below(30));
    body.push(line(format!(
        "let {v}y = {y};\nlet ({v}, {v}w, {v}n, {v}m) = ({name}S {{ x: {x} }}, {name}S {{ x: {v}y }}, {n}_u32, 7_u32);"
    )));
    let (mut calls, mut refused) = (Vec::new(), Vec::new());
    let types = [
        (format!("{name}S"), v.clone(), format!("{v}w")),
        ("Felt".to_owned(), x.clone(), format!("{v}y")),
        ("u32".to_owned(), format!("{v}n"), format!("{v}m")),
    ];
    for (place, (ty, object, other)) in types.iter().enumerate() {
        let shown = |call: String| match (result, place) {
            ("bool", _) => format!("(if {call} {{ felt(4) }} else {{ felt(7) }})"),
            (_, 0) => format!("{{ let t: {ty} = {call}; t.x }}"),
            (_, 1) => format!("{{ let t: {ty} = {call}; t }}"),
            _ => format!("{{ let t: {ty} = {call}; felt(t as usize) }}"),
        };
        let (argument, value) = match parameter {
            "" => (String::new(), String::new()),
            ", other: &Self" => (format!("&{other}"), other.clone()),
            _ => (other.clone(), other.clone()),
        };
        let comma = if parameter.is_empty() { "" } else { ", " };
        let lent = takes.argument(object);
        calls.push(shown(format!("{path}::{method}({lent}{comma}{argument})")));
        calls.push(shown(format!(
            "<{ty} as {path}>::{method}({lent}{comma}{argument})"
        )));
        let inherent = inherent.filter(|_| place == 0);
        let has_standard = match method.as_str() {
            "into" | "clone" => true,
            "eq" => place != 0 || compares,
            _ => place == 2,
        };
        let mut traits = Vec::new();
        traits.extend(imported.then_some(takes));
        traits.extend(has_standard.then_some(standard));
        if is_clear(inherent, &traits) {
            let call = shown(format!("{object}.{method}({argument})"));
            let agreed = match inherent {
                Some(own) => own == standard,
                None => method == "clone" && takes == standard,
            };
            if agreed {
                calls.extend([call.clone(), call])
            } else {
                refused.extend([call.clone(), call])
            }
        }
        if inherent.is_some() {
            let lent = own.argument(object);
            calls.push(shown(format!("{ty}::{method}({lent}{comma}{argument})")));
        }
        let call = shown(format!("any_{name}({object}{comma}{value})"));
        if takes == standard {
            calls.push(call)
        } else {
            refused.push(call)
        }
    }
    if compares {
        calls.push(format!("(if {v} == {v}w {{ felt(4) }} else {{ felt(7) }})"));
    }
    g.observe_some(&calls, (40, &refused), body);
    g.observe(&format!("{v}.x"), &Ty::Felt, body);
}
