//! Loops and closures: where a step begins and ends.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprClosure, Pat, visit_mut::VisitMut};

use super::{
    check::{self, Check},
    mode::{self, LoopKind},
    place::{Place, Root},
    scope::{Access, Use},
    stores::{self, Times},
    walker::{Recorder, Region, RegionKind, Walker},
};
use crate::hatch;

impl Walker<'_> {
    pub(super) fn visit_loop(&mut self, expr: &mut Expr) {
        let Some((attrs, body)) = mode::parts(expr) else { return };
        let marked = hatch::take(attrs, "step").is_some();
        let kind = if marked { LoopKind::Step } else { mode::kind_of(body, self.marks_steps) };
        let trains = marked || mode::block_calls_backward(body);
        if let Expr::ForLoop(for_loop) = expr {
            self.visit_expr_mut(&mut for_loop.expr);
        }
        if self.in_step() {
            self.inner_loops += 1;
            self.visit_turn(expr);
            self.inner_loops -= 1;
            return;
        }
        let kind = if kind == LoopKind::Step { RegionKind::Step } else { RegionKind::Outer };
        let checks = self.within(kind, |walker| {
            walker.set_trains(trains);
            if let Expr::ForLoop(for_loop) = &*expr {
                walker.note_lent(&for_loop.expr);
            }
            walker.visit_turn(expr);
        });
        if !checks.is_empty() {
            check::before(&checks, expr);
        }
    }

    /// One turn of a loop: its condition, its pattern, its body.
    pub(super) fn visit_turn(&mut self, expr: &mut Expr) {
        self.scopes.open();
        match expr {
            Expr::ForLoop(e) => {
                let lent = lends_mutably(&e.expr);
                for id in self.declare(&e.pat, Some(&e.expr)) {
                    self.scopes.get_mut(id).mutable |= lent;
                }
                self.visit_block_mut(&mut e.body);
            }
            Expr::While(e) => {
                self.visit_expr_mut(&mut e.cond);
                self.visit_block_mut(&mut e.body);
            }
            Expr::Loop(e) => self.visit_block_mut(&mut e.body),
            _ => {}
        }
        self.scopes.close();
    }

    /// `for slot in slots.iter_mut()` lends a part of `slots` to every turn.
    fn note_lent(&mut self, source: &Expr) {
        match source {
            Expr::Reference(e) if e.mutability.is_some() => {
                if let Some(place) = Place::of(&e.expr) {
                    self.use_place(place, Access::Lend, None);
                }
            }
            Expr::MethodCall(call) if stores::lends(&call.method) => {
                if let Some(place) = Place::of(&call.receiver) {
                    self.use_place(place, Access::Lend, None);
                }
            }
            Expr::MethodCall(call) if call.method == "by_ref" => {
                if let Some(place) = Place::of(&call.receiver) {
                    self.use_place(place, Access::Read, None);
                }
            }
            Expr::MethodCall(call) => {
                self.note_lent(&call.receiver);
                call.args.iter().for_each(|arg| self.note_lent(arg));
            }
            _ => {}
        }
    }

    fn set_trains(&mut self, trains: bool) {
        if let Some(region) = self.regions.last_mut() {
            region.trains = trains;
        }
    }

    pub(super) fn within(&mut self, kind: RegionKind, visit: impl FnOnce(&mut Self)) -> Vec<Check> {
        let inner_loops = std::mem::take(&mut self.inner_loops);
        let base = self.scopes.next();
        self.regions.push(Region { kind, base, trains: false, checks: Vec::new() });
        visit(self);
        self.inner_loops = inner_loops;
        self.regions.pop().map(|region| region.checks).unwrap_or_default()
    }

    pub(super) fn visit_closure(&mut self, closure: &mut ExprClosure, from: Option<&Expr>) {
        self.scopes.open();
        for input in &closure.inputs {
            self.declare(input, from);
        }
        self.returning_here(|walker| walker.visit_expr_mut(&mut closure.body));
        self.scopes.close();
    }

    /// A closure handed to a call: outside of steps it may be a loop body.
    pub(super) fn visit_called(&mut self, arg: &mut Expr, from: Option<&Expr>, times: Times) {
        let closure = match arg {
            Expr::Closure(closure) => closure,
            Expr::Reference(e) if matches!(*e.expr, Expr::Closure(_)) => {
                return self.visit_called(&mut e.expr, from, times);
            }
            arg => return self.visit_handed_on(arg, times),
        };
        let kind = if self.in_step() { None } else { kind_of_closure(closure, times) };
        let Some(kind) = kind else { return self.visit_closure(closure, from) };
        let checks = self.within(kind, |walker| {
            from.into_iter().for_each(|source| walker.note_lent(source));
            walker.visit_closure(closure, from);
        });
        if !checks.is_empty() {
            check::before(&checks, arg);
        }
    }

    /// `each(log)`, `each(&mut log)`: what the closure bound to `log` changes, it changes as often as it is called.
    fn visit_handed_on(&mut self, arg: &mut Expr, times: Times) {
        let captures = self.closure_of(arg).filter(|_| times != Times::Once && !self.in_step());
        self.visit_expr_mut(arg);
        let Some(captures) = captures else { return };
        let checks = self
            .within(RegionKind::Element, |walker| captures.into_iter().for_each(|used| walker.note(used)));
        if !checks.is_empty() {
            check::before(&checks, arg);
        }
    }

    pub(super) fn closure_of(&self, arg: &Expr) -> Option<Vec<Use>> {
        let place = Place::of(arg).filter(|place| place.members.is_empty())?;
        self.scopes.get(self.scopes.resolve(&place.root_name())?).closure.clone()
    }

    /// `let log = |loss| history.push(loss);` outside of steps: what it captures counts where it is used.
    pub(super) fn visit_bound_closure(&mut self, pat: &Pat, closure: &mut ExprClosure) {
        self.recorders.push(Recorder { base: self.scopes.next(), uses: Vec::new() });
        self.visit_closure(closure, None);
        let uses = self.recorders.pop().map(|recorder| recorder.uses);
        for id in self.declare(pat, None) {
            self.scopes.get_mut(id).closure.clone_from(&uses);
        }
    }

    /// Variables that a thread takes along from inside a step.
    pub(super) fn visit_spawn(&mut self, arg: &mut Expr) {
        let base = self.scopes.next();
        self.recorders.push(Recorder { base, uses: Vec::new() });
        self.visit_expr_mut(arg);
        let Some(recorder) = self.recorders.pop() else { return };
        if !self.in_step() || !matches!(arg, Expr::Closure(_) | Expr::Async(_)) {
            return;
        }
        let mut tokens = TokenStream::new();
        let mut names: Vec<(String, Vec<String>)> = Vec::new();
        for used in recorder.uses {
            let name = (used.place.root_name(), used.place.member_names());
            if let Root::Local(ident) = &used.place.root
                && !names.contains(&name)
            {
                let members = &used.place.members;
                let target = Expr::Verbatim(quote!(#ident #(.#members)*));
                tokens.extend(check::of_value("sent_to_a_thread", &target, used.blame));
                names.push(name);
            }
        }
        if !tokens.is_empty() {
            *arg = Expr::Verbatim(quote!({ #tokens #arg }));
        }
    }
}

/// What the body of a closure is to a function outside of every step; `None` where it is code like the code around it.
fn kind_of_closure(closure: &ExprClosure, times: Times) -> Option<RegionKind> {
    let per_element = times == Times::PerElement;
    let calls_backward = mode::calls_backward(closure);
    match (calls_backward, mode::contains_loop(closure)) {
        (true, true) if per_element && mode::steps_in_loop(closure) => Some(RegionKind::Outer),
        (_, true) if !per_element => None,
        (true, _) => Some(RegionKind::Step),
        (false, _) if per_element || (times == Times::Unknown && !closure.inputs.is_empty()) => {
            Some(RegionKind::Element)
        }
        _ => None,
    }
}

/// `&mut hooks`, `hooks.iter_mut()`.
fn lends_mutably(source: &Expr) -> bool {
    match source {
        Expr::Reference(e) => e.mutability.is_some(),
        Expr::MethodCall(call) => stores::lends(&call.method) || lends_mutably(&call.receiver),
        _ => false,
    }
}
