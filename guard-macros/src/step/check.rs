//! The code a check expands to: a call that states a bound, where it can never run.
//!
//! `loop { break; check(&x); }` type-checks `x` even when it is uninitialised, moved or borrowed at that point, also
//! when its type is inferred only later in the function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Expr, Token, token};

use super::{
    mode,
    place::{Place, Root, as_one, span_of},
    scope::Access,
};
use crate::paths;

/// A bound on the type of a place.
pub struct Check {
    /// The place.
    pub place: Place,
    /// What is done with it.
    pub access: Access,
    /// The tokens an error points at.
    pub blame: (Span, Span),
}

impl Check {
    /// `function(&place);`
    fn append(&self, tokens: &mut TokenStream) {
        let (name, place) = match self.access {
            Access::Store if self.place.bare && matches!(self.place.root, Root::Static(_)) => {
                ("assigned_static", self.place.raw(self.blame))
            }
            Access::Read => ("read_by_every_step", self.place.borrowed(self.blame)),
            Access::Lend | Access::Store => ("kept_after_the_step", self.place.borrowed(self.blame)),
        };
        append_call(tokens, name, place, self.blame);
    }
}

fn append_call(tokens: &mut TokenStream, function: &str, argument: TokenStream, blame: (Span, Span)) {
    let at = Span::mixed_site().located_at(blame.0);
    paths::append_check(tokens, function, blame.0);
    token::Paren(at).surround(tokens, |tokens| tokens.extend(argument));
    Token![;](at).to_tokens(tokens);
}

/// The checks as one statement that never runs.
pub fn statement(checks: &[Check]) -> TokenStream {
    let mut tokens = TokenStream::new();
    checks.iter().for_each(|check| check.append(&mut tokens));
    never(tokens)
}

/// `{ checks; expr }`; the attributes of `expr` move to the block, since those of a last expression are unstable.
pub fn before(checks: &[Check], expr: &mut Expr) {
    let checks = statement(checks);
    let attrs = mode::parts(expr).map(|(attrs, _)| std::mem::take(attrs)).unwrap_or_default();
    *expr = Expr::Verbatim(quote!(#(#attrs)* { #checks #expr }));
}

/// `expr`, beside a bound on the type of another expression that is not evaluated; temporaries of `expr` live on.
pub fn beside(function: &str, target: &Expr, blame: (Span, Span), expr: &mut Expr) {
    let check = of_value(function, target, blame);
    *expr = Expr::Verbatim(quote!(({ #check }, #expr).1));
}

/// A statement that states a bound on the type of `target`, which is not evaluated.
pub fn of_value(function: &str, target: &Expr, blame: (Span, Span)) -> TokenStream {
    let target = match Place::of(target) {
        Some(place) if !matches!(target, Expr::Index(_)) => place.borrowed(blame),
        _ => as_one(quote_spanned!(blame.0=> &(#target)), blame),
    };
    let mut tokens = TokenStream::new();
    append_call(&mut tokens, function, target, blame);
    never(tokens)
}

/// `stored(expr)`: the type of a value, checked where it stands.
pub fn stored(expr: &mut Expr) {
    let function = paths::check("stored", span_of(expr).0);
    *expr = Expr::Verbatim(quote!(#function(#expr)));
}

fn never(tokens: TokenStream) -> TokenStream {
    quote! {
        #[allow(unreachable_code, unused_qualifications, unused_parens, clippy::all, clippy::pedantic)]
        loop { break; #tokens }
    }
}
