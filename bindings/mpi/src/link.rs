//! Messages between ranks. Where the MPI has user-level failure mitigation (ULFM) and its launcher
//! enables it, the other ranks survive the loss of one. Elsewhere the MPI ends all ranks.

#![allow(unsafe_code, reason = "the crate `mpi` drops the errors of calls")]

use std::ffi::c_int;
use std::mem::MaybeUninit;
#[cfg(ulfm)]
use std::{
    thread,
    time::{Duration, Instant},
};

use makespan::{Error, Result};
#[cfg(ulfm)]
use makespan_cli::console;
use mpi::ffi;
use mpi::raw::AsRaw;
use mpi::topology::SimpleCommunicator;
#[cfg(ulfm)]
use mpi::traits::Communicator;

#[cfg(ulfm)]
use crate::ulfm;

/// How long rank 0 waits for the others to leave, and its pause between two looks.
#[cfg(ulfm)]
const FAREWELL: Duration = Duration::from_secs(10);
#[cfg(ulfm)]
const POLL: Duration = Duration::from_millis(1);
/// A tag that no message has.
#[cfg(ulfm)]
const NO_TAG: i32 = 0;

/// The messages of a rank. One thread makes all calls.
pub(crate) struct Link<'a> {
    world: &'a SimpleCommunicator,
    lost: Vec<i32>,
}

impl<'a> Link<'a> {
    pub(crate) fn new(world: &'a SimpleCommunicator) -> Result<Self> {
        #[cfg(ulfm)]
        checked(ulfm::enable(world))?;
        Ok(Link { world, lost: Vec::new() })
    }

    /// The ranks whose loss is known, in the order in which it became known.
    pub(crate) fn lost(&self) -> &[i32] {
        &self.lost
    }

    /// Sends bytes to a rank. A lost rank gets nothing.
    pub(crate) fn send(&mut self, rank: i32, tag: i32, bytes: &[u8]) -> Result<()> {
        if self.lost.contains(&rank) {
            return Ok(());
        }
        let length = bytes.len().try_into().map_err(|_| too_long())?;
        let (data, comm) = (bytes.as_ptr().cast(), self.world.as_raw());
        // SAFETY: `data` points to `length` bytes. The call ends when they are no longer needed.
        let code = unsafe { ffi::MPI_Send(data, length, byte(), rank, tag, comm) };
        self.is_complete(code).map(drop)
    }

    /// Bytes that have arrived from a rank, or from any one, with the rank. None after a loss.
    pub(crate) fn receive(
        &mut self,
        from: Option<i32>,
        tag: i32,
    ) -> Result<Option<(i32, Vec<u8>)>> {
        let Some((mut message, status)) = self.probe(from, tag)? else { return Ok(None) };
        let mut length: c_int = 0;
        // SAFETY: the pointers are those of variables.
        checked(unsafe { ffi::MPI_Get_count(&raw const status, byte(), &raw mut length) })?;
        let mut bytes = vec![0; length.try_into().map_err(|_| too_long())?];
        let (data, mut received) = (bytes.as_mut_ptr().cast(), status);
        // SAFETY: `data` has room for `length` bytes, and the message was found just now.
        let code =
            unsafe { ffi::MPI_Mrecv(data, length, byte(), &raw mut message, &raw mut received) };
        let sender = status.MPI_SOURCE;
        let is_whole = self.is_complete(code)? && !self.lost.contains(&sender);
        Ok(is_whole.then_some((sender, bytes)))
    }

    /// Ends this rank without the end of MPI, which may wait forever after several losses. Rank 0
    /// goes last: to the others, its end would be a loss. Returns if losses are not survived.
    #[cfg(ulfm)]
    pub(crate) fn leave(mut self) -> Result<()> {
        if !ulfm::is_enabled(self.world) {
            return Ok(());
        }
        let (begun, others) = (Instant::now(), self.world.size().unsigned_abs() as usize - 1);
        while self.world.rank() == 0
            && begun.elapsed() < FAREWELL
            && ulfm::lost(self.world).map_err(failed)?.len() < others
        {
            // Only calls that look for messages notice who has left.
            self.receive(None, NO_TAG)?;
            thread::sleep(POLL);
        }
        console::leave(0)
    }

    /// A message that has arrived and is not received yet.
    fn probe(&mut self, from: Option<i32>, tag: i32) -> Result<Option<Found>> {
        // SAFETY: the linked library never changes it.
        let source = from.unwrap_or(unsafe { ffi::RSMPI_ANY_SOURCE });
        let mut is_found: c_int = 0;
        let (mut message, mut status) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        let (to, about) = (message.as_mut_ptr(), status.as_mut_ptr());
        let comm = self.world.as_raw();
        // SAFETY: the pointers are those of variables.
        let code = unsafe { ffi::MPI_Improbe(source, tag, comm, &raw mut is_found, to, about) };
        if !self.is_complete(code)? || is_found == 0 {
            return Ok(None);
        }
        // SAFETY: the call wrote the message that it found.
        let message = unsafe { message.assume_init() };
        // SAFETY: the call wrote the status, too.
        Ok(Some((message, unsafe { status.assume_init() })))
    }

    /// Whether a call did its work. Otherwise a rank is lost, which is noted.
    fn is_complete(&mut self, code: c_int) -> Result<bool> {
        #[cfg(ulfm)]
        if ulfm::is_loss(code) {
            for rank in ulfm::lost(self.world).map_err(failed)? {
                if !self.lost.contains(&rank) {
                    self.lost.push(rank);
                }
            }
            return Ok(false);
        }
        checked(code).map(|()| true)
    }
}

type Found = (ffi::MPI_Message, ffi::MPI_Status);

fn byte() -> ffi::MPI_Datatype {
    // SAFETY: the linked library never changes it.
    unsafe { ffi::RSMPI_UINT8_T }
}

fn checked(code: c_int) -> Result<()> {
    if code == ffi::MPI_SUCCESS as c_int { Ok(()) } else { Err(failed(code)) }
}

fn failed(code: c_int) -> Box<Error> {
    Box::new(Error::Internal(format!("a call of MPI failed with code {code}")))
}

fn too_long() -> Box<Error> {
    Box::new(Error::Unsupported("messages of 2 GiB and more".into()))
}
