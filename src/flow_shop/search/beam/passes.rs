//! The passes of beam search, each on the engine that was faster. All engines keep the same nodes.

use std::cell::RefCell;
use std::iter;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::device::Together;
use super::{DeviceTree, Pass, devices_for, on_cpu, on_device, on_devices};
use super::{widest, widest_on_device};
use crate::context::{Crewing, EngineTrial, Readiness};
use crate::flow_shop::search::{WORTH_A_LOOK, WORTH_OPENING};
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Dispatch, Error, Forecast, Result, Team};

/// Seconds that every device needs for a level, which takes a dozen launches. Where the CPU is
/// faster, no device is tried.
const LEVEL_ON_DEVICE: f64 = 5e-5;
/// If a level takes a device less than this many seconds, launches take most of the time, and a wider
/// pass takes hardly longer.
const LAUNCH_BOUND: f64 = 5e-4;
/// A pass on the CPU that is younger than this moves to a device that becomes ready.
const YOUNG: Duration = Duration::from_millis(50);
/// The least time and levels of a device before it is compared with the CPU.
const UNCOMPARED: Duration = Duration::from_millis(20);
const LEVELS: usize = 3;

/// Seconds of a device's pass, and of each of its levels on the average, from which on the next pass,
/// which is wider, is shared with further devices. They meet some times in each level.
const WORTH_SHARING: f64 = 0.25;
const LEVEL_WORTH_SHARING: f64 = 5e-4;

/// The trees of a beam search, one for each guide and cutoff.
pub(in crate::flow_shop) trait Trees {
    type Guide: Copy;
    type Value: Copy + Ord + std::fmt::Debug + Send;
    type Tree<'t>: DeviceTree<Value = Self::Value>
    where
        Self: 't;

    /// Above the values of all sequences.
    const WORST: Self::Value;

    fn jobs(&self) -> usize;

    /// Whether a device can search the trees.
    fn has_kernels(&self) -> bool;

    fn tree<'t>(
        &'t self,
        monitor: &'t Monitor,
        request: &Request<'_, Self>,
    ) -> Result<Self::Tree<'t>>;
}

/// A pass for values below `target`.
pub(in crate::flow_shop) struct Request<'r, T: Trees + ?Sized> {
    pub(in crate::flow_shop) guide: T::Guide,
    pub(in crate::flow_shop) width: usize,
    pub(in crate::flow_shop) target: T::Value,
    /// The best sequence so far.
    pub(in crate::flow_shop) best: &'r [u32],
}

/// The passes of a beam search, and the engines' rates.
pub(super) struct Passes<'a, T: Trees> {
    context: &'a Context,
    monitor: &'a Monitor,
    trees: &'a T,
    /// The children of the widest pass.
    most: u64,
    /// The engines' rates, if they compete. Children are the measure of work.
    trial: Option<EngineTrial>,
    /// Seconds of the device's last pass, if launches took most of it.
    launch_bound: Option<f64>,
    /// The further devices, and whether they take part by now.
    team: Team<'a>,
    is_shared: bool,
    /// Whether a device's memory is too small for a pass of the CPU's width.
    is_cramped: bool,
    begun: Instant,
}

impl<'a, T: Trees> Passes<'a, T> {
    pub(super) fn new(
        context: &'a Context,
        monitor: &'a Monitor,
        trees: &'a T,
        widest: usize,
        dispatch: &Dispatch<'_>,
    ) -> Self {
        Passes {
            context,
            monitor,
            trees,
            most: children(trees.jobs(), widest),
            trial: dispatch.is_auto().then(EngineTrial::default),
            launch_bound: None,
            team: context.team(monitor),
            is_shared: false,
            is_cramped: false,
            begun: Instant::now(),
        }
    }

    /// Runs a pass. If a device turns out to be slower than the CPU, the CPU runs it.
    pub(super) fn run(
        &mut self,
        request: &Request<'_, T>,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<Pass<T::Value>> {
        loop {
            if let Some(pass) = self.attempt(request, dispatch)? {
                return Ok(pass);
            }
        }
    }

    /// Logs how long each engine worked, and records which devices took part.
    pub(super) fn end(self, dispatch: &mut Dispatch<'_>) {
        if let Some(trial) = &self.trial {
            dispatch.log_turns("beam search", trial);
        }
        dispatch.shared_with(self.team);
    }

    /// Runs a pass on the engine whose turn it is. None if a device gave up.
    fn attempt(
        &mut self,
        request: &Request<'_, T>,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<Option<Pass<T::Value>>> {
        let is_long = self.trees.has_kernels() && self.is_long();
        let readiness = dispatch.readiness(self.monitor, is_long);
        let is_fit = self.trees.has_kernels() && !self.is_cramped;
        let is_ready = matches!(readiness, Readiness::Ready) && is_fit;
        let (side, length) = self.turn(request.width, is_ready);
        let forecast = match side.has_device() {
            true => Forecast::device_preferred("beam"),
            false => Forecast::cpu_preferred("beam"),
        };
        let monitor = self.monitor;
        let passes = RefCell::new(self);
        dispatch.run(
            monitor,
            &forecast,
            |device| passes.borrow_mut().on_device(request, device, length),
            |until| passes.borrow_mut().on_cpu(request, until).map(Some),
        )
    }

