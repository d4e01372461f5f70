//! The choice among engines during a long search: each works on a slice of the same search, and the
//! faster one continues.
//!
//! The choice regrets little. An engine that is not the fastest gets at most [`SHARE`] of the time,
//! beyond its first slice. The slower it was, the less it gets. So it is tried again at intervals
//! that grow with the search, and takes over if it has become the fastest.

use std::time::Duration;

/// Who works on a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Crewing {
    Cpu,
    Device,
    /// The CPU and the device at once.
    Both,
}

/// Time of the first slice of each engine, in seconds.
const FIRST: f64 = 0.02;
/// Most of the time that each slower engine gets, once it has been tried.
const SHARE: f64 = 0.04;
/// The least share of an engine, however slow it was.
const LEAST_SHARE: f64 = 0.002;
/// A slice is long enough to measure a rate, and short enough to react to a change.
const SHORTEST: f64 = 0.01;
const LONGEST: f64 = 1.0;
/// An engine takes over only if it is faster by this factor: a change of engines takes time.
const FASTER: f64 = 1.1;
/// Both engines work at once only if the slower one has this share of the other one's rate.
const WORTH_SHARING: f64 = 0.25;

/// The rates of the engines in one search.
#[derive(Debug, Default)]
pub(crate) struct EngineTrial {
    records: [Record; 3],
    /// The present choice.
    leader: Option<Crewing>,
    /// Seconds of all slices.
    spent: f64,
}

/// What is known of an engine.
#[derive(Debug, Default, Clone, Copy)]
struct Record {
    /// Work in a second of the last slices; none before the first slice.
    rate: Option<f64>,
    /// Seconds of all its slices.
    seconds: f64,
    /// Seconds of its trials: of slices while another engine was the choice.
    spent: f64,
    /// Seconds by which its last trial exceeded the plan.
    overrun: f64,
    /// The planned end of the last trial, in seconds of trials.
    until: f64,
}

impl EngineTrial {
    /// The engine of the next slice, and how long the slice takes. `able` says who can work.
    pub(crate) fn next(&mut self, able: impl Fn(Crewing) -> bool) -> (Crewing, Duration) {
        let able: Vec<Crewing> =
            Crewing::ALL.into_iter().filter(|&side| able(side) && self.is_useful(side)).collect();
        let leader = self.lead(&able);
        let due = able.iter().copied().filter(|&side| side != leader);
        // Seconds until the next trial.
        let mut wait = LONGEST;
        for side in due {
            match self.trial(side, leader) {
                Ok(seconds) => {
                    let record = &mut self.records[side as usize];
                    record.until = record.spent + seconds;
                    return (side, Duration::from_secs_f64(seconds));
                }
                Err(seconds) => wait = wait.min(seconds),
            }
        }
        let first = if self.record(leader).rate.is_none() { FIRST } else { LONGEST };
        (leader, Duration::from_secs_f64(wait.min(first).max(SHORTEST)))
    }

    /// Records the work of a slice, or of a part of one.
    pub(crate) fn note(&mut self, side: Crewing, work: u64, time: Duration) {
        let seconds = time.as_secs_f64().max(1e-9);
        let rate = work as f64 / seconds;
        let record = &mut self.records[side as usize];
        // Long slices count more than short ones.
        let weight = seconds / (seconds + SHORTEST);
        let old = record.rate.unwrap_or(rate);
        record.rate = Some(old + (rate - old) * weight);
        self.charge(side, time);
    }

    /// Records time that an engine took in addition to its work, such as for a change of engines.
    pub(crate) fn charge(&mut self, side: Crewing, time: Duration) {
        let seconds = time.as_secs_f64();
        self.spent += seconds;
        self.records[side as usize].seconds += seconds;
        if self.leader != Some(side) {
            let record = &mut self.records[side as usize];
            record.spent += seconds;
            record.overrun = (record.spent - record.until).max(0.0);
        }
    }

    /// Work in a second of an engine's last slices; none before its first one.
    pub(crate) fn rate(&self, side: Crewing) -> Option<f64> {
        self.record(side).rate
    }

    /// Seconds that an engine worked.
    pub(crate) fn seconds(&self, side: Crewing) -> f64 {
        self.record(side).seconds
    }

