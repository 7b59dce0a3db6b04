//! Functions that have no attribute of their own, but stand in an annotated item.
//!
//! The steps of those written in the body of an annotated function are checked too. What they put into their parameters is judged where it is kept, by their callers around them.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Block, ImplItem, Item, Signature, TraitItem};

use super::{
    mode, scope, statics,
    walker::{guard, walk},
};
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
        let args = in_its_place(&Args::default(), signature, body);
        walk(signature, body, &args, statics::names(body), errors);
    }
}

/// Guards a function that has no attribute of its own, but stands in an annotated `impl` block, trait or module.
pub fn guard_covered(signature: &Signature, body: &mut Block, args: &Args, errors: &mut Errors) {
    guard(signature, body, &in_its_place(args, signature, body), errors);
}

fn in_its_place(args: &Args, signature: &Signature, body: &Block) -> Args {
    let inferred = || is_part_of_a_step(signature, body).then(|| signature.ident.clone());
    Args { step: args.step.clone().or_else(inferred), ..args.clone() }
}

/// A helper that makes tensors of the tensors it is given, and does not train: it runs inside of a step.
fn is_part_of_a_step(signature: &Signature, body: &Block) -> bool {
    let mentions_tensor = |tokens: TokenStream| scope::mentions(&tokens, "Tensor");
    let trains = mode::block_calls_backward(body);
    !trains
        && mentions_tensor(signature.output.to_token_stream())
        && mentions_tensor(signature.inputs.to_token_stream())
}

fn is_marked(attrs: &[Attribute]) -> bool {
    attrs.iter().any(|attr| hatch::is(attr, "no_retain"))
}