    /// The engine of a pass, and how long a device may take before it is compared with the CPU.
    fn turn(&mut self, width: usize, is_ready: bool) -> (Crewing, Duration) {
        let on_cpu = self.on_cpu_seconds(width);
        let jobs = self.trees.jobs();
        let can_gain = on_cpu.is_some_and(|seconds| seconds >= jobs as f64 * LEVEL_ON_DEVICE);
        let Some(trial) = &mut self.trial else {
            let side = if is_ready { Crewing::Device } else { Crewing::Cpu };
            return (side, Duration::MAX);
        };
        // A pass is not given to a slower CPU, which could not stop midway.
        let cpu_is_slower = trial.rate(Crewing::Device) > trial.rate(Crewing::Cpu);
        let is_wide_enough = self.launch_bound.is_some_and(|seconds| on_cpu > Some(seconds));
        let (side, length) = match is_ready && is_wide_enough {
            true => (Crewing::Device, UNCOMPARED),
            false => trial.next(|side| match side {
                Crewing::Cpu => !(is_ready && cpu_is_slower),
                Crewing::Device => is_ready && can_gain,
                Crewing::Both => false,
            }),
        };
        let levels = on_cpu.unwrap_or(0.0) * LEVELS as f64 / jobs as f64;
        (side, length.max(Duration::try_from_secs_f64(levels).unwrap_or(length)))
    }

    /// Seconds of a pass on the CPU, once one was measured.
    fn on_cpu_seconds(&self, width: usize) -> Option<f64> {
        let rate = self.trial.as_ref()?.rate(Crewing::Cpu)?;
        Some(children(self.trees.jobs(), width) as f64 / rate)
    }

    /// Whether it is worth while to look for a device.
    fn is_long(&self) -> bool {
        let rate = self.trial.as_ref().and_then(|trial| trial.rate(Crewing::Cpu));
        let left = rate.map_or(0.0, |rate| self.most as f64 / rate);
        self.begun.elapsed() >= WORTH_A_LOOK && left >= WORTH_OPENING
    }

    fn note(&mut self, side: Crewing, children: u64, time: Duration) {
        if let Some(trial) = &mut self.trial {
            trial.note(side, children, time);
        }
    }

    /// Runs a pass on the CPU. If it has just begun when `until` ends it, it is stopped.
    fn on_cpu(&mut self, request: &Request<'_, T>, until: &Monitor) -> Result<Pass<T::Value>> {
        let width = request.width;
        let begun = Instant::now();
        let awaited = until.clone();
        let part = until.until(move || begun.elapsed() < YOUNG && awaited.should_stop());
        let tree = self.trees.tree(&part, request)?;
        let work = || on_cpu(&tree, &part, width);
        let pass = self.context.install_reporting(&part, "beam", || None, work);
        until.join(&part);
        let pass = pass??;
        self.note(Crewing::Cpu, children(self.trees.jobs(), width), begun.elapsed());
        Ok(pass)
    }

    /// Runs a pass on a device. Gives up if the CPU would do the whole pass sooner than the device
    /// the rest.
    fn on_device(
        &mut self,
        request: &Request<'_, T>,
        device: &Device,
        length: Duration,
    ) -> Result<Option<Pass<T::Value>>> {
        let (monitor, width) = (self.monitor, request.width);
        let jobs = self.trees.jobs();
        let pace = Arc::new(Pace {
            // Devices that share a pass may have to be opened first.
            begun: if self.is_shared { OnceLock::new() } else { Instant::now().into() },
            length,
            rival: self.on_cpu_seconds(width),
            jobs,
            width,
            levels: AtomicUsize::new(0),
        });
        let watched = Arc::clone(&pace);
        let part = monitor.until(move || watched.is_behind());
        let tree = self.trees.tree(&part, request)?;
        if self.trial.is_some() {
            let most = width.min(widest(&tree, monitor)?);
            if widest_on_device(&tree, device, monitor, width)? < most {
                self.is_cramped = true;
                return Ok(None);
            }
        }
        let team = &self.team;
        let may_share = !self.is_shared && children(jobs, width) < self.most;
        let progress = |levels| {
            pace.note(levels);
            // The next pass probably is shared.
            if may_share && pace.elapsed().as_secs_f64() >= worth_sharing(jobs) / 2.0 {
                team.open_ahead();
            }
        };
        let pass = match self.is_shared {
            true => self.on_devices(&tree, device, &part, width, &progress),
            false => on_device(self.context, &tree, device, &part, width, &progress),
        };
        monitor.join(&part);
        match pass {
            Err(error) if matches!(*error, Error::Stopped) && part.is_relieved() => {
                self.note(Crewing::Device, pace.children(), pace.elapsed());
                self.launch_bound = None;
                Ok(None)
            }
            pass => {
                let (pass, time) = (pass?, pace.elapsed());
                self.note(Crewing::Device, children(jobs, width), time);
                let seconds = time.as_secs_f64();
                self.launch_bound = Some(seconds).filter(|_| seconds < LAUNCH_BOUND * jobs as f64);
                self.is_shared |= seconds >= worth_sharing(jobs);
                Ok(Some(pass))
            }
        }
    }

