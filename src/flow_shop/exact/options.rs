use std::path::PathBuf;
use std::time::Duration;

use super::{Bound, Branching, HostPool};
use crate::enumeration::enumeration;
use crate::{Error, Result};

/// Options of branch and bound.
#[derive(Debug, Clone)]
pub struct ExactOptions {
    /// The lower bound that prunes.
    pub bound: Bound,
    /// Where jobs are fixed.
    pub branching: Branching,
    /// How a device takes part.
    pub exploration: Exploration,
    /// For [`Exploration::HostPool`] and [`Exploration::TreePool`]: how the device works on a pool.
    pub pool: HostPool,
    /// Search only for schedules shorter than this. If none exists and no schedule of exactly this
    /// length is known, the status is [`Status::Infeasible`](crate::Status::Infeasible), without a
    /// solution.
    pub upper_bound: Option<u64>,
    /// Keeps the search in this file, so that a later run can continue it however this one ends.
    /// Other methods refuse it. If the file exists, the search continues from it, with the upper
    /// bound that it was given then. The file remains after a complete proof. A checksum detects
    /// damaged files but not forged ones: the solver believes what a file claims to be proved.
    ///
    /// If the file can't be written before the search, the solve ends with [`Error::Io`]. A failure
    /// during the search is logged, and the next attempt follows an interval later. A failure at
    /// the end adds a [`warning`](crate::Report::warning) to the result.
    pub checkpoint: Option<PathBuf>,
    /// Time between two writes of the checkpoint. A killed run loses at most this much work and the
    /// current step, such as one pool of the host.
    pub checkpoint_interval: Duration,
}

/// How a device takes part in the search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Exploration {
    /// The device branches, bounds, prunes and selects; the host checks its progress now and then.
    /// Parallel tree exploration.
    #[default]
    OnDevice,
    /// The device only bounds the host's nodes, by one bound. Parallel evaluation of bounds.
    HostPool,
    /// The host selects pools of nodes, and each work-item explores the tree below one of them. The
    /// device returns the rest of the trees. Parallel tree exploration, as published.
    TreePool,
}

enumeration! {
    Exploration {
        OnDevice: "on-device", "The device branches, bounds and prunes";
        HostPool: "host-pool", "The device only bounds the host's nodes";
        TreePool: "tree-pool", "Work-items explore trees below the host's nodes";
    }
}

impl Default for ExactOptions {
    /// The first value of each enumeration; a checkpoint would be written every minute.
    fn default() -> Self {
        ExactOptions {
            bound: Bound::default(),
            branching: Branching::default(),
            exploration: Exploration::default(),
            pool: HostPool::default(),
            upper_bound: None,
            checkpoint: None,
            checkpoint_interval: Duration::from_secs(60),
        }
    }
}

impl ExactOptions {
    /// Refuses options that do not fit together.
    pub(in crate::flow_shop) fn check(&self) -> Result<()> {
        if self.exploration != Exploration::OnDevice {
            if !(1..=HostPool::MAX_SIZE).contains(&self.pool.size) {
                let reason =
                    format!("must be from 1 to {}, not {}", HostPool::MAX_SIZE, self.pool.size);
                return Err(Error::argument("pool_size", reason));
            }
            if self.bound == Bound::Refined {
                let reason = "host-pool and tree-pool take lb1 or lb2, not both in turn";
                return Err(Error::argument("bound", reason));
            }
            if !(1..=HostPool::MAX_BUDGET).contains(&self.pool.budget) {
                let reason =
                    format!("must be from 1 to {}, not {}", HostPool::MAX_BUDGET, self.pool.budget);
                return Err(Error::argument("pool_budget", reason));
            }
            if self.exploration == Exploration::HostPool
                && self.pool.budget != HostPool::default().budget
            {
                return Err(Error::argument("pool_budget", "applies only to tree-pool"));
            }
        } else if self.pool != HostPool::default() {
            let reason =
                "is neither host-pool nor tree-pool, so the options of the pool do not apply";
            return Err(Error::argument("exploration", reason));
        }
        Ok(())
    }

    /// How a device takes part.
    pub(super) fn plan(&self) -> Plan {
        Plan { exploration: self.exploration, pool: self.pool }
    }
}

/// How a device takes part, with the options of a pool.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plan {
    pub(super) exploration: Exploration,
    pub(super) pool: HostPool,
}

impl Plan {
    /// Whether the device only bounds what the host branches.
    pub(super) fn bounds_pool(&self) -> bool {
        self.exploration == Exploration::HostPool
    }
}
