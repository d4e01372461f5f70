//! The result of a solve, as a JSON object for programs and as a summary for people.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use makespan::{Objective, Outcome, Status, TracePoint, Value};
use serde::Serialize;

use crate::console;
use crate::failure::Failure;
use crate::names::on_one_line;
use crate::options::Common;
use crate::report;
use crate::table::{self, StageValue, Table};
use crate::wording::Wording;

/// Least width of the names in the summary.
const NAME_WIDTH: usize = 10;

/// The JSON result. Scripts depend on the names of its fields.
#[derive(Serialize)]
pub(crate) struct Answer<'a, T> {
    problem: &'static str,
    instance: &'a str,
    method: &'static str,
    /// `cpu` or `device`.
    engine: &'static str,
    device: Option<&'a str>,
    /// Why the CPU did the work although a device was requested or expected to be faster.
    fallback: Option<&'a str>,
    /// A fault that did not end the solve.
    warning: Option<&'a str>,
    /// `optimal`, `feasible`, `infeasible` or `stopped`.
    status: String,
    interrupted: bool,
    /// `minimise` or `maximise`.
    sense: Option<&'static str>,
    objective: Option<Number>,
    bound: Option<Number>,
    /// The values of all stages, if the objective is not the usual one of the problem.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    objectives: &'a [StageValue],
    /// Largest possible factor between the objective and the optimum.
    guarantee: Option<f64>,
    seconds: f64,
    setup_seconds: f64,
    solution: Option<T>,
    statistics: BTreeMap<&'static str, u64>,
    trace: Vec<Point>,
    /// The solution, if it has rows.
    #[serde(skip)]
    table: Option<&'a dyn Table>,
}

/// The best values at a time, from the moment when one of them became better.
#[derive(Clone, Serialize)]
struct Point {
    /// Since the start of the solve, with its setup.
    seconds: f64,
    objective: Option<Number>,
    bound: Option<Number>,
}

impl From<&TracePoint> for Point {
    fn from(point: &TracePoint) -> Self {
        Point {
            seconds: point.seconds,
            objective: point.objective.map(Number::from),
            bound: point.bound.map(Number::from),
        }
    }
}

/// The whole JSON object.
#[derive(Serialize)]
struct Whole<'a, T> {
    /// Of the library.
    version: &'static str,
    #[serde(flatten)]
    answer: &'a Answer<'a, T>,
    seed: u64,
    /// The options that differ from their defaults, and the method asked for.
    options: &'a BTreeMap<&'static str, serde_json::Value>,
}

/// An objective or a bound, in the type of its problem.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Number {
    Integer(i128),
    Real(f64),
    /// `inf` or `-inf`, as files write unreachable values.
    Infinite(&'static str),
}

impl<V: Into<Value>> From<V> for Number {
    fn from(value: V) -> Self {
        match value.into() {
            Value::Whole(value) => Number::Integer(value.into()),
            Value::Real(value) => Number::Real(value),
        }
    }
}

impl Number {
    fn add(self, other: Number) -> Number {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => Number::Integer(a + b),
            (Number::Integer(a), Number::Real(b)) | (Number::Real(b), Number::Integer(a)) => {
                Number::Real(a as f64 + b)
            }
            (Number::Real(a), Number::Real(b)) => Number::Real(a + b),
            (infinite @ Number::Infinite(_), _) | (_, infinite) => infinite,
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Integer(value) => value.fmt(f),
            Number::Real(value) => value.fmt(f),
            Number::Infinite(name) => name.fmt(f),
        }
    }
}

impl<'a> Answer<'a, ()> {
    /// The result of `problem` if a limit came before the solve.
    pub(crate) fn stopped(problem: &'static str, instance: &'a str, method: &'static str) -> Self {
        Answer {
            problem,
            instance,
            method,
            engine: engine(None),
            device: None,
            fallback: None,
            warning: None,
            status: Status::Stopped.to_string(),
            interrupted: true,
            sense: None,
            objective: None,
            bound: None,
            objectives: &[],
            guarantee: None,
            seconds: 0.0,
            setup_seconds: 0.0,
            solution: None,
            statistics: BTreeMap::new(),
            trace: Vec::new(),
            table: None,
        }
    }
}

