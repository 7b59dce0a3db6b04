//! What the walk over a function knows, and what becomes of each use it meets.

use proc_macro2::{Ident, Span};
use syn::{Block, Expr, Pat, Signature, Stmt, visit_mut::VisitMut};

use super::{
    check::{self, Check},
    exits::{self, Depth},
    mode,
    place::{self, Place, Root, Via},
    scope::{Access, Callable, Origin, Scopes, Use},
    statics,
};
use crate::{args::Args, error::Errors};

/// Rewrites the body of a function so that rustc checks what its steps keep.
pub fn guard(signature: &Signature, body: &mut Block, args: &Args, errors: &mut Errors) {
    let statics = statics::check_block(body);
    if let Some(asyncness) = &signature.asyncness {
        errors.add(
            asyncness,
            "`#[no_retain]` cannot check an `async fn`, whose future keeps what lives across `.await`: move the step \
             into a function that is not `async`",
        );
        return;
    }
    if signature.constness.is_some() {
        return; // no tensor is computed at compile time
    }
    let checks = walk(signature, body, args, statics, errors);
    if !checks.is_empty() {
        body.stmts.insert(0, Stmt::Expr(Expr::Verbatim(check::statement(&checks)), None));
    }
}

/// Rewrites `body`, in which `statics` are declared; returns the checks of what leads out of the function.
pub(super) fn walk(
    signature: &Signature,
    body: &mut Block,
    args: &Args,
    statics: Vec<String>,
    errors: &mut Errors,
) -> Vec<Check> {
    let mut walker = Walker::new(signature, body, args, errors);
    walker.statics = statics;
    walker.scopes.open();
    walker.scopes.declare_parameters(signature);
    walker.visit_block_mut(body);
    walker.scopes.close();
    walker.regions.pop().map(|region| region.checks).unwrap_or_default()
}

/// A stretch of code with one answer to "what comes from outside".
pub(super) struct Region {
    pub(super) kind: RegionKind,
    /// Variables with a smaller number are declared outside.
    pub(super) base: usize,
    /// Whether `backward` is called in it.
    pub(super) trains: bool,
    pub(super) checks: Vec<Check>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum RegionKind {
    /// The whole function: `self`, references and statics lead out of it.
    Function,
    /// A loop around step loops: what it changes is checked.
    Outer,
    /// A closure called once per element, without backward: what it changes is checked, loops in it are not.
    Element,
    /// A step: what it reads is checked as well.
    Step,
}

/// A closure being defined outside of every step.
pub(super) struct Recorder {
    pub(super) base: usize,
    pub(super) uses: Vec<Use>,
}

/// A check already emitted: the same place needs no second one.
struct Seen {
    root: String,
    variable: Option<usize>,
    members: Vec<String>,
    access: Access,
}

pub(super) struct Walker<'a> {
    pub(super) args: &'a Args,
    pub(super) errors: &'a mut Errors,
    pub(super) function: Ident,
    pub(super) marks_steps: bool,
    /// Statics declared in this function: rule 4 checks their types.
    pub(super) statics: Vec<String>,
    pub(super) scopes: Scopes,
    pub(super) regions: Vec<Region>,
    pub(super) recorders: Vec<Recorder>,
    seen: Vec<Seen>,
    /// Whether the call to come is a statement of its own, its result dropped.
    pub(super) for_effect: bool,
    /// Closures and blocks around this point that run without grad.
    pub(super) no_grad: usize,
    /// Loops inside of the current step around this point.
    pub(super) inner_loops: usize,
    /// The labels in scope, and what surrounds that which they name.
    pub(super) labels: Vec<(String, Depth)>,
    /// Where `return` goes back to.
    pub(super) returns_to: Depth,
    /// Whether `return` hands out a `Result`.
    pub(super) fallible: bool,
}

impl<'a> Walker<'a> {
    pub(super) fn new(signature: &Signature, body: &Block, args: &'a Args, errors: &'a mut Errors) -> Self {
        Self {
            args,
            errors,
            function: signature.ident.clone(),
            marks_steps: mode::contains_marked(body),
            statics: Vec::new(),
            scopes: Scopes::default(),
            regions: vec![Region { kind: RegionKind::Function, base: 0, trains: false, checks: Vec::new() }],
            recorders: Vec::new(),
            seen: Vec::new(),
            for_effect: false,
            no_grad: 0,
            inner_loops: 0,
            labels: Vec::new(),
            returns_to: Depth::default(),
            fallible: exits::is_fallible(&signature.output),
        }
    }

    pub(super) fn region(&self) -> (RegionKind, usize) {
        self.regions.last().map_or((RegionKind::Function, 0), |region| (region.kind, region.base))
    }

    /// Whether a graph may live here: inside a step, or in a function that is one step.
    pub(super) fn in_step(&self) -> bool {
        self.args.step.is_some() || matches!(self.region().0, RegionKind::Step | RegionKind::Element)
    }

    pub(super) fn whole_is_step(&self) -> bool {
        self.args.step.is_some()
    }

    // --- uses -------------------------------------------------------------------------------------------------

    pub(super) fn use_place(&mut self, place: Place, access: Access, blame: Option<(Span, Span)>) {
        let blame = blame.unwrap_or_else(|| place.span());
        let variable = match &place.root {
            Root::Local(ident) => match self.scopes.resolve(&ident.to_string()) {
                None => return,
                found => found,
            },
            Root::Static(_) if access == Access::Read => return,
            Root::Static(_) => None,
        };
        self.note(Use { place, variable, access, blame });
    }

