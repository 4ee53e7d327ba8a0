use droste_gadgets::prelude::*;

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

trait Hasher {
    fn write(&mut self, bytes: &[u8]);
    fn finish(&self) -> u64;

    fn write_u32(&mut self, v: u32) {
        self.write(&v.to_le_bytes());
    }
}

struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Self {
        Fnv1a(FNV_OFFSET)
    }
}

impl Hasher for Fnv1a {
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.0 ^= u64::from(b);
            self.0 = self.0.wrapping_mul(FNV_PRIME);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[derive(Default)]
struct Adler32 {
    a: u32,
    b: u32,
}

impl Hasher for Adler32 {
    fn write(&mut self, bytes: &[u8]) {
        for b in bytes.iter().copied() {
            self.a = (self.a + b as u32) % 65521;
            self.b = (self.b + self.a) % 65521;
        }
    }

    fn finish(&self) -> u64 {
        ((self.b as u64) << 16) | self.a as u64
    }
}

fn digest<H: Hasher + Default>(parts: &[&[u8]]) -> u64 {
    let mut h = H::default();
    for p in parts {
        h.write(p);
    }
    h.write_u32(parts.len() as u32);
    h.finish()
}

pub fn main() {
    let x = public_input();
    let mut empty = Fnv1a::default();
    empty.write(b"a");
    assert_eq!(empty.finish(), 0xaf63_dc4c_8601_ec8c);

    let parts: [&[u8]; 3] = [b"hello", b" ", b"world"];
    let f = digest::<Fnv1a>(&parts);
    let a = digest::<Adler32>(&parts);
    reveal(felt((f >> 40) as usize) + x);
    reveal(felt((f & 0xff_ffff) as usize));
    reveal(felt((a & 0xffff) as usize));
}
