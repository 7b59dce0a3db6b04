//! Functions inside functions: the steps of those written in the body of an annotated function are checked too.
//!
//! What they put into their parameters is judged where it is kept, by their callers around them.

use syn::{Attribute, Block, ImplItem, Item, Signature, TraitItem};

use super::walker::walk;
use crate::{args::Args, error::Errors, hatch};

/// Guards the functions of an item that stands in the body of an annotated function.
pub(super) fn guard_item(item: &mut Item, errors: &mut Errors) {
    match item {
        Item::Fn(item) => guard_function(&item.attrs, &item.sig, &mut item.block, errors),
        Item::Impl(item) if !is_marked(&item.attrs) => {
            for item in &mut item.items {
                if let ImplItem::Fn(method) = item {
                    guard_function(&method.attrs, &method.sig, &mut method.block, errors);
                }
            }
        }
        Item::Trait(item) if !is_marked(&item.attrs) => {
            for item in &mut item.items {
                if let TraitItem::Fn(method) = item
                    && let Some(block) = &mut method.default
                {
                    guard_function(&method.attrs, &method.sig, block, errors);
                }
            }
        }
        Item::Mod(item) if !is_marked(&item.attrs) => {
            let items = item.content.iter_mut().flat_map(|(_, items)| items);
            items.for_each(|item| guard_item(item, errors));
        }
        _ => {}
    }
}

/// A function with an attribute of its own expands by itself.
fn guard_function(attrs: &[Attribute], signature: &Signature, body: &mut Block, errors: &mut Errors) {
    if !is_marked(attrs) && signature.asyncness.is_none() && signature.constness.is_none() {
        walk(signature, body, &Args::default(), errors);
    }
}

fn is_marked(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| hatch::is(attr, "no_retain"))
}
