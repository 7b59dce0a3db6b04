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
//!             use ::guard_core::__private::field_of_a_no_retain_type;
//!             field_of_a_no_retain_type::<Vec<T>>();
//!             field_of_a_no_retain_type::<usize>();
//!         }
//!     }
//! };
//! ```
//!
//! Every `Owner` is `GraphFree`, and every `Reader` is `ReadOnly`. The bounds stand in a body and not in a `where` clause,
//! where recursive types overflow (E0275).

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Field, Path, spanned::Spanned};

use crate::{args::Args, error::Errors, hatch, paths};

/// States the bound of a field; imported once, since a path for each field is most of what there is to compile.
const FUNCTION: &str = "field_of_a_no_retain_type";

/// The expansion of `#[no_retain(args)]` on a struct or enum, the hidden derive put before it; `None` for other items.
///
/// Only the start of the item is read: what is in it is left to the derive.
pub fn attribute(item: &TokenStream, args: &Args, errors: &mut Errors) -> Option<TokenStream> {
    let trees: Vec<TokenTree> = item.clone().into_iter().collect();
    let attributes = trees.chunks(2).take_while(|pair| is_attribute(pair)).count();
    if let [TokenTree::Group(whole)] = trees.as_slice()
        && whole.delimiter() == Delimiter::None
    {
        return attribute(&whole.stream(), args, errors); // `$item` of a `macro_rules!`
    }
    let (before, after) = trees.split_at(2 * attributes);
    if !is_type(after) {
        return None;
    }
    refuse_arguments(args, errors);
    Some(paths::rooted(args.root.as_ref(), || {
        let (owner, note) = (paths::owner(), paths::note());
        quote!(#(#before)* #[derive(#owner)] #note #(#after)*)
    }))
}

fn is_attribute(pair: &[TokenTree]) -> bool {
    matches!(pair, [TokenTree::Punct(hash), TokenTree::Group(_)] if hash.as_char() == '#')
}

/// Whether a struct or enum begins here, with its visibility; that of a `macro_rules!` is a group without delimiters.
fn is_type(trees: &[TokenTree]) -> bool {
    let first = trees.iter().find(|tree| match tree {
        TokenTree::Ident(ident) => *ident != "pub",
        TokenTree::Group(_) => false,
        _ => true,
    });
    matches!(first, Some(TokenTree::Ident(keyword)) if *keyword == "struct" || *keyword == "enum")
}

/// Owners take no arguments: a field is vouched for where it stands.
fn refuse_arguments(args: &Args, errors: &mut Errors) {
    if let Some(step) = &args.step {
        errors.add(step, "a type is no step: `step` goes on a function, `impl` block or `mod`");
    }
    if let Some(name) = args.vouched.first() {
        errors.add(name, "vouch for a field where it stands: `#[vouch(reason = \"...\")]` before the field");
    }
}

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
    let function = paths::check(FUNCTION, Span::call_site());
    let errors = errors.into_tokens();
    quote! {
        const _: () = {
            #[automatically_derived]
            impl #generics #reader for #name #arguments #bounds {}
            #[automatically_derived]
            impl #generics #owner for #name #arguments #bounds {
                #[allow(unused_qualifications)]
                fn fields() {
                    #[allow(unused_imports)]
                    use #function;
                    #checks
                }
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
    let span = Span::mixed_site().located_at(ty.span());
    let function = Ident::new(FUNCTION, span);
    quote_spanned!(span=> #function::<#ty>();)
}
