//! One solve: its method, its engine, and the re-check of its result.

mod by_knuth;

pub(super) use by_knuth::{KNUTH, ON_DEVICE};

use std::thread;

use crate::context::wrong;
use crate::interval_dp::device::{mapping, together};
use crate::interval_dp::magnitude::Magnitude;
use crate::interval_dp::number::{Number, Value};
use crate::interval_dp::tree::{Node, Tree};
use crate::interval_dp::values::{BoundedValues, Values};
use crate::interval_dp::view::Request;
use crate::interval_dp::{
    CellCost, CellType, Instance, Mapping, Method, Options, Semiring, Solution, SplitCost,
    cost_model, cpu, device, hu_shing, knuth, pipeline, serial,
};
use crate::opencl::Device;
use crate::solve::{Certificate, Monitor, Outcome, Report, Sense, Statistics};
use crate::{DeviceInfo, Dispatch, Error, Forecast, Result, Team, scoped};

/// Names of the cost models of the cubic method, without and with split terms.
/// Split terms take a share of the work that the shape factors do not know, so their factors are
/// learnt apart.
pub(super) const CUBIC: &str = "interval";
pub(super) const CUBIC_WITH_TERMS: &str = "interval-terms";
const NO_QUADRANGLE: &str =
    "the cell costs do not obey the quadrangle inequality that Knuth's bound needs";
const NO_FUNCTION: &str = "split costs without a function on the CPU";

pub(super) struct Solver<'a, V> {
    instance: &'a Instance<V>,
    request: Request<'a>,
    options: &'a Options,
    magnitude: Magnitude,
    monitor: &'a Monitor,
    pub(super) statistics: Statistics,
    /// The method that [`Solver::run`] took instead of the one that it was given.
    pub(super) instead: Option<Method>,
}

impl<'a, V: Number> Solver<'a, V> {
    pub(super) fn new(
        instance: &'a Instance<V>,
        options: &'a Options,
        monitor: &'a Monitor,
    ) -> Self {
        let request = Request::new(instance, &options.cells);
        let (magnitude, statistics) = (Magnitude::of(instance), Statistics::default());
        Solver { instance, request, options, magnitude, monitor, statistics, instead: None }
    }

    /// The method to run, with `Auto` resolved.
    pub(super) fn method(&self) -> Result<Method> {
        let instance = self.instance;
        let unsupported = |reason: &str| Err(Error::unsupported(reason));
        let has_knuths_form = knuth::has_form(instance);
        let suits_knuth =
            has_knuths_form && (self.is_whole_for_knuth() || knuth::has_grid(instance));
        match self.options.method {
            method @ (Method::HuShing | Method::Knuth) if self.options.cell_type.is_some() => {
                Err(Error::argument(
                    "cell_type",
                    format!("the method {} chooses its type of cell itself", method.name()),
                ))
            }
            Method::Auto if self.options.cell_type.is_some() => Ok(Method::Cubic),
            Method::Auto
                if self.magnitude.has_range(CellType::I64)
                    && hu_shing::factors(instance).is_some() =>
            {
                Ok(Method::HuShing)
            }
            Method::Auto if suits_knuth && self.obeys_quadrangle()? => Ok(Method::Knuth),
            Method::Auto => Ok(Method::Cubic),
            Method::HuShing if hu_shing::factors(instance).is_none() => {
                unsupported("Hu and Shing's algorithm requires products of positive whole numbers")
            }
            Method::Knuth if !has_knuths_form => {
                unsupported("Knuth's bound is for (min,+) without split costs")
            }
            Method::Knuth if !self.obeys_quadrangle()? => unsupported(NO_QUADRANGLE),
            Method::Serial if instance.is_for_devices() => unsupported(NO_FUNCTION),
            method => Ok(method),
        }
    }

    /// Whether Knuth's bound is computed in the instance's own numbers, which are whole. For a
    /// table, sums of two numbers must fit too, because the check of the quadrangle inequality adds
    /// them.
    fn is_whole_for_knuth(&self) -> bool {
        match self.instance.cell_cost() {
            CellCost::Table(_) => self.magnitude.is_exact(CellType::I64),
            _ => self.magnitude.has_range(CellType::I64),
        }
    }

    fn obeys_quadrangle(&self) -> Result<bool> {
        Ok(self.options.assume_quadrangle || knuth::obeys_quadrangle(self.instance, self.monitor)?)
    }

