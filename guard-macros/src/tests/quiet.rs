//! Functions that have nothing to check, found without the tables of the macro: no loop, closure, assignment, loan,
//! static or macro, and no call that could take a value.

use syn::{
    Expr, ExprCall, ExprMethodCall, ExprReference, Ident, ItemStatic, Macro,
    visit::{self, Visit},
};

/// Whether `function`, named `name`, has nothing to check.
pub fn is_quiet<'ast>(name: &'ast Ident, block: &'ast syn::Block) -> bool {
    let mut search = Search { name, loud: false };
    search.visit_block(block);
    !search.loud
}

struct Search<'ast> {
    name: &'ast Ident,
    loud: bool,
}

impl<'ast> Visit<'ast> for Search<'ast> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        self.loud |= match expr {
            Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) | Expr::Closure(_) | Expr::Async(_) => true,
            Expr::Assign(_) | Expr::Break(_) => true,
            Expr::Binary(binary) => {
                let operator = quote::ToTokens::to_token_stream(&binary.op).to_string();
                operator.ends_with('=') && !["==", "!=", "<=", ">="].contains(&operator.as_str())
            }
            _ => false,
        };
        if !self.loud {
            visit::visit_expr(self, expr);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.loud |= !call.args.is_empty() || call.method == *self.name || call.method == "leak";
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let constructs = matches!(&*call.func, Expr::Path(path) if path.path.segments.last()
            .is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase)));
        self.loud |= !constructs;
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_reference(&mut self, reference: &'ast ExprReference) {
        self.loud |= reference.mutability.is_some();
        visit::visit_expr_reference(self, reference);
    }

    fn visit_macro(&mut self, _: &'ast Macro) {
        self.loud = true;
    }

    fn visit_item_static(&mut self, _: &'ast ItemStatic) {
        self.loud = true;
    }
}
