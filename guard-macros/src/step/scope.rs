//! The variables in scope, in the order of their declaration.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    FnArg, Generics, Pat, PatIdent, ReceiverKind, Signature, Type,
    visit::{self, Visit},
};

use super::place::{Place, Via};

/// One use of a place.
#[derive(Clone)]
pub struct Use {
    /// The place.
    pub place: Place,
    /// The variable at its root; `None` for a static.
    pub variable: Option<usize>,
    /// What is done.
    pub access: Access,
    /// The tokens an error points at.
    pub blame: (Span, Span),
}

/// What is done with a place, in rising order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Access {
    /// Read.
    Read,
    /// Lent mutably.
    Lend,
    /// Changed: assigned, or a value is put into it.
    Store,
}

impl Access {
    /// What a check of this access also answers for: a loan and a store ask the same.
    pub fn asks(self) -> Self {
        self.min(Self::Lend)
    }
}

/// A place, the variable at its root (`None` for a static), and how a value was reached from it.
pub type Origin = (Place, Option<usize>, Via);

/// A closure known by its trait only; what may keep more is greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Callable {
    /// `fn`: captures nothing.
    Pointer,
    /// `Fn`: may keep what it is called with, behind a cell.
    Shared,
    /// `FnMut`, `FnOnce`: may keep what it is called with.
    Mutable,
}

/// A variable.
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Whether it is declared `mut`, or is a `&mut` by its written type.
    pub mutable: bool,
    /// Whether it leads out of the function: `self`, a reference, a shared pointer.
    pub outlives: bool,
    /// Whether it leads out of the function for change: `self`, `&mut`.
    pub outlives_mut: bool,
    /// Whether its written type is a reference.
    pub reference: bool,
    /// Whether it is a tensor by its written type or its first value: only methods named `…_` change it.
    pub tensor: bool,
    /// Whether `*name` is what it refers to: it is bound whole, and its written type is a reference.
    pub derefs: bool,
    /// Whether it is an iterator that calls a closure for each element.
    pub lazy: bool,
    /// How it may be called, if its written type is a closure's.
    pub callable: Option<Callable>,
    /// The place it was taken from, when it may share something with it.
    pub origin: Option<Origin>,
    /// What the closure bound to it captures.
    pub closure: Option<Vec<Use>>,
}

impl Variable {
    fn new(name: &Ident, mutable: bool) -> Self {
        Self {
            name: name.to_string(),
            mutable,
            outlives: false,
            outlives_mut: false,
            reference: false,
            tensor: false,
            derefs: false,
            lazy: false,
            callable: None,
            origin: None,
            closure: None,
        }
    }
}

impl Variable {
    /// Whether what it refers to is checked in its stead: that asks the same of the type, except of a `&mut` that is only
    /// read.
    pub fn is_checked_behind(&self, access: Access) -> bool {
        self.derefs && (access > Access::Read || !self.outlives_mut)
    }
}

/// All variables met so far, and which of them are visible.
#[derive(Default)]
pub struct Scopes {
    variables: Vec<Variable>,
    visible: Vec<Vec<usize>>,
}

impl Scopes {
    /// The number that the next variable gets: what is declared later is not less.
    pub fn next(&self) -> usize {
        self.variables.len()
    }

    /// Opens a scope.
    pub fn open(&mut self) {
        self.visible.push(Vec::new());
    }

    /// Closes the innermost scope.
    pub fn close(&mut self) {
        self.visible.pop();
    }

    /// Declares a variable in the innermost scope.
    pub fn declare(&mut self, variable: Variable) -> usize {
        let id = self.variables.len();
        self.variables.push(variable);
        if let Some(scope) = self.visible.last_mut() {
            scope.push(id);
        }
        id
    }

    /// The variable that `name` means here.
    pub fn resolve(&self, name: &str) -> Option<usize> {
        self.resolve_before(name, usize::MAX)
    }

    /// The variable that `name` means where only those before `base` are declared.
    pub fn resolve_before(&self, name: &str, base: usize) -> Option<usize> {
        let visible = self.visible.iter().rev().flat_map(|scope| scope.iter().rev());
        visible.copied().find(|&id| id < base && self.variables[id].name == name)
    }

    /// A variable.
    pub fn get(&self, id: usize) -> &Variable {
        &self.variables[id]
    }

    /// A variable.
    pub fn get_mut(&mut self, id: usize) -> &mut Variable {
        &mut self.variables[id]
    }

    /// Declares the variables of a pattern; `origin` is where their values come from.
    pub fn declare_pattern(&mut self, pat: &Pat, origin: Option<&Origin>) -> Vec<usize> {
        let reference = matches!(pat, Pat::Type(typed) if is_reference(&typed.ty));
        let mutable = matches!(pat, Pat::Type(typed) if is_mut_reference(&typed.ty));
        let variables = Names::of(pat).into_iter().map(|ident| {
            let mut variable = Variable::new(&ident.ident, ident.mutability.is_some() || mutable);
            variable.reference = reference;
            variable.tensor = matches!(pat, Pat::Type(typed) if is_tensor(&typed.ty));
            variable.origin = origin.cloned();
            variable
        });
        variables.collect::<Vec<_>>().into_iter().map(|variable| self.declare(variable)).collect()
    }

