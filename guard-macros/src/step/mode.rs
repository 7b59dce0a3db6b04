//! Which loops are step loops.
//!
//! Those marked `#[step]`; where a function marks none, the innermost loops that call `.backward()` or
//! `.backward_step…()`; and every other loop that neither contains a step loop nor lies in one, at its outermost.

use syn::{
    Attribute, Block, Expr, ExprClosure, ExprMethodCall, Item, Label,
    visit::{self, Visit},
};

use super::stores;
use crate::hatch;

/// What a loop outside of every step is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LoopKind {
    /// One turn of it is one step.
    Step,
    /// It contains step loops (epochs, folds): what it changes outlives their steps.
    Outer,
}

/// The attributes and the body of a loop.
pub fn parts(expr: &mut Expr) -> Option<(&mut Vec<Attribute>, &mut Block)> {
    match expr {
        Expr::ForLoop(e) => Some((&mut e.attrs, &mut e.body)),
        Expr::While(e) => Some((&mut e.attrs, &mut e.body)),
        Expr::Loop(e) => Some((&mut e.attrs, &mut e.body)),
        _ => None,
    }
}

/// The kind of a loop with this body, which is itself unmarked; `marks_steps`: its function marks some loop.
pub fn kind_of(body: &Block, marks_steps: bool) -> LoopKind {
    let contains = if marks_steps { contains_marked(body) } else { contains_backward_loop(body) };
    if contains { LoopKind::Outer } else { LoopKind::Step }
}

/// Whether some loop of `block` is marked `#[step]`.
pub fn contains_marked(block: &Block) -> bool {
    let mut search = Marked(false);
    search.visit_block(block);
    search.0
}

/// The label of a loop.
pub fn label(expr: &Expr) -> Option<&Label> {
    match expr {
        Expr::ForLoop(e) => e.label.as_ref(),
        Expr::While(e) => e.label.as_ref(),
        Expr::Loop(e) => e.label.as_ref(),
        Expr::Block(e) => e.label.as_ref(),
        _ => None,
    }
}

/// Whether `closure` calls `backward`.
pub fn calls_backward(closure: &ExprClosure) -> bool {
    let mut search = Backward(false);
    search.visit_expr(&closure.body);
    search.0
}

/// Whether `block` calls `backward`.
pub fn block_calls_backward(block: &Block) -> bool {
    let mut search = Backward(false);
    search.visit_block(block);
    search.0
}

/// Whether a loop inside `closure` calls `backward`.
pub fn steps_in_loop(closure: &ExprClosure) -> bool {
    let mut search = BackwardLoop(false);
    search.visit_expr(&closure.body);
    search.0
}

/// Whether there is any loop in `closure`.
pub fn contains_loop(closure: &ExprClosure) -> bool {
    let mut search = AnyLoop(false);
    search.visit_expr(&closure.body);
    search.0
}

fn contains_backward_loop(block: &Block) -> bool {
    let mut search = BackwardLoop(false);
    search.visit_block(block);
    search.0
}

struct Marked(bool);

impl Visit<'_> for Marked {
    fn visit_expr(&mut self, expr: &Expr) {
        let attrs = match expr {
            Expr::ForLoop(e) => &e.attrs,
            Expr::While(e) => &e.attrs,
            Expr::Loop(e) => &e.attrs,
            _ => return visit::visit_expr(self, expr),
        };
        self.0 |= attrs.iter().any(|attr| hatch::is(attr, "step"));
        visit::visit_expr(self, expr);
    }

    fn visit_item(&mut self, _: &Item) {}
}

struct Backward(bool);

impl Visit<'_> for Backward {
    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        self.0 |= stores::is_backward(&call.method);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item(&mut self, _: &Item) {}
}

/// Looks for a loop, or an iterator chain, that calls `backward`.
struct BackwardLoop(bool);

impl Visit<'_> for BackwardLoop {
    fn visit_expr(&mut self, expr: &Expr) {
        let body = match expr {
            Expr::ForLoop(e) => &e.body,
            Expr::While(e) => &e.body,
            Expr::Loop(e) => &e.body,
            _ => return visit::visit_expr(self, expr),
        };
        let mut search = Backward(false);
        search.visit_block(body);
        self.0 |= search.0;
    }

    fn visit_expr_method_call(&mut self, call: &ExprMethodCall) {
        if stores::is_adapter(&call.method) {
            let closures = call.args.iter().filter_map(|arg| match arg {
                Expr::Closure(closure) => Some(closure),
                _ => None,
            });
            self.0 |= closures.into_iter().any(calls_backward);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_item(&mut self, _: &Item) {}
}

struct AnyLoop(bool);

impl Visit<'_> for AnyLoop {
    fn visit_expr(&mut self, expr: &Expr) {
        self.0 |= matches!(expr, Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_));
        visit::visit_expr(self, expr);
    }

    fn visit_item(&mut self, _: &Item) {}
}
