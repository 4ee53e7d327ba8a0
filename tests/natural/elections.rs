use droste_gadgets::prelude::*;

/// Voting: ranked ballots counted by instant runoff and Borda.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Candidate {
    Ada,
    Bob,
    Cyd,
    Dan,
}

use Candidate::*;

impl Candidate {
    const ALL: [Candidate; 4] = [Ada, Bob, Cyd, Dan];
}

#[derive(Clone)]
struct Ballot {
    ranking: Vec<Candidate>,
    weight: usize,
}

fn ballot(weight: usize, ranking: &[Candidate]) -> Ballot {
    Ballot {
        ranking: ranking.to_vec(),
        weight,
    }
}

fn first_choices(ballots: &[Ballot], alive: &[Candidate]) -> Vec<(Candidate, usize)> {
    let mut tally: Vec<_> = alive.iter().map(|&c| (c, 0)).collect();
    for b in ballots {
        if let Some(choice) = b.ranking.iter().find(|c| alive.contains(c)) {
            let entry = tally.iter_mut().find(|(c, _)| c == choice).unwrap();
            entry.1 += b.weight;
        }
    }
    tally
}

fn instant_runoff(ballots: &[Ballot]) -> (Candidate, usize) {
    let mut alive = Candidate::ALL.to_vec();
    let mut rounds = 0;
    loop {
        rounds += 1;
        let tally = first_choices(ballots, &alive);
        let total: usize = tally.iter().map(|&(_, n)| n).sum();
        let &(leader, votes) = tally.iter().max_by_key(|&&(_, n)| n).unwrap();
        if votes * 2 > total || alive.len() == 1 {
            return (leader, rounds);
        }
        let (loser, _) = tally.into_iter().min_by_key(|&(c, n)| (n, c)).unwrap();
        alive.retain(|&c| c != loser);
    }
}

fn borda(ballots: &[Ballot], who: Candidate) -> usize {
    ballots
        .iter()
        .flat_map(|b| {
            b.ranking
                .iter()
                .enumerate()
                .map(move |(i, &c)| (c, (3 - i) * b.weight))
        })
        .filter(|(c, _)| *c == who)
        .map(|(_, points)| points)
        .sum()
}

pub fn main() {
    let x = public_input();
    let ballots = [
        ballot(42, &[Ada, Bob, Cyd, Dan]),
        ballot(26, &[Bob, Cyd, Dan, Ada]),
        ballot(15, &[Cyd, Dan, Bob, Ada]),
        ballot(17, &[Dan, Cyd, Bob, Ada]),
    ];
    let (winner, rounds) = instant_runoff(&ballots);
    assert_eq!(winner, Dan);
    let best = Candidate::ALL
        .into_iter()
        .max_by_key(|&c| borda(&ballots, c))
        .unwrap();
    reveal(felt(winner as usize) + x);
    reveal(felt(rounds));
    reveal(felt(borda(&ballots, best)));
}
