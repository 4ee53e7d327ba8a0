use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LedgerError {
    UnknownAccount(u32),
    Insufficient { needed: u64, available: u64 },
    SelfTransfer,
}

#[derive(Debug, Clone)]
struct Account {
    id: u32,
    balance: u64,
    nonce: u32,
}

#[derive(Debug, Default)]
struct Ledger {
    accounts: Vec<Account>,
    fees: u64,
}

impl Ledger {
    fn open(&mut self, id: u32, balance: u64) -> &mut Self {
        self.accounts.push(Account {
            id,
            balance,
            nonce: 0,
        });
        self
    }

    fn index(&self, id: u32) -> Result<usize, LedgerError> {
        self.accounts
            .iter()
            .position(|a| a.id == id)
            .ok_or(LedgerError::UnknownAccount(id))
    }

    fn transfer(&mut self, from: u32, to: u32, amount: u64) -> Result<u64, LedgerError> {
        let fee = (amount / 100).max(1);
        if from == to {
            return Err(LedgerError::SelfTransfer);
        }
        let (src, dst) = (self.index(from)?, self.index(to)?);
        let needed = amount + fee;
        let available = self.accounts[src].balance;
        if available < needed {
            return Err(LedgerError::Insufficient { needed, available });
        }
        self.accounts[src].balance -= needed;
        self.accounts[src].nonce += 1;
        self.accounts[dst].balance += amount;
        self.fees += fee;
        Ok(fee)
    }

    fn total(&self) -> u64 {
        self.accounts.iter().map(|a| a.balance).sum::<u64>() + self.fees
    }
}

pub fn main() {
    let x = public_input();
    let mut ledger = Ledger::default();
    ledger.open(1, 1_000).open(2, 500).open(3, 0);
    let before = ledger.total();
    let txs = [(1, 2, 300), (2, 3, 750), (3, 1, 800), (2, 9, 1), (3, 3, 1)];
    let results: Vec<_> = txs
        .iter()
        .map(|&(f, t, a)| ledger.transfer(f, t, a))
        .collect();
    assert_eq!(
        results[2],
        Err(LedgerError::Insufficient {
            needed: 808,
            available: 750
        })
    );
    assert_eq!(results[3], Err(LedgerError::UnknownAccount(9)));
    assert_eq!(results[4], Err(LedgerError::SelfTransfer));
    assert_eq!(before, ledger.total());
    let ok = results.iter().filter(|r| r.is_ok()).count();
    reveal(felt(ok) + x);
    reveal(felt(ledger.fees as usize));
    reveal(felt(ledger.accounts[1].balance as usize));
}
