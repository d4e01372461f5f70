//! The `makespan` command. All of it is in the library of this package, which `makespan-mpi` uses, too.

fn main() {
    makespan_cli::main();
}
