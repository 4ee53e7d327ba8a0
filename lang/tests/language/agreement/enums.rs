//! Enums of the program, whose variants are known while compiling.

use super::{outputs, program, shown};

program!(shapes {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Shape { Point, Square(Felt), Rect { width: Felt, height: Felt } }
    use Shape::Square;
    impl Shape {
        const UNIT: Self = Self::Point;
        fn area(&self) -> Felt {
            match self {
                Self::Point => felt(0),
                Square(side) => *side * *side,
                Shape::Rect { width, height } => *width * *height,
            }
        }
        fn wider(self, by: Felt) -> Self {
            match self {
                Self::Rect { width, height: h } => Self::Rect { height: h, width: width + by },
                other => other,
            }
        }
        fn is_flat(self) -> bool { matches!(self, Self::Point | Self::Rect { .. }) }
    }
    pub mod deep {
        use droste_gadgets::prelude::*;
        pub enum Tree<T> { Leaf(T), Pair(T, T) }
        pub type Felts = Tree<Felt>;
    }
    use deep::Tree::{self, *};
    fn sum(tree: &deep::Felts) -> Felt {
        match tree { Leaf(x) => *x, Tree::Pair(x, y) => *x + *y }
    }
    fn made(pair: bool, x: Felt) -> Tree<Felt> {
        if pair { Pair(x, x) } else { deep::Felts::Leaf(x) }
    }

    pub fn main() {
        let mut out = felt(0);
        let x = public_input();
        for shape in [Shape::Point, Square(x), Shape::Rect { width: x, height: felt(3) }] {
            show(&mut out, shape.area() + shape.wider(felt(1)).area() * felt(100));
            show(&mut out, felt(shape.is_flat() as usize));
        }
        show(&mut out, Shape::UNIT.area());
        show(&mut out, sum(&made(true, x)) + sum(&made(false, x)));
        // The variant stays, and what it holds changes in a run.
        let mut shape = Shape::Square(x);
        for i in count(4) {
            if let Shape::Square(side) = shape { shape = Square(side + i); }
        }
        shape = if x == felt(5) { Square(x) } else { shape };
        show(&mut out, shape.area());
        reveal(out);
    }
    fn show(out: &mut Felt, value: Felt) { *out = *out * felt(4096) + value; }
});

#[test]
fn shapes_of_run_time_values() {
    let found = outputs(shapes::SOURCE, shapes::main, &[5]);
    assert_eq!(found, [shown(&[0, 1, 2525, 0, 1815, 1, 0, 15, 25])]);
    let found = outputs(shapes::SOURCE, shapes::main, &[2]);
    assert_eq!(found, [shown(&[0, 1, 404, 0, 906, 1, 0, 6, 64])]);
}

program!(machine {
    use droste_gadgets::prelude::*;

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub enum Op { Push(usize), Add, Mul, Stop }
    #[derive(Clone, Copy)]
    pub enum Level { Low = -2, Middle, High = LIMIT, Top }
    const LIMIT: isize = 300;
    const STOP: Op = Op::Stop;
    const FIRST: Op = Op::Push(3);

    #[inline(never)]
    fn apply(op: Op, a: Felt, b: Felt) -> Felt {
        match op { Op::Add => a + b, Op::Mul => a * b, _ => a }
    }
    fn run(ops: &[Op], x: Felt) -> Felt {
        let mut stack = vec![x];
        for op in ops {
            match *op {
                STOP => return stack[0],
                Op::Push(n @ (0 | 1)) => stack.push(felt(n + 10)),
                FIRST => stack.push(felt(1000)),
                Op::Push(n) if n > 5 => stack.push(felt(n)),
                Op::Push(_) => {}
                op => {
                    let (a, b) = (stack[stack.len() - 2], stack[stack.len() - 1]);
                    stack[0] = apply(op, a, b);
                }
            }
        }
        felt(0)
    }
    pub struct Counter { state: Op, ticks: usize }
    impl Counter {
        fn tick(&mut self) -> usize {
            self.ticks += 1;
            self.state = match self.state {
                Op::Push(0) => Op::Stop,
                Op::Push(n) => Op::Push(n - 1),
                other => other,
            };
            self.ticks
        }
        fn done(&self) -> bool { self.state == Op::Stop }
    }
    pub enum Never {}

    pub fn main() {
        let mut out = felt(0);
        let x = public_input();
        show(&mut out, run(&[Op::Push(1), Op::Add, Op::Push(9), Op::Mul, STOP, Op::Add], x));
        show(&mut out, run(&[FIRST, Op::Push(4), Op::Mul, Op::Stop], x));
        show(&mut out, run(&[], x));
        let mut counter = Counter { state: Op::Push(2), ticks: 0 };
        while !counter.done() { counter.tick(); }
        show(&mut out, felt(counter.ticks));
        let all = [Level::Low, Level::Middle, Level::High, Level::Top];
        for level in all { show(&mut out, felt((level as i32 + 2) as usize)); }
        show(&mut out, felt(Level::High as u8 as usize));
        reveal(out);
    }
    fn show(out: &mut Felt, value: Felt) { *out = *out * felt(4096) + value; }
});

