//! Reads the Yul of a contract: it is well formed, and says what the bytes behind it do.

use std::collections::BTreeMap;

use droste_evm::assembler::{Code, Op};

/// What a function or an instruction takes and leaves.
type Arity = (usize, usize);

/// What is known at a line.
#[derive(Default)]
struct Reader<'a> {
    /// Functions, and the places of their code.
    functions: BTreeMap<&'a str, (Arity, String)>,
    /// The variables of each block.
    blocks: Vec<Vec<&'a str>>,
    /// Calls of functions in the line at hand.
    calls: Vec<&'a str>,
}

/// A line, the place of its code, and the digits of its bytes.
fn split(line: &str) -> (&str, Option<(usize, &str)>) {
    let line = line.trim();
    if line.starts_with("// ") && !line[3..].contains(" // ") {
        return ("", None);
    }
    let Some((statement, code)) = line.rsplit_once(" // ") else {
        return (line, None);
    };
    let (place, bytes) = code.split_once(' ').unwrap();
    let statement = if statement.starts_with("//") {
        ""
    } else {
        statement
    };
    (
        statement,
        Some((usize::from_str_radix(place, 16).unwrap(), bytes)),
    )
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text up to the end of a name or number, and the rest.
fn word(text: &str) -> (&str, &str) {
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

fn instruction(name: &str) -> Option<Arity> {
    let op = Op::ALL.iter().find(|op| op.mnemonic() == name);
    op.map(|op| op.arity())
}

impl<'a> Reader<'a> {
    /// Reads an expression that leaves so many words, and returns what is behind it.
    fn expression(&mut self, text: &'a str, outputs: usize) -> &'a str {
        let (name, mut rest) = word(text);
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            return rest;
        }
        let Some(arguments) = rest.strip_prefix('(') else {
            assert!(self.is_visible(name), "no variable {name}: {text}");
            return rest;
        };
        if name == "dataoffset" {
            return arguments.split_once(')').unwrap().1;
        }
        let function = self.functions.get(name).map(|(arity, _)| *arity);
        if function.is_some() {
            self.calls.push(name);
        }
        let arity = function.or_else(|| instruction(name));
        let mut inputs = 0;
        rest = arguments;
        while !rest.starts_with(')') {
            rest = self.expression(rest.trim_start_matches(", "), 1);
            inputs += 1;
        }
        assert_eq!(arity, Some((inputs, outputs)), "{name}: {text}");
        &rest[1..]
    }

    fn is_visible(&self, name: &str) -> bool {
        self.blocks.iter().flatten().any(|other| *other == name)
    }

    fn declare(&mut self, name: &'a str) {
        let is_new = !self.is_visible(name) && !self.functions.contains_key(name);
        assert!(is_new && instruction(name).is_none(), "{name}");
        self.blocks.last_mut().expect("a block").push(name);
    }

    fn statement(&mut self, line: &'a str) {
        let (first, rest) = word(line);
        let end = match (first, rest.trim_start()) {
            ("function", header) => {
                assert_eq!(self.blocks.len(), 1, "functions are not in blocks");
                self.blocks.push(vec![]);
                let (parameters, result) =
                    header.split_once('(').unwrap().1.split_once(')').unwrap();
                parameters
                    .split(", ")
                    .filter(|name| !name.is_empty())
                    .for_each(|name| self.declare(name));
                let result = result.trim_end_matches('{').trim().strip_prefix("-> ");
                result.into_iter().for_each(|name| self.declare(name));
                return;
            }
            ("let", declared) => {
                let (name, value) = declared.split_once(" := ").unwrap();
                let end = self.expression(value, 1);
                self.declare(name);
                end
            }
            ("if", condition) => match self.expression(condition, 1) {
                " { refuse() }" => {
                    self.calls.push("refuse");
                    ""
                }
                " { break }" => "",
                " {" => return self.blocks.push(vec![]),
                other => other,
            },
            ("switch", value) => self.expression(value, 1),
            ("for", "{} 1 {} {") | ("case", "0 {") | ("default" | "code", "{") | ("", "{") => {
                return self.blocks.push(vec![]);
            }
            ("", "}") => {
                self.blocks.pop().expect("a block");
                ""
            }
            (name, value) => match value.strip_prefix(":= ") {
                Some(value) => {
                    assert!(self.is_visible(name), "{line}");
                    self.expression(value, 1)
                }
                None => self.expression(line, 0),
            },
        };
        assert_eq!(end, "", "{line}");
    }
}

/// Checks the text of a contract.
pub fn check(code: &Code) {
    let mut reader = Reader::default();
    for (line, bytes) in code.yul.lines().map(split) {
        if let Some(header) = line.strip_prefix("function ") {
            let (name, parameters) = header.split_once('(').unwrap();
            let inputs = parameters.split(')').next().unwrap();
            let inputs = inputs.split(", ").filter(|name| !name.is_empty()).count();
            let arity = (inputs, usize::from(header.contains("->")));
            let (place, bytes) = bytes.unwrap();
            assert!(bytes.starts_with("5b"), "{name} begins with its label");
            let place = format!("61{place:04x}");
            let defined = reader.functions.insert(name, (arity, place));
            assert!(defined.is_none(), "{name} is defined twice");
        }
    }
    let mut digits = String::new();
    let mut lines = code.yul.lines();
    assert_eq!(lines.next(), Some("object \"contract\" {"));
    let mut is_object = true;
    for (line, bytes) in lines.map(split) {
        assert!(is_object, "behind the object: {line}");
        if let Some(data) = line.strip_prefix("data ") {
            assert!(reader.blocks.is_empty());
            digits += data.split('"').nth(3).unwrap();
            continue;
        }
        if line == "}" && reader.blocks.is_empty() {
            is_object = false;
            continue;
        }
        if !line.is_empty() {
            reader.statement(line);
        }
        let (place, bytes) = bytes.unwrap_or((digits.len() / 2, ""));
        assert_eq!(place, digits.len() / 2, "{line}");
        digits += bytes;
        // A call pushes the place of the function, and jumps there.
        let calls = std::mem::take(&mut reader.calls);
        for name in &calls {
            let jump = if *name == "refuse" { "57" } else { "56" };
            let call = format!("{}{jump}", reader.functions[name].1);
            let count = calls.iter().filter(|other| *other == name).count();
            assert!(bytes.matches(&call).count() >= count, "{line}");
        }
    }
    assert!(!is_object, "the object ends");
    assert_eq!(digits, hex(&code.bytes));
}
