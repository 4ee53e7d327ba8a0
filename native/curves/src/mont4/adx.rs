//! Montgomery multiplication with the instructions MULX, ADCX and ADOX: MULX does not change the
//! flags, and ADCX and ADOX run two independent carry chains at once. LLVM does not emit such
//! chains by itself, hence the assembly.

use std::arch::asm;

use super::{Limbs, Long, Multiplier};

/// Proof that the processor has the BMI2 and ADX instructions: a value exists only where it does.
#[derive(Clone, Copy, Debug)]
pub struct Adx(());

impl Adx {
    /// Returns the value if the processor has both extensions.
    #[inline]
    pub fn new() -> Option<Self> {
        let found = is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("adx");
        found.then_some(Self(()))
    }
}

/// `t0..t3 += a x`, leaving the two carries out of `t3` in the two flags. `rdx` holds `x`, and `$a`
/// points to `a`.
macro_rules! multiply_add {
    () => {
        concat!(
            "mulx {hi}, {lo}, [{a}]\n",
            "adox {t0}, {lo}\n",
            "adcx {t1}, {hi}\n",
            "mulx {hi}, {lo}, [{a} + 8]\n",
            "adox {t1}, {lo}\n",
            "adcx {t2}, {hi}\n",
            "mulx {hi}, {lo}, [{a} + 16]\n",
            "adox {t2}, {lo}\n",
            "adcx {t3}, {hi}\n",
        )
    };
}

/// `t = (t + q p) / 2^64`. `rdx` holds `q`, and both flags must be clear.
macro_rules! reduce {
    () => {
        concat!(
            "mulx {hi}, {lo}, [{p}]\n",
            "adcx {lo}, {t0}\n",
            "mov {t0}, {hi}\n",
            "adcx {t0}, {t1}\n",
            "mulx {t1}, {lo}, [{p} + 8]\n",
            "adox {t0}, {lo}\n",
            "adcx {t1}, {t2}\n",
            "mulx {t2}, {lo}, [{p} + 16]\n",
            "adox {t1}, {lo}\n",
            "adcx {t2}, {t3}\n",
            "mulx {t3}, {lo}, [{p} + 24]\n",
            "adox {t2}, {lo}\n",
            "mov {lo:e}, 0\n",
            "adcx {t3}, {lo}\n",
            "adox {t3}, {t4}\n",
        )
    };
}

/// One step of the multiplication, for the limb of `b` at `$offset`.
macro_rules! step {
    ($offset:literal) => {
        concat!(
            "xor {lo:e}, {lo:e}\n",
            "mov rdx, [{b} + ",
            $offset,
            "]\n",
            multiply_add!(),
            "mulx {t4}, {lo}, [{a} + 24]\n",
            "adox {t3}, {lo}\n",
            "mov {lo:e}, 0\n",
            "adcx {t4}, {lo}\n",
            "adox {t4}, {lo}\n",
            "mov rdx, {t0}\n",
            "imul rdx, {inverse}\n",
            "xor {lo:e}, {lo:e}\n",
            reduce!(),
        )
    };
}

