//! OpenCL's error codes as text.

use cl3::error_codes::{cl_int, error_text};

use crate::Error;

/// Formats `clFinish: CL_OUT_OF_RESOURCES (-5)`; `call` may name an object after the function.
pub(super) fn describe(call: &str, code: cl_int) -> String {
    format!("{call}: {} ({code})", error_text(code))
}

/// Converts the driver's error code to the library's error.
pub(super) fn failed(call: &str, code: cl_int) -> Box<Error> {
    Error::device_failed(describe(call, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_name_and_number() {
        let text = failed("clEnqueueNDRangeKernel relax", -5).to_string();
        assert_eq!(
            text,
            "OpenCL device failed: clEnqueueNDRangeKernel relax: CL_OUT_OF_RESOURCES (-5)"
        );
        assert!(describe("clFinish", -9999).contains("(-9999)"));
    }
}
