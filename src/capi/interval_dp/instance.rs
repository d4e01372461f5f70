//! Making instances of interval dynamic programs.

use std::ffi::c_char;
use std::sync::Arc;

use super::form::{FormNumber, Given, mks_interval_dp_form};
use crate::Limits;
use crate::capi::convert::choice;
use crate::capi::guard::guard;
use crate::capi::handle::{self, Handle, get};
use crate::capi::pointer;
use crate::capi::stamped::{self, OutStamped};
use crate::capi::status::{Failure, Result, mks_status};
use crate::interval_dp::{AnyInstance, Instance, Kind, Node, Tree};
use crate::memory::Gather;

/// Kinds of instances.
#[repr(i32)]
#[expect(dead_code, reason = "C programs use the names")]
pub enum mks_interval_dp_kind {
    /// The order of multiplying a chain of matrices.
    MatrixChain = 0,
    /// An optimal binary search tree.
    SearchTree = 1,
    /// A triangulation of a convex polygon.
    Triangulation = 2,
}

/// An instance of interval dynamic programming.
pub struct mks_interval_dp_instance {
    pub(super) instance: Arc<AnyInstance>,
    given: Given,
}

impl Handle for mks_interval_dp_instance {
    const NAME: &'static str = "mks_interval_dp_instance";
    const ARGUMENT: &'static str = "instance";
}

impl mks_interval_dp_instance {
    fn new(instance: AnyInstance) -> Self {
        mks_interval_dp_instance { instance: Arc::new(instance), given: Given::default() }
    }
}

fn kind(number: i32) -> Result<Kind> {
    match choice("kind", number)? {
        // Instances of a form of their own.
        Kind::Custom => Err(Failure::argument("kind", format!("{number} has no meaning"))),
        kind => Ok(kind),
    }
}

/// Body of the functions that make an instance of one list.
///
/// # Safety
/// The list is NULL or has `count` elements, and `instance` is NULL or may be written to.
unsafe fn by_list<V: FormNumber>(
    list: *const V,
    count: usize,
    argument: &'static str,
    make: fn(Vec<V>) -> crate::Result<Instance<V>>,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the caller's promise.
        let list = unsafe { pointer::copy(list, count, argument) }?;
        Ok(mks_interval_dp_instance::new(V::any(make(list)?)))
    };
    // SAFETY: the caller's promise.
    unsafe { handle::make(instance, build) }
}

/// # Safety
/// The lists are NULL or have `key_count` elements and one more, and `instance` is NULL or may be
/// written to.
unsafe fn search_tree<V: FormNumber>(
    keys: *const V,
    key_count: usize,
    gaps: *const V,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        let gap_count = key_count.checked_add(1);
        let gap_count = gap_count.ok_or_else(|| Failure::argument("key_count", "is too large"))?;
        // SAFETY: the caller's promise.
        let keys = unsafe { pointer::copy(keys, key_count, "keys") }?;
        // SAFETY: the caller's promise.
        let gaps = unsafe { pointer::copy(gaps, gap_count, "gaps") }?;
        Ok(mks_interval_dp_instance::new(V::any(Instance::search_tree(&keys, &gaps)?)))
    };
    // SAFETY: the caller's promise.
    unsafe { handle::make(instance, build) }
}

/// # Safety
/// The form is NULL or initialised, with arrays of the lengths it says, and `instance` is NULL or
/// may be written to.
unsafe fn create<V: FormNumber>(
    form: *const mks_interval_dp_form<V>,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        // SAFETY: the caller's promise.
        let form = unsafe { stamped::read(form) }?;
        // SAFETY: the caller's promise.
        let instance = unsafe { form.build() }?;
        let given = form.given(&instance);
        Ok(mks_interval_dp_instance { instance: Arc::new(V::any(instance)), given })
    };
    // SAFETY: the caller's promise.
    unsafe { handle::make(instance, build) }
}

/// Creates the instance of a matrix chain in whole numbers: matrix i has dimensions[i] rows and
/// dimensions[i + 1] columns, and there are count - 1 matrices. Dimensions are positive.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_matrix_chain_i64(
    dimensions: *const i64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    // SAFETY: the header demands arrays of these lengths or NULL, and a valid pointer or NULL.
    unsafe { by_list(dimensions, count, "dimensions", Instance::matrix_chain, instance) }
}

/// ::mks_interval_dp_instance_matrix_chain_i64 in real numbers.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_matrix_chain_f64(
    dimensions: *const f64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    // SAFETY: the header demands arrays of these lengths or NULL, and a valid pointer or NULL.
    unsafe { by_list(dimensions, count, "dimensions", Instance::matrix_chain, instance) }
}

