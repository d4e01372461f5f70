//! The OpenCL layer: the only module that talks to an OpenCL driver.
//!
//! It finds devices and their facts, builds kernel families with the device's tuning, keeps the
//! binaries on disk, and runs kernels. It knows no scheduling problem. It never panics: every fault
//! of a driver becomes an [`Error`](crate::Error). A machine without OpenCL is a normal case, with
//! an empty list of devices and a reason.
//!
//! The usual path is `discovery::discover` → `Device::open` → `Device::program` → `Program::kernel`
//! → `Queue::launch`. Queries use opencl3. Objects that must be released are raw handles of cl3,
//! the crate below it, because opencl3's own types panic in `Drop` if a driver fails to release
//! them (see [`objects`]).
//!
//! `builder`, `device`, `kernel`, `pinned`, `program`, `queue`, `recipe`, `trial` and `tuning` import
//! each other, because the objects do: a device hands out queues and programs, a program its
//! kernels, a queue pinned memory, and all keep the device open. A recipe names the self-test of its
//! family, and a builder tests a program on its device before the device hands it out. A family
//! declares tunables, and the texts of rows are checked against families. All other files import
//! downwards only.
//!
//! The loader library is opened at run time through function pointers that cl3 declares without a
//! calling convention. They agree with C's on the supported 64-bit targets.

mod arguments;
mod best;
mod buffer;
mod build_log;
mod builder;
mod cache;
mod calibration;
mod contexts;
mod device;
mod discovery;
mod facts;
mod figures;
mod host;
mod kernel;
mod objects;
mod pinned;
mod private_file;
mod program;
mod queue;
mod recipe;
mod row_file;
#[cfg(test)]
mod signatures;
mod source;
mod speeds;
mod status;
#[cfg(test)]
pub(crate) mod testing;
mod trial;
mod tuner;
mod tuning;
mod user_text;
mod usual;
mod workload;

pub use cache::CacheLocation;
pub(crate) use facts::FEW_ITERATIONS;
#[cfg(test)]
pub(crate) use facts::Quirks;
pub use facts::{DeviceInfo, DeviceKind};
pub use host::HostOpenCl;
pub use speeds::DeviceSpeeds;

pub(crate) use arguments::{ArgList, Arguments, GroupArrays, Local, Parameter, kernel_arguments};
#[cfg(test)]
pub(crate) use arguments::{Declaration, Declared, Forms, MOST_PARAMETERS, declared, in_a_row};
pub(crate) use buffer::{Buffer, Element};
pub(crate) use builder::{Build, Patience};
pub(crate) use cache::{Cache, Key};
#[cfg(test)]
pub(crate) use calibration::KERNEL_FAMILIES as CALIBRATION_FAMILIES;
pub(crate) use calibration::{Calibrated, calibrate};
pub(crate) use device::{BARRIER, BARRIER_GIVEN_UP, Device, Waited};
pub(crate) use discovery::{Discovery, FoundDevice, discover};
pub(crate) use figures::Figures;
pub(crate) use kernel::Kernel;
pub(crate) use pinned::HostList;
pub(crate) use program::Program;
pub(crate) use queue::{Mark, Queue};
#[cfg(test)]
pub(crate) use recipe::GROUP_MEMORY;
pub(crate) use recipe::{KernelFamily, UserText};
pub(crate) use row_file::rows_of;
#[cfg(test)]
pub(crate) use signatures::{kernel_names, parts_taken, signatures};
pub(crate) use source::{Source, source};
#[cfg(test)]
pub(crate) use trial::UNTESTED;
pub(crate) use trial::{Failing, Trial, agree};
pub(crate) use tuner::{Change, Effort, FamilyTuning, Work, tune};
pub(crate) use tuning::{Rows, Tunable, Tuning, merged};
pub(crate) use user_text::{bounded_expression, check_functions};
pub(crate) use usual::Usual;
pub(crate) use workload::{Case, TimedFamily, Workload, timed};
#[cfg(any(test, fuzzing))]
pub(crate) use {
    build_log::fuzz as fuzz_build_log, cache::fuzz as fuzz_cache_entry,
    figures::fuzz as fuzz_figures, tuning::fuzz as fuzz_tuning, user_text::fuzz as fuzz_user_text,
};
