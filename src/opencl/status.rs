//! OpenCL's error codes in words.

use cl3::error_codes::{cl_int, error_text};

use crate::Error;

/// `clFinish: CL_OUT_OF_RESOURCES (-5)`; `call` may name the object after the function.
pub(super) fn describe(call: &str, code: cl_int) -> String {
    format!("{call}: {} ({code})", error_text(code))
}

/// The driver's refusal as the library's error.
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
