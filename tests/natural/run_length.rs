use droste_gadgets::prelude::*;

fn rle_encode(data: &[u8]) -> Vec<(u8, u8)> {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for &byte in data {
        match runs.last_mut() {
            Some((value, count)) if *value == byte && *count < u8::MAX => *count += 1,
            _ => runs.push((byte, 1)),
        }
    }
    runs
}

fn rle_decode(runs: &[(u8, u8)]) -> Vec<u8> {
    runs.iter()
        .flat_map(|&(value, count)| std::iter::repeat(value).take(count as usize))
        .collect()
}

fn delta(data: &[u8]) -> Vec<u8> {
    let mut prev = 0u8;
    data.iter()
        .map(|&b| {
            let d = b.wrapping_sub(prev);
            prev = b;
            d
        })
        .collect()
}

fn undelta(data: &[u8]) -> Vec<u8> {
    data.iter()
        .scan(0u8, |acc, &d| {
            *acc = acc.wrapping_add(d);
            Some(*acc)
        })
        .collect()
}

pub fn main() {
    let x = public_input();
    let ramp: Vec<u8> = (0..40).map(|i| (i * 3) as u8).chain([200; 20]).collect();
    let plain = rle_encode(&ramp);
    let smart = rle_encode(&delta(&ramp));
    assert_eq!(rle_decode(&plain), ramp);
    assert_eq!(undelta(&rle_decode(&smart)), ramp);
    assert!(smart.len() < plain.len());
    let longest = smart.iter().map(|&(_, n)| n).max().unwrap();
    reveal(x + felt(plain.len()));
    reveal(felt(smart.len()));
    reveal(felt(longest.into()));
}