    pub(super) fn note(&mut self, used: Use) {
        let root = used.place.root_name();
        if self.args.vouched.iter().any(|name| *name == root) || self.statics.contains(&root) {
            return;
        }
        for recorder in &mut self.recorders {
            if used.variable.is_none_or(|id| id < recorder.base) {
                recorder.uses.push(used.clone());
            }
        }
        if let Some(id) = used.variable {
            if let Some(captures) = self.scopes.get(id).closure.clone() {
                captures.into_iter().for_each(|capture| self.note(capture));
                return;
            }
            if self.is_not_judged(id, &used) {
                return;
            }
            self.note_origin(id, &used);
        }
        if self.leads_out(&used) {
            self.check(used);
        }
    }

    /// Closures: those inside an iterator are checked where they are written; of an `Fn` nothing is known but its calls.
    fn is_not_judged(&self, id: usize, used: &Use) -> bool {
        let variable = self.scopes.get(id);
        let shared = matches!(variable.callable, Some(Callable::Shared | Callable::Pointer));
        variable.lazy || (shared && used.access == Access::Read && used.place.members.is_empty())
    }

    /// A change through `for m in self.list.iter_mut()` is a change of `self.list`.
    pub(super) fn note_origin(&mut self, id: usize, used: &Use) {
        let Some((place, variable, Via::Direct | Via::Part)) = self.scopes.get(id).origin.clone() else {
            return;
        };
        if used.access == Access::Store && !used.place.bare {
            self.note(Use { place: change(place), variable, access: Access::Store, blame: used.blame });
        }
    }

    pub(super) fn leads_out(&self, used: &Use) -> bool {
        let Some(id) = used.variable else { return true };
        let (kind, base) = self.region();
        match kind {
            RegionKind::Step => id < base,
            RegionKind::Outer | RegionKind::Element => id < base && used.access > Access::Read,
            RegionKind::Function => {
                self.scopes.get(id).outlives && used.access == Access::Store && !used.place.bare
            }
        }
    }

    pub(super) fn check(&mut self, mut used: Use) {
        let (_, base) = self.region();
        used.place.derefs =
            used.variable.is_some_and(|id| self.scopes.get(id).is_checked_behind(used.access));
        let visible = match used.variable {
            Some(id) if base > 0 => self.scopes.resolve_before(&used.place.root_name(), base) == Some(id),
            _ => true,
        };
        if !visible || self.already_checked(&used) {
            return;
        }
        self.seen.push(Seen {
            root: used.place.root_name(),
            variable: used.variable,
            members: used.place.member_names(),
            access: used.access.asks(),
        });
        if let Some(region) = self.regions.last_mut() {
            region.checks.retain(|check| !asks_less(check, &used));
            region.checks.push(Check { place: used.place, access: used.access, blame: used.blame });
        }
    }

    /// Whether this place, or one that contains it, is checked as strictly; the error then moves to a store.
    pub(super) fn already_checked(&mut self, used: &Use) -> bool {
        let (root, members) = (used.place.root_name(), used.place.member_names());
        let same_root = |seen: &&Seen| seen.variable == used.variable && seen.root == root;
        let covers = |seen: &&Seen| members.starts_with(&seen.members) && seen.access >= used.access.asks();
        if self.seen.iter().filter(same_root).any(|seen| covers(&seen)) {
            self.sharpen(used);
            return true;
        }
        false
    }

    /// A store says more about a fault than the loan that came before it.
    pub(super) fn sharpen(&mut self, used: &Use) {
        let Some(region) = self.regions.last_mut() else { return };
        let names = (used.place.root_name(), used.place.member_names());
        let same = |check: &&mut Check| (check.place.root_name(), check.place.member_names()) == names;
        if let Some(check) = region.checks.iter_mut().find(same)
            && check.access == Access::Lend
            && used.access == Access::Store
        {
            (check.place, check.access, check.blame) = (used.place.clone(), used.access, used.blame);
        }
    }

    /// Whether a place lies outside of the step, or of the function.
    pub(super) fn is_outside(&self, place: &Place) -> bool {
        let Root::Local(ident) = &place.root else { return true };
        let Some(id) = self.scopes.resolve(&ident.to_string()) else { return false };
        if self.args.vouched.contains(ident) {
            return false;
        }
        let (kind, base) = self.region();
        let origin =
            matches!(&self.scopes.get(id).origin, Some((origin, _, Via::View)) if self.is_outside(origin));
        match kind {
            RegionKind::Function => self.scopes.get(id).outlives_mut || origin,
            _ => id < base || origin,
        }
    }

    pub(super) fn origin_of(&self, expr: &Expr) -> Option<Origin> {
        let (place, via) = place::reach(expr)?;
        let variable = match &place.root {
            Root::Local(ident) => Some(self.scopes.resolve(&ident.to_string())?),
            Root::Static(_) => None,
        };
        Some((place, variable, via))
    }

    pub(super) fn declare(&mut self, pat: &Pat, from: Option<&Expr>) -> Vec<usize> {
        let origin = from.and_then(|expr| self.origin_of(expr));
        self.scopes.declare_pattern(pat, origin.as_ref())
    }
}

/// A place whose content changes, even if written as the bare variable.
pub(super) fn change(mut place: Place) -> Place {
    place.bare = false;
    place
}

/// Whether `check` asks less about the same variable than a check of `used` does.
fn asks_less(check: &Check, used: &Use) -> bool {
    let overlap = || {
        let (outer, inner) = (used.place.member_names(), check.place.member_names());
        inner.starts_with(&outer) || outer.starts_with(&inner)
    };
    check.access < used.access.asks() && check.place.root_name() == used.place.root_name() && overlap()
}
