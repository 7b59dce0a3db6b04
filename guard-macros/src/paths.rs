//! Every path into guard-core that expanded code names, once.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

/// `::guard_core::GraphFree`.
pub fn graph_free() -> TokenStream {
    quote!(::guard_core::GraphFree)
}

/// `::guard_core::ReadOnly`.
pub fn read_only() -> TokenStream {
    quote!(::guard_core::ReadOnly)
}

/// `::guard_core::Detach`.
pub fn detach() -> TokenStream {
    quote!(::guard_core::Detach)
}

/// `tch::Tensor`, also where the user's crate does not depend on tch.
pub fn tensor() -> TokenStream {
    quote!(::guard_core::__private::Tensor)
}

/// The hidden derive and the hidden trait of the same name.
pub fn owner() -> TokenStream {
    quote!(::guard_core::__private::Owner)
}

/// A function of `::guard_core::__private`, located at `span` and resolved where the macro is defined.
pub fn check(name: &str, span: Span) -> TokenStream {
    let span = Span::mixed_site().located_at(span);
    let name = Ident::new(name, span);
    quote_spanned!(span=> ::guard_core::__private::#name)
}
