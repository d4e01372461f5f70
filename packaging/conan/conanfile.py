"""Builds the tree that this file lies in: conan create packaging/conan"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.files import copy, load

# The tree is two folders above.
ROOT = os.path.join("..", "..")


class MakespanConan(ConanFile):
    name = "makespan"
    description = "Production scheduling and the dynamic programs behind it, with proved bounds"
    license = "MIT OR Apache-2.0"
    topics = ("scheduling", "makespan", "opencl", "dynamic-programming", "optimization")
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": True}
    package_type = "library"
    no_copy_source = True

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, ROOT, "include", "makespan.h"))
        self.version = re.search(r'#define MKS_VERSION_STRING "(.*)"', header).group(1)

    def export_sources(self):
        for pattern in ("Cargo.*", "build.rs", "LICENSE-*", "THIRD-PARTY-LICENSES.md", "README.md", "cbindgen.toml"):
            copy(self, pattern, os.path.join(self.recipe_folder, ROOT), self.export_sources_folder, excludes="*/*")
        for folder in ("src", "cl", "include", "bindings", "benches", "examples", "scripts"):
            tree = os.path.join(self.recipe_folder, ROOT)
            copy(self, f"{folder}/*", tree, self.export_sources_folder)

    def validate(self):
        if self.settings.os not in ("Linux", "Macos"):
            raise ConanInvalidConfiguration("the recipe builds on Linux and macOS only")

    def configure(self):
        # The library has no C++ in it: one binary serves all compilers' libraries and standards.
        self.settings.rm_safe("compiler.cppstd")
        self.settings.rm_safe("compiler.libcxx")

    def package_id(self):
        # Cargo builds for releases always.
        self.info.settings.rm_safe("build_type")
        self.info.settings.rm_safe("compiler")

    @property
    def _installed(self):
        return os.path.join(self.build_folder, "installed")

    @staticmethod
    def _static_pc(folder):
        return os.path.join(folder, "lib", "pkgconfig", "makespan-static.pc")

    def build(self):
        target = os.environ.get("CARGO_TARGET_DIR", os.path.join(self.build_folder, "target"))
        script = os.path.join(self.source_folder, "scripts", "install.sh")
        self.run(f'CARGO_TARGET_DIR="{target}" "{script}" --prefix "{self._installed}"')

    def package(self):
        # Conan writes the files for CMake itself, and those for pkg-config.
        for folder in ("include", "bin"):
            copy(self, "*", os.path.join(self._installed, folder), os.path.join(self.package_folder, folder))
        for pattern in ("*.so*", "*.dylib") if self.options.shared else ("*.a",):
            copy(self, pattern, os.path.join(self._installed, "lib"), os.path.join(self.package_folder, "lib"))
        if not self.options.shared:
            copy(self, "makespan-static.pc", os.path.dirname(self._static_pc(self._installed)),
                 os.path.dirname(self._static_pc(self.package_folder)))
        copy(self, "*LICENSE*", self.source_folder, os.path.join(self.package_folder, "licenses"), excludes="*/*")

    def package_info(self):
        self.cpp_info.libs = ["makespan"]
        self.cpp_info.set_property("cmake_file_name", "makespan")
        self.cpp_info.set_property("cmake_target_name", "makespan::makespan" if self.options.shared else "makespan::static")
        self.cpp_info.set_property("pkg_config_name", "makespan" if self.options.shared else "makespan-static")
        if not self.options.shared:
            # The compiler named the system libraries when it built the static library.
            text = load(self, self._static_pc(self.package_folder))
            words = re.search(r"^Libs: \S+ (.*)$", text, re.MULTILINE).group(1).split()
            self.cpp_info.system_libs = [word[2:] for word in words if word.startswith("-l")]
            self.cpp_info.frameworks = [name for flag, name in zip(words, words[1:]) if flag == "-framework"]
