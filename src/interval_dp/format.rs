//! Instances from texts, files and random numbers.

use std::path::Path;
use std::str::FromStr;

use super::instance::{Instance, Kind, check_points};
use super::number::Number;
use crate::memory::{Gather, Grow};
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions};
use crate::text::{self, Words};
use crate::{Error, Limits, Result, memory};

/// An instance of whole or of real numbers, as read from a file.
#[derive(Debug, Clone)]
pub enum AnyInstance {
    /// All numbers are whole.
    Whole(Instance<i64>),
    /// Some number has a decimal point or an exponent, or lengths are computed from coordinates.
    Real(Instance<f64>),
}

/// The default for the largest number that [`AnyInstance::random`] draws: chains of 65,536 such
/// matrices fit 32-bit cells.
pub const DEFAULT_LARGEST: i64 = 40;

/// Bytes for each point of the random numbers and the lists made from them: seven words for a
/// search tree, including intermediate sums.
const POINT_BYTES: usize = 7 * size_of::<i64>();
/// Measured bytes of an instance of a batch with its outcome and its printed text: fixed, and for
/// each point.
const MEMBER_BYTES: usize = 1 << 10;
const MEMBER_POINT_BYTES: usize = POINT_BYTES + 24;

impl AnyInstance {
    /// Reads an instance; numbers are separated by blanks or line ends. If all are whole, the
    /// result is an instance of whole numbers; a number with a decimal point or an exponent, such
    /// as `1e20`, makes it one of real numbers. Whole numbers beyond 63 bits are refused.
    ///
    /// - [`Kind::MatrixChain`]: the dimensions, one more than there are matrices;
    /// - [`Kind::SearchTree`]: the number n of keys, the n weights of the keys, the n + 1 weights
    ///   of the gaps;
    /// - [`Kind::Triangulation`]: lines of one number are the vertices' weights, and a triangle
    ///   costs their product; lines of two numbers are the coordinates of a convex polygon's
    ///   vertices in order, and a triangle costs the sum of its edges' lengths.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line at fault, those of the constructors, and
    /// [`Error::Unsupported`] for [`Kind::Custom`].
    pub fn parse(kind: Kind, text: &str) -> Result<Self> {
        if kind == Kind::Triangulation && has_pairs(text) {
            return Ok(AnyInstance::Real(polygon(&numbers(text)?)?));
        }
        match numbers::<i64>(text) {
            Ok(whole) => Ok(AnyInstance::Whole(build(kind, whole)?)),
            Err(_) => Ok(AnyInstance::Real(build(kind, reals(text)?)?)),
        }
    }

    /// Reads an instance from a file; see [`AnyInstance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`AnyInstance::parse`].
    pub fn read(kind: Kind, path: impl AsRef<Path>) -> Result<Self> {
        AnyInstance::parse(kind, &text::read(path.as_ref())?)
    }

    /// Reads a batch from a file; see [`AnyInstance::parse_batch`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`AnyInstance::parse_batch`].
    pub fn read_batch(kind: Kind, path: impl AsRef<Path>, limits: &Limits) -> Result<Vec<Self>> {
        AnyInstance::parse_batch(kind, &text::read(path.as_ref())?, limits)
    }

