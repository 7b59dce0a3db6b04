//! Every path into guard-core that expanded code names, once.
//!
//! All start at `::guard_core`, or at what `crate = my::guard` names. That root is set once for an expansion, because
//! what needs it sits at the leaves of the walk over a function, and nothing between depends on it.

use std::cell::RefCell;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote};
use syn::{Path, Token};

thread_local! {
    static ROOT: RefCell<Option<Path>> = const { RefCell::new(None) };
}

/// Runs `expand` with every path starting at `root` instead of at `::guard_core`.
pub fn rooted<T>(root: Option<&Path>, expand: impl FnOnce() -> T) -> T {
    let _unset = Unset(ROOT.replace(root.cloned()));
    expand()
}

/// Puts the outer root back, also when an expansion panics: tokens of an ended expansion may not be used again.
struct Unset(Option<Path>);

impl Drop for Unset {
    fn drop(&mut self) {
        ROOT.set(self.0.take());
    }
}

/// The root, shown in errors at `span` and resolved where it was written.
fn root(span: Span) -> TokenStream {
    let mut tokens = TokenStream::new();
    append_root(&mut tokens, span);
    tokens
}

fn append_root(tokens: &mut TokenStream, span: Span) {
    ROOT.with_borrow(|root| match root {
        Some(root) => {
            tokens.extend(root.to_token_stream().into_iter().map(|tree| located(tree, span)));
        }
        None => {
            Token![::](span).to_tokens(tokens);
            tokens.append(Ident::new("guard_core", span));
        }
    });
}

fn located(mut tree: TokenTree, span: Span) -> TokenTree {
    tree.set_span(tree.span().located_at(span));
    tree
}

/// `::guard_core::GraphFree`.
pub fn graph_free() -> TokenStream {
    let root = root(Span::call_site());
    quote!(#root::GraphFree)
}

/// `::guard_core::Detach`.
pub fn detach() -> TokenStream {
    let root = root(Span::call_site());
    quote!(#root::Detach)
}

/// `tch::Tensor`, also where the user's crate does not depend on tch.
pub fn tensor() -> TokenStream {
    let root = root(Span::call_site());
    quote!(#root::__private::Tensor)
}

/// The hidden derive and the hidden trait of the same name.
pub fn owner() -> TokenStream {
    let root = root(Span::call_site());
    quote!(#root::__private::Owner)
}

/// The hidden trait that makes a type `ReadOnly`.
pub fn reader() -> TokenStream {
    let root = root(Span::call_site());
    quote!(#root::__private::Reader)
}

/// `#[guard_crate(my::guard)]`, by which the hidden derive learns a root other than `::guard_core`.
pub fn note() -> Option<syn::Attribute> {
    ROOT.with_borrow(|root| root.as_ref().map(|root| syn::parse_quote!(#[guard_crate(#root)])))
}

/// A function of `::guard_core::__private`, located at `span` and resolved where the macro is defined.
pub fn check(name: &str, span: Span) -> TokenStream {
    let mut tokens = TokenStream::new();
    append_check(&mut tokens, name, span);
    tokens
}

/// Appends the path that [`check`] returns: what a loop is checked by are many small calls, and each copy takes time.
pub fn append_check(tokens: &mut TokenStream, name: &str, span: Span) {
    let span = Span::mixed_site().located_at(span);
    append_root(tokens, span);
    for part in ["__private", name] {
        Token![::](span).to_tokens(tokens);
        tokens.append(Ident::new(part, span));
    }
}
