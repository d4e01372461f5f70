//! Tests of the built command, seen from outside.

mod common;
mod csv;
mod cutting_stock;
mod devices;
mod errors;
mod flow_shop;
mod flow_shop_model;
mod generate;
mod interval_dp;
mod knapsack;
mod lattice_dp;
mod multidimensional_knapsack;
mod options;
mod parallel_machines;
mod prewarm;
mod recurrence;
mod report;
#[cfg(target_os = "linux")]
mod signals;
mod standard_input;
mod stands_alone;
mod tune;
mod work;
