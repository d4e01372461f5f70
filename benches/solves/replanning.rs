//! New plans in a second: after a breakdown, and for many variants of an instance at once.

use std::time::Instant;

use clap::Args;
use makespan::flow_shop::{Instance, Method, Objective, Options, Permutation, solve, solve_batch};
use makespan::{Context, Engine, Outcome, SolveOptions};

use crate::common::Result;
use crate::common::log::Log;
use crate::common::options::{On, Run, Selection, flow_shop_method, limited};
use crate::common::random::Random;
use crate::deviation::{deviation, summary};

/// A breakdown counts if it makes the running plan worse than this, in percent of the reference.
const LEAST_GAP: f64 = 3.0;

/// New plans of 500 x 20 after a breakdown
///
/// A plan is made. Its first jobs have been released when the machine with the most work breaks down
/// for a fifth of the plan's makespan. Solves with short limits begin with the running plan. Prints
/// how far they and the running plan are from a long solve, and means over the instances whose
/// running plan is more than 3 % away.
#[derive(Args)]
pub(crate) struct Replanning {
    /// Criteria; due dates and weights are random
    #[arg(long, value_delimiter = ',', value_parser = Objective::parse,
        default_values = ["makespan", "weighted-tardiness"])]
    objectives: Vec<Objective>,
    #[command(flatten)]
    selection: Selection,
    /// Jobs of the running plan that are released before the breakdown
    #[arg(long, default_value_t = 50)]
    pinned: usize,
    /// Seconds for the running plan
    #[arg(long, value_name = "SECONDS", default_value_t = 5.0)]
    plan_limit: f64,
    /// Seconds for the reference
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
    reference_limit: f64,
    /// Method of the new plans; the running plan and the reference are made by `auto`
    #[arg(long, default_value = "auto", value_parser = flow_shop_method)]
    method: Method,
    /// Seconds for the new plans
    #[arg(long, value_delimiter = ',', default_values_t = [0.2, 1.0])]
    limits: Vec<f64>,
    #[arg(long, default_value_t)]
    seed: u64,
    #[command(flatten)]
    on: On,
}

/// What is compared after a breakdown. All are percentages above the reference.
struct Compared {
    running: f64,
    /// One for each limit.
    renewed: Vec<f64>,
}

impl Replanning {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let context = self.on.context(Some(2))?;
        let names = (111..=120).map(|number| format!("ta{number}")).collect();
        let names = self.selection.of(names, |_| "500x20".to_owned(), |name| name);
        let limits: Vec<_> = self.limits.iter().map(|limit| format!("{limit} s")).collect();
        println!("% above {} s: the running plan, {}", self.reference_limit, limits.join(", "));
        for objective in &self.objectives {
            let mut counted = Vec::new();
            for name in &names {
                let compared = self.break_down(log, &context, name, objective)?;
                let counts = compared.running > LEAST_GAP;
                let left_out = if counts { "" } else { ", not counted" };
                println!("{objective} {name}: {}{left_out}", compared.text());
                counted.extend(counts.then_some(compared));
            }
            println!("{objective}: {} of {} counted", counted.len(), names.len());
            for (place, limit) in limits.iter().enumerate() {
                let deviations = counted.iter().map(|compared| compared.renewed[place]);
                println!("{objective} {limit}: {}", summary(deviations));
            }
        }
        Ok(())
    }

    /// Plans, breaks a machine down and plans again.
    fn break_down(
        &self,
        log: &Log,
        context: &Context,
        name: &str,
        objective: &Objective,
    ) -> Result<Compared> {
        let shop = shop(name, objective, self.seed)?;
        let options = |seconds| SolveOptions { seed: self.seed, ..limited(seconds) };
        let outcome = solve(context, &shop, &Options::default(), &options(self.plan_limit))?;
        let plan = outcome.solution.ok_or("no plan")?;

        let (machine, _) = busiest(&shop);
        let mut ready = shop.ready_times().to_vec();
        ready[machine] += u32::try_from(plan.makespan(&shop)? / 5)?;
        let released = plan.jobs().iter().copied().take(self.pinned).collect();
        let broken = shop.with_pinned(released)?.with_ready_times(ready)?;

        let running = plan.values(&broken)?[0];
        let solved = |method, seconds: f64| -> Result<_> {
            let own = Options { method, start: Some(plan.clone()), ..Options::default() };
            let outcome = solve(context, &broken, &own, &options(seconds))?;
            Ok((outcome.objective.ok_or("no new plan")?, outcome))
        };
        let (reference, outcome) = solved(Method::Auto, self.reference_limit)?;
        let line = |outcome: &Outcome<Permutation>, seconds, value| {
            log.outcome(name, context, &options(seconds), outcome)
                .class(format!("500x20 {objective}"))
                .with("running_plan", running)
                .with("reference", reference)
                .with("deviation", deviation(value, reference))
                .write()
        };
        line(&outcome, self.reference_limit, reference)?;
        let mut renewed = Vec::new();
        for &limit in &self.limits {
            let (value, outcome) = solved(self.method, limit)?;
            line(&outcome, limit, value)?;
            renewed.push(deviation(value, reference));
        }
        Ok(Compared { running: deviation(running, reference), renewed })
    }
}

impl Compared {
    fn text(&self) -> String {
        let all = [self.running].into_iter().chain(self.renewed.iter().copied());
        all.map(|percent| format!("{percent:.2}")).collect::<Vec<_>>().join(", ")
    }
}

