//! Command queues: kernels and copies, in order.
//!
//! [`Queue::launch`] is a safe function, although a kernel may write anywhere. The kernels are part
//! of the library: their sources are embedded and tested against the CPU engines like any other
//! code. The compiler checks names and types of the arguments against their declaration in Rust,
//! and a test compares the declarations with the sources (see [`arguments`](super::arguments)). The
//! number of arguments and the sizes of the launch are checked here. No kernel can reach host
//! memory: only [`Pinned`](super::Pinned) has any, and it is never an argument of a kernel.
#![allow(unsafe_code)]

mod group_memory;

use std::any::Any;
use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use cl3::command_queue::{
    enqueue_copy_buffer, enqueue_fill_buffer, enqueue_marker_with_wait_list,
    enqueue_nd_range_kernel, enqueue_read_buffer, enqueue_write_buffer, finish, flush,
};
use cl3::error_codes::cl_int;
use cl3::event::wait_for_events;
use cl3::kernel::set_kernel_arg;
use cl3::types::{CL_FALSE, CL_TRUE, cl_bool, cl_event};

use self::group_memory::GroupMemory;
use super::arguments::{Arg, ArgList, Arguments};
use super::buffer::{Buffer, Element};
use super::contexts::is_complete;
use super::device::Opened;
use super::kernel::{EntryPoint, Kernel};
use super::objects::{EventObject, MemoryObject, Owned, QueueObject};
use super::program::Program;
use super::speeds::DeviceSpeeds;
use super::status::failed;
#[cfg(test)]
use super::testing::Fault;
use crate::mutex::lock;
use crate::{Error, Result};

impl Arg<'_> {
    /// Size and address of the value for `clSetKernelArg`. The address is valid while `self` lives.
    fn value(&self) -> (usize, *const c_void) {
        match self {
            // The value is the handle itself.
            Arg::Buffer(object, _) => (size_of::<*mut c_void>(), object.address().cast()),
            Arg::U32(value) => (4, ptr::from_ref(value).cast()),
            Arg::U64(value) => (8, ptr::from_ref(value).cast()),
            // OpenCL accepts no size of 0.
            Arg::Local(bytes) | Arg::GroupArrays(bytes) => (*bytes.max(&1), ptr::null()),
        }
    }
}

/// An in-order queue. It serialises the commands of several threads.
///
/// The driver's queue is created for the first command. A solve that ends while it waits for its
/// kernels then has no queue to release: a driver may block the release until it has compiled them.
pub(crate) struct Queue {
    opened: Arc<Opened>,
    object: OnceLock<Arc<Owned<QueueObject>>>,
    /// Programs launched here whose binaries are still to be saved.
    unsaved: Mutex<Vec<Arc<Program>>>,
    /// Data that [`Queue::send`] may still copy from.
    sending: Mutex<Vec<Box<dyn Any + Send>>>,
    /// Takes the place of local memory on a device without it.
    group_memory: Mutex<GroupMemory>,
    #[cfg(test)]
    fault: Fault,
}

impl Queue {
    pub(super) fn new(opened: &Arc<Opened>) -> Queue {
        Queue {
            opened: Arc::clone(opened),
            object: OnceLock::new(),
            unsaved: Mutex::default(),
            sending: Mutex::default(),
            group_memory: Mutex::default(),
            #[cfg(test)]
            fault: Fault::default(),
        }
    }

    /// Returns the queue. Creates it on first use, unless it is the host program's queue.
    fn object(&self) -> Result<&Owned<QueueObject>> {
        if let Some(object) = self.object.get() {
            return Ok(object);
        }
        let object = self.opened.queue()?;
        // Of two threads with the first command, the slower one releases its queue.
        Ok(self.object.get_or_init(|| object))
    }

    /// The handle, for calls during the lifetime of `self`.
    pub(super) fn raw(&self) -> Result<*mut c_void> {
        Ok(self.object()?.raw())
    }

