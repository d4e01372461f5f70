//! The place of a device in a context: it opens on first use, and again after it was lost.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use crate::mutex::lock;
use crate::opencl::Device;
use crate::{Error, Result};

/// Losses in a row, without a step that succeeds between them, after which a device stays closed.
const MOST_LOSSES: u32 = 3;

/// A device, why it did not open, or neither.
#[derive(Default)]
pub(super) struct Slot {
    state: Mutex<State>,
    /// Losses since the last step that succeeded.
    losses: AtomicU32,
}

type State = Option<Result<Arc<Device>, Failure>>;

/// Why the device did not open. Kept in this form, since an [`Error`] can be returned only once.
enum Failure {
    Unavailable(String),
    Failed(String),
}

impl Slot {
    /// The device, which `open` opens on first use and after a loss.
    pub(super) fn get(&self, open: impl FnOnce() -> Result<Device>) -> Result<Arc<Device>> {
        let mut state = self.lock();
        if let Some(known) = &*state {
            return known.as_ref().map(Arc::clone).map_err(Failure::error);
        }
        let opened = open().map(Arc::new).map_err(|error| Failure::of(*error));
        let result = opened.as_ref().map(Arc::clone).map_err(Failure::error);
        if opened.is_ok() || !self.may_open_again() {
            *state = Some(opened);
        }
        result
    }

    /// Whether the next request should try again after the device did not open. Before any loss, a
    /// failure is final. A lost device may need some time, so that a failure is one more loss.
    fn may_open_again(&self) -> bool {
        let losses = self.losses.load(Ordering::Relaxed);
        losses > 0 && self.losses.fetch_add(1, Ordering::Relaxed) + 1 < MOST_LOSSES
    }

    /// Whether a request finds the device, or the reason why there is none, without waiting.
    pub(super) fn is_known(&self) -> bool {
        self.state.try_lock().is_ok_and(|state| state.is_some())
    }

    /// The device, if it is open, without waiting.
    pub(super) fn open(&self) -> Option<Arc<Device>> {
        self.state.try_lock().ok()?.as_ref()?.as_ref().ok().map(Arc::clone)
    }

    /// Why the device did not open.
    pub(super) fn problem(&self) -> Option<String> {
        match &*self.lock() {
            Some(Err(Failure::Unavailable(reason) | Failure::Failed(reason))) => {
                Some(reason.clone())
            }
            _ => None,
        }
    }

    /// Notes that a step succeeded on the device.
    pub(super) fn worked(&self) {
        self.losses.store(0, Ordering::Relaxed);
    }

    /// Closes the device if it no longer answers, so that the next request opens it again. After
    /// [`MOST_LOSSES`] losses in a row it stays closed. Returns whether it was lost; `device` may be
    /// any view of it.
    pub(super) fn close_if_lost(&self, device: &Device, reason: &str) -> bool {
        if device.answers() {
            return false;
        }
        let mut state = self.lock();
        // Another thread may have noticed the loss.
        let is_open = |open: &Arc<Device>| open.is_view_of(device);
        let lost = state.take_if(|state| state.as_ref().is_ok_and(is_open));
        if lost.is_some() && self.losses.fetch_add(1, Ordering::Relaxed) + 1 >= MOST_LOSSES {
            let reason = format!("was lost {MOST_LOSSES} times in a row, at last by: {reason}");
            *state = Some(Err(Failure::Failed(reason)));
        }
        // Dropping the device may wait for a build.
        drop(state);
        lost.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Failure {
    fn of(error: Error) -> Self {
        match error {
            Error::DeviceUnavailable(reason) => Failure::Unavailable(reason),
            Error::DeviceFailed(reason) => Failure::Failed(reason),
            other => Failure::Failed(other.to_string()),
        }
    }

    fn error(&self) -> Box<Error> {
        match self {
            Failure::Unavailable(reason) => Error::device_unavailable(reason.clone()),
            Failure::Failed(reason) => Error::device_failed(reason.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Log;
    use crate::opencl::CacheLocation;
    use crate::opencl::testing::{found_devices, open};
    use crate::testing::assert_error;

    #[test]
    fn a_lost_device_opens_anew_a_few_times() {
        for found in found_devices() {
            let slot = Slot::default();
            let get = || slot.get(|| Ok(open(found.clone(), &CacheLocation::Off, Log::default())));
            let first = get().unwrap();
            assert!(!slot.close_if_lost(&first, "a fault"), "it works");
            assert!(get().unwrap().is_view_of(&first));
            // A step between losses resets the count.
            for _ in 0..2 {
                slot.worked();
                for _ in 1..MOST_LOSSES {
                    let lost = get().unwrap();
                    lost.fail_after(0);
                    assert!(slot.close_if_lost(&lost, "a fault"));
                    assert!(!slot.close_if_lost(&lost, "a fault"), "noticed already");
                    assert!(!slot.is_known() && !get().unwrap().is_view_of(&lost));
                }
            }
            let last = get().unwrap();
            last.fail_after(0);
            assert!(slot.close_if_lost(&last, "a fault") && slot.is_known());
            assert_error!(get(), Error::DeviceFailed(_));
            assert_eq!(
                slot.problem().as_deref(),
                Some("was lost 3 times in a row, at last by: a fault")
            );
        }
    }

    #[test]
    fn a_lost_device_may_need_some_time() {
        for found in found_devices() {
            let slot = Slot::default();
            let open = || Ok(open(found.clone(), &CacheLocation::Off, Log::default()));
            let resets = || Err(Error::device_failed("the driver resets the device"));
            let lose = || {
                let lost = slot.get(open).unwrap();
                lost.fail_after(0);
                assert!(slot.close_if_lost(&lost, "a fault"));
            };
            lose();
            assert_error!(slot.get(resets), Error::DeviceFailed(_));
            assert!(!slot.is_known() && slot.get(open).is_ok());
            slot.worked();
            lose();
            for _ in 1..MOST_LOSSES {
                assert!(!slot.is_known());
                assert_error!(slot.get(resets), Error::DeviceFailed(_));
            }
            assert_error!(slot.get(open), Error::DeviceFailed(_));
            assert_eq!(slot.problem().as_deref(), Some("the driver resets the device"));
        }
    }

    #[test]
    fn a_device_that_never_opened_stays_closed() {
        let slot = Slot::default();
        let fails = || Err(Error::device_failed("no driver"));
        assert_error!(slot.get(fails), Error::DeviceFailed(_));
        assert!(slot.is_known());
        assert_error!(slot.get(|| panic!("asked again")), Error::DeviceFailed(_));
    }
}
