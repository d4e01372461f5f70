use crate::opencl::Patience;
use crate::solve::Monitor;

/// Waits for programs until the solve has to end, and reports progress meanwhile.
pub(super) struct Watching(pub(super) Monitor);

impl Patience for Watching {
    fn lasts(&self) -> bool {
        self.0.report("kernels", None);
        !self.0.should_stop()
    }
}
