use droste_gadgets::prelude::*;

fn knapsack(items: &[(usize, u32)], capacity: usize) -> (u32, Vec<usize>) {
    let n = items.len();
    let mut table = vec![vec![0u32; capacity + 1]; n + 1];
    for (i, &(weight, value)) in items.iter().enumerate() {
        for cap in 0..=capacity {
            let skip = table[i][cap];
            let take = cap.checked_sub(weight).map(|rest| table[i][rest] + value);
            table[i + 1][cap] = take.map_or(skip, |t| t.max(skip));
        }
    }
    let mut chosen = Vec::new();
    let mut cap = capacity;
    for i in (0..n).rev() {
        if table[i + 1][cap] != table[i][cap] {
            chosen.push(i);
            cap -= items[i].0;
        }
    }
    chosen.reverse();
    (table[n][capacity], chosen)
}

fn coin_change(coins: &[usize], target: usize) -> Option<usize> {
    let mut best: Vec<Option<usize>> = vec![None; target + 1];
    best[0] = Some(0);
    for t in 1..=target {
        best[t] = coins
            .iter()
            .filter(|&&c| c <= t)
            .filter_map(|&c| best[t - c])
            .min()
            .map(|n| n + 1);
    }
    best[target]
}

fn ways(coins: &[usize], target: usize) -> usize {
    let mut table = vec![0; target + 1];
    table[0] = 1;
    for &c in coins {
        for t in c..=target {
            table[t] += table[t - c];
        }
    }
    table[target]
}

pub fn main() {
    let x = public_input();
    let (value, chosen) = knapsack(&[(1, 1), (3, 4), (4, 5), (5, 7)], 9);
    assert_eq!(chosen, vec![0, 1, 3]);
    assert_eq!(coin_change(&[5, 10], 7), None);
    let coins = coin_change(&[1, 5, 8], 24).unwrap();
    reveal(x * felt(value as usize));
    reveal(felt(coins));
    reveal(felt(ways(&[1, 2, 5, 10], 20)));
}
