//! Sums, products and multilinear weights of elements of GF(2^128), each in a block.
//!
//! A sum takes as long as a product: both are calls of the same precompiles. Those fail on a block
//! that is no element, so whatever a program multiplies is one.
//!
//! Coordinate `i` of a point belongs to bit `i` of an index. It weighs bit 1 with itself, and bit 0
//! with its complement, the sum of one and it.

use crate::prelude::*;

/// Returns the block with these lanes, and zeros.
pub fn constant(lanes: &[u32]) -> Block {
    let mut all = [Felt::ZERO; 8];
    for i in 0..lanes.len() {
        all[i] = Felt::new(lanes[i]);
    }
    Block::new(all)
}

/// Returns these constants, one after the other.
pub fn constants(elements: &[Vec<u32>]) -> Slice {
    let mut blocks = Vec::new();
    for element in elements {
        blocks.push(constant(element));
    }
    Slice::from_blocks(blocks)
}

/// Returns one.
pub fn one() -> Block {
    constant(&[1])
}

/// Returns the product.
pub fn product(left: Block, right: Block) -> Block {
    binary_product(left, right, Block::ZERO)
}

/// Returns the sum.
pub fn sum(left: Block, right: Block) -> Block {
    binary_product(one(), left, right)
}

/// Returns the sum of all values.
pub fn total(values: &[Block]) -> Block {
    let n = values.len();
    let mut all = Block::ZERO;
    let mut from = 0usize;
    if n > 0 {
        all = values[0];
        from = 1;
    }
    while from + 1 < n {
        let pair = Slice::from_blocks([values[from], values[from + 1]]);
        all = binary_scale(one(), pair, all);
        from += 2;
    }
    if from < n {
        all = sum(values[from], all);
    }
    all
}

/// Returns `added` and the first `n` blocks.
pub fn added_up(values: Slice, n: usize, added: Block) -> Block {
    let mut all = added;
    for i in 0..n / 2 {
        all = binary_scale(one(), values.skip(2 * i), all);
    }
    if n % 2 == 1 {
        all = sum(values.block(n - 1), all);
    }
    all
}

/// Returns the sum of the blocks at these indices, which ascend. `ones` is one, twice: unlike
/// [`total`], this copies no value next to another one.
pub fn total_at(values: Slice, indices: &[usize], ones: Slice) -> Block {
    let n = indices.len();
    let mut all = Block::ZERO;
    if n % 2 == 1 {
        all = values.block(indices[n - 1]);
    }
    for i in 0..n / 2 {
        let first = indices[2 * i];
        all = binary_dot(values.skip(first), indices[2 * i + 1] - first, ones, all);
    }
    all
}

/// Returns `added` and the products of the first `n` blocks.
pub fn dot(left: Slice, right: Slice, n: usize, added: Block) -> Block {
    let mut all = added;
    for i in 0..n / 2 {
        all = binary_dot(left.skip(2 * i), 1, right.skip(2 * i), all);
    }
    if n % 2 == 1 {
        all = binary_product(left.block(n - 1), right.block(n - 1), all);
    }
    all
}

/// Returns the sum of the products of blocks of two lists, by their indices; zero without any.
pub fn dot_at(left: &[Block], of_left: &[usize], right: &[Block], of_right: &[usize]) -> Block {
    let n = of_left.len();
    if n == 0 {
        Block::ZERO
    } else {
        let mut lefts = Vec::new();
        let mut rights = Vec::new();
        for i in 0..n {
            lefts.push(left[of_left[i]]);
            rights.push(right[of_right[i]]);
        }
        let lefts = Slice::from_blocks(lefts);
        dot(lefts, Slice::from_blocks(rights), n, Block::ZERO)
    }
}

/// Returns `left` times the sum of the values, and `added`.
pub fn scaled(left: Block, values: &[Block], added: Block) -> Block {
    let mut all = added;
    let n = values.len();
    for i in 0..n / 2 {
        let pair = Slice::from_blocks([values[2 * i], values[2 * i + 1]]);
        all = binary_scale(left, pair, all);
    }
    if n % 2 == 1 {
        all = binary_product(left, values[n - 1], all);
    }
    all
}

/// Returns the powers of an element from `from` on, `n` of them.
pub fn powers(from: Block, of: Block, n: usize) -> Vec<Block> {
    let mut all = Vec::new();
    let mut power = from;
    for i in 0..n {
        if i > 0 {
            power = product(power, of);
        }
        all.push(power);
    }
    all
}

/// Returns one more than each.
pub fn complements(point: &[Block]) -> Vec<Block> {
    let mut all = Vec::new();
    for coordinate in point {
        all.push(sum(*coordinate, one()));
    }
    all
}

