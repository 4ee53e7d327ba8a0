use droste_gadgets::prelude::*;

/// Base64, hex and base58-style conversions on byte slices.
const B64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64_encode(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity((data.len() + 2) / 3 * 4);
    for chunk in data.chunks(3) {
        let b = [
            chunk[0],
            *chunk.get(1).unwrap_or(&0),
            *chunk.get(2).unwrap_or(&0),
        ];
        let n = u32::from_be_bytes([0, b[0], b[1], b[2]]);
        for i in 0..4 {
            if i <= chunk.len() {
                out.push(B64[(n >> (18 - 6 * i) & 63) as usize]);
            } else {
                out.push(b'=');
            }
        }
    }
    out
}

fn hex_decode(s: &str) -> Result<Vec<u8>, usize> {
    let digit = |i: usize, c: u8| match c {
        b'0'..=b'9' => Ok(c - b'0'),
        b'a'..=b'f' => Ok(c - b'a' + 10),
        b'A'..=b'F' => Ok(c - b'A' + 10),
        _ => Err(i),
    };
    let bytes = s.as_bytes();
    if bytes.len() % 2 != 0 {
        return Err(bytes.len());
    }
    bytes
        .chunks(2)
        .enumerate()
        .map(|(i, pair)| Ok(digit(2 * i, pair[0])? << 4 | digit(2 * i + 1, pair[1])?))
        .collect()
}

fn to_base(data: &[u8], base: u32) -> Vec<u8> {
    let mut digits: Vec<u8> = vec![];
    for &byte in data {
        let mut carry = byte as u32;
        for d in digits.iter_mut() {
            carry += (*d as u32) << 8;
            *d = (carry % base) as u8;
            carry /= base;
        }
        while carry > 0 {
            digits.push((carry % base) as u8);
            carry /= base;
        }
    }
    digits.reverse();
    digits
}

pub fn main() {
    let x = public_input();
    assert_eq!(base64_encode(b"Many hands"), b"TWFueSBoYW5kcw==".to_vec());
    assert_eq!(hex_decode("00fG"), Err(3));
    assert_eq!(hex_decode("abc"), Err(3));
    let bytes = hex_decode("DEADbeef01").unwrap();
    let digits = to_base(&bytes, 58);
    let back = digits.iter().fold(0u64, |n, &d| n * 58 + u64::from(d));
    assert_eq!(back, 0xdead_beef_01);
    reveal(felt(digits.len()) * x);
    reveal(felt(digits.iter().map(|&d| d as usize).sum()));
}
