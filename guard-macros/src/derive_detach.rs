//! `#[derive(Detach)]`: maps every tensor of every field.
//!
//! ```text
//! #[derive(Detach)]
//! struct Memory { keys: Tensor, values: Vec<Tensor> }
//!
//! impl Detach for Memory {
//!     fn map_tensors(&self, f: &mut dyn FnMut(&Tensor) -> Tensor) -> Self {
//!         match self {
//!             Self { keys: field0, values: field1 } => Self {
//!                 keys: Detach::map_tensors(field0, f),
//!                 values: Detach::map_tensors(field1, f),
//!             },
//!         }
//!     }
//! }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Data, DeriveInput, Fields, Generics, Ident, Index, Member, Path, Token, parse::ParseStream, parse_quote,
    spanned::Spanned,
};

use crate::{args, hatch, paths};

/// The expansion of `#[derive(Detach)]`.
pub fn derive(input: &DeriveInput) -> TokenStream {
    let expanded = root(input).and_then(|root| paths::rooted(root.as_ref(), || expand(input)));
    expanded.unwrap_or_else(|error| error.to_compile_error())
}

/// The path in `#[detach(crate = my::guard)]`.
fn root(input: &DeriveInput) -> syn::Result<Option<Path>> {
    let Some(attr) = input.attrs.iter().find(|attr| hatch::is(attr, "detach")) else { return Ok(None) };
    let parse = |input: ParseStream| {
        let wrong = |error: syn::Error| syn::Error::new(error.span(), "write `#[detach(crate = my::guard)]`");
        let name = input.parse::<Token![crate]>().map_err(wrong)?;
        args::parse_root(&name.into(), input)
    };
    attr.parse_args_with(parse).map(Some)
}

fn expand(input: &DeriveInput) -> syn::Result<TokenStream> {
    let arms = arms(&input.data)?;
    let (detach, tensor, f) = (paths::detach(), paths::tensor(), callback());
    let generics = bounded(&input.generics);
    let (name, (generics, arguments, bounds)) = (&input.ident, generics.split_for_impl());
    Ok(quote! {
        #[automatically_derived]
        impl #generics #detach for #name #arguments #bounds {
            fn map_tensors(&self, #f: &mut dyn ::core::ops::FnMut(&#tensor) -> #tensor) -> Self {
                match *self { #(#arms)* }
            }
        }
    })
}

/// One arm for a struct, one for each variant of an enum.
fn arms(data: &Data) -> syn::Result<Vec<TokenStream>> {
    match data {
        Data::Struct(data) => Ok(vec![arm(quote!(Self), &data.fields)]),
        Data::Enum(data) => {
            let path = |name: &Ident| quote!(Self::#name);
            Ok(data.variants.iter().map(|variant| arm(path(&variant.ident), &variant.fields)).collect())
        }
        Data::Union(data) => {
            let message = "a union has no field known to be alive: use an `enum`";
            Err(syn::Error::new_spanned(data.union_token, message))
        }
    }
}

/// The generics with the bound `Detach` on every type parameter.
fn bounded(generics: &Generics) -> Generics {
    let (mut bounded, detach) = (generics.clone(), paths::detach());
    for parameter in generics.type_params() {
        let name = &parameter.ident;
        bounded.make_where_clause().predicates.push(parse_quote!(#name: #detach));
    }
    bounded
}

/// `Path { field: ref field0 } => Path { field: map(field0) },`
fn arm(path: TokenStream, fields: &Fields) -> TokenStream {
    let (detach, f) = (paths::detach(), callback());
    let names: Vec<Ident> =
        (0..fields.len()).map(|index| Ident::new(&format!("field{index}"), Span::mixed_site())).collect();
    let members: Vec<Member> = fields.iter().enumerate().map(|(index, field)| member(index, field)).collect();
    let values = fields.iter().zip(&names).map(|(field, name)| {
        let span = Span::mixed_site().located_at(field.ty.span());
        quote_spanned!(span=> #detach::map_tensors(#name, #f))
    });
    quote! {
        #path { #(#members: ref #names),* } => #path { #(#members: #values),* },
    }
}

/// The parameter of `map_tensors`.
fn callback() -> Ident {
    Ident::new("f", Span::mixed_site())
}

fn member(index: usize, field: &syn::Field) -> Member {
    match &field.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(Index::from(index)),
    }
}
