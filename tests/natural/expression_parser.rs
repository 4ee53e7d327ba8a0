use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Num(i64),
    Op(u8),
    LParen,
    RParen,
}

#[derive(Debug, PartialEq)]
enum ParseError {
    BadChar(u8),
    UnexpectedEnd,
    Unbalanced,
    DivByZero,
}

fn tokenize(src: &[u8]) -> Result<Vec<Token>, ParseError> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < src.len() {
        match src[i] {
            b' ' => i += 1,
            b'(' => {
                out.push(Token::LParen);
                i += 1
            }
            b')' => {
                out.push(Token::RParen);
                i += 1
            }
            c @ (b'+' | b'-' | b'*' | b'/') => {
                out.push(Token::Op(c));
                i += 1
            }
            b'0'..=b'9' => {
                let mut n = 0i64;
                while i < src.len() && src[i].is_ascii_digit() {
                    n = n * 10 + (src[i] - b'0') as i64;
                    i += 1;
                }
                out.push(Token::Num(n));
            }
            other => return Err(ParseError::BadChar(other)),
        }
    }
    Ok(out)
}

struct Parser<'a> {
    tokens: &'a [Token],
    pos: usize,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<Token> {
        let t = self.tokens.get(self.pos).copied();
        self.pos += 1;
        t
    }

    fn expr(&mut self, min_prec: u8) -> Result<i64, ParseError> {
        let mut lhs = match self.next().ok_or(ParseError::UnexpectedEnd)? {
            Token::Num(n) => n,
            Token::Op(b'-') => -self.expr(3)?,
            Token::LParen => {
                let v = self.expr(0)?;
                match self.next() {
                    Some(Token::RParen) => v,
                    _ => return Err(ParseError::Unbalanced),
                }
            }
            _ => return Err(ParseError::Unbalanced),
        };
        while let Some(&Token::Op(op)) = self.tokens.get(self.pos) {
            let prec = if matches!(op, b'+' | b'-') { 1 } else { 2 };
            if prec <= min_prec {
                break;
            }
            self.pos += 1;
            let rhs = self.expr(prec)?;
            lhs = match op {
                b'+' => lhs + rhs,
                b'-' => lhs - rhs,
                b'*' => lhs * rhs,
                _ => lhs.checked_div(rhs).ok_or(ParseError::DivByZero)?,
            };
        }
        Ok(lhs)
    }
}

fn eval(src: &[u8]) -> Result<i64, ParseError> {
    let tokens = tokenize(src)?;
    Parser {
        tokens: &tokens,
        pos: 0,
    }
    .expr(0)
}

pub fn main() {
    let x = public_input();
    assert_eq!(eval(b"10 - 4 - 3"), Ok(3));
    assert_eq!(eval(b"1 / (2 - 2)"), Err(ParseError::DivByZero));
    assert_eq!(eval(b"2 $ 3"), Err(ParseError::BadChar(b'$')));
    let v = eval(b"-(3 - 10) * (4 + 5) / 3 - 2").unwrap();
    reveal(felt(v as usize) * x);
}
