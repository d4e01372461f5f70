//! Reading the solutions of interval dynamic programs.

use std::ffi::{CStr, CString, c_char};
use std::sync::OnceLock;

use super::cells::CellValues;
use super::form::FormNumber;
use crate::capi::convert::c_string;
use crate::capi::handle::{get, get_list, view};
use crate::capi::pointer::OutArray;
use crate::capi::result::mks_result;
use crate::capi::solution::Solution;
use crate::capi::status::{Failure, Result, mks_status};
use crate::interval_dp::{self, Kind, Node, Tree};
use crate::memory::Gather;

/// A solution with its texts, which are made on first request.
pub(super) struct Solved {
    tree: Option<Tree>,
    cells: CellValues,
    cell_error: f64,
    cell_type: CString,
    kind: Kind,
    parenthesisation: OnceLock<CString>,
    dot: OnceLock<CString>,
}

impl Solution for Solved {
    const PROBLEM: &'static CStr = c"interval_dp";
}

impl Solved {
    pub(super) fn new<V: FormNumber>(solution: interval_dp::Solution<V>, kind: Kind) -> Self {
        Solved {
            tree: solution.tree,
            cells: V::cell_values(solution.cells),
            cell_error: solution.cell_error,
            cell_type: c_string(solution.cell_type.name()),
            kind,
            parenthesisation: OnceLock::new(),
            dot: OnceLock::new(),
        }
    }

    fn tree(&self) -> Result<&Tree> {
        self.tree.as_ref().ok_or_else(|| Failure::not_available("tree"))
    }
}

/// Body of the functions that show values of cells.
///
/// # Safety
/// The result is valid or NULL, and the outputs may be written to or are NULL.
unsafe fn cell_values<V: 'static>(
    result: *const mks_result,
    values: *mut *const V,
    count: *mut usize,
    of: fn(&'static CellValues) -> Option<&'static Vec<V>>,
) -> mks_status {
    let of = |result: &'static mks_result| {
        let values = of(&result.solution::<Solved>()?.cells);
        Ok(&values.ok_or_else(|| Failure::not_available("cell value of this type"))?[..])
    };
    // SAFETY: the caller's promise.
    unsafe { view(result, values, count, "values", of) }
}

/// Body of the functions that write the tree out.
///
/// # Safety
/// The result is valid or NULL, and `text` may be written to or is NULL.
unsafe fn tree_text(
    result: *const mks_result,
    text: *mut *const c_char,
    of: for<'a> fn(&'a Solved, &Tree) -> &'a CString,
) -> mks_status {
    let value = |result: &mks_result| {
        let solved: &Solved = result.solution()?;
        Ok(of(solved, solved.tree()?).as_ptr())
    };
    // SAFETY: the caller's promise.
    unsafe { get(result, text, "text", value) }
}

/// The values of the option "cells" in their order, values[count], for instances of whole numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_cell_values_i64_view(
    result: *const mks_result,
    values: *mut *const i64,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { cell_values(result, values, count, CellValues::whole) }
}

/// ::mks_interval_dp_cell_values_i64_view for instances of real numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_cell_values_f64_view(
    result: *const mks_result,
    values: *mut *const f64,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { cell_values(result, values, count, CellValues::real) }
}

/// Largest possible error of the values of the option "cells": 0 if they are exact, infinite if
/// nothing is known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_cell_error(
    result: *const mks_result,
    error: *mut f64,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, error, "error", |result| Ok(result.solution::<Solved>()?.cell_error)) }
}

/// Type of the computed cells, as the option "cell_type" spells it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_cell_type_used(
    result: *const mks_result,
    cell_type: *mut *const c_char,
) -> mks_status {
    let value = |result: &mks_result| Ok(result.solution::<Solved>()?.cell_type.as_ptr());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, cell_type, "cell_type", value) }
}

/// Number of inner nodes of the tree: the number of points - 2. ::MKS_STATUS_NOT_AVAILABLE if the
/// semiring has no tree.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_node_count(
    result: *const mks_result,
    count: *mut usize,
) -> mks_status {
    let value = |result: &mks_result| Ok(result.solution::<Solved>()?.tree()?.nodes().len());
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(result, count, "count", value) }
}

/// Copies the tree's inner nodes to nodes[capacity], three numbers each: first point, split, last
/// point. A node comes before its parts, the left part before the right one. The capacity must be
/// at least three times the number of nodes. In a search tree, the node with split k is key k - 1.
/// If several trees are optimal, the cubic recurrence takes the one with the lowest splits from the
/// root on, and Hu and Shing's algorithm takes any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_nodes(
    result: *const mks_result,
    nodes: *mut u32,
    capacity: usize,
) -> mks_status {
    let copy = |result: &mks_result, out: OutArray<_>| {
        let nodes = result.solution::<Solved>()?.tree()?.nodes();
        let numbers = |node: &Node| [node.first, node.split, node.last];
        out.write(&nodes.iter().flat_map(numbers).gather()?)
    };
    // SAFETY: the header demands a valid handle or NULL, and room for that many elements or NULL.
    unsafe { get_list(result, nodes, capacity, "nodes", copy) }
}

/// The tree as a product of its leaves A1, A2, ..., such as "((A1 A2) A3)".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_parenthesisation(
    result: *const mks_result,
    text: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        tree_text(result, text, |solved, tree| {
            solved.parenthesisation.get_or_init(|| c_string(&tree.parenthesisation()))
        })
    }
}

/// The tree as a graph in the DOT language.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_dot(
    result: *const mks_result,
    text: *mut *const c_char,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe {
        tree_text(result, text, |solved, tree| {
            solved.dot.get_or_init(|| c_string(&tree.dot(solved.kind)))
        })
    }
}