    /// An instance from each non-blank line of a text.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line of an instance that [`AnyInstance::parse`] refuses, and
    /// [`Error::OutOfMemory`] as [`AnyInstance::random_batch`].
    pub fn parse_batch(kind: Kind, text: &str, limits: &Limits) -> Result<Vec<Self>> {
        let monitor = watch(limits);
        let (mut instances, mut required) = (Vec::new(), 0);
        for (line, text) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            monitor.check_step(line)?;
            let instance = AnyInstance::parse(kind, text).map_err(|error| match *error {
                Error::Parse { reason, .. } => Box::new(Error::Parse { line, reason }),
                other @ Error::OutOfMemory { .. } => Box::new(other),
                other => Box::new(Error::Parse { line, reason: other.to_string() }),
            })?;
            required += member_bytes(instance.points());
            monitor.check_memory(required, || {
                format!("a batch of {} instances or more", instances.len())
            })?;
            instances.try_push(instance)?;
        }
        Ok(instances)
    }

    /// Draws `count` instances as [`AnyInstance::random`] does, with consecutive seeds from `seed`.
    ///
    /// # Errors
    /// Those of [`AnyInstance::random`], and [`Error::OutOfMemory`] if the instances, their
    /// outcomes and their printed text together exceed the memory limit.
    pub fn random_batch(
        kind: Kind,
        size: usize,
        seed: u64,
        largest: i64,
        count: u64,
        limits: &Limits,
    ) -> Result<Vec<Self>> {
        let points = points_of(kind, size);
        let monitor = watch(limits);
        monitor.check_memory(member_bytes(points) * u128::from(count), || {
            format!("a batch of {count} random instances of {points} points")
        })?;
        let one = |number| draw(kind, size, seed.wrapping_add(number), largest, &monitor);
        (0..count).map(one).try_gather()
    }

    /// Draws an instance of `size` matrices, keys or vertices with whole numbers from 1 (for search
    /// trees 0) to `largest`. The same arguments always give the same instance.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a `largest` below 1 and for too many points,
    /// [`Error::Unsupported`] for [`Kind::Custom`], [`Error::OutOfMemory`] if the instance exceeds
    /// the memory limit, [`Error::Stopped`] if the time limit comes first. Those of the
    /// constructors.
    pub fn random(
        kind: Kind,
        size: usize,
        seed: u64,
        largest: i64,
        limits: &Limits,
    ) -> Result<Self> {
        draw(kind, size, seed, largest, &watch(limits))
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        match self {
            AnyInstance::Whole(instance) => instance.points(),
            AnyInstance::Real(instance) => instance.points(),
        }
    }
}

/// A monitor of the limits while reading or drawing. Small instances are ready before any time
/// limit, so that the solve has an instance to start from.
fn watch(limits: &Limits) -> Monitor {
    Monitor::new(&SolveOptions { limits: limits.clone(), ..SolveOptions::default() }).opening()
}

/// Bytes of an instance of a batch, with its outcome and text.
fn member_bytes(points: usize) -> u128 {
    MEMBER_BYTES as u128 + points as u128 * MEMBER_POINT_BYTES as u128
}

fn draw(
    kind: Kind,
    size: usize,
    seed: u64,
    largest: i64,
    monitor: &Monitor,
) -> Result<AnyInstance> {
    if largest < 1 {
        return Err(Error::argument("largest", "must be at least 1"));
    }
    let smallest = i64::from(kind != Kind::SearchTree);
    let points = points_of(kind, size);
    check_points("size", points)?;
    let count = if kind == Kind::SearchTree { 2 * size + 1 } else { points };
    monitor.check_lists((points * POINT_BYTES) as u128, || {
        format!("a random instance of {points} points")
    })?;
    let mut drawn = memory::list(count)?;
    let (mut random, range) = (Random::new(seed), (largest - smallest) as u64 + 1);
    for step in 0..count {
        monitor.check_step(step)?;
        drawn.push(smallest + random.below(range) as i64);
    }
    Ok(AnyInstance::Whole(match kind {
        Kind::SearchTree => Instance::search_tree(&drawn[..size], &drawn[size..])?,
        _ => of_list(kind, drawn)?,
    }))
}

/// All numbers of a text, with their lines.
fn numbers<N: FromStr>(text: &str) -> Result<Vec<(usize, N)>> {
    let mut words = Words::new(text);
    let mut numbers = Vec::new();
    while let Some(word) = words.next() {
        let number = word.parse();
        let number =
            number.map_err(|_| words.error(format!("'{}' is not a number", shown(word))))?;
        numbers.try_push((words.line(), number))?;
    }
    match numbers.is_empty() {
        true => Err(words.error("the file is empty")),
        false => Ok(numbers),
    }
}

