//! The text format of instances.

use std::cell::Cell;
use std::path::Path;

use super::instance::Instance;
use super::semiring::{Operator, Semiring};
use crate::memory::Gather;
use crate::{Error, Limits, Result, memory, text};

/// A longer list is taken for a wrong count.
const MOST_NUMBERS: u64 = 1 << 30;
/// Bytes of a list that are allowed under any limit.
const FEW_BYTES: u64 = 1 << 20;

/// The lines of a file by keyword, each with its line number.
struct Lines<'t> {
    lines: Vec<(usize, &'t str, Vec<&'t str>)>,
    limits: &'t Limits,
    /// Remaining bytes for all lists together; `None` before the first request.
    left: Cell<Option<u64>>,
}

const KEYWORDS: [&str; 9] = [
    "semiring",
    "length",
    "instances",
    "offsets",
    "weights",
    "initial",
    "terms",
    "capacity",
    "profits",
];

impl Instance {
    /// Reads an instance. Each line is a keyword and its values, in any order; `#` begins a
    /// comment.
    ///
    /// ```text
    /// semiring min-plus      # or max-plus, sum-product, modular M, or-and, max-min
    /// length 1000            # elements of the table, the initial ones included
    /// offsets 7 5 1          # decreasing; `9..5` is short for 9 8 7 6 5
    /// weights 1*3            # one for each offset; optional
    /// initial 0 inf*6        # as many as the largest offset; `inf*6` is short for six of them
    /// terms 4*993            # one for each further element; optional
    /// instances 1            # tables of a batch; optional
    /// ```
    ///
    /// `inf` and `-inf` are the unreachable values of (min,+) and (max,+). Weights, initial values
    /// and terms of a batch are listed instance by instance. A 0-1 knapsack has the lines
    /// `capacity`, `weights` and `profits` instead of all these.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line at fault, and those of [`Instance::batch`],
    /// [`Instance::with_weights`], [`Instance::with_terms`] and [`Instance::knapsack`].
    pub fn parse(text: &str) -> Result<Self> {
        Instance::parse_within(text, &Limits::default())
    }

    /// [`Instance::parse`] under the memory limit, which applies to all lists together: a few words
    /// can mean billions of numbers.
    ///
    /// # Errors
    /// Those of [`Instance::parse`].
    pub fn parse_within(text: &str, limits: &Limits) -> Result<Self> {
        parse(text, limits, None)
    }

    /// [`Instance::parse_within`] for a text with the line `semiring custom`, over the caller's own
    /// operator. A text can't name one, since an operator is code.
    ///
    /// # Errors
    /// Those of [`Instance::parse`].
    pub fn parse_custom(text: &str, operator: Operator, limits: &Limits) -> Result<Self> {
        parse(text, limits, Some(operator))
    }

    /// Reads an instance from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Instance::read_within(path, &Limits::default())
    }

    /// Reads an instance from a file; see [`Instance::parse_within`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`Instance::parse`].
    pub fn read_within(path: impl AsRef<Path>, limits: &Limits) -> Result<Self> {
        Instance::parse_within(&text::read(path.as_ref())?, limits)
    }
}

fn parse(text: &str, limits: &Limits, operator: Option<Operator>) -> Result<Instance> {
    let lines = Lines::new(text, limits)?;
    if let Some((line, ..)) = lines.find("capacity") {
        if operator.is_some() {
            return Err(parse_error(*line, "a knapsack takes no operator"));
        }
        return knapsack(&lines);
    }
    if let Some((line, ..)) = lines.find("profits") {
        return Err(parse_error(*line, "'profits' belongs to a knapsack, which has a 'capacity'"));
    }
    let semiring = semiring(&lines, operator)?;
    let length = lines.one("length")?;
    let instances = lines.find("instances").map_or(Ok(1), |_| lines.one("instances"))?;
    let in_all = |numbers: u64| numbers.saturating_mul(instances);
    // Offsets decrease, so none repeats and their number is at most the length.
    let (line, _, words) = lines.needed("offsets")?;
    if let Some(index) = words.iter().position(|word| word.contains('*')) {
        let reason = format!("offsets[{index}]: '{}' repeats an offset", shown(words[index]));
        return Err(parse_error(*line, reason));
    }
    let offsets: Vec<u64> = lines.list("offsets", unsigned, length)?;
    let (largest, operands) = (offsets.iter().copied().max().unwrap_or(0), offsets.len() as u64);
    let initial = lines.list("initial", signed, in_all(largest))?;
    let count = usize::try_from(instances).map_err(|_| Error::overflow("instances"))?;
    let mut instance = Instance::batch(semiring, offsets, initial, length, count)?;
    if lines.find("weights").is_some() {
        instance = instance.with_weights(lines.list("weights", signed, in_all(operands))?)?;
    }
    if lines.find("terms").is_some() {
        instance = instance.with_terms(lines.list("terms", signed, in_all(length))?)?;
    }
    Ok(instance)
}

