use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Date {
    year: i32,
    month: u32,
    day: u32,
}

impl Date {
    fn is_leap(year: i32) -> bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    fn days_in_month(year: i32, month: u32) -> u32 {
        match month {
            2 if Self::is_leap(year) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => panic!("invalid month {month}"),
        }
    }

    fn parse(s: &str) -> Option<Date> {
        let mut parts = s.splitn(3, '-');
        let year = parts.next()?.parse().ok()?;
        let month = parts
            .next()?
            .parse()
            .ok()
            .filter(|m| (1..=12).contains(m))?;
        let day = parts.next()?.parse::<u32>().ok()?;
        (day >= 1 && day <= Self::days_in_month(year, month)).then_some(Date { year, month, day })
    }

    /// Days since 1970-01-01 (Howard Hinnant's algorithm).
    fn to_days(self) -> i32 {
        let y = if self.month <= 2 {
            self.year - 1
        } else {
            self.year
        };
        let era = y.div_euclid(400);
        let yoe = y.rem_euclid(400);
        let mp = (self.month as i32 + 9) % 12;
        let doy = (153 * mp + 2) / 5 + self.day as i32 - 1;
        let doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
        era * 146_097 + doe - 719_468
    }

    fn weekday(self) -> usize {
        (self.to_days() + 4).rem_euclid(7) as usize
    }
}

pub fn main() {
    let x = public_input();
    const NAMES: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    let epoch = Date {
        year: 1970,
        month: 1,
        day: 1,
    };
    assert_eq!(epoch.to_days(), 0);
    let leap = Date::parse("2024-02-29").expect("leap day exists");
    assert_eq!(NAMES[leap.weekday()], "Thu");
    assert_eq!(Date::parse("2023-02-29"), None);
    assert_eq!(Date::parse("2023-13-01"), None);
    reveal(x + felt(leap.to_days() as usize));
    reveal(felt(leap.weekday()));
}
