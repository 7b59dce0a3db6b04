//! Whether an expansion is its item but for the added assertions.
//!
//! Both are read from left to right. What the macro may add is known by its form, and each form names the crate of the
//! checks, so that nothing of an item passes for an addition:
//!
//! ```text
//! #[allow(..)] loop { break; checks }        a statement
//! const _: () = { fn statics() { checks } }; an item
//! #[derive(::guard_core::__private::Owner)]  an attribute
//! : ::guard_core::GraphFree                  a supertrait
//! { checks expression }                      around a loop or a closure
//! ({ checks }, expression).1                 around a call or an operator
//! ::guard_core::__private::stored(expression)
//! name: ::guard_core::__private::stored(name)  in place of the field `name`
//! ::core::compile_error! { .. }              after the item
//! ```

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// What stands where an item and its expansion part, if they do.
///
/// # Errors
/// The first tokens of both that differ.
pub fn compare(expansion: TokenStream, item: TokenStream) -> Result<(), String> {
    let (expansion, item): (Vec<_>, Vec<_>) = (expansion.into_iter().collect(), item.into_iter().collect());
    same(&expansion, &item)
}

/// Whether the same tokens stand in both.
pub fn equal(left: TokenStream, right: TokenStream) -> bool {
    let (mut left, mut right) = (left.into_iter(), right.into_iter());
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(left), Some(right)) if equal_tree(&left, &right) => {}
            _ => return false,
        }
    }
}

fn equal_tree(left: &TokenTree, right: &TokenTree) -> bool {
    match (left, right) {
        (TokenTree::Group(left), TokenTree::Group(right)) => {
            left.delimiter() == right.delimiter() && equal(left.stream(), right.stream())
        }
        (TokenTree::Ident(left), TokenTree::Ident(right)) => left == right,
        (TokenTree::Punct(left), TokenTree::Punct(right)) => left.as_char() == right.as_char(),
        (TokenTree::Literal(left), TokenTree::Literal(right)) => left.to_string() == right.to_string(),
        _ => false,
    }
}

fn same(mut expansion: &[TokenTree], mut item: &[TokenTree]) -> Result<(), String> {
    loop {
        if let Some(rest) = after_addition(expansion, item) {
            expansion = rest;
            continue;
        }
        if let Some(unwrapped) = unwrap(expansion, item) {
            return same(&unwrapped, item);
        }
        match (expansion, item) {
            ([], []) => return Ok(()),
            ([TokenTree::Group(left), left_rest @ ..], [TokenTree::Group(right), right_rest @ ..])
                if left.delimiter() == right.delimiter() =>
            {
                compare(left.stream(), right.stream())?;
                (expansion, item) = (left_rest, right_rest);
            }
            ([left, left_rest @ ..], [right, right_rest @ ..]) if equal_tree(left, right) => {
                (expansion, item) = (left_rest, right_rest);
            }
            (_, [TokenTree::Punct(hash), TokenTree::Group(attribute), rest @ ..])
                if hash.as_char() == '#' && is_mark(attribute) =>
            {
                item = rest;
            }
            _ => return Err(format!("expected `{}`, found `{}`", text(item), text(expansion))),
        }
    }
}

/// `#[step]` and `#[allow_retain(..)]` are for the macro alone.
fn is_mark(attribute: &Group) -> bool {
    let path = attribute.stream().into_iter().take_while(|tree| !matches!(tree, TokenTree::Group(_)));
    path.last().is_some_and(|last| ["step", "allow_retain"].contains(&last.to_string().as_str()))
}

/// What follows after an addition that stands by itself.
fn after_addition<'a>(expansion: &'a [TokenTree], item: &[TokenTree]) -> Option<&'a [TokenTree]> {
    let starts = |words: &[&str]| starts_with(expansion, words);
    if let Some(rest) = after_assertion(expansion) {
        return Some(rest);
    }
    if starts(&["const", "_", ":"]) && has(expansion.get(5)?, "kept_in_a_static") {
        return expansion.get(7..);
    }
    if starts(&["#"]) && expansion.get(1)?.to_string().replace(' ', "") == OWNER {
        return expansion.get(2..);
    }
    if starts(&[":", ":", "core", ":", ":", "compile_error", "!"]) && item.is_empty() {
        return expansion.get(8..);
    }
    if starts(&[":"]) && starts_with(&expansion[1..], &STORED) && ends_field(item) {
        return expansion.get(2 + STORED.len()..);
    }
    if starts(&GRAPH_FREE) {
        return expansion.get(GRAPH_FREE.len()..);
    }
    let joint = (starts(&["+"]) || starts(&[":"])) && starts_with(&expansion[1..], &GRAPH_FREE);
    let new = joint && !item.first().is_some_and(|tree| equal_tree(tree, &expansion[0]));
    new.then(|| &expansion[1 + GRAPH_FREE.len()..])
}

