//! Sequences to fold.

use std::path::Path;

use super::base::Base;
use super::evaluate;
use super::model::Model;
use super::structure::Structure;
use crate::interval_dp::instance::check_points;
use crate::memory::Grow;
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions};
use crate::text;
use crate::{Error, Limits, Result, memory};

/// A sequence to fold, and the model of its structures.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    bases: Vec<Base>,
    model: Model,
}

impl Instance {
    /// An instance of a sequence such as `GGGAAAUCC`, in large or small letters. Blanks and line
    /// ends are skipped.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an empty sequence, for too many bases and with the first
    /// letter other than A, C, G, U and T.
    pub fn new(sequence: &str, model: Model) -> Result<Self> {
        let mut bases = Vec::new();
        for letter in sequence.chars().filter(|letter| !letter.is_whitespace()) {
            let index = bases.len();
            let refused = || Error::element("sequence", index, not_a_base(letter));
            bases.try_push(Base::of(letter).ok_or_else(refused)?)?;
        }
        Instance::of_bases(bases, model)
    }

    /// An instance of these bases.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for an empty sequence and for too many bases.
    pub fn of_bases(bases: Vec<Base>, model: Model) -> Result<Self> {
        if bases.is_empty() {
            return Err(Error::argument("sequence", "has no bases"));
        }
        check_points("sequence", bases.len() + 1)?;
        Ok(Instance { bases, model })
    }

    /// Reads a sequence in FASTA's format: a header line that begins with `>`, which may be
    /// missing, then the letters in lines of any length. Lines that begin with `;` are comments.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line at fault: a letter other than A, C, G, U and T, a second
    /// header, or no bases. [`Error::InvalidArgument`] for too many bases.
    pub fn parse(text: &str, model: Model) -> Result<Self> {
        let (mut bases, mut last, mut has_header) = (Vec::new(), 1, false);
        for (line, letters) in (1..).zip(text.lines()) {
            last = line;
            let wrong = |reason: String| Box::new(Error::Parse { line, reason });
            if letters.starts_with(';') {
                continue;
            }
            if letters.starts_with('>') {
                if has_header || !bases.is_empty() {
                    return Err(wrong("a file has one sequence".into()));
                }
                has_header = true;
                continue;
            }
            for letter in letters.chars().filter(|letter| !letter.is_whitespace()) {
                bases.try_push(Base::of(letter).ok_or_else(|| wrong(not_a_base(letter)))?)?;
            }
        }
        if bases.is_empty() {
            let reason = "the file has no bases".into();
            return Err(Box::new(Error::Parse { line: last, reason }));
        }
        Instance::of_bases(bases, model)
    }

    /// Reads a sequence from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>, model: Model) -> Result<Self> {
        Instance::parse(&text::read(path.as_ref())?, model)
    }

    /// Draws a sequence of `len` bases, all equally likely. The same arguments always give the same
    /// instance.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for no bases and for too many; [`Error::OutOfMemory`] if the
    /// sequence exceeds the memory limit; [`Error::Stopped`] if the time limit comes first.
    pub fn random(len: usize, seed: u64, model: Model, limits: &Limits) -> Result<Self> {
        check_points("size", len.saturating_add(1))?;
        let options = SolveOptions { limits: limits.clone(), ..SolveOptions::default() };
        let monitor = Monitor::new(&options).opening();
        monitor.check_lists(len as u128, || format!("a random sequence of {len} bases"))?;
        let (mut bases, mut random) = (memory::list(len)?, Random::new(seed));
        for step in 0..len {
            monitor.check_step(step)?;
            bases.push(Base::ALL[random.below(Base::ALL.len() as u64) as usize]);
        }
        Instance::of_bases(bases, model)
    }

    /// The bases.
    pub fn bases(&self) -> &[Base] {
        &self.bases
    }

    /// The sequence in large letters.
    pub fn sequence(&self) -> String {
        self.bases.iter().map(|base| base.name()).collect()
    }

    /// Number of bases.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// Always false: a sequence has bases.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Splits of the cubic recurrence, one for each i < k < j of the points between bases.
    pub fn relaxations(&self) -> u64 {
        let points = self.len() as u128 + 1;
        u64::try_from(points * (points - 1) * (points - 2) / 6).unwrap_or(u64::MAX)
    }

    /// The value of a structure, computed from the instance and the structure only.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a structure of another number of bases and with the first
    /// pair that the model does not allow.
    pub fn evaluate(&self, structure: &Structure) -> Result<i64> {
        if structure.len() != self.len() {
            let reason =
                format!("it has {} bases, the sequence has {}", structure.len(), self.len());
            return Err(Error::argument("structure", reason));
        }
        match &self.model {
            Model::Nussinov(model) => evaluate::weights(&self.bases, model, structure),
            Model::Zuker(energies) => evaluate::energy(&self.bases, energies, structure),
        }
    }
}

fn not_a_base(letter: char) -> String {
    format!("'{}' is not A, C, G, U or T", letter.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval_dp::folding::Nussinov;
    use crate::interval_dp::testing::refusal;

    fn model() -> Model {
        Model::Nussinov(Nussinov::default())
    }

    #[test]
    fn sequences_are_read() {
        let parse = |text: &str| Instance::parse(text, model());
        let expected = "GGCAUUUGCC";
        for text in ["GGCAUUUGCC", ">name\nggca\nTTT gcc\n", "; note\n\nGGCAU\r\nUUGCC\r\n"] {
            assert_eq!(parse(text).unwrap().sequence(), expected);
        }
        assert_eq!(refusal(parse(">a\nGC\n>b\nGC")), "line 3: a file has one sequence");
        assert_eq!(refusal(parse(">a\nGC\nGNC")), "line 3: 'N' is not A, C, G, U or T");
        assert_eq!(refusal(parse(">a\n")), "line 1: the file has no bases");
        assert_eq!(refusal(parse("")), "line 1: the file has no bases");
        let new = |sequence: &str| refusal(Instance::new(sequence, model()));
        assert_eq!(new("AC-G"), "sequence[2]: '-' is not A, C, G, U or T");
        assert_eq!(new(" "), "sequence: has no bases");
    }

    #[test]
    fn random_sequences_repeat() {
        let draw = |len, seed| Instance::random(len, seed, model(), &Limits::default());
        assert_eq!(draw(50, 1).unwrap(), draw(50, 1).unwrap());
        assert_ne!(draw(50, 1).unwrap(), draw(50, 2).unwrap());
        assert_eq!(refusal(draw(0, 1)), "sequence: has no bases");
        assert!(refusal(draw(usize::MAX, 1)).starts_with("size: "));
    }

    #[test]
    fn a_structure_must_suit_the_sequence() {
        let instance = Instance::new("GAAAACU", model()).unwrap();
        let value = |text: &str| instance.evaluate(&text.parse().unwrap());
        assert_eq!(value("(....).").unwrap(), 1);
        assert_eq!(value(".......").unwrap(), 0);
        assert_eq!(refusal(value("(.)")), "structure: it has 3 bases, the sequence has 7");
        assert_eq!(refusal(value("(...)..")), "structure: bases 0 and 4, G and A, can't pair");
        let near = "structure: bases 3 and 6 are a pair with less than 3 bases inside";
        assert_eq!(refusal(value("...(..)")), near);
    }
}
