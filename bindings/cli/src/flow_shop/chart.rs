//! The schedule as a Gantt chart.

use makespan::Outcome;
use makespan::flow_shop::{Instance, Permutation};

use super::named::NEVER_LATE;
use super::printed::PrintedSchedule;
use super::source::size;
use crate::answer::excess;
use crate::gantt::{Bar, Chart, Fill, Mark, Row, Tick, time_axis};

/// Release and due dates of more jobs would hide the bars.
const MOST_TICKS: usize = 40;

pub(super) fn chart(
    name: &str,
    instance: &Instance,
    outcome: &Outcome<Permutation>,
    printed: &PrintedSchedule<'_>,
    unit: Option<&str>,
) -> Chart {
    let is_makespan = instance.objective().is_makespan();
    let bounded = outcome.objective.zip(outcome.bound).filter(|_| is_makespan);
    let quality = bounded.and_then(|(makespan, bound)| excess(makespan, bound));
    let quality = quality.unwrap_or_else(|| outcome.status.to_string());
    let mut subtitle = format!("{}: schedule {quality}", size(instance));
    if instance.setups().is_some() {
        subtitle += "; set-ups in grey";
    }
    if printed.tardiness.iter().any(|&late| late > 0) {
        subtitle += "; late jobs in red";
    }
    let marks = match is_makespan {
        true => Mark::of_makespan(outcome.objective, outcome.bound),
        false => {
            let makespan = printed.makespan().and_then(|end| end.try_into().ok());
            Mark::of_makespan(makespan, None)
        }
    };
    let drawing = Drawing { instance, printed };
    match drawing.due_dates().filter(|&(_, date)| date > drawing.end()).count() {
        0 => {}
        1 => subtitle += "; 1 due date after the end",
        later => subtitle += &format!("; {later} due dates after the end"),
    }
    let rows = (0..instance.machines()).map(|machine| drawing.row(machine)).collect();
    let (title, across) = (name.to_owned(), time_axis(unit));
    Chart { title, subtitle, across, down: "machine", rows, marks }
}

struct Drawing<'a> {
    instance: &'a Instance,
    printed: &'a PrintedSchedule<'a>,
}

impl Drawing<'_> {
    fn row(&self, machine: usize) -> Row {
        let mut bars = Vec::new();
        let mut before = None;
        for &job in &self.printed.permutation {
            bars.extend(self.setup(machine, before, job));
            bars.push(self.work(machine, job));
            before = Some(job);
        }
        let label = self.printed.machine_names.with("machine ", machine);
        Row { label, bars, ticks: self.ticks(machine) }
    }

    fn work(&self, machine: usize, job: u32) -> Bar {
        let (index, label) = (job as usize, self.label(job));
        let (start, end) = (self.printed.starts[index][machine], self.printed.ends[index][machine]);
        let is_late = self.printed.tardiness.get(index).is_some_and(|&late| late > 0);
        let fill = if is_late { Fill::Alarm } else { Fill::Colour(index) };
        Bar { label, start, end, fill, group: Some(index) }
    }

    /// The set-up for a job, as late as possible.
    fn setup(&self, machine: usize, before: Option<u32>, job: u32) -> Option<Bar> {
        let time = self.instance.setup(machine, before, job);
        let end = self.printed.starts[job as usize][machine];
        let label = format!("set-up for {}", self.label(job));
        let (start, group) = (end - u64::from(time), Some(job as usize));
        let bar = Bar { label, start, end, fill: Fill::Quiet, group };
        (time > 0).then_some(bar)
    }

    /// Release times on the first machine, due dates on the last one.
    fn ticks(&self, machine: usize) -> Vec<Tick> {
        let (instance, mut ticks) = (self.instance, Vec::new());
        if instance.jobs() > MOST_TICKS {
            return ticks;
        }
        let tick = |(job, at): (usize, u64), what: &str| {
            let label = format!("{} is {what} at {at}", self.label(job as u32));
            Tick { label, at }
        };
        if machine == 0 {
            let releases = instance.release_times().iter().map(|&time| u64::from(time));
            let later = releases.enumerate().filter(|&(_, time)| time > 0);
            ticks.extend(later.map(|release| tick(release, "released")));
        }
        if machine + 1 == instance.machines() {
            let end = self.end();
            let dates = self.due_dates().filter(|&(_, date)| date <= end);
            ticks.extend(dates.map(|date| tick(date, "due")));
        }
        ticks
    }

    /// The due dates that a chart may have a place for, with their jobs.
    fn due_dates(&self) -> impl Iterator<Item = (usize, u64)> {
        let dates = self.instance.due_dates().iter().enumerate();
        let known = dates.filter(|&(_, &date)| date != NEVER_LATE);
        known.filter_map(|(job, &date)| Some((job, u64::try_from(date).ok()?)))
    }

    fn end(&self) -> u64 {
        self.printed.makespan().unwrap_or(0)
    }

    fn label(&self, job: u32) -> String {
        self.printed.job_names.with("J", job as usize)
    }
}