    /// Declares `self` and the parameters of a function.
    pub fn declare_parameters(&mut self, signature: &Signature) {
        for input in &signature.inputs {
            match input {
                FnArg::Receiver(receiver) => self.declare_self(receiver),
                FnArg::Typed(typed) => {
                    let outlives = is_reference(&typed.ty) || is_shared(&typed.ty);
                    let callable = callable(&typed.ty, &signature.generics);
                    let derefs = is_reference(&typed.ty) && is_plain(&typed.pat);
                    let pat = Pat::Type(typed.clone());
                    for id in self.declare_pattern(&pat, None) {
                        let variable = self.get_mut(id);
                        variable.outlives = outlives;
                        variable.derefs = derefs;
                        variable.callable = callable;
                        variable.outlives_mut = is_mut_reference(&typed.ty);
                    }
                }
            }
        }
    }

    fn declare_self(&mut self, receiver: &syn::Receiver) {
        let by_type = match &receiver.kind {
            ReceiverKind::Reference(_, _, mutability) => mutability.is_some(),
            ReceiverKind::Typed(_, ty) => is_mut_reference(ty),
            _ => false,
        };
        let name = Ident::new("self", receiver.self_token.span);
        let mut variable = Variable::new(&name, receiver.mutability.is_some() || by_type);
        (variable.outlives, variable.outlives_mut) = (true, true);
        variable.reference = matches!(receiver.kind, ReceiverKind::Reference(..));
        variable.derefs = variable.reference;
        self.declare(variable);
    }
}

/// `name`, and neither `ref name` nor `name @ pattern`.
fn is_plain(pat: &Pat) -> bool {
    matches!(pat, Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none())
}

fn is_reference(ty: &Type) -> bool {
    matches!(ty, Type::Reference(_))
}

fn is_tensor(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Tensor"))
}

fn is_mut_reference(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if reference.mutability.is_some())
}

/// `impl Fn(..)`, `&mut dyn FnMut(..)`, `Box<dyn Fn(..)>`, or a type parameter with such a bound.
fn callable(ty: &Type, generics: &Generics) -> Option<Callable> {
    let written = ty.to_token_stream();
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let clauses = predicates.map(ToTokens::to_token_stream);
    let bounds = generics.params.iter().map(ToTokens::to_token_stream).chain(clauses);
    let of_parameter =
        bounds.filter(|bound| first_name(bound.clone()).is_some_and(|name| mentions(&written, &name)));
    std::iter::once(written.clone()).chain(of_parameter).find_map(closure_trait)
}

fn closure_trait(tokens: TokenStream) -> Option<Callable> {
    let kinds = words(tokens).into_iter().filter_map(|word| match word.as_str() {
        "FnMut" | "FnOnce" => Some(Callable::Mutable),
        "Fn" => Some(Callable::Shared),
        "fn" => Some(Callable::Pointer),
        _ => None,
    });
    kinds.max()
}

/// The names in `tokens`, at any depth.
fn words(tokens: TokenStream) -> Vec<String> {
    let of_tree = |tree| match tree {
        TokenTree::Ident(ident) => vec![ident.to_string()],
        TokenTree::Group(group) => words(group.stream()),
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(of_tree).collect()
}

fn first_name(tokens: TokenStream) -> Option<String> {
    tokens.into_iter().find_map(|tree| match tree {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    })
}

/// Whether `name` is among `tokens`.
pub fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == name,
        TokenTree::Group(group) => mentions(&group.stream(), name),
        _ => false,
    })
}

/// Pointers and channels by value: what is put in through them is seen outside.
fn is_shared(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let shared = ["Rc", "Arc", "Sender", "SyncSender"];
    path.path.segments.last().is_some_and(|last| shared.iter().any(|name| last.ident == name))
}

/// The names that `pat` binds.
pub fn names(pat: &Pat) -> Vec<String> {
    Names::of(pat).iter().map(|name| name.ident.to_string()).collect()
}

/// Collects the variables a pattern binds. A capital means a constant or a variant.
struct Names(Vec<PatIdent>);

impl Names {
    fn of(pat: &Pat) -> Vec<PatIdent> {
        let mut names = Self(Vec::new());
        names.visit_pat(pat);
        names.0
    }
}

impl Visit<'_> for Names {
    fn visit_pat_ident(&mut self, pat: &PatIdent) {
        if !pat.ident.to_string().starts_with(char::is_uppercase) {
            self.0.push(pat.clone());
        }
        visit::visit_pat_ident(self, pat);
    }

    fn visit_expr(&mut self, _: &syn::Expr) {}
}
