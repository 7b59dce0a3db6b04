// The file that `outer_mod.rs` names.
