use droste_gadgets::prelude::*;

/// A small JSON-like config parser returning a flat arena of values.
#[derive(Debug, Clone, PartialEq)]
enum Json<'a> {
    Null,
    Bool(bool),
    Num(i32),
    Str(&'a [u8]),
    Arr(Vec<Json<'a>>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Error {
    Eof,
    Unexpected { at: usize, byte: u8 },
}

struct Cursor<'a> {
    src: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&mut self) -> Result<u8, Error> {
        while self
            .src
            .get(self.at)
            .is_some_and(|b| b.is_ascii_whitespace())
        {
            self.at += 1;
        }
        self.src.get(self.at).copied().ok_or(Error::Eof)
    }

    fn literal<T>(&mut self, text: &[u8], value: T) -> Result<T, Error> {
        if self.src[self.at..].starts_with(text) {
            self.at += text.len();
            Ok(value)
        } else {
            Err(Error::Unexpected {
                at: self.at,
                byte: self.src[self.at],
            })
        }
    }

    fn value(&mut self) -> Result<Json<'a>, Error> {
        match self.peek()? {
            b'n' => self.literal(b"null", Json::Null),
            b't' => self.literal(b"true", Json::Bool(true)),
            b'f' => self.literal(b"false", Json::Bool(false)),
            b'"' => {
                let start = self.at + 1;
                let len = self.src[start..]
                    .iter()
                    .position(|&b| b == b'"')
                    .ok_or(Error::Eof)?;
                self.at = start + len + 1;
                Ok(Json::Str(&self.src[start..start + len]))
            }
            b'[' => {
                self.at += 1;
                let mut items = vec![];
                while self.peek()? != b']' {
                    items.push(self.value()?);
                    if self.peek()? == b',' {
                        self.at += 1;
                    }
                }
                self.at += 1;
                Ok(Json::Arr(items))
            }
            c if c == b'-' || c.is_ascii_digit() => {
                let neg = c == b'-';
                self.at += neg as usize;
                let digits = self.src[self.at..]
                    .iter()
                    .take_while(|b| b.is_ascii_digit());
                let (n, len) =
                    digits.fold((0i32, 0), |(n, l), d| (n * 10 + (d - b'0') as i32, l + 1));
                self.at += len;
                Ok(Json::Num(if neg { -n } else { n }))
            }
            byte => Err(Error::Unexpected { at: self.at, byte }),
        }
    }
}

fn sum(v: &Json) -> i32 {
    match v {
        Json::Num(n) => *n,
        Json::Arr(items) => items.iter().map(sum).sum(),
        Json::Str(s) => s.len() as i32,
        Json::Bool(_) | Json::Null => 0,
    }
}

pub fn main() {
    let x = public_input();
    let parse = |s: &'static [u8]| Cursor { src: s, at: 0 }.value();
    assert_eq!(
        parse(b"[1, @]"),
        Err(Error::Unexpected { at: 4, byte: b'@' })
    );
    assert_eq!(parse(b"[true"), Err(Error::Eof));
    let v = parse(b" [10, [-3, \"abc\"], null, true, [[40]]] ").unwrap();
    reveal(felt(sum(&v) as usize) * x);
}
