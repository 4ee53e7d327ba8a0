use droste_gadgets::prelude::*;

/// Kadane, prefix sums, two pointers, monotonic stack: the usual array kata.
fn max_subarray(xs: &[i32]) -> Option<i32> {
    let (&first, rest) = xs.split_first()?;
    let (best, _) = rest.iter().fold((first, first), |(best, ending), &v| {
        let ending = v.max(ending + v);
        (best.max(ending), ending)
    });
    Some(best)
}

fn prefix_sums(xs: &[i32]) -> Vec<i32> {
    std::iter::once(0)
        .chain(xs.iter().scan(0, |acc, &v| {
            *acc += v;
            Some(*acc)
        }))
        .collect()
}

fn next_greater(xs: &[i32]) -> Vec<Option<usize>> {
    let mut out = vec![None; xs.len()];
    let mut stack: Vec<usize> = Vec::new();
    for (i, &v) in xs.iter().enumerate() {
        while let Some(&top) = stack.last() {
            if xs[top] >= v {
                break;
            }
            out[top] = Some(i);
            stack.pop();
        }
        stack.push(i);
    }
    out
}

fn pair_with_sum(sorted: &[i32], target: i32) -> Option<(i32, i32)> {
    let (mut lo, mut hi) = (0, sorted.len().checked_sub(1)?);
    while lo < hi {
        match (sorted[lo] + sorted[hi]).cmp(&target) {
            std::cmp::Ordering::Less => lo += 1,
            std::cmp::Ordering::Greater => hi -= 1,
            std::cmp::Ordering::Equal => return Some((sorted[lo], sorted[hi])),
        }
    }
    None
}

pub fn main() {
    let x = public_input();
    let xs = [-2, 1, -3, 4, -1, 2, 1, -5, 4];
    let best = max_subarray(&xs).unwrap();
    let prefix = prefix_sums(&xs);
    assert_eq!(prefix[7] - prefix[3], best);
    assert_eq!(max_subarray(&[]), None);

    let greater = next_greater(&xs);
    let reach: usize = greater
        .iter()
        .enumerate()
        .filter_map(|(i, g)| g.map(|g| g - i))
        .sum();

    let mut sorted = Vec::from(xs);
    sorted.sort_unstable_by(|a, b| a.cmp(b));
    assert_eq!(pair_with_sum(&sorted, 6), Some((2, 4)));
    assert!(pair_with_sum(&sorted, 100).is_none());
    reveal(x + felt(best as usize));
    reveal(felt(reach));
}
