use droste_gadgets::prelude::*;

fn crc32_table() -> [u32; 256] {
    let mut table = [0u32; 256];
    for (i, entry) in table.iter_mut().enumerate() {
        let mut crc = i as u32;
        for _ in 0..8 {
            crc = if crc & 1 != 0 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            };
        }
        *entry = crc;
    }
    table
}

struct Crc32 {
    table: [u32; 256],
    state: u32,
}

impl Crc32 {
    fn new() -> Self {
        Self {
            table: crc32_table(),
            state: !0,
        }
    }

    fn update(&mut self, bytes: &[u8]) -> &mut Self {
        for &b in bytes {
            let idx = ((self.state ^ u32::from(b)) & 0xff) as usize;
            self.state = (self.state >> 8) ^ self.table[idx];
        }
        self
    }

    fn finish(&self) -> u32 {
        !self.state
    }
}

pub fn main() {
    let x = public_input();
    let mut crc = Crc32::new();
    let digest = crc.update(b"12345").update(b"6789").finish();
    assert_eq!(digest, 0xCBF4_3926);
    reveal(x + felt((digest >> 16) as usize));
    reveal(felt((digest & 0xffff) as usize));
}
