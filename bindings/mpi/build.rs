//! Sets `ulfm` if the MPI has calls by which ranks survive the loss of others.
//!
//! MPICH also declares them. But with the device `ch4`, as Debian builds it, they end the process.

fn main() {
    println!("cargo:rustc-check-cfg=cfg(ulfm)");
    println!("cargo:rerun-if-changed=build.rs");
    for name in ["MPICC", "MPI_PKG_CONFIG", "CRAY_MPICH_DIR", "PATH"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    #[cfg(feature = "mpi")]
    if has_ulfm() {
        println!("cargo:rustc-cfg=ulfm");
    }
}

/// Asks the headers of the MPI that the crate `mpi` finds.
#[cfg(feature = "mpi")]
fn has_ulfm() -> bool {
    use std::path::Path;
    use std::process::Command;

    const PROGRAM: &str = "
        #include <mpi.h>
        #ifdef OPEN_MPI
        #include <mpi-ext.h>
        #endif
        #ifndef OMPI_HAVE_MPI_EXT_FTMPI
        #error none
        #endif
    ";
    let Ok(found) = build_probe_mpi::probe() else { return false };
    let Some(folder) = std::env::var_os("OUT_DIR") else { return false };
    let file = Path::new(&folder).join("ulfm.c");
    if std::fs::write(&file, PROGRAM).is_err() {
        return false;
    }
    let mut compiler = Command::new(found.mpicc.as_deref().unwrap_or("cc"));
    for include in &found.include_paths {
        compiler.arg("-I").arg(include);
    }
    compiler.args(["-fsyntax-only".as_ref(), file.as_os_str()]);
    compiler.output().is_ok_and(|output| output.status.success())
}
