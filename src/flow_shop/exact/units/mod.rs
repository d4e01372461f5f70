//! Units of work: parts of a proof for other threads, processes and machines. The units know no
//! transport. Their bytes can be sent or kept in files.
//!
//! A [`Tree`] makes the first unit, which is the whole proof. [`Unit::split`] makes disjoint parts
//! of it, [`Unit::run`] works on one, [`Unit::merge`] puts parts together again. The proof is
//! complete when all parts are done. With the optimum as upper bound, the number of decomposed
//! nodes is the same for any parts, interruptions and order.
//!
//! A coordinator keeps a copy of each unit that it gives out. The worker sends what remains of it
//! now and then, and [`Unit::intersect`] removes the finished part from the copy. The coordinator
//! may split the copy at any time and give a part to another worker. The first worker learns of it
//! from the intersection. Until then both may search the same nodes, which costs time only.
//!
//! ```
//! use makespan::flow_shop::units::{Tree, UpperBound};
//! use makespan::flow_shop::{ExactOptions, Instance, Method, Options};
//! use makespan::{Context, ContextOptions, SolveOptions};
//!
//! let context = Context::new(ContextOptions::default())?;
//! let instance = Instance::named("ta014").unwrap();
//! let exact = ExactOptions { upper_bound: Some(1377), ..ExactOptions::default() };
//! let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
//! let tree = Tree::new(instance, &options)?;
//! let mut parts = tree.whole()?.split(3)?;
//! let upper_bound = UpperBound::new();
//! for part in &mut parts {
//!     part.run(&context, &SolveOptions::default(), &upper_bound)?;
//! }
//! let whole = parts.into_iter().reduce(|one, other| one.merge(other).unwrap()).unwrap();
//! assert!(whole.is_done());
//! assert_eq!((whole.limit(), whole.nodes()), (1377, 19_285));
//! # Ok::<(), Box<makespan::Error>>(())
//! ```

mod bytes;
mod intersect;
mod run;
mod split;
#[cfg(test)]
mod tests;
mod upper_bound;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

pub use self::upper_bound::UpperBound;
use super::Counts;
use super::checkpoint::{Checkpoint, FileDigest, MOST_DONE, digest};
use super::makespan::Makespan;
use super::node::Open;
use super::problem::Problem;
use crate::flow_shop::{Instance, Method, Options, Permutation, check_memory, start};
use crate::memory::Grow;
use crate::solve::{Monitor, SolveOptions};
use crate::{Error, Limits, Result};

#[cfg(any(test, fuzzing))]
pub(super) use self::bytes::fuzz;

/// The search tree of an instance: the instance with the options of branch and bound. Makes units,
/// and reads them. A clone is the same tree.
#[derive(Clone)]
pub struct Tree(Arc<Shared>);

struct Shared {
    instance: Instance,
    options: Options,
    /// Of the instance, and of the options that shape the tree.
    instance_digest: FileDigest,
    options_digest: FileDigest,
}

/// A part of a proof: open nodes, the best schedule known, and the work done.
///
/// Its nodes are in one place of one [`Tree`]. Schedules shorter than [`Unit::limit`] are only
/// below the open nodes, as far as they are in this part at all.
#[derive(Clone)]
pub struct Unit {
    tree: Tree,
    epoch: u64,
    search: Checkpoint<'static>,
}

