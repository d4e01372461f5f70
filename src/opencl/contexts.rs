//! Creates contexts and queues of the driver. Where launches take turns, it shares the context.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::{Arc, Mutex, Weak};

use cl3::command_queue::create_command_queue;
use cl3::context::create_context;
use cl3::error_codes::cl_int;
use cl3::event::{CL_COMPLETE, CL_EVENT_COMMAND_EXECUTION_STATUS, get_event_info};
use cl3::types::cl_event;

use super::discovery::FoundDevice;
use super::objects::{ContextObject, EventObject, Owned, QueueObject};
use super::status::failed;
use crate::Result;
use crate::mutex::lock;

pub(super) fn own_context(found: &FoundDevice) -> Result<Owned<ContextObject>> {
    let raw = create_context(&[found.handle.id()], ptr::null(), None, ptr::null_mut())
        .map_err(|code| failed(&format!("clCreateContext on {}", found.info.name), code))?;
    // SAFETY: the driver has just created the object for us.
    Ok(unsafe { Owned::new(raw) })
}

pub(super) fn own_queue(
    context: &Owned<ContextObject>,
    found: &FoundDevice,
) -> Result<Owned<QueueObject>> {
    // This call of OpenCL 1.0 exists in every loader and platform, and suffices for a plain queue.
    // SAFETY: the context has this device.
    let raw = unsafe { create_command_queue(context.raw(), found.handle.id(), 0) }
        .map_err(|code| failed("clCreateCommandQueue", code))?;
    // SAFETY: the driver has just created the object and transferred it to us.
    Ok(unsafe { Owned::new(raw) })
}

/// The turns of all launches on a device, in all queues of a context of the driver.
#[derive(Default)]
pub(super) struct Turns {
    last: Mutex<Option<Owned<EventObject>>>,
}

impl Turns {
    /// Enqueues a launch, which starts when the one before has ended. `launch` gets the events to
    /// wait for.
    pub(super) fn next(
        &self,
        launch: impl FnOnce(&[cl_event]) -> Result<Owned<EventObject>, cl_int>,
    ) -> Result<(), cl_int> {
        let mut last = lock(&self.last);
        // A launch that failed must not make the next one fail.
        let running = last.take_if(|event| !is_complete(event).unwrap_or(true));
        let after = running.as_ref().map(Owned::raw);
        match launch(after.as_slice()) {
            Ok(event) => {
                *last = Some(event);
                Ok(())
            }
            Err(code) => {
                *last = running;
                Err(code)
            }
        }
    }
}

/// Whether a command has ended, well or not.
pub(super) fn is_complete(event: &Owned<EventObject>) -> Result<bool, cl_int> {
    let status = get_event_info(event.raw(), CL_EVENT_COMMAND_EXECUTION_STATUS)?;
    Ok(cl_int::from(status) <= CL_COMPLETE)
}

/// A context, and the turns of its launches.
pub(super) type SharedContext = (Arc<Owned<ContextObject>>, Arc<Turns>);

/// The contexts in use, with the addresses of the driver's devices. The fault that requires them is
/// the driver's, which the whole process has in common.
static SHARED: Mutex<Vec<Known>> = Mutex::new(Vec::new());

struct Known {
    device: usize,
    context: Weak<Owned<ContextObject>>,
    turns: Weak<Turns>,
}

/// The context of all users of a device with
/// [`Quirks::launches_in_turn`](super::facts::Quirks::launches_in_turn).
pub(super) fn shared_context(found: &FoundDevice) -> Result<SharedContext> {
    let device = found.handle.id().addr();
    let mut shared = lock(&SHARED);
    let users = |known: &Known| Some((known.context.upgrade()?, known.turns.upgrade()?));
    if let Some(context) = shared.iter().filter(|known| known.device == device).find_map(users) {
        return Ok(context);
    }
    let context = Arc::new(own_context(found)?);
    let turns = Arc::new(Turns::default());
    shared.retain(|known| known.device != device);
    let known = Known { device, context: Arc::downgrade(&context), turns: Arc::downgrade(&turns) };
    shared.push(known);
    Ok((context, turns))
}
