use droste_gadgets::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Priority {
    Low = 1,
    Normal = 5,
    High = 10,
}

#[derive(Clone, Debug)]
struct Task {
    name: &'static str,
    priority: Priority,
    remaining: u32,
    finished_at: Option<u32>,
}

struct Scheduler {
    tasks: Vec<Task>,
    clock: u32,
    quantum: u32,
}

impl Scheduler {
    fn new(quantum: u32) -> Self {
        Self {
            tasks: Vec::new(),
            clock: 0,
            quantum,
        }
    }

    fn spawn(mut self, name: &'static str, priority: Priority, work: u32) -> Self {
        self.tasks.push(Task {
            name,
            priority,
            remaining: work,
            finished_at: None,
        });
        self
    }

    fn run(&mut self) {
        let mut credits: Vec<u32> = vec![0; self.tasks.len()];
        while self.tasks.iter().any(|t| t.remaining > 0) {
            for (task, credit) in self.tasks.iter().zip(credits.iter_mut()) {
                if task.finished_at.is_none() {
                    *credit += task.priority as u32;
                }
            }
            let (next, _) = credits
                .iter()
                .enumerate()
                .filter(|&(i, _)| self.tasks[i].finished_at.is_none())
                .max_by_key(|&(i, credit)| (*credit, std::cmp::Reverse(i)))
                .unwrap();
            credits[next] = 0;
            let task = &mut self.tasks[next];
            let slice = task.remaining.min(self.quantum);
            task.remaining -= slice;
            self.clock += slice;
            if task.remaining == 0 {
                task.finished_at = Some(self.clock);
            }
        }
    }
}

pub fn main() {
    let x = public_input();
    let mut s = Scheduler::new(3)
        .spawn("indexer", Priority::Low, 7)
        .spawn("mailer", Priority::Normal, 10)
        .spawn("pager", Priority::High, 5);
    s.run();
    let first = s.tasks.iter().min_by_key(|t| t.finished_at).unwrap();
    let turnaround: u32 = s.tasks.iter().filter_map(|t| t.finished_at).sum();
    assert_eq!(first.name, "pager");
    reveal(x + felt(s.clock as usize));
    reveal(felt(turnaround as usize));
}