impl Tree {
    /// The tree of an instance. The options are those of branch and bound; their exploration says
    /// how devices take part, and may differ between workers on one tree.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for another method than branch and bound, for invalid options and
    /// for a checkpoint, which [`Tree::continued`] reads; [`Error::Unsupported`] for models with
    /// set-ups, due dates, release times, blocking or other objectives than the makespan.
    pub fn new(instance: Instance, options: &Options) -> Result<Tree> {
        if options.method != Method::BranchAndBound {
            let reason = "must be branch-and-bound: no other method has units of work";
            return Err(Error::argument("method", reason));
        }
        options.check(&Limits::default())?;
        if options.exact.checkpoint.is_some() {
            return Err(Error::argument("checkpoint", "units of work are not kept in a file"));
        }
        if !instance.is_plain() {
            return Err(Error::unsupported(
                "units of work of an instance with set-ups, due dates, release times, blocking or \
                 another objective than the makespan",
            ));
        }
        let mut hash = Sha256::new();
        for name in [options.exact.bound.name(), options.exact.branching.name()] {
            hash.update(name.as_bytes());
            hash.update([0]);
        }
        let (instance_digest, options_digest) =
            (digest::<Makespan<'_>>(&instance), hash.finalize().into());
        let options = options.clone();
        Ok(Tree(Arc::new(Shared { instance, options, instance_digest, options_digest })))
    }

    /// The instance.
    pub fn instance(&self) -> &Instance {
        &self.0.instance
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    /// The whole proof, before any work. Its schedule is NEH's or the options' start, and its limit
    /// the makespan of that or the options' upper bound.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a start that is no sequence; [`Error::OutOfMemory`].
    pub fn whole(&self) -> Result<Unit> {
        let (instance, options) = (self.instance(), self.options());
        let monitor = Monitor::new(&SolveOptions::default());
        check_memory(instance, &monitor)?;
        let incumbent = start(instance, options, &monitor)?;
        let given = options
            .exact
            .upper_bound
            .map_or(u32::MAX, |given| given.try_into().unwrap_or(u32::MAX));
        let best = incumbent.best();
        let limit = given.min(best.value);
        let problem = self.problem(limit, &monitor)?;
        let root = problem.root_node();
        // The only sequence of an instance with one free job is that of the incumbent.
        let is_open = problem.root.free_count > 1 && root.bound < limit && !incumbent.is_optimal();
        let open = if is_open { vec![root] } else { Vec::new() };
        let search = Checkpoint {
            limit,
            branching_limit: limit,
            best,
            counts: Counts::default(),
            by_device: false,
            open: open.into(),
        };
        Ok(self.unit(search))
    }

    /// The search in a checkpoint of [`solve`](crate::flow_shop::solve), as one unit.
    ///
    /// # Errors
    /// [`Error::Io`] if there is no such file or it can't be read; [`Error::InvalidArgument`] if it
    /// is damaged or belongs to another instance; [`Error::OutOfMemory`].
    pub fn continued(&self, checkpoint: &Path) -> Result<Unit> {
        let monitor = Monitor::new(&SolveOptions::default());
        let read = Checkpoint::read::<Makespan<'_>>(self.instance(), checkpoint, &monitor)?;
        let missing = || Error::io(checkpoint, std::io::ErrorKind::NotFound.into());
        Ok(self.unit(read.ok_or_else(missing)?))
    }

    fn unit(&self, search: Checkpoint<'static>) -> Unit {
        Unit { tree: self.clone(), epoch: 0, search }
    }

    /// The problem of searches with this limit for branching.
    fn problem(
        &self,
        branching_limit: u32,
        monitor: &Monitor,
    ) -> Result<Problem<'_, Makespan<'_>>> {
        let exact = &self.options().exact;
        Makespan::problem(self.instance(), exact.bound, exact.branching, branching_limit, monitor)
    }

    /// Whether nodes of the other tree are nodes of this one.
    fn is(&self, other: &Tree) -> bool {
        let (one, other) = (&*self.0, &*other.0);
        one.instance_digest == other.instance_digest && one.options_digest == other.options_digest
    }
}

impl Unit {
    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Whether no open node is left, so that no schedule in this part is shorter than the limit.
    pub fn is_done(&self) -> bool {
        self.search.open.iter().all(|node| node.bound >= self.search.limit)
    }

    /// The number of open nodes.
    pub fn open_nodes(&self) -> usize {
        self.search.open.iter().filter(|node| node.bound < self.search.limit).count()
    }

    /// The best schedule that is known to this unit, with its makespan.
    pub fn best(&self) -> (Permutation, u64) {
        let best = &self.search.best;
        (Permutation::new(best.order.clone()), best.value.into())
    }

    /// The search is for schedules shorter than this.
    pub fn limit(&self) -> u64 {
        self.search.limit.into()
    }

    /// No schedule in this part that is shorter than the limit is shorter than this.
    pub fn bound(&self) -> u64 {
        let bounds = self.search.open.iter().map(|node| node.bound);
        bounds.min().unwrap_or(u32::MAX).min(self.search.limit).into()
    }

    /// Nodes decomposed by the runs of this unit and of the units that it was merged of.
    pub fn nodes(&self) -> u64 {
        self.search.counts.nodes
    }

    /// The number under which the unit was given out; 0 for none. Runs keep it.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The unit under a number that no other unit of the tree has. [`Unit::intersect`] demands it.
    #[must_use]
    pub fn with_epoch(self, epoch: u64) -> Unit {
        Unit { epoch, ..self }
    }

    /// The unit without its counts of work, which stay with the caller's copy.
    #[must_use]
    pub fn without_work(mut self) -> Unit {
        self.search.counts = Counts::default();
        self
    }

    /// The counts of work, the schedule and the limit, without open nodes.
    #[must_use]
    pub fn without_nodes(&self) -> Unit {
        let Checkpoint { best, counts, .. } = &self.search;
        let (best, counts) = (best.clone(), *counts);
        let Checkpoint { limit, branching_limit, by_device, .. } = self.search;
        let open = Vec::new().into();
        let search = Checkpoint { limit, branching_limit, best, counts, by_device, open };
        self.tree.unit(search)
    }

    /// Takes over a schedule that another unit has found, and its limit.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if it is no sequence of the instance.
    pub fn offer(&mut self, schedule: &Permutation) -> Result<()> {
        let makespan = schedule.makespan(self.tree.instance())?;
        // An instance has no longer schedules.
        let value = u32::try_from(makespan).unwrap_or(u32::MAX);
        if value < self.search.best.value {
            self.search.best.value = value;
            self.search.best.order = schedule.jobs().to_vec();
        }
        self.search.limit = self.search.limit.min(value);
        Ok(())
    }

    /// Both parts as one unit, without an epoch. Its schedule is the better one, its limit the
    /// lower one, its work the sum.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the other unit belongs to another tree; [`Error::OutOfMemory`].
    pub fn merge(mut self, other: Unit) -> Result<Unit> {
        self.take_knowledge(&other)?;
        let sum = |one: u64, other: u64| (one + other).min(MOST_DONE);
        let (own, done) = (&mut self.search.counts, other.search.counts);
        (own.nodes, own.bounds) = (sum(own.nodes, done.nodes), sum(own.bounds, done.bounds));
        let mut open = self.search.open.into_owned();
        open.try_extend(other.search.open.into_owned())?;
        self.search.open = open.into();
        self.drop_closed();
        Ok(self.with_epoch(0))
    }

    /// Takes over the other unit's schedule and limit, if both have the same tree.
    fn take_knowledge(&mut self, other: &Unit) -> Result<()> {
        if !self.tree.is(&other.tree) || self.search.branching_limit != other.search.branching_limit
        {
            return Err(Error::argument("unit", "belongs to another search tree"));
        }
        let (own, other) = (&mut self.search, &other.search);
        if other.best.value < own.best.value {
            own.best = other.best.clone();
        }
        own.limit = own.limit.min(other.limit);
        own.by_device |= other.by_device;
        Ok(())
    }

    /// Drops the nodes that the limit closes.
    fn drop_closed(&mut self) {
        let limit = self.search.limit;
        self.search.open.to_mut().retain(|node| node.bound < limit);
    }

    /// The unit's open nodes, which are then gone from it.
    fn take_open(&mut self) -> Vec<Open> {
        self.drop_closed();
        std::mem::take(self.search.open.to_mut())
    }
}

impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (jobs, machines) = (self.instance().jobs(), self.instance().machines());
        f.debug_struct("Tree").field("jobs", &jobs).field("machines", &machines).finish()
    }
}

impl fmt::Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unit")
            .field("epoch", &self.epoch)
            .field("limit", &self.search.limit)
            .field("best", &self.search.best.value)
            .field("nodes", &self.search.counts.nodes)
            .field("open", &self.search.open.len())
            .finish()
    }
}
