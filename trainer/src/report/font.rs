//! The embedded font of every picture, so that no system font is needed.

use std::sync::LazyLock;

use ab_glyph::FontRef;
use epaint_default_fonts::UBUNTU_LIGHT;

/// Ubuntu Light, under the Ubuntu font licence.
pub(super) static FONT: LazyLock<FontRef<'static>> =
    LazyLock::new(|| FontRef::try_from_slice(UBUNTU_LIGHT).expect("the embedded font is a TrueType font"));