/// Variants of a 100 x 20 instance, solved in one batch under one limit
///
/// Each variant has other times and release times. Prints how far some of them are from solves alone.
#[derive(Args)]
pub(crate) struct Variants {
    /// Criteria; due dates and weights are random
    #[arg(long, value_delimiter = ',', value_parser = Objective::parse,
        default_values = ["makespan", "weighted-tardiness"])]
    objectives: Vec<Objective>,
    #[arg(long, default_value = "ta081")]
    instance: String,
    /// Number of variants
    #[arg(long, default_value_t = 1000)]
    variants: usize,
    /// Most percent by which a time changes
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(..=100))]
    change: u64,
    /// Number of variants that are also solved alone
    #[arg(long, default_value_t = 10)]
    sample: usize,
    /// Plan the instance itself for these seconds; all solves begin with this plan
    #[arg(long, value_name = "SECONDS")]
    plan_limit: Option<f64>,
    /// Seconds for a variant alone
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0)]
    alone_limit: f64,
    #[command(flatten)]
    run: Run,
}

impl Variants {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let context = self.run.context(2)?;
        // The limit of the batch, if the arguments have none.
        let solve_options = self.run.solve_options(Some(5.0));
        for objective in &self.objectives {
            self.compare(log, &context, &solve_options, objective)?;
        }
        Ok(())
    }

    fn compare(
        &self,
        log: &Log,
        context: &Context,
        solve_options: &SolveOptions,
        objective: &Objective,
    ) -> Result<()> {
        let shop = shop(&self.instance, objective, solve_options.seed)?;
        let seeds = (0..self.variants as u64).map(|number| solve_options.seed + number);
        let variants: Vec<_> =
            seeds.map(|seed| variant(&shop, self.change, seed)).collect::<Result<_>>()?;
        let references: Vec<_> = variants.iter().collect();
        let plan = |seconds| solve(context, &shop, &Options::default(), &limited(seconds));
        let start = self.plan_limit.map(plan).transpose()?.and_then(|outcome| outcome.solution);
        let own = Options { start, ..Options::default() };
        let begun = Instant::now();
        let outcomes = solve_batch(context, &references, &own, solve_options)?;
        let seconds = begun.elapsed().as_secs_f64();
        let solved = outcomes.iter().filter(|outcome| outcome.solution.is_some()).count();
        println!("{objective}: {solved} of {} solved in {seconds:.2} s", self.variants);

        let (seed, engine) = (solve_options.seed, Some(Engine::Cpu));
        let alone = SolveOptions { seed, engine, ..limited(self.alone_limit) };
        let mut deviations = Vec::new();
        let step = (self.variants / self.sample.max(1)).max(1);
        for number in (0..self.variants).step_by(step).take(self.sample) {
            let reference = solve(context, &variants[number], &own, &alone)?;
            let (outcome, reference) = (&outcomes[number], reference.objective.ok_or("no plan")?);
            let reached = outcome.objective.map(|value| deviation(value, reference));
            log.outcome(format!("{}/{number}", self.instance), context, solve_options, outcome)
                .class(format!("100x20 {objective}"))
                .with("reference", reference)
                .with("deviation", reached)
                .write()?;
            deviations.extend(reached);
        }
        println!("{objective}, % above {} s alone: {}", self.alone_limit, summary(deviations));
        Ok(())
    }
}

/// A known instance with random weights and due dates.
fn shop(name: &str, objective: &Objective, seed: u64) -> Result<Instance> {
    let plain = Instance::named(name).ok_or("no instance of that name")?;
    let (mut random, (_, length)) = (Random(seed), busiest(&plain));
    let weights = (0..plain.jobs()).map(|_| random.within(1, 10) as u32).collect();
    // A good plan is a bit longer than the work of one machine, so that about a third are late.
    let due = |job: u32| {
        let work = plain.job(job).iter().copied().map(i64::from).sum::<i64>();
        work + random.within(length * 2 / 5, length) as i64
    };
    let due_dates = (0..plain.jobs() as u32).map(due).collect();
    let due = plain.clone().with_due_dates(due_dates)?.with_weights(weights)?;
    Ok(due.with_objective(objective.clone())?)
}

/// The machine with the most work, and its work.
fn busiest(shop: &Instance) -> (usize, u64) {
    let work = |machine: usize| {
        shop.times().iter().skip(machine).step_by(shop.machines()).copied().map(u64::from).sum()
    };
    let machines = (0..shop.machines()).map(|machine| (machine, work(machine)));
    machines.max_by_key(|(_, work)| *work).unwrap_or_default()
}

/// The same shop with other times, and a fifth of the jobs released later.
fn variant(shop: &Instance, change: u64, seed: u64) -> Result<Instance> {
    let mut random = Random(seed);
    let mut changed = |&time: &u32| {
        let percent = 100 - change + random.below(2 * change + 1);
        ((u64::from(time) * percent + 50) / 100) as u32
    };
    let times = shop.times().iter().map(&mut changed).collect();
    let (_, length) = busiest(shop);
    let mut release = || if random.below(5) == 0 { random.below(length / 2) as u32 } else { 0 };
    let release_times = (0..shop.jobs()).map(|_| release()).collect();
    let other = Instance::new(shop.jobs(), shop.machines(), times)?;
    Ok(other
        .with_release_times(release_times)?
        .with_due_dates(shop.due_dates().to_vec())?
        .with_weights(shop.weights().to_vec())?
        .with_objective(shop.objective().clone())?)
}
