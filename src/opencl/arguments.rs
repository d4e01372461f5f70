//! Typed arguments: the parameters of a kernel, declared once in Rust.
//!
//! [`kernel_arguments!`] makes a struct with a field for each parameter, and
//! [`Queue::launch`](super::Queue::launch) takes a kernel only with its own struct. So the compiler
//! finds an argument that is missing, of the wrong type or in the wrong place. A test,
//! `src/declared_kernels.rs`, compares the structs with the OpenCL C.

use super::buffer::{Buffer, Element};
use super::objects::{MemoryObject, Owned};

/// One argument as the driver takes it.
#[derive(Clone, Copy)]
pub(crate) enum Arg<'a> {
    /// The global memory of a [`Buffer`], and the bytes of an element.
    Buffer(
        &'a Owned<MemoryObject>,
        #[cfg_attr(not(test), expect(dead_code, reason = "tests falsify single elements"))] usize,
    ),
    /// A `uint`.
    U32(u32),
    /// A `ulong`.
    U64(u64),
    /// Local memory for each work-group, in bytes.
    Local(usize),
    /// Bytes of the last argument on a device without local memory. Other devices have no such
    /// argument.
    GroupArrays(usize),
}

impl Arg<'_> {
    /// Bytes of each work-group.
    pub(super) fn group_bytes(&self) -> Option<usize> {
        match *self {
            Arg::Local(bytes) | Arg::GroupArrays(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// Most parameters of a kernel.
pub(crate) const MOST_PARAMETERS: usize = 32;

/// The arguments of one launch, in the order of the kernel's parameters.
pub(crate) struct ArgList<'a> {
    args: [Arg<'a>; MOST_PARAMETERS],
    count: usize,
    #[cfg(test)]
    forms: fn() -> Forms,
}

impl<'a> ArgList<'a> {
    pub(super) fn of<A: Arguments>(arguments: &'a A) -> Self {
        let mut list = ArgList::empty();
        #[cfg(test)]
        {
            list.forms = || A::forms("", None);
        }
        arguments.list(&mut list);
        list
    }

    // Not inlined here and below: hundreds of copies would make the library larger.
    #[inline(never)]
    fn empty() -> Self {
        ArgList {
            args: [Arg::U32(0); MOST_PARAMETERS],
            count: 0,
            #[cfg(test)]
            forms: Forms::new,
        }
    }

    /// Appends the memory of a buffer.
    pub(crate) fn buffer<T: Element>(&mut self, buffer: &'a Buffer<T>) {
        self.push(Arg::Buffer(buffer.object(), size_of::<T>()));
    }

    /// Appends one. A list that is full stays too short for its kernel, which the launch refuses.
    #[inline(never)]
    pub(crate) fn push(&mut self, arg: Arg<'a>) {
        if let Some(place) = self.args.get_mut(self.count) {
            *place = arg;
            self.count += 1;
        }
    }

    pub(super) fn args(&self) -> &[Arg<'a>] {
        &self.args[..self.count]
    }

    /// The names of the arguments.
    #[cfg(test)]
    pub(super) fn names(&self) -> Vec<String> {
        let form = (self.forms)().into_iter().find(|form| form.len() == self.count).unwrap();
        form.into_iter().map(|declared| declared.name).collect()
    }
}

/// The argument for one parameter of a kernel, or for several in a row.
pub(crate) trait Parameter {
    /// Appends the arguments.
    fn list<'s>(&'s self, list: &mut ArgList<'s>);

    /// What the kernel's source must have in this place. `name` is that of the field, `element`
    /// the type in OpenCL C if it is not that of the Rust type.
    #[cfg(test)]
    fn forms(name: &'static str, element: Option<&'static str>) -> Forms;
}

/// The arguments of one kernel.
pub(crate) trait Arguments: Parameter {
    /// The kernel's name.
    const KERNEL: &'static str;
}

/// Local memory for each work-group, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Local(pub(crate) usize);

/// Alignment of the part of a work-group and of each array in it. No kernel has a type that needs
/// more. See `cl/group_memory.cl`.
pub(super) const PARTS_AT: usize = 64;

/// The arrays that the kernel declares by `GROUP_ARRAY`, as parameter of a kernel on a device without
/// local memory.
#[derive(Clone, Copy)]
pub(crate) struct GroupArrays(usize);

impl GroupArrays {
    /// Up to five words, each declared for itself.
    pub(crate) const WORDS: GroupArrays = GroupArrays(5 * PARTS_AT);

    /// Arrays of at least this many bytes.
    pub(crate) fn of<const COUNT: usize>(bytes: [usize; COUNT]) -> GroupArrays {
        GroupArrays(bytes.into_iter().map(|bytes| bytes.next_multiple_of(PARTS_AT)).sum())
    }
}

impl<T: Element> Parameter for &Buffer<T> {
    fn list<'s>(&'s self, list: &mut ArgList<'s>) {
        list.buffer(self);
    }

    #[cfg(test)]
    fn forms(name: &'static str, element: Option<&'static str>) -> Forms {
        Declared::forms(name, "global", element, T::NAME)
    }
}

impl Parameter for u32 {
    fn list<'s>(&'s self, list: &mut ArgList<'s>) {
        list.push(Arg::U32(*self));
    }

    #[cfg(test)]
    fn forms(name: &'static str, element: Option<&'static str>) -> Forms {
        Declared::forms(name, "", element, "uint")
    }
}

impl Parameter for u64 {
    fn list<'s>(&'s self, list: &mut ArgList<'s>) {
        list.push(Arg::U64(*self));
    }

    #[cfg(test)]
    fn forms(name: &'static str, element: Option<&'static str>) -> Forms {
        Declared::forms(name, "", element, "ulong")
    }
}

