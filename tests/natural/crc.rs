use droste_gadgets::prelude::*;

/// CRC-32 with a table built at compile time, and a bitwise CRC-16.
const fn make_table(poly: u32) -> [u32; 256] {
    let mut table = [0u32; 256];
    let mut i = 0;
    while i < 256 {
        let mut c = i as u32;
        let mut k = 0;
        while k < 8 {
            c = if c & 1 != 0 { poly ^ (c >> 1) } else { c >> 1 };
            k += 1;
        }
        table[i] = c;
        i += 1;
    }
    table
}

static CRC32_TABLE: [u32; 256] = make_table(0xEDB8_8320);

fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0u32, |crc, &byte| {
        let index = (crc as u8 ^ byte) as usize;
        CRC32_TABLE[index] ^ (crc >> 8)
    })
}

fn crc16_ccitt(data: &[u8]) -> u16 {
    let mut crc: u16 = 0xFFFF;
    for &byte in data {
        crc ^= (byte as u16) << 8;
        for _ in 0..8 {
            let carry = crc & 0x8000 != 0;
            crc <<= 1;
            if carry {
                crc ^= 0x1021;
            }
        }
    }
    crc
}

pub fn main() {
    let x = public_input();
    let check = b"123456789";
    assert_eq!(crc32(check), 0xCBF4_3926);
    assert_eq!(crc16_ccitt(check), 0x29B1);
    assert_eq!(crc32(&[]), 0);

    let frame: Vec<u8> = check.iter().rev().copied().chain(0..16).collect();
    let c = crc32(&frame);
    reveal(felt((c >> 16) as usize) + x);
    reveal(felt((c & 0xFFFF) as usize));
    reveal(felt(crc16_ccitt(&frame) as usize));
}
