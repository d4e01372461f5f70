//! Arguments that are arrays of numbers: each is read once, into the list that the instance keeps.

use numpy::prelude::*;
use numpy::{Element, PyArray1, PyArrayDyn, PyUntypedArray};
use pyo3::exceptions::{PyMemoryError, PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};

use crate::error::{argument, because, element, out_of_memory, type_name, wrong_type};

/// Numbers that are read between two looks for signals, within some tens of milliseconds.
const CHUNK: usize = 1 << 20;

/// Numbers, row by row, and the shape of their array.
pub(crate) struct Array<L> {
    pub(crate) values: L,
    pub(crate) shape: Vec<usize>,
}

/// Types of whole numbers that instances have.
pub(crate) trait Whole:
    Copy
    + TryFrom<i8>
    + TryFrom<i16>
    + TryFrom<i32>
    + TryFrom<i64>
    + TryFrom<i128>
    + TryFrom<u8>
    + TryFrom<u16>
    + TryFrom<u32>
    + TryFrom<u64>
{
    const RANGE: (i128, i128);
}

impl Whole for u16 {
    const RANGE: (i128, i128) = (0, u16::MAX as i128);
}

impl Whole for u32 {
    const RANGE: (i128, i128) = (0, u32::MAX as i128);
}

impl Whole for u64 {
    const RANGE: (i128, i128) = (0, u64::MAX as i128);
}

impl Whole for i64 {
    const RANGE: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);
}

/// Why a number does not fit.
fn beyond<T: Whole>(number: &dyn std::fmt::Display) -> String {
    let (least, most) = T::RANGE;
    format!("must be from {least} to {most}, not {number}")
}

/// Reads an array of whole numbers with these numbers of dimensions.
pub(crate) fn whole<T: Whole>(
    name: &str,
    value: &Bound<'_, PyAny>,
    dimensions: &[usize],
) -> PyResult<Array<Vec<T>>> {
    let array = array_of(name, value)?;
    let shape = shape_of(name, &array, dimensions)?;
    let values = whole_values(name, value, &array, &shape)?;
    Ok(Array { values, shape })
}

/// Rows of that many whole numbers each. An empty list has no rows.
pub(crate) fn whole_rows<T: Whole>(
    name: &str,
    value: &Bound<'_, PyAny>,
    width: usize,
) -> PyResult<Vec<T>> {
    let Array { values, shape } = whole(name, value, &[1, 2])?;
    check_rows(value.py(), name, &shape, width)?;
    Ok(values)
}

/// Refuses an array whose rows do not have this length.
pub(crate) fn check_rows(
    py: Python<'_>,
    name: &str,
    shape: &[usize],
    width: usize,
) -> PyResult<()> {
    match *shape {
        [0] | [0, _] => Ok(()),
        [_, columns] if columns == width => Ok(()),
        _ => Err(wrong_shape(py, name, &format!("(n, {width})"), shape)),
    }
}

/// The exception for an array of another shape than those in `wanted`.
pub(crate) fn wrong_shape(py: Python<'_>, name: &str, wanted: &str, shape: &[usize]) -> PyErr {
    argument(py, name, &format!("must have the shape {wanted}, not {}", shape_text(shape)))
}

/// A shape as Python shows it.
pub(crate) fn shape_text(shape: &[usize]) -> String {
    match shape {
        [size] => format!("({size},)"),
        _ => {
            let sizes: Vec<_> = shape.iter().map(usize::to_string).collect();
            format!("({})", sizes.join(", "))
        }
    }
}

/// A list of whole numbers.
pub(crate) fn whole_list<T: Whole>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    whole(name, value, &[1]).map(|array| array.values)
}

