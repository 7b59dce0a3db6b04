//! The attribute on generated code and on damaged code. The seed is fixed, so that every run sees the same cases.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use proptest::{prelude::*, test_runner::RngSeed};
use quote::{ToTokens, quote};
use syn::{File, Item};

use super::alike;
use crate::item;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..Default::default() }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn a_generated_item_comes_out_whole(text in any_item()) {
        let tokens: TokenStream = text.parse().expect("the generator writes tokens");
        prop_assert!(syn::parse2::<Item>(tokens.clone()).is_ok(), "the generator writes items: {text}");
        for arguments in modes() {
            whole(item::expand(arguments, tokens.clone()), tokens.clone())?;
        }
    }

    #[test]
    fn renaming_a_variable_renames_it_in_the_expansion(text in function()) {
        let tokens: TokenStream = text.parse().expect("the generator writes tokens");
        let before = rename(item::expand(quote!(), tokens.clone()));
        let after = item::expand(quote!(), rename(tokens));
        prop_assert!(alike::equal(before.clone(), after.clone()), "{before}\n{after}");
    }

    #[test]
    fn a_block_around_the_body_loses_no_check(body in statements()) {
        let [bare, wrapped] = [format!("fn f({PARAMETERS}) {{ {body} }}"), format!("fn f({PARAMETERS}) {{ {{ {body} }} }}")]
            .map(|text| checks(item::expand(quote!(), text.parse().expect("the generator writes tokens"))));
        prop_assert_eq!(bare, wrapped);
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn a_damaged_item_makes_no_panic(text in any_item(), damages in prop::collection::vec(any::<(u8, u16, u16)>(), 1..4)) {
        let mut tokens: TokenStream = text.parse().expect("the generator writes tokens");
        for (kind, at, other) in damages {
            tokens = damage(tokens, kind, at.into(), other.into());
        }
        for arguments in modes() {
            let expansion = item::expand(arguments, tokens.clone());
            match syn::parse2::<Item>(tokens.clone()) {
                Ok(item) => whole(expansion, item.to_token_stream())?,
                Err(_) => alike::compare(expansion, tokens.clone()).map_err(TestCaseError::fail)?,
            }
        }
    }
}

fn modes() -> [TokenStream; 3] {
    [quote!(), quote!(step), quote!(vouch(a, reason = "no tensor"))]
}

/// The expansion is a list of items, and the item stands in it.
fn whole(expansion: TokenStream, item: TokenStream) -> Result<(), TestCaseError> {
    prop_assert!(syn::parse2::<File>(expansion.clone()).is_ok(), "{expansion}");
    alike::compare(expansion, item).map_err(TestCaseError::fail)
}

/// How many checks of each kind there are.
fn checks(tokens: TokenStream) -> Vec<(&'static str, usize)> {
    let names =
        ["kept_after_the_step", "read_by_every_step", "stored", "written_in_place", "kept_in_a_static"];
    let text = tokens.to_string();
    names.iter().map(|name| (*name, text.matches(&format!(":: {name}")).count())).collect()
}

fn rename(tokens: TokenStream) -> TokenStream {
    let each = |tree| match tree {
        TokenTree::Group(group) => Group::new(group.delimiter(), rename(group.stream())).into(),
        TokenTree::Ident(ident) if ident == "a" => Ident::new("renamed", ident.span()).into(),
        other => other,
    };
    tokens.into_iter().map(each).collect()
}

/// Deletes, doubles or moves a tree, or does so inside of it.
fn damage(tokens: TokenStream, kind: u8, at: usize, other: usize) -> TokenStream {
    let mut trees: Vec<TokenTree> = tokens.into_iter().collect();
    if trees.is_empty() {
        return TokenStream::new();
    }
    let (at, other) = (at % trees.len(), (at / 7 + other) % trees.len());
    match (&trees[at], kind % 8) {
        (TokenTree::Group(group), 2..) => {
            let inner = damage(group.stream(), kind.rotate_left(3), other + at, at);
            trees[at] = Group::new(group.delimiter(), inner).into();
        }
        (_, 0 | 2 | 3) => drop(trees.remove(at)),
        (_, 1 | 4 | 5) => trees.insert(other, trees[at].clone()),
        _ => trees.swap(at, other),
    }
    trees.into_iter().collect()
}

const PARAMETERS: &str = "a: &mut Vec<Tensor>, b: &Net, c: impl FnMut(Tensor), r#type: f64";

/// `template` with a name for `$N`, an expression for `$E` and statements for `$S`.
fn fill(template: &'static str, inner: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (name(), expression(), inner).prop_map(move |(name, expression, inner)| {
        template.replace("$N", &name).replace("$E", &expression).replace("$S", &inner)
    })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d", "h", "r#type"]).prop_map(str::to_owned)
}

