//! Compiles `native/` against the libtorch that torch-sys found and tells dependents where that is.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const SOURCES: [&str; 2] = ["native/memory.cpp", "native/graph.cpp"];

fn main() {
    let lib =
        PathBuf::from(std::env::var("DEP_TCH_LIBTORCH_LIB").expect("torch-sys prints its libtorch_lib"));
    compile(&lib);
    link(&lib);
    println!("cargo:libtorch_lib={}", lib.display());
    // Our own tests and examples; every dependent with a binary prints this line for itself.
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", lib.display());
}

fn compile(lib: &Path) {
    for source in SOURCES {
        println!("cargo:rerun-if-changed={source}");
    }
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .warnings(false)
        .include(include_dir(lib))
        .files(SOURCES)
        .compile("guard_core_native");
}

fn include_dir(lib: &Path) -> PathBuf {
    println!("cargo:rerun-if-env-changed=LIBTORCH_INCLUDE");
    let home = std::env::var_os("LIBTORCH_INCLUDE").map(PathBuf::from);
    home.unwrap_or_else(|| lib.parent().expect("a lib folder has a parent").to_owned()).join("include")
}

/// Doc tests get no link arguments, so no rpath. But for `cargo test` and `cargo run` cargo puts those library
/// search folders that lie under `target/` on the loader's path, in dependents too: a link there is enough.
fn link(lib: &Path) {
    let alias = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("lib");
    if std::fs::read_link(&alias).ok().as_deref() != Some(lib) {
        let _ = std::fs::remove_file(&alias);
        symlink(lib, &alias)
            .unwrap_or_else(|error| panic!("link {} to {}: {error}", alias.display(), lib.display()));
    }
    println!("cargo:rustc-link-search=native={}", alias.display());
    println!("cargo:rustc-link-lib=c10");
    println!("cargo:rustc-link-lib=torch_cpu");
}
