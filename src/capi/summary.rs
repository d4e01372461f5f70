//! The figures of a result in one struct.

use std::mem::offset_of;

use super::convert::number;
use super::guard::guard;
use super::handle::Handle;
use super::result::mks_result;
use super::stamped::{self, OutStamped, Stamped};
use super::status::mks_status;
use super::value::{Fields, is_real};

/// Status of a solution. A later version may add numbers.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_solution_status {
    /// Proved optimal: the objective equals the bound.
    Optimal = 1,
    /// There is a solution, not proved optimal.
    Feasible = 2,
    /// Proved: no solution exists, or none as good as requested. The bound then says how good a
    /// solution can be.
    Infeasible = 3,
    /// A limit or a stop request ended the solve before it had a solution.
    Stopped = 4,
}

/// The engine that did the heavy work of a solve. A later version may add numbers.
#[repr(i32)]
pub enum mks_engine {
    /// The CPU.
    Cpu = 1,
    /// One or several OpenCL devices, which ::mks_result_device names.
    Device = 2,
}

/// Status, values and times of a solve. Later versions may add fields at the end.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_summary {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// Status of the solution, one of ::mks_solution_status.
    pub status: i32,
    /// Whether lower or higher objectives are better, one of ::mks_sense.
    pub sense: i32,
    /// Number of lexicographic stages of the objective.
    pub stages: u32,
    /// 1 if a limit, the stop handle or the callback ended the solve, else 0.
    pub interrupted: i32,
    /// What did the heavy work, one of ::mks_engine.
    pub engine: i32,
    /// 1 if objective and bound are real numbers, 0 if they are whole or if there are none.
    pub is_real: i32,
    /// 1 if there is an objective, else 0. A solution has one, except a batch with a sum beyond 63
    /// bits.
    pub has_objective: i32,
    /// 1 if there is a bound, else 0.
    pub has_bound: i32,
    /// The objective, recomputed from the solution; 0 if there is none or if it is real.
    pub objective: i64,
    /// The proved bound: no solution is better; 0 if there is none or if it is real.
    pub bound: i64,
    /// The objective as the nearest double, NaN if there is none.
    pub objective_f64: f64,
    /// The bound as the nearest double, NaN if there is none.
    pub bound_f64: f64,
    /// Largest possible factor between the objective and the optimum: objective / bound for a cost,
    /// bound / objective for a profit, 1 for a proved optimum. NaN without a solution, or if
    /// objective and bound differ and one of them is not positive.
    pub guarantee: f64,
    /// Wall-clock seconds of the solve, without setup_seconds.
    pub seconds: f64,
    /// Wall-clock seconds spent finding a device and building its kernels.
    pub setup_seconds: f64,
}

// SAFETY: no padding, and every bit pattern is a valid number.
unsafe impl Stamped for mks_summary {
    const ARGUMENT: &'static str = "summary";
    const FIRST_SIZE: usize = offset_of!(Self, setup_seconds) + 8;
    const DEFAULT: Self = mks_summary {
        struct_size: size_of::<Self>(),
        status: 0,
        sense: 0,
        stages: 0,
        interrupted: 0,
        engine: 0,
        is_real: 0,
        has_objective: 0,
        has_bound: 0,
        objective: 0,
        bound: 0,
        objective_f64: 0.0,
        bound_f64: 0.0,
        guarantee: 0.0,
        seconds: 0.0,
        setup_seconds: 0.0,
    };

    fn reserved_is_zero(&self) -> bool {
        true
    }
}

impl From<&mks_result> for mks_summary {
    fn from(result: &mks_result) -> Self {
        let (objective, bound) = (Fields::from(result.objective), Fields::from(result.bound));
        let engine = match result.report.device {
            Some(_) => mks_engine::Device,
            None => mks_engine::Cpu,
        };
        mks_summary {
            struct_size: size_of::<Self>(),
            status: 1 + number(result.status),
            sense: number(result.sense),
            stages: result.stages,
            interrupted: result.report.interrupted.into(),
            engine: engine as i32,
            is_real: is_real(result.objective, result.bound),
            has_objective: objective.has,
            has_bound: bound.has,
            objective: objective.whole,
            bound: bound.whole,
            objective_f64: objective.real,
            bound_f64: bound.real,
            guarantee: result.guarantee.unwrap_or(f64::NAN),
            seconds: result.report.seconds,
            setup_seconds: result.report.setup_seconds,
        }
    }
}

/// Prepares the struct; `size` is sizeof(mks_summary).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_summary_init(summary: *mut mks_summary, size: usize) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(summary, size) }
}

/// Status, values and times of a result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_result_summary(
    result: *const mks_result,
    summary: *mut mks_summary,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let result = unsafe { mks_result::borrow(result) }?;
        // SAFETY: the header demands an initialised struct or NULL.
        let out = unsafe { OutStamped::new(summary) }?;
        out.write(mks_summary::from(result));
        Ok(())
    })
}
