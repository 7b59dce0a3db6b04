//! The attribute on everything that the workspace is built from: it never panics, and what comes out is what went in
//! but for the added assertions.

use std::{
    collections::BTreeMap,
    fs,
    io::Write,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{
    File, ImplItem, Item, TraitItem,
    visit::{self, Visit},
};

use super::{alike, quiet, sources};
use crate::{derive_detach, item, owner};

/// Deeply nested expressions need it, in syn as in the macro.
const STACK: usize = 256 << 20;

#[test]
#[ignore = "`make test` runs it optimised: cargo test --profile proof -p guard-macros --lib -- --ignored"]
fn no_item_of_the_dependency_tree_breaks_the_macro() {
    let (packages, files) = sources::all();
    let (next, total) = (AtomicUsize::new(0), Mutex::new(Census::default()));
    let work = || {
        let mut census = Census::default();
        while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            census.read(path);
        }
        total.lock().expect("no thread panicked with the lock").add(census);
    };
    thread::scope(|scope| {
        for _ in 0..2 {
            thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread starts");
        }
    });
    let census = total.into_inner().expect("no thread panicked with the lock");
    census.print(packages, files.len());
    assert!(census.faults.is_empty(), "{:#?}", &census.faults[..census.faults.len().min(20)]);
    census.check_size(packages);
}

/// What was seen.
#[derive(Default)]
struct Census {
    counts: BTreeMap<&'static str, usize>,
    faults: Vec<String>,
    path: PathBuf,
}

impl Census {
    fn read(&mut self, path: &Path) {
        let Ok(source) = fs::read_to_string(path) else { return self.count("file skipped: not UTF-8") };
        let Ok(file) = syn::parse_file(&source) else { return self.count("file skipped: not a Rust file") };
        self.count("file");
        self.path = path.to_owned();
        self.visit_file(&file);
    }

    fn count(&mut self, what: &'static str) {
        *self.counts.entry(what).or_default() += 1;
    }

    fn add(&mut self, other: Self) {
        other.counts.into_iter().for_each(|(what, count)| *self.counts.entry(what).or_default() += count);
        self.faults.extend(other.faults);
    }

    /// Straight to the terminal: a test that passes shows nothing that goes through `println!`.
    fn print(&self, packages: usize, files: usize) {
        let mut text = format!("#[no_retain] on {files} files of {packages} packages\n");
        for (what, count) in &self.counts {
            text.push_str(&format!("{count:>9}  {what}\n"));
        }
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// An empty registry proves nothing.
    fn check_size(&self, packages: usize) {
        let least = [
            ("file", 2000),
            ("function", 10_000),
            ("impl", 5000),
            ("struct", 2000),
            ("enum", 500),
            ("trait", 300),
        ];
        for (what, least) in least.into_iter().chain([("expansion with assertions", 3000)]) {
            let count = self.counts.get(what).copied().unwrap_or_default();
            assert!(packages > 50 && count >= least, "{count} of kind {what}, of {packages} packages");
        }
    }

    fn fault(&mut self, item: &TokenStream, fault: &str) {
        let item: String = item.to_string().chars().take(200).collect();
        self.faults.push(format!("{}: {fault}, in `{item}`", self.path.display()));
    }

    fn expand(&mut self, arguments: TokenStream, tokens: &TokenStream, quiet: bool) {
        let expansion = item::expand(arguments, tokens.clone());
        self.count("expansion");
        if alike::equal(expansion.clone(), tokens.clone()) {
            return self.count("expansion equal to its item");
        }
        if quiet {
            self.fault(tokens, "it has nothing to check, but changed");
        }
        self.count("expansion with assertions");
        if let Err(difference) = alike::compare(expansion.clone(), tokens.clone()) {
            self.fault(tokens, &difference);
        }
        if let Err(error) = syn::parse2::<File>(expansion) {
            self.fault(tokens, &format!("the expansion does not parse: {error}"));
        }
    }

    fn derive(&mut self, tokens: TokenStream) {
        let input = syn::parse2(tokens.clone()).expect("a struct or enum is a derive input");
        for derived in [owner::derive(&input), derive_detach::derive(&input)] {
            self.count("derive");
            if let Err(error) = syn::parse2::<File>(derived) {
                self.fault(&tokens, &format!("a derive does not parse: {error}"));
            }
        }
    }

    /// Both modes.
    fn expand_code(&mut self, tokens: &TokenStream, quiet: bool) {
        self.expand(quote!(), tokens, quiet);
        self.expand(quote!(step), tokens, quiet);
    }
}

impl Visit<'_> for Census {
    fn visit_item(&mut self, item: &Item) {
        let tokens = item.to_token_stream();
        match item {
            Item::Fn(function) => {
                self.count("function");
                let quiet =
                    function.sig.asyncness.is_none() && quiet::is_quiet(&function.sig.ident, &function.block);
                if quiet {
                    self.count("function with nothing to check");
                }
                self.expand_code(&tokens, quiet);
            }
            Item::Impl(_) => (self.count("impl"), self.expand_code(&tokens, false)).1,
            Item::Trait(_) => (self.count("trait"), self.expand_code(&tokens, false)).1,
            Item::Mod(module) if module.content.is_some() => {
                (self.count("inline mod"), self.expand_code(&tokens, false)).1
            }
            Item::Static(_) => (self.count("static"), self.expand(quote!(), &tokens, false)).1,
            Item::Struct(_) | Item::Enum(_) => {
                self.count(if matches!(item, Item::Struct(_)) { "struct" } else { "enum" });
                self.expand(quote!(), &tokens, false);
                self.derive(tokens);
            }
            _ => self.count("item of a kind that the attribute refuses"),
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &ImplItem) {
        if matches!(item, ImplItem::Fn(_)) {
            self.count("method");
        }
        visit::visit_impl_item(self, item);
    }

    fn visit_trait_item(&mut self, item: &TraitItem) {
        if matches!(item, TraitItem::Fn(method) if method.default.is_some()) {
            self.count("method");
        }
        visit::visit_trait_item(self, item);
    }
}
