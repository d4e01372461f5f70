//! The device of a context that names none.

use super::discovery::{Discovery, FoundDevice};
use super::facts::DeviceKind;
use super::speeds::DeviceSpeeds;

impl Discovery {
    /// The index of the best device, without those at the indices `left_out`.
    pub(crate) fn best(&self, left_out: &[usize]) -> Option<usize> {
        let candidates = self.devices.iter().map(FoundDevice::candidate);
        let asked = candidates.filter(|candidate| !left_out.contains(&candidate.index));
        best(&asked.collect::<Vec<_>>())
    }
}

impl FoundDevice {
    fn candidate(&self) -> Candidate {
        Candidate {
            index: self.info.index,
            kind: self.info.kind,
            simulator: self.quirks.simulator,
            estimate: self.estimate(),
            measured: self.known.get(),
        }
    }
}

/// What is known of a device before it is opened.
#[derive(Clone)]
struct Candidate {
    index: usize,
    kind: DeviceKind,
    simulator: bool,
    estimate: DeviceSpeeds,
    measured: Option<DeviceSpeeds>,
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
}

/// The index of the best device: of the best kind, and of these the fastest. Of equal ones the
/// first counts.
fn best(candidates: &[Candidate]) -> Option<usize> {
    let rank = candidates.iter().map(Candidate::rank).min()?;
    let of_the_kind = || candidates.iter().filter(|candidate| candidate.rank() == rank);
    // An estimate is no match for a measured speed.
    let are_measured = of_the_kind().all(|candidate| candidate.measured.is_some());
    let power = |candidate: &Candidate| {
        let measured = candidate.measured.filter(|_| are_measured);
        let speeds = measured.unwrap_or(candidate.estimate);
        // Kernels wait for arithmetic or for memory, so both rates count alike.
        speeds.add_min_rate * speeds.global_rate
    };
    let faster = |best, other| if power(other) > power(best) { other } else { best };
    of_the_kind().reduce(faster).map(|candidate| candidate.index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceInfo;

    /// A device with these estimated rates.
    fn candidate(index: usize, kind: DeviceKind, rates: [f64; 2]) -> Candidate {
        let info = DeviceInfo::sample("A card", "NVIDIA", "NVIDIA CUDA", "sm_90");
        let mut estimate = DeviceSpeeds::estimate(&info, true);
        (estimate.add_min_rate, estimate.global_rate) = (rates[0], rates[1]);
        Candidate { index, kind, simulator: false, estimate, measured: None }
    }

    fn best_of(candidates: &[Candidate]) -> Option<usize> {
        let reversed: Vec<_> = candidates.iter().rev().cloned().collect();
        let found = best(candidates);
        assert_eq!(found, best(&reversed), "the order matters");
        found
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
        assert_eq!(best(&equal), Some(0));
    }

    #[test]
    fn a_measured_device_is_not_compared_with_an_estimate() {
        let measured = |card: &Candidate, share: f64| {
            let mut speeds = card.estimate;
            (speeds.add_min_rate, speeds.global_rate) =
                (share * speeds.add_min_rate, share * speeds.global_rate);
            Candidate { measured: Some(speeds), ..card.clone() }
        };
        let (small, large) =
            (candidate(0, DeviceKind::Gpu, [1.0, 1.0]), candidate(1, DeviceKind::Gpu, [2.0, 2.0]));
        assert_eq!(best_of(&[small.clone(), measured(&large, 0.1)]), Some(1));
        assert_eq!(best_of(&[measured(&small, 1.0), measured(&large, 0.1)]), Some(0));
        // A processor's estimate does not matter.
        let processor = candidate(2, DeviceKind::Cpu, [9.0, 9.0]);
        assert_eq!(best_of(&[measured(&small, 1.0), measured(&large, 0.1), processor]), Some(0));
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
