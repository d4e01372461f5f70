//! 1||sum w_j C_j: one machine, jobs with weights, the least sum of weighted completion times.
//!
//! [`solve`] sequences the jobs by Smith's rule, which is optimal.

mod format;
mod instance;
mod options;
mod sequence;
mod smith;

pub use instance::Instance;
pub use options::Options;
pub use sequence::Sequence;

use crate::solve::{
    Certificate, Found, Monitor, Outcome, Report, Sense, SolveOptions, unless_stopped,
};
use crate::{Context, Error, Result};

/// Bytes of the lists for each job: two sequences.
const JOB_BYTES: u128 = 8;

/// Sequences the jobs so that the sum of their weighted completion times is least.
///
/// There always is a sequence. If a limit or a stop request comes before the jobs are sorted, it is
/// their order in the instance, with the status [`Status::Feasible`](crate::Status::Feasible)
/// unless the bound proves it optimal. Otherwise the status is
/// [`Status::Optimal`](crate::Status::Optimal). The sort is one iteration. May be called on several
/// threads at once.
///
/// # Errors
/// [`Error::OutOfMemory`], and with [`Engine::Device`](crate::Engine::Device)
/// [`Error::Unsupported`]: there are no kernels.
pub fn solve(
    context: &Context,
    instance: &Instance,
    _options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Sequence>> {
    if context.wants_device(solve_options.engine) {
        return Err(Error::unsupported("sequences of a single machine on a device"));
    }
    let monitor = context.watch(Sense::Minimise, solve_options)?;
    let dispatch = context.dispatch(solve_options.engine)?;
    let bytes = instance.jobs() as u128 * JOB_BYTES;
    monitor.expect_lists(bytes, || format!("sequences of {} jobs", instance.jobs()))?;
    let mut report = Report { method: "smith", ..Report::default() };

    let mut best = Incumbent::start(instance, &monitor)?;
    // After a stop, the first sequence and its bound are the result.
    unless_stopped(best.sort(instance, &monitor))?;

    dispatch.finish(&monitor, &mut report);
    let found = best.sequence.cost(instance)?;
    let certificate = Certificate::new(Sense::Minimise, best.cost, found, Some(best.bound))?;
    Ok(monitor.conclude(certificate.outcome(Some(best.sequence), report)))
}

/// The best sequence and the best bound so far.
struct Incumbent {
    sequence: Sequence,
    /// The cost as the method has it; evaluated again at the end.
    cost: u64,
    bound: u64,
}

impl Incumbent {
    /// The order of the instance, and the bound that no job ends before its own time is over.
    fn start(instance: &Instance, monitor: &Monitor) -> Result<Self> {
        monitor.enter("start")?;
        let order = smith::given_order(instance)?;
        let (cost, bound) = (smith::cost(instance, &order), smith::alone(instance));
        let best = Incumbent { sequence: Sequence::new(order), cost, bound };
        best.note(monitor);
        monitor.report("start", None);
        Ok(best)
    }

    /// Smith's rule, which proves its sequence optimal.
    fn sort(&mut self, instance: &Instance, monitor: &Monitor) -> Result<()> {
        if self.cost == self.bound {
            return Ok(());
        }
        monitor.enter("smith")?;
        monitor.begin_iteration()?;
        let order = smith::sequence(instance)?;
        self.cost = smith::cost(instance, &order);
        self.bound = self.cost;
        self.sequence = Sequence::new(order);
        self.note(monitor);
        monitor.report("smith", None);
        Ok(())
    }

    /// Gives the sequence to the monitor, where a progress callback can read it.
    fn note(&self, monitor: &Monitor) {
        monitor.note_found(self.cost, Some(self.bound), || {
            let sequence = self.sequence.clone();
            Found::new(|| Some(sequence))
        });
    }
}
