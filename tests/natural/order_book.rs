use droste_gadgets::prelude::*;

/// Limit order book with price-time priority.
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

#[derive(Debug, Clone, Copy, PartialEq)]
struct Fill {
    maker: u32,
    taker: u32,
    price: u32,
    qty: u32,
}

#[derive(Default)]
struct Book {
    bids: Vec<Order>,
    asks: Vec<Order>,
}

impl Book {
    fn submit(&mut self, mut order: Order) -> Vec<Fill> {
        let (own, other) = match order.side {
            Side::Buy => (&mut self.bids, &mut self.asks),
            Side::Sell => (&mut self.asks, &mut self.bids),
        };
        let mut fills = Vec::new();
        while let Some(best) = other.first_mut() {
            let crosses = match order.side {
                Side::Buy => best.price <= order.price,
                Side::Sell => best.price >= order.price,
            };
            if !crosses || order.qty == 0 {
                break;
            }
            let qty = best.qty.min(order.qty);
            fills.push(Fill {
                maker: best.id,
                taker: order.id,
                price: best.price,
                qty,
            });
            best.qty -= qty;
            order.qty -= qty;
            if best.qty == 0 {
                other.remove(0);
            }
        }
        if order.qty > 0 {
            let at = own.partition_point(|o| match order.side {
                Side::Buy => o.price >= order.price,
                Side::Sell => o.price <= order.price,
            });
            own.insert(at, order);
        }
        fills
    }

    fn spread(&self) -> Option<u32> {
        let (bid, ask) = self.bids.first().zip(self.asks.first())?;
        ask.price.checked_sub(bid.price)
    }
}

pub fn main() {
    use Side::{Buy, Sell};
    let x = public_input();
    let orders = [
        (Buy, 99, 10),
        (Sell, 101, 5),
        (Sell, 100, 4),
        (Buy, 98, 7),
        (Buy, 101, 6),
        (Sell, 98, 15),
    ];
    let mut book = Book::default();
    assert_eq!(book.spread(), None);
    let fills: Vec<Fill> = (1..)
        .zip(orders)
        .flat_map(|(id, (side, price, qty))| {
            book.submit(Order {
                id,
                side,
                price,
                qty,
            })
        })
        .collect();
    assert_eq!(
        fills[0],
        Fill {
            maker: 3,
            taker: 5,
            price: 100,
            qty: 4
        }
    );
    reveal(felt(fills.len()) * x);
    reveal(felt(
        fills.iter().map(|f| f.price * f.qty).sum::<u32>() as usize
    ));
    reveal(felt(book.spread().unwrap() as usize));
}
