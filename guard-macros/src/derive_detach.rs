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

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Data, DeriveInput, Fields, Index, Member, parse_quote, spanned::Spanned};

use crate::paths;

/// The expansion of `#[derive(Detach)]`.
pub fn derive(input: &DeriveInput) -> TokenStream {
    let arms: Vec<TokenStream> = match &input.data {
        Data::Struct(data) => vec![arm(quote!(Self), &data.fields)],
        Data::Enum(data) => {
            let path = |name: &Ident| quote!(Self::#name);
            data.variants.iter().map(|variant| arm(path(&variant.ident), &variant.fields)).collect()
        }
        Data::Union(data) => {
            let message = "a union has no field known to be alive: use an `enum`";
            return syn::Error::new_spanned(data.union_token, message).to_compile_error();
        }
    };
    let mut generics = input.generics.clone();
    let (detach, tensor, f) = (paths::detach(), paths::tensor(), callback());
    for parameter in input.generics.type_params() {
        let name = &parameter.ident;
        generics.make_where_clause().predicates.push(parse_quote!(#name: #detach));
    }
    let (name, (generics, arguments, bounds)) = (&input.ident, generics.split_for_impl());
    quote! {
        #[automatically_derived]
        impl #generics #detach for #name #arguments #bounds {
            fn map_tensors(&self, #f: &mut dyn ::core::ops::FnMut(&#tensor) -> #tensor) -> Self {
                match *self { #(#arms)* }
            }
        }
    }
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
