//! The walk itself: scopes in the order of evaluation, and one line per kind of expression.

use syn::{
    Attribute, Block, Expr, Item, Local, Pat, Stmt,
    visit_mut::{self, VisitMut},
};

use super::{
    captures::is_compound,
    mode, nested, plain,
    scope::{Access, Origin},
    stores,
    walker::Walker,
};
use crate::hatch;

impl VisitMut for Walker<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let no_grad = self.no_grad;
        self.scopes.open();
        for stmt in &mut block.stmts {
            self.visit_stmt_mut(stmt);
        }
        self.scopes.close();
        self.no_grad = no_grad;
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let attrs = match stmt {
            Stmt::Local(local) => Some(&mut local.attrs),
            Stmt::Expr(expr, _) => leading_attrs(expr),
            Stmt::Macro(mac) => Some(&mut mac.attrs),
            Stmt::Item(_) => None,
        };
        if attrs.is_some_and(|attrs| self.allowed(attrs)) {
            if let Stmt::Local(local) = stmt {
                self.declare(&local.pat, None);
            }
            return;
        }
        self.for_effect = matches!(stmt, Stmt::Expr(Expr::Call(_), Some(_)));
        visit_mut::visit_stmt_mut(self, stmt);
        self.for_effect = false;
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        let Some(init) = &mut local.init else {
            self.declare(&local.pat, None);
            return;
        };
        if let Expr::Closure(closure) = &mut *init.expr
            && !self.in_step()
        {
            return self.visit_bound_closure(&local.pat, closure);
        }
        let bound = self.bound(&local.pat, &init.expr);
        self.for_effect = matches!((&local.pat, &*init.expr), (Pat::Wild(_), Expr::Call(_)));
        self.visit_expr_mut(&mut init.expr);
        if let Some((_, diverge)) = &mut init.diverge {
            self.visit_expr_mut(diverge);
        }
        for id in self.scopes.declare_pattern(&local.pat, bound.origin.as_ref()) {
            let variable = self.scopes.get_mut(id);
            variable.lazy = bound.lazy;
            variable.tensor |= bound.tensor;
        }
        self.no_grad += usize::from(bound.no_grad);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Block(_) => {
                let label = mode::label(expr).cloned();
                self.labelled(label.as_ref(), |walker| walker.visit_labelled(expr));
            }
            Expr::Async(e) => self.returning_here(|walker| walker.visit_block_mut(&mut e.block)),
            Expr::Closure(closure) => self.visit_closure(closure, None),
            Expr::MethodCall(_) => self.visit_method_call(expr),
            Expr::Call(_) => self.visit_call(expr),
            Expr::Assign(e) => {
                self.visit_expr_mut(&mut e.right);
                self.visit_assigned(&mut e.left);
            }
            Expr::Binary(e) if is_compound(&e.op) => self.visit_compound(expr),
            Expr::Reference(e) if e.mutability.is_some() => self.note_loan(&mut e.expr, Access::Lend, None),
            Expr::Let(e) => {
                self.visit_expr_mut(&mut e.expr);
                self.declare(&e.pat, Some(&e.expr));
            }
            Expr::If(e) => self.visit_if(e),
            Expr::Match(e) => self.visit_match(e),
            Expr::Break(_) => self.visit_break(expr),
            Expr::Return(e) => self.visit_return(e),
            Expr::Try(_) => self.visit_try(expr),
            Expr::Macro(e) => self.visit_macro(&mut e.mac),
            Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Unary(_) => self.visit_read(expr),
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_stmt_macro_mut(&mut self, stmt: &mut syn::StmtMacro) {
        self.visit_macro(&mut stmt.mac);
    }

    fn visit_item_mut(&mut self, item: &mut Item) {
        nested::guard_item(item, self.errors);
    }
}

/// What a value says about the variables bound to it.
struct Bound {
    origin: Option<Origin>,
    lazy: bool,
    tensor: bool,
    /// Whether grad is off for as long as they live.
    no_grad: bool,
}

impl Walker<'_> {
    fn bound(&self, pat: &Pat, value: &Expr) -> Bound {
        Bound {
            origin: self.origin_of(value),
            lazy: stores::stays_iterator(value) && self.runs_closures(value),
            tensor: matches!(pat, Pat::Ident(_)) && plain::starts_as_tensor(value),
            no_grad: stores::is_no_grad_guard(value) && !matches!(pat, Pat::Wild(_)),
        }
    }

    /// Takes `#[allow_retain(reason = "...")]` off a statement; true when it was there.
    fn allowed(&mut self, attrs: &mut Vec<Attribute>) -> bool {
        let Some(attr) = hatch::take(attrs, "allow_retain") else { return false };
        self.errors.take(hatch::check(&attr));
        true
    }

    fn visit_labelled(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Block(e) => self.visit_block_mut(&mut e.block),
            looping => self.visit_loop(looping),
        }
    }

    fn visit_if(&mut self, e: &mut syn::ExprIf) {
        self.scopes.open();
        self.visit_expr_mut(&mut e.cond);
        self.visit_block_mut(&mut e.then_branch);
        self.scopes.close();
        if let Some((_, other)) = &mut e.else_branch {
            self.visit_expr_mut(other);
        }
    }

    fn visit_match(&mut self, e: &mut syn::ExprMatch) {
        self.visit_expr_mut(&mut e.expr);
        for arm in &mut e.arms {
            self.scopes.open();
            self.declare(&arm.pat, Some(&e.expr));
            if let Pat::Guard(guard) = &mut arm.pat {
                self.visit_expr_mut(&mut guard.guard);
            }
            self.visit_expr_mut(&mut arm.body);
            self.scopes.close();
        }
    }
}

/// The attributes of a statement: syn hands them to the leftmost expression of some operators.
fn leading_attrs(expr: &mut Expr) -> Option<&mut Vec<Attribute>> {
    Some(match expr {
        Expr::Assign(e) => return leading_attrs(&mut e.left),
        Expr::Binary(e) => return leading_attrs(&mut e.left),
        Expr::Cast(e) => return leading_attrs(&mut e.expr),
        Expr::MethodCall(e) => &mut e.attrs,
        Expr::Call(e) => &mut e.attrs,
        Expr::Macro(e) => &mut e.attrs,
        Expr::Path(e) => &mut e.attrs,
        Expr::Field(e) => &mut e.attrs,
        Expr::Index(e) => &mut e.attrs,
        Expr::Unary(e) => &mut e.attrs,
        Expr::Tuple(e) => &mut e.attrs,
        Expr::Array(e) => &mut e.attrs,
        Expr::ForLoop(e) => &mut e.attrs,
        Expr::While(e) => &mut e.attrs,
        Expr::Loop(e) => &mut e.attrs,
        Expr::Block(e) => &mut e.attrs,
        Expr::Unsafe(e) => &mut e.attrs,
        Expr::If(e) => &mut e.attrs,
        Expr::Match(e) => &mut e.attrs,
        Expr::Try(e) => &mut e.attrs,
        Expr::Paren(e) => &mut e.attrs,
        Expr::Return(e) => &mut e.attrs,
        Expr::Break(e) => &mut e.attrs,
        _ => return None,
    })
}
