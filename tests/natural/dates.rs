use droste_gadgets::prelude::*;

/// Calendar arithmetic: civil dates, weekdays, and recurring schedules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Date {
    year: i32,
    month: u8,
    day: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DateError {
    Month(u8),
    Day { month: u8, day: u8 },
    Syntax,
}

const fn is_leap(y: i32) -> bool {
    y % 4 == 0 && (y % 100 != 0 || y % 400 == 0)
}

impl Date {
    fn new(year: i32, month: u8, day: u8) -> Result<Self, DateError> {
        let limit = match month {
            2 => 28 + is_leap(year) as u8,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return Err(DateError::Month(month)),
        };
        if !(1..=limit).contains(&day) {
            return Err(DateError::Day { month, day });
        }
        Ok(Date { year, month, day })
    }

    fn days_since_epoch(self) -> i64 {
        let y = i64::from(self.year) - i64::from(self.month <= 2);
        let era = y.div_euclid(400);
        let yoe = y.rem_euclid(400);
        let mp = (i64::from(self.month) + 9) % 12;
        let doy = (153 * mp + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468
    }

    fn weekday(self) -> i64 {
        (self.days_since_epoch() + 4).rem_euclid(7)
    }
}

impl std::str::FromStr for Date {
    type Err = DateError;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let mut parts = s.split('-');
        let mut field = || parts.next().ok_or(DateError::Syntax);
        let (y, m, d) = (field()?, field()?, field()?);
        let year = y.parse().map_err(|_| DateError::Syntax)?;
        let month = m.parse().map_err(|_| DateError::Syntax)?;
        Date::new(year, month, d.parse().map_err(|_| DateError::Syntax)?)
    }
}

pub fn main() {
    let x = public_input();
    let d: Date = "2024-02-29".parse().unwrap();
    assert_eq!(
        "2023-02-29".parse::<Date>(),
        Err(DateError::Day { month: 2, day: 29 })
    );
    assert_eq!("2023-13-01".parse::<Date>(), Err(DateError::Month(13)));
    assert_eq!("2023-xx".parse::<Date>(), Err(DateError::Syntax));
    assert_eq!(Date::new(1970, 1, 1).map(Date::days_since_epoch), Ok(0));
    let fridays = (1..=12)
        .filter_map(|m| Date::new(2026, m, 13).ok())
        .filter(|d| d.weekday() == 5)
        .count();
    assert!(
        d < Date {
            year: 2024,
            month: 3,
            day: 1
        }
    );
    reveal(felt(d.days_since_epoch() as usize) + x);
    reveal(felt(fridays));
}
