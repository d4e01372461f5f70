use crate::enumeration::enumeration;

enumeration! {
    /// A base of RNA. T of DNA is read as U.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Base {
        /// Adenine.
        A: "A", "Adenine";
        /// Cytosine.
        C: "C", "Cytosine";
        /// Guanine.
        G: "G", "Guanine";
        /// Uracil.
        U: "U", "Uracil";
    }
}

impl Base {
    /// The base of a letter, large or small.
    pub(super) fn of(letter: char) -> Option<Self> {
        match letter.to_ascii_uppercase() {
            'A' => Some(Base::A),
            'C' => Some(Base::C),
            'G' => Some(Base::G),
            'U' | 'T' => Some(Base::U),
            _ => None,
        }
    }
}
