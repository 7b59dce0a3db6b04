//! Assignments, loans, reads and macros: which places a step captures, and how.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{
    BinOp, Expr,
    visit_mut::{self, VisitMut},
};

use super::{
    check,
    place::{self, Place, Via, span_of},
    plain,
    scope::Access,
    stores,
    walker::{Walker, change},
};

impl Walker<'_> {
    pub(super) fn visit_assigned(&mut self, target: &mut Expr) {
        match target {
            Expr::Tuple(e) => e.elems.iter_mut().for_each(|e| self.visit_assigned(e)),
            Expr::Array(e) => e.elems.iter_mut().for_each(|e| self.visit_assigned(e)),
            Expr::Paren(e) => self.visit_assigned(&mut e.expr),
            Expr::Struct(e) => e.fields.iter_mut().for_each(|field| self.visit_assigned(&mut field.expr)),
            Expr::Call(e) => e.args.iter_mut().for_each(|e| self.visit_assigned(e)),
            Expr::Infer(_) => {}
            target => self.note_loan(target, Access::Store, None),
        }
    }

    /// A place that is assigned, or lent by `&mut`.
    pub(super) fn note_loan(&mut self, target: &mut Expr, access: Access, blame: Option<(Span, Span)>) {
        match place::reach(target) {
            Some((place, Via::Direct)) => {
                self.use_place(place, access, blame);
                self.visit_indices(target);
            }
            Some((place, Via::Part)) if access == Access::Store => {
                let blame = blame.unwrap_or_else(|| span_of(target));
                self.use_place(place, access, Some(blame));
                self.visit_expr_mut(target);
            }
            _ => self.visit_expr_mut(target),
        }
    }

    /// `a += b`: on tensors it writes in place, by which no graph attaches without grad, nor with what is cut off.
    pub(super) fn visit_compound(&mut self, expr: &mut Expr) {
        let Expr::Binary(binary) = expr else { return };
        let attaches = self.no_grad == 0 && !plain::is_detached(&binary.right);
        self.visit_expr_mut(&mut binary.right);
        let through_view =
            place::reach(&binary.left).is_some_and(|(place, via)| self.writes_through_view(&place, via));
        if through_view && attaches {
            let target = (*binary.left).clone();
            check::beside("kept_after_the_step", &target, span_of(&target), expr);
        } else if !attaches && let Some((place, _)) = place::reach(&binary.left) {
            self.use_place(change(place), Access::Read, None);
            self.visit_indices(&mut binary.left);
        } else if !through_view {
            self.note_loan(&mut binary.left, Access::Store, None);
        }
    }

    /// A place in value position; a `&mut` handed on bare is lent again.
    pub(super) fn visit_read(&mut self, expr: &mut Expr) {
        let Some(place) = Place::of(expr) else { return visit_mut::visit_expr_mut(self, expr) };
        self.visit_indices(expr);
        self.use_place(place, Access::Read, None);
    }

    pub(super) fn visit_macro(&mut self, mac: &mut syn::Macro) {
        let parser = syn::punctuated::Punctuated::<Expr, syn::Token![,]>::parse_terminated;
        let reading = mac.path.segments.last().is_some_and(|last| stores::is_reading_macro(&last.ident));
        if !reading {
            self.scan(mac.tokens.clone());
        }
        let Ok(exprs) = mac.parse_body_with(parser) else { return };
        for mut expr in exprs {
            match &mut expr {
                Expr::Assign(named) if reading => self.visit_expr_mut(&mut named.right),
                expr => self.visit_expr_mut(expr),
            }
        }
    }

    /// The variables in the tokens of an unknown macro: one declared `mut` counts as changed.
    pub(super) fn scan(&mut self, tokens: TokenStream) {
        let mut after_dot = false;
        for tree in tokens {
            match &tree {
                TokenTree::Group(group) => self.scan(group.stream()),
                TokenTree::Ident(ident) if !after_dot => {
                    let place = Place::variable(ident);
                    let access = self.access_by_binding(&place);
                    self.use_place(place, access, None);
                }
                _ => {}
            }
            after_dot = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '.');
        }
    }
}

/// Whether `op` is `+=` or one of its kin.
pub(super) fn is_compound(op: &BinOp) -> bool {
    use BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}