    /// Runs a pass on the chosen device and the further ones. One that fails is left out, and the
    /// others begin the pass again.
    fn on_devices(
        &self,
        tree: &T::Tree<'_>,
        chosen: &Device,
        part: &Monitor,
        width: usize,
        progress: &(dyn Fn(usize) + Sync),
    ) -> Result<Pass<T::Value>> {
        loop {
            let able = devices_for(tree, chosen, &self.team, part, width)?;
            let (places, further): (Vec<usize>, Vec<&Device>) = able.into_iter().unzip();
            if further.is_empty() {
                return on_device(self.context, tree, chosen, part, width, progress);
            }
            let devices: Vec<&Device> = iter::once(chosen).chain(further).collect();
            let together = Together::new(&devices);
            let pass = on_devices(self.context, tree, (chosen, &together), part, width, progress);
            match pass {
                Ok(pass) => {
                    places.into_iter().for_each(|place| self.team.joined(place));
                    return Ok(pass);
                }
                Err(failure) => self.team.blame(&places, failure)?,
            }
        }
    }
}

/// Seconds of a pass from which on the next one is shared.
fn worth_sharing(jobs: usize) -> f64 {
    WORTH_SHARING.max(LEVEL_WORTH_SHARING * jobs as f64)
}

/// The children of a pass that drops none below the cutoff.
fn children(jobs: usize, width: usize) -> u64 {
    children_of_levels(jobs, width, jobs)
}

/// The children of the first levels of such a pass.
fn children_of_levels(jobs: usize, width: usize, levels: usize) -> u64 {
    let mut nodes: u64 = 1;
    let level = |depth: usize| {
        let children = u64::saturating_mul(nodes, (jobs - depth) as u64);
        nodes = children.min(width as u64);
        children
    };
    (0..levels).map(level).fold(0, u64::saturating_add)
}

/// The device's part of a race against the CPU.
struct Pace {
    /// Without a time, the pass begins with its first level.
    begun: OnceLock<Instant>,
    /// How long the device is not compared.
    length: Duration,
    /// Seconds of the pass on the CPU, if it competes.
    rival: Option<f64>,
    jobs: usize,
    width: usize,
    /// Levels completed.
    levels: AtomicUsize,
}

impl Pace {
    fn note(&self, levels: usize) {
        self.begun.get_or_init(Instant::now);
        self.levels.store(levels, Ordering::Relaxed);
    }

    fn elapsed(&self) -> Duration {
        self.begun.get().map_or(Duration::ZERO, Instant::elapsed)
    }

    fn children(&self) -> u64 {
        children_of_levels(self.jobs, self.width, self.levels.load(Ordering::Relaxed))
    }

    /// Whether the CPU would do the whole pass sooner than the device the rest.
    fn is_behind(&self) -> bool {
        self.is_behind_after(self.elapsed())
    }

    fn is_behind_after(&self, time: Duration) -> bool {
        let Some(rival) = self.rival.filter(|_| time >= self.length) else { return false };
        if self.levels.load(Ordering::Relaxed) == self.jobs {
            return false;
        }
        let done = self.children().max(1) as f64;
        let left = children(self.jobs, self.width) as f64 - done;
        time.as_secs_f64() * left / done > rival
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_those_of_full_levels() {
        assert_eq!(children(3, 100), 3 + 6 + 6);
        assert_eq!(children(4, 5), 4 + 4 * 3 + 5 * 2 + 5);
        assert_eq!(children_of_levels(4, 5, 2), 16);
        assert_eq!(children(0, 5), 0);
        assert!(children(2, usize::MAX) == 4 && children(1 << 20, usize::MAX) == u64::MAX);
    }

    #[test]
    fn a_device_that_falls_behind_gives_up() {
        let millis = Duration::from_millis;
        let pace = |rival, levels| Pace {
            begun: Instant::now().into(),
            length: millis(20),
            rival,
            jobs: 10,
            width: 1,
            levels: AtomicUsize::new(levels),
        };
        assert!(!pace(Some(1e-6), 0).is_behind_after(millis(19)), "it is compared too early");
        assert!(pace(Some(0.1), 0).is_behind_after(millis(20)), "it has done nothing");
        // 10 of 55 children: 4.5 times as long for the rest.
        assert!(pace(Some(0.08), 1).is_behind_after(millis(20)));
        assert!(!pace(Some(0.10), 1).is_behind_after(millis(20)));
        assert!(!pace(Some(0.0), 10).is_behind_after(millis(20)), "it is done");
        assert!(!pace(None, 0).is_behind_after(millis(20)), "it has no rival");
    }
}
