//! What each engine is to do for a solve: the fastest method that serves.

use super::cost_model::Core;
use super::instance::Instance;
use super::plan::EnginePlan;
use super::{Method, Options, Output, cost_model, jump, window};
use crate::solve::Engine;
use crate::{Context, Error, Result};

/// The work of all engines.
pub(super) struct EnginePlans<'a> {
    /// A jump to try first, on the CPU. With [`Method::Auto`], for any requested engine.
    pub(super) jump: Option<EnginePlan<'a>>,
    pub(super) cpu: EnginePlan<'a>,
    pub(super) device: EnginePlan<'a>,
}

impl<'a> EnginePlans<'a> {
    /// EnginePlans for an engine; `None` means the context's.
    pub(super) fn new(
        context: &Context,
        instance: &'a Instance,
        options: &Options,
        engine: Option<Engine>,
    ) -> Result<Self> {
        check(instance, options)?;
        let plan = |method| EnginePlan::new(instance, options, method);
        if options.method == Method::Jump {
            if context.wants_device(engine) {
                return Err(Error::unsupported("the method jump on a device"));
            }
            let table = || plan(Method::Blocked);
            return Ok(EnginePlans {
                jump: Some(plan(Method::Jump)),
                cpu: table(),
                device: table(),
            });
        }
        if options.method != Method::Auto {
            let plans =
                EnginePlans { jump: None, cpu: plan(options.method), device: plan(options.method) };
            // Refuses an unsafe fold before any work.
            plans.cpu.schedule()?;
            return Ok(plans);
        }
        let (threads, core) = (context.threads(), Core::of(&context.processor_speeds()));
        let mut plans =
            EnginePlans { jump: None, cpu: plan(Method::Blocked), device: plan(Method::Blocked) };
        if window::serves(instance) {
            plans.prefer(plan(Method::SlidingWindow), threads, core);
        }
        if jump_obstacle(instance, options.output).is_some() {
            return Ok(plans);
        }
        let jump = plan(Method::Jump);
        if !jump::stays_in_range(instance) {
            // The jump may succeed where the table has an element out of range. To give the same
            // result everywhere, the decision must not depend on engine and number of threads.
            plans.jump = cost_model::jump_beats_all_engines(&jump, &plans.device).then_some(jump);
        } else if context.wants_device(engine) {
            let (info, speeds) = (context.device_info()?, context.chosen_speeds()?);
            let on_device = cost_model::device_seconds(&plans.device, info, &speeds, threads, core);
            let on_cpu = cost_model::cpu_seconds(&jump, threads, core);
            plans.jump = (on_cpu < on_device).then_some(jump);
        } else {
            plans.prefer(jump, threads, core);
        }
        Ok(plans)
    }

    /// Replaces the CPU's plan by a faster one.
    fn prefer(&mut self, plan: EnginePlan<'a>, threads: usize, core: Core) {
        let seconds = |plan: &EnginePlan<'_>| cost_model::cpu_seconds(plan, threads, core);
        if seconds(&plan) < seconds(&self.cpu) {
            self.cpu = plan;
        }
    }
}

/// Refuses options that do not fit the instance or each other.
fn check(instance: &Instance, options: &Options) -> Result<()> {
    let &Options { method, output, fold, choices } = options;
    if fold.is_some() && method != Method::PFold {
        return Err(Error::argument("fold", "applies only to the p-fold pipeline"));
    }
    if choices && output == Output::Last {
        return Err(Error::argument("choices", "need the whole table"));
    }
    if choices && !instance.semiring().selects() {
        let name = instance.semiring().name();
        return Err(Error::unsupported(format!(
            "choices of {name}, which does not select an operand"
        )));
    }
    match method {
        Method::Jump => match jump_obstacle(instance, output) {
            Some(obstacle) => Err(Error::unsupported(obstacle)),
            None => Ok(()),
        },
        Method::SlidingWindow if !window::serves(instance) => {
            Err(Error::unsupported("a sliding window over offsets with gaps or several weights"))
        }
        _ => Ok(()),
    }
}

/// The reason why a jump cannot give this output, if there is one.
fn jump_obstacle(instance: &Instance, output: Output) -> Option<&'static str> {
    match output {
        Output::Table => Some("a jump to more than the last element"),
        Output::Last => jump::obstacle(instance),
    }
}
