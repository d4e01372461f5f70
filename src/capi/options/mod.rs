//! Options by name, of solves and of contexts.

pub(super) mod info;

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::sync::OnceLock;

use self::info::Described;
use super::OWNERS;
use super::convert::c_string;
use super::guard::guard;
use super::handle::{self, Handle, get};
use super::log::{self, mks_log_callback};
use super::pointer::{self, Out, OutArray};
use super::progress::{Asked, Listener, mks_progress_callback};
use super::status::{Failure, Result, mks_status};
use super::stop::mks_stop;
use crate::options::{Entry, Line, Named, unknown};
use crate::{ContextOptions, Error, SolveOptions};

/// Options of a problem's solves, or of a context, by name. ::mks_options_info lists them.
///
/// Any number of calls may read the same options at once, but no other call may use them while a
/// function whose parameter is not const changes them. A solve reads them when it begins.
pub struct mks_options {
    owner: &'static Owner,
    own: Box<dyn Owned>,
    /// What all problems share, except the progress; not for a context.
    solve: SolveOptions,
    listener: Option<Listener>,
    /// Made at the first request.
    described: OnceLock<Vec<Described>>,
}

impl Handle for mks_options {
    const NAME: &'static str = "mks_options";
    const ARGUMENT: &'static str = "options";
}

/// Options that C can set.
pub(super) trait Options: Named + Send + Sync {}

impl<O: Named + Send + Sync> Options for O {}

/// A problem or a context, which has options by name.
pub(super) struct Owner {
    /// As C spells it.
    name: &'static CStr,
    defaults: fn() -> Box<dyn Owned>,
}

impl Owner {
    pub(super) const fn of<O: Options>(name: &'static CStr) -> Self {
        Owner { name, defaults: || Box::new(O::default()) }
    }

    /// The name of whose options these are; only for messages.
    fn name_of(options: TypeId) -> Cow<'static, str> {
        let has = |owner: &&Owner| (owner.defaults)().as_any().type_id() == options;
        OWNERS.iter().find(has).map(|owner| owner.name.to_string_lossy()).unwrap_or_default()
    }
}

/// The options of one problem or of a context, whichever they are.
trait Owned: Any + Send + Sync {
    fn names(&self) -> Vec<&'static str>;

    fn set(&mut self, name: &str, value: &OsStr) -> crate::Result<()>;

    fn get(&self, name: &str) -> crate::Result<String>;

    fn describe(&self) -> Vec<Described>;

    fn copy(&self) -> Box<dyn Owned>;
}

impl<O: Options> Owned for O {
    fn names(&self) -> Vec<&'static str> {
        O::TABLE.iter().map(|entry| entry.name).collect()
    }

    fn set(&mut self, name: &str, value: &OsStr) -> crate::Result<()> {
        Named::set(self, name, value)
    }

    fn get(&self, name: &str) -> crate::Result<String> {
        Named::get(self, name)
    }

    fn describe(&self) -> Vec<Described> {
        O::TABLE.iter().map(Described::new).collect()
    }

    fn copy(&self) -> Box<dyn Owned> {
        Box::new(self.clone())
    }
}

impl dyn Owned {
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl mks_options {
    fn new(owner: &'static Owner) -> Self {
        mks_options {
            owner,
            own: (owner.defaults)(),
            solve: SolveOptions::default(),
            listener: None,
            described: OnceLock::new(),
        }
    }

    fn is_of_context(&self) -> bool {
        self.own.as_any().is::<ContextOptions>()
    }

    /// The part that all problems share.
    fn of_solves(&mut self) -> Result<&mut SolveOptions> {
        match self.is_of_context() {
            true => Err(Failure::argument("options", "are those of a context, not of solves")),
            false => Ok(&mut self.solve),
        }
    }

    /// The options of a context, which alone has a `what`.
    fn of_context(&mut self, what: &str) -> Result<&mut ContextOptions> {
        let own: &mut dyn Any = &mut *self.own;
        own.downcast_mut().ok_or_else(|| {
            let reason = format!("are not those of a context, which has the {what}");
            Failure::argument("options", reason)
        })
    }

    /// The table of the part that all problems share; empty for a context.
    fn common(&self) -> &'static [Entry<SolveOptions>] {
        if self.is_of_context() { &[] } else { SolveOptions::TABLE }
    }

    /// Whether an option is the owner's, or else one that all problems share.
    fn is_own(&self, name: &str) -> crate::Result<bool> {
        let own = self.own.names();
        let common = self.common().iter().map(|entry| entry.name);
        match own.contains(&name) {
            true => Ok(true),
            false if common.clone().any(|other| other == name) => Ok(false),
            false => Err(unknown(name, own.into_iter().chain(common))),
        }
    }

    fn set(&mut self, name: &str, value: &OsStr) -> crate::Result<()> {
        match self.is_own(name)? {
            true => self.own.set(name, value),
            false => Named::set(&mut self.solve, name, value),
        }
    }

