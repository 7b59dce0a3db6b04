//! Compiles `native/`, and lets the binary and the tests find libtorch without an environment variable.

use std::path::{Path, PathBuf};

const SOURCES: [&str; 2] = ["native/amp.cpp", "native/optim.cpp"];
const HEADER: &str = "native/handles.h";

fn main() {
    let lib =
        std::env::var("DEP_GUARD_CORE_NATIVE_LIBTORCH_LIB").expect("guard-core prints its libtorch_lib");
    compile(Path::new(&lib));
    println!("cargo:rustc-link-arg=-Wl,-rpath,{lib}");
}

fn compile(lib: &Path) {
    for source in SOURCES.iter().chain([&HEADER]) {
        println!("cargo:rerun-if-changed={source}");
    }
    println!("cargo:rerun-if-env-changed=LIBTORCH_INCLUDE");
    let home = std::env::var_os("LIBTORCH_INCLUDE").map(PathBuf::from);
    let home = home.unwrap_or_else(|| lib.parent().expect("a lib folder has a parent").to_owned());
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .warnings(false)
        .includes([home.join("include"), home.join("include/torch/csrc/api/include")])
        .files(SOURCES)
        .compile("trainer_native");
    println!("cargo:rustc-link-search=native={}", lib.display());
    for name in ["torch_cpu", "c10"] {
        println!("cargo:rustc-link-lib={name}");
    }
}
