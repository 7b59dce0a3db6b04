//! A crate that hands guard-core on under a path of its own, as a framework would.

/// What the framework hands on.
pub mod prelude {
    pub use shield as guard;
}

/// Declares a meter: a macro whose users need not know guard-core.
#[macro_export]
macro_rules! meter {
    ($name:ident) => {
        #[$crate::prelude::guard::no_retain(crate = $crate::prelude::guard)]
        #[derive(Default)]
        pub struct $name {
            pub total: f64,
        }

        #[$crate::prelude::guard::no_retain(crate = $crate::prelude::guard)]
        impl $name {
            pub fn add(&mut self, values: &[f64]) {
                for value in values {
                    self.total += value;
                }
            }
        }
    };
}