    fn get(&self, name: &str) -> crate::Result<String> {
        match self.is_own(name)? {
            true => self.own.get(name),
            false => Named::get(&self.solve, name),
        }
    }

    fn described(&self) -> &[Described] {
        self.described.get_or_init(|| {
            let common = self.common().iter().map(Described::new);
            self.own.describe().into_iter().chain(common).collect()
        })
    }

    /// The options of a problem or of a context.
    fn own<O: Options>(&self) -> Result<&O> {
        self.own.as_any().downcast_ref().ok_or_else(|| self.not_of(TypeId::of::<O>()))
    }

    fn not_of(&self, asked: TypeId) -> Failure {
        let (own, asked) = (self.owner.name.to_string_lossy(), Owner::name_of(asked));
        Failure::argument("options", format!("are those of {own}, not of {asked}"))
    }

    /// What all solves are asked.
    fn asked(&self) -> Asked {
        Asked::new(self.solve.clone(), self.listener)
    }
}

/// Copies of the options behind a pointer; NULL means the defaults.
///
/// # Safety
/// That of [`Handle::borrow`].
pub(super) unsafe fn read<O: Options>(options: *const mks_options) -> Result<(O, Asked)> {
    if options.is_null() {
        return Ok(Default::default());
    }
    // SAFETY: the caller's promise.
    let options = unsafe { mks_options::borrow(options) }?;
    Ok((options.own::<O>()?.clone(), options.asked()))
}

/// Creates options with their defaults. The owner is a problem, spelled as in its functions, such
/// as "flow_shop", or "context".
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_options_create(
    owner: *const c_char,
    options: *mut *mut mks_options,
) -> mks_status {
    let build = || {
        // SAFETY: the header demands a string or NULL.
        let name = unsafe { pointer::text(owner, "owner") }?;
        let owner = OWNERS.iter().find(|owner| owner.name.to_bytes() == name.as_bytes());
        owner.map(mks_options::new).ok_or_else(|| {
            let known: Vec<_> = OWNERS.iter().map(|owner| owner.name.to_string_lossy()).collect();
            Failure::argument("owner", format!("\"{name}\" is none of {}", known.join(", ")))
        })
    };
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(options, build) }
}

/// Frees options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_free(options: *mut mks_options) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_options::free(options) };
}

/// Sets the option `name` to a value. The text of a value is a number, "true" or "false", one of
/// the option's choices, or a path. A list has spaces or commas between its numbers. "auto" or
/// "none", as ::mks_option_info says, leaves an option to the library.
/// ::MKS_STATUS_INVALID_ARGUMENT for an unknown name and for a value that does not fit; the option
/// then keeps its value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_set(
    options: *mut mks_options,
    name: *const c_char,
    value: *const c_char,
) -> mks_status {
    let change = |options: &mut mks_options| {
        // SAFETY: the header demands a string or NULL.
        let name = unsafe { pointer::text(name, "name") }?;
        // SAFETY: the header demands a string or NULL.
        let value = unsafe { pointer::path(value, "value") }?;
        Ok(options.set(name, value.as_os_str())?)
    };
    // SAFETY: the header demands a valid handle that no other call uses, or NULL.
    unsafe { handle::change(options, change) }
}

/// Sets the option `name` to a whole number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_set_int64(
    options: *mut mks_options,
    name: *const c_char,
    value: i64,
) -> mks_status {
    // SAFETY: the header demands a valid handle that no other call uses, and a string, or NULL.
    unsafe { set_text(options, name, || Ok(value.to_string())) }
}

/// Sets the option `name` to a number; INFINITY as a number of seconds sets no limit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_set_double(
    options: *mut mks_options,
    name: *const c_char,
    value: f64,
) -> mks_status {
    // SAFETY: the header demands a valid handle that no other call uses, and a string, or NULL.
    unsafe { set_text(options, name, || Ok(value.to_string())) }
}

/// Sets the option `name` to a list of numbers: values[count].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_set_list(
    options: *mut mks_options,
    name: *const c_char,
    values: *const u32,
    count: usize,
) -> mks_status {
    let text = || {
        // SAFETY: the header demands that many elements, or NULL.
        let values = unsafe { pointer::array(values, count, "values") }?;
        Ok(crate::options::joined(values))
    };
    // SAFETY: the header demands a valid handle that no other call uses, and a string, or NULL.
    unsafe { set_text(options, name, text) }
}

/// Body of the functions that set an option to a value of another type than text.
///
/// # Safety
/// That of [`handle::change`] and of [`pointer::text`].
unsafe fn set_text(
    options: *mut mks_options,
    name: *const c_char,
    text: impl FnOnce() -> Result<String>,
) -> mks_status {
    let change = |options: &mut mks_options| {
        // SAFETY: the caller's promise.
        let name = unsafe { pointer::text(name, "name") }?;
        Ok(options.set(name, text()?.as_ref())?)
    };
    // SAFETY: the caller's promise.
    unsafe { handle::change(options, change) }
}

