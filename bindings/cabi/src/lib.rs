//! The C functions of `makespan`, as a shared and as a static library.
//!
//! The functions are in the `capi` module of `makespan`. This crate only links them, so that no
//! other build produces libraries for C.

extern crate makespan as _;
