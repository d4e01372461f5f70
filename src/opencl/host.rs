//! OpenCL objects of the host program. A context can use them instead of opening a device.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::Arc;

use cl3::command_queue::{
    CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROPERTIES,
    get_command_queue_info, retain_command_queue,
};
use cl3::context::{CL_CONTEXT_DEVICES, get_context_info, retain_context};
use cl3::error_codes::{DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED, cl_int};
use opencl3::device::Device as ClDevice;
use opencl3::error_codes::ClError;
use opencl3::platform::Platform;

use super::discovery::{Discovery, FoundDevice, examine, no_platforms, set_up};
use super::objects::{HostObjects, Owned};
use super::status::describe;
use crate::{Error, Result};

// The names of the arguments in C, where another context is around.
const CONTEXT: &str = "opencl_context";
const DEVICE: &str = "opencl_device";
const QUEUE: &str = "opencl_queue";

/// An OpenCL context, device and command queue of the host program, for
/// [`ContextOptions::opencl`](crate::ContextOptions::opencl).
///
/// The context and the queue are retained as long as this value or a clone of it lives.
#[derive(Debug, Clone)]
pub struct HostOpenCl {
    found: FoundDevice,
}

impl HostOpenCl {
    /// Checks and retains a `cl_context`, a `cl_device_id` of it, and an in-order
    /// `cl_command_queue` of both. They must belong to the OpenCL library that makespan opens: the
    /// library that the environment variable `OPENCL_DYLIB_PATH` names, else the library of the
    /// system.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for `opencl_context`, `opencl_device` or `opencl_queue` if it is
    /// null or does not belong to the others, or if the queue is not in order;
    /// [`Error::DeviceUnavailable`] if the OpenCL library does not open or the device can't compile
    /// kernels.
    ///
    /// # Safety
    /// Each is null or a live object of its kind.
    pub unsafe fn new(
        opencl_context: *mut c_void,
        opencl_device: *mut c_void,
        opencl_queue: *mut c_void,
    ) -> Result<HostOpenCl> {
        let (context, device, queue) = (opencl_context, opencl_device, opencl_queue);
        for (object, argument) in [(context, CONTEXT), (device, DEVICE), (queue, QUEUE)] {
            if object.is_null() {
                return Err(Error::argument(argument, "is NULL"));
            }
        }
        set_up().map_err(Error::device_unavailable)?;
        check_device(context, device)?;
        check_queue(queue, context, device)?;
        let handle = ClDevice::new(device);
        let platform = handle.platform().map_err(|ClError(code)| refused(DEVICE, code))?;
        let found = examine(handle, &Platform::new(platform)).map_err(Error::device_unavailable)?;
        // SAFETY: a live context, by the caller's promise.
        unsafe { retain_context(context) }.map_err(|code| refused(CONTEXT, code))?;
        // SAFETY: the reference is the one that was just taken.
        let context = Arc::new(unsafe { Owned::new(context) });
        // SAFETY: a live queue, by the caller's promise.
        unsafe { retain_command_queue(queue) }.map_err(|code| refused(QUEUE, code))?;
        // SAFETY: the reference is the one that was just taken.
        let queue = Arc::new(unsafe { Owned::new(queue) });
        let host = Some(HostObjects { context, queue });
        Ok(HostOpenCl { found: FoundDevice { host, ..found } })
    }

    /// A device for a context that has only this one.
    #[cfg(test)]
    pub(super) fn of(found: FoundDevice) -> HostOpenCl {
        HostOpenCl { found }
    }

    /// The list of devices of a context that has only this one.
    pub(crate) fn discovery(self) -> Discovery {
        Discovery { devices: vec![self.found], reason: None }
    }
}