fn knapsack(lines: &Lines<'_>) -> Result<Instance> {
    let stray =
        lines.lines.iter().find(|(_, word, _)| !["capacity", "weights", "profits"].contains(word));
    if let Some((line, word, _)) = stray {
        return Err(parse_error(*line, format!("a knapsack has no '{word}'")));
    }
    let (weights, profits) = (
        lines.list("weights", unsigned, MOST_NUMBERS)?,
        lines.list("profits", unsigned, MOST_NUMBERS)?,
    );
    Instance::knapsack_within(weights, profits, lines.one("capacity")?, lines.limits)
}

fn semiring(lines: &Lines<'_>, operator: Option<Operator>) -> Result<Semiring> {
    let (line, _, words) = lines.needed("semiring")?;
    if let Some(operator) = operator {
        return match words[..] {
            ["custom"] => Ok(Semiring::Custom(operator)),
            _ => Err(parse_error(*line, "semiring: custom is expected with an operator")),
        };
    }
    match words[..] {
        ["custom"] => Err(parse_error(*line, "semiring: custom needs an operator with the file")),
        ["min-plus"] => Ok(Semiring::MinPlus),
        ["max-plus"] => Ok(Semiring::MaxPlus),
        ["sum-product"] => Ok(Semiring::SumProduct),
        ["modular", modulus] => {
            let modulus = modulus
                .parse()
                .map_err(|_| parse_error(*line, "the modulus is not a whole number"))?;
            Ok(Semiring::Modular(modulus))
        }
        ["or-and"] => Ok(Semiring::OrAnd),
        ["max-min"] => Ok(Semiring::MaxMin),
        _ => Err(parse_error(
            *line,
            "semiring: min-plus, max-plus, sum-product, modular M, or-and or max-min is expected",
        )),
    }
}

impl<'t> Lines<'t> {
    fn new(text: &'t str, limits: &'t Limits) -> Result<Self> {
        let mut lines = Lines { lines: Vec::new(), limits, left: Cell::new(None) };
        for (number, line) in (1..).zip(text.lines()) {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(keyword) = words.next() else { continue };
            if !KEYWORDS.contains(&keyword) {
                return Err(parse_error(number, format!("'{}' is no keyword", shown(keyword))));
            }
            if let Some((first, ..)) = lines.find(keyword) {
                return Err(parse_error(
                    number,
                    format!("'{keyword}' stands in line {first} already"),
                ));
            }
            lines.lines.push((number, keyword, words.gather()?));
        }
        if lines.lines.is_empty() {
            return Err(parse_error(1, "the file is empty"));
        }
        Ok(lines)
    }

    fn find(&self, keyword: &str) -> Option<&(usize, &'t str, Vec<&'t str>)> {
        self.lines.iter().find(|(_, found, _)| *found == keyword)
    }

    fn needed(&self, keyword: &str) -> Result<&(usize, &'t str, Vec<&'t str>)> {
        let last = self.lines.last().map_or(1, |(line, ..)| *line);
        self.find(keyword).ok_or_else(|| parse_error(last, format!("there is no line '{keyword}'")))
    }

    fn one(&self, keyword: &str) -> Result<u64> {
        let (line, _, words) = self.needed(keyword)?;
        match words[..] {
            [word] => {
                unsigned(word).map_err(|reason| parse_error(*line, format!("{keyword}: {reason}")))
            }
            _ => Err(parse_error(*line, format!("{keyword}: one number is expected"))),
        }
    }

    /// A list with ranges `from..to`, downwards, and repetitions `value*count`; at most `most`
    /// numbers are useful.
    fn list<T: Copy + TryFrom<u64>>(
        &self,
        keyword: &str,
        number: fn(&str) -> Result<T, String>,
        useful: u64,
    ) -> Result<Vec<T>> {
        let (line, _, words) = self.needed(keyword)?;
        let mut count = 0u64;
        for (index, word) in words.iter().enumerate() {
            let fault = |reason| parse_error(*line, format!("{keyword}[{index}]: {reason}"));
            let piece = Piece::new(word, number).map_err(fault)?;
            count = count.saturating_add(piece.count());
            if count > MOST_NUMBERS {
                return Err(fault(format!(
                    "'{}' makes more than {MOST_NUMBERS} numbers",
                    shown(word)
                )));
            }
            if count > useful.max(FEW_BYTES / size_of::<T>() as u64) {
                return Err(fault(format!(
                    "'{}' makes more numbers than there is use for",
                    shown(word)
                )));
            }
        }
        self.take(count * size_of::<T>() as u64, || format!("line {line}: {count} {keyword}"))?;
        let mut list = memory::list(count as usize)?;
        for piece in words.iter().filter_map(|word| Piece::new(word, number).ok()) {
            match piece {
                Piece::Repeated(value, count) => list.resize(list.len() + count as usize, value),
                Piece::Downwards(from, to) => {
                    list.extend((to..=from).rev().filter_map(|value| T::try_from(value).ok()));
                }
            }
        }
        Ok(list)
    }

