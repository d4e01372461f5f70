//! The tabu list.

use std::collections::VecDeque;

use super::Settings;
use crate::enumeration::enumeration;
use crate::flow_shop::search::moves::{Move, Neighbourhood};

enumeration! {
    /// What the tabu list forbids for `tenure` generations.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum TabuList {
        /// Returning a job to a position that it left (attributes), as in Widmer and Hertz (1989),
        /// "A new heuristic method for the flow shop sequencing problem", EJOR 41, 186-193. An
        /// insertion counts only its moved job, a swap counts both. Aspiration allows a return that
        /// gives a new shortest sequence. After equally many generations, schedules are shorter
        /// than with `Sequences`.
        #[default]
        Attributes: "attributes",
            "A moved job may not return to its old position, unless that gives a new best \
             sequence";
        /// Returning to a whole sequence, as published. Needs no aspiration, since no forbidden
        /// sequence is shorter than the best.
        Sequences: "sequences", "The search may not return to a sequence";
    }
}

/// The tabu list of one trajectory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::flow_shop::search) struct List {
    neighbourhood: Neighbourhood,
    tenure: usize,
    entries: Entries,
}

/// Entries of the last generations, the latest at the end. There is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::flow_shop::search) enum Entries {
    Sequences(VecDeque<Vec<u32>>),
    /// The moved jobs, each with the position it left.
    Attributes(VecDeque<Vec<(u32, usize)>>),
}

impl List {
    /// Starts with the first sequence, which no move led to.
    pub(super) fn new(settings: &Settings, start: &[u32]) -> Self {
        let entries = match settings.list {
            TabuList::Sequences => Entries::Sequences(VecDeque::from([start.to_vec()])),
            TabuList::Attributes => Entries::Attributes(VecDeque::from([Vec::new()])),
        };
        List::of(settings, entries)
    }

    /// A list with these entries.
    pub(in crate::flow_shop::search) fn of(settings: &Settings, entries: Entries) -> Self {
        List { neighbourhood: settings.neighbourhood, tenure: settings.tenure, entries }
    }

    pub(in crate::flow_shop::search) fn entries(&self) -> &Entries {
        &self.entries
    }

    /// Bytes of a list for sequences of `jobs` jobs.
    pub(super) fn bytes(settings: &Settings, jobs: usize) -> u128 {
        let entry = match settings.list {
            TabuList::Sequences => size_of::<Vec<u32>>() + jobs * size_of::<u32>(),
            TabuList::Attributes => size_of::<Vec<(u32, usize)>>() + 2 * size_of::<(u32, usize)>(),
        };
        entry as u128 * settings.tenure as u128
    }

    /// The indices of the present sequence's forbidden moves.
    pub(super) fn forbidden(&self, order: &[u32]) -> Vec<usize> {
        let neighbourhood = self.neighbourhood;
        match &self.entries {
            Entries::Sequences(entries) => {
                entries.iter().flat_map(|target| neighbourhood.leading_to(order, target)).collect()
            }
            Entries::Attributes(entries) => entries
                .iter()
                .flatten()
                .flat_map(|&(job, position)| neighbourhood.taking_to(order, job, position))
                .collect(),
        }
    }

    /// Records the present sequence and the move that led to it, if any.
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
