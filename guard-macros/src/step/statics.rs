//! Rule 4: a `static` or `thread_local!` must have a `GraphFree` type.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Attribute, Block, Expr, Ident, Item, Macro, Stmt, Token, Type, Visibility, parse::ParseStream,
    parse::Parser, spanned::Spanned, visit::Visit, visit_mut::VisitMut,
};

use crate::{error::Errors, paths};

/// Adds a check beside every static of `block`, those of nested functions and modules included; returns their names.
pub fn check_block(block: &mut Block) -> Vec<String> {
    let names = names(block);
    if !names.is_empty() {
        Statics.visit_block_mut(block);
    }
    names
}

/// The names of the statics of `block`, at any depth.
pub fn names(block: &Block) -> Vec<String> {
    let mut names = Names(Vec::new());
    names.visit_block(block);
    names.0
}

/// The check beside `item`; an error for a macro other than `thread_local!`.
pub fn check_item(item: &Item, errors: &mut Errors) -> TokenStream {
    match item {
        Item::Static(item) => check(&[(*item.ty).clone()]),
        Item::Macro(item) if is_thread_local(&item.mac) => check(&thread_locals(&item.mac)),
        other => {
            errors.add(
                other,
                "`#[no_retain]` cannot look into this macro: put it on what the macro expands to",
            );
            TokenStream::new()
        }
    }
}

/// Whether `mac` is `thread_local!` or `std::thread_local!`.
pub fn is_thread_local(mac: &Macro) -> bool {
    mac.path.segments.last().is_some_and(|last| last.ident == "thread_local")
}

struct Statics;

impl VisitMut for Statics {
    fn visit_block_mut(&mut self, block: &mut Block) {
        syn::visit_mut::visit_block_mut(self, block);
        for at in (0..block.stmts.len()).rev() {
            let types = types_of(&block.stmts[at]);
            if !types.is_empty() {
                let check = check(&types);
                block.stmts.insert(at, Stmt::Item(Item::Verbatim(check)));
            }
        }
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        syn::visit_mut::visit_item_mod_mut(self, module);
        let Some((_, items)) = &mut module.content else { return };
        let types: Vec<Type> = items.iter().flat_map(item_types).collect();
        if !types.is_empty() {
            items.push(Item::Verbatim(check(&types)));
        }
    }
}

struct Names(Vec<String>);

impl Visit<'_> for Names {
    fn visit_item_static(&mut self, item: &syn::ItemStatic) {
        self.0.push(item.ident.to_string());
    }

    fn visit_macro(&mut self, mac: &Macro) {
        if is_thread_local(mac) {
            self.0.extend(declarations(mac).iter().map(|(name, _)| name.to_string()));
        }
    }
}

fn types_of(stmt: &Stmt) -> Vec<Type> {
    match stmt {
        Stmt::Item(item) => item_types(item),
        Stmt::Macro(mac) if is_thread_local(&mac.mac) => thread_locals(&mac.mac),
        _ => Vec::new(),
    }
}

fn item_types(item: &Item) -> Vec<Type> {
    match item {
        Item::Static(item) => vec![(*item.ty).clone()],
        Item::Macro(item) if is_thread_local(&item.mac) => thread_locals(&item.mac),
        _ => Vec::new(),
    }
}

fn thread_locals(mac: &Macro) -> Vec<Type> {
    declarations(mac).into_iter().map(|(_, ty)| ty).collect()
}

/// The names and types of a `thread_local!`; none if it does not parse, then rustc reports it.
fn declarations(mac: &Macro) -> Vec<(Ident, Type)> {
    let all = |input: ParseStream| {
        let mut all = Vec::new();
        while !input.is_empty() {
            all.push(thread_local(input)?);
        }
        Ok(all)
    };
    all.parse2(mac.tokens.clone()).unwrap_or_default()
}

fn thread_local(input: ParseStream) -> syn::Result<(Ident, Type)> {
    input.call(Attribute::parse_outer)?;
    input.parse::<Visibility>()?;
    input.parse::<Token![static]>()?;
    let name = input.parse()?;
    input.parse::<Token![:]>()?;
    let ty = input.parse()?;
    input.parse::<Token![=]>()?;
    input.parse::<Expr>()?;
    input.parse::<Option<Token![;]>>()?;
    Ok((name, ty))
}

fn check(types: &[Type]) -> TokenStream {
    if types.is_empty() {
        return TokenStream::new();
    }
    let checks = types.iter().map(|ty| {
        let function = paths::check("kept_in_a_static", ty.span());
        quote_spanned!(Span::mixed_site().located_at(ty.span())=> #function::<#ty>();)
    });
    quote! {
        const _: () = {
            #[allow(dead_code, unused_qualifications)]
            fn statics() { #(#checks)* }
        };
    }
}
