//! Sends each kind of item to its rule.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, ImplItem, Item, ItemTrait, TraitItem, parse_quote};

use crate::{
    args::Args,
    error::Errors,
    hatch, owner, paths,
    step::{self, statics},
};

/// The expansion of `#[no_retain(args)] tokens`; the item itself is always part of it.
pub fn expand(args: TokenStream, tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = Args::parse(args, &mut errors);
    if let Some(owner) = owner::attribute(&tokens, &args, &mut errors) {
        let errors = errors.into_tokens();
        return quote!(#owner #errors);
    }
    let mut item = match syn::parse2::<Item>(tokens.clone()) {
        Ok(item) => item,
        Err(error) => {
            errors.push(error);
            let errors = errors.into_tokens();
            return quote!(#tokens #errors);
        }
    };
    let extra = paths::rooted(args.root.as_ref(), || guard(&mut item, &args, &mut errors));
    let errors = errors.into_tokens();
    quote!(#item #extra #errors)
}

/// Applies the rules to `item`; returns what stands beside it.
fn guard(item: &mut Item, args: &Args, errors: &mut Errors) -> TokenStream {
    match item {
        Item::Fn(item) => {
            step::guard(&item.sig, &mut item.block, args, errors);
            TokenStream::new()
        }
        Item::Impl(item) => guard_impl(&mut item.items, args, errors),
        Item::Trait(item) => guard_trait(item, args, errors),
        Item::Mod(item) => guard_mod(item, args, errors),
        Item::Static(_) | Item::Macro(_) => statics::check_item(item, errors),
        Item::Union(item) => refuse(
            item.union_token,
            "a union cannot be `#[no_retain]`: which field is alive is not known, use an `enum`",
            errors,
        ),
        other => refuse(
            &*other,
            "`#[no_retain]` goes on a struct, enum, trait, static, function, `impl` block or inline `mod`",
            errors,
        ),
    }
}

fn refuse(at: impl ToTokens, message: &str, errors: &mut Errors) -> TokenStream {
    errors.add(at, message);
    TokenStream::new()
}

fn guard_impl(items: &mut [ImplItem], args: &Args, errors: &mut Errors) -> TokenStream {
    for item in items {
        if let ImplItem::Fn(method) = item
            && !is_marked(&method.attrs)
        {
            step::guard_covered(&method.sig, &mut method.block, args, errors);
        }
    }
    TokenStream::new()
}

/// A `#[no_retain]` trait has the supertrait `GraphFree`, so that `dyn Trait` is `GraphFree` too.
fn guard_trait(item: &mut ItemTrait, args: &Args, errors: &mut Errors) -> TokenStream {
    let graph_free = paths::graph_free();
    item.colon_token.get_or_insert_default();
    item.supertraits.push(parse_quote!(#graph_free));
    for item in &mut item.items {
        if let TraitItem::Fn(method) = item
            && let Some(block) = &mut method.default
            && !is_marked(&method.attrs)
        {
            step::guard_covered(&method.sig, block, args, errors);
        }
    }
    TokenStream::new()
}

/// Functions, `impl` blocks and statics of a module; a type of it stays a step value unless it is marked itself.
fn guard_mod(item: &mut syn::ItemMod, args: &Args, errors: &mut Errors) -> TokenStream {
    let Some((_, items)) = &mut item.content else {
        return refuse(&item.ident, "`#[no_retain]` goes on an inline `mod`, or inside of the file", errors);
    };
    let mut extra = Vec::new();
    for item in items.iter_mut().filter(|item| !is_marked(attrs_of(item))) {
        match item {
            Item::Fn(item) => {
                step::guard_covered(&item.sig, &mut item.block, args, errors);
            }
            Item::Impl(_) | Item::Mod(_) | Item::Static(_) => extra.push(guard(item, args, errors)),
            Item::Macro(mac) if statics::is_thread_local(&mac.mac) => extra.push(guard(item, args, errors)),
            _ => {}
        }
    }
    items.extend(extra.into_iter().filter(|tokens| !tokens.is_empty()).map(Item::Verbatim));
    TokenStream::new()
}

fn is_marked(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| hatch::is(attr, "no_retain"))
}

fn attrs_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        _ => &[],
    }
}
