//! How much memory the system has left for this process.

/// Bytes that the process can still take: what the machine has free, or less where the container or
/// a limit of the process leaves less. `None` where the system does not say.
pub(crate) fn available() -> Option<u64> {
    system::available()
}

/// Bytes of address space that the limits of the process leave; `None` where there are no limits.
pub(crate) fn address_space() -> Option<u64> {
    system::address_space()
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::path::{Path, PathBuf};

    use rustix::process::{Resource, getrlimit};

    pub(super) fn available() -> Option<u64> {
        Root(Path::new("/")).available(address_space())
    }

    pub(super) fn address_space() -> Option<u64> {
        // Two calls where there are no limits, as on most systems, instead of two files.
        let has_limit = |resource| getrlimit(resource).current.is_some();
        match has_limit(Resource::As) || has_limit(Resource::Data) {
            true => Root(Path::new("/")).address_space(),
            false => None,
        }
    }

    /// The files of a system; tests have some of their own.
    pub(super) struct Root<'p>(pub(super) &'p Path);

    /// Where a version of control groups keeps its numbers.
    struct Version {
        /// What precedes the group's name in a line of /proc/self/cgroup, behind the number of the
        /// hierarchy.
        controllers: &'static str,
        mounts: &'static [&'static str],
        limits: &'static [&'static str],
        used: &'static str,
        /// What the kernel may take back of what is used, in memory.stat.
        reclaimable: &'static str,
    }

    const VERSIONS: [Version; 2] = [
        Version {
            controllers: "",
            mounts: &["sys/fs/cgroup", "sys/fs/cgroup/unified"],
            limits: &["memory.max", "memory.high"],
            used: "memory.current",
            reclaimable: "inactive_file ",
        },
        Version {
            controllers: "memory",
            mounts: &["sys/fs/cgroup/memory"],
            limits: &["memory.limit_in_bytes"],
            used: "memory.usage_in_bytes",
            reclaimable: "total_inactive_file ",
        },
    ];

    impl Root<'_> {
        /// What the machine and the control groups leave, within this address space.
        pub(super) fn available(&self, address_space: Option<u64>) -> Option<u64> {
            let groups = VERSIONS.iter().filter_map(|version| self.group(version));
            [self.machine(), address_space].into_iter().flatten().chain(groups).min()
        }

        /// What the limits of the process, those of `ulimit -v` and `ulimit -d`, leave.
        pub(super) fn address_space(&self) -> Option<u64> {
            let (limits, status) = (self.text("proc/self/limits")?, self.text("proc/self/status")?);
            let left = |limit: &str, used: &str| -> Option<u64> {
                let line = limits.lines().find_map(|line| line.strip_prefix(limit))?;
                let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
                Some(limit.saturating_sub(kibibytes(&status, used)?))
            };
            let space = left("Max address space", "VmSize:");
            space.into_iter().chain(left("Max data size", "VmData:")).min()
        }

        /// Free memory by the kernel's own estimate.
        fn machine(&self) -> Option<u64> {
            kibibytes(&self.text("proc/meminfo")?, "MemAvailable:")
        }

        /// What the process's control group and those above it leave.
        fn group(&self, version: &Version) -> Option<u64> {
            let groups = self.text("proc/self/cgroup")?;
            let name = groups.lines().find_map(|line| {
                let mut parts = line.splitn(3, ':').skip(1);
                let controllers = parts.next()?;
                controllers
                    .split(',')
                    .any(|one| one == version.controllers)
                    .then_some(parts.next()?)
            })?;
            let left = version.mounts.iter().flat_map(|mount| {
                let mount = self.0.join(mount);
                // A container may see the names of the host, and at the mount its own group.
                let group = mount.join(name.trim_start_matches('/'));
                let groups: Vec<PathBuf> = group.ancestors().map(Path::to_owned).collect();
                groups.into_iter().take_while(move |group| group.starts_with(&mount))
            });
            left.filter_map(|folder| left_in(&folder, version)).min()
        }

        fn text(&self, path: &str) -> Option<String> {
            fs::read_to_string(self.0.join(path)).ok()
        }
    }

    fn left_in(folder: &Path, version: &Version) -> Option<u64> {
        let text = |name: &str| fs::read_to_string(folder.join(name)).ok();
        let number = |name: &&str| -> Option<u64> { text(name)?.trim().parse().ok() };
        let limit = version.limits.iter().filter_map(number).min()?;
        let reclaimable = text("memory.stat").and_then(|stat| {
            stat.lines()
                .find_map(|line| line.strip_prefix(version.reclaimable))?
                .trim()
                .parse()
                .ok()
        });
        let used = number(&version.used)?.saturating_sub(reclaimable.unwrap_or(0));
        Some(limit.saturating_sub(used))
    }

    /// The bytes behind a name in a list of lines like `VmSize:  1234 kB`.
    fn kibibytes(text: &str, name: &str) -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        let number: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
        number.checked_mul(1024)
    }
}

