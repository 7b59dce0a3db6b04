//! The arguments of `#[no_retain(...)]`.

use proc_macro2::TokenStream;
use syn::{Ident, Path, Token, ext::IdentExt, parse::ParseStream, parse::Parser};

use crate::{error::Errors, hatch::Vouch, nearest};

const FORMS: &str = "write `step`, `vouch(variable, reason = \"...\")` or `crate = path::to::guard_core`";

/// What stands between the parentheses of `#[no_retain(...)]`.
#[derive(Default, Clone)]
pub struct Args {
    /// `step`: the whole body is one step.
    pub step: Option<Ident>,
    /// `vouch(a, b, reason = "...")`: captured variables whose types the author answers for.
    pub vouched: Vec<Ident>,
    /// `crate = my::guard`: where guard-core is to be found, if not at `::guard_core`.
    pub root: Option<Path>,
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
            self.parse_one(input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    fn parse_one(&mut self, input: ParseStream) -> syn::Result<()> {
        let name = input.call(Ident::parse_any).map_err(|error| syn::Error::new(error.span(), FORMS))?;
        match name.to_string().as_str() {
            "step" if self.step.is_some() => return Err(twice(&name)),
            "step" => self.step = Some(name),
            "vouch" => self.parse_vouch(&name, input)?,
            "crate" if self.root.is_some() => return Err(twice(&name)),
            "crate" => self.root = Some(parse_root(&name, input)?),
            _ => return Err(unknown(&name)),
        }
        Ok(())
    }

    fn parse_vouch(&mut self, name: &Ident, input: ParseStream) -> syn::Result<()> {
        if !input.peek(syn::token::Paren) {
            return Err(unnamed(name));
        }
        let content;
        syn::parenthesized!(content in input);
        let vouch = Vouch::parse(&content)?;
        vouch.check_reason()?;
        if vouch.names.is_empty() {
            return Err(unnamed(name));
        }
        self.vouched.extend(vouch.names);
        Ok(())
    }
}

/// `= my::guard`, after `crate`.
pub fn parse_root(name: &Ident, input: ParseStream) -> syn::Result<Path> {
    let way_out = "name guard-core by its path: `crate = my::guard`";
    if input.parse::<Option<Token![=]>>()?.is_none() {
        return Err(syn::Error::new_spanned(name, way_out));
    }
    input.call(Path::parse_mod_style).map_err(|error| syn::Error::new(error.span(), way_out))
}

fn unnamed(name: &Ident) -> syn::Error {
    syn::Error::new_spanned(name, "name the variables: `vouch(bar, rng, reason = \"...\")`")
}

fn twice(name: &Ident) -> syn::Error {
    syn::Error::new_spanned(name, format!("`{name}` is given twice"))
}

fn unknown(name: &Ident) -> syn::Error {
    let text = name.to_string();
    let message = match nearest::of(&text, &["step", "vouch", "crate"]) {
        _ if text == "reason" => {
            "a reason stands with what it excuses: `vouch(variable, reason = \"...\")`".to_owned()
        }
        Some(near) => format!("unknown argument `{text}`: did you mean `{near}`?"),
        None => format!("unknown argument `{text}`: {FORMS}"),
    };
    syn::Error::new_spanned(name, message)
}
