//! The programs of a family that most solves use.

use std::fmt;
use std::sync::Arc;

use super::device::Device;
use crate::Result;

/// Requests programs of a family by the code by which a solve requests them, and runs no kernel.
type RequestPrograms = dyn Fn(&Device) -> Result<()> + Send + Sync;

/// Programs that can be built before a solve needs them.
#[derive(Clone)]
pub(crate) struct Usual {
    family: &'static str,
    is_common: bool,
    request: Arc<RequestPrograms>,
}

impl Usual {
    /// Programs that solves with the default options use.
    pub(crate) fn new(
        family: &'static str,
        request: impl Fn(&Device) -> Result<()> + Send + Sync + 'static,
    ) -> Self {
        Usual { family, is_common: true, request: Arc::new(request) }
    }

    /// Programs that only some options need. They are built if the family is named.
    pub(crate) fn by_name(self) -> Self {
        Usual { is_common: false, ..self }
    }

    /// The kernel family.
    pub(crate) fn family(&self) -> &'static str {
        self.family
    }

    /// Whether solves with the default options use it.
    pub(crate) fn is_common(&self) -> bool {
        self.is_common
    }

    /// Requests the programs and waits for them as long as the view's patience lasts.
    pub(crate) fn request(&self, device: &Device) -> Result<()> {
        (self.request)(device)
    }
}

impl fmt::Debug for Usual {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.family)
    }
}
