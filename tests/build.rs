//! Lets the test programs find libtorch without an environment variable.

fn main() {
    let lib =
        std::env::var("DEP_GUARD_CORE_NATIVE_LIBTORCH_LIB").expect("guard-core prints its libtorch_lib");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{lib}");
    // Leaves the attributes out of what `make cost` compares.
    println!("cargo:rustc-check-cfg=cfg(plain)");
}
