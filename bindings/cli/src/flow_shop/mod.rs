//! `makespan flow-shop`: the permutation flow shop.

mod chart;
mod csv;
mod given;
mod json;
mod named;
mod printed;
mod source;

use std::path::PathBuf;

use makespan::flow_shop::{Exploration, Instance, Method, Options, Permutation, solve};
use makespan::{Context, ContextOptions, Outcome, SolveOptions};

use self::given::Given;
use self::named::Named;
use self::printed::PrintedSchedule;
use self::source::Source;
use crate::failure::Failure;
use crate::names;
use crate::options::ChartOption;
use crate::progress::Bar;
use crate::session;
use crate::settings::{Problem, Settings};
use crate::wording::Wording;

/// Sequence jobs that pass all machines in the same order, so that the last one ends as early as
/// possible, or by another objective
#[derive(clap::Args)]
pub struct Arguments {
    /// Instance: a file in the format of Taillard or of Vallada, Ruiz and Framinan; a file with a
    /// line of times for each job; one with set-ups or due dates; JSON; CSV with a header of
    /// machines and the names of the jobs in the first column; or a name from ta001 to ta120
    file: PathBuf,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    settings: Settings<Options>,
    #[command(flatten)]
    given: Given,
    #[command(flatten)]
    chart: ChartOption,
}

impl Problem for Options {
    const NAME: &'static str = "flow-shop";
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let task = arguments.read()?;
    let (instance, options) = (task.instance(), task.options());
    task.publish(|context, solve_options| solve(context, instance, options, solve_options))
}

/// The arguments with their instance.
pub struct Task<'a> {
    arguments: &'a Arguments,
    named: Named,
}

impl Task<'_> {
    /// The instance.
    pub fn instance(&self) -> &Instance {
        &self.named.instance
    }

    /// The options of the solver.
    pub fn options(&self) -> &Options {
        &self.arguments.settings.problem
    }

    /// The options of all problems, for a solve that begins now.
    pub fn solve_options(&self) -> SolveOptions {
        self.arguments.settings.common.solve()
    }

    /// The options of the context.
    ///
    /// # Errors
    /// Options that do not go together.
    pub fn context_options(&self) -> Result<ContextOptions, Failure> {
        self.arguments.settings.common.context(Bar::new().log())
    }

    /// Solves by `work`, and publishes the outcome in all forms that the arguments ask for.
    ///
    /// # Errors
    /// Those of the solve, and of writing.
    pub fn publish(
        &self,
        work: impl FnOnce(&Context, &SolveOptions) -> makespan::Result<Outcome<Permutation>>,
    ) -> Result<(), Failure> {
        let Task { arguments, named } = self;
        let (file, common) = (&arguments.file, &arguments.settings.common);
        let instance = &named.instance;
        let unit = arguments.chart.time_unit.clone().or_else(|| named.unit.clone());
        let wording =
            Wording { unit: unit.clone(), ..Wording::new(source::size(instance), "makespan") };
        let task = session::Task { problem: "flow-shop", file, wording, common };
        let (outcome, printed) = task.run_with_table(
            |context, solve_options| {
                let mut outcome = work(context, solve_options)?;
                for warning in &named.warnings {
                    session::warn(&mut outcome.report, Some(warning.clone()));
                }
                Ok(outcome)
            },
            |permutation| PrintedSchedule::new(named, permutation),
        )?;
        if let (Some(chart_file), Some(printed)) = (&arguments.chart.gantt, &printed) {
            let name = names::instance_name(file);
            let chart = chart::chart(&name, instance, &outcome, printed, unit.as_deref());
            chart_file.write(&chart.to_svg())?;
        }
        Ok(())
    }
}

impl Arguments {
    /// Checks the arguments and reads the instance.
    ///
    /// # Errors
    /// Arguments that do not go together, and files that can't be read.
    pub fn read(&self) -> Result<Task<'_>, Failure> {
        self.check()?;
        let mut named = self.source.read(&self.file, &self.settings.common)?;
        self.given.apply(&mut named)?;
        if self.settings.problem.method == Method::IteratedGreedy && named.instance.is_plain() {
            // The CPU searches for the makespan alone.
            self.settings.common.check_one_device()?;
        }
        Ok(Task { arguments: self, named })
    }

    /// Replaces the device of the arguments.
    pub fn use_device(&mut self, index: usize) {
        self.settings.common.use_device(index);
    }

    /// Makes the solve begin with another number for its random choices.
    pub fn shift_seed(&mut self, by: u64) {
        self.settings.common.shift_seed(by);
    }

    /// Refuses options that do not go together.
    fn check(&self) -> Result<(), Failure> {
        let Settings { problem: options, common, .. } = &self.settings;
        self.chart.check(common)?;
        for output in common.publication.files().chain(&self.chart.gantt) {
            output.check_other(&self.file)?;
            let mut checkpoint = options.exact.checkpoint.iter();
            checkpoint.try_for_each(|checkpoint| output.check_other(checkpoint))?;
        }
        if common.is_cpu_only() && options.exact.exploration == Exploration::HostPool {
            return Err(Failure::usage(
                "--exploration host-pool needs a device and makes no sense with --engine cpu",
            ));
        }
        if self.settings.is_given("checkpoint_interval") && options.exact.checkpoint.is_none() {
            return Err(Failure::usage("--checkpoint-interval needs --checkpoint"));
        }
        match options.method {
            Method::Auto | Method::BranchAndBound | Method::Beam | Method::IteratedGreedy => Ok(()),
            Method::Tabu if options.search.trajectories.is_some_and(|count| count > 1) => Ok(()),
            Method::Neh => {
                common.check_one_device()?;
                common.check_no_iterations(Method::Neh.name())
            }
            Method::Tabu => common.check_one_device(),
        }
    }
}
