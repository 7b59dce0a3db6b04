//! What `collect`, `fold`, `find` and their kin make of an epoch, outside of every step.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, ExprClosure, ExprMethodCall, Path, punctuated::Punctuated, token::Comma};

use super::{
    place::is_capitals,
    plain::passes_on,
    scope::names,
    stores,
    walker::{RegionKind, Walker},
};

impl Walker<'_> {
    /// Whether what is gathered here is kept past the steps that made it.
    pub(super) fn gathers_here(&self) -> bool {
        !self.in_step() && self.no_grad == 0
    }

    /// Whether `call` gathers what a closure made of each element: `data.map(|b| …).collect()`.
    pub(super) fn gathers(&self, call: &ExprMethodCall) -> bool {
        if !self.gathers_here() || !stores::is_collector(&call.method) {
            return false;
        }
        let takes_only_closures =
            call.args.iter().all(|arg| matches!(arg, Expr::Closure(_)) || self.closure_of(arg).is_some());
        let itself = stores::is_mapping_collector(&call.method) && call.args.len() == 1;
        takes_only_closures
            && (itself || self.runs_closures(&call.receiver))
            && !self.brings_no_graph(call, itself)
    }

    /// `all.extend(data.map(|b| …))`: an epoch in one call, also where `all` is a variable of the function.
    pub(super) fn takes_an_epoch(&self, call: &ExprMethodCall) -> bool {
        self.gathers_here()
            && self.region().0 == RegionKind::Function
            && call.args.iter().any(|arg| self.makes_many(arg, &call.method))
    }

    /// Whether the function at `path` gathers here what a closure makes: `Vec::from_iter(data.map(|b| …))`,
    /// `array::from_fn(|_| …)`.
    pub(super) fn gathers_by_call(&self, path: &Path, args: &Punctuated<Expr, Comma>) -> bool {
        let fills_array = stores::ends_in(path, "array", "from_fn");
        self.gathers_here()
            && (fills_array || stores::is_gathering_call(path))
            && args.iter().any(|arg| self.runs_closures(arg) || (fills_array && self.computes(arg)))
    }

    /// `extend(data.map(|b| …))`, `resize_with(60, || …)`.
    fn makes_many(&self, arg: &Expr, method: &Ident) -> bool {
        (self.runs_closures(arg) && !self.yields_no_graph(arg))
            || (stores::is_filler(method) && self.computes(arg))
    }

    /// Whether `arg` is a closure that may make a graph.
    fn computes(&self, arg: &Expr) -> bool {
        match arg {
            Expr::Closure(closure) => !self.makes_no_graph(closure, true),
            _ => false,
        }
    }

    /// Whether `expr` is an iterator, or a variable bound to one, that calls a closure for each element.
    pub(super) fn runs_closures(&self, expr: &Expr) -> bool {
        match expr {
            Expr::MethodCall(call) => {
                let closure = call
                    .args
                    .iter()
                    .any(|arg| matches!(arg, Expr::Closure(_)) || self.closure_of(arg).is_some());
                (closure && stores::is_adapter(&call.method)) || self.runs_closures(&call.receiver)
            }
            Expr::Call(call) => stores::callee(call).is_some_and(stores::makes_iterator),
            Expr::Paren(e) => self.runs_closures(&e.expr),
            Expr::Path(e) => e.path.get_ident().is_some_and(|name| self.is_lazy(&name.to_string())),
            _ => false,
        }
    }

    fn is_lazy(&self, name: &str) -> bool {
        self.scopes.resolve(name).is_some_and(|id| self.scopes.get(id).lazy)
    }

    fn brings_no_graph(&self, call: &ExprMethodCall, itself: bool) -> bool {
        if itself {
            self.yields_no_graph(&Expr::MethodCall(call.clone()))
        } else {
            self.yields_no_graph(&call.receiver)
        }
    }

    /// Whether no element of the iterator `expr` can bring a graph along: no closure on the way computes with anything
    /// from outside (`(0..3).map(|_| zero())`), or each only makes or passes on plain tensors.
    fn yields_no_graph(&self, expr: &Expr) -> bool {
        let Some((closures, source)) = self.chain(expr) else { return false };
        let is_fresh = !self.mentions_local(source.to_token_stream(), &[]);
        closures.iter().all(|closure| self.makes_no_graph(closure, is_fresh))
    }

    fn makes_no_graph(&self, closure: &ExprClosure, source_is_fresh: bool) -> bool {
        let parameters = closure.inputs.iter().flat_map(names).collect::<Vec<_>>();
        passes_on(&closure.body, &parameters)
            || (source_is_fresh && !self.mentions_local(closure.body.to_token_stream(), &parameters))
    }

    /// The closures of an iterator chain, and what it starts from; `None` where something else makes the elements.
    fn chain<'e>(&self, expr: &'e Expr) -> Option<(Vec<&'e ExprClosure>, TokenStream)> {
        match expr {
            Expr::MethodCall(call) => {
                let (mut closures, mut source) = self.chain(&call.receiver)?;
                for arg in &call.args {
                    match arg {
                        Expr::Closure(closure) => closures.push(closure),
                        named if self.closure_of(named).is_some() => return None,
                        other => other.to_tokens(&mut source),
                    }
                }
                (!stores::is_carrier(&call.method)).then_some((closures, source))
            }
            Expr::Call(call) if stores::callee(call).is_some_and(stores::makes_iterator) => None,
            Expr::Path(_) if self.runs_closures(expr) => None,
            Expr::Paren(e) => self.chain(&e.expr),
            other => Some((Vec::new(), other.to_token_stream())),
        }
    }

    /// Whether `tokens` name a variable of this function other than `known`, or look into a static.
    fn mentions_local(&self, tokens: TokenStream, known: &[String]) -> bool {
        let mut trees = tokens.into_iter().peekable();
        let mut after_dot = false;
        while let Some(tree) = trees.next() {
            let before_dot = matches!(trees.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '.');
            let found = match &tree {
                TokenTree::Group(group) => self.mentions_local(group.stream(), known),
                TokenTree::Ident(ident) if !after_dot => {
                    let name = ident.to_string();
                    let local = !known.contains(&name) && self.scopes.resolve(&name).is_some();
                    local || (before_dot && is_capitals(&name))
                }
                _ => false,
            };
            if found {
                return true;
            }
            after_dot = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '.');
        }
        false
    }
}