impl<'a, T: Serialize> Answer<'a, T> {
    /// The result of `problem` on the named instance, with its solution in printed form.
    pub(crate) fn new<S, V: Objective>(
        problem: &'static str,
        instance: &'a str,
        outcome: &'a Outcome<S, V>,
        solution: Option<T>,
    ) -> Self {
        let report = &outcome.report;
        Answer {
            problem,
            instance,
            method: report.method,
            engine: engine(report.device.as_deref()),
            device: report.device.as_deref(),
            fallback: report.fallback.as_deref(),
            warning: report.warning.as_deref(),
            status: outcome.status.to_string(),
            interrupted: report.interrupted,
            sense: Some(outcome.sense.name()),
            objective: outcome.objective.map(Number::from),
            bound: outcome.bound.map(Number::from),
            objectives: &[],
            guarantee: outcome.guarantee(),
            seconds: report.seconds,
            setup_seconds: report.setup_seconds,
            solution,
            statistics: report.statistics.iter().collect(),
            trace: report.trace.iter().map(Point::from).collect(),
            table: None,
        }
    }

    /// The results of many solves that took `seconds`: sums of objectives and bounds if all are
    /// known, the worst status, the first device, fallback and warning, and a trace of the end
    /// alone. `None` without outcomes.
    pub(crate) fn of_batch<S, V: Objective>(
        problem: &'static str,
        instance: &'a str,
        outcomes: &'a [Outcome<S, V>],
        seconds: f64,
        solution: T,
    ) -> Option<Self> {
        let slowest_setup =
            |setup: f64, outcome: &Outcome<S, V>| setup.max(outcome.report.setup_seconds);
        let mut answer = Answer::new(problem, instance, outcomes.first()?, Some(solution));
        answer.status = worst(outcomes.iter().map(|outcome| outcome.status))?.to_string();
        answer.setup_seconds = outcomes.iter().fold(0.0, slowest_setup);
        answer.seconds = seconds - answer.setup_seconds;
        for outcome in &outcomes[1..] {
            let sum =
                |total: Option<Number>, part: Option<V>| Some(total?.add(Number::from(part?)));
            answer.objective = sum(answer.objective, outcome.objective);
            answer.bound = sum(answer.bound, outcome.bound);
            answer.interrupted |= outcome.report.interrupted;
            answer.device = answer.device.or(outcome.report.device.as_deref());
            answer.fallback = answer.fallback.or(outcome.report.fallback.as_deref());
            answer.warning = answer.warning.or(outcome.report.warning.as_deref());
            for (name, count) in outcome.report.statistics.iter() {
                *answer.statistics.entry(name).or_default() += count;
            }
        }
        answer.engine = engine(answer.device);
        answer.guarantee = answer.guarantee.filter(|_| answer.objective == answer.bound);
        answer.trace = vec![Point { seconds, objective: answer.objective, bound: answer.bound }];
        Some(answer)
    }

    /// The same with other forms of the objective and the bound.
    pub(crate) fn with_numbers(mut self, form: impl Fn(Number) -> Number) -> Self {
        self.objective = self.objective.map(&form);
        self.bound = self.bound.map(&form);
        for point in &mut self.trace {
            point.objective = point.objective.map(&form);
            point.bound = point.bound.map(&form);
        }
        self
    }

    /// The same with the solution as a table.
    pub(crate) fn with_table(mut self, table: Option<&'a dyn Table>) -> Self {
        self.table = table;
        self.objectives = table.map_or(&[], Table::objectives);
        self
    }

    /// Prints the result and writes it to the files asked for.
    pub(crate) fn publish(&self, common: &Common, wording: &Wording) -> Result<(), Failure> {
        let json = if common.writes_json() { self.json(common)? } else { String::new() };
        // Files come first: the reader of standard output may have closed it.
        let kept = self.write_files(common, wording, &json);
        console::write(&if common.publication.json { json } else { self.summary(wording) })?;
        kept
    }

