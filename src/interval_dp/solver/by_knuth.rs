//! Knuth's bound, or the cubic algorithm in its place.

use std::cell::Cell;

use super::{CUBIC, NO_QUADRANGLE, Solver};
use crate::interval_dp::number::{Number, Value};
use crate::interval_dp::semiring::CellType;
use crate::interval_dp::values::{BoundedValues, Values};
use crate::interval_dp::view::Request;
use crate::interval_dp::{CellCost, Method, cost_model, cpu, device, knuth};
use crate::opencl::{Device, DeviceInfo, DeviceSpeeds};
use crate::solve::{Monitor, Statistics};
use crate::{Context, Dispatch, Error, Forecast, Result, Team};

/// Names of the cost models of Knuth's bound on the CPU, and of the faster of both algorithms on a
/// device.
pub(in crate::interval_dp) const KNUTH: &str = "interval-knuth";
pub(in crate::interval_dp) const ON_DEVICE: &str = "interval-cubic-or-knuth";

/// Values by Knuth's bound, with its statistics.
type ByKnuth = (Values<Value>, Statistics);

/// The ways to solve in whole numbers, compiled once for all types of numbers. A way that may not be
/// taken has infinite seconds.
struct Ways<'a> {
    request: &'a Request<'a>,
    cell_type: CellType,
    monitor: &'a Monitor,
    may_be_cubic: bool,
    /// Expected seconds of the CPU by the cubic algorithm and by Knuth's bound.
    on_cpu: [f64; 2],
    /// Expected seconds of a device by the cubic algorithm and by Knuth's bound.
    on_device: &'a dyn Fn(&DeviceInfo, &DeviceSpeeds) -> [f64; 2],
    cubic_on_device: &'a dyn Fn(&Team<'_>, &Device) -> Result<Values<Value>>,
    knuth_on_device: &'a dyn Fn(&Device) -> Result<ByKnuth>,
}

impl Ways<'_> {
    /// Takes the way that is expected to be the fastest. Returns the statistics of Knuth's bound, if
    /// it was taken.
    fn run(&self, dispatch: &mut Dispatch<'_>) -> Result<(Values<Value>, Option<Statistics>)> {
        let (context, monitor, [cubic, knuth]) = (dispatch.context(), self.monitor, self.on_cpu);
        let by_threads = dispatch.on_cpu(CUBIC, cubic) + context.starting_seconds();
        let is_cubic = by_threads < dispatch.on_cpu(KNUTH, knuth);
        let (model, seconds) = if is_cubic { (CUBIC, cubic) } else { (KNUTH, knuth) };
        let forecast = Forecast {
            device_model: Some(ON_DEVICE),
            cpu: &|| seconds,
            device: &|info, speeds| {
                let [cubic, knuth] = (self.on_device)(info, speeds);
                cubic.min(knuth)
            },
            ..Forecast::of(model)
        };
        let (by_knuth, is_shared) = (Cell::new(None), Cell::new(true));
        let keep = |(values, statistics)| {
            by_knuth.set(Some(statistics));
            values
        };
        let team = context.team(monitor);
        let on_device = |device: &Device| {
            let [cubic, knuth] = (self.on_device)(device.info(), &device.speeds());
            if self.may_be_cubic && cubic <= knuth {
                return (self.cubic_on_device)(&team, device);
            }
            // Knuth's bound runs on one device.
            is_shared.set(false);
            (self.knuth_on_device)(device).map(keep)
        };
        let on_cpu = |monitor: &Monitor| {
            if is_cubic {
                return cpu::solve(context, self.request, self.cell_type, monitor);
            }
            let mut statistics = Statistics::default();
            let values = knuth::solve(self.request, self.cell_type, monitor, &mut statistics)?;
            Ok(keep((values, statistics)))
        };
        let values = dispatch.run_with(Some(&team), monitor, &forecast, on_device, on_cpu);
        if is_shared.get() {
            dispatch.shared_with(team);
        }
        Ok((values?, by_knuth.take()))
    }
}