/// All numbers of a text that has some non-whole numbers. The whole ones must fit into 63 bits all
/// the same.
fn reals(text: &str) -> Result<Vec<(usize, f64)>> {
    let mut words = Words::new(text);
    while let Some(word) = words.next() {
        let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_whole && word.parse::<i64>().is_err() {
            return Err(words.error(format!("{} does not fit into 63 bits", shown(word))));
        }
    }
    numbers(text)
}

/// The beginning of a word, short enough for an error message.
fn shown(word: &str) -> String {
    word.chars().take(24).collect::<String>().escape_debug().to_string()
}

/// Whether the first non-blank line has two words.
fn has_pairs(text: &str) -> bool {
    text.lines().map(|line| line.split_whitespace().count()).find(|&words| words > 0) == Some(2)
}

fn build<V: Number>(kind: Kind, numbers: Vec<(usize, V)>) -> Result<Instance<V>> {
    if kind != Kind::SearchTree {
        return of_list(kind, numbers.into_iter().map(|(_, number)| number).gather()?);
    }
    let (line, first) = numbers[0];
    let keys = Some(first.to_i64()).filter(|&keys| keys >= 0 && V::from_i64(keys) == first);
    let given = numbers.len() - 1;
    let keys = keys.map(|keys| keys as usize).ok_or_else(|| Error::Parse {
        line,
        reason: format!("the number of keys is expected, not {first:?}"),
    })?;
    if given.checked_sub(1).is_none_or(|given| given % 2 != 0 || given / 2 != keys) {
        let reason = format!(
            "{keys} keys need that many weights and one more for the gaps; {given} numbers follow"
        );
        return Err(Box::new(Error::Parse { line: numbers[given].0, reason }));
    }
    let weights: Vec<V> = numbers[1..].iter().map(|&(_, number)| number).gather()?;
    Instance::search_tree(&weights[..keys], &weights[keys..])
}

fn of_list<V: Number>(kind: Kind, list: Vec<V>) -> Result<Instance<V>> {
    match kind {
        Kind::MatrixChain => Instance::matrix_chain(list),
        Kind::Triangulation => Instance::triangulation_by_weights(list),
        _ => Err(Error::unsupported(format!("files of kind {}", kind.name()))),
    }
}

/// A convex polygon from pairs of coordinates.
fn polygon(numbers: &[(usize, f64)]) -> Result<Instance<f64>> {
    let mut vertices = memory::list(numbers.len() / 2)?;
    for pair in numbers.chunks(2) {
        match *pair {
            [(line, x), (other, y)] if line == other => vertices.try_push([x, y])?,
            _ => {
                let reason = "each line has the two coordinates of a vertex".into();
                return Err(Box::new(Error::Parse { line: pair[0].0, reason }));
            }
        }
    }
    Instance::convex_polygon(&vertices)
}