/// Creates the instance of an optimal binary search tree in whole numbers: keys[key_count] are the
/// weights of the keys in their order, gaps[key_count + 1] the weights of searches that end before
/// each key and after the last one. No weight is negative. The objective is the weighted number of
/// comparisons.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_search_tree_i64(
    keys: *const i64,
    key_count: usize,
    gaps: *const i64,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    // SAFETY: the header demands arrays of these lengths or NULL, and a valid pointer or NULL.
    unsafe { search_tree(keys, key_count, gaps, instance) }
}

/// ::mks_interval_dp_instance_search_tree_i64 in real numbers.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_search_tree_f64(
    keys: *const f64,
    key_count: usize,
    gaps: *const f64,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    // SAFETY: the header demands arrays of these lengths or NULL, and a valid pointer or NULL.
    unsafe { search_tree(keys, key_count, gaps, instance) }
}

/// Creates the instance of a polygon's triangulation in whole numbers. weights[count] are the
/// weights of the vertices, at least three and all positive; a triangle costs the product of its
/// vertices' weights.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_triangulation_i64(
    weights: *const i64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    // SAFETY: the header demands arrays of these lengths or NULL, and a valid pointer or NULL.
    unsafe { by_list(weights, count, "weights", Instance::triangulation_by_weights, instance) }
}

/// ::mks_interval_dp_instance_triangulation_i64 in real numbers.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_triangulation_f64(
    weights: *const f64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    // SAFETY: the header demands arrays of these lengths or NULL, and a valid pointer or NULL.
    unsafe { by_list(weights, count, "weights", Instance::triangulation_by_weights, instance) }
}

/// Creates an instance of the general form in whole numbers.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_create_i64(
    form: *const mks_interval_dp_form<i64>,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    // SAFETY: the header demands arrays of these lengths or NULL, and a valid pointer or NULL.
    unsafe { create(form, instance) }
}

/// ::mks_interval_dp_instance_create_i64 in real numbers.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_create_f64(
    form: *const mks_interval_dp_form<f64>,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    // SAFETY: the header demands arrays of these lengths or NULL, and a valid pointer or NULL.
    unsafe { create(form, instance) }
}

/// Creates the instance of a convex polygon's triangulation. coordinates[2 * count] are x and y of
/// each vertex, in order; a triangle costs the sum of its edges' lengths.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_convex_polygon(
    coordinates: *const f64,
    count: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        let length =
            count.checked_mul(2).ok_or_else(|| Failure::argument("count", "is too large"))?;
        // SAFETY: the header demands that many elements, or NULL.
        let coordinates = unsafe { pointer::copy(coordinates, length, "coordinates") }?;
        let vertices: Vec<_> =
            coordinates.chunks_exact(2).map(|vertex| [vertex[0], vertex[1]]).gather()?;
        Ok(mks_interval_dp_instance::new(AnyInstance::Real(Instance::convex_polygon(&vertices)?)))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Reads an instance from text[length]; kind_number is one of ::mks_interval_dp_kind:
///
/// - a matrix chain: its dimensions;
/// - a search tree: n, then n weights of keys, then n + 1 weights of gaps;
/// - a triangulation: a line for each vertex of the polygon, with its weight or its two
///   coordinates.
///
/// If any number has a decimal point or an exponent, all are real. Whole numbers beyond 63 bits are
/// refused.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_parse(
    kind_number: i32,
    text: *const c_char,
    length: usize,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = |text: &str| {
        Ok(mks_interval_dp_instance::new(AnyInstance::parse(kind(kind_number)?, text)?))
    };
    // SAFETY: the header demands that many bytes or NULL, and a valid pointer or NULL.
    unsafe { handle::parse(text, length, instance, build) }
}

/// ::mks_interval_dp_instance_parse of a file.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_read(
    kind_number: i32,
    path: *const c_char,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build =
        |path| Ok(mks_interval_dp_instance::new(AnyInstance::read(kind(kind_number)?, path)?));
    // SAFETY: the header demands a string or NULL, and a valid pointer or NULL.
    unsafe { handle::read(path, instance, build) }
}

/// Creates a random instance of kind_number, one of ::mks_interval_dp_kind, with `size` matrices,
/// keys or vertices and whole numbers up to `largest`. It is refused if it needs more than half of
/// the free memory.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_interval_dp_instance_random(
    kind_number: i32,
    size: usize,
    seed: u64,
    largest: i64,
    instance: *mut *mut mks_interval_dp_instance,
) -> mks_status {
    let build = || {
        let drawn =
            AnyInstance::random(kind(kind_number)?, size, seed, largest, &Limits::default())?;
        Ok(mks_interval_dp_instance::new(drawn))
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(instance, build) }
}

