//! The C ABI, declared in `include/makespan.h`; the only module with `extern "C"`.
//!
//! Every function is one call of [`guard::guard`] or of a helper built on it. Pointers are checked
//! and turned into Rust values by `pointer` and `handle`, structs that C fills by `stamped`; outputs are written
//! last, on success only. Doc comments of `mks_` items become the header's text and are written for
//! C programmers.

#![allow(unsafe_code, reason = "pointers and functions of C")]
#![allow(non_camel_case_types, reason = "types carry their C names")]
#![allow(unreachable_pub, reason = "functions are exported by name, not by path")]

#[cfg(panic = "abort")]
compile_error!("the C ABI turns panics into errors; build with panic = \"unwind\"");

mod convert;
#[cfg(any(test, fuzzing))]
mod fuzzing;
mod guard;
mod handle;
mod pointer;
mod stamped;

// The header follows the order of the modules: common parts, what solves take, problems, results.
mod last_error;
mod status;
mod version;

mod context;
mod device;
mod incumbent;
mod log;
mod options;
mod prewarm;
mod progress;
mod speeds;
mod stop;

mod cutting_stock;
mod flow_shop;
mod interval_dp;
mod knapsack;
mod lattice_dp;
mod multidimensional_knapsack;
mod parallel_machines;
mod recurrence;

/// Whose options programs create by name: a context, and each problem above.
const OWNERS: &[Owner] = &[
    Owner::of::<ContextOptions>(c"context"),
    Owner::of::<crate::cutting_stock::Options>(c"cutting_stock"),
    Owner::of::<crate::flow_shop::Options>(c"flow_shop"),
    Owner::of::<crate::interval_dp::Options>(c"interval_dp"),
    Owner::of::<crate::knapsack::Options>(c"knapsack"),
    Owner::of::<crate::lattice_dp::Options>(c"lattice_dp"),
    Owner::of::<crate::multidimensional_knapsack::Options>(c"multidimensional_knapsack"),
    Owner::of::<crate::parallel_machines::Options>(c"parallel_machines"),
    Owner::of::<crate::recurrence::Options>(c"recurrence"),
];

mod result;
mod solution;
mod solve;
mod summary;
mod trace;
mod value;

use self::options::Owner;
use crate::ContextOptions;

#[cfg(any(test, fuzzing))]
pub(crate) use fuzzing::fuzz as fuzz_calls;
