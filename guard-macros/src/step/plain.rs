//! Expressions that bring no graph along, whatever their type: numbers, fresh tensors, what is detached.

use syn::{Block, Expr, ExprCall, Stmt, punctuated::Punctuated, token::Comma};

use super::stores;

/// Whether an in-place operation with these arguments can attach a graph: `zero_()`, `fill_(0.)`,
/// `index_copy_(0, &ids, &td.detach())` cannot.
pub fn can_attach(args: &Punctuated<Expr, Comma>) -> bool {
    args.iter().rev().find(|arg| !is_number(arg)).is_some_and(|value| !brings_no_graph(value))
}

/// Whether `expr` is a number, a tensor cut off where it stands, or a fresh one.
pub fn brings_no_graph(expr: &Expr) -> bool {
    is_number(expr) || is_detached(expr) || passes_on(expr, &[])
}

/// `loss.detach()`.
pub fn is_detached(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => call.method == "detach",
        Expr::Paren(e) => is_detached(&e.expr),
        Expr::Reference(e) => is_detached(&e.expr),
        _ => false,
    }
}

/// `Tensor::zeros(..)`, also with methods called on it that make another tensor.
pub fn starts_as_tensor(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => stores::callee(call).is_some_and(stores::constructs_tensor),
        Expr::MethodCall(call) => {
            (stores::keeps_history(&call.method) || call.method == "set_requires_grad")
                && starts_as_tensor(&call.receiver)
        }
        _ => false,
    }
}

fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) | Expr::Cast(_) => true,
        Expr::Unary(e) => is_number(&e.expr),
        Expr::Paren(e) => is_number(&e.expr),
        Expr::Reference(e) => is_number(&e.expr),
        _ => false,
    }
}

/// Whether `expr` makes a tensor without history, or passes on a part of one of `parameters`.
pub fn passes_on(expr: &Expr, parameters: &[String]) -> bool {
    let all = |mut parts: syn::punctuated::Iter<Expr>| parts.all(|part| passes_on(part, parameters));
    match expr {
        Expr::Lit(_) => true,
        Expr::Path(e) => e.path.get_ident().is_some_and(|name| {
            let name = name.to_string();
            parameters.contains(&name) || name.starts_with(char::is_uppercase)
        }),
        Expr::Paren(e) => passes_on(&e.expr, parameters),
        Expr::Reference(e) => passes_on(&e.expr, parameters),
        Expr::Field(e) => passes_on(&e.base, parameters),
        Expr::Index(e) => passes_on(&e.expr, parameters),
        Expr::Tuple(e) => all(e.elems.iter()),
        Expr::Array(e) => all(e.elems.iter()),
        Expr::Struct(e) => e.fields.iter().all(|field| passes_on(&field.expr, parameters)),
        Expr::Block(e) => tail(&e.block).is_some_and(|tail| passes_on(tail, parameters)),
        Expr::Macro(e) => e.mac.path.is_ident("format") || e.mac.tokens.is_empty(),
        Expr::Call(call) => makes_plain(call) || (wraps_values(call) && all(call.args.iter())),
        Expr::MethodCall(call) => {
            stores::makes_constant(&call.method)
                || (stores::keeps_history(&call.method) && passes_on(&call.receiver, parameters))
        }
        _ => false,
    }
}

fn tail(block: &Block) -> Option<&Expr> {
    match block.stmts.as_slice() {
        [Stmt::Expr(expr, None)] => Some(expr),
        _ => None,
    }
}

/// `Tensor::zeros(..)`, `Vec::new()`, `Meter::default()`.
fn makes_plain(call: &ExprCall) -> bool {
    let Some(path) = stores::callee(call) else { return false };
    let empty =
        call.args.is_empty() && ["new", "default"].iter().any(|name| stores::ends_in_name(path, name));
    empty || stores::constructs_tensor(path)
}

/// `Some(..)`, `Box::new(..)`, `Sample(..)`.
fn wraps_values(call: &ExprCall) -> bool {
    stores::callee(call).is_some_and(|path| stores::is_constructor(path) || stores::ends_in_name(path, "new"))
}
