use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Cents(i64);

impl std::ops::Add for Cents {
    type Output = Cents;
    fn add(self, rhs: Cents) -> Cents {
        Cents(self.0 + rhs.0)
    }
}

impl std::ops::SubAssign for Cents {
    fn sub_assign(&mut self, rhs: Cents) {
        self.0 -= rhs.0;
    }
}

impl std::iter::Sum for Cents {
    fn sum<I: Iterator<Item = Cents>>(iter: I) -> Cents {
        iter.fold(Cents::default(), |a, b| a + b)
    }
}

struct Loan {
    principal: Cents,
    annual_bps: i64,
    payment: Cents,
}

impl Loan {
    fn interest(&self, balance: Cents) -> Cents {
        // rounds half up
        Cents((balance.0 * self.annual_bps + 60_000) / 120_000)
    }

    fn schedule(&self) -> Vec<(Cents, Cents)> {
        let mut balance = self.principal;
        let mut rows = Vec::new();
        while balance > Cents(0) {
            let interest = self.interest(balance);
            let pay = self.payment.min(balance + interest);
            balance = balance + interest;
            balance -= pay;
            rows.push((interest, balance));
        }
        rows
    }
}

pub fn main() {
    let x = public_input();
    let loan = Loan {
        principal: Cents(1_000_00),
        annual_bps: 1_200,
        payment: Cents(88_85),
    };
    let rows = loan.schedule();
    let total_interest: Cents = rows.iter().map(|&(i, _)| i).sum();
    assert_eq!(rows.last().map(|r| r.1), Some(Cents(0)));
    reveal(x + felt(rows.len()));
    reveal(felt(total_interest.0 as usize));
}
