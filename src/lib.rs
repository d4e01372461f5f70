//! Production scheduling and the dynamic programs behind it.
//!
//! Every solver takes a [`Context`] (threads, devices, kernels, log), a validated instance and
//! options. It returns an [`Outcome`]: a solution that independent code has checked, its objective,
//! a proved bound, and a report. OpenCL is optional at run time: the CPU engine gives the same
//! results. Only costs and operators written in OpenCL C, and some methods for comparison, need a
//! device.
//!
//! ```
//! use makespan::{Context, ContextOptions, SolveOptions, parallel_machines};
//!
//! let context = Context::new(ContextOptions::default())?;
//! let instance = parallel_machines::Instance::new(vec![5, 5, 4, 4, 3, 3, 3], 3)?;
//! let outcome =
//!     parallel_machines::solve(&context, &instance, &Default::default(), &SolveOptions::default())?;
//! assert_eq!((outcome.objective, outcome.bound), (Some(9), Some(9)));
//! # Ok::<(), Box<makespan::Error>>(())
//! ```

#![cfg_attr(not(feature = "capi"), allow(dead_code, unused_imports, reason = "only C uses them"))]

#[doc(hidden)]
pub mod atomic_file;
mod batch;
#[cfg(feature = "capi")]
mod capi;
mod configuration_lp;
mod context;
pub mod cutting_stock;
#[cfg(test)]
mod declared_kernels;
mod device_uses;
mod enumeration;
mod error;
pub mod flow_shop;
#[cfg(all(any(test, fuzzing), feature = "capi"))]
#[doc(hidden)]
pub mod fuzzing;
mod gcd;
pub mod interval_dp;
mod kernel_families;
mod kernels;
pub mod knapsack;
mod latest;
pub mod lattice_dp;
mod log;
#[cfg(test)]
mod lying_devices;
mod memory;
pub mod multidimensional_knapsack;
mod mutex;
mod opencl;
pub mod options;
mod owned_threads;
mod parallel;
pub mod parallel_machines;
mod random;
pub mod recurrence;
mod scoped;
mod signals;
mod simd;
#[cfg(test)]
mod small_devices;
mod solve;
mod sorting;
mod stopwatch;
mod table;
#[cfg(test)]
mod testing;
mod text;

/// Tests compile and run the Rust code of these pages.
#[cfg(doctest)]
#[doc = include_str!("../docs/src/start.md")]
struct Pages;

pub use context::{
    Calibration, Context, ContextOptions, DeviceCalibration, Prewarm, PrewarmProgress,
    ProcessorSpeeds, TuneOptions, Tuned, TunedFamily, TunedValue, TunedWork,
};
pub(crate) use context::{Dispatch, Forecast, Pacer, Team, Units};
pub use device_uses::DeviceUse;
pub use enumeration::Enumeration;
pub use error::{Error, Result};
pub use kernels::Kernels;
pub use log::{Log, LogCallback, LogLevel};
pub use opencl::{CacheLocation, DeviceInfo, DeviceKind, DeviceSpeeds, HostOpenCl};
pub use solve::{
    Control, Engine, Limits, Objective, Outcome, Progress, ProgressCallback, Report, Sense,
    SolveOptions, Statistics, Status, StopHandle, TracePoint, Value,
};
