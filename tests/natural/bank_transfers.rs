use droste_gadgets::prelude::*;

#[derive(Debug, PartialEq, Eq)]
enum TransferError {
    UnknownAccount(u32),
    Insufficient { needed: u64, available: u64 },
    Frozen,
}

#[derive(Debug, Clone)]
struct Account {
    id: u32,
    balance: u64,
    frozen: bool,
}

struct Bank {
    accounts: Vec<Account>,
    fees: u64,
}

impl Bank {
    const FEE_BPS: u64 = 25;

    fn get_mut(&mut self, id: u32) -> Result<&mut Account, TransferError> {
        self.accounts
            .iter_mut()
            .find(|a| a.id == id)
            .ok_or(TransferError::UnknownAccount(id))
    }

    fn transfer(&mut self, from: u32, to: u32, amount: u64) -> Result<u64, TransferError> {
        self.get_mut(to)?;
        let fee = (amount * Self::FEE_BPS).div_ceil(10_000);
        let source = self.get_mut(from)?;
        if source.frozen {
            return Err(TransferError::Frozen);
        }
        source.balance =
            source
                .balance
                .checked_sub(amount + fee)
                .ok_or(TransferError::Insufficient {
                    needed: amount + fee,
                    available: source.balance,
                })?;
        self.get_mut(to)?.balance += amount;
        self.fees += fee;
        Ok(fee)
    }
}

pub fn main() {
    let x = public_input();
    let account = |id, balance| Account {
        id,
        balance,
        frozen: false,
    };
    let mut bank = Bank {
        accounts: vec![
            account(1, 10_000),
            account(2, 500),
            Account {
                frozen: true,
                ..account(3, 1)
            },
        ],
        fees: 0,
    };
    assert_eq!(bank.transfer(1, 2, 4_000), Ok(10));
    assert_eq!(
        bank.transfer(1, 9, 1),
        Err(TransferError::UnknownAccount(9))
    );
    assert_eq!(bank.transfer(3, 1, 1), Err(TransferError::Frozen));
    let err = bank.transfer(2, 1, 9_999).unwrap_err();
    if let TransferError::Insufficient { needed, available } = err {
        reveal(x + felt((needed - available) as usize));
    }
    let total: u64 = bank.accounts.iter().map(|a| a.balance).sum::<u64>() + bank.fees;
    reveal(felt(total as usize));
}
