use droste_gadgets::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dir {
    North,
    East,
    South,
    West,
}

impl Dir {
    const ALL: [Dir; 4] = [Dir::North, Dir::East, Dir::South, Dir::West];

    fn turn(self, quarter_turns: i32) -> Dir {
        Self::ALL[(self as i32 + quarter_turns).rem_euclid(4) as usize]
    }

    fn delta(self) -> (i32, i32) {
        match self {
            Dir::North => (0, 1),
            Dir::East => (1, 0),
            Dir::South => (0, -1),
            Dir::West => (-1, 0),
        }
    }
}

#[derive(Debug)]
struct Robot {
    pos: (i32, i32),
    facing: Dir,
    trail: Vec<(i32, i32)>,
}

impl Default for Robot {
    fn default() -> Self {
        Robot {
            pos: (0, 0),
            facing: Dir::North,
            trail: vec![(0, 0)],
        }
    }
}

impl Robot {
    fn execute(&mut self, instruction: &str) -> Result<(), &'static str> {
        let (head, arg) = instruction.split_at(1);
        let n: i32 = arg.parse().map_err(|_| "bad argument")?;
        match head {
            "L" => self.facing = self.facing.turn(-n),
            "R" => self.facing = self.facing.turn(n),
            "F" => {
                let (dx, dy) = self.facing.delta();
                for _ in 0..n {
                    self.pos.0 += dx;
                    self.pos.1 += dy;
                    self.trail.push(self.pos);
                }
            }
            _ => return Err("unknown instruction"),
        }
        Ok(())
    }

    fn distance(&self) -> u32 {
        self.pos.0.unsigned_abs() + self.pos.1.unsigned_abs()
    }
}

pub fn main() {
    let x = public_input();
    let mut robot = Robot::default();
    let outcome: Result<(), _> = "F3 R1 F4 R1 F5 R1 F2 L3 F1"
        .split(' ')
        .try_for_each(|i| robot.execute(i));
    assert_eq!(outcome, Ok(()));
    assert_eq!(robot.execute("Zq"), Err("bad argument"));
    let mut visited = robot.trail.clone();
    visited.sort_unstable();
    visited.dedup();
    reveal(x + felt(robot.distance() as usize));
    reveal(felt(robot.trail.len() - visited.len()));
}
