//! The arguments of `#[no_retain(...)]`.

use proc_macro2::TokenStream;
use syn::{Ident, Token, parse::ParseStream, parse::Parser};

use crate::{error::Errors, hatch::Vouch};

/// What stands between the parentheses of `#[no_retain(...)]`.
#[derive(Default, Clone)]
pub struct Args {
    /// `step`: the whole body is one step.
    pub step: Option<Ident>,
    /// `vouch(a, b, reason = "...")`: captured variables whose types the author answers for.
    pub vouched: Vec<Ident>,
}

impl Args {
    /// Parses the arguments; what is wrong goes to `errors`, and what is right still counts.
    pub fn parse(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut args = Self::default();
        let parsed = (|input: ParseStream| args.parse_all(input)).parse2(tokens);
        errors.take(parsed);
        args
    }

    fn parse_all(&mut self, input: ParseStream) -> syn::Result<()> {
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            match name.to_string().as_str() {
                "step" => self.step = Some(name),
                "vouch" => self.parse_vouch(&name, input)?,
                _ => return Err(unknown(&name)),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    fn parse_vouch(&mut self, name: &Ident, input: ParseStream) -> syn::Result<()> {
        let content;
        syn::parenthesized!(content in input);
        let vouch = Vouch::parse(&content)?;
        vouch.check_reason()?;
        if vouch.names.is_empty() {
            return Err(syn::Error::new_spanned(
                name,
                "name the variables: `vouch(bar, rng, reason = \"...\")`",
            ));
        }
        self.vouched.extend(vouch.names);
        Ok(())
    }
}

fn unknown(name: &Ident) -> syn::Error {
    let message = format!("unknown argument `{name}`: write `step` or `vouch(variable, reason = \"...\")`");
    syn::Error::new_spanned(name, message)
}
