use droste_gadgets::prelude::*;

fn caesar(text: &[u8], shift: u8) -> Vec<u8> {
    text.iter()
        .map(|&b| match b {
            b'a'..=b'z' => (b - b'a' + shift) % 26 + b'a',
            b'A'..=b'Z' => (b - b'A' + shift) % 26 + b'A',
            other => other,
        })
        .collect()
}

fn vigenere(text: &[u8], key: &str, decrypt: bool) -> Vec<u8> {
    let mut shifts = key.bytes().map(|b| b.to_ascii_lowercase() - b'a').cycle();
    let mut out = Vec::with_capacity(text.len());
    for &b in text {
        if b.is_ascii_lowercase() {
            let s = shifts.next().unwrap();
            let s = if decrypt { 26 - s } else { s };
            out.push((b - b'a' + s) % 26 + b'a');
        } else {
            out.push(b);
        }
    }
    out
}

fn histogram(text: &[u8]) -> [usize; 26] {
    let mut counts = [0; 26];
    text.iter()
        .filter(|b| b.is_ascii_alphabetic())
        .map(|b| b.to_ascii_lowercase())
        .for_each(|b| counts[(b - b'a') as usize] += 1);
    counts
}

fn crack(cipher: &[u8]) -> u8 {
    let counts = histogram(cipher);
    let (top, _) = counts.iter().enumerate().max_by_key(|&(_, n)| n).unwrap();
    ((top as i16 - 4).rem_euclid(26)) as u8
}

pub fn main() {
    let x = public_input();
    let plain = b"Meet me here, Esther: the secret keeper sleeps";
    let cipher = caesar(plain, 11);
    let key = crack(&cipher);
    assert_eq!(key, 11);
    assert_eq!(caesar(&cipher, 26 - key), plain);

    let text = b"attack at dawn";
    let hidden = vigenere(text, "Lemon", false);
    assert_eq!(hidden, b"lxfopv ef rnhr");
    assert_eq!(vigenere(&hidden, "Lemon", true), text);
    reveal(x + felt(key as usize));
    reveal(felt(histogram(plain).into_iter().max().unwrap()));
}
