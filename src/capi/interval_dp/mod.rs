//! Interval dynamic programming: matrix chains, search trees, triangulations, and any instance of their form.

mod form;
mod instance;
mod options;
mod solution;
mod solve;