    pub(super) fn run(
        &mut self,
        method: Method,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<BoundedValues<V>> {
        match method {
            Method::HuShing => self.hu_shing(),
            Method::Knuth => self.knuth_or_cubic(dispatch).map_err(|error| match *error {
                Error::Internal(reason) if self.options.assume_quadrangle => {
                    Error::argument("assume_quadrangle", format!("the promise is broken: {reason}"))
                }
                other => Box::new(other),
            }),
            Method::Serial
            | Method::Pipeline
            | Method::Mapping(_)
            | Method::Auto
            | Method::Cubic => {
                let cell_type = self.cell_type()?;
                self.statistics.add("relaxations", self.instance.relaxations());
                let values = match method {
                    Method::Serial => serial::solve(&self.request, cell_type, self.monitor)?,
                    Method::Pipeline => self.pipeline(cell_type, dispatch)?,
                    Method::Mapping(mapping) => self.mapping(mapping, cell_type, dispatch)?,
                    _ => self.cubic(cell_type, dispatch)?,
                };
                Ok(self.with_bound(values))
            }
        }
    }

    fn pipeline(
        &mut self,
        cell_type: CellType,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<Values<Value>> {
        let schedule = pipeline::Schedule { points: self.instance.points() };
        self.statistics.add("steps", schedule.steps() as u64);
        self.statistics.add("threads", schedule.threads() as u64);
        let (context, request, monitor) = (dispatch.context(), &self.request, self.monitor);
        let only_device = self.instance.is_for_devices();
        let on_device = |device: &Device| {
            let cell_type = self.type_on(device.info(), cell_type);
            self.checked(cell_type, &|checks| {
                let checker = checks.then_some(context);
                device::pipeline::solve(checker, device, request, cell_type, monitor)
            })
        };
        let on_cpu = |monitor: &Monitor| match only_device {
            true => Err(Error::unsupported(NO_FUNCTION)),
            false => pipeline::solve(request, cell_type, monitor),
        };
        let forecast = match only_device {
            true => Forecast::device_only(CUBIC),
            false => Forecast::cpu_preferred(CUBIC),
        };
        dispatch.run(monitor, &forecast, on_device, on_cpu)
    }

    fn mapping(
        &self,
        mapping: Mapping,
        cell_type: CellType,
        dispatch: &mut Dispatch<'_>,
    ) -> Result<Values<Value>> {
        let (context, request, monitor) = (dispatch.context(), &self.request, self.monitor);
        let on_device = |device: &Device| {
            let cell_type = self.type_on(device.info(), cell_type);
            self.checked(cell_type, &|checks| {
                let (checker, options) = (checks.then_some(context), &self.options.mapping);
                mapping::solve(checker, device, request, cell_type, mapping, options, monitor)
            })
        };
        let name = Method::Mapping(mapping).name();
        let on_cpu = |_: &Monitor| Err(Error::unsupported(format!("{name} without a device")));
        dispatch.run(monitor, &Forecast::device_only(CUBIC), on_device, on_cpu)
    }

    fn cubic(&self, cell_type: CellType, dispatch: &mut Dispatch<'_>) -> Result<Values<Value>> {
        let (context, request, monitor) = (dispatch.context(), &self.request, self.monitor);
        let (instance, threads) = (self.instance, context.threads());
        let only_device = instance.is_for_devices();
        let forecast = match only_device {
            true => Forecast::device_only(CUBIC),
            false => Forecast {
                cpu: &|| {
                    let speeds = context.processor_speeds();
                    cost_model::cpu_seconds(instance, cell_type, threads, &speeds)
                },
                device: &|info, speeds| {
                    cost_model::device_seconds(instance, cell_type, info, speeds)
                },
                ..Forecast::of(match instance.split_cost() {
                    SplitCost::None => CUBIC,
                    _ => CUBIC_WITH_TERMS,
                })
            },
        };
        let team = context.team(monitor);
        let on_device = |device: &Device| self.tiled(&team, device, cell_type);
        let on_cpu = |monitor: &Monitor| match only_device {
            true => Err(Error::unsupported(NO_FUNCTION)),
            false => cpu::solve(context, request, cell_type, monitor),
        };
        let values = dispatch.run_with(Some(&team), monitor, &forecast, on_device, on_cpu);
        dispatch.shared_with(team);
        values
    }

    /// Fills a table of tiles on a device, and on those of the team if it takes long.
    fn tiled(
        &self,
        team: &Team<'_>,
        device: &Device,
        cell_type: CellType,
    ) -> Result<Values<Value>> {
        let (request, monitor) = (&self.request, self.monitor);
        let cell_type = self.type_on(device.info(), cell_type);
        let (info, speeds) = (device.info(), device.speeds());
        let alone = cost_model::device_seconds(self.instance, cell_type, info, &speeds);
        let is_shared = alone >= together::WORTH_SHARING && !team.places().is_empty();
        let solve = |is_shared: bool| {
            self.compared(cell_type, &|checks| {
                let checker = checks.then_some(team.context());
                match is_shared {
                    true => together::solve(checker, team, device, request, cell_type, monitor),
                    false => device::solve(checker, device, request, cell_type, monitor),
                }
            })
        };
        let found = match solve(is_shared) {
            Err(error) if is_shared => {
                team.blame(&team.places(), (0, error)).and_then(|()| solve(false))
            }
            found => found,
        };
        found.map_err(|error| broken_promise(self.instance, *error))
    }

    /// Solves on a device and checks the values. If the instance has the form of Hu and Shing's
    /// algorithm, the host runs it meanwhile and compares; otherwise `solve` must compute some
    /// cells again. The tree is evaluated in either case.
    fn checked(
        &self,
        cell_type: CellType,
        solve: &dyn Fn(bool) -> Result<Values<Value>>,
    ) -> Result<Values<Value>> {
        self.compared(cell_type, solve).map_err(|error| broken_promise(self.instance, *error))
    }

    fn compared(
        &self,
        cell_type: CellType,
        solve: &dyn Fn(bool) -> Result<Values<Value>>,
    ) -> Result<Values<Value>> {
        let exact = self.magnitude.is_exact(cell_type);
        let factors = hu_shing::factors(self.instance)
            .filter(|_| exact && self.magnitude.has_range(CellType::I64));
        let values = match factors {
            None => solve(true)?,
            Some(factors) => {
                let factors: Vec<i64> = factors.iter().map(|factor| factor.to_i64()).collect();
                compared_with_hu_shing(&factors, self.request.cells, solve, self.monitor)?
            }
        };
        self.check_tree(&values)?;
        Ok(values)
    }

    /// Checks that a device's tree has the value of its cell.
    pub(super) fn check_tree(&self, values: &Values<Value>) -> Result<()> {
        let exact = self.magnitude.is_exact(values.cell_type);
        let Some(tree) = values.tree.as_ref().filter(|_| exact) else { return Ok(()) };
        let terms =
            values.terms.as_ref().map(|terms| terms.iter().map(|term| term.number()).collect());
        match self.evaluate(tree, None, terms)? == values.value.number() {
            true => Ok(()),
            false => Err(wrong("a tree whose value differs from its cell's")),
        }
    }

    pub(super) fn cell_type(&self) -> Result<CellType> {
        let bitwise = self.instance.semiring() == Semiring::OrAnd;
        self.magnitude.choose(self.options.cell_type, bitwise)
    }

    /// The type of cell on a device. If it has no double precision, 64-bit integers take its place
    /// where they are exact and the caller named no type.
    fn type_on(&self, device: &DeviceInfo, cell_type: CellType) -> CellType {
        let is_missing = cell_type == CellType::F64 && !device.has_double_precision();
        let is_free = self.options.cell_type.is_none() && self.magnitude.is_exact(CellType::I64);
        if is_missing && is_free { CellType::I64 } else { cell_type }
    }

    pub(super) fn with_bound(&self, values: Values<Value>) -> BoundedValues<V> {
        let Values { value, ref cells, cell_type, .. } = values;
        let error =
            |cell: &Value| self.magnitude.error(cell.to_f64(), cell_type).unwrap_or(f64::INFINITY);
        let cell_error = cells.iter().map(error).fold(0.0, f64::max);
        let bound = self.magnitude.bound(value.to_f64(), cell_type);
        BoundedValues { bound, values: values.into_numbers(), cell_error }
    }

    fn hu_shing(&self) -> Result<BoundedValues<V>> {
        if !self.magnitude.has_range(CellType::I64) {
            return Err(Error::overflow("the bound on the costs of a chain"));
        }
        let factors = hu_shing::factors(self.instance).unwrap_or_default();
        let factors: Vec<i64> = factors.iter().map(|factor| factor.to_i64()).collect();
        let (value, tree) = hu_shing::solve(&factors, self.monitor)?;
        let part = |&(i, j): &(usize, usize)| hu_shing::solve(&factors[i..=j], self.monitor);
        let cells = self
            .request
            .cells
            .iter()
            .map(|cell| Ok(Value::Whole(part(cell)?.0)))
            .collect::<Result<_>>()?;
        let (value, tree, cell_type) = (Value::Whole(value), Some(tree), CellType::I64);
        Ok(self.with_bound(Values { value, cells, tree, pairs: None, terms: None, cell_type }))
    }

    /// The value of a tree, computed again. The caller's own split costs must be within their
    /// promised magnitude. A monitor can stop it.
    fn evaluate(&self, tree: &Tree, monitor: Option<&Monitor>, terms: Option<Vec<V>>) -> Result<V> {
        let instance = self.instance;
        let split_term = |node: &Node| {
            let [i, k, j] = node.points();
            instance.split_term(i, k, j)
        };
        let Some(expression) = instance.expression() else {
            return instance.evaluate_with(tree, monitor, split_term);
        };
        let magnitude = expression.magnitude.to_f64();
        let mut terms = terms.map(Vec::into_iter);
        let mut broken = None;
        let value = instance.evaluate_with(tree, monitor, |node| {
            let term = terms.as_mut().map_or_else(|| split_term(node), Iterator::next)?;
            if broken.is_none() && !(term.is_finite() && term.to_f64().abs() <= magnitude) {
                let [i, k, j] = node.points();
                let reason =
                    format!("the split cost at ({i}, {k}, {j}) is {term:?}, beyond {magnitude}");
                broken = Some(Error::argument("magnitude", reason));
            }
            Some(term)
        });
        match broken {
            Some(error) => Err(error),
            None => value,
        }
    }

    /// The result of a solve that a limit ended: a balanced tree, if any tree is a solution, its
    /// value can be computed here within some milliseconds and no cells are requested.
    pub(super) fn opening(&self, report: Report) -> Result<Outcome<Solution<V>, V>> {
        let any_will_do = self.instance.semiring().selects() && self.request.cells.is_empty();
        let known = || -> Result<(V, Solution<V>)> {
            let closing = self.monitor.closing();
            let tree = Tree::balanced(self.instance.points(), &closing)?;
            let value = self.evaluate(&tree, Some(&closing), None)?;
            let (cells, cell_type) = (Vec::new(), self.cell_type()?);
            Ok((value, Solution { tree: Some(tree), cells, cell_error: 0.0, cell_type }))
        };
        let found = any_will_do.then(known).and_then(Result::ok);
        match found.filter(|(value, _)| value.is_finite()) {
            Some((value, solution)) => {
                let certificate = Certificate::new(self.sense(), value, value, None)?;
                Ok(certificate.outcome(Some(solution), report))
            }
            None => Ok(Certificate::stopped(self.sense(), None).outcome(None, report)),
        }
    }

    /// Recomputes the objective from the tree.
    pub(super) fn certify(
        &self,
        found: BoundedValues<V>,
        report: Report,
    ) -> Result<Outcome<Solution<V>, V>> {
        let BoundedValues {
            values: Values { value, cells, tree, terms, cell_type, .. },
            bound,
            cell_error,
        } = found;
        let exact = self.magnitude.is_exact(cell_type);
        let objective = match &tree {
            Some(tree) => self.evaluate(tree, None, terms)?,
            None => value,
        };
        let sense = self.sense();
        // An inexact cell claims nothing about the tree's value.
        let (claimed, bound) = match exact {
            true => (value, Some(value)),
            false => (objective, bound.map(|bound| V::bound(bound, sense == Sense::Minimise))),
        };
        if !objective.is_finite() && (!exact || objective == value) {
            let reason = "a last cell whose value is infinite or no number";
            return Err(Error::unsupported(reason));
        }
        let certificate = Certificate::new(sense, claimed, objective, bound)?;
        let solution = Solution { tree, cells, cell_error, cell_type };
        Ok(certificate.outcome(Some(solution), report))
    }

    fn sense(&self) -> Sense {
        self.instance.semiring().sense()
    }
}

/// Solves a chain on a device and by Hu and Shing's algorithm and compares the values. The
/// algorithm runs on its own thread while the device works, or afterwards if no thread can start.
fn compared_with_hu_shing(
    factors: &[i64],
    cells: &[(usize, usize)],
    solve: &dyn Fn(bool) -> Result<Values<Value>>,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    let known = || -> Result<Vec<i64>> {
        let ends = cells.iter().copied().chain([(0, factors.len() - 1)]);
        ends.map(|(i, j)| Ok(hu_shing::solve(&factors[i..=j], monitor)?.0)).collect()
    };
    let (values, known) = thread::scope(|scope| {
        let started = scoped::spawn(scope, known);
        let values = solve(false);
        (values, started.map_or_else(|_| known(), scoped::join))
    });
    let (values, known) = (values?, known?);
    let found = values.cells.iter().chain([&values.value]);
    match found.map(|value| value.number::<i64>()).eq(known) {
        true => Ok(values),
        false => Err(wrong("the cost of a chain")),
    }
}

/// Turns a failed check into the caller's error if split costs are an expression: nothing else
/// could have computed them wrong.
pub(super) fn broken_promise<V: Number>(instance: &Instance<V>, error: Error) -> Box<Error> {
    match error {
        Error::Internal(reason) | Error::DeviceWrong(reason) if instance.expression().is_some() => {
            Error::argument(
                "split_cost",
                format!("gives different values for one split, or exceeds its magnitude: {reason}"),
            )
        }
        other => Box::new(other),
    }
}
