//! `Keccak-f[1600]` on one state (FIPS 202, section 3.2).

/// Round constants of the step iota (FIPS 202, section 3.2.5).
#[rustfmt::skip]
pub const ROUND_CONSTANTS: [u64; 24] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a,
    0x8000_0000_8000_8000, 0x0000_0000_0000_808b, 0x0000_0000_8000_0001,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8009, 0x0000_0000_0000_008a,
    0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
    0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089,
    0x8000_0000_0000_8003, 0x8000_0000_0000_8002, 0x8000_0000_0000_0080,
    0x0000_0000_0000_800a, 0x8000_0000_8000_000a, 0x8000_0000_8000_8081,
    0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
];

/// Rotation of each lane in the step rho (FIPS 202, table 2, modulo 64); lane `(x, y)` is word
/// `x + 5 y`.
pub const ROTATIONS: [u32; 25] = [
    0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14,
];

/// The permutation `Keccak-f[1600]`; lane `(x, y)` is word `x + 5 y`.
pub fn keccak_f(state: &mut [u64; 25]) {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx512f"))]
    super::planes::keccak_f(state);
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx512f")))]
    keccak_f_scalar(state);
}

/// The permutation in general-purpose registers.
///
/// Never inlined: half of the lanes are kept in memory, and the processor forwards stores to loads
/// fast in a small stack frame of their own, but slowly among the vectors of a caller's frame.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx512f"))))]
#[inline(never)]
pub(super) fn keccak_f_scalar(state: &mut [u64; 25]) {
    let mut a = *state;
    for constant in ROUND_CONSTANTS {
        a = round(&a, constant);
    }
    *state = a;
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx512f"))))]
#[inline(always)]
fn round(a: &[u64; 25], constant: u64) -> [u64; 25] {
    let parity: [u64; 5] =
        std::array::from_fn(|x| a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20]);
    let theta: [u64; 5] =
        std::array::from_fn(|x| parity[(x + 4) % 5] ^ parity[(x + 1) % 5].rotate_left(1));
    let mut b = [0; 25];
    for y in 0..5 {
        for x in 0..5 {
            let lane = x + 5 * y;
            b[y + 5 * ((2 * x + 3 * y) % 5)] = (a[lane] ^ theta[x]).rotate_left(ROTATIONS[lane]);
        }
    }
    let mut next = [0; 25];
    for y in 0..5 {
        for x in 0..5 {
            let row = 5 * y;
            next[row + x] = scalar(b[row + x] ^ (!b[row + (x + 1) % 5] & b[row + (x + 2) % 5]));
        }
    }
    next[0] ^= constant;
    next
}

/// Returns `x` unchanged, in a general-purpose register.
///
/// Under whole-program optimisation, the compiler otherwise turns the rounds into vector code full
/// of shuffles, which takes nearly twice as long.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx512f"))))]
#[inline(always)]
fn scalar(x: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut x = x;
        // SAFETY: the assembly contains no instruction.
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) x, options(pure, nomem, nostack, preserves_flags));
        }
        x
    }
    #[cfg(not(target_arch = "x86_64"))]
    x
}
