//! What [`Engine::Auto`](crate::Engine::Auto) uses a device for.

use crate::context::{Engines, Scale};
use crate::{
    Context, Result, interval_dp, knapsack, lattice_dp, multidimensional_knapsack, recurrence,
};

/// Work that [`Engine::Auto`](crate::Engine::Auto) gives to a device from some size on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceUse {
    /// Such as `search trees`.
    pub work: &'static str,
    /// What the size counts, such as `keys`.
    pub unit: &'static str,
    /// The least size, of steps by a factor of 2 to 4; `None` if the CPU is expected to be faster for
    /// all sizes that the device can hold.
    pub least: Option<u64>,
}

fn scales() -> impl Iterator<Item = &'static Scale> {
    let problems = [
        interval_dp::SCALES,
        recurrence::SCALES,
        lattice_dp::SCALES,
        knapsack::SCALES,
        multidimensional_knapsack::SCALES,
    ];
    problems.into_iter().flatten()
}

impl Context {
    /// What [`Engine::Auto`](crate::Engine::Auto) is expected to use a device of
    /// [`Context::devices`] for, once it is open: samples of all cost models, by the speeds of
    /// processor and device, with the corrections of this context and of earlier processes. Long
    /// searches of the flow shop are not among them: they measure both engines. The list is empty if
    /// [`Context::barred_from_auto`] gives a reason.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable) if there is no such device.
    pub fn device_uses(&self, index: usize) -> Result<Vec<DeviceUse>> {
        let speeds = self.device_speeds(index)?;
        if self.barred_from_auto(index)?.is_some() {
            return Ok(Vec::new());
        }
        let engines = Engines {
            threads: self.threads(),
            processor: &self.processor_speeds(),
            device: &self.devices()[index],
            speeds: &speeds,
        };
        let use_of = |scale: &Scale| DeviceUse {
            work: scale.work,
            unit: scale.unit,
            least: scale.least_on_device(&engines, Some(self)),
        };
        Ok(scales().map(use_of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::{DeviceInfo, DeviceSpeeds};
    use crate::{ContextOptions, Error, ProcessorSpeeds};

    /// The least sizes on a device that is this much slower than a card.
    fn least(slower: f64) -> Vec<Option<u64>> {
        let mut device = DeviceInfo::sample("A card", "", "", "");
        (device.compute_units, device.clock_megahertz) = (132, 1_980);
        (device.global_memory_bytes, device.max_allocation_bytes) = (1 << 37, 1 << 35);
        let speeds = DeviceSpeeds {
            launch_seconds: 6e-6 * slower,
            round_trip_seconds: 1.2e-5 * slower,
            to_device_rate: 1.4e10 / slower,
            to_host_rate: 8.6e9 / slower,
            add_min_rate: 1.6e13 / slower,
            wide_add_min_rate: 2.7e12 / slower,
            global_rate: 4e12 / slower,
            local_rate: 2.8e13 / slower,
            ..DeviceSpeeds::estimate(&device, true)
        };
        let (threads, processor) = (16, &ProcessorSpeeds::of_the_fit(16));
        let engines = Engines { threads, processor, device: &device, speeds: &speeds };
        scales().map(|scale| scale.least_on_device(&engines, None)).collect()
    }

    #[test]
    fn a_fast_device_gets_large_work_and_a_slow_one_none() {
        let by_card = least(1.0);
        assert!(by_card.iter().all(Option::is_some), "{by_card:?}");
        assert_eq!(least(1_000.0), vec![None; by_card.len()]);
        for (fast, slow) in by_card.iter().zip(least(10.0)) {
            assert!(slow.is_none() || slow >= *fast, "{by_card:?}");
        }
    }

    #[test]
    fn sizes_grow_from_step_to_step() {
        let (device, processor) =
            (DeviceInfo::sample("A card", "", "", ""), ProcessorSpeeds::of_the_fit(2));
        let speeds = DeviceSpeeds::estimate(&device, true);
        let engines =
            Engines { threads: 2, processor: &processor, device: &device, speeds: &speeds };
        for scale in scales() {
            let steps: Vec<_> = (0..).map_while(|number| (scale.step)(number, &engines)).collect();
            assert!(steps.len() > 5, "{}", scale.work);
            let grows = |pair: &[crate::context::Expected]| {
                pair[0].size < pair[1].size && pair[0].cpu.1 < pair[1].cpu.1
            };
            assert!(steps.windows(2).all(grows), "{}", scale.work);
        }
    }

    #[test]
    fn a_device_that_does_not_exist_is_refused() {
        let context = Context::new(ContextOptions::default()).unwrap();
        let missing = context.devices().len();
        let refused = context.device_uses(missing).map_err(|error| *error);
        assert!(matches!(refused, Err(Error::DeviceUnavailable(_))), "{refused:?}");
    }
}
