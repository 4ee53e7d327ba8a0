use droste_gadgets::prelude::*;

/// Permutation argument: two lists are a permutation of each other iff the
/// grand products at a challenge agree.
fn grand_product(values: &[Felt], gamma: Felt) -> Felt {
    values.iter().fold(felt(1), |acc, v| acc * (gamma - *v))
}

fn combine(rows: &[(Felt, Felt)], beta: Felt) -> Vec<Felt> {
    rows.iter().map(|&(addr, val)| addr + beta * val).collect()
}

/// Argsort of compile-time keys.
fn argsort<K: Ord>(keys: &[K]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[a].cmp(&keys[b]));
    order
}

fn is_permutation(p: &[usize]) -> bool {
    let mut seen = vec![false; p.len()];
    p.iter()
        .all(|&i| i < seen.len() && !std::mem::replace(&mut seen[i], true))
}

pub fn main() {
    let beta = public_input();
    let gamma = public_input();

    let addresses = [5usize, 1, 4, 1, 3, 5];
    let rows: Vec<(Felt, Felt)> = addresses
        .iter()
        .enumerate()
        .map(|(t, &a)| (felt(a), beta * felt(t + 1)))
        .collect();

    let order = argsort(&addresses);
    assert!(is_permutation(&order));
    assert!(!is_permutation(&[0, 0, 1]));
    let sorted: Vec<_> = order.iter().map(|&i| rows[i]).collect();

    let lhs = grand_product(&combine(&rows, beta), gamma);
    let rhs = grand_product(&combine(&sorted, beta), gamma);
    assert_eq!(lhs, rhs);

    reveal(lhs);
    reveal(felt(order[0]));
}