    /// The engine that was the fastest, preferring the present one.
    fn lead(&mut self, able: &[Crewing]) -> Crewing {
        let rate = |side: Crewing| self.record(side).rate.unwrap_or(0.0);
        let known = self.leader.filter(|leader| able.contains(leader));
        let mut leader = known.or(able.first().copied()).unwrap_or(Crewing::Cpu);
        for &side in able {
            if rate(side) > rate(leader) * FASTER {
                leader = side;
            }
        }
        self.leader = Some(leader);
        leader
    }

    /// Whether to use this engine at all.
    fn is_useful(&self, side: Crewing) -> bool {
        let rate = |side| self.record(side).rate;
        match (side, rate(Crewing::Cpu), rate(Crewing::Device)) {
            (Crewing::Both, Some(cpu), Some(device)) => {
                cpu.min(device) >= WORTH_SHARING * cpu.max(device)
            }
            (Crewing::Both, ..) => false,
            _ => true,
        }
    }

    /// The seconds of a trial that is due, or the seconds until one is due.
    fn trial(&self, side: Crewing, leader: Crewing) -> Result<f64, f64> {
        let (record, best) = (self.record(side), self.record(leader).rate);
        // The leader shows its rate first.
        let Some(best) = best else { return Err(LONGEST) };
        let Some(rate) = record.rate else {
            let seconds = (self.spent * SHARE).clamp(FIRST, LONGEST);
            return if self.spent >= FIRST { Ok(seconds) } else { Err(FIRST - self.spent) };
        };
        let share = if rate < best { (SHARE * rate / best).max(LEAST_SHARE) } else { SHARE };
        // It may have spent twice as much by then, so the next interval is twice as long.
        let needed = (2.0 * record.spent).max(record.spent + SHORTEST + record.overrun);
        let due = needed / share;
        if self.spent >= due {
            let left = self.spent * share - record.spent - record.overrun;
            Ok(left.clamp(SHORTEST, LONGEST))
        } else {
            Err(due - self.spent)
        }
    }

    fn record(&self, side: Crewing) -> &Record {
        &self.records[side as usize]
    }
}

impl Crewing {
    const ALL: [Crewing; 3] = [Crewing::Cpu, Crewing::Device, Crewing::Both];