    #[cfg(test)]
    pub(super) fn with_fault(mut self, fault: Fault) -> Self {
        self.fault = fault;
        self
    }

    /// Runs `kernel` on `global` work-items in groups of `local`, which must divide `global`: the
    /// caller rounds up, and surplus work-items return at once. With 0 work-items the call does
    /// nothing.
    pub(crate) fn launch<A: Arguments, const DIMENSIONS: usize>(
        &self,
        kernel: &Kernel<A>,
        arguments: &A,
        global: [usize; DIMENSIONS],
        local: [usize; DIMENSIONS],
    ) -> Result<()> {
        self.launch_from(kernel, arguments, [0; DIMENSIONS], global, local)
    }

    /// Like [`launch`](Self::launch), with global ids from `first` on.
    pub(crate) fn launch_from<A: Arguments, const DIMENSIONS: usize>(
        &self,
        kernel: &Kernel<A>,
        arguments: &A,
        first: [usize; DIMENSIONS],
        global: [usize; DIMENSIONS],
        local: [usize; DIMENSIONS],
    ) -> Result<()> {
        const { assert!(1 <= DIMENSIONS && DIMENSIONS <= 3) };
        self.enqueue(kernel.entry(), &ArgList::of(arguments), [&first, &global, &local])
    }

    /// A launch without its types. The sizes have one length.
    fn enqueue(
        &self,
        kernel: &EntryPoint,
        list: &ArgList<'_>,
        [first, global, local]: [&[usize]; 3],
    ) -> Result<()> {
        #[cfg(test)]
        self.fault.command()?;
        let emulates = !self.opened.found.info.has_local_memory();
        let args = match list.args() {
            [args @ .., Arg::GroupArrays(_)] if !emulates => args,
            args => args,
        };
        let bytes = args.iter().filter_map(Arg::group_bytes).fold(0, usize::saturating_add);
        kernel.check(args.len(), bytes as u64, global, local)?;
        if global.contains(&0) {
            return Ok(());
        }
        // Locked, since no other launch may come between the size of the parts and this one.
        let group_memory =
            emulates.then(|| GroupMemory::provided(self, args, global, local)).transpose()?;
        let mut parts = group_memory.iter().flat_map(|memory| memory.objects());
        for (index, arg) in (0..).zip(args) {
            let part = arg.group_bytes().and_then(|_| parts.next());
            let arg = part.map_or(*arg, |object| Arg::Buffer(object, 1));
            let (size, value) = arg.value();
            // SAFETY: the kernel has an argument with this index, and `value` points to `size`
            // bytes or is null.
            unsafe { set_kernel_arg(kernel.object().raw(), index, size, value) }.map_err(
                |code| failed(&format!("clSetKernelArg {}, argument {index}", kernel.name()), code),
            )?;
        }
        #[cfg(test)]
        let before = self.fault.before(self.object()?, kernel.name(), list)?;
        let queue = self.object()?.raw();
        let launch = |after: &[cl_event]| {
            let (count, after) = match after {
                [] => (0, ptr::null()),
                after => (after.len() as u32, after.as_ptr()),
            };
            // SAFETY: the arrays have as many sizes and live events as stated, the sizes fit kernel
            // and device, and all arguments are set. The module comment explains why the kernel
            // stays within its buffers.
            let event = unsafe {
                enqueue_nd_range_kernel(
                    queue,
                    kernel.object().raw(),
                    global.len() as u32,
                    first.as_ptr(),
                    global.as_ptr(),
                    local.as_ptr(),
                    count,
                    after,
                )
            }?;
            // SAFETY: the driver has just created the event for us.
            Ok(unsafe { Owned::<EventObject>::new(event) })
        };
        let launch = || match &self.opened.turns {
            Some(turns) => turns.next(launch),
            None => launch(&[]).map(drop),
        };
        #[cfg(test)]
        let launched =
            self.fault.slowly(launch, || finish(queue).map_err(|code| failed("clFinish", code)))?;
        #[cfg(not(test))]
        let launched = launch();
        launched
            .map_err(|code| failed(&format!("clEnqueueNDRangeKernel {}", kernel.name()), code))?;
        #[cfg(test)]
        self.fault.after(self.object()?, &before)?;
        #[cfg(test)]
        group_memory.iter().try_for_each(|memory| memory.check(self, kernel.name(), args))?;
        self.remember(kernel.program());
        Ok(())
    }

