//! Upper bounds that runs of units share.

use crate::capi::handle::{self, Handle, get};
use crate::capi::status::mks_status;
use crate::flow_shop::units::UpperBound;

/// An upper bound that runs of units share, such as all those of a process. Any thread may lower it
/// at any time, also during runs. Its functions may be called in callbacks, but not in signal
/// handlers. Free it after its other calls have returned.
pub struct mks_flow_shop_upper_bound {
    pub(super) bound: UpperBound,
}

impl Handle for mks_flow_shop_upper_bound {
    const NAME: &'static str = "mks_flow_shop_upper_bound";
    const ARGUMENT: &'static str = "upper_bound";
}

/// Creates an upper bound that excludes nothing.
#[unsafe(no_mangle)]
#[must_use]
pub unsafe extern "C" fn mks_flow_shop_upper_bound_create(
    upper_bound: *mut *mut mks_flow_shop_upper_bound,
) -> mks_status {
    let build = || Ok(mks_flow_shop_upper_bound { bound: UpperBound::new() });
    // SAFETY: the header demands a valid pointer or NULL.
    unsafe { handle::make(upper_bound, build) }
}

/// Lowers the bound to the makespan of a schedule that is known elsewhere: runs look only for
/// shorter ones. A higher number changes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_upper_bound_lower(
    upper_bound: *const mks_flow_shop_upper_bound,
    makespan: u64,
) -> mks_status {
    crate::capi::guard::guard(|| {
        // SAFETY: the header demands a valid handle or NULL.
        unsafe { mks_flow_shop_upper_bound::borrow(upper_bound) }?.bound.lower(makespan);
        Ok(())
    })
}

/// Sets *makespan to the bound, or to UINT64_MAX if there is none yet. Runs lower it when they find
/// a shorter schedule.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_upper_bound_get(
    upper_bound: *const mks_flow_shop_upper_bound,
    makespan: *mut u64,
) -> mks_status {
    let value = |handle: &mks_flow_shop_upper_bound| Ok(handle.bound.get().unwrap_or(u64::MAX));
    // SAFETY: the header demands valid pointers or NULL.
    unsafe { get(upper_bound, makespan, "makespan", value) }
}

/// Frees an upper bound. Runs that use it continue with its last value.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mks_flow_shop_upper_bound_free(
    upper_bound: *mut mks_flow_shop_upper_bound,
) {
    // SAFETY: the header demands a valid handle, which ends here, or NULL.
    unsafe { mks_flow_shop_upper_bound::free(upper_bound) };
}
