//! What a search does not go back to.

use std::collections::VecDeque;

use super::Settings;
use crate::flow_shop::search::moves::{Move, Neighbourhood};

/// What tabu search does not go back to for as many generations as the tenure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TabuList {
    /// Whole sequences, as published. None of them is shorter than the best, so that no rule of
    /// aspiration is needed.
    Sequences,
    /// Attributes, as in Widmer and Hertz (1989), "A new heuristic method for the flow shop
    /// sequencing problem", EJOR 41, 186-193: a job that a move took from its position does not go
    /// back there; of an insertion this is the job that moves, of a swap both. By aspiration it may
    /// if that makes the shortest sequence so far. For the same generations schedules become
    /// shorter than with sequences.
    #[default]
    Attributes,
}

/// The list of a trajectory.
pub(super) struct List {
    neighbourhood: Neighbourhood,
    tenure: usize,
    entries: Entries,
}

/// The last generations', the latest one at the end.
enum Entries {
    Sequences(VecDeque<Vec<u32>>),
    Attributes(VecDeque<Vec<(u32, usize)>>),
}

impl List {
    /// Begins with the first sequence, to which no attributes led.
    pub(super) fn new(settings: &Settings, start: &[u32]) -> Self {
        let entries = match settings.list {
            TabuList::Sequences => Entries::Sequences(VecDeque::from([start.to_vec()])),
            TabuList::Attributes => Entries::Attributes(VecDeque::from([Vec::new()])),
        };
        List { neighbourhood: settings.neighbourhood, tenure: settings.tenure, entries }
    }

    /// Bytes of a list of so many jobs.
    pub(super) fn bytes(settings: &Settings, jobs: usize) -> u128 {
        let entry = match settings.list {
            TabuList::Sequences => size_of::<Vec<u32>>() + jobs * size_of::<u32>(),
            TabuList::Attributes => size_of::<Vec<(u32, usize)>>() + 2 * size_of::<(u32, usize)>(),
        };
        entry as u128 * settings.tenure as u128
    }

    /// The moves of the present sequence that lead back, by number.
    pub(super) fn forbidden(&self, order: &[u32]) -> Vec<usize> {
        let neighbourhood = self.neighbourhood;
        match &self.entries {
            Entries::Sequences(entries) => {
                entries.iter().flat_map(|goal| neighbourhood.leading_to(order, goal)).collect()
            }
            Entries::Attributes(entries) => entries
                .iter()
                .flatten()
                .flat_map(|&(job, position)| neighbourhood.taking_to(order, job, position))
                .collect(),
        }
    }

    /// Takes down the present sequence and the move that led there, if there was one.
    pub(super) fn push(&mut self, order: &[u32], led: Option<Move>) {
        match &mut self.entries {
            Entries::Sequences(entries) => push(entries, self.tenure, order.to_vec()),
            Entries::Attributes(entries) => {
                push(entries, self.tenure, led.map_or_else(Vec::new, |led| led.attributes(order)));
            }
        }
    }
}

fn push<E>(entries: &mut VecDeque<E>, tenure: usize, entry: E) {
    if entries.len() >= tenure {
        entries.pop_front();
    }
    entries.push_back(entry);
}
