//! Places: a variable or static, and the fields that lead into it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Expr, Ident, Member, Path, Token};

use super::stores;

/// Where a place starts.
#[derive(Clone)]
pub enum Root {
    /// A variable.
    Local(Ident),
    /// A path in capitals: a static, or a constant.
    Static(Path),
}

/// `root.field.0`, cut at the first index or call.
#[derive(Clone)]
pub struct Place {
    /// Where it starts.
    pub root: Root,
    /// The fields.
    pub members: Vec<Member>,
    /// Whether it was written as the bare variable.
    pub bare: bool,
    /// Whether it is checked as what the root refers to, so that an error names `Net` and not `&mut Net`.
    pub derefs: bool,
    /// Whether an index stands after the fields: what follows belongs to the element.
    indexed: bool,
}

/// How an expression leads to a place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Via {
    /// It is the place, or an element of it.
    Direct,
    /// Through calls that lend a part of it (`iter_mut`, `lock().unwrap()`).
    Part,
    /// Through a call that hands out a tensor sharing storage (`get`, `grad`).
    View,
    /// Through an unknown call without arguments, perhaps a getter.
    Getter,
}

impl Place {
    /// The place that `expr` names, without calls.
    pub fn of(expr: &Expr) -> Option<Self> {
        match reach(expr)? {
            (place, Via::Direct) => Some(place),
            _ => None,
        }
    }

    /// A bare variable.
    pub fn variable(ident: &Ident) -> Self {
        Self {
            root: Root::Local(ident.clone()),
            members: Vec::new(),
            bare: true,
            derefs: false,
            indexed: false,
        }
    }

    /// The root as text.
    pub fn root_name(&self) -> String {
        match &self.root {
            Root::Local(ident) => ident.to_string(),
            Root::Static(path) => path.to_token_stream().to_string(),
        }
    }

    /// The fields as text.
    pub fn member_names(&self) -> Vec<String> {
        let name = |member: &Member| match member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        self.members.iter().map(name).collect()
    }

    /// Where it stands in the source: first and last token.
    pub fn span(&self) -> (Span, Span) {
        let (first, last) = match &self.root {
            Root::Local(ident) => (ident.span(), ident.span()),
            Root::Static(path) => span_of(path),
        };
        (first, self.members.last().map_or(last, span_of_member))
    }

    /// `&place`, shown in an error as the tokens from `lo` to `hi`.
    pub fn borrowed(&self, (lo, hi): (Span, Span)) -> TokenStream {
        let mut tokens = TokenStream::new();
        Token![&](lo).to_tokens(&mut tokens);
        if self.derefs && self.members.is_empty() {
            Token![*](lo).to_tokens(&mut tokens);
        }
        self.append(&mut tokens, lo);
        as_one(tokens, (lo, hi))
    }

    /// `&raw const place`, shown as the tokens from `lo` to `hi`.
    pub fn raw(&self, (lo, hi): (Span, Span)) -> TokenStream {
        let mut tokens = quote_spanned!(lo=> &raw const);
        self.append(&mut tokens, lo);
        as_one(tokens, (lo, hi))
    }

    fn append(&self, tokens: &mut TokenStream, dots: Span) {
        match &self.root {
            Root::Local(ident) => ident.to_tokens(tokens),
            Root::Static(path) => path.to_tokens(tokens),
        }
        for member in &self.members {
            Token![.](dots).to_tokens(tokens);
            member.to_tokens(tokens);
        }
    }
}

/// The place that `expr` leads to, and how.
pub fn reach(expr: &Expr) -> Option<(Place, Via)> {
    match expr {
        Expr::Paren(e) => reach(&e.expr),
        Expr::Group(e) => reach(&e.expr),
        Expr::Reference(e) => reach(&e.expr),
        Expr::Try(e) => reach(&e.expr),
        Expr::Unary(e) if matches!(e.op, syn::UnOp::Deref(_)) => not_bare(reach(&e.expr)?),
        Expr::Index(e) => element(reach(&e.expr)?),
        Expr::Field(e) => field(reach(&e.base)?, &e.member),
        Expr::MethodCall(e) => call(reach(&e.receiver)?, e),
        Expr::Path(e) if e.qself.is_none() => root(&e.path).map(|place| (place, Via::Direct)),
        _ => None,
    }
}

fn span_of_member(member: &Member) -> Span {
    match member {
        Member::Named(name) => name.span(),
        Member::Unnamed(index) => index.span,
    }
}

fn not_bare((mut place, via): (Place, Via)) -> Option<(Place, Via)> {
    place.bare = false;
    Some((place, via))
}

/// An element is checked as its container: later fields belong to the element.
fn element((mut place, via): (Place, Via)) -> Option<(Place, Via)> {
    (place.bare, place.indexed) = (false, true);
    Some((place, via))
}

fn field((mut place, via): (Place, Via), member: &Member) -> Option<(Place, Via)> {
    place.bare = false;
    if via == Via::Direct && !place.indexed {
        place.members.push(member.clone());
    }
    Some((place, via))
}

fn call((mut place, via): (Place, Via), call: &syn::ExprMethodCall) -> Option<(Place, Via)> {
    place.bare = false;
    let next = if stores::is_part(&call.method) {
        Via::Part
    } else if stores::is_view(&call.method) {
        Via::View
    } else if stores::is_getter(&call.method, call.args.len()) {
        Via::Getter
    } else {
        return None;
    };
    Some((place, if via.rank() > next.rank() { via } else { next }))
}

impl Via {
    fn rank(self) -> u8 {
        self as u8
    }
}

fn root(path: &Path) -> Option<Place> {
    let last = path.segments.last()?;
    let name = last.ident.to_string();
    let root = if is_capitals(&name) {
        Root::Static(path.clone())
    } else if let Some(ident) = path.get_ident()
        && !name.starts_with(char::is_uppercase)
    {
        Root::Local(ident.clone())
    } else {
        return None;
    };
    Some(Place { root, members: Vec::new(), bare: true, derefs: false, indexed: false })
}

/// `LOG`, `BEST_1`: a static, or a constant, into which nothing can be put.
pub fn is_capitals(name: &str) -> bool {
    name.contains(char::is_alphabetic) && !name.contains(char::is_lowercase)
}

/// The first and the last span of `tokens`.
pub fn span_of(tokens: &impl ToTokens) -> (Span, Span) {
    let mut all = tokens.to_token_stream().into_iter();
    let Some(first) = all.next() else { return (Span::call_site(), Span::call_site()) };
    let last = all.last().unwrap_or_else(|| first.clone());
    (open(&first), close(&last))
}

fn open(tree: &proc_macro2::TokenTree) -> Span {
    match tree {
        proc_macro2::TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    }
}

fn close(tree: &proc_macro2::TokenTree) -> Span {
    match tree {
        proc_macro2::TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    }
}

/// The same tokens, resolved where they were written, shown in an error as one stretch from `lo` to `hi`.
pub fn as_one(tokens: TokenStream, (lo, hi): (Span, Span)) -> TokenStream {
    let mut trees: Vec<_> = tokens.into_iter().collect();
    let last = trees.len().saturating_sub(1);
    for (index, tree) in trees.iter_mut().enumerate() {
        let at = if index == last { hi } else { lo };
        tree.set_span(tree.span().located_at(at));
    }
    trees.into_iter().collect()
}