fn check_device(context: *mut c_void, device: *mut c_void) -> Result<()> {
    let devices = get_context_info(context, CL_CONTEXT_DEVICES)
        .map_err(|code| refused(CONTEXT, code))?
        .to_vec_intptr();
    if !devices.contains(&(device as isize)) {
        return Err(Error::argument(DEVICE, "does not belong to opencl_context"));
    }
    Ok(())
}

fn check_queue(queue: *mut c_void, context: *mut c_void, device: *mut c_void) -> Result<()> {
    let ask = |what| get_command_queue_info(queue, what).map_err(|code| refused(QUEUE, code));
    if ask(CL_QUEUE_CONTEXT)?.to_ptr() != context as isize {
        return Err(Error::argument(QUEUE, "belongs to another OpenCL context"));
    }
    if ask(CL_QUEUE_DEVICE)?.to_ptr() != device as isize {
        return Err(Error::argument(QUEUE, "belongs to another device"));
    }
    if ask(CL_QUEUE_PROPERTIES)?.to_ulong() & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0 {
        return Err(Error::argument(QUEUE, "runs its commands out of order"));
    }
    Ok(())
}

/// The error if the driver does not describe an object.
fn refused(argument: &'static str, code: cl_int) -> Box<Error> {
    match code {
        DLOPEN_RUNTIME_LOAD_FAILED | DLOPEN_FUNCTION_NOT_AVAILABLE => {
            Error::device_unavailable(no_platforms(code))
        }
        code => Error::argument(argument, describe("the driver refuses it", code)),
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;
    use crate::interval_dp::{Instance, Method, Options, solve};
    use crate::opencl::contexts::{own_context, own_queue};
    use crate::opencl::testing::found_devices;
    use crate::{Context, ContextOptions, Engine, SolveOptions};

    fn refusal(result: Result<HostOpenCl>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn device_of_the_host_gives_the_same_results() {
        let instance = Instance::matrix_chain((1i64..60).map(|n| n * n * 31 % 97 + 1).collect());
        let (instance, options) =
            (instance.unwrap(), Options { method: Method::Cubic, ..Options::default() });
        let run = |context: &Context| {
            solve(context, &instance, &options, &SolveOptions::default()).unwrap()
        };
        let expected = run(&Context::of_one_thread().unwrap());
        for found in found_devices() {
            let context = own_context(&found).unwrap();
            let queue = own_queue(&context, &found).unwrap();
            // SAFETY: live objects.
            let host =
                unsafe { HostOpenCl::new(context.raw(), found.handle.id(), queue.raw()) }.unwrap();
            let own = Context::new(ContextOptions {
                engine: Engine::Device,
                opencl: Some(host),
                ..ContextOptions::default()
            })
            .unwrap();
            // They stay alive without the host's own references.
            drop((context, queue));
            assert_eq!(own.devices().len(), 1);
            assert_eq!(own.devices()[0].name, found.info.name);
            let outcome = run(&own);
            assert_eq!(outcome.objective, expected.objective);
            assert_eq!(outcome.report.device.as_deref(), Some(&*found.info.name));
        }
    }

    #[test]
    fn device_objects_that_do_not_belong_together_are_refused() {
        for found in found_devices() {
            let [context, other] = [(); 2].map(|()| own_context(&found).unwrap());
            let queue = own_queue(&context, &found).unwrap();
            let (context, queue, device) = (context.raw(), queue.raw(), found.handle.id());
            // SAFETY: null or live objects.
            let new = |context, device, queue| unsafe { HostOpenCl::new(context, device, queue) };
            let null = ptr::null_mut();
            assert_eq!(refusal(new(null, device, queue)), "opencl_context: is NULL");
            assert_eq!(refusal(new(context, null, queue)), "opencl_device: is NULL");
            assert_eq!(refusal(new(context, device, null)), "opencl_queue: is NULL");
            assert_eq!(
                refusal(new(other.raw(), device, queue)),
                "opencl_queue: belongs to another OpenCL context"
            );
            assert!(new(context, device, queue).is_ok());
        }
    }
}