/// A list of whole numbers, where None means that there is none.
pub(crate) fn optional_list<T: Whole>(
    name: &str,
    value: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Vec<T>>> {
    value.map(|value| whole_list(name, value)).transpose()
}

/// Real or whole numbers.
pub(crate) enum Numbers {
    Whole(Vec<i64>),
    Real(Vec<f64>),
}

/// Reads an array of numbers of any type with these numbers of dimensions.
pub(crate) fn numbers(
    name: &str,
    value: &Bound<'_, PyAny>,
    dimensions: &[usize],
) -> PyResult<Array<Numbers>> {
    let array = array_of(name, value)?;
    let shape = shape_of(name, &array, dimensions)?;
    let values = match (array.dtype().kind(), array.dtype().itemsize()) {
        _ if array.is_empty() => Numbers::Whole(Vec::new()),
        (b'f', 8) => Numbers::Real(finite::<f64>(name, &array, &shape)?),
        (b'f', 4) => Numbers::Real(finite::<f32>(name, &array, &shape)?),
        (b'f', _) => {
            let reason = format!("must have real numbers of 32 or 64 bits, not {}", array.dtype());
            return Err(wrong_type(name, &reason));
        }
        _ => Numbers::Whole(whole_values(name, value, &array, &shape)?),
    };
    Ok(Array { values, shape })
}

/// Real numbers, which must be finite.
fn finite<S: Element + Copy + std::fmt::Display + Into<f64>>(
    name: &str,
    array: &Bound<'_, PyUntypedArray>,
    shape: &[usize],
) -> PyResult<Vec<f64>> {
    let (values, refused) = elements::<S, f64>(array, |number| {
        let number: f64 = number.into();
        number.is_finite().then_some(number)
    })?;
    match refused {
        None => Ok(values),
        Some(number) => {
            let place = indices(values.len(), shape);
            Err(element(array.py(), name, &place, &format!("must be finite, not {number}")))
        }
    }
}

impl Numbers {
    /// The numbers as real ones; whole ones beyond 2^53 are refused.
    pub(crate) fn into_real(self, py: Python<'_>, name: &str) -> PyResult<Vec<f64>> {
        const EXACT: u64 = 1 << 53;
        match self {
            Numbers::Real(list) => Ok(list),
            Numbers::Whole(list) => {
                if let Some(place) = list.iter().position(|number| number.unsigned_abs() > EXACT) {
                    let reason = "is beyond 2^53, and other numbers are real";
                    return Err(element(py, name, &[place], reason));
                }
                Ok(list.into_iter().map(|number| number as f64).collect())
            }
        }
    }

    pub(crate) fn is_real(&self) -> bool {
        matches!(self, Numbers::Real(_))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Numbers::Whole(list) => list.len(),
            Numbers::Real(list) => list.len(),
        }
    }
}

/// A whole number.
pub(crate) fn scalar<T: Whole>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<T> {
    let number = int_of(value).map_err(|cause| {
        let reason = format!("must be a whole number, not {}", type_name(value));
        because(value.py(), wrong_type(name, &reason), cause)
    })?;
    small(&number)
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| argument(value.py(), name, &beyond::<T>(&integer_text(&number))))
}

/// A real number.
pub(crate) fn real(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value.extract().map_err(|error: PyErr| {
        match error.is_instance_of::<PyOverflowError>(value.py()) {
            true => argument(value.py(), name, "is too large for a real number"),
            false => wrong_type(name, &format!("must be a number, not {}", type_name(value))),
        }
    })
}

/// An integer as a text. Python refuses to write very long ones.
fn integer_text(number: &Bound<'_, PyInt>) -> String {
    match bits_beyond(number) {
        Some(bits) => format!("an integer of {bits} bits"),
        None => number.to_string(),
    }
}

/// The number of an integer's bits, if it is beyond all arguments.
pub(crate) fn bits_beyond(number: &Bound<'_, PyAny>) -> Option<u64> {
    let bits = number.call_method0("bit_length").ok()?.extract().ok()?;
    (bits > 256).then_some(bits)
}

/// A text.
pub(crate) fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let refused = |_| wrong_type(name, &format!("must be a str, not {}", type_name(value)));
    value.extract().map_err(refused)
}

/// The integer that a value is, or the exception of its `__index__`, if it has one that fails.
/// Flags are no integers.
pub(crate) fn int_of<'py>(value: &Bound<'py, PyAny>) -> Result<Bound<'py, PyInt>, Option<PyErr>> {
    if value.is_instance_of::<PyBool>() {
        return Err(None);
    }
    if let Ok(number) = value.cast::<PyInt>() {
        return Ok(number.clone());
    }
    let Some(index) = value.getattr_opt("__index__").map_err(Some)? else { return Err(None) };
    index.call0().map_err(Some)?.cast_into().map_err(|_| None)
}

/// The number, if it has at most 128 bits.
fn small(number: &Bound<'_, PyInt>) -> Option<i128> {
    number.extract().ok()
}

