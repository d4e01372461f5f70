//! The distribution of a proof over workers: a [`Coordinator`] and its [`Worker`]s as state machines
//! without a transport and without a clock. `makespan-mpi` moves their messages by MPI, and
//! [`simulation`] by a list of events.
//!
//! The coordinator has a copy of every unit that a worker has. A worker reports the remainder of
//! its unit every few seconds and waits for the answer. Parts of a unit are given to others only
//! then, so that no two workers search the same nodes. Only from a worker that does not answer are
//! parts taken without a report; its next remainder is intersected with the copy.

pub mod coordinator;
pub mod proof;
pub mod simulation;
#[cfg(test)]
mod tests;
mod work;
pub mod worker;

pub use self::coordinator::Coordinator;
pub use self::work::Work;
pub use self::worker::Worker;

/// An order of the coordinator to a worker.
#[derive(Debug, Clone)]
pub enum Order<W> {
    /// Work on this unit instead of any other one.
    Work(W),
    /// Continue with the remainder that was reported.
    Continue,
    /// Report the remainder now: others need work.
    Report,
    /// A schedule of this makespan is known.
    Bound(u64),
    /// There is no more work.
    End,
}

/// A report of a worker to the coordinator. The worker then waits for an order.
#[derive(Debug, Clone)]
pub struct Report<W> {
    /// What remains of the worker's unit, with the work since the last report. None at first.
    pub remainder: Option<W>,
    /// How long that work took.
    pub seconds: f64,
}