    /// Copies `data` into the buffer from element `offset` on. `data` may change once the call
    /// returns.
    pub(crate) fn write<T: Element>(
        &self,
        buffer: &Buffer<T>,
        offset: usize,
        data: &[T],
    ) -> Result<()> {
        // SAFETY: the call blocks until `data` was read.
        unsafe { self.enqueue_write(buffer, offset, data, CL_TRUE) }
    }

    /// Copies `data` into the buffer from element `offset` on without waiting: the queue keeps the
    /// data until the copy is known to be complete.
    pub(crate) fn send<T: Element>(
        &self,
        buffer: &Buffer<T>,
        offset: usize,
        data: Vec<T>,
    ) -> Result<()> {
        // SAFETY: the vector's memory does not move within `sending`, which is emptied only after
        // all commands are complete.
        let sent = unsafe { self.enqueue_write(buffer, offset, &data, CL_FALSE) };
        lock(&self.sending).push(Box::new(data));
        sent
    }

    /// # Safety
    /// Unless the call blocks, `data` must stay alive until the command is complete.
    unsafe fn enqueue_write<T: Element>(
        &self,
        buffer: &Buffer<T>,
        offset: usize,
        data: &[T],
        blocking: cl_bool,
    ) -> Result<()> {
        let offset = buffer.byte_offset(offset, data.len())?;
        // SAFETY: the range lies in the buffer, and the caller guarantees `data`.
        unsafe {
            self.enqueue_write_bytes(
                buffer.object(),
                offset,
                data.as_ptr().cast(),
                size_of_val(data),
                blocking,
            )
        }
    }

    /// One copy of the code for elements of all types, like its siblings below.
    ///
    /// # Safety
    /// The range must lie in the buffer, and the data must stay alive until the command is
    /// complete.
    #[inline(never)]
    unsafe fn enqueue_write_bytes(
        &self,
        buffer: &Owned<MemoryObject>,
        offset: usize,
        data: *const c_void,
        bytes: usize,
        blocking: cl_bool,
    ) -> Result<()> {
        #[cfg(test)]
        self.fault.command()?;
        if bytes == 0 {
            return Ok(());
        }
        let (queue, buffer) = (self.object()?.raw(), buffer.raw());
        // SAFETY: the caller guarantees range and data.
        let written = unsafe {
            enqueue_write_buffer(queue, buffer, blocking, offset, bytes, data, 0, ptr::null())
        };
        enqueued(written, || "clEnqueueWriteBuffer".to_owned())
    }

    /// Copies from element `offset` of the buffer on into `data`, after all earlier commands.
    pub(crate) fn read<T: Element>(
        &self,
        buffer: &Buffer<T>,
        offset: usize,
        data: &mut [T],
    ) -> Result<()> {
        let offset = buffer.byte_offset(offset, data.len())?;
        let bytes = size_of_val(data);
        // SAFETY: the range lies in the buffer, and all bit patterns are valid elements.
        unsafe { self.read_bytes(buffer.object(), offset, data.as_mut_ptr().cast(), bytes) }
    }