    /// Refuses bytes beyond the remaining ones for all lists.
    fn take(&self, bytes: u64, what: impl FnOnce() -> String) -> Result<()> {
        if bytes <= FEW_BYTES {
            return Ok(());
        }
        let left = self.left.get().unwrap_or_else(|| self.limits.memory_bytes());
        let Some(rest) = left.checked_sub(bytes) else {
            return Err(Box::new(Error::OutOfMemory {
                what: what(),
                required: bytes.into(),
                limit: left,
            }));
        };
        self.left.set(Some(rest));
        Ok(())
    }
}

/// The numbers that a word of a list means.
enum Piece<T> {
    /// One number, and its number of repetitions.
    Repeated(T, u64),
    /// All numbers from the first to the second, which is not larger.
    Downwards(u64, u64),
}

impl<T> Piece<T> {
    fn new(word: &str, number: fn(&str) -> Result<T, String>) -> Result<Self, String> {
        if let Some((value, count)) = word.split_once('*') {
            return Ok(Piece::Repeated(number(value)?, unsigned(count)?));
        }
        let Some((from, to)) = word.split_once("..") else {
            return Ok(Piece::Repeated(number(word)?, 1));
        };
        let (from, to) = (unsigned(from)?, unsigned(to)?);
        if from < to {
            return Err(format!("'{}' does not go downwards", shown(word)));
        }
        Ok(Piece::Downwards(from, to))
    }

    fn count(&self) -> u64 {
        match self {
            Piece::Repeated(_, count) => *count,
            Piece::Downwards(from, to) => (from - to).saturating_add(1),
        }
    }
}

fn unsigned(word: &str) -> Result<u64, String> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.parse().ok().filter(|_| digits);
    number.ok_or_else(|| format!("'{}' is not a whole number from 0 to 2^64 - 1", shown(word)))
}

fn signed(word: &str) -> Result<i64, String> {
    match word {
        "inf" => Ok(i64::MAX),
        "-inf" => Ok(i64::MIN),
        _ => {
            let number = word.parse().ok().filter(|_| !word.starts_with('+'));
            number.ok_or_else(|| {
                format!("'{}' is not a whole number of 64 bits, inf or -inf", shown(word))
            })
        }
    }
}

/// A word in a form that is safe to print.
fn shown(word: &str) -> String {
    word.chars().take(24).collect::<String>().escape_debug().to_string()
}