    /// Whether the device takes part.
    pub(crate) fn has_device(self) -> bool {
        self != Crewing::Cpu
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A search on engines of given speeds.
    struct Simulated<R> {
        /// Work in a second, by engine and time.
        rate: R,
        /// The least seconds of a slice of the device.
        grain: f64,
        trial: EngineTrial,
        now: f64,
        work: f64,
        /// Seconds by engine.
        spent: [f64; 3],
        changes: usize,
        last: Crewing,
    }

    impl<R: Fn(Crewing, f64) -> f64> Simulated<R> {
        fn of(rate: R, grain: f64) -> Self {
            Simulated {
                rate,
                grain,
                trial: EngineTrial::default(),
                now: 0.0,
                work: 0.0,
                spent: [0.0; 3],
                changes: 0,
                last: Crewing::Cpu,
            }
        }

        fn run(mut self, until: f64) -> Self {
            while self.now < until {
                let (side, time) = self.trial.next(|_| true);
                let least = if side.has_device() { self.grain } else { 0.0 };
                let seconds = time.as_secs_f64().max(least).min(until - self.now);
                let work = (self.rate)(side, self.now) * seconds;
                self.trial.note(side, work as u64, Duration::from_secs_f64(seconds));
                self.now += seconds;
                self.work += work;
                self.spent[side as usize] += seconds;
                self.changes += usize::from(side != self.last);
                self.last = side;
            }
            self
        }
    }

    /// Constant rates of the CPU, the device, and both.
    fn constant(cpu: f64, device: f64, both: f64) -> impl Fn(Crewing, f64) -> f64 {
        move |side, _| [cpu, device, both][side as usize]
    }

    #[test]
    fn the_cpu_begins_and_a_slow_device_costs_little() {
        for slower in [3.0, 10.0, 100.0, 1_000.0] {
            let found = Simulated::of(constant(1e6, 1e6 / slower, 1e6), 0.0).run(8.0);
            assert!(found.work >= 0.94 * 8e6, "{slower}: {}", found.work);
            assert!(found.spent[Crewing::Device as usize] >= 0.015, "{slower}: it was not tried");
            assert_eq!(EngineTrial::default().next(|_| true).0, Crewing::Cpu);
        }
    }

    #[test]
    fn a_fast_device_is_used_at_once() {
        let found = Simulated::of(constant(1e6, 1e8, 1e8), 0.0).run(0.5);
        assert!(found.spent[Crewing::Cpu as usize] < 0.05, "{:?}", found.spent);
        let found = Simulated::of(constant(1e6, 1e8, 1e8), 0.0).run(8.0);
        assert!(found.work >= 0.97 * 8e8, "{}", found.work);
    }

    #[test]
    fn engines_of_similar_speed_work_at_once_if_that_is_faster() {
        let found = Simulated::of(constant(1e6, 8e5, 1.7e6), 0.0).run(8.0);
        assert!(found.spent[Crewing::Both as usize] > 7.0, "{:?}", found.spent);
        // They have the same cores.
        let found = Simulated::of(constant(1e6, 8e5, 9e5), 0.0).run(8.0);
        assert!(found.spent[Crewing::Cpu as usize] > 7.0, "{:?}", found.spent);
    }

    #[test]
    fn a_device_that_slows_down_is_left_and_one_that_recovers_is_taken_back() {
        let rate = |side, now: f64| match side {
            Crewing::Cpu => 1e6,
            Crewing::Device if (2.0..10.0).contains(&now) => 1e5,
            _ => 5e6,
        };
        let found = Simulated::of(rate, 0.0).run(2.0).run(10.0);
        let meanwhile = found.spent[Crewing::Cpu as usize];
        assert!(meanwhile > 6.0, "{:?}", found.spent);
        let found = found.run(200.0);
        assert!(found.spent[Crewing::Cpu as usize] < 100.0, "{:?}", found.spent);
        assert_eq!(found.last, Crewing::Device);
    }

    #[test]
    fn a_slice_that_never_seems_to_end_is_not_repeated() {
        let found = Simulated::of(constant(1e6, 1e3, 1e6), 1.0).run(30.0);
        assert_eq!(found.spent[Crewing::Device as usize], 1.0);
    }

    #[test]
    fn who_is_not_able_does_not_work() {
        let mut trial = EngineTrial::default();
        for _ in 0..100 {
            let (side, time) = trial.next(|side| side == Crewing::Cpu);
            assert_eq!(side, Crewing::Cpu);
            trial.note(side, 1_000, time);
        }
        // Work of the device before it failed.
        trial.note(Crewing::Device, 1_000_000_000, Duration::from_millis(1));
        assert_eq!(trial.next(|side| side == Crewing::Cpu).0, Crewing::Cpu);
        trial.next(|_| true);
        assert_eq!(trial.leader, Some(Crewing::Device));
    }

    #[test]
    fn an_engine_that_does_nothing_yields() {
        for (cpu, device, side) in [(0.0, 1e6, Crewing::Device), (1e6, 0.0, Crewing::Cpu)] {
            let found = Simulated::of(constant(cpu, device, 1e6), 0.0).run(8.0);
            assert!(found.spent[side as usize] > 7.8, "{:?}", found.spent);
        }
    }

    proptest! {
        #[test]
        fn little_is_regretted(
            cpu in 4.0f64..9.0, ratio in -3.0f64..3.0, gain in 0.3f64..1.0, grain in 0.0f64..0.2,
            seconds in 2.0f64..100.0,
        ) {
            let cpu = 10f64.powf(cpu);
            let device = cpu * 10f64.powf(ratio);
            let rate = constant(cpu, device, gain * (cpu + device));
            // Without trials, the better engine alone.
            let alone = cpu.max(device) * seconds;
            let found = Simulated::of(rate, grain).run(seconds);
            let trials = 2.0 * (FIRST + grain + LONGEST * SHARE) / seconds;
            prop_assert!(
                found.work >= alone * (1.0 / FASTER - 2.0 * SHARE - trials),
                "{} of {alone}, {:?}", found.work, found.spent
            );
            // Changes take time as well; they become rare.
            prop_assert!(found.changes as f64 <= 12.0 + 16.0 * (1.0 + seconds).log2());
        }
    }
}