/// Number of points: the number of leaves + 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_instance_points(
    instance: *const mks_interval_dp_instance,
    points: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, points, "points", |instance| Ok(instance.instance.points())) }
}

/// Sets *is_real to 1 for an instance of real numbers, to 0 for one of whole numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_instance_is_real(
    instance: *const mks_interval_dp_instance,
    is_real: *mut i32,
) -> mks_status {
    let value = |handle: &mks_interval_dp_instance| {
        Ok(matches!(*handle.instance, AnyInstance::Real(_)).into())
    };
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(instance, is_real, "is_real", value) }
}

/// Reads the general form of an instance of whole numbers. ::mks_interval_dp_instance_create_i64
/// creates an equal instance from it. The arrays are views. ::MKS_STATUS_NOT_AVAILABLE for real
/// numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_instance_form_i64_view(
    instance: *const mks_interval_dp_instance,
    form: *mut mks_interval_dp_form<i64>,
) -> mks_status {
    // SAFETY: the header demands a valid handle and an initialised struct, or NULL.
    unsafe { form_view(instance, form) }
}

/// ::mks_interval_dp_instance_form_i64_view for real numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_instance_form_f64_view(
    instance: *const mks_interval_dp_instance,
    form: *mut mks_interval_dp_form<f64>,
) -> mks_status {
    // SAFETY: the header demands a valid handle and an initialised struct, or NULL.
    unsafe { form_view(instance, form) }
}

/// # Safety
/// The instance is NULL or valid, the form NULL or initialised.
unsafe fn form_view<V: FormNumber>(
    instance: *const mks_interval_dp_instance,
    form: *mut mks_interval_dp_form<V>,
) -> mks_status {
    guard(|| {
        // SAFETY: the caller's promise.
        let handle = unsafe { mks_interval_dp_instance::borrow(instance) }?;
        // SAFETY: the caller's promise.
        let out = unsafe { OutStamped::new(form) }?;
        let missing = || Failure::missing("the instance has numbers of the other type");
        let found = V::of_any(&handle.instance).ok_or_else(missing)?;
        out.write(mks_interval_dp_form::of(found, &handle.given));
        Ok(())
    })
}

/// Checks the tree of an instance of whole numbers and sets *value to its value. nodes[3 * count]
/// has the inner nodes in the order of ::mks_interval_dp_nodes. Returns
/// ::MKS_STATUS_INVALID_ARGUMENT if a node does not belong to the tree; the last error names the
/// first one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_check_i64(
    instance: *const mks_interval_dp_instance,
    nodes: *const u32,
    count: usize,
    value: *mut i64,
) -> mks_status {
    // SAFETY: the header demands a valid handle, that many numbers and a valid pointer, or NULL.
    unsafe { check_tree(instance, nodes, count, value) }
}

/// ::mks_interval_dp_check_i64 for real numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_check_f64(
    instance: *const mks_interval_dp_instance,
    nodes: *const u32,
    count: usize,
    value: *mut f64,
) -> mks_status {
    // SAFETY: the header demands a valid handle, that many numbers and a valid pointer, or NULL.
    unsafe { check_tree(instance, nodes, count, value) }
}

/// # Safety
/// The instance is NULL or valid, there are three times `count` numbers, and `value` is NULL or may
/// be written to.
unsafe fn check_tree<V: FormNumber>(
    instance: *const mks_interval_dp_instance,
    nodes: *const u32,
    count: usize,
    value: *mut V,
) -> mks_status {
    let find = |handle: &mks_interval_dp_instance| {
        let many = || Failure::argument("count", format!("{count} is too many"));
        let numbers = count.checked_mul(3).ok_or_else(many)?;
        // SAFETY: the caller's promise.
        let numbers = unsafe { pointer::array(nodes, numbers, "nodes") }?;
        let missing = || Failure::missing("the instance has numbers of the other type");
        let found = V::of_any(&handle.instance).ok_or_else(missing)?;
        let (triples, _) = numbers.as_chunks();
        let node = |&[first, split, last]: &[u32; 3]| Node { first, split, last };
        let tree = Tree::of_nodes(found.points(), triples.iter().map(node).gather()?)?;
        Ok(found.evaluate(&tree)?)
    };
    // SAFETY: the caller's promise.
    unsafe { get(instance, value, "value", find) }
}

/// Frees an instance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_interval_dp_instance_free(instance: *mut mks_interval_dp_instance) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_interval_dp_instance::free(instance) };
}
