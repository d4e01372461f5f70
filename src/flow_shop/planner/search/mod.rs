//! Searches on the CPU. They see the objective through sequences that find the best place for a
//! job: by heads and tails where the makespan decides, else by reuse of the beginning.

mod block;
mod evaluators;
mod heads;
mod plan;
mod portfolio;
mod prefix;
mod settings;
mod spread;
mod sums;
mod tables;
mod two_sided;
mod units;

pub(super) use self::evaluators::Evaluators;
pub(super) use self::portfolio::Portfolio;

#[cfg(test)]
mod tests;
