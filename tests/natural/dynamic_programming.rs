use droste_gadgets::prelude::*;

/// Classic dynamic programming: LCS, edit distance, knapsack and coin change.
fn lcs<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut dp = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            dp[i + 1][j + 1] = if x == y {
                dp[i][j] + 1
            } else {
                dp[i][j + 1].max(dp[i + 1][j])
            };
        }
    }
    dp[a.len()][b.len()]
}

fn edit_distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diag = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let cost = diag + usize::from(ca != cb);
            diag = row[j + 1];
            row[j + 1] = cost.min(diag + 1).min(row[j] + 1);
        }
    }
    row.pop().unwrap()
}

fn knapsack(items: &[(usize, u32)], capacity: usize) -> u32 {
    let mut best = vec![0; capacity + 1];
    for &(weight, value) in items {
        for c in (weight..=capacity).rev() {
            best[c] = best[c].max(best[c - weight] + value);
        }
    }
    best[capacity]
}

fn min_coins(coins: &[usize], amount: usize) -> Option<usize> {
    let mut dp = vec![None; amount + 1];
    dp[0] = Some(0);
    for a in 1..=amount {
        dp[a] = coins
            .iter()
            .filter(|&&c| c <= a)
            .filter_map(|&c| dp[a - c])
            .min()
            .map(|n: usize| n + 1);
    }
    dp[amount]
}

pub fn main() {
    let x = public_input();
    assert_eq!(lcs(b"AGGTAB", b"GXTXAYB"), 4);
    assert_eq!(edit_distance(b"kitten", b"sitting"), 3);
    assert_eq!(min_coins(&[5, 7], 13), None);

    let value = knapsack(&[(1, 1), (3, 4), (4, 5), (5, 7)], 7);
    reveal(felt(value as usize) * x);
    reveal(felt(edit_distance(b"intention", b"execution")));
    reveal(felt(min_coins(&[1, 5, 12], 28).unwrap_or(0)));
}