#[cfg(any(windows, target_os = "macos"))]
mod system {
    use sysinfo::{MemoryRefreshKind, RefreshKind, System};

    pub(super) fn available() -> Option<u64> {
        let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
        Some(System::new_with_specifics(memory).available_memory()).filter(|&bytes| bytes > 0)
    }

    pub(super) fn address_space() -> Option<u64> {
        None
    }
}

#[cfg(not(any(target_os = "linux", windows, target_os = "macos")))]
mod system {
    pub(super) fn available() -> Option<u64> {
        None
    }

    pub(super) fn address_space() -> Option<u64> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::system::Root;

    const MACHINE: (&str, &str) = ("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 1000 kB\n");

    fn with_files<T>(files: &[(&str, &str)], look: impl FnOnce(&Root<'_>) -> T) -> T {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        look(&Root(folder.path()))
    }

    fn available(files: &[(&str, &str)]) -> Option<u64> {
        with_files(files, |root| root.available(root.address_space()))
    }

    #[test]
    fn this_system_says_something() {
        assert!(super::available().is_some_and(|bytes| bytes > 1 << 20));
    }

    #[test]
    fn the_machine_alone() {
        assert_eq!(available(&[]), None);
        assert_eq!(available(&[MACHINE]), Some(1000 << 10));
    }

    #[test]
    fn limits_of_the_process_leave_what_it_does_not_use() {
        let status = ("proc/self/status", "Name: x\nVmSize:\t     100 kB\nVmData:\t      30 kB\n");
        let with = |limits: &str| {
            with_files(&[MACHINE, ("proc/self/limits", limits), status], |root| {
                (root.available(root.address_space()), root.address_space())
            })
        };
        let none =
            "Max data size             unlimited            unlimited            bytes     \n";
        assert_eq!(with(none), (Some(1000 << 10), None));
        let space =
            "Max address space         512000               unlimited            bytes     \n";
        assert_eq!(with(space), (Some(400 << 10), Some(400 << 10)));
        let data =
            "Max data size             51200                unlimited            bytes     \n";
        assert_eq!(with(&format!("{space}{data}")), (Some(20 << 10), Some(20 << 10)));
        let used_up =
            "Max address space         1024                 1024                 bytes     \n";
        assert_eq!(with(used_up), (Some(0), Some(0)));
    }

    #[test]
    fn the_tightest_group_of_version_2_counts() {
        let group = ("proc/self/cgroup", "0::/outer/inner\n");
        let files = [
            MACHINE,
            group,
            ("sys/fs/cgroup/outer/memory.max", "max\n"),
            ("sys/fs/cgroup/outer/memory.high", "500000\n"),
            ("sys/fs/cgroup/outer/memory.current", "300000\n"),
            ("sys/fs/cgroup/outer/memory.stat", "anon 5\ninactive_file 100000\n"),
            ("sys/fs/cgroup/outer/inner/memory.max", "900000\n"),
            ("sys/fs/cgroup/outer/inner/memory.current", "100000\n"),
        ];
        assert_eq!(available(&files), Some(300_000));
        assert_eq!(available(&files[..2]), Some(1000 << 10));
        // A container that has a name on the host, and is the root at its own mount.
        let root =
            [("sys/fs/cgroup/memory.max", "70000"), ("sys/fs/cgroup/memory.current", "20000")];
        assert_eq!(available(&[MACHINE, group, root[0], root[1]]), Some(50_000));
    }

    #[test]
    fn groups_of_version_1() {
        let files = [
            MACHINE,
            ("proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory:/a/b\n"),
            ("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/a/b/memory.usage_in_bytes", "1000\n"),
            ("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "600000\n"),
            ("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "500000\n"),
            ("sys/fs/cgroup/memory/a/memory.stat", "inactive_file 7\ntotal_inactive_file 50000\n"),
        ];
        assert_eq!(available(&files), Some(150_000));
    }
}