/// The value as an array whose numbers lie row after row, as the processor has them. An array of
/// another layout is copied by numpy first: code for all layouts would be long.
fn array_of<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    if let Ok(array) = value.cast_exact::<PyUntypedArray>()
        && is_plain(array)
    {
        return Ok(array.clone());
    }
    let py = value.py();
    let numpy = py.import("numpy")?;
    if value.getattr_opt("mask")?.is_some()
        && numpy.getattr("ma")?.call_method1("is_masked", (value,))?.is_truthy()?
    {
        return Err(argument(py, name, "has masked elements"));
    }
    let given = numpy.call_method1("asarray", (value,)).map_err(|error| {
        if !error.is_instance_of::<PyValueError>(py) && !error.is_instance_of::<PyTypeError>(py) {
            return of_memory(py, name, error);
        }
        let reason = format!("is no array of numbers: {}", error.value(py));
        argument(py, name, &reason)
    })?;
    let array = given.cast_into::<PyUntypedArray>()?;
    if is_plain(&array) {
        return Ok(array);
    }
    let native = array.dtype().call_method1("newbyteorder", ("=",))?;
    let ordered = numpy
        .call_method1("require", (array, native, ["C", "ALIGNED"]))
        .map_err(|error| of_memory(py, name, error))?;
    Ok(ordered.cast_into::<PyUntypedArray>()?)
}

/// An exception of numpy, with the argument's name if it is about memory.
fn of_memory(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    match error.is_instance_of::<PyMemoryError>(py) {
        true => out_of_memory(py, name, error),
        false => error,
    }
}

/// Whether the elements can be read as one slice.
fn is_plain(array: &Bound<'_, PyUntypedArray>) -> bool {
    array.is_c_contiguous() && array.is_aligned() && array.dtype().byteorder() != FOREIGN
}

/// How numpy marks the order of bytes that is not the processor's.
const FOREIGN: u8 = if cfg!(target_endian = "little") { b'>' } else { b'<' };

fn shape_of(
    name: &str,
    array: &Bound<'_, PyUntypedArray>,
    dimensions: &[usize],
) -> PyResult<Vec<usize>> {
    if dimensions.contains(&array.ndim()) {
        return Ok(array.shape().to_vec());
    }
    let wanted: Vec<_> = dimensions.iter().map(usize::to_string).collect();
    let (wanted, own) = (wanted.join(" or "), array.ndim());
    // None and texts are arrays without dimensions.
    if own == 0 && !matches!(array.dtype().kind(), b'i' | b'u' | b'f') {
        let reason = format!("must be an array of numbers, not {}", scalar_name(array));
        return Err(wrong_type(name, &reason));
    }
    let noun = if wanted == "1" { "dimension" } else { "dimensions" };
    let reason = format!("must have {wanted} {noun}, not {own}");
    Err(argument(array.py(), name, &reason))
}

/// The type of an array's only element.
fn scalar_name(array: &Bound<'_, PyUntypedArray>) -> String {
    let item = array.call_method0("item");
    item.map_or_else(|_| array.dtype().to_string(), |item| type_name(&item))
}

/// The elements in the order of rows, up to the first that `convert` refuses, and that one's place.
fn elements<S: Element + Copy, T>(
    array: &Bound<'_, PyUntypedArray>,
    convert: impl Fn(S) -> Option<T>,
) -> PyResult<(Vec<T>, Option<S>)> {
    let (py, array) = (array.py(), array.cast::<PyArrayDyn<S>>()?.try_readonly()?);
    let (length, mut refused) = (array.len(), None);
    let mut values = Vec::with_capacity(length);
    let mut take = |number: &S| match convert(*number) {
        Some(value) => {
            values.push(value);
            true
        }
        None => {
            refused = Some(*number);
            false
        }
    };
    for start in (0..length).step_by(CHUNK) {
        if start > 0 {
            py.check_signals()?;
        }
        // A signal's handler may have resized the array.
        let chunk = array.as_slice()?.get(start..length.min(start + CHUNK));
        let chunk = chunk.ok_or_else(|| PyRuntimeError::new_err("an array became shorter"))?;
        if !chunk.iter().all(&mut take) {
            break;
        }
    }
    Ok((values, refused))
}

fn whole_values<T: Whole>(
    name: &str,
    given: &Bound<'_, PyAny>,
    array: &Bound<'_, PyUntypedArray>,
    shape: &[usize],
) -> PyResult<Vec<T>> {
    let kind = array.dtype().kind();
    match (kind, array.dtype().itemsize()) {
        // numpy takes an empty list for one of real numbers.
        _ if array.is_empty() => Ok(Vec::new()),
        (b'i', 8) => convert::<i64, T>(name, array, shape),
        (b'i', 4) => convert::<i32, T>(name, array, shape),
        (b'i', 2) => convert::<i16, T>(name, array, shape),
        (b'i', 1) => convert::<i8, T>(name, array, shape),
        (b'u', 8) => convert::<u64, T>(name, array, shape),
        (b'u', 4) => convert::<u32, T>(name, array, shape),
        (b'u', 2) => convert::<u16, T>(name, array, shape),
        (b'u', 1) => convert::<u8, T>(name, array, shape),
        (b'O', _) => objects(name, array, shape),
        // Lists with large numbers become real ones.
        (b'f', _) if !given.is_instance_of::<PyUntypedArray>() && given.hasattr("__len__")? => {
            let numpy = given.py().import("numpy")?;
            let objects_of = numpy.call_method1("asarray", (given, "O"))?;
            objects(name, objects_of.cast()?, shape)
        }
        _ => {
            let dtype = array.dtype();
            Err(wrong_type(name, &format!("must have whole numbers, not {dtype}")))
        }
    }
}