    /// # Safety
    /// The range must lie in the buffer; the memory behind `data` takes any bytes.
    #[inline(never)]
    unsafe fn read_bytes(
        &self,
        buffer: &Owned<MemoryObject>,
        offset: usize,
        data: *mut c_void,
        bytes: usize,
    ) -> Result<()> {
        #[cfg(test)]
        self.fault.command()?;
        if bytes == 0 {
            return Ok(());
        }
        let (queue, buffer) = (self.object()?.raw(), buffer.raw());
        self.waited(|| {
            // SAFETY: the caller guarantees range and data, and the call blocks until the copy is
            // complete.
            let read = unsafe {
                enqueue_read_buffer(queue, buffer, CL_TRUE, offset, bytes, data, 0, ptr::null())
            };
            enqueued(read, || "clEnqueueReadBuffer".to_owned())
        })
    }

    /// Copies `count` elements from element `offset` of a buffer on to element `to_offset` of another
    /// one, or of the same one if the ranges do not overlap.
    pub(crate) fn copy<T: Element>(
        &self,
        (from, offset): (&Buffer<T>, usize),
        (to, to_offset): (&Buffer<T>, usize),
        count: usize,
    ) -> Result<()> {
        let (offset, to_offset) =
            (from.byte_offset(offset, count)?, to.byte_offset(to_offset, count)?);
        // SAFETY: the ranges lie in the buffers.
        unsafe {
            self.copy_bytes(
                (from.object(), offset),
                (to.object(), to_offset),
                count * size_of::<T>(),
            )
        }
    }

    /// # Safety
    /// The ranges must lie in the buffers.
    #[inline(never)]
    unsafe fn copy_bytes(
        &self,
        (from, offset): (&Owned<MemoryObject>, usize),
        (to, to_offset): (&Owned<MemoryObject>, usize),
        bytes: usize,
    ) -> Result<()> {
        #[cfg(test)]
        self.fault.command()?;
        if bytes == 0 {
            return Ok(());
        }
        let (queue, from, to) = (self.object()?.raw(), from.raw(), to.raw());
        // SAFETY: the caller guarantees the ranges. The driver refuses ranges of one buffer that
        // overlap.
        let copied = unsafe {
            enqueue_copy_buffer(queue, from, to, offset, to_offset, bytes, 0, ptr::null())
        };
        enqueued(copied, || "clEnqueueCopyBuffer".to_owned())
    }

    /// Sets `count` elements from `offset` on to `value`.
    pub(crate) fn fill<T: Element>(
        &self,
        buffer: &Buffer<T>,
        offset: usize,
        count: usize,
        value: T,
    ) -> Result<()> {
        let offset = buffer.byte_offset(offset, count)?;
        let (pattern, size) = (ptr::from_ref(&value).cast(), size_of::<T>());
        // SAFETY: the range lies in the buffer, and the pattern is one element.
        unsafe { self.fill_bytes(buffer.object(), offset, count * size, pattern, size) }
    }

