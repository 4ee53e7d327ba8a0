use droste_gadgets::prelude::*;

fn merge_sort<T, F>(items: &[T], less: &F) -> Vec<T>
where
    T: Clone,
    F: Fn(&T, &T) -> bool,
{
    if items.len() <= 1 {
        return items.to_vec();
    }
    let (left, right) = items.split_at(items.len() / 2);
    let left = merge_sort(left, less);
    let right = merge_sort(right, less);
    let mut merged = Vec::with_capacity(items.len());
    let (mut l, mut r) = (left.into_iter().peekable(), right.into_iter().peekable());
    loop {
        match (l.peek(), r.peek()) {
            (Some(a), Some(b)) => {
                let take_right = less(b, a);
                merged.extend(if take_right { r.next() } else { l.next() });
            }
            (Some(_), None) => merged.extend(l.by_ref()),
            (None, _) => {
                merged.extend(r);
                return merged;
            }
        }
    }
}

fn quickselect(xs: &mut [i32], k: usize) -> i32 {
    let pivot = xs[xs.len() / 2];
    let (mut lo, mut mid, mut hi) = (0, 0, xs.len());
    while mid < hi {
        match xs[mid].cmp(&pivot) {
            std::cmp::Ordering::Less => {
                xs.swap(lo, mid);
                lo += 1;
                mid += 1;
            }
            std::cmp::Ordering::Equal => mid += 1,
            std::cmp::Ordering::Greater => {
                hi -= 1;
                xs.swap(mid, hi);
            }
        }
    }
    if k < lo {
        quickselect(&mut xs[..lo], k)
    } else if k < hi {
        pivot
    } else {
        quickselect(&mut xs[hi..], k - hi)
    }
}

pub fn main() {
    let x = public_input();
    let mut data = [38, 27, -43, 3, 9, 82, -10, 27, 0];
    let sorted = merge_sort(&data, &|a, b| a < b);
    assert!(sorted.is_sorted());
    let by_abs = merge_sort(&data, &|a: &i32, b: &i32| a.abs() > b.abs());
    assert_eq!(by_abs[..3], [82, -43, 38]);
    let median = quickselect(&mut data, 4);
    assert_eq!(median, sorted[4]);
    reveal(x * felt(median as usize));
    reveal(felt(by_abs.iter().position(|&v| v == -10).unwrap()));
}
