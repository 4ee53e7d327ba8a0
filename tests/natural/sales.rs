use droste_gadgets::prelude::*;

/// Order statistics over iterator pipelines: a small analytics report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Category {
    Food,
    Travel,
    Tools,
}

#[derive(Debug, Clone, Copy)]
struct Sale {
    day: u8,
    category: Category,
    cents: u32,
    units: u16,
}

impl Sale {
    fn total(&self) -> u64 {
        self.cents as u64 * self.units as u64
    }
}

fn median<I: IntoIterator<Item = u64>>(values: I) -> Option<u64> {
    let mut v: Vec<u64> = values.into_iter().collect();
    v.sort_unstable();
    let mid = v.len() / 2;
    if v.is_empty() {
        None
    } else if v.len() % 2 == 1 {
        Some(v[mid])
    } else {
        Some((v[mid - 1] + v[mid]) / 2)
    }
}

fn running_total<'a>(sales: &'a [Sale]) -> impl Iterator<Item = u64> + 'a {
    sales.iter().scan(0, |acc, s| {
        *acc += s.total();
        Some(*acc)
    })
}

pub fn main() {
    use Category::*;
    let x = public_input();
    let raw = [
        (1, Food, 250, 4),
        (1, Tools, 1999, 1),
        (2, Food, 120, 10),
        (3, Travel, 8000, 2),
        (5, Tools, 450, 3),
        (5, Food, 75, 8),
    ];
    let sales = raw.map(|(day, category, cents, units)| Sale {
        day,
        category,
        cents,
        units,
    });

    let (food, other): (Vec<Sale>, Vec<Sale>) = sales.iter().partition(|s| s.category == Food);
    assert_eq!(food.len() + other.len(), sales.len());

    let mut days: Vec<u8> = sales.iter().map(|s| s.day).collect();
    days.dedup();
    assert_eq!(days, [1, 2, 3, 5]);

    let first_over = running_total(&sales).position(|t| t > 5_000).unwrap();
    let best = sales.iter().max_by_key(|s| s.total()).unwrap();
    let streak = sales
        .chunk_by(|a, b| a.day == b.day)
        .map(|group| group.iter().map(Sale::total).sum::<u64>())
        .min()
        .unwrap();
    let skew = other
        .iter()
        .rev()
        .skip_while(|s| s.category == Tools)
        .take(2)
        .map(|s| s.units)
        .fold(0, |a, u| a * 10 + u);

    reveal(felt(median(food.iter().map(Sale::total)).unwrap() as usize) * x);
    reveal(felt(first_over));
    reveal(felt(best.day as usize));
    reveal(felt(streak as usize));
    reveal(felt(skew as usize));
}
