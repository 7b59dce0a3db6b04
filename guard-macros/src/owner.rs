//! Rule 1: every field of an owner must be `GraphFree`.
//!
//! The attribute only adds the hidden derive; the derive sees the item after `#[cfg]` has removed fields. It expands
//!
//! ```text
//! #[no_retain]
//! struct Meter<T: GraphFree> { history: Vec<T>, step: usize }
//! ```
//!
//! to the item and
//!
//! ```text
//! const _: () = {
//!     impl<T: GraphFree> Reader for Meter<T> {}
//!     impl<T: GraphFree> Owner for Meter<T> {
//!         fn fields() {
//!             field_of_a_no_retain_type::<Vec<T>>();
//!             field_of_a_no_retain_type::<usize>();
//!         }
//!     }
//! };
//! ```
//!
//! Every `Owner` is `GraphFree`, and every `Reader` is `ReadOnly`. The bounds stand in a body and not in a `where` clause,
//! where recursive types overflow (E0275).

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Field, Path, spanned::Spanned};

use crate::{error::Errors, hatch, paths};

/// The expansion of the hidden derive.
pub fn derive(input: &DeriveInput) -> TokenStream {
    paths::rooted(root(input).as_ref(), || expand(input))
}

/// The path in `#[guard_crate(my::guard)]`, which the attribute leaves.
fn root(input: &DeriveInput) -> Option<Path> {
    let note = input.attrs.iter().find(|attr| hatch::is(attr, "guard_crate"))?;
    note.parse_args_with(Path::parse_mod_style).ok()
}

fn expand(input: &DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let checks: TokenStream =
        fields(&input.data).into_iter().map(|field| check(field, &mut errors)).collect();
    let (name, (generics, arguments, bounds)) = (&input.ident, input.generics.split_for_impl());
    let (reader, owner) = (paths::reader(), paths::owner());
    let errors = errors.into_tokens();
    quote! {
        const _: () = {
            #[automatically_derived]
            impl #generics #reader for #name #arguments #bounds {}
            #[automatically_derived]
            impl #generics #owner for #name #arguments #bounds {
                #[allow(unused_qualifications)]
                fn fields() { #checks }
            }
        };
        #errors
    }
}

fn fields(data: &Data) -> Vec<&Field> {
    match data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        Data::Union(_) => Vec::new(),
    }
}

/// A field is checked by its type, unless its author vouches for it.
fn check(field: &Field, errors: &mut Errors) -> TokenStream {
    if let Some(vouch) = field.attrs.iter().find(|attr| hatch::is(attr, "vouch")) {
        errors.take(hatch::check(vouch));
        return TokenStream::new();
    }
    let ty = &field.ty;
    let function = paths::check("field_of_a_no_retain_type", ty.span());
    quote_spanned!(Span::mixed_site().located_at(ty.span())=> #function::<#ty>();)
}
