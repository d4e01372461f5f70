//! Tabu search on the engine that suits the neighbourhood's size.

use super::{Portfolio, note, refuse_more_jobs};
use crate::flow_shop::search::objective::Objective;
use crate::flow_shop::search::tabu::{HostTabu, Settings, run, starts};
use crate::{DeviceKind, Dispatch, Error, Forecast, Result};

/// Completion times per second of a core's vectors, and seconds of a generation on a graphics
/// processor.
const CORE_RATE: f64 = 2.1e10;
const DEVICE_GENERATION: f64 = 5e-5;
/// If there is no limit, generations compute this many completion times, worth one or two seconds,
/// and there are at most `MOST_GENERATIONS`.
const GENERATIONS_WORK: u64 = 30_000_000_000;
const MOST_GENERATIONS: u64 = 10_000;

impl<O: Objective> Portfolio<'_, '_, O> {
    /// Runs tabu search until a limit. An iteration is one generation of each trajectory.
    pub(in crate::flow_shop::search) fn tabu(&mut self, dispatch: &mut Dispatch<'_>) -> Result<()> {
        refuse_more_jobs(self.shop, "tabu search", O::MOST_TABU_JOBS, dispatch)?;
        let (shop, monitor, options) = (self.shop, self.incumbent.monitor, self.options);
        let trajectories = options.trajectories.unwrap_or(1);
        let settings = Settings::new(options);
        let order = shop.order(self.incumbent.order());
        let value = |order: &[u32]| O::value(shop, order);
        let starts = starts(&order, trajectories, self.solve_options.seed, monitor, value)?;
        let work = O::neighbourhood_work(shop, options).saturating_mul(trajectories as u64);
        let usual = (GENERATIONS_WORK / work.max(1)).clamp(1, MOST_GENERATIONS);
        let most = if self.is_limited() { u64::MAX } else { usual };
        let context = self.context;
        // A limit may allow more generations than usual, but no one knows how many.
        let generations = if self.is_limited() { MOST_GENERATIONS } else { usual } as f64;
        let core_seconds = work as f64 / CORE_RATE * generations;
        let forecast = Forecast {
            model: "tabu",
            learns: false,
            cpu: &|| core_seconds / context.threads() as f64,
            device: &|info, _| match info.kind {
                DeviceKind::Gpu => DEVICE_GENERATION * generations,
                _ => f64::INFINITY,
            },
        };
        let mut begun = None;
        let searched = dispatch.run(
            monitor,
            &forecast,
            |device| {
                let queue = device.queue();
                let search = O::device_tabu(device, &queue, shop, monitor, options, &starts)?;
                run(search, monitor, most, &|best| note(shop, monitor, best))
            },
            |monitor| {
                let bytes = O::neighbours_bytes(shop, options);
                let evaluator = || O::neighbours(shop, monitor, options);
                let search = HostTabu::new(&settings, &starts, monitor, bytes, evaluator)?;
                let found = context.install_reporting(
                    monitor,
                    "tabu",
                    || None,
                    || run(search, monitor, most, &|best| note(shop, monitor, best)),
                )??;
                if monitor.is_relieved() {
                    // The device makes the same moves faster, but might be stopped before it gets
                    // this far.
                    begun = Some(found.0);
                    return Err(Error::stopped());
                }
                Ok(found)
            },
        );
        if let Some(found) = begun {
            self.offer(&found);
        }
        let (found, generations) = match searched {
            // The kernels were not ready in time.
            Err(error) if matches!(*error, Error::Stopped) => return Ok(()),
            searched => searched?,
        };
        let each = settings.neighbourhood.moves(shop.jobs()) * trajectories as u64;
        self.statistics.add("iterations", generations);
        self.statistics.add("evaluations", generations.saturating_mul(each));
        self.offer(&found);
        Ok(())
    }
}
