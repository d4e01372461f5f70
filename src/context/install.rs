//! Work on the context's threads.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use rayon::ThreadPool;

use super::Context;
use super::pool::Lent;
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// Interval of progress reports while the pool works.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);

/// Work for the pool, without its type, so that the pool's code is compiled once. `dyn FnMut` would
/// be a `FnOnce`, too, and the library would have the work twice.
trait Work: Send {
    fn run(&mut self);
}

/// Work that runs once, and its result.
struct Task<W, T> {
    work: Option<W>,
    result: Option<T>,
}

impl<T: Send, W: FnOnce() -> T + Send> Work for Task<W, T> {
    fn run(&mut self) {
        self.result = self.work.take().map(|work| work());
    }
}

impl Context {
    /// Runs `work` on the pool, and with it rayon's parallel iterators.
    pub(crate) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> Result<T> {
        once(work, |work| self.run_on_pool(work))
    }

    fn run_on_pool(&self, work: &mut dyn Work) -> Result<()> {
        if self.pools.is_inside() {
            work.run();
            return Ok(());
        }
        memory::check_headroom()?;
        match self.pool().get() {
            Some(pool) => pool.install(|| work.run()),
            None => work.run(),
        }
        Ok(())
    }

    /// Runs `work` on the pool like [`Context::install`]. The calling thread reports progress
    /// meanwhile, since callbacks are promised to run on it. `fraction` returns the finished share,
    /// if known.
    pub(crate) fn install_reporting<T: Send>(
        &self,
        monitor: &Monitor,
        phase: &'static str,
        fraction: impl Fn() -> Option<f64>,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T> {
        once(work, |work| self.run_on_pool_reporting(monitor, phase, &fraction, work))
    }

    fn run_on_pool_reporting(
        &self,
        monitor: &Monitor,
        phase: &'static str,
        fraction: &dyn Fn() -> Option<f64>,
        work: &mut dyn Work,
    ) -> Result<()> {
        if self.pools.is_inside() {
            // A pool thread that waited could block the work, and it has no callback to report to.
            work.run();
            return Ok(());
        }
        monitor.check_room()?;
        match self.pool().get() {
            Some(pool) => run_reporting(pool, monitor, phase, fraction, work),
            None => work.run(),
        }
        Ok(())
    }

    fn pool(&self) -> Lent<'_> {
        let pool = self.pools.lend();
        let started = pool.get().map_or(0, ThreadPool::current_num_threads);
        let wanted = self.pools.wanted();
        if started < wanted {
            let warning = || format!("the system started only {started} of {wanted} threads");
            self.warned.call_once(|| self.log.warn(warning));
        }
        pool
    }
}

/// Passes `work` to `run`, which calls it once, and returns its result.
fn once<T: Send>(
    work: impl FnOnce() -> T + Send,
    run: impl FnOnce(&mut dyn Work) -> Result<()>,
) -> Result<T> {
    let mut task = Task { work: Some(work), result: None };
    run(&mut task)?;
    // A panic of the work leaves `run` as a panic.
    task.result.ok_or_else(|| Error::internal("work on the pool ended without a result"))
}

fn run_reporting(
    pool: &ThreadPool,
    monitor: &Monitor,
    phase: &'static str,
    fraction: &dyn Fn() -> Option<f64>,
    work: &mut dyn Work,
) {
    let (sender, receiver) = mpsc::sync_channel(1);
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            work.run();
            // The receiver waits until the work ends, so this can't fail.
            let _ = sender.send(());
        });
        // If the work panics, the channel closes, and the panic leaves the scope.
        while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(REPORT_INTERVAL) {
            monitor.report(phase, fraction());
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use rayon::prelude::*;

    use super::*;
    use crate::context::pool::Pools;
    use crate::testing::{cpu_context, limited, monitor};
    use crate::{
        Control, Limits, Progress, ProgressCallback, SolveOptions, flow_shop, interval_dp, parallel,
    };

    #[test]
    fn work_on_the_pool_may_use_it_again() {
        let (context, monitor) = (cpu_context(2), monitor());
        let inner = || (0..4).into_par_iter().map(|_| 1).sum::<u64>();
        let outer = || {
            let nested = (0..4).into_par_iter();
            nested
                .map(|_| context.install_reporting(&monitor, "phase", || None, inner).unwrap())
                .sum::<u64>()
        };
        assert_eq!(context.install_reporting(&monitor, "phase", || None, outer).unwrap(), 16);
    }

    #[test]
    fn where_no_thread_starts_the_caller_works_alone() {
        let mut context = cpu_context(4);
        context.pools = Arc::new(Pools::empty());
        assert_eq!(context.threads(), 1);
        let caller = thread::current().id();
        let work = || {
            let mut found = parallel::try_map(0..9, |part| {
                assert_eq!(thread::current().id(), caller);
                Ok(9 - part)
            })?;
            parallel::sort_by_key(&mut found, |&part| part);
            Result::<Vec<i32>>::Ok(found)
        };
        let expected: Vec<_> = (1..10).collect();
        let monitor = monitor();
        assert_eq!(context.install(work).unwrap().unwrap(), expected);
        let reported = context.install_reporting(&monitor, "phase", || None, work);
        assert_eq!(reported.unwrap().unwrap(), expected);
        // These methods use the pool in their own ways.
        let shop = flow_shop::Instance::named("ta001").unwrap();
        let few = limited(Limits { iterations: Some(20), ..Limits::default() });
        assert!(flow_shop::solve(&context, &shop, &flow_shop::Options::default(), &few).is_ok());
        let chain =
            interval_dp::Instance::matrix_chain((1..300i64).map(|i| 1 + i * i % 101).collect())
                .unwrap();
        let cost = |method| {
            let options = interval_dp::Options { method, ..interval_dp::Options::default() };
            interval_dp::solve(&context, &chain, &options, &SolveOptions::default())
                .unwrap()
                .objective
        };
        assert_eq!(cost(interval_dp::Method::Cubic), cost(interval_dp::Method::Auto));
    }

    #[test]
    fn the_calling_thread_reports_while_the_pool_works_and_may_stop_it() {
        let caller = thread::current().id();
        let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
            assert_eq!((thread::current().id(), progress.fraction), (caller, Some(0.5)));
            Control::Stop
        });
        let monitor =
            Monitor::new(&SolveOptions { progress: Some(progress), ..SolveOptions::default() });
        let context = cpu_context(1);
        let work = || {
            while !monitor.should_stop() {
                thread::yield_now();
            }
            thread::current().id()
        };
        let worker = context.install_reporting(&monitor, "phase", || Some(0.5), work).unwrap();
        assert_ne!(worker, caller);
    }
}
