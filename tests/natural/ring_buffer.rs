use droste_gadgets::prelude::*;

/// A generic ring buffer with an iterator and moving averages.
#[derive(Debug)]
struct RingBuffer<T, const CAP: usize> {
    data: [Option<T>; CAP],
    head: usize,
    len: usize,
}

impl<T: Copy, const CAP: usize> RingBuffer<T, CAP> {
    fn new() -> Self {
        Self {
            data: [None; CAP],
            head: 0,
            len: 0,
        }
    }

    fn push(&mut self, value: T) -> Option<T> {
        let tail = (self.head + self.len) % CAP;
        if self.len == CAP {
            self.head = (self.head + 1) % CAP;
            self.data[tail].replace(value)
        } else {
            self.len += 1;
            self.data[tail] = Some(value);
            None
        }
    }

    fn pop_front(&mut self) -> Option<T> {
        let v = self.data[self.head].take()?;
        self.head = (self.head + 1) % CAP;
        self.len -= 1;
        Some(v)
    }

    fn iter(&self) -> Iter<'_, T, CAP> {
        Iter { buf: self, pos: 0 }
    }
}

struct Iter<'a, T, const CAP: usize> {
    buf: &'a RingBuffer<T, CAP>,
    pos: usize,
}

impl<'a, T, const CAP: usize> Iterator for Iter<'a, T, CAP> {
    type Item = &'a T;

    fn next(&mut self) -> Option<Self::Item> {
        if self.pos >= self.buf.len {
            return None;
        }
        let item = self.buf.data[(self.buf.head + self.pos) % CAP].as_ref();
        self.pos += 1;
        item
    }
}

impl<'a, T: Copy, const CAP: usize> IntoIterator for &'a RingBuffer<T, CAP> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T, CAP>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

pub fn main() {
    let x = public_input();
    let mut ring = RingBuffer::<u32, 4>::new();
    let mut evicted = 0;
    let mut averages = Vec::new();
    for v in (1..=10).map(|i| i * i) {
        evicted += ring.push(v).unwrap_or_default();
        averages.push(ring.iter().sum::<u32>() / ring.len as u32);
    }
    assert_eq!(ring.pop_front(), Some(49));
    let mut rest = 0;
    for v in &ring {
        rest += v;
    }
    reveal(felt(evicted as usize) + x);
    reveal(felt(averages.iter().copied().max().unwrap() as usize));
    reveal(felt(rest as usize));
}
