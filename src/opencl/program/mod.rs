//! Kernel families built for a device.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use cl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, cl_int};
use cl3::info_type::InfoType;
use cl3::program::{
    CL_PROGRAM_BINARIES, CL_PROGRAM_BUILD_LOG, build_program, create_program_with_binary,
    create_program_with_source, get_program_build_info, get_program_info,
};

use super::arguments::Arguments;
use super::build_log;
use super::cache::{Cache, Entry, Key};
use super::discovery::FoundDevice;
use super::kernel::{EntryPoint, Kernel};
use super::objects::{ContextObject, Owned, ProgramObject};
use super::recipe::{OPTIONS, Recipe, UserText};
use super::status::{describe, failed};
use super::trial::{Failing, SelfTest};
use crate::{Error, Log, Result};

/// A built kernel family.
pub(crate) struct Program {
    object: Owned<ProgramObject>,
    device: FoundDevice,
    recipe: Arc<Recipe>,
    cache: Cache,
    /// Whether the self-test passed, in this process or in the one that saved the binary.
    passed: AtomicBool,
    /// Whether there is nothing to save: the binary was loaded from disk, or was saved after a run.
    settled: AtomicBool,
}

impl Program {
    /// Builds from the saved binary if the driver accepts it, otherwise from source. Refuses if the
    /// cache says that the program is wrong.
    pub(super) fn build(
        recipe: &Arc<Recipe>,
        context: &Owned<ContextObject>,
        device: &FoundDevice,
        cache: &Cache,
        log: &Log,
    ) -> Result<Program, Failing> {
        let start = Instant::now();
        let (passed, cached) = match cache.load(&recipe.key) {
            Some(Entry::Passed(binary)) => {
                let built = from_passed(context, device, recipe, &binary, cache, log);
                (built.is_some(), built)
            }
            Some(Entry::Barred(reason)) => return Err(Failing::Wrong(reason)),
            None => (false, None),
        };
        let origin = if cached.is_some() { "the saved binary" } else { "source" };
        let object = match cached {
            Some(object) => object,
            None => from_source(context, device, recipe, log).map_err(Failing::Error)?,
        };
        log.debug(|| {
            let seconds = start.elapsed().as_secs_f64();
            format!("kernels {}: built from {origin} in {seconds:.3} s", recipe.family)
        });
        let (passed, settled) = (AtomicBool::new(passed), AtomicBool::new(passed));
        Ok(Program {
            object,
            device: device.clone(),
            recipe: Arc::clone(recipe),
            cache: cache.clone(),
            passed,
            settled,
        })
    }

    pub(super) fn key(&self) -> Key {
        self.recipe.key
    }

    /// Whether the self-test passed.
    pub(super) fn has_passed(&self) -> bool {
        self.passed.load(Ordering::Relaxed)
    }

    /// Compares the kernels with the CPU by `run` and saves the verdict. A driver with its own
    /// cache is an exception, and a good verdict is not saved: if that cache has lost the kernels,
    /// the driver compiles them at their first launch, which must be the self-test's and not the
    /// solve's.
    pub(super) fn test(
        &self,
        run: impl FnOnce(SelfTest) -> Result<(), Failing>,
    ) -> Result<(), Failing> {
        let verdict = run(self.recipe.self_test);
        match &verdict {
            Ok(()) => {
                self.passed.store(true, Ordering::Relaxed);
                // If the solve is stopped now, the next one finds the compiled kernels.
                self.store();
            }
            Err(Failing::Wrong(reason)) => {
                self.cache.store(&self.recipe.key, &Entry::Barred(reason.clone()))
            }
            Err(Failing::Error(_)) => {}
        }
        verdict
    }

    /// A new object for the kernel that takes these arguments. It carries them, so every thread
    /// needs its own.
    pub(crate) fn kernel<A: Arguments>(self: &Arc<Self>) -> Result<Kernel<A>> {
        #[cfg(test)]
        self.recipe.check_declared::<A>();
        Ok(Kernel::new(EntryPoint::create(Arc::clone(self), A::KERNEL)?))
    }

    /// The value of the define `name`, from a tuning row or the caller.
    pub(crate) fn define(&self, name: &str) -> Option<u64> {
        self.recipe.defines.get(name).copied()
    }

    /// The value of a tunable.
    #[inline(never)] // for size
    pub(crate) fn tuned(&self, name: &str) -> usize {
        self.define(name).unwrap_or(1) as usize
    }

