//! Calls: what is put where, and what a call takes along.

use proc_macro2::{Ident, Span};
use syn::{Expr, ExprCall, ExprMethodCall, Path, punctuated::Punctuated, token::Comma, visit_mut::VisitMut};

use super::{
    check,
    place::{self, Place, Root, Via, span_of},
    plain,
    scope::{Access, Callable},
    stores::{self, Times},
    walker::{RegionKind, Walker, change},
};

/// What of a call is checked where it stands.
#[derive(Clone, Copy, PartialEq)]
enum Checked {
    Nothing,
    /// What it is called on, into which something is put.
    Receiver,
    /// What it is called on, never to be given back.
    Leaked,
    /// What it returns, made of an epoch.
    Result,
    /// What it is called with, kept by it.
    Arguments,
    /// What it is called with by value, in a function that calls itself.
    Carried,
}

impl Walker<'_> {
    pub(super) fn visit_method_call(&mut self, expr: &mut Expr) {
        let Expr::MethodCall(call) = expr else { return };
        let checked = self.checked(call);
        // What is added to the parts of the call is not to be added once more.
        let original =
            matches!(checked, Checked::Receiver | Checked::Leaked | Checked::Carried).then(|| call.clone());
        self.visit_receiver(&mut call.receiver);
        self.visit_method_args(call);
        match (checked, &original) {
            (Checked::Result, _) => check::stored(expr),
            (Checked::Receiver, Some(original)) => check_through_view(original, expr),
            (Checked::Leaked, Some(original)) => {
                check::beside("kept_after_the_step", &original.receiver, span_of(&original.receiver), expr);
            }
            (Checked::Carried, Some(original)) => self.check_carried(&original.args, expr),
            _ => {}
        }
    }

    /// Notes the use of the receiver, and finds what else of `call` is checked.
    fn checked(&mut self, call: &ExprMethodCall) -> Checked {
        if self.note_receiver(call) {
            Checked::Receiver
        } else if self.gathers(call) {
            Checked::Result
        } else if call.args.is_empty() && call.method == "leak" {
            Checked::Leaked
        } else if is_self(&call.receiver) && call.method == self.function && !self.whole_is_step() {
            Checked::Carried
        } else {
            Checked::Nothing
        }
    }

    /// Notes the use of the receiver; true when the receiver's own type must be checked here.
    pub(super) fn note_receiver(&mut self, call: &ExprMethodCall) -> bool {
        let Some((place, via)) = place::reach(&call.receiver) else { return false };
        let in_place = stores::is_in_place_name(&call.method);
        if in_place && self.no_grad > 0 {
            if via == Via::Direct {
                self.use_place(place, Access::Read, None);
            }
            return false;
        }
        let stores = stores::is_store(&call.method) || (in_place && plain::can_attach(&call.args));
        let blame = || call.args.last().map(blame_of);
        let lent = via == Via::Getter && self.access_by_binding(&place) == Access::Lend;
        if stores && !in_place && lent {
            self.use_place(place, Access::Store, blame());
            return false;
        }
        if stores && (self.writes_through_view(&place, via) || self.takes_an_epoch(call)) {
            return true;
        }
        match via {
            Via::Direct if stores => self.use_place(change(place), Access::Store, blame()),
            Via::Direct => {
                let access = self.access_by_name(&place, &call.method);
                self.use_place(place, access, None);
            }
            Via::Part if stores => self.use_place(place, Access::Store, blame()),
            Via::Part | Via::View | Via::Getter => {}
        }
        false
    }

    /// Whether the receiver is a view of something outside, or a variable bound to one.
    pub(super) fn writes_through_view(&self, place: &Place, via: Via) -> bool {
        if matches!(via, Via::View | Via::Getter) {
            return self.is_outside(place);
        }
        let Root::Local(ident) = &place.root else { return false };
        let Some(id) = self.scopes.resolve(&ident.to_string()) else { return false };
        let (_, base) = self.region();
        id >= base && matches!(self.scopes.get(id).origin, Some((_, _, Via::View))) && self.is_outside(place)
    }

    pub(super) fn access_by_name(&self, place: &Place, method: &Ident) -> Access {
        if stores::is_change(method) {
            Access::Lend
        } else if stores::is_read(method) || (self.is_tensor(place) && !stores::is_in_place_name(method)) {
            Access::Read
        } else {
            self.access_by_binding(place)
        }
    }

    fn is_tensor(&self, place: &Place) -> bool {
        let id = self.scopes.resolve(&place.root_name());
        place.members.is_empty() && id.is_some_and(|id| self.scopes.get(id).tensor)
    }

    pub(super) fn access_by_binding(&self, place: &Place) -> Access {
        let Root::Local(ident) = &place.root else { return Access::Read };
        let id = self.scopes.resolve(&ident.to_string());
        if id.is_some_and(|id| self.scopes.get(id).mutable) { Access::Lend } else { Access::Read }
    }

    /// The receiver was noted with the call, so that only what stands inside it is left.
    pub(super) fn visit_receiver(&mut self, receiver: &mut Expr) {
        match Place::of(receiver) {
            Some(_) => self.visit_indices(receiver),
            None => self.visit_expr_mut(receiver),
        }
    }

    pub(super) fn visit_indices(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Paren(e) => self.visit_indices(&mut e.expr),
            Expr::Group(e) => self.visit_indices(&mut e.expr),
            Expr::Reference(e) => self.visit_indices(&mut e.expr),
            Expr::Unary(e) => self.visit_indices(&mut e.expr),
            Expr::Field(e) => self.visit_indices(&mut e.base),
            Expr::Try(e) => self.visit_indices(&mut e.expr),
            Expr::Index(e) => {
                self.visit_indices(&mut e.expr);
                self.visit_expr_mut(&mut e.index);
            }
            _ => {}
        }
    }

    pub(super) fn visit_method_args(&mut self, call: &mut ExprMethodCall) {
        let ExprMethodCall { receiver, method, args, .. } = call;
        let times = stores::calls_of_method(method);
        let carries = args.len() == 2 && self.gathers_here() && stores::is_carrier(method);
        let spawns = *method == "spawn" && Place::of(receiver).is_none_or(|place| self.spawns_from(&place));
        for (index, arg) in args.iter_mut().enumerate() {
            if spawns {
                self.visit_spawn(arg);
            } else {
                self.for_effect = is_call_of_closure(arg) && *method == "for_each";
                self.visit_called(arg, Some(receiver), times);
                self.for_effect = false;
            }
            if carries && index == 0 {
                check::stored(arg);
            }
        }
    }

    /// A pool or scope from outside, the type of which is not checked as a whole.
    fn spawns_from(&self, place: &Place) -> bool {
        self.is_outside(place) && self.access_by_binding(place) == Access::Read
    }

    pub(super) fn visit_call(&mut self, expr: &mut Expr) {
        let Expr::Call(call) = expr else { return };
        let (grad_mode, path) = (self.no_grad, stores::callee(call));
        let checked = path.map_or(Checked::Nothing, |path| self.checked_call(path, &call.args));
        match path {
            Some(path) if stores::is_no_grad(path) => self.no_grad += 1,
            Some(path) if stores::is_with_grad(path) => self.no_grad = 0,
            _ => {}
        }
        let for_effect = std::mem::take(&mut self.for_effect);
        let suspect = self.visit_called_function(&mut call.func, for_effect);
        let carries = suspect || checked == Checked::Carried;
        let original = if carries { call.args.clone() } else { Punctuated::new() };
        self.visit_call_args(call);
        self.no_grad = grad_mode;
        match (checked, expr) {
            (_, expr) if suspect => {
                let mut check = |arg: &Expr| check::beside("kept_after_the_step", arg, span_of(arg), expr);
                original.iter().for_each(&mut check);
            }
            (Checked::Result, expr) => check::stored(expr),
            (Checked::Arguments, Expr::Call(call)) => call.args.iter_mut().for_each(check::stored),
            (Checked::Carried, expr) => self.check_carried(&original, expr),
            _ => {}
        }
    }

    fn visit_call_args(&mut self, call: &mut ExprCall) {
        let path = stores::callee(call);
        let spawns = path.is_some_and(stores::is_spawn);
        let moves_into = path.is_some_and(stores::is_replace);
        let times = path.map_or(Times::Unknown, stores::calls_of_function);
        let values: Vec<_> = call.args.iter().filter(|_| moves_into).map(blame_of).collect();
        for (index, arg) in call.args.iter_mut().enumerate() {
            match arg {
                Expr::Reference(e) if moves_into && e.mutability.is_some() => {
                    let value = values.get(1 - index.min(1)).copied();
                    self.note_loan(&mut e.expr, Access::Store, value);
                }
                arg if spawns => self.visit_spawn(arg),
                arg => self.visit_called(arg, None, times),
            }
        }
    }

    /// Functions that gather, leak, or are the one being walked.
    fn checked_call(&self, path: &Path, args: &Punctuated<Expr, Comma>) -> Checked {
        if self.gathers_by_call(path, args) {
            Checked::Result
        } else if stores::is_leak(path) || self.breaks_iteration(path) {
            Checked::Arguments
        } else if self.calls_itself(path) {
            Checked::Carried
        } else {
            Checked::Nothing
        }
    }

    /// `log(loss)` uses the variable `log`; true when `log` is a closure from outside that may keep its arguments.
    ///
    /// A closure written in this function counts as what it captures. Of any other, only what it is called with can be
    /// kept: suspected are `FnMut`, and any closure called for its effect alone (`log(loss);`).
    pub(super) fn visit_called_function(&mut self, func: &mut Expr, for_effect: bool) -> bool {
        let Some(place) = Place::of(func).filter(|place| matches!(place.root, Root::Local(_))) else {
            self.visit_expr_mut(func);
            return false;
        };
        let Some(id) = self.scopes.resolve(&place.root_name()) else { return false };
        if !place.members.is_empty() || self.is_element_of_another(id) {
            self.visit_indices(func);
            return for_effect && !self.is_vouched(&place) && self.in_a_step() && self.comes_from_outside(id);
        }
        if self.scopes.get(id).closure.is_some() {
            let access = self.access_by_binding(&place);
            self.use_place(place, access, None);
            return false;
        }
        !self.is_vouched(&place) && self.may_keep_arguments(id, for_effect)
    }

    fn is_vouched(&self, place: &Place) -> bool {
        self.args.vouched.iter().any(|name| *name == place.root_name())
    }

    fn in_a_step(&self) -> bool {
        self.region().0 != RegionKind::Function
    }

    /// `for hook in &hooks`: the loan of `&mut hooks` is checked where it is made.
    fn is_element_of_another(&self, id: usize) -> bool {
        let variable = self.scopes.get(id);
        id >= self.region().1 && variable.origin.is_some() && variable.closure.is_none() && !variable.mutable
    }

    fn comes_from_outside(&self, id: usize) -> bool {
        let (_, base) = self.region();
        let origin = self.scopes.get(id).origin.as_ref();
        id < base || origin.is_some_and(|(_, root, _)| root.is_some_and(|root| self.comes_from_outside(root)))
    }

    fn may_keep_arguments(&self, id: usize, for_effect: bool) -> bool {
        let variable = self.scopes.get(id);
        let suspect = match variable.callable {
            Some(Callable::Pointer) => false,
            Some(Callable::Mutable) => true,
            Some(Callable::Shared) => for_effect,
            None => variable.mutable || for_effect,
        };
        suspect && id < self.region().1 && self.in_a_step()
    }

    /// `ControlFlow::Break(value)` in a closure that is called per element hands the value out.
    fn breaks_iteration(&self, path: &Path) -> bool {
        let per_element = matches!(self.region().0, RegionKind::Step | RegionKind::Element);
        per_element && self.no_grad == 0 && stores::ends_in(path, "ControlFlow", "Break")
    }

    fn calls_itself(&self, path: &Path) -> bool {
        let named = path.segments.last().is_some_and(|last| last.ident == self.function);
        let own =
            path.segments.len() == 1 || path.segments.first().is_some_and(|first| first.ident == "Self");
        named && own && !self.whole_is_step()
    }

    /// A function that calls itself is a loop: what it hands on by value is carried from turn to turn.
    fn check_carried(&mut self, args: &Punctuated<Expr, Comma>, expr: &mut Expr) {
        for arg in args.iter().filter(|arg| !self.is_borrowed(arg)) {
            check::beside("kept_after_the_step", arg, span_of(arg), expr);
        }
    }

    pub(super) fn is_borrowed(&self, arg: &Expr) -> bool {
        match (arg, Place::of(arg)) {
            (Expr::Reference(_) | Expr::Lit(_), _) => true,
            (_, Some(Place { root: Root::Local(ident), bare: true, .. })) => {
                self.scopes.resolve(&ident.to_string()).is_none_or(|id| self.scopes.get(id).reference)
            }
            _ => false,
        }
    }
}

/// `|hook| hook(&loss)`.
fn is_call_of_closure(arg: &Expr) -> bool {
    matches!(arg, Expr::Closure(closure) if matches!(*closure.body, Expr::Call(_)))
}

fn is_self(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(path) if path.path.is_ident("self"))
}

/// What is put into the result of a call: of an in-place operation on tensors, what it writes must bring no graph.
fn check_through_view(call: &ExprMethodCall, expr: &mut Expr) {
    let blame = call.args.last().map_or_else(|| span_of(&call.method), blame_of);
    if stores::is_store(&call.method) {
        return check::beside("kept_after_the_step", &call.receiver, blame, expr);
    }
    let written: Vec<&Expr> = call.args.iter().filter(|arg| !plain::brings_no_graph(arg)).collect();
    let target = match written.as_slice() {
        [single] => (*single).clone(),
        several => syn::parse_quote!((#(&#several),*)),
    };
    check::beside("written_in_place", &target, blame, expr);
}

/// Where an error about the value `arg` points: at a closure's result rather than at the closure.
fn blame_of(arg: &Expr) -> (Span, Span) {
    match arg {
        Expr::Closure(closure) => span_of(&closure.body),
        _ => span_of(arg),
    }
}
