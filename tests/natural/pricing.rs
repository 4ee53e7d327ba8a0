use droste_gadgets::prelude::*;

trait Policy {
    fn price(&self, qty: u32) -> u32;

    fn describe(&self) -> &'static str {
        "standard"
    }
}

struct Flat(u32);
struct Tiered {
    tiers: [(u32, u32); 3],
}
struct Discounted<P> {
    inner: P,
    percent: u32,
}

impl Policy for Flat {
    fn price(&self, qty: u32) -> u32 {
        self.0 * qty
    }
}

impl Policy for Tiered {
    fn price(&self, qty: u32) -> u32 {
        let mut remaining = qty;
        let mut total = 0;
        for (size, unit) in self.tiers {
            let used = remaining.min(size);
            total += used * unit;
            remaining -= used;
        }
        total
    }

    fn describe(&self) -> &'static str {
        "tiered"
    }
}

impl<P: Policy> Policy for Discounted<P> {
    fn price(&self, qty: u32) -> u32 {
        self.inner.price(qty) * (100 - self.percent) / 100
    }
}

impl<P: Policy + ?Sized> Policy for &P {
    fn price(&self, qty: u32) -> u32 {
        (**self).price(qty)
    }

    fn describe(&self) -> &'static str {
        (**self).describe()
    }
}

fn invoice(policy: impl Policy, quantities: &[u32]) -> u32 {
    quantities.iter().map(|&q| policy.price(q)).sum()
}

pub fn main() {
    let x = public_input();
    let orders = [5, 12, 40];
    let tiered = Tiered {
        tiers: [(10, 9), (20, 7), (u32::MAX, 5)],
    };
    let a = invoice(Flat(8), &orders);
    let b = invoice(&tiered, &orders);
    let c = invoice(
        Discounted {
            inner: &tiered,
            percent: 15,
        },
        &orders,
    );
    assert_eq!(tiered.describe(), "tiered");
    assert_eq!(
        Discounted {
            inner: Flat(1),
            percent: 0
        }
        .describe(),
        "standard"
    );
    let cheapest = [a, b, c].into_iter().min().unwrap();
    reveal(x + felt(cheapest as usize));
    reveal(felt((a - b) as usize));
}
