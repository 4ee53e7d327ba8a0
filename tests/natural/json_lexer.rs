use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Json<'a> {
    Null,
    Bool(bool),
    Num(i64),
    Str(&'a str),
    ArrayStart,
    ArrayEnd,
}

struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    fn new(src: &'a str) -> Self {
        Self { rest: src }
    }

    fn keyword(&mut self, word: &str, value: Json<'a>) -> Option<Json<'a>> {
        self.rest = self.rest.strip_prefix(word)?;
        Some(value)
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Json<'a>;

    fn next(&mut self) -> Option<Json<'a>> {
        self.rest = self.rest.trim_start_matches([' ', ',', '\n']);
        let first = self.rest.chars().next()?;
        match first {
            '[' => self.keyword("[", Json::ArrayStart),
            ']' => self.keyword("]", Json::ArrayEnd),
            't' => self.keyword("true", Json::Bool(true)),
            'f' => self.keyword("false", Json::Bool(false)),
            'n' => self.keyword("null", Json::Null),
            '"' => {
                let body = &self.rest[1..];
                let end = body.find('"')?;
                self.rest = &body[end + 1..];
                Some(Json::Str(&body[..end]))
            }
            '-' | '0'..='9' => {
                let end = self
                    .rest
                    .find(|c: char| c != '-' && !c.is_ascii_digit())
                    .unwrap_or(self.rest.len());
                let (digits, rest) = self.rest.split_at(end);
                self.rest = rest;
                digits.parse().ok().map(Json::Num)
            }
            _ => None,
        }
    }
}

pub fn main() {
    let x = public_input();
    let tokens: Vec<_> = Lexer::new(r#"[1, -20, "abc", [true, null], 300]"#).collect();
    let (mut depth, mut deepest) = (0, 0);
    for t in &tokens {
        match t {
            Json::ArrayStart => depth += 1,
            Json::ArrayEnd => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    assert_eq!(depth, 0);
    let sum: i64 = tokens
        .iter()
        .map(|t| if let Json::Num(n) = t { *n } else { 0 })
        .sum();
    assert!(tokens.contains(&Json::Str("abc")));
    reveal(x + felt(tokens.len()));
    reveal(felt(sum.unsigned_abs() as usize));
    reveal(felt(deepest));
}
