//! Interval dynamic programming: matrix chains, search trees, triangulations, and any instance of
//! their form.

mod cells;
pub(super) mod folding;
pub(super) mod form;
pub(super) mod instance;
pub(super) mod solution;
pub(super) mod solve;
