//! What a program can ask of an option.

use std::ffi::{CString, c_char};
use std::mem::offset_of;
use std::ptr;

use super::mks_options;
use crate::capi::convert::c_string;
use crate::capi::guard::guard;
use crate::capi::handle::Handle;
use crate::capi::stamped::{self, OutStamped, Stamped};
use crate::capi::status::{Failure, mks_status};
use crate::options::{Entry, Kind, Named, Range};

/// An option. The library fills it; the texts are valid as long as the options.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct mks_option_info {
    /// Size of this struct in the calling program; set by the init function.
    pub struct_size: usize,
    /// Name of the option.
    pub name: *const c_char,
    /// Its meaning.
    pub text: *const c_char,
    /// Type of the value: "flag", "whole", "real", "seconds", "bytes", "choice", "path" or "list".
    pub kind: *const c_char,
    /// The choices of a "choice" with spaces between, else an empty text.
    pub choices: *const c_char,
    /// The methods that use the option, with spaces between; empty if all do. Other methods refuse
    /// another value than the default.
    pub methods: *const c_char,
    /// The default value.
    pub default_value: *const c_char,
    /// The value "auto" or "none" that leaves the option to the library. Empty if the option always
    /// needs a value.
    pub unset: *const c_char,
    /// Who needs the option: "basic", "advanced" or "experimental".
    pub tier: *const c_char,
    /// Smallest number; the values of a "real" must be larger than it. -INFINITY if there is none.
    pub minimum: f64,
    /// Largest number; INFINITY if there is none.
    pub maximum: f64,
}

// SAFETY: no padding, and every bit pattern is a valid number or pointer.
unsafe impl Stamped for mks_option_info {
    const ARGUMENT: &'static str = "info";
    const FIRST_SIZE: usize = offset_of!(Self, maximum) + 8;
    const DEFAULT: Self = mks_option_info {
        struct_size: size_of::<Self>(),
        name: ptr::null(),
        text: ptr::null(),
        kind: ptr::null(),
        choices: ptr::null(),
        methods: ptr::null(),
        default_value: ptr::null(),
        unset: ptr::null(),
        tier: ptr::null(),
        minimum: f64::NEG_INFINITY,
        maximum: f64::INFINITY,
    };

    fn reserved_is_zero(&self) -> bool {
        true
    }
}

/// An entry of a table in C's strings.
pub(super) struct Described {
    name: CString,
    text: CString,
    kind: CString,
    choices: CString,
    methods: CString,
    default_value: CString,
    unset: CString,
    tier: CString,
    minimum: f64,
    maximum: f64,
}

impl Described {
    pub(super) fn new<O: Named>(entry: &Entry<O>) -> Self {
        let &Entry { name, text, kind, range, tier, methods, .. } = entry;
        let unset = entry.unset.unwrap_or_default();
        let texts = [name, text, kind.name(), tier.name(), &entry.default(), unset];
        Described::of(texts, kind, range, methods)
    }

    /// The part that is compiled once for all tables.
    fn of(texts: [&str; 6], kind: Kind, range: Range, methods: &[&str]) -> Self {
        let [name, text, kind_name, tier, default_value, unset] = texts;
        let choices: Vec<_> = match kind {
            Kind::Choice(choices) => choices().into_iter().map(|(name, _)| name).collect(),
            _ => Vec::new(),
        };
        let (minimum, maximum) = match range {
            Range::All => match kind {
                Kind::Whole | Kind::Seconds | Kind::Bytes => (0.0, f64::INFINITY),
                _ => (f64::NEG_INFINITY, f64::INFINITY),
            },
            Range::Whole(least, u64::MAX) => (least as f64, f64::INFINITY),
            Range::Whole(least, most) => (least as f64, most as f64),
            Range::Above(least, most) => (least, most),
        };
        Described {
            name: c_string(name),
            text: c_string(text),
            kind: c_string(kind_name),
            choices: c_string(&choices.join(" ")),
            methods: c_string(&methods.join(" ")),
            default_value: c_string(default_value),
            unset: c_string(unset),
            tier: c_string(tier),
            minimum,
            maximum,
        }
    }

    fn info(&self) -> mks_option_info {
        mks_option_info {
            name: self.name.as_ptr(),
            text: self.text.as_ptr(),
            kind: self.kind.as_ptr(),
            choices: self.choices.as_ptr(),
            methods: self.methods.as_ptr(),
            default_value: self.default_value.as_ptr(),
            unset: self.unset.as_ptr(),
            tier: self.tier.as_ptr(),
            minimum: self.minimum,
            maximum: self.maximum,
            ..mks_option_info::DEFAULT
        }
    }
}

/// Prepares the struct; `size` is sizeof(mks_option_info).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_option_info_init(
    info: *mut mks_option_info,
    size: usize,
) -> mks_status {
    // SAFETY: the header demands room for that many bytes, or NULL.
    unsafe { stamped::init(info, size) }
}

/// Describes option `index`, from 0 and below ::mks_options_count. The options of the problem or of
/// the context come first. Those that all problems have, such as time_limit, come last.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_info(
    options: *const mks_options,
    index: usize,
    info: *mut mks_option_info,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let options = unsafe { mks_options::borrow(options) }?;
        // SAFETY: the header demands an initialised struct or NULL.
        let out = unsafe { OutStamped::new(info) }?;
        let described = options.described();
        let missing =
            || Failure::argument("index", format!("{index} is not below {}", described.len()));
        out.write(described.get(index).ok_or_else(missing)?.info());
        Ok(())
    })
}
