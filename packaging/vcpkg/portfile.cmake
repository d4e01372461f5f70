# An overlay port, which builds the tree that it lies in: vcpkg install makespan --overlay-ports=packaging/vcpkg
# Needs cargo, and a shell: scripts/install.sh installs the files.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
find_program(CARGO cargo REQUIRED PATHS ENV HOME PATH_SUFFIXES .cargo/bin)
find_program(SHELL sh REQUIRED)

vcpkg_execute_required_process(
    COMMAND "${CMAKE_COMMAND}" -E env
        "CARGO_TARGET_DIR=${CURRENT_BUILDTREES_DIR}/target"
        "${SHELL}" "${SOURCE_PATH}/scripts/install.sh" --prefix "${CURRENT_PACKAGES_DIR}"
    WORKING_DIRECTORY "${SOURCE_PATH}"
    LOGNAME "install-${TARGET_TRIPLET}")

# A port has the shared library or the static one, by its triplet.
if(VCPKG_LIBRARY_LINKAGE STREQUAL "static")
    file(GLOB UNUSED "${CURRENT_PACKAGES_DIR}/lib/libmakespan.so*" "${CURRENT_PACKAGES_DIR}/lib/libmakespan*.dylib"
        "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/makespan.pc")
else()
    file(GLOB UNUSED "${CURRENT_PACKAGES_DIR}/lib/libmakespan.a"
        "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/makespan-static.pc")
endif()
file(REMOVE ${UNUSED})

# Programs for users, not for programs that link.
vcpkg_copy_tools(TOOL_NAMES makespan AUTO_CLEAN)
foreach(FOLDER man bash-completion zsh fish doc)
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/${FOLDER}")
endforeach()

# The library has no build for debugging: those programs get the same.
set(VCPKG_POLICY_MISMATCHED_NUMBER_OF_BINARIES enabled)
# The package of CMake finds its files relative to its folder, so that it stays there.
set(VCPKG_POLICY_SKIP_LIB_CMAKE_MERGE_CHECK enabled)
vcpkg_fixup_pkgconfig()
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE-MIT" "${SOURCE_PATH}/LICENSE-APACHE"
    "${SOURCE_PATH}/THIRD-PARTY-LICENSES.md")
