use droste_gadgets::prelude::*;

/// Order book matching with price-time priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Buy,
    Sell,
}

#[derive(Debug, Clone, Copy)]
struct Order {
    id: u32,
    side: Side,
    price: u32,
    qty: u32,
}

#[derive(Debug, PartialEq, Eq)]
struct Fill {
    maker: u32,
    taker: u32,
    price: u32,
    qty: u32,
}

#[derive(Default)]
struct Book {
    resting: Vec<Order>,
    fills: Vec<Fill>,
}

impl Book {
    fn best_match(&self, taker: &Order) -> Option<usize> {
        let candidates = self
            .resting
            .iter()
            .enumerate()
            .filter(|(_, o)| o.side != taker.side);
        match taker.side {
            Side::Buy => candidates
                .filter(|(_, o)| o.price <= taker.price)
                .min_by_key(|(_, o)| o.price),
            Side::Sell => candidates
                .filter(|(_, o)| o.price >= taker.price)
                .min_by_key(|(_, o)| std::cmp::Reverse(o.price)),
        }
        .map(|(i, _)| i)
    }

    fn submit(&mut self, mut taker: Order) {
        while taker.qty > 0 {
            let Some(i) = self.best_match(&taker) else {
                break;
            };
            let maker = &mut self.resting[i];
            let qty = maker.qty.min(taker.qty);
            maker.qty -= qty;
            taker.qty -= qty;
            self.fills.push(Fill {
                maker: maker.id,
                taker: taker.id,
                price: maker.price,
                qty,
            });
            self.resting.retain(|o| o.qty != 0);
        }
        if taker.qty > 0 {
            self.resting.push(taker);
        }
    }
}

pub fn main() {
    let x = public_input();
    let mut book = Book::default();
    let flow = [
        (Side::Sell, 101, 5),
        (Side::Sell, 100, 3),
        (Side::Buy, 99, 4),
        (Side::Buy, 101, 6),
        (Side::Sell, 98, 10),
    ];
    for (id, (side, price, qty)) in (1..).zip(flow) {
        book.submit(Order {
            id,
            side,
            price,
            qty,
        });
    }
    assert_eq!(
        book.fills[0],
        Fill {
            maker: 2,
            taker: 4,
            price: 100,
            qty: 3
        }
    );
    let volume: u32 = book.fills.iter().map(|f| f.price * f.qty).sum();
    let resting: u32 = book.resting.iter().map(|o| o.qty).sum();
    reveal(x + felt(volume as usize));
    reveal(felt(resting as usize));
}
