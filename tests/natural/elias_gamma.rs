use droste_gadgets::prelude::*;

#[derive(Debug)]
struct BitWriter {
    bytes: Vec<u8>,
    used: u8,
}

impl BitWriter {
    fn new() -> Self {
        BitWriter {
            bytes: vec![],
            used: 8,
        }
    }

    fn push(&mut self, bit: bool) {
        if self.used == 8 {
            self.bytes.push(0);
            self.used = 0;
        }
        if bit {
            *self.bytes.last_mut().unwrap() |= 0x80 >> self.used;
        }
        self.used += 1;
    }

    /// Elias gamma code of a positive integer.
    fn push_gamma(&mut self, n: u32) {
        debug_assert!(n > 0);
        let width = n.ilog2();
        (0..width).for_each(|_| self.push(false));
        for i in (0..=width).rev() {
            self.push(n >> i & 1 == 1);
        }
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl BitReader<'_> {
    fn bit(&mut self) -> Option<bool> {
        let byte = self.bytes.get(self.pos / 8)?;
        let bit = byte & (0x80 >> (self.pos % 8)) != 0;
        self.pos += 1;
        Some(bit)
    }

    fn gamma(&mut self) -> Option<u32> {
        let mut zeros = 0;
        while !self.bit()? {
            zeros += 1;
        }
        let mut value = 1;
        for _ in 0..zeros {
            value = value << 1 | u32::from(self.bit()?);
        }
        Some(value)
    }
}

pub fn main() {
    let x = public_input();
    let values = [1, 2, 3, 10, 100, 5, 1];
    let mut w = BitWriter::new();
    for &v in &values {
        w.push_gamma(v);
    }
    let mut r = BitReader {
        bytes: &w.bytes,
        pos: 0,
    };
    let decoded: Vec<u32> = std::iter::from_fn(|| r.gamma()).collect();
    assert_eq!(decoded, values);
    reveal(x + felt(w.bytes.len()));
    reveal(felt(w.bytes.iter().map(|&b| b as usize).sum()));
}
