//! Compares configurations by alternating runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::super::device::Device;
use super::super::recipe::KernelFamily;
use super::super::trial::Failing;
use super::super::tuning::Defines;
use super::super::workload::{Case, Workload};
use super::descent::Judge;
use super::{Change, Effort, FamilyTuning, Work, retuned};
use crate::{Result, memory};

/// A configuration is better if it takes at most this share of the time.
const BETTER: f64 = 0.98;
/// A configuration that takes this much longer after [`FIRST_ROUNDS`] rounds is given up.
const HOPELESS: f64 = 1.1;
const FIRST_ROUNDS: usize = 3;
/// Runs that must fit into the time to prepare the largest case.
const RUNS: u32 = 10;
/// A case grows by this many sizes at most at once, since short runs say little about long ones.
const MOST_GROWTH: f64 = 4.0;

/// A device with values of a family's tunables.
pub(super) struct Contestant {
    pub(super) values: Defines,
    device: Device,
}

impl Contestant {
    pub(super) fn new(
        device: &Device,
        family: &KernelFamily,
        values: Defines,
    ) -> Result<Contestant> {
        // Most configurations lose, and a self-test takes longer than to see that.
        Ok(Contestant { device: retuned(device, family, &values)?.untested(), values })
    }

    fn run(&self, case: &SizedCase) -> Result<f64, Failing> {
        let time = case.run_on(&self.device)?;
        // A clock may be too coarse for a short run.
        Ok(time.max(Duration::from_nanos(1)).as_secs_f64())
    }
}

/// A case of a workload that is long enough to be timed.
pub(super) struct SizedCase {
    workload: &'static Workload,
    run: Case,
}

impl SizedCase {
    /// The smallest case whose runs are long enough, or else the largest that can be prepared and
    /// run in time.
    pub(super) fn new(
        workload: &'static Workload,
        contestant: &Contestant,
        effort: &Effort,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<SizedCase>, Failing> {
        let mut chosen = None;
        let mut size = 0;
        while goes_on() {
            let start = Instant::now();
            let Some(run) = (workload.case)(&contestant.device, size)? else { break };
            let prepared = start.elapsed();
            let case = chosen.insert(SizedCase { workload, run });
            // The first run builds the kernels.
            contestant.run(case)?;
            let start = Instant::now();
            let time = contestant.run(case)?;
            // Part of a run may not count.
            let cost = prepared.max(start.elapsed() * RUNS);
            let wanted = effort.enough.as_secs_f64() / time;
            let affordable = effort.patience.as_secs_f64() / cost.as_secs_f64().max(1e-9);
            if wanted <= 1.0 || affordable < 2.0 {
                break;
            }
            size += wanted.min(affordable).log2().clamp(1.0, MOST_GROWTH) as u32;
        }
        Ok(chosen)
    }

    /// Runs the case. Results that make the host's code panic count as wrong.
    fn run_on(&self, device: &Device) -> Result<Duration, Failing> {
        catch_unwind(AssertUnwindSafe(|| (self.run)(device))).unwrap_or_else(|_| {
            Err(Failing::Wrong("its results made the host's code panic".into()))
        })
    }

    pub(super) fn depends_on(&self, tunable: &str) -> bool {
        self.workload.depends_on(tunable)
    }
}

/// Times of one case: the present configuration's and the other's.
struct Times {
    present: f64,
    other: f64,
}

/// How a comparison ended.
enum End {
    /// Ratio of the other's times to the present ones: the geometric mean over the cases.
    Ratio(f64, Vec<Times>),
    /// The other configuration can't be used.
    Refused(Failing),
}

/// The search for the fastest configuration of a family.
pub(super) struct Contest<'c> {
    device: &'c Device,
    family: &'static KernelFamily,
    cases: &'c [SizedCase],
    effort: &'c Effort,
    goes_on: &'c dyn Fn() -> bool,
    start: Contestant,
    /// The best one so far, unless that is the first one.
    best: Option<Contestant>,
    tried: usize,
    refused: Vec<String>,
    /// Why the best configuration failed.
    failing: Option<Failing>,
}

impl<'c> Contest<'c> {
    pub(super) fn new(
        device: &'c Device,
        family: &'static KernelFamily,
        cases: &'c [SizedCase],
        effort: &'c Effort,
        start: Contestant,
        goes_on: &'c dyn Fn() -> bool,
    ) -> Self {
        Contest {
            device,
            family,
            cases,
            effort,
            goes_on,
            start,
            best: None,
            tried: 0,
            refused: Vec::new(),
            failing: None,
        }
    }

    pub(super) fn start(&self) -> &Contestant {
        &self.start
    }

