use droste_gadgets::prelude::*;

struct RingBuffer<T, const N: usize> {
    slots: [Option<T>; N],
    head: usize,
    len: usize,
}

impl<T: Copy, const N: usize> RingBuffer<T, N> {
    const EMPTY: Option<T> = None;

    fn new() -> Self {
        RingBuffer {
            slots: [Self::EMPTY; N],
            head: 0,
            len: 0,
        }
    }

    /// Pushes a value, returning the evicted one when full.
    fn push(&mut self, value: T) -> Option<T> {
        let tail = (self.head + self.len) % N;
        let evicted = self.slots[tail].replace(value);
        if self.len == N {
            self.head = (self.head + 1) % N;
        } else {
            self.len += 1;
        }
        evicted
    }

    fn pop(&mut self) -> Option<T> {
        let value = self.slots[self.head].take()?;
        self.head = (self.head + 1) % N;
        self.len -= 1;
        Some(value)
    }

    fn iter(&self) -> impl Iterator<Item = T> + '_ {
        (0..self.len).filter_map(move |i| self.slots[(self.head + i) % N])
    }
}

pub fn main() {
    let x = public_input();
    let mut window: RingBuffer<u32, 4> = RingBuffer::new();
    let mut evicted = 0;
    let mut averages = Vec::new();
    for sample in [10, 12, 9, 15, 30, 22, 18] {
        if let Some(old) = window.push(sample) {
            evicted += old;
        }
        let sum: u32 = window.iter().sum();
        averages.push(sum / window.len as u32);
    }
    assert_eq!(window.pop(), Some(15));
    assert_eq!(window.iter().collect::<Vec<_>>(), vec![30, 22, 18]);

    let mut felts = RingBuffer::<Felt, 2>::new();
    felts.push(x);
    felts.push(x * x);
    felts.push(x * x * x);
    let total = felts.iter().fold(felt(0), |a, b| a + b);

    reveal(total);
    reveal(felt(evicted as usize));
    reveal(felt(averages.iter().max().copied().unwrap() as usize));
}
