use droste_gadgets::prelude::*;

#[derive(Debug, Clone, Copy)]
struct Job {
    start: u32,
    end: u32,
    profit: u32,
}

fn weighted_schedule(mut jobs: Vec<Job>) -> u32 {
    jobs.sort_by(|a, b| a.end.cmp(&b.end).then(b.start.cmp(&a.start)));
    let mut best = vec![0u32; jobs.len() + 1];
    for (i, job) in jobs.iter().enumerate() {
        let compatible = jobs[..i].partition_point(|j| j.end <= job.start);
        best[i + 1] = best[i].max(best[compatible] + job.profit);
    }
    best.last().copied().unwrap()
}

fn max_overlap(jobs: &[Job]) -> i32 {
    let mut events: Vec<(u32, i32)> = jobs
        .iter()
        .flat_map(|j| [(j.start, 1), (j.end, -1)])
        .collect();
    events.sort();
    events
        .iter()
        .scan(0, |active, &(_, delta)| {
            *active += delta;
            Some(*active)
        })
        .max()
        .unwrap_or(0)
}

pub fn main() {
    let x = public_input();
    let jobs: Vec<Job> = [
        (1, 3, 50),
        (2, 5, 20),
        (3, 10, 100),
        (6, 19, 200),
        (2, 100, 240),
    ]
    .into_iter()
    .map(|(start, end, profit)| Job { start, end, profit })
    .collect();
    let overlap = max_overlap(&jobs);
    let profit = weighted_schedule(jobs);
    reveal(x + felt(profit as usize));
    reveal(felt(overlap as usize));
}