    /// Takes back each change without which the best configuration is as fast. Then compares it with
    /// the first one once more, by all cases that depend on the other changes.
    pub(super) fn conclude(mut self) -> Result<FamilyTuning, Failing> {
        if let Some(failing) = self.failing.take() {
            return Err(failing);
        }
        let (mut changes, mut works) = (Vec::new(), Vec::new());
        if let Some(best) = self.best.take() {
            let best = self.without_idle_changes(best)?;
            let before = &self.start.values;
            let changed = best.values.iter().filter(|&(name, value)| before[name] != *value);
            let change = |(&name, &after)| Change { name, before: before[name], after };
            let found: Vec<Change> = changed.map(change).collect();
            let depends =
                |case: &&SizedCase| found.iter().any(|change| case.depends_on(change.name));
            let cases: Vec<&SizedCase> = self.cases.iter().filter(depends).collect();
            // Without some changes it is another configuration than the one that was tested.
            if let Err(failing) = self.check(&best.values, &cases) {
                self.refused.push(failing.to_string());
                let (tried, refused) = (self.tried, self.refused);
                return Ok(FamilyTuning { changes, works, tried, refused });
            }
            match self.compare(&self.start, &best, &cases)? {
                End::Ratio(ratio, times) if ratio <= BETTER => {
                    let work = |(case, Times { present, other }): (&&SizedCase, Times)| Work {
                        name: case.workload.name,
                        before: present,
                        after: other,
                    };
                    works = cases.iter().zip(times).map(work).collect();
                    changes = found;
                }
                End::Ratio(..) => {}
                End::Refused(failing) => return Err(failing),
            }
        }
        Ok(FamilyTuning { changes, works, tried: self.tried, refused: self.refused })
    }

    /// The best configuration with the first values of those tunables that do not make it faster.
    fn without_idle_changes(&self, mut best: Contestant) -> Result<Contestant, Failing> {
        for (name, value) in &self.start.values {
            if best.values[name] == *value {
                continue;
            }
            let mut values = best.values.clone();
            values.insert(name, *value);
            let other = Contestant::new(self.device, self.family, values)?;
            let cases: Vec<_> = self.cases.iter().filter(|case| case.depends_on(name)).collect();
            match self.compare(&best, &other, &cases)? {
                // The change saves enough.
                End::Ratio(ratio, _) if ratio * BETTER >= 1.0 => {}
                End::Ratio(..) => best = other,
                // It can't be taken back alone.
                End::Refused(_) => {}
            }
        }
        Ok(best)
    }

    /// Compares two configurations. An error is the present one's.
    fn compare(
        &self,
        present: &Contestant,
        other: &Contestant,
        cases: &[&SizedCase],
    ) -> Result<End, Failing> {
        let (mut logarithms, mut times) = (0.0, Vec::new());
        for case in cases {
            // The first run builds the kernels and compares the results.
            if let Err(failing) = other.run(case) {
                return Ok(End::Refused(failing));
            }
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for round in 0..self.effort.rounds {
                if round == FIRST_ROUNDS && median(&theirs) > HOPELESS * median(&ours) {
                    break;
                }
                let others_turn =
                    |theirs: &mut Vec<f64>| other.run(case).map(|time| theirs.push(time));
                // Neither is always the first.
                let (first, second) = (round % 2 == 1, round % 2 == 0);
                if first && let Err(failing) = others_turn(&mut theirs) {
                    return Ok(End::Refused(failing));
                }
                ours.push(present.run(case)?);
                if second && let Err(failing) = others_turn(&mut theirs) {
                    return Ok(End::Refused(failing));
                }
            }
            let found = Times { present: median(&ours), other: median(&theirs) };
            logarithms += (found.other / found.present).ln();
            times.push(found);
        }
        Ok(End::Ratio((logarithms / cases.len().max(1) as f64).exp(), times))
    }

    /// Whether the programs of a configuration pass their self-tests.
    fn check(&self, values: &Defines, cases: &[&SizedCase]) -> Result<(), Failing> {
        let device = retuned(self.device, self.family, values)?;
        cases.iter().try_for_each(|case| case.run_on(&device).map(|_| ()))
    }

    /// Whether a configuration is better in two comparisons, one of which may be luck, and passes
    /// its self-tests.
    fn is_better(&mut self, other: &Contestant, changed: &'static str) -> Result<bool, Failing> {
        let cases: Vec<_> = self.cases.iter().filter(|case| case.depends_on(changed)).collect();
        for _ in 0..2 {
            match self.compare(self.best.as_ref().unwrap_or(&self.start), other, &cases)? {
                End::Ratio(ratio, _) if ratio <= BETTER => {}
                End::Ratio(..) => return Ok(false),
                End::Refused(failing) => return Ok(self.refuse(other, changed, &failing)),
            }
        }
        match self.check(&other.values, &cases) {
            Ok(()) => Ok(true),
            Err(failing) => Ok(self.refuse(other, changed, &failing)),
        }
    }

    /// Notes why a configuration is not better.
    fn refuse(&mut self, other: &Contestant, changed: &'static str, failing: &Failing) -> bool {
        self.refused.push(format!("{changed} {}: {failing}", other.values[changed]));
        false
    }
}

impl Judge for Contest<'_> {
    fn prefers(&mut self, other: &Defines, _: &Defines, changed: &'static str) -> bool {
        self.tried += 1;
        let found = Contestant::new(self.device, self.family, other.clone())
            .map_err(Failing::from)
            .and_then(|other| Ok(self.is_better(&other, changed)?.then_some(other)));
        match found {
            Ok(Some(other)) => {
                self.best = Some(other);
                true
            }
            Ok(None) => false,
            Err(failing) => {
                self.failing = Some(failing);
                false
            }
        }
    }

    fn goes_on(&self) -> bool {
        self.failing.is_none() && (self.goes_on)()
    }
}

/// The middle of some times; the mean of both middles if their number is even.
fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by_cached_key(|&time| memory::key(time));
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::INFINITY,
        count if count % 2 == 1 => sorted[middle],
        _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 100.0]), 3.0);
    }
}
