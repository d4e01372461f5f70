//! Neighbourhoods: move indices, which searches and evaluators share, and the effects of moves on a
//! sequence.

use crate::enumeration::enumeration;

enumeration! {
    /// The neighbours of a sequence.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Neighbourhood {
        /// Sequences with one job moved to another position.
        #[default]
        Insertion: "insertion", "One job moves";
        /// Sequences with two jobs exchanged.
        Swap: "swap", "Two jobs change places";
    }
}

/// Jobs whose insertions are evaluated together. Within a block, consecutive move indices belong to
/// consecutive jobs.
pub(super) const BLOCK: usize = 32;

/// A move of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::flow_shop) enum Move {
    /// Exchanges the jobs at two positions, the smaller one first.
    Swap(usize, usize),
    /// Moves the job at the first position to the second.
    Insertion(usize, usize),
}

impl Neighbourhood {
    /// All move indices are below this; some indices name no move.
    pub(in crate::flow_shop) fn numbers(self, jobs: usize) -> usize {
        match self {
            Neighbourhood::Swap => jobs * (jobs - 1) / 2,
            Neighbourhood::Insertion => jobs.next_multiple_of(BLOCK) * jobs,
        }
    }

    /// Number of moves to other sequences. Insertions count each exchange of adjacent jobs twice.
    pub(in crate::flow_shop) fn moves(self, jobs: usize) -> u64 {
        let pairs = jobs as u64 * (jobs as u64 - 1);
        if self == Neighbourhood::Swap { pairs / 2 } else { pairs }
    }

    /// The move with this index.
    pub(in crate::flow_shop) fn numbered(self, number: usize, jobs: usize) -> Move {
        match self {
            Neighbourhood::Swap => {
                // Counted from the end, the number of pairs up to a first position is a triangular
                // number.
                let from_end = (jobs * (jobs - 1) / 2 - 1 - number) as u64;
                let row = ((8 * from_end + 1).isqrt() as usize - 1) / 2;
                let first = jobs - 2 - row;
                Move::Swap(first, number + first + 1 - first * (2 * jobs - first - 1) / 2)
            }
            Neighbourhood::Insertion => {
                let (row, lane) = (number / BLOCK, number % BLOCK);
                Move::Insertion(row / jobs * BLOCK + lane, row % jobs)
            }
        }
    }

    /// The indices of the moves from `order` to `target`: two if an insertion exchanges adjacent
    /// jobs.
    pub(super) fn leading_to(self, order: &[u32], target: &[u32]) -> Vec<usize> {
        let differ = |position: &usize| order[*position] != target[*position];
        let jobs = order.len();
        let (Some(first), Some(last)) = ((0..jobs).find(differ), (0..jobs).rfind(differ)) else {
            return Vec::new();
        };
        let moves = match self {
            Neighbourhood::Swap => [Some(Move::Swap(first, last)), None],
            Neighbourhood::Insertion => {
                [Some(Move::Insertion(first, last)), Some(Move::Insertion(last, first))]
            }
        };
        let leads = |mv: &Move| {
            let mut moved = order.to_vec();
            mv.apply(&mut moved);
            moved == target
        };
        moves.into_iter().flatten().filter(leads).map(|mv| mv.number(jobs)).collect()
    }

    /// The indices of the moves that take a job of `order` to a position: two if an insertion
    /// exchanges adjacent jobs.
    pub(super) fn taking_to(self, order: &[u32], job: u32, position: usize) -> Vec<usize> {
        let jobs = order.len();
        let Some(now) = order.iter().position(|&other| other == job).filter(|&now| now != position)
        else {
            return Vec::new();
        };
        match self {
            Neighbourhood::Swap => {
                vec![Move::Swap(now.min(position), now.max(position)).number(jobs)]
            }
            Neighbourhood::Insertion => {
                let there = Move::Insertion(now, position).number(jobs);
                let back = Move::Insertion(position, now).number(jobs);
                if now.abs_diff(position) == 1 { vec![there, back] } else { vec![there] }
            }
        }
    }
}

impl Move {
    pub(in crate::flow_shop) fn number(self, jobs: usize) -> usize {
        match self {
            Move::Swap(first, second) => first * (2 * jobs - first - 1) / 2 + second - first - 1,
            Move::Insertion(from, to) => (from / BLOCK * jobs + to) * BLOCK + from % BLOCK,
        }
    }

    /// The moved jobs and the positions they left; `order` is the sequence after the move.
    pub(super) fn attributes(self, order: &[u32]) -> Vec<(u32, usize)> {
        match self {
            Move::Swap(first, second) => vec![(order[second], first), (order[first], second)],
            Move::Insertion(from, to) => vec![(order[to], from)],
        }
    }

    pub(in crate::flow_shop) fn apply(self, order: &mut [u32]) {
        match self {
            Move::Swap(first, second) => order.swap(first, second),
            Move::Insertion(from, to) if from < to => order[from..=to].rotate_left(1),
            Move::Insertion(from, to) => order[to..=from].rotate_right(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_moves_are_one_to_one() {
        for jobs in [2, 3, 7, 33, 64] {
            let order: Vec<u32> = (0..jobs as u32).collect();
            let mut swaps = 0;
            for first in 0..jobs {
                for second in first + 1..jobs {
                    assert_eq!(Move::Swap(first, second).number(jobs), swaps);
                    assert_eq!(
                        Neighbourhood::Swap.numbered(swaps, jobs),
                        Move::Swap(first, second)
                    );
                    let mut swapped = order.clone();
                    swapped.swap(first, second);
                    for (job, position) in Move::Swap(first, second).attributes(&swapped) {
                        assert_eq!(order[position], job);
                        assert_eq!(Neighbourhood::Swap.taking_to(&swapped, job, position), [swaps]);
                    }
                    swaps += 1;
                    for mv in [Move::Insertion(first, second), Move::Insertion(second, first)] {
                        let number = mv.number(jobs);
                        assert_eq!(Neighbourhood::Insertion.numbered(number, jobs), mv);
                        let mut moved = order.clone();
                        mv.apply(&mut moved);
                        assert!(
                            Neighbourhood::Insertion.leading_to(&order, &moved).contains(&number)
                        );
                        let swap = Neighbourhood::Swap.leading_to(&order, &moved);
                        assert_eq!(swap.len(), usize::from(second == first + 1));
                        // The reverse is the same move on the new sequence, or one with the same
                        // result.
                        for (job, position) in mv.attributes(&moved) {
                            assert_eq!(order[position], job);
                            let mut back =
                                Neighbourhood::Insertion.taking_to(&moved, job, position);
                            let mut expected = Neighbourhood::Insertion.leading_to(&moved, &order);
                            back.sort();
                            expected.sort();
                            assert_eq!(back, expected);
                        }
                    }
                }
            }
            assert_eq!(swaps, Neighbourhood::Swap.numbers(jobs));
        }
    }
}