    /// The user's part of the source.
    #[cfg(test)]
    pub(super) fn user_text(&self) -> Option<UserText<'_>> {
        self.recipe.user_text()
    }

    pub(super) fn object(&self) -> &Owned<ProgramObject> {
        &self.object
    }

    pub(super) fn device(&self) -> &FoundDevice {
        &self.device
    }

    pub(super) fn is_settled(&self) -> bool {
        self.settled.load(Ordering::Relaxed)
    }

    /// Saves the binary, once. Call it after a kernel has run: some drivers compile only then, and
    /// a binary taken earlier would leave that work to every later process. A program under test is
    /// not saved yet.
    pub(super) fn save(&self) {
        if self.has_passed() && !self.settled.swap(true, Ordering::Relaxed) {
            self.store();
        }
    }

    fn store(&self) {
        // A context of the host program may have more devices, for which there is no binary.
        if !self.device.quirks.keeps_kernels
            && !self.cache.is_off()
            && let Ok(InfoType::VecVecUchar(binaries)) =
                get_program_info(self.object.raw(), CL_PROGRAM_BINARIES)
            && let Some(binary) = binaries.into_iter().find(|binary| !binary.is_empty())
        {
            self.cache.store(&self.recipe.key, &Entry::Passed(binary));
        }
    }
}

/// Makes a program from its saved binary, unless the driver refuses it.
fn from_passed(
    context: &Owned<ContextObject>,
    device: &FoundDevice,
    recipe: &Recipe,
    binary: &[u8],
    cache: &Cache,
    log: &Log,
) -> Option<Owned<ProgramObject>> {
    let built = from_binary(context, device, binary);
    if let Err(error) = &built {
        log.debug(|| {
            format!("kernels {}: the driver refuses the saved binary: {error}", recipe.family)
        });
        cache.discard(&recipe.key);
    }
    built.ok()
}

fn from_binary(
    context: &Owned<ContextObject>,
    device: &FoundDevice,
    binary: &[u8],
) -> Result<Owned<ProgramObject>> {
    // SAFETY: the device belongs to the context. cl3 passes the slices by their layout in memory,
    // which C reads correctly only for a single slice, as here.
    let raw =
        unsafe { create_program_with_binary(context.raw(), &[device.handle.id()], &[binary]) };
    let program = created("clCreateProgramWithBinary", raw)?;
    compile(&program, device).map_err(|code| failed("clBuildProgram", code))?;
    Ok(program)
}

fn from_source(
    context: &Owned<ContextObject>,
    device: &FoundDevice,
    recipe: &Recipe,
    log: &Log,
) -> Result<Owned<ProgramObject>> {
    // A single text: cl3 passes wrong pointers for several.
    let raw = create_program_with_source(context.raw(), &[&recipe.source]);
    let program = created("clCreateProgramWithSource", raw)?;
    let compiled = compile(&program, device);
    let messages = build_log(&program, device);
    match compiled {
        Ok(()) => {
            if !messages.is_empty() {
                log.debug(|| format!("kernels {}: the compiler says: {messages}", recipe.family));
            }
            Ok(program)
        }
        Err(code) => Err(match recipe.user_text() {
            // A compiler that finds a fault in a text says which.
            Some(UserText { argument, before, text })
                if code == CL_BUILD_PROGRAM_FAILURE && !messages.is_empty() =>
            {
                let [before, own] = [before, text].map(|text| text.lines().count());
                let errors = build_log::head(&messages, recipe.family, before, own);
                Error::argument(argument, format!("does not compile: {errors}"))
            }
            _ => {
                let call = describe(&format!("clBuildProgram {}", recipe.family), code);
                Error::device_failed(format!("{call}\n{messages}"))
            }
        }),
    }
}

fn created(call: &str, raw: Result<*mut c_void, cl_int>) -> Result<Owned<ProgramObject>> {
    let raw = raw.map_err(|code| failed(call, code))?;
    // SAFETY: the driver has just created the object and transferred it to us.
    Ok(unsafe { Owned::new(raw) })
}

fn compile(program: &Owned<ProgramObject>, device: &FoundDevice) -> Result<(), cl_int> {
    build_program(program.raw(), &[device.handle.id()], OPTIONS, None, ptr::null_mut())
}

/// The compiler's messages; empty if the driver does not report them.
fn build_log(program: &Owned<ProgramObject>, device: &FoundDevice) -> String {
    match get_program_build_info(program.raw(), device.handle.id(), CL_PROGRAM_BUILD_LOG) {
        Ok(InfoType::VecUchar(text)) => {
            String::from_utf8_lossy(&text).trim_matches(['\0', '\n', ' ']).to_owned()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
