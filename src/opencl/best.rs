//! The device of a context that names none.

use super::discovery::{Discovery, FoundDevice};
use super::facts::DeviceKind;
use super::speeds::DeviceSpeeds;

impl Discovery {
    /// The index of the best device, without those at the indices `left_out`.
    pub(crate) fn best(&self, left_out: &[usize]) -> Option<usize> {
        let candidates = self.devices.iter().map(FoundDevice::candidate);
        best(candidates.filter(|candidate| !left_out.contains(&candidate.index)))
    }
}

impl FoundDevice {
    fn candidate(&self) -> Candidate {
        let (index, kind) = (self.info.index, self.info.kind);
        Candidate { index, kind, simulator: self.quirks.simulator, speeds: self.speeds() }
    }
}

/// What is known of a device before it is opened.
#[derive(Clone)]
struct Candidate {
    index: usize,
    kind: DeviceKind,
    simulator: bool,
    speeds: DeviceSpeeds,
}

impl Candidate {
    /// Lower is better. A simulator claims to be a graphics processor, and is the slowest of all.
    fn rank(&self) -> u32 {
        match self.kind {
            _ if self.simulator => 4,
            DeviceKind::Gpu => 0,
            DeviceKind::Accelerator => 1,
            DeviceKind::Cpu => 2,
            DeviceKind::Other => 3,
        }
    }

    /// Kernels wait for arithmetic or for memory, so both rates count alike.
    fn power(&self) -> f64 {
        self.speeds.add_min_rate * self.speeds.global_rate
    }
}

/// The index of the best device: of the best kind, and of these the fastest. Of equal ones the
/// first counts.
fn best(candidates: impl Iterator<Item = Candidate>) -> Option<usize> {
    let better = |best: Candidate, other: Candidate| {
        let is_better = match other.rank().cmp(&best.rank()) {
            std::cmp::Ordering::Equal => other.power() > best.power(),
            order => order.is_lt(),
        };
        if is_better { other } else { best }
    };
    candidates.reduce(better).map(|candidate| candidate.index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceInfo;

    /// A device with this share of a graphics card's rates.
    fn candidate(index: usize, kind: DeviceKind, rates: [f64; 2]) -> Candidate {
        let info = DeviceInfo::sample("A card", "NVIDIA", "NVIDIA CUDA", "sm_90");
        let mut speeds = DeviceSpeeds::estimate(&info, true);
        (speeds.add_min_rate, speeds.global_rate) = (rates[0], rates[1]);
        Candidate { index, kind, simulator: false, speeds }
    }

    fn best_of(candidates: &[Candidate]) -> Option<usize> {
        let reversed = best(candidates.iter().rev().cloned());
        assert_eq!(best(candidates.iter().cloned()), reversed, "the order matters");
        reversed
    }

    #[test]
    fn the_kind_counts_before_the_rates() {
        let slow = [1.0, 1.0];
        let fast = [1e3, 1e3];
        let gpu = candidate(3, DeviceKind::Gpu, slow);
        let accelerator = candidate(0, DeviceKind::Accelerator, fast);
        let processor = candidate(1, DeviceKind::Cpu, fast);
        let other = candidate(2, DeviceKind::Other, fast);
        let all = [processor, other, accelerator, gpu];
        assert_eq!(best_of(&all), Some(3));
        assert_eq!(best_of(&all[..3]), Some(0));
        assert_eq!(best_of(&all[..2]), Some(1));
    }

    #[test]
    fn a_simulator_is_taken_only_if_it_is_alone() {
        let simulator = Candidate { simulator: true, ..candidate(0, DeviceKind::Gpu, [1e9, 1e9]) };
        let processor = candidate(1, DeviceKind::Cpu, [1.0, 1.0]);
        assert_eq!(best_of(&[simulator.clone(), processor]), Some(1));
        assert_eq!(best_of(&[simulator]), Some(0));
        assert_eq!(best_of(&[]), None);
    }

    #[test]
    fn of_equal_kinds_the_fastest_counts_and_of_equal_ones_the_first() {
        let gpu = |index, rates| candidate(index, DeviceKind::Gpu, rates);
        assert_eq!(best_of(&[gpu(0, [4.0, 1.0]), gpu(1, [3.0, 2.0]), gpu(2, [1.0, 5.0])]), Some(1));
        let equal = [gpu(0, [2.0, 2.0]), gpu(1, [2.0, 2.0])];
        assert_eq!(best(equal.into_iter()), Some(0));
    }

    #[test]
    fn a_device_that_is_left_out_is_not_the_best() {
        let found = crate::opencl::discover();
        let all: Vec<usize> = (0..found.devices.len()).collect();
        assert_eq!(found.best(&all), None);
        let best = found.best(&[]);
        assert_eq!(best.is_some(), !found.devices.is_empty());
        assert!(best.is_none_or(|best| found.best(&[best]) != Some(best)));
    }
}