fn parse_error(line: usize, reason: impl Into<String>) -> Box<Error> {
    Box::new(Error::Parse { line, reason: reason.into() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::recurrence::check;
    use crate::testing::assert_error;

    proptest! {
        /// Pieces of the format in any order: every accepted instance can be solved.
        #[test]
        fn any_text_is_an_instance_or_an_error(
            lines in proptest::collection::vec(
                (
                    prop_oneof![proptest::sample::select(&KEYWORDS[..]), Just("#"), Just("x")],
                    proptest::collection::vec(
                        proptest::sample::select(&[
                            "min-plus", "modular", "sum-product", "7", "0", "1", "2", "-3", "inf", "-inf*2", "1*3", "4..2",
                            "2..1", "9..", "*", "18446744073709551615", "9223372036854775807..1", "1*99999999999",
                        ][..]),
                        0..5,
                    ),
                ),
                0..9,
            ),
            shape in any::<bool>(),
        ) {
            let mut text = if shape { "semiring min-plus\nlength 7\noffsets 2 1\n" } else { "" }.to_owned();
            for (keyword, words) in lines {
                text += &format!("{keyword} {}\n", words.join(" "));
            }
            if let Ok(instance) = Instance::parse(&text) {
                prop_assert!(instance.preset() <= instance.length());
                if instance.length() < 1000 {
                    let _ = check::tables(&instance);
                }
            }
        }
    }

    #[test]
    fn what_few_words_stand_for_keeps_the_memory_limit() {
        let text = "semiring min-plus\nlength 900000001\noffsets 900000000..1\ninitial 0*900000000";
        let refused = |memory| {
            let limits = Limits { memory: Some(memory), ..Limits::default() };
            Instance::parse_within(text, &limits).unwrap_err().to_string()
        };
        let offsets = "line 3: 900000000 offsets needs 7200000000 bytes, the limit is ";
        assert_eq!(refused(64 << 20), format!("{offsets}{} bytes", 64 << 20));
        let repeated = "semiring min-plus\nlength 900000009\noffsets 7*900000000 20\ninitial 0*7";
        let refused = Instance::parse(repeated).unwrap_err().to_string();
        assert_eq!(refused, "line 3: offsets[0]: '7*900000000' repeats an offset");
        let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
        let row = Instance::parse_within("capacity 99999999\nweights 3\nprofits 4", &limits);
        assert_error!(row, Error::OutOfMemory { required: 800_000_000, .. });
        // All lists of a file count together.
        let text = "semiring min-plus\nlength 300000\noffsets 200000..1\ninitial 0*200000\nweights 1*200000";
        for (memory, fits) in [(4_800_000, true), (4_799_999, false)] {
            let limits = Limits { memory: Some(memory), ..Limits::default() };
            assert_eq!(Instance::parse_within(text, &limits).is_ok(), fits);
        }
    }

    #[test]
    fn coins() {
        let text = "# pay 0 to 11\nsemiring min-plus\nlength 12\n\noffsets 5 2\ninitial 0 inf 1 inf*2\nweights 1*2";
        let instance = Instance::parse(text).unwrap();
        let inf = i64::MAX;
        assert_eq!(
            check::tables(&instance).unwrap(),
            [0, inf, 1, inf, inf, 1, inf, 2, inf, 3, 2, 4]
        );
    }

    #[test]
    fn ranges_terms_batches_and_knapsacks() {
        let text = "semiring modular 97\nlength 6\noffsets 3..2\ninstances 2\ninitial 1 2 3 4 5 6\nterms 10*3 20*3";
        let instance = Instance::parse(text).unwrap();
        assert_eq!(instance.offsets(), Some(&[3, 2][..]));
        assert_eq!(check::tables(&instance).unwrap(), [1, 2, 3, 13, 15, 26, 4, 5, 6, 29, 31, 55]);
        let instance = Instance::parse("capacity 10\nweights 4 6 5\nprofits 5 7 9").unwrap();
        assert_eq!(check::tables(&instance).unwrap().last(), Some(&14));
    }

    #[test]
    fn each_fault_is_named() {
        let with =
            |line: &str| format!("semiring min-plus\nlength 9\noffsets 2 1\ninitial 0 0\n{line}");
        let repeated = format!("{}weights 1*99999999999", with(""));
        for (text, message) in [
            ("".to_owned(), "line 1: the file is empty"),
            ("# nothing\n".to_owned(), "line 1: the file is empty"),
            ("length 5".to_owned(), "line 1: there is no line 'semiring'"),
            (
                "semiring min-plus\nlength 5\noffsets 2".to_owned(),
                "line 3: there is no line 'initial'",
            ),
            (with("length 3"), "line 5: 'length' stands in line 2 already"),
            (with("colour 3"), "line 5: 'colour' is no keyword"),
            (with("profits 3"), "line 5: 'profits' belongs to a knapsack, which has a 'capacity'"),
            (with("capacity 3"), "line 1: a knapsack has no 'semiring'"),
            (
                with("weights x"),
                "line 5: weights[0]: 'x' is not a whole number of 64 bits, inf or -inf",
            ),
            (
                with("weights 1 +2"),
                "line 5: weights[1]: '+2' is not a whole number of 64 bits, inf or -inf",
            ),
            (with("weights 1..5"), "line 5: weights[0]: '1..5' does not go downwards"),
            (with("instances 1 2"), "line 5: instances: one number is expected"),
            (
                with("instances -1"),
                "line 5: instances: '-1' is not a whole number from 0 to 2^64 - 1",
            ),
            (repeated, "line 5: weights[0]: '1*99999999999' makes more than 1073741824 numbers"),
            (
                with("weights 1*1000000"),
                "line 5: weights[0]: '1*1000000' makes more numbers than there is use for",
            ),
            (
                "semiring plus".to_owned(),
                "line 1: semiring: min-plus, max-plus, sum-product, modular M, or-and or max-min is expected",
            ),
            (with("weights 1"), "weights: 1 weights for 2 offsets"),
        ] {
            assert_eq!(Instance::parse(&text).unwrap_err().to_string(), message);
        }
    }
}