    /// # Safety
    /// The range must lie in the buffer, and `pattern` must point to `size` bytes.
    #[inline(never)]
    unsafe fn fill_bytes(
        &self,
        buffer: &Owned<MemoryObject>,
        offset: usize,
        bytes: usize,
        pattern: *const c_void,
        size: usize,
    ) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let (queue, buffer) = (self.object()?.raw(), buffer.raw());
        // SAFETY: the caller guarantees range and pattern. OpenCL copies the pattern before it
        // returns.
        let filled = unsafe {
            enqueue_fill_buffer(queue, buffer, pattern, size, offset, bytes, 0, ptr::null())
        };
        enqueued(filled, || "clEnqueueFillBuffer".to_owned())
    }

    /// How fast the device is, measured or estimated.
    pub(crate) fn speeds(&self) -> DeviceSpeeds {
        self.opened.found.speeds()
    }

    /// Work of a kind that takes the device a while, as learnt last.
    pub(crate) fn budget(&self, kind: &'static str) -> Option<u64> {
        self.opened.budgets().get(kind).copied()
    }

    /// Notes how much work of a kind takes the device a while.
    pub(crate) fn set_budget(&self, kind: &'static str, budget: u64) {
        self.opened.budgets().insert(kind, budget);
    }

    /// See [`Device::waited_in_vain`](super::Device::waited_in_vain).
    pub(crate) fn waited_in_vain(&self) -> Box<Error> {
        self.opened.waited_in_vain()
    }

    /// Starts the queued commands: otherwise a driver may collect them until someone waits.
    pub(crate) fn flush(&self) -> Result<()> {
        flush(self.object()?.raw()).map_err(|code| failed("clFlush", code))
    }

    /// Waits until all commands are complete.
    pub(crate) fn finish(&self) -> Result<()> {
        let queue = self.object()?.raw();
        self.waited(|| finish(queue).map_err(|code| failed("clFinish", code)))
    }

    /// Waits until all commands are complete. Meanwhile it calls `poll`, until `poll` returns
    /// false for "no more to do".
    pub(crate) fn finish_polling(&self, poll: &mut dyn FnMut() -> Result<bool>) -> Result<()> {
        if poll()? {
            let marker = self.marker()?;
            self.flush()?;
            let is_complete =
                || is_complete(&marker).map_err(|code| failed("clGetEventInfo", code));
            while !is_complete()? && poll()? {}
        }
        self.finish()
    }

    /// Starts the queued commands and marks their end, for a wait that leaves later commands to run.
    pub(crate) fn mark(&self) -> Result<Mark> {
        #[cfg(test)]
        self.fault.command()?;
        let marker = self.marker()?;
        self.flush()?;
        Ok(Mark(marker))
    }

    /// An event that is complete once all earlier commands are.
    fn marker(&self) -> Result<Owned<EventObject>> {
        let queue = self.object()?.raw();
        // SAFETY: without a list of events to wait for, there is nothing to read.
        let event = unsafe { enqueue_marker_with_wait_list(queue, 0, ptr::null()) }
            .map_err(|code| failed("clEnqueueMarkerWithWaitList", code))?;
        // SAFETY: the driver has just created the event for us.
        Ok(unsafe { Owned::new(event) })
    }

    fn remember(&self, program: &Arc<Program>) {
        if !program.is_settled() {
            let mut unsaved = lock(&self.unsaved);
            if !unsaved.iter().any(|known| Arc::ptr_eq(known, program)) {
                unsaved.push(Arc::clone(program));
            }
        }
    }

    /// Runs a blocking command. Afterwards all earlier commands are complete, since the queue is in
    /// order: launched programs are saved and sent data are dropped.
    fn waited(&self, command: impl FnOnce() -> Result<()>) -> Result<()> {
        let sent = std::mem::take(&mut *lock(&self.sending));
        if let Err(error) = command() {
            lock(&self.sending).extend(sent);
            return Err(error);
        }
        let ran = std::mem::take(&mut *lock(&self.unsaved));
        ran.iter().for_each(|program| program.save());
        Ok(())
    }
}

/// The end of the commands that a queue had at some time.
pub(crate) struct Mark(Owned<EventObject>);

impl Mark {
    /// Waits until all these commands are complete.
    pub(crate) fn wait(&self) -> Result<()> {
        wait_for_events(&[self.0.raw()]).map_err(|code| failed("clWaitForEvents", code))
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let Some(object) = self.object.get() else { return };
        let sending = self.sending.get_mut().unwrap_or_else(PoisonError::into_inner);
        // If the driver can't even confirm completion, the memory must not be freed.
        if !sending.is_empty() && finish(object.raw()).is_err() {
            std::mem::forget(std::mem::take(sending));
        }
    }
}

/// Checks a command and releases its event. cl3 requests an event for every command, but an
/// in-order queue needs none.
pub(super) fn enqueued(
    event: Result<cl_event, cl_int>,
    call: impl FnOnce() -> String,
) -> Result<()> {
    let event = event.map_err(|code| failed(&call(), code))?;
    // SAFETY: the driver has just created the event for us.
    drop(unsafe { Owned::<EventObject>::new(event) });
    Ok(())
}

#[cfg(test)]
mod tests;