fn convert<S: Element + Copy + std::fmt::Display, T: Whole + TryFrom<S>>(
    name: &str,
    array: &Bound<'_, PyUntypedArray>,
    shape: &[usize],
) -> PyResult<Vec<T>> {
    let (values, refused) = elements::<S, T>(array, |number| T::try_from(number).ok())?;
    match refused {
        None => Ok(values),
        Some(number) => {
            let place = indices(values.len(), shape);
            Err(element(array.py(), name, &place, &beyond::<T>(&number)))
        }
    }
}

/// Reads an array of Python's own numbers.
fn objects<T: Whole>(
    name: &str,
    array: &Bound<'_, PyUntypedArray>,
    shape: &[usize],
) -> PyResult<Vec<T>> {
    let py = array.py();
    let mut values = Vec::with_capacity(array.len());
    for item in array.call_method0("ravel")?.try_iter()? {
        let item = item?;
        let place = || indices(values.len(), shape);
        let number = int_of(&item).map_err(|cause| {
            let is_real = item.is_instance_of::<PyFloat>();
            let what = if is_real { item.to_string() } else { type_name(&item) };
            let list: Vec<_> = place().iter().map(usize::to_string).collect();
            let at = format!("{name}[{}]", list.join(", "));
            because(py, wrong_type(&at, &format!("must be a whole number, not {what}")), cause)
        })?;
        let fitting = small(&number).and_then(|number| T::try_from(number).ok());
        values
            .push(fitting.ok_or_else(|| {
                element(py, name, &place(), &beyond::<T>(&integer_text(&number)))
            })?);
    }
    Ok(values)
}

/// The indices of a place in the order of rows.
fn indices(place: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = place;
    let mut indices: Vec<_> = shape
        .iter()
        .rev()
        .map(|&size| {
            let index = rest % size.max(1);
            rest /= size.max(1);
            index
        })
        .collect();
    indices.reverse();
    indices
}

/// A list as a read-only array, so that results stay as they were.
pub(crate) fn frozen<T: Element>(py: Python<'_>, list: Vec<T>) -> Bound<'_, PyArray1<T>> {
    let array = PyArray1::from_vec(py, list);
    array.readwrite().make_nonwriteable();
    array
}

/// A list of numbers as a read-only array of 64-bit integers, in which differences don't wrap.
pub(crate) fn integers<T>(
    py: Python<'_>,
    list: impl IntoIterator<Item = T>,
) -> PyResult<Bound<'_, PyArray1<i64>>>
where
    T: TryInto<i64>,
{
    let list = list.into_iter();
    let mut wide = Vec::with_capacity(list.size_hint().0);
    for number in list {
        wide.push(
            number
                .try_into()
                .map_err(|_| PyOverflowError::new_err("a number of the result exceeds 63 bits"))?,
        );
    }
    Ok(frozen(py, wide))
}

/// [`integers`] in rows of this length.
pub(crate) fn matrix<'py, T: TryInto<i64>>(
    py: Python<'py>,
    list: impl IntoIterator<Item = T>,
    rows: usize,
    columns: usize,
) -> PyResult<Bound<'py, PyAny>> {
    integers(py, list)?.call_method1("reshape", (rows, columns))
}

/// [`integers`] of a list that may be missing: an empty one is None.
pub(crate) fn optional_integers<'py, T: TryInto<i64> + Copy>(
    py: Python<'py>,
    list: &[T],
) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
    (!list.is_empty()).then(|| integers(py, list.iter().copied())).transpose()
}

/// [`optional_integers`] in blocks of this shape: one block, or an array of several.
pub(crate) fn blocks<'py, T: TryInto<i64> + Copy>(
    py: Python<'py>,
    list: &[T],
    shape: &[usize],
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(array) = optional_integers(py, list)? else { return Ok(None) };
    let count = list.len() / shape.iter().product::<usize>().max(1);
    let shape = if count == 1 { shape.to_vec() } else { [&[count], shape].concat() };
    array.call_method1("reshape", (shape,)).map(Some)
}