    fn write_files(&self, common: &Common, wording: &Wording, json: &str) -> Result<(), Failure> {
        match &common.publication.output {
            Some(file) if file.is_csv() => file.write(&table::to_csv(self.table)?)?,
            Some(file) => file.write(json)?,
            None => {}
        }
        let Some(file) = &common.publication.report else { return Ok(()) };
        let about = report::About::new(self.instance, wording, self.quality());
        file.write(&report::page(json, &about)?)
    }

    /// One line.
    fn json(&self, common: &Common) -> Result<String, Failure> {
        let mut text = Text(Vec::new());
        let whole = Whole {
            version: env!("CARGO_PKG_VERSION"),
            answer: self,
            seed: common.solve().seed,
            options: &common.changed,
        };
        let written = serde_json::to_writer(&mut text, &whole).map_err(io::Error::from);
        let json = written.and_then(|()| text.write_all(b"\n")).and_then(|()| {
            String::from_utf8(text.0)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
        });
        json.map_err(|error| Failure::other(format!("the result can't be put into JSON: {error}")))
    }

    fn summary(&self, wording: &Wording) -> String {
        let interrupted = if self.interrupted { ", ended early" } else { "" };
        // There is no solution as good as requested, but the bound limits all solutions.
        let proved = self.bound.filter(|_| self.status == Status::Infeasible.to_string());
        let proved =
            proved.map_or(String::new(), |bound| format!(": no solution better than {bound}"));
        let about = [
            ("method", Some(self.method.to_owned())),
            (
                "engine",
                Some(self.device.map_or("CPU".to_owned(), |device| format!("device {device}"))),
            ),
            ("fallback", self.fallback.map(str::to_owned)),
            ("warning", self.warning.map(str::to_owned)),
            ("status", Some(format!("{}{proved}{interrupted}", self.status))),
        ];
        let values = match self.objectives {
            [] => vec![(wording.objective, self.objective.map(|objective| objective.to_string()))],
            stages => {
                let line = |stage: &'a StageValue| (&*stage.name, Some(stage.value.to_string()));
                stages.iter().map(line).collect()
            }
        };
        let proof = [
            ("bound", self.bound.map(|bound| bound.to_string())),
            ("guarantee", self.quality()),
            ("time", Some(self.time())),
        ];
        let lines: Vec<_> = about.into_iter().chain(values).chain(proof).collect();
        let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(NAME_WIDTH);
        let mut summary = format!("{}: {}\n", on_one_line(self.instance), wording.size);
        for (name, value) in lines {
            if let Some(value) = value {
                summary += &format!("  {name:<width$} {}\n", on_one_line(&value));
            }
        }
        summary + &self.table.map(table::head).unwrap_or_default()
    }

    /// How far the objective is from the optimum at most.
    fn quality(&self) -> Option<String> {
        let (value, bound) = self.objective.zip(self.bound)?;
        let is_proved = self.status == Status::Optimal.to_string();
        match self.objectives.len() > 1 && value == bound && !is_proved {
            true => Some("first stage proved optimal".into()),
            false => excess(value, bound),
        }
    }

    fn time(&self) -> String {
        let setup = match self.setup_seconds {
            setup if setup < 1e-3 => String::new(),
            setup => format!(" and {} to set up the device", duration(setup)),
        };
        format!("{}{setup}", duration(self.seconds))
    }
}

/// A text that grows as long as there is memory.
struct Text(Vec<u8>);

impl Write for Text {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_reserve(bytes.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The engine of a solve with that device or none.
fn engine(device: Option<&str>) -> &'static str {
    if device.is_some() { "device" } else { "cpu" }
}

/// The weakest status.
fn worst(statuses: impl Iterator<Item = Status>) -> Option<Status> {
    statuses.max_by_key(|status| match status {
        Status::Optimal => 0,
        Status::Feasible => 1,
        Status::Infeasible => 2,
        Status::Stopped => 3,
    })
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.2} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// Largest possible distance of a cost above the optimum, or of a profit below it; `None` if the
/// bound gives none.
pub(crate) fn excess(value: impl Into<Number>, bound: impl Into<Number>) -> Option<String> {
    let (value, bound) = (value.into(), bound.into());
    if value == bound {
        return Some("proved optimal".into());
    }
    // Rounded up: a guarantee must not promise more than was proved.
    let (above, hundredths) = match (value, bound) {
        (Number::Integer(value), Number::Integer(bound)) => {
            let (gap, bound) =
                (value.abs_diff(bound), u128::try_from(bound).ok().filter(|&bound| bound > 0)?);
            (value > bound as i128, (gap * 10_000).div_ceil(bound))
        }
        (Number::Real(value), Number::Real(bound)) => {
            let share = (value - bound).abs() / bound;
            (value > bound, (share > 0.0).then(|| (share * 10_000.0).ceil() as u128)?)
        }
        _ => return None,
    };
    let side = if above { "above" } else { "below" };
    Some(format!("at most {}.{:02} % {side} the optimum", hundredths / 100, hundredths % 100))
}

/// A number with its noun in the right form.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use makespan::{Context, ContextOptions, SolveOptions, parallel_machines};