/// Whether a field written by its name alone ends before `item`.
fn ends_field(item: &[TokenTree]) -> bool {
    item.first().is_none_or(|next| next.to_string() == ",")
}

const OWNER: &str = "[derive(::guard_core::__private::Owner)]";
const GRAPH_FREE: [&str; 6] = [":", ":", "guard_core", ":", ":", "GraphFree"];
const STORED: [&str; 9] = [":", ":", "guard_core", ":", ":", "__private", ":", ":", "stored"];

/// What follows after `#[allow(..)] loop { break; checks }`.
fn after_assertion(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    let [TokenTree::Punct(hash), TokenTree::Group(_), TokenTree::Ident(keyword), body, rest @ ..] = tokens
    else {
        return None;
    };
    let TokenTree::Group(group) = body else { return None };
    let mut first = group.stream().into_iter();
    let breaks = first.next()?.to_string() == "break" && first.next()?.to_string() == ";";
    (hash.as_char() == '#' && keyword == "loop" && breaks && has(body, "__private")).then_some(rest)
}

/// The expansion without what the macro wraps its first expression in.
fn unwrap(expansion: &[TokenTree], item: &[TokenTree]) -> Option<Vec<TokenTree>> {
    if starts_with(expansion, &STORED) {
        let TokenTree::Group(group) = expansion.get(STORED.len())? else { return None };
        return Some(join(group.stream().into_iter(), &expansion[STORED.len() + 1..]));
    }
    let TokenTree::Group(group) = expansion.first()? else { return None };
    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
    match group.delimiter() {
        Delimiter::Parenthesis => {
            let ([TokenTree::Group(checks), comma, value @ ..], [_, dot, one, rest @ ..]) =
                (&*inner, expansion)
            else {
                return None;
            };
            let only_checks = is_assertions(checks) && comma.to_string() == ",";
            let wrapped = only_checks && dot.to_string() == "." && one.to_string() == "1";
            wrapped.then(|| join(value.iter().cloned(), rest))
        }
        Delimiter::Brace => {
            let block =
                matches!(item.first(), Some(TokenTree::Group(own)) if own.delimiter() == Delimiter::Brace);
            let mut value = after_assertion(&inner).filter(|_| !block)?;
            while let Some(rest) = after_assertion(value) {
                value = rest;
            }
            Some(join(value.iter().cloned(), &expansion[1..]))
        }
        _ => None,
    }
}

fn is_assertions(group: &Group) -> bool {
    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
    let mut rest = &inner[..];
    while let Some(next) = after_assertion(rest) {
        rest = next;
    }
    group.delimiter() == Delimiter::Brace && rest.is_empty() && !inner.is_empty()
}

fn join(value: impl Iterator<Item = TokenTree>, rest: &[TokenTree]) -> Vec<TokenTree> {
    value.chain(rest.iter().cloned()).collect()
}

fn starts_with(tokens: &[TokenTree], words: &[&str]) -> bool {
    tokens.len() >= words.len() && words.iter().zip(tokens).all(|(word, tree)| is_word(tree, word))
}

fn is_word(tree: &TokenTree, word: &str) -> bool {
    match tree {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Punct(punct) => word.len() == 1 && word.starts_with(punct.as_char()),
        _ => false,
    }
}

/// Whether the identifier `word` stands in `tree`.
pub fn has(tree: &TokenTree, word: &str) -> bool {
    match tree {
        TokenTree::Group(group) => group.stream().into_iter().any(|tree| has(&tree, word)),
        TokenTree::Ident(ident) => ident == word,
        _ => false,
    }
}

fn text(tokens: &[TokenTree]) -> String {
    let text: TokenStream = tokens.iter().take(12).cloned().collect();
    text.to_string().chars().take(160).collect()
}