impl<V: Number> Solver<'_, V> {
    /// Knuth's bound on the engine where it is expected to be faster. For [`Method::Auto`], the cubic
    /// algorithm may replace it. Values, tree and type of the cells are the same. With real numbers
    /// they would not be, so these stay on the CPU.
    pub(super) fn knuth_or_cubic(
        &mut self,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<BoundedValues<V>> {
        let is_auto = self.options.method == Method::Auto;
        let must_run_on_device = dispatch.wants_device() && !is_auto;
        if !self.is_whole_for_knuth() {
            let reason = "Knuth's bound on a device, for real numbers or sums beyond 63 bits";
            return match must_run_on_device {
                true => Err(Error::unsupported(reason)),
                false => self.knuth(),
            };
        }
        let is_trusted = self.options.assume_quadrangle;
        let is_table = matches!(self.instance.cell_cost(), CellCost::Table(_));
        // On a device a broken promise would look like the device's fault. The check of a table takes
        // as long as the CPU takes for Knuth's bound.
        let is_known = match is_trusted && is_table && !must_run_on_device {
            true => false,
            false => !is_trusted || knuth::obeys_quadrangle(self.instance, self.monitor)?,
        };
        match (is_known, must_run_on_device) {
            (false, true) => Err(Error::unsupported(NO_QUADRANGLE)),
            (false, false) if !is_auto => self.knuth(),
            _ => self.in_whole_numbers(dispatch, is_known),
        }
    }

    /// Whether the cubic algorithm gives the same solution, and may.
    pub(in crate::interval_dp) fn may_be_cubic(&self) -> bool {
        self.options.method == Method::Auto && self.is_whole_for_knuth()
    }

    /// Solves in whole numbers. A device may take Knuth's bound if the inequality `is_known`.
    fn in_whole_numbers(
        &mut self,
        dispatch: &mut Dispatch<'_>,
        is_known: bool,
    ) -> Result<BoundedValues<V>> {
        let (context, instance, cell_type) = (dispatch.context(), self.instance, self.knuth_type());
        let is_auto = self.options.method == Method::Auto;
        let if_allowed =
            |is_allowed: bool, seconds: f64| if is_allowed { seconds } else { f64::INFINITY };
        let (speeds, threads) = (context.processor_speeds(), context.threads());
        let bytes = cost_model::table_bytes(instance, cell_type);
        let has_memory = self.monitor.has_memory(bytes as u128);
        let cubic = cost_model::cpu_seconds(instance, cell_type, threads, &speeds);
        let ways = Ways {
            request: &self.request,
            cell_type,
            monitor: self.monitor,
            may_be_cubic: is_auto,
            on_cpu: [
                if_allowed(is_auto && has_memory, cubic),
                cost_model::knuth_seconds(instance, &speeds),
            ],
            on_device: &|info, speeds| {
                let cubic = cost_model::device_seconds(instance, cell_type, info, speeds);
                let knuth = cost_model::knuth_device_seconds(instance, cell_type, info, speeds);
                [if_allowed(is_auto, cubic), if_allowed(is_known, knuth)]
            },
            cubic_on_device: &|team, device| self.tiled(team, device, cell_type),
            knuth_on_device: &|device| self.knuth_on(context, device, cell_type),
        };
        let (values, by_knuth) = ways.run(dispatch)?;
        match by_knuth {
            Some(statistics) => self.statistics = statistics,
            None => {
                self.instead = Some(Method::Cubic);
                self.statistics.add("relaxations", instance.relaxations());
            }
        }
        Ok(self.with_bound(values))
    }

    /// Knuth's bound on a device, with its statistics.
    fn knuth_on(&self, context: &Context, device: &Device, cell_type: CellType) -> Result<ByKnuth> {
        let tried = Cell::new(0);
        let values = self.compared(cell_type, &|checks| {
            let checker = checks.then_some(context);
            let (values, looked_at) =
                device::knuth::solve(checker, device, &self.request, cell_type, self.monitor)?;
            tried.set(looked_at);
            Ok(values)
        })?;
        let mut statistics = Statistics::default();
        statistics.add("relaxations", tried.get());
        Ok((values, statistics))
    }

    /// The type of the cells of Knuth's bound.
    pub(in crate::interval_dp) fn knuth_type(&self) -> CellType {
        if self.magnitude.has_range(CellType::I32) { CellType::I32 } else { CellType::I64 }
    }

    fn knuth(&mut self) -> Result<BoundedValues<V>> {
        let instance = self.instance;
        if self.is_whole_for_knuth() {
            let cell_type = self.knuth_type();
            let values =
                knuth::solve(&self.request, cell_type, self.monitor, &mut self.statistics)?;
            return Ok(self.with_bound(values));
        }
        self.magnitude.check_real()?;
        let grid = knuth::Grid::new(instance)?;
        let request = Request::new(&grid.instance, self.request.cells);
        let values = knuth::solve(&request, CellType::I64, self.monitor, &mut self.statistics)?;
        let found = grid.undo(values.into_numbers())?;
        let Some(tree) = found.values.tree.as_ref().filter(|_| V::WHOLE) else { return Ok(found) };
        // By the first bound these whole numbers' values may be too large; a tree gives a better
        // bound.
        self.magnitude = self.magnitude.with_tree(self.evaluate(tree, None, None)?.to_f64());
        match self.is_whole_for_knuth() {
            true => self.knuth(),
            false => Err(Error::overflow("the bound on the values of the cells")),
        }
    }
}