impl Parameter for Local {
    fn list<'s>(&'s self, list: &mut ArgList<'s>) {
        list.push(Arg::Local(self.0));
    }

    #[cfg(test)]
    fn forms(name: &'static str, element: Option<&'static str>) -> Forms {
        Declared::forms(name, "local", element, "")
    }
}

impl Parameter for GroupArrays {
    fn list<'s>(&'s self, list: &mut ArgList<'s>) {
        list.push(Arg::GroupArrays(self.0));
    }

    #[cfg(test)]
    fn forms(name: &'static str, element: Option<&'static str>) -> Forms {
        let mut forms = Declared::forms(name, "global", element, "uchar");
        forms.push(Vec::new());
        forms
    }
}

/// Parameters that only some programs of a family have.
impl<P: Parameter> Parameter for Option<P> {
    fn list<'s>(&'s self, list: &mut ArgList<'s>) {
        if let Some(some) = self {
            some.list(list);
        }
    }

    #[cfg(test)]
    fn forms(name: &'static str, element: Option<&'static str>) -> Forms {
        let mut forms = P::forms(name, element);
        forms.push(Vec::new());
        forms
    }
}

/// The lists of parameters that one place may have. There are several where macros decide.
#[cfg(test)]
pub(crate) type Forms = Vec<Vec<Declared>>;

/// A parameter by its declaration.
#[cfg(test)]
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Declared {
    pub(crate) name: String,
    /// `global` or `local`; nothing for numbers.
    pub(crate) space: String,
    /// The type of the number, or of what is in the memory.
    pub(crate) element: String,
}

#[cfg(test)]
impl Declared {
    fn forms(name: &str, space: &str, element: Option<&str>, own: &str) -> Forms {
        let element = element.unwrap_or(own);
        let scalar = element.trim_end_matches(|digit: char| digit.is_ascii_digit());
        let is_builtin = ["uchar", "ushort", "uint", "ulong", "int", "long", "float", "double"]
            .contains(&scalar);
        assert!(!is_builtin || [scalar, ""].contains(&own), "{name}: {element} on {own}");
        vec![vec![Declared {
            name: name.to_owned(),
            space: space.to_owned(),
            element: element.to_owned(),
        }]]
    }
}

/// The lists that combine one form of each place.
#[cfg(test)]
pub(crate) fn in_a_row(places: impl IntoIterator<Item = Forms>) -> Forms {
    places.into_iter().fold(vec![Vec::new()], |rows, forms| {
        rows.iter().flat_map(|row| forms.iter().map(|form| [&row[..], form].concat())).collect()
    })
}

/// A kernel with its declared parameters.
#[cfg(test)]
pub(crate) struct Declaration {
    pub(crate) kernel: &'static str,
    pub(crate) forms: fn() -> Forms,
}

#[cfg(test)]
impl Declaration {
    pub(crate) const fn of<A: Arguments>() -> Declaration {
        Declaration { kernel: A::KERNEL, forms: || A::forms("", None) }
    }
}

/// The kernels of a family, by the structs of their arguments.
#[cfg(test)]
macro_rules! declared {
    ($($kernel:ty),* $(,)?) => { &[$($crate::opencl::Declaration::of::<$kernel>()),*] };
}
#[cfg(test)]
pub(crate) use declared;