/// Returns for each index the product of `ones[i]` where its bit `i` is 1, and of `zeros[i]` where
/// it is 0.
pub fn tensor(zeros: &[Block], ones: &[Block]) -> Vec<Block> {
    let n = zeros.len();
    if n == 0 {
        vec![one()]
    } else if n == 1 {
        vec![zeros[0], ones[0]]
    } else {
        let half = n / 2;
        let low = tensor(&zeros[0..half], &ones[0..half]);
        let high = tensor(&zeros[half..n], &ones[half..n]);
        let mut all = Vec::new();
        for left in &high {
            for right in &low {
                all.push(product(*left, *right));
            }
        }
        all
    }
}

/// Returns the first `n` entries of the tensor product ([`tensor`]), at least one.
pub fn first_entries(zeros: &[Block], ones: &[Block], n: usize) -> Vec<Block> {
    let bits = ones.len();
    if n == 1usize << bits {
        tensor(zeros, ones)
    } else if bits == 1 {
        vec![zeros[0]]
    } else {
        let half = bits / 2;
        let most = 1usize << half;
        let low = first_entries(&zeros[0..half], &ones[0..half], n.min(most));
        let groups = n.div_ceil(most);
        let high = first_entries(&zeros[half..bits], &ones[half..bits], groups);
        let mut all = Vec::new();
        for i in 0..n {
            all.push(product(high[i / most], low[i % most]));
        }
        all
    }
}

/// Returns the sum of the first `n` entries of the tensor product, at least one.
pub fn first_total(zeros: &[Block], ones: &[Block], n: usize) -> Block {
    // Over the low bits: of all entries, and of the first `n` modulo their number.
    let mut all = one();
    let mut some = Block::ZERO;
    for i in 0..ones.len() {
        let is_some = n % (1usize << i) > 0;
        let mut next = Block::ZERO;
        if (n >> i) % 2 == 1 {
            next = product(zeros[i], all);
            if is_some {
                next = binary_product(ones[i], some, next);
            }
        } else if is_some {
            next = product(zeros[i], some);
        }
        let pair = Slice::from_blocks([zeros[i], ones[i]]);
        all = binary_scale(all, pair, Block::ZERO);
        some = next;
    }
    if n == 1usize << ones.len() { all } else { some }
}

/// Returns what each index weighs at a point.
pub fn equality(point: &[Block]) -> Vec<Block> {
    tensor(&complements(point), point)
}

/// Returns `start` times the product of `1 + a_i + b_i`: what two points weigh.
pub fn equality_of(left: &[Block], right: &[Block], start: Block) -> Block {
    let mut all = start;
    for i in 0..left.len() {
        let pair = Slice::from_blocks([left[i], right[i]]);
        all = binary_scale(all, pair, all);
    }
    all
}

/// Returns the value at a point of the multilinear polynomial with these values.
pub fn multilinear(values: Slice, point: &[Block]) -> Block {
    let n = point.len();
    if n == 0 {
        values.block(0)
    } else {
        let low = n - n / 2;
        let inner = Slice::from_blocks(equality(&point[0..low]));
        let mut sums = Vec::new();
        for i in 0..1usize << (n - low) {
            let part = values.skip(i << low);
            sums.push(dot(part, inner, 1usize << low, Block::ZERO));
        }
        if low == n {
            sums[0]
        } else {
            let outer = Slice::from_blocks(equality(&point[low..n]));
            dot(
                Slice::from_blocks(sums),
                outer,
                1usize << (n - low),
                Block::ZERO,
            )
        }
    }
}

/// Returns for each set of the elements the sum of `start` and them, by the bits of its index.
pub fn sums_from(start: Block, elements: &[Block]) -> Slice {
    let mut all = vec![start];
    for element in elements {
        for i in 0..all.len() {
            let other = all[i];
            all.push(sum(*element, other));
        }
    }
    Slice::from_blocks(all)
}

/// Returns for each set of the elements their sum, by the bits of its index.
pub fn subset_sums(elements: &[Block]) -> Slice {
    let mut all = vec![Block::ZERO];
    for element in elements {
        let known = all.len();
        all.push(*element);
        for i in 1..known {
            let other = all[i];
            all.push(sum(*element, other));
        }
    }
    Slice::from_blocks(all)
}

/// Returns the smallest number of bits that numbers below `n` have.
pub fn log_ceil(n: usize) -> usize {
    let mut log = 0usize;
    while (1usize << log) < n {
        log += 1;
    }
    log
}
