//! The inputs of a program's build.

use std::ffi::CStr;
use std::fmt::Write as _;

use super::arguments::PARTS_AT;
#[cfg(test)]
use super::arguments::{Arguments, Declaration};
use super::cache::Key;
use super::discovery::FoundDevice;
use super::source::{Source, source};
use super::trial::SelfTest;
use super::tuning::{Defines, Tunable, Tuning};

pub(super) const OPTIONS: &CStr = c"-cl-std=CL1.2";

/// What all programs begin with.
pub(crate) const GROUP_MEMORY: Source = source!("group_memory.cl");

/// Kernels that are built together, and their tunables.
pub(crate) struct KernelFamily {
    /// Short name, for messages.
    pub(crate) name: &'static str,
    /// OpenCL C 1.2, compiled as one text in this order.
    pub(crate) sources: &'static [Source],
    /// Their arguments, all that are launched.
    #[cfg(test)]
    pub(crate) kernels: &'static [Declaration],
    /// Numbers that host and kernels share.
    pub(crate) constants: &'static [(&'static str, u64)],
    /// Defines with values from tuning rows.
    pub(crate) tuning: &'static [Tunable],
    /// Compares the kernels of a program with the CPU before its first use.
    pub(crate) self_test: SelfTest,
}

/// The user's OpenCL C, which a family's sources call.
#[derive(Clone, Copy)]
pub(crate) struct UserText<'a> {
    /// The argument that contained the text, for messages.
    pub(crate) argument: &'static str,
    /// Whole lines before the text, which are not the user's.
    pub(crate) before: &'a str,
    pub(crate) text: &'a str,
}

/// Everything that the binary of a program depends on.
pub(super) struct Recipe {
    pub(super) family: &'static str,
    pub(super) defines: Defines,
    pub(super) source: String,
    pub(super) self_test: SelfTest,
    user: Option<UserPart>,
    pub(super) key: Key,
    #[cfg(test)]
    kernels: &'static [Declaration],
}

/// The byte range of the user's text in the source.
#[derive(Clone, Copy)]
struct UserPart {
    /// The argument that contained the text.
    argument: &'static str,
    begin: usize,
    end: usize,
}

impl Recipe {
    /// The recipe of the family for `device`, after the user's text. `defines` override the tuning
    /// rows.
    pub(super) fn new(
        family: &KernelFamily,
        defines: &[(&'static str, u64)],
        user: Option<UserText<'_>>,
        tuning: &Tuning,
        device: &FoundDevice,
    ) -> Recipe {
        let info = &device.info;
        let mut values = tuning.values(family, info);
        values.extend(device.quirks.inline_ptx.then_some(("INLINE_PTX", 1)));
        let has_local_memory = u64::from(info.has_local_memory());
        values.extend([("LOCAL_MEMORY", has_local_memory), ("PARTS_AT", PARTS_AT as u64)]);
        values.extend(family.constants.iter().chain(defines).copied());
        let source = source_text(family, &values, user.as_ref());
        let key = Key::of(&[
            &source,
            &OPTIONS.to_string_lossy(),
            &info.name,
            &info.device_version,
            &info.driver_version,
            &info.platform,
            &info.platform_version,
        ]);
        let user = user.map(|UserText { argument, before, text }| UserPart {
            argument,
            begin: before.len(),
            end: before.len() + text.len(),
        });
        Recipe {
            family: family.name,
            defines: values,
            source,
            self_test: family.self_test,
            user,
            key,
            #[cfg(test)]
            kernels: family.kernels,
        }
    }

    /// Expects the family to name the arguments, so that they are compared with the sources.
    #[cfg(test)]
    pub(super) fn check_declared<A: Arguments>(&self) {
        let declared = |known: &Declaration| {
            known.kernel == A::KERNEL && (known.forms)() == A::forms("", None)
        };
        assert!(self.kernels.iter().any(declared), "{} has no {}", self.family, A::KERNEL);
    }

    /// The user's part of the source.
    pub(super) fn user_text(&self) -> Option<UserText<'_>> {
        self.user.map(|UserPart { argument, begin, end }| UserText {
            argument,
            before: &self.source[..begin],
            text: &self.source[begin..end],
        })
    }
}

/// The user's text, the defines, then the sources. Line numbers restart in each source, so that
/// compiler messages match the files. Some compilers ignore `#line`; therefore the user's text
/// comes first.
fn source_text(family: &KernelFamily, defines: &Defines, user: Option<&UserText<'_>>) -> String {
    let mut text = String::new();
    if let Some(user) = user {
        text.push_str(user.before);
        text.push_str(user.text);
        // Closes a comment that the user left open, so that it does not extend into the sources.
        text.push_str("\n/**/\n");
    }
    for (name, value) in defines {
        // C has no decimal constants above the signed range without a suffix.
        let suffix = if *value > i64::MAX as u64 { "UL" } else { "" };
        // Writing to a string never fails.
        let _ = writeln!(text, "#define {name} {value}{suffix}");
    }
    text.push_str(&GROUP_MEMORY.text());
    for (number, source) in family.sources.iter().enumerate() {
        let _ = writeln!(text, "#line 1 \"{}[{number}]\"", family.name);
        text.push_str(&source.text());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::UNTESTED;

    #[test]
    fn the_text_is_defines_and_sources() {
        let defines = Defines::from([("WGS", 64), ("INFINITY_COST", u64::MAX), ("A", 1 << 40)]);
        let family = KernelFamily {
            name: "f",
            sources: &[Source::Text("one"), Source::Text("two")],
            kernels: &[],
            constants: &[],
            tuning: &[],
            self_test: UNTESTED,
        };
        let expected = "#define A 1099511627776\n#define INFINITY_COST 18446744073709551615UL\n#define WGS 64\n\
                        MEMORY#line 1 \"f[0]\"\none\n#line 1 \"f[1]\"\ntwo\n";
        let expected = expected.replace("MEMORY", &GROUP_MEMORY.text());
        assert_eq!(source_text(&family, &defines, None), expected);
        let user = UserText { argument: "argument", before: "first\n", text: "mine" };
        assert_eq!(
            source_text(&family, &defines, Some(&user)),
            format!("first\nmine\n/**/\n{expected}")
        );
    }
}
