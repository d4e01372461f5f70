//! Enumerations. One table gives the numbers, names and texts of the values to C, to the command
//! and to reports.

/// An enumeration whose values have numbers, names and texts.
pub trait Enumeration: Copy + PartialEq + 'static {
    /// All values. C numbers them in this order, so new ones come last.
    const VALUES: &'static [Self];

    /// The value's name, as the command and reports spell it.
    fn name(self) -> &'static str;

    /// The value's meaning in one line.
    fn text(self) -> &'static str;
}

/// Makes a type an [`Enumeration`] by the table of values, names and texts. Defines the type, too,
/// if `pub enum` precedes its name.
macro_rules! enumeration {
    ($(#[$about:meta])* pub enum $type:ident {
        $($(#[$note:meta])* $value:ident: $name:literal, $text:literal;)+
    }) => {
        $(#[$about])*
        pub enum $type {
            $($(#[$note])* $value,)+
        }

        $crate::enumeration::enumeration! { $type { $($value: $name, $text;)+ } }
    };
    ($type:ident { $($value:ident $(($of:path))?: $name:literal, $text:literal;)+ }) => {
        impl $type {
            /// All values, in the order in which C numbers them.
            pub const ALL: [$type; [$($name),+].len()] = [$($type::$value $(($of))?),+];

            /// The value's name, as the command and reports spell it.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$value $(($of))? => $name,)+
                }
            }
        }

        impl $crate::Enumeration for $type {
            const VALUES: &'static [$type] = &$type::ALL;

            fn name(self) -> &'static str {
                self.name()
            }

            fn text(self) -> &'static str {
                match self {
                    $($type::$value $(($of))? => $text,)+
                }
            }
        }
    };
}

pub(crate) use enumeration;
