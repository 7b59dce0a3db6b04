//! Values that leave a step sideways: by `break`, `return` or `?`.

use syn::{
    Expr, ExprCall, Label, ReturnType, Type,
    visit_mut::{self, VisitMut},
};

use super::{
    check, stores,
    walker::{RegionKind, Walker},
};

/// How many regions were open where something began that can be left.
#[derive(Clone, Copy, Default)]
pub(super) struct Depth(usize);

impl Walker<'_> {
    fn depth(&self) -> Depth {
        Depth(self.regions.len())
    }

    /// Whether control that goes back to `target` leaves the step around this point.
    fn leaves_step(&self, target: Depth) -> bool {
        self.region().0 == RegionKind::Step && target.0 < self.regions.len()
    }

    /// Visits what `label` names.
    pub(super) fn labelled(&mut self, label: Option<&Label>, visit: impl FnOnce(&mut Self)) {
        let depth = self.depth();
        self.labels.extend(label.map(|label| (label.name.ident.to_string(), depth)));
        visit(self);
        if label.is_some() {
            self.labels.pop();
        }
    }

    /// Visits the body of a closure or of an `async` block, to which `return` and `?` go back.
    pub(super) fn returning_here(&mut self, visit: impl FnOnce(&mut Self)) {
        let depth = self.depth();
        let outer = std::mem::replace(&mut self.returns_to, depth);
        let fails = std::mem::replace(&mut self.fallible, false);
        visit(self);
        (self.returns_to, self.fallible) = (outer, fails);
    }

    /// `break value`, `break 'label value`.
    pub(super) fn visit_break(&mut self, expr: &mut Expr) {
        let Expr::Break(e) = expr else { return };
        let leaves = match &e.label {
            Some(label) => {
                let mut named = self.labels.iter().rev().filter(|(name, _)| label.ident == name);
                named.next().is_some_and(|(_, depth)| self.leaves_step(*depth))
            }
            None => self.region().0 == RegionKind::Step && self.inner_loops == 0,
        };
        let Some(value) = &mut e.expr else { return };
        self.visit_expr_mut(value);
        if leaves {
            hand_out(value, false);
        }
    }

    /// Whether `return` leaves a step that trains: of other loops it may hand out what was searched for.
    fn returns_from_training(&self) -> bool {
        self.leaves_step(self.returns_to) && self.regions.last().is_some_and(|region| region.trains)
    }

    /// `return value`.
    pub(super) fn visit_return(&mut self, e: &mut syn::ExprReturn) {
        let Some(value) = &mut e.expr else { return };
        self.visit_expr_mut(value);
        if self.returns_from_training() {
            hand_out(value, self.fallible);
        }
    }

    /// `Err(error)?`.
    pub(super) fn visit_try(&mut self, expr: &mut Expr) {
        let Expr::Try(e) = expr else { return };
        let is_error = matches!(&*e.expr, Expr::Call(call) if wraps(call, &["Err"]));
        if !is_error {
            return self.visit_read(expr);
        }
        visit_mut::visit_expr_try_mut(self, e);
        if self.returns_from_training() {
            hand_out(&mut e.expr, true);
        }
    }
}

/// Whether the function with this output returns a `Result` of some kind, whose error may be of any type.
pub(super) fn is_fallible(output: &ReturnType) -> bool {
    let ReturnType::Type(_, ty) = output else { return false };
    match &**ty {
        Type::Path(ty) => {
            ty.path.segments.last().is_some_and(|last| last.ident.to_string().ends_with("Result"))
        }
        _ => false,
    }
}

/// Checks a value where it stands; of a `Result` only what is written inside `Ok` and `Err`.
fn hand_out(value: &mut Expr, fallible: bool) {
    match value {
        Expr::Call(call) if wraps(call, &["Err"]) => call.args.iter_mut().for_each(error_parts),
        Expr::Call(call) if wraps(call, &["Ok", "Some"]) => {
            call.args.iter_mut().for_each(|arg| hand_out(arg, false));
        }
        Expr::Paren(e) => hand_out(&mut e.expr, fallible),
        Expr::Path(path) if path.path.is_ident("None") => {}
        Expr::Lit(_) => {}
        Expr::Macro(e) if e.mac.path.segments.last().is_some_and(|last| stores::diverges(&last.ident)) => {}
        _ if fallible => {}
        value => check::stored(value),
    }
}

/// An error is often of a foreign type, about which nothing is known: only what is put into it by name is checked.
fn error_parts(error: &mut Expr) {
    match error {
        Expr::Struct(e) => e.fields.iter_mut().for_each(|field| {
            field.colon_token.get_or_insert_default();
            error_part(&mut field.expr);
        }),
        Expr::Call(call) if stores::callee(call).is_some_and(stores::is_constructor) => {
            call.args.iter_mut().for_each(error_part);
        }
        _ => {}
    }
}

fn error_part(part: &mut Expr) {
    match part {
        Expr::Struct(_) | Expr::Call(_) => error_parts(part),
        Expr::Path(path) if path.path.get_ident().is_some_and(stores::is_error_name) => {}
        Expr::Path(_) | Expr::Field(_) | Expr::MethodCall(_) | Expr::Index(_) => check::stored(part),
        _ => {}
    }
}

fn wraps(call: &ExprCall, names: &[&str]) -> bool {
    let last = stores::callee(call).and_then(|path| path.segments.last());
    call.args.len() == 1 && last.is_some_and(|last| names.iter().any(|name| last.ident == name))
}