/// Declares the parameters of kernels, in their order:
///
/// ```text
/// kernel_arguments! {
///     /// What the kernel does.
///     struct Sums<'a> = "family_sums" {
///         source: &'a Buffer<u32>,          // global const uint *source
///         pairs: &'a Buffer<u32> as uint2,  // global uint2 *pairs
///         count: u64,                       // ulong count
///         scratch: Local as uint,           // local uint *scratch
///     }
/// }
/// ```
///
/// Parameters that several kernels share are a struct without the name of a kernel; it is the type
/// of a field in the others. `as` gives a type of OpenCL C that the Rust type does not name: a
/// vector, a `typedef`, a macro. What only some programs of the family have is an [`Option`].
macro_rules! kernel_arguments {
    () => {};
    ($(#[$about:meta])*
    $vis:vis struct $name:ident $(<$life:lifetime $(, $cell:ident: $bound:path)?>)?
    = $kernel:tt $(:: $of_cell:ident)? { $($fields:tt)* }
    $($rest:tt)*) => {
        $crate::opencl::kernel_arguments! {
            $(#[$about])*
            $vis struct $name $(<$life $(, $cell: $bound)?>)? { $($fields)* }
        }
        impl $(<$life $(, $cell: $bound)?>)? $crate::opencl::Arguments
            for $name $(<$life $(, $cell)?>)?
        {
            const KERNEL: &'static str = $kernel $(:: $of_cell)?;
        }
        $crate::opencl::kernel_arguments! { $($rest)* }
    };
    ($(#[$about:meta])*
    $vis:vis struct $name:ident $(<$life:lifetime $(, $cell:ident: $bound:path)?>)? {
        $($(#[$note:meta])* $field:ident: $type:ty $(as $element:ident)?),* $(,)?
    }
    $($rest:tt)*) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        $vis struct $name $(<$life $(, $cell: $bound)?>)? {
            $($(#[$note])* $vis $field: $type,)*
        }
        impl $(<$life $(, $cell: $bound)?>)? $crate::opencl::Parameter
            for $name $(<$life $(, $cell)?>)?
        {
            fn list<'s>(&'s self, list: &mut $crate::opencl::ArgList<'s>) {
                $($crate::opencl::Parameter::list(&self.$field, list);)*
            }

            #[cfg(test)]
            fn forms(_: &'static str, _: Option<&'static str>) -> $crate::opencl::Forms {
                $crate::opencl::in_a_row([$({
                    let element: &[&str] = &[$(stringify!($element))?];
                    <$type as $crate::opencl::Parameter>::forms(
                        stringify!($field),
                        element.first().copied(),
                    )
                }),*])
            }
        }
        $crate::opencl::kernel_arguments! { $($rest)* }
    };
}
pub(crate) use kernel_arguments;

#[cfg(test)]
mod tests {
    use super::*;

    kernel_arguments! {
        /// Two parameters of several kernels.
        struct Range<'a> {
            first: u32,
            ends: &'a Buffer<u64> as ulong2,
        }

        struct Sum<'a> = "sum" {
            source: &'a Buffer<i32> as cell_t,
            range: Range<'a>,
            kept: Option<Range<'a>>,
            count: u64,
            scratch: Local as uint2,
        }

        struct Last {
            number: u64,
        }

        struct Numbers = "numbers" {
            first: u32,
            last: Option<Last>,
            bytes: Local as uint,
        }
    }

    #[test]
    fn a_struct_stands_for_its_parameters_in_order() {
        let one = |one: &Declared| format!("{} {} {}", one.space, one.element, one.name);
        let forms = Sum::forms("", None).into_iter();
        let forms: Vec<_> =
            forms.map(|form| form.iter().map(one).collect::<Vec<_>>().join(",")).collect();
        let range = " uint first,global ulong2 ends";
        assert_eq!(
            forms,
            [
                format!("global cell_t source,{range},{range}, ulong count,local uint2 scratch"),
                format!("global cell_t source,{range}, ulong count,local uint2 scratch"),
            ]
        );
        assert_eq!(Declaration::of::<Sum<'_>>().kernel, "sum");
    }

    #[test]
    fn arguments_are_listed_by_name() {
        let one = Numbers { first: 1, last: Some(Last { number: 3 }), bytes: Local(4) };
        let list = ArgList::of(&one);
        assert_eq!(list.names(), ["first", "number", "bytes"]);
        let [Arg::U32(1), Arg::U64(3), Arg::Local(4)] = list.args() else { panic!("others") };
        assert_eq!(ArgList::of(&Numbers { last: None, ..one }).names(), ["first", "bytes"]);
    }

    #[test]
    fn a_list_that_is_full_takes_no_more() {
        let mut list = ArgList::of(&Numbers { first: 0, last: None, bytes: Local(1) });
        (0..MOST_PARAMETERS as u32).for_each(|number| list.push(Arg::U32(number)));
        assert_eq!(list.args().len(), MOST_PARAMETERS);
    }
}