fn expression() -> impl Strategy<Value = String> {
    let forms = [
        "a",
        "b.net(&a)",
        "1.5",
        "vec![a, h]",
        "(a, d)",
        "h[a + 1]",
        "format!(\"{} {:?}\", a, h)",
        "&mut d",
        "a.iter().map(|x| x * h).collect::<Vec<_>>()",
        "*a",
        "r#type",
        "b.bias.as_ref().unwrap()",
        "c(a)",
        "if d { a } else { h }",
        "unknown!(a; h => d)",
        "h?",
        "a as f64",
        "-a",
        "|x: f64| x + a",
    ];
    prop::sample::select(forms.to_vec()).prop_map(str::to_owned)
}

/// A line of code; in some of the templates other lines stand.
fn statement() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "let mut $N = $E;",
        "let Some($N) = ($E) else { return; };",
        "$N += $E;",
        "$N.push($E);",
        "*$N = $E;",
        "$N[0] = $E;",
        "($N, _) = ($E, 1);",
        "static KEPT: Vec<u8> = Vec::new();",
        "println!(\"{}\", $E);",
        "#[cfg(any())] let $N = $E;",
        "thread_local! { static LOCAL: u8 = 1; }",
        "/// Text.\nfn inner(a: u8) -> u8 { a }",
        "$N.copy_(&$E);",
        "$N($E);",
        "thread::spawn(move || $N);",
        "unknown! { $N => $E; }",
        "let _ = async move { $N.push($E); };",
        "$N.loss.backward();",
        "let $N: f64 = $E;",
        "std::mem::swap(&mut $N, &mut a);",
        "Box::leak(Box::new($E));",
        "return;",
        "let [$N, ..] = $E;",
        "struct Inner<T> { a: T }",
        "let $N;",
        "$N.b.c += 1.0;",
        "Some($E);",
        "let _guard = no_grad_guard();",
        "f($E, a);",
    ]);
    let leaf = leaf.prop_flat_map(|template| fill(template, Just(String::new())));
    leaf.prop_recursive(4, 24, 4, |inner| {
        let block = prop::collection::vec(inner, 0..4).prop_map(|lines| lines.join("\n"));
        let template = prop::sample::select(vec![
            "for ($N, _) in $E { $S }",
            "'outer: loop { $S break 'outer; }",
            "while let Some($N) = $E { $S }",
            "let x = loop { $S break $E; };",
            "let mut $N = |h: f64| { $S };",
            "if let Some($N) = $E { $S } else { $S }",
            "match $E { Some($N) if $N > 1.0 => { $S } _ => {} }",
            "($E).iter().for_each(|$N| { $S });",
            "unsafe { $S }",
            "#[step] for $N in $E { $S }",
            "no_grad(|| { $S });",
            "{ $S }",
            "#[allow_retain(reason = \"no graph\")] { $S }",
            "#[rustfmt::skip] for _ in $E { $S $N.backward(); }",
            "let $N = 'value: { $S break 'value $E; };",
        ]);
        (template, block).prop_flat_map(|(template, block)| fill(template, Just(block)))
    })
}

fn statements() -> impl Strategy<Value = String> {
    prop::collection::vec(statement(), 1..5).prop_map(|lines| lines.join("\n"))
}

fn function() -> impl Strategy<Value = String> {
    statements().prop_map(|body| format!("fn f({PARAMETERS}) {{ {body} }}"))
}

fn any_item() -> impl Strategy<Value = String> {
    let frames = prop::sample::select(vec![
        "pub fn f<'x, T: Clone, const D: usize>(a: &'x mut T, b: [u8; D]) -> Option<T> where T: Send { $S }",
        "#[doc = \"text\"] unsafe extern \"C\" fn f(mut a: Tensor) { $S }",
        "const fn f(a: u8) { $S }",
        "async fn f() { $S }",
        "impl<T> Net<T> where T: Send { const A: u8 = 1; pub fn f(&mut self, a: T) { $S } fn g(self) {} }",
        "trait Keep: Send + { type A; fn f(&self); fn g(&mut self, mut a: u8) { $S } }",
        "trait Keep { fn f() { $S } }",
        "#[cfg(test)] mod inner { use super::*; static A: u8 = 1; fn f(a: u8) { $S } struct Inner; }",
        "pub(crate) struct Owner<'x, T: 'x + ?Sized>(#[cfg(any())] &'x T, pub r#type, #[vouch(reason = \"r\")] Vec<T>);",
        "enum Choice<T, const D: usize> where T: Copy { A = 1, #[doc(hidden)] B(T), C { r#fn: [T; D] } }",
        "struct Unit;",
        "static mut KEPT: Option<Vec<Tensor>> = { $S None };",
        "thread_local! { static KEPT: u8 = 1; }",
        "union Bits { a: u32, b: f32 }",
        "macro_rules! m { () => {} }",
        "use a::{b, c};",
    ]);
    (frames, statements()).prop_map(|(frame, body)| frame.replace("$S", &body))
}