#[test]
fn enums_that_drive_a_program() {
    let found = outputs(machine::SOURCE, machine::main, &[6]);
    assert_eq!(found, [shown(&[99, 6000, 0, 3, 0, 1, 302, 303, 44])]);
}

program!(moves {
    use droste_gadgets::prelude::*;

    pub struct Big(Vec<Felt>);
    pub enum Holder { Empty, One(Big), Two(Big, Big) }
    fn total(big: Big) -> Felt { let mut all = felt(0); for x in big.0 { all += x; } all }
    fn first(holder: &Holder) -> &[Felt] {
        match holder {
            Holder::One(big) | Holder::Two(big, _) => &big.0,
            Holder::Empty => &[],
        }
    }
    fn sum(holder: Holder) -> Felt {
        match holder {
            Holder::Empty => felt(0),
            Holder::One(big) => total(big),
            Holder::Two(a, Big(b)) => total(a) + b[0],
        }
    }
    fn grown(holder: Holder, x: Felt) -> Holder {
        match holder {
            Holder::Empty => Holder::One(Big(vec![x])),
            Holder::One(big) => Holder::Two(big, Big(vec![x, x])),
            two @ Holder::Two(..) => two,
        }
    }

    pub fn main() {
        let x = public_input();
        let mut holder = Holder::Empty;
        for _ in 0..3 {
            reveal(felt(first(&holder).len()));
            holder = grown(holder, x);
        }
        let Holder::Two(a, b) = holder else { panic!("two") };
        reveal(total(b));
        let holder = Holder::Two(a, Big(vec![felt(7)]));
        reveal(sum(holder));
    }
});

#[test]
fn payloads_that_move() {
    let found = outputs(moves::SOURCE, moves::main, &[6]);
    assert_eq!(found, [0, 1, 1, 12, 13]);
}

program!(numbers {
    use droste_gadgets::prelude::*;
    const K: u8 = 200;
    #[repr(u64)]
    #[derive(Clone, Copy, PartialEq, PartialOrd)]
    enum Big { A = 0xffff_ffff_ffff_ff00, B, C = 5 }
    #[repr(u8)]
    enum Code { A = !0, B = K - 1, C = b'c' }
    #[repr(u8)]
    #[derive(PartialEq, PartialOrd)]
    enum Full { Z(u8) = 200, A { x: u8 } = 100, B = 0 }
    enum Bare { A(), B {} }
    pub fn main() {
        reveal(felt((Big::B as u64 & 255) as usize + (Big::A > Big::C) as usize * 1000));
        reveal(felt(Code::A as usize * 1000 + Code::B as usize + Code::C as u8 as usize));
        let less = (Full::A { x: 1 } < Full::Z(0)) as usize;
        reveal(felt(less * 10 + (Full::B < Full::A { x: 1 }) as usize + Bare::B {} as usize));
    }
});

#[test]
fn discriminants_are_of_the_type_of_the_repr() {
    assert_eq!(
        outputs(numbers::SOURCE, numbers::main, &[]),
        [1001, 255_298, 12]
    );
}
