use droste_gadgets::prelude::*;

/// Sealed-bid auctions with pluggable pricing rules.
#[derive(Debug, Clone, Copy)]
struct Bid {
    bidder: u8,
    amount: u32,
    time: u32,
}

trait Pricing {
    fn price(&self, ranked: &[Bid]) -> u32;

    fn winner(&self, bids: &[Bid]) -> Option<(u8, u32)> {
        let mut ranked = bids.to_vec();
        ranked.sort_by(|a, b| b.amount.cmp(&a.amount).then(a.time.cmp(&b.time)));
        let first = ranked.first()?;
        Some((first.bidder, self.price(&ranked)))
    }
}

struct FirstPrice;

struct Vickrey {
    reserve: u32,
}

impl Pricing for FirstPrice {
    fn price(&self, ranked: &[Bid]) -> u32 {
        ranked[0].amount
    }
}

impl Pricing for Vickrey {
    fn price(&self, ranked: &[Bid]) -> u32 {
        ranked
            .get(1)
            .map_or(self.reserve, |b| b.amount.max(self.reserve))
    }

    fn winner(&self, bids: &[Bid]) -> Option<(u8, u32)> {
        let valid: Vec<Bid> = bids
            .iter()
            .copied()
            .filter(|b| b.amount >= self.reserve)
            .collect();
        let best = valid
            .iter()
            .max_by(|a, b| a.amount.cmp(&b.amount).then(b.time.cmp(&a.time)))?;
        let mut ranked: Vec<Bid> = valid
            .iter()
            .filter(|b| b.bidder != best.bidder)
            .copied()
            .collect();
        ranked.insert(0, *best);
        ranked[1..].sort_by_key(|b| std::cmp::Reverse(b.amount));
        Some((best.bidder, self.price(&ranked)))
    }
}

fn revenue(rule: &dyn Pricing, rounds: &[&[Bid]]) -> u32 {
    rounds
        .iter()
        .filter_map(|bids| rule.winner(bids))
        .map(|(_, p)| p)
        .sum()
}

pub fn main() {
    let x = public_input();
    let bid = |bidder, amount, time| Bid {
        bidder,
        amount,
        time,
    };
    let a = [
        bid(1, 100, 0),
        bid(2, 140, 1),
        bid(3, 140, 2),
        bid(4, 90, 3),
    ];
    let b = [bid(1, 30, 0), bid(2, 45, 1)];
    let rules: [&dyn Pricing; 2] = [&FirstPrice, &Vickrey { reserve: 40 }];
    assert_eq!(rules[0].winner(&a), Some((2, 140)));
    assert_eq!(rules[1].winner(&a), Some((2, 140)));
    assert_eq!(rules[1].winner(&b), Some((2, 40)));
    assert_eq!(rules[1].winner(&[]), None);
    for rule in rules {
        reveal(x * felt(revenue(rule, &[&a, &b]) as usize));
    }
}