impl Multiplier for Adx {
    #[inline(always)]
    fn add_row(self, t: Long, a: &Limbs, x: u64) -> Long {
        let [mut t0, mut t1, mut t2, mut t3, mut t4] = t;
        // SAFETY: `self` shows that the processor has the instructions; they read four limbs of `a`
        // and write registers that are declared.
        unsafe {
            asm!(
                "xor {lo:e}, {lo:e}",
                multiply_add!(),
                "mulx {hi}, {lo}, [{a} + 24]",
                "adox {t3}, {lo}",
                "adcx {t4}, {hi}",
                "mov {lo:e}, 0",
                "adox {t4}, {lo}",
                a = in(reg) a.as_ptr(),
                in("rdx") x,
                t0 = inout(reg) t0,
                t1 = inout(reg) t1,
                t2 = inout(reg) t2,
                t3 = inout(reg) t3,
                t4 = inout(reg) t4,
                lo = out(reg) _,
                hi = out(reg) _,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3, t4]
    }

    #[inline(always)]
    fn reduce_row(self, t: Long, p: &Limbs, inverse: u64) -> Long {
        let [mut t0, mut t1, mut t2, mut t3, t4] = t;
        // SAFETY: as above, with the limbs of `p`.
        unsafe {
            asm!(
                "xor {lo:e}, {lo:e}",
                reduce!(),
                p = in(reg) p.as_ptr(),
                in("rdx") t0.wrapping_mul(inverse),
                t0 = inout(reg) t0,
                t1 = inout(reg) t1,
                t2 = inout(reg) t2,
                t3 = inout(reg) t3,
                t4 = in(reg) t4,
                lo = out(reg) _,
                hi = out(reg) _,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3, 0]
    }

    #[inline(always)]
    fn mul_unreduced(self, a: &Limbs, b: &Limbs, p: &Limbs, inverse: u64) -> Limbs {
        let (t0, t1, t2, t3);
        // SAFETY: as above, with the limbs of `a`, `b` and `p`.
        unsafe {
            asm!(
                "mov rdx, [{b}]",
                "mulx {t1}, {t0}, [{a}]",
                "mulx {t2}, {lo}, [{a} + 8]",
                "add {t1}, {lo}",
                "mulx {t3}, {lo}, [{a} + 16]",
                "adc {t2}, {lo}",
                "mulx {t4}, {lo}, [{a} + 24]",
                "adc {t3}, {lo}",
                "adc {t4}, 0",
                "mov rdx, {t0}",
                "imul rdx, {inverse}",
                "xor {lo:e}, {lo:e}",
                reduce!(),
                step!("8"),
                step!("16"),
                step!("24"),
                a = in(reg) a.as_ptr(),
                b = in(reg) b.as_ptr(),
                p = in(reg) p.as_ptr(),
                inverse = in(reg) inverse,
                t0 = out(reg) t0,
                t1 = out(reg) t1,
                t2 = out(reg) t2,
                t3 = out(reg) t3,
                t4 = out(reg) _,
                lo = out(reg) _,
                hi = out(reg) _,
                out("rdx") _,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3]
    }

    #[inline(always)]
    fn subtract_once(self, a: &Limbs, m: &Limbs) -> Limbs {
        let [mut t0, mut t1, mut t2, mut t3] = *a;
        // SAFETY: as above, with the limbs of `m`.
        unsafe {
            asm!(
                "mov {s0}, {t0}",
                "mov {s1}, {t1}",
                "mov {s2}, {t2}",
                "mov {s3}, {t3}",
                "sub {s0}, [{m}]",
                "sbb {s1}, [{m} + 8]",
                "sbb {s2}, [{m} + 16]",
                "sbb {s3}, [{m} + 24]",
                "cmovnc {t0}, {s0}",
                "cmovnc {t1}, {s1}",
                "cmovnc {t2}, {s2}",
                "cmovnc {t3}, {s3}",
                m = in(reg) m.as_ptr(),
                t0 = inout(reg) t0,
                t1 = inout(reg) t1,
                t2 = inout(reg) t2,
                t3 = inout(reg) t3,
                s0 = out(reg) _,
                s1 = out(reg) _,
                s2 = out(reg) _,
                s3 = out(reg) _,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3]
    }

    #[inline(always)]
    fn sub(self, a: &Limbs, b: &Limbs, p: &Limbs) -> Limbs {
        let [mut t0, mut t1, mut t2, mut t3] = *a;
        // SAFETY: as above, with the limbs of `b` and `p`.
        unsafe {
            asm!(
                "sub {t0}, [{b}]",
                "sbb {t1}, [{b} + 8]",
                "sbb {t2}, [{b} + 16]",
                "sbb {t3}, [{b} + 24]",
                "sbb {s3}, {s3}",
                "mov {s0}, [{p}]",
                "mov {s1}, [{p} + 8]",
                "mov {s2}, [{p} + 16]",
                "and {s0}, {s3}",
                "and {s1}, {s3}",
                "and {s2}, {s3}",
                "and {s3}, [{p} + 24]",
                "add {t0}, {s0}",
                "adc {t1}, {s1}",
                "adc {t2}, {s2}",
                "adc {t3}, {s3}",
                b = in(reg) b.as_ptr(),
                p = in(reg) p.as_ptr(),
                t0 = inout(reg) t0,
                t1 = inout(reg) t1,
                t2 = inout(reg) t2,
                t3 = inout(reg) t3,
                s0 = out(reg) _,
                s1 = out(reg) _,
                s2 = out(reg) _,
                s3 = out(reg) _,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3]
    }

    #[inline(always)]
    fn gap(self, a: &Limbs, b: &Limbs, p: &Limbs) -> (Limbs, bool) {
        let [mut t0, mut t1, mut t2, mut t3] = *a;
        let different: u64;
        // SAFETY: as above, with the limbs of `b` and `p`.
        unsafe {
            asm!(
                "sub {t0}, [{b}]",
                "sbb {t1}, [{b} + 8]",
                "sbb {t2}, [{b} + 16]",
                "sbb {t3}, [{b} + 24]",
                "mov {d}, {t0}",
                "or {d}, {t1}",
                "or {d}, {t2}",
                "or {d}, {t3}",
                "add {t0}, [{p}]",
                "adc {t1}, [{p} + 8]",
                "adc {t2}, [{p} + 16]",
                "adc {t3}, [{p} + 24]",
                b = in(reg) b.as_ptr(),
                p = in(reg) p.as_ptr(),
                t0 = inout(reg) t0,
                t1 = inout(reg) t1,
                t2 = inout(reg) t2,
                t3 = inout(reg) t3,
                d = out(reg) different,
                options(pure, readonly, nostack),
            );
        }
        ([t0, t1, t2, t3], different == 0)
    }

    #[inline(always)]
    fn negate_if(self, condition: bool, a: &Limbs, p: &Limbs) -> Limbs {
        let [mut t0, mut t1, mut t2, mut t3] = *p;
        // SAFETY: as above, with the limbs of `a`.
        unsafe {
            asm!(
                "sub {t0}, [{a}]",
                "sbb {t1}, [{a} + 8]",
                "sbb {t2}, [{a} + 16]",
                "sbb {t3}, [{a} + 24]",
                "test {condition}, {condition}",
                "cmovz {t0}, [{a}]",
                "cmovz {t1}, [{a} + 8]",
                "cmovz {t2}, [{a} + 16]",
                "cmovz {t3}, [{a} + 24]",
                a = in(reg) a.as_ptr(),
                condition = in(reg) u64::from(condition),
                t0 = inout(reg) t0,
                t1 = inout(reg) t1,
                t2 = inout(reg) t2,
                t3 = inout(reg) t3,
                options(pure, readonly, nostack),
            );
        }
        [t0, t1, t2, t3]
    }
}
