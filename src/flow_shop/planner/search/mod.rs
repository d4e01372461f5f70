//! Searches on the CPU and on devices. On the CPU they see the objective through sequences that
//! find the best place for a job: by heads and tails where the makespan decides, else by reuse of
//! the beginning.

mod block;
mod device;
mod evaluators;
mod greedy;
mod heads;
mod places;
mod plan;
mod portfolio;
mod prefix;
mod rates;
mod settings;
mod spread;
mod sums;
mod tables;
mod tabu;
mod tolerance;
mod two_sided;

pub(super) use self::device::{Crowd, Member, check_device_model};
pub(crate) use self::device::{TIMED, usual};
pub(super) use self::evaluators::Evaluators;
pub(super) use self::greedy::{Extent, LEAST_LEFT};
pub(super) use self::portfolio::Portfolio;
pub(super) use self::rates::Rates;

#[cfg(test)]
mod tests;
