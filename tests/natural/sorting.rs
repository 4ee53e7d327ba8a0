use droste_gadgets::prelude::*;

/// Sorting algorithms behind one trait, compared on the same pseudo-random data.
trait Sorter {
    const NAME: &'static str;
    fn sort<T: PartialOrd + Copy>(data: &mut [T]);

    fn sorted<T: PartialOrd + Copy>(data: &[T]) -> Vec<T> {
        let mut v = data.to_vec();
        Self::sort(&mut v);
        v
    }
}

struct Insertion;
struct Quick;
struct Merge;

impl Sorter for Insertion {
    const NAME: &'static str = "insertion";
    fn sort<T: PartialOrd + Copy>(data: &mut [T]) {
        for i in 1..data.len() {
            let mut j = i;
            while j > 0 && data[j - 1] > data[j] {
                data.swap(j - 1, j);
                j -= 1;
            }
        }
    }
}

impl Sorter for Quick {
    const NAME: &'static str = "quick";
    fn sort<T: PartialOrd + Copy>(data: &mut [T]) {
        if data.len() <= 1 {
            return;
        }
        let pivot = data.len() - 1;
        let mut store = 0;
        for i in 0..pivot {
            if data[i] < data[pivot] {
                data.swap(i, store);
                store += 1;
            }
        }
        data.swap(store, pivot);
        let (left, right) = data.split_at_mut(store);
        Self::sort(left);
        Self::sort(&mut right[1..]);
    }
}

impl Sorter for Merge {
    const NAME: &'static str = "merge";
    fn sort<T: PartialOrd + Copy>(data: &mut [T]) {
        if data.len() < 2 {
            return;
        }
        let (l, r) = data.split_at(data.len() / 2);
        let (l, r) = (Self::sorted(l), Self::sorted(r));
        let (mut i, mut j) = (0, 0);
        for slot in data.iter_mut() {
            let take_left = j == r.len() || (i < l.len() && l[i] <= r[j]);
            *slot = if take_left {
                i += 1;
                l[i - 1]
            } else {
                j += 1;
                r[j - 1]
            };
        }
    }
}

pub fn main() {
    let x = public_input();
    let mut seed = 42u32;
    let data: Vec<u32> = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 20
    })
    .take(24)
    .collect();
    let expected = Insertion::sorted(&data);
    assert!(expected.windows(2).all(|w| w[0] <= w[1]));
    assert_eq!(Quick::sorted(&data), expected);
    assert_eq!(Merge::sorted(&data), expected);
    reveal(felt(expected[12] as usize) + x);
    reveal(felt(
        Insertion::NAME.len() + Quick::NAME.len() + Merge::NAME.len(),
    ));
}
