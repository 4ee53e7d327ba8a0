use droste_gadgets::prelude::*;
use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Suit {
    Clubs,
    Diamonds,
    Hearts,
    Spades,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Card {
    rank: u8,
    suit: Suit,
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{:?}", self.rank, self.suit)
    }
}

impl TryFrom<&str> for Card {
    type Error = ();

    fn try_from(s: &str) -> Result<Self, Self::Error> {
        let [rank, suit] = s.as_bytes() else {
            return Err(());
        };
        let rank = match rank {
            b'2'..=b'9' => rank - b'0',
            b'T' => 10,
            b'J' => 11,
            b'Q' => 12,
            b'K' => 13,
            b'A' => 14,
            _ => return Err(()),
        };
        let suit = match suit {
            b'c' => Suit::Clubs,
            b'd' => Suit::Diamonds,
            b'h' => Suit::Hearts,
            b's' => Suit::Spades,
            _ => return Err(()),
        };
        Ok(Card { rank, suit })
    }
}

fn score(mut hand: Vec<Card>) -> usize {
    hand.sort_unstable();
    let flush = hand.windows(2).all(|w| w[0].suit == w[1].suit);
    let straight = hand.windows(2).all(|w| w[1].rank == w[0].rank + 1);
    let pairs = hand.windows(2).filter(|w| w[0].rank == w[1].rank).count();
    match (flush, straight, pairs) {
        (true, true, _) => 800,
        (true, false, _) => 500,
        (false, true, _) => 400,
        (_, _, n) => n * 100 + hand.last().map_or(0, |c| c.rank as usize),
    }
}

pub fn main() {
    let x = public_input();
    let parse = |s: &str| {
        s.split_whitespace()
            .map(Card::try_from)
            .collect::<Result<Vec<_>, _>>()
    };
    let a = parse("9h Th Jh Qh Kh").map(score).unwrap();
    let b = parse("2c 2d As Ad 7h").map(score).unwrap();
    assert!(parse("1x 2c").is_err());
    reveal(x + felt(a));
    reveal(felt(b));
}
