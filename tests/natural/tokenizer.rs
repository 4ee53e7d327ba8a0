use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Num(i64),
    Op(char),
    LParen,
    RParen,
}

fn tokenize(src: &str) -> Result<Vec<Token>, &'static str> {
    let mut tokens = vec![];
    let mut chars = src.chars().peekable();
    while let Some(&c) = chars.peek() {
        match c {
            ' ' => {
                chars.next();
            }
            '0'..='9' => {
                let mut n = 0i64;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(10)) {
                    n = n * 10 + d as i64;
                    chars.next();
                }
                tokens.push(Token::Num(n));
            }
            '+' | '-' | '*' | '/' => {
                tokens.push(Token::Op(c));
                chars.next();
            }
            '(' => {
                tokens.push(Token::LParen);
                chars.next();
            }
            ')' => {
                tokens.push(Token::RParen);
                chars.next();
            }
            _ => return Err("unexpected character"),
        }
    }
    Ok(tokens)
}

fn count_ops(tokens: &[Token]) -> usize {
    tokens.iter().filter(|t| matches!(t, Token::Op(_))).count()
}

pub fn main() {
    let x = public_input();
    let tokens = tokenize("12 + 3 * (45 - 6) / 7").expect("valid source");
    let sum: i64 = tokens
        .iter()
        .filter_map(|t| {
            if let Token::Num(n) = t {
                Some(*n)
            } else {
                None
            }
        })
        .sum();
    assert_eq!(tokenize("1 & 2"), Err("unexpected character"));
    reveal(x + felt(tokens.len()));
    reveal(felt(count_ops(&tokens)));
    reveal(felt(sum as usize));
}