    use super::*;

    #[test]
    fn the_excess_is_rounded_up() {
        let excess = |value: i64, bound: i64| excess(value, bound).unwrap();
        assert_eq!(excess(7, 7), "proved optimal");
        assert_eq!(excess(0, 0), "proved optimal");
        assert_eq!(excess(105, 100), "at most 5.00 % above the optimum");
        assert_eq!(excess(4, 3), "at most 33.34 % above the optimum");
        assert_eq!(excess(i64::MAX, 1), "at most 922337203685477580600.00 % above the optimum");
    }

    #[test]
    fn a_batch_has_its_worst_status() {
        let (optimal, feasible, stopped) = (Status::Optimal, Status::Feasible, Status::Stopped);
        let cases: [(&[Status], _); 5] = [
            (&[], None),
            (&[optimal, optimal], Some(optimal)),
            (&[optimal, feasible, optimal], Some(feasible)),
            (&[Status::Infeasible, feasible], Some(Status::Infeasible)),
            (&[feasible, stopped, optimal], Some(stopped)),
        ];
        for (statuses, expected) in cases {
            assert_eq!(worst(statuses.iter().copied()), expected);
        }
    }

    #[test]
    fn a_batch_tells_of_every_kind_of_trouble() {
        let context = Context::new(ContextOptions::default()).unwrap();
        let instance = parallel_machines::Instance::new(vec![2], 1).unwrap();
        let outcome = |device: Option<&str>, fallback: Option<&str>, warning: Option<&str>| {
            let (options, limits) = (Default::default(), SolveOptions::default());
            let mut outcome =
                parallel_machines::solve(&context, &instance, &options, &limits).unwrap();
            let [device, fallback, warning] =
                [device, fallback, warning].map(|text| text.map(str::to_owned));
            let report = &mut outcome.report;
            (report.device, report.fallback, report.warning) = (device, fallback, warning);
            outcome
        };
        let outcomes = [
            outcome(None, None, None),
            outcome(None, Some("too small"), None),
            outcome(Some("card"), None, Some("hot")),
        ];
        let told = |count| {
            let answer = Answer::of_batch("problem", "name", &outcomes[..count], 1.0, ()).unwrap();
            (answer.engine, answer.device, answer.fallback, answer.warning)
        };
        assert_eq!(told(1), ("cpu", None, None, None));
        assert_eq!(told(3), ("device", Some("card"), Some("too small"), Some("hot")));
    }

    #[test]
    fn profits_and_real_values_have_one_too() {
        assert_eq!(excess(95i64, 100i64).unwrap(), "at most 5.00 % below the optimum");
        assert_eq!(excess(1.5, 1.25).unwrap(), "at most 20.00 % above the optimum");
    }

    #[test]
    fn a_bound_that_is_not_positive_says_nothing() {
        assert_eq!(excess(1i64, 0i64), None);
        assert_eq!(excess(1i64, -2i64), None);
        assert_eq!(excess(1.0, f64::NAN), None);
    }

    #[test]
    fn numbers_of_all_types_are_plain_json() {
        let json = |number: Number| serde_json::to_string(&number).unwrap();
        assert_eq!(json(i64::MAX.into()), "9223372036854775807");
        assert_eq!(json((-3i64).into()), "-3");
        assert_eq!(json(0.5.into()), "0.5");
        assert_eq!(json(Number::Infinite("-inf")), r#""-inf""#);
    }
}
