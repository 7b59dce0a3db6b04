use crate::{GraphFree, ReadOnly};
use std::ops::{Deref, DerefMut};

/// A value that its author vouches for, with a reason: [`GraphFree`] on their word, where the compiler cannot know.
///
/// For values of foreign types that keep no graph. Every use is found by `grep Vouched::new`.
///
/// ```
/// use guard_core::Vouched;
///
/// let start = Vouched::new(std::time::Instant::now(), "a clock reading");
/// assert!(start.elapsed().as_secs() < 60);
/// assert_eq!(start.reason(), "a clock reading");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Vouched<T> {
    value: T,
    reason: &'static str,
}

#[diagnostic::do_not_recommend]
impl<T> ReadOnly for Vouched<T> {}
#[diagnostic::do_not_recommend]
impl<T> GraphFree for Vouched<T> {}

impl<T> Vouched<T> {
    /// Vouches for `value`.
    ///
    /// # Panics
    /// When `reason` is empty; in a `const` that is a compile error.
    #[track_caller]
    pub const fn new(value: T, reason: &'static str) -> Self {
        assert!(
            !reason.trim_ascii().is_empty(),
            "`Vouched::new` needs a reason: say why this value keeps no graph"
        );
        Self { value, reason }
    }

    /// Why the value keeps no graph.
    pub const fn reason(&self) -> &'static str {
        self.reason
    }

    /// The value itself.
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Vouched<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Vouched<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}
