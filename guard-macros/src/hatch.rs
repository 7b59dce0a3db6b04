//! The escape hatches: each carries a reason, and an empty reason is an error.

use proc_macro2::Span;
use syn::{Attribute, Ident, LitStr, Token, parse::ParseStream};

use crate::nearest;

/// `a, b, reason = "..."`: the names come first, the reason last.
pub struct Vouch {
    /// The names vouched for; none in `#[vouch(..)]` and `#[allow_retain(..)]`.
    pub names: Vec<Ident>,
    reason: Option<LitStr>,
    span: Span,
}

impl Vouch {
    /// Parses what stands between the parentheses.
    pub fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut vouch = Self { names: Vec::new(), reason: None, span: input.span() };
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            if input.peek(Token![=]) {
                if name != "reason" {
                    return Err(unknown(&name));
                }
                input.parse::<Token![=]>()?;
                vouch.reason = Some(input.parse()?);
            } else {
                vouch.names.push(name);
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(vouch)
    }

    /// A hatch without a reason, or with an empty one, does not open.
    pub fn check_reason(&self) -> syn::Result<()> {
        match &self.reason {
            Some(reason) if !reason.value().trim().is_empty() => Ok(()),
            Some(reason) => {
                Err(syn::Error::new_spanned(reason, "say why no graph is kept here, in a few words"))
            }
            None => Err(syn::Error::new(self.span, "a reason is missing: write `reason = \"...\"`")),
        }
    }
}

/// Checks `#[vouch(reason = "...")]` or `#[allow_retain(reason = "...")]`.
pub fn check(attr: &Attribute) -> syn::Result<()> {
    let syn::Meta::List(list) = &attr.meta else {
        let name = attr.path().get_ident().map(Ident::to_string).unwrap_or_default();
        return Err(syn::Error::new_spanned(
            attr,
            format!("a reason is missing: write `#[{name}(reason = \"...\")]`"),
        ));
    };
    let vouch = list.parse_args_with(Vouch::parse)?;
    if let Some(name) = vouch.names.first() {
        return Err(unknown(name));
    }
    vouch.check_reason()
}

fn unknown(name: &Ident) -> syn::Error {
    let way_out = match nearest::of(&name.to_string(), &["reason"]) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "write `reason = \"...\"`".to_owned(),
    };
    syn::Error::new_spanned(name, format!("unknown argument `{name}`: {way_out}"))
}

/// Removes the attribute `name`, with or without a leading `guard_core::`.
pub fn take(attrs: &mut Vec<Attribute>, name: &str) -> Option<Attribute> {
    let at = attrs.iter().position(|attr| is(attr, name))?;
    Some(attrs.remove(at))
}

/// Whether `attr` is the attribute `name`.
pub fn is(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == name)
}