/// Points of an instance of `size` matrices, keys or vertices.
fn points_of(kind: Kind, size: usize) -> usize {
    match kind {
        Kind::MatrixChain => size.saturating_add(1),
        Kind::SearchTree => size.saturating_add(2),
        _ => size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(kind: Kind, text: &str) -> String {
        AnyInstance::parse(kind, text).unwrap_err().to_string()
    }

    #[test]
    fn whole_and_real_numbers() {
        let chain = AnyInstance::parse(Kind::MatrixChain, "30 35\n15 5\n").unwrap();
        assert!(matches!(chain, AnyInstance::Whole(_)) && chain.points() == 4);
        let chain = AnyInstance::parse(Kind::MatrixChain, "30 35.5").unwrap();
        assert!(matches!(chain, AnyInstance::Real(_)));
        let tree = AnyInstance::parse(Kind::SearchTree, "2\n0.5 0.25\n0 0.25 0").unwrap();
        assert_eq!(tree.points(), 4);
        let polygon = AnyInstance::parse(Kind::Triangulation, "0 0\n1 0\n\n1 1\n0 1\n").unwrap();
        assert!(matches!(polygon, AnyInstance::Real(_)) && polygon.points() == 4);
        let weights = AnyInstance::parse(Kind::Triangulation, "3\n1\n2\n").unwrap();
        assert!(matches!(weights, AnyInstance::Whole(_)));
    }

    #[test]
    fn each_fault_is_named() {
        assert_eq!(refusal(Kind::MatrixChain, " \n"), "line 1: the file is empty");
        assert_eq!(refusal(Kind::MatrixChain, "1\n2 x"), "line 2: 'x' is not a number");
        let large = "line 2: 99999999999999999999 does not fit into 63 bits";
        assert_eq!(refusal(Kind::MatrixChain, "2 3\n99999999999999999999"), large);
        assert_eq!(refusal(Kind::MatrixChain, "2 3.5\n99999999999999999999 1"), large);
        assert_eq!(
            refusal(Kind::MatrixChain, "1 nan"),
            "dimensions[1]: NaN is not positive and finite"
        );
        assert_eq!(
            refusal(Kind::MatrixChain, "7"),
            "dimensions: 1 given; a chain of one matrix has two"
        );
        assert_eq!(
            refusal(Kind::SearchTree, "-1 2"),
            "line 1: the number of keys is expected, not -1"
        );
        assert_eq!(
            refusal(Kind::SearchTree, "2\n1 1\n1 1"),
            "line 3: 2 keys need that many weights and one more for the gaps; 4 numbers follow"
        );
        let odd = refusal(Kind::Triangulation, "0 0\n1 0\n1\n");
        assert_eq!(odd, "line 3: each line has the two coordinates of a vertex");
        let dented = refusal(Kind::Triangulation, "0 0\n4 0\n1 1\n0 4\n");
        assert_eq!(dented, "vertices[2]: the polygon is not convex there");
        assert!(refusal(Kind::Custom, "1").starts_with("not supported"));
    }

    #[test]
    fn batches_are_drawn_within_the_memory_limit() {
        let draw = |count, memory| {
            let limits = Limits { memory: Some(memory), ..Limits::default() };
            AnyInstance::random_batch(Kind::MatrixChain, 3, u64::MAX, 9, count, &limits)
        };
        let batch = draw(2, 1 << 12).unwrap();
        let second = AnyInstance::random(Kind::MatrixChain, 3, 0, 9, &Limits::default()).unwrap();
        assert_eq!((batch.len(), format!("{:?}", batch[1])), (2, format!("{second:?}")));
        let refused = draw(u64::MAX, 1 << 40).unwrap_err().to_string();
        let expected = "a batch of 18446744073709551615 random instances of 4 points needs ";
        assert!(refused.starts_with(expected), "{refused}");
    }

    #[test]
    fn random_instances_repeat() {
        let draw =
            |seed| match AnyInstance::random(Kind::MatrixChain, 50, seed, 9, &Limits::default())
                .unwrap()
            {
                AnyInstance::Whole(instance) => format!("{instance:?}"),
                AnyInstance::Real(_) => panic!("whole numbers were asked for"),
            };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_eq!(
            AnyInstance::random(Kind::SearchTree, 5, 1, 9, &Limits::default()).unwrap().points(),
            7
        );
        assert!(AnyInstance::random(Kind::MatrixChain, 5, 1, 0, &Limits::default()).is_err());
        for (kind, size) in [(Kind::MatrixChain, 4_000_000_000), (Kind::SearchTree, usize::MAX)] {
            let error =
                AnyInstance::random(kind, size, 1, 40, &Limits::default()).unwrap_err().to_string();
            assert!(
                error.starts_with("size: ") && error.ends_with("points are more than 1073741824"),
                "{error}"
            );
        }
    }
}