/// Reads options from a file: a line `name = value` for each, with the values of ::mks_options_set;
/// # begins a comment. If a line is wrong, no option changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_read(
    options: *mut mks_options,
    path: *const c_char,
) -> mks_status {
    let change = |options: &mut mks_options| {
        // SAFETY: the header demands a string or NULL.
        let path = unsafe { pointer::path(path, "path") }?;
        let text = crate::text::read(&path)?;
        let mut trial = mks_options {
            owner: options.owner,
            own: options.own.copy(),
            solve: options.solve.clone(),
            listener: None,
            described: OnceLock::new(),
        };
        for Line { number, name, value } in Line::parse(&text)? {
            trial.set(name, value.as_ref()).map_err(|error| {
                Box::new(Error::Parse { line: number, reason: error.to_string() })
            })?;
        }
        (options.own, options.solve) = (trial.own, trial.solve);
        Ok(())
    };
    // SAFETY: the header demands a valid handle that no other call uses, or NULL.
    unsafe { handle::change(options, change) }
}

/// The value of the option `name` as ::mks_options_set reads it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_get(
    options: *const mks_options,
    name: *const c_char,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> mks_status {
    guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        let options = unsafe { mks_options::borrow(options) }?;
        // SAFETY: the header demands a string or NULL.
        let name = unsafe { pointer::text(name, "name") }?;
        // SAFETY: the header demands room for that many bytes, or NULL.
        let out = unsafe { OutArray::new(text, capacity, "text") }?;
        // SAFETY: the header demands a valid pointer or NULL.
        let length = unsafe { Out::new(length, "length") }?;
        let value = c_string(&options.get(name)?);
        out.write_text(&value);
        length.write(value.as_bytes().len());
        Ok(())
    })
}

/// Number of options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_count(
    options: *const mks_options,
    count: *mut usize,
) -> mks_status {
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(options, count, "count", |options| Ok(options.described().len())) }
}

/// Lets a stop handle end the solves with these options; NULL removes it. The handle may be freed
/// at any time. Not for options of a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_set_stop(
    options: *mut mks_options,
    stop: *const mks_stop,
) -> mks_status {
    let change = |options: &mut mks_options| {
        let handle = match stop.is_null() {
            true => None,
            // SAFETY: the header demands a valid handle.
            false => Some(unsafe { mks_stop::borrow(stop) }?.handle()),
        };
        options.of_solves()?.stop = handle;
        Ok(())
    };
    // SAFETY: the header demands a valid handle that no other call uses, or NULL.
    unsafe { handle::change(options, change) }
}

/// Sends the progress of the solves with these options to a callback, with user_data; NULL removes
/// it. Callback and user data must stay valid until the last such solve has ended. Not for options
/// of a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_set_progress(
    options: *mut mks_options,
    callback: mks_progress_callback,
    user_data: *mut c_void,
) -> mks_status {
    let change = |options: &mut mks_options| {
        options.of_solves()?;
        options.listener = Listener::new(callback, user_data);
        Ok(())
    };
    // SAFETY: the header demands a valid handle that no other call uses, or NULL.
    unsafe { handle::change(options, change) }
}

/// Sends the log of the contexts with these options to a callback, with user_data: messages of
/// `level`, one of ::mks_log_level, and of more important levels. NULL removes it. Callback and
/// user data must stay valid until the last such context is freed. Only for options of a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_set_log(
    options: *mut mks_options,
    level: i32,
    callback: mks_log_callback,
    user_data: *mut c_void,
) -> mks_status {
    let change = |options: &mut mks_options| {
        let log = log::log(level, callback, user_data)?;
        options.of_context("log")?.log = log;
        Ok(())
    };
    // SAFETY: the header demands a valid handle that no other call uses, or NULL.
    unsafe { handle::change(options, change) }
}

/// Sets tuning rows for the contexts with these options, as text with a line for each row; NULL
/// removes them. They take precedence over all other rows, also those of the file that the option
/// "tuning" names. ::mks_context_create refuses a text with a fault, and names the line. Only for
/// options of a context.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_options_set_tuning(
    options: *mut mks_options,
    rows: *const c_char,
) -> mks_status {
    let change = |options: &mut mks_options| {
        let rows = match rows.is_null() {
            true => None,
            // SAFETY: the header demands a string.
            false => Some(unsafe { pointer::text(rows, "rows") }?.to_owned()),
        };
        options.of_context("tuning rows")?.tuning = rows;
        Ok(())
    };
    // SAFETY: the header demands a valid handle that no other call uses, or NULL.
    unsafe { handle::change(options, change) }
}
