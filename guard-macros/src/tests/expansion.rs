//! The expansion as text, and that bad input loses no item.

use std::ops::Range;

use proc_macro2::{Delimiter, Group, LineColumn, TokenStream, TokenTree};
use quote::quote;
use syn::File;

use crate::{derive_detach, item, owner};

fn pretty(tokens: TokenStream) -> String {
    prettyplease::unparse(&syn::parse2::<File>(tokens).expect("the expansion is a list of items"))
}

#[test]
fn a_step_loop_is_checked_before_it_runs() {
    let function = quote! {
        fn train(net: &Net, opt: &mut Optimizer) {
            let mut history = Vec::new();
            for (x, y) in data() {
                let loss = net.loss(&x, &y);
                opt.backward_step(&loss);
                history.push(loss);
            }
        }
    };
    let text = pretty(item::expand(TokenStream::new(), function));
    let calls: Vec<&str> = text.lines().filter(|line| line.contains("__private")).map(str::trim).collect();
    assert_eq!(
        calls,
        [
            "::guard_core::__private::read_by_every_step(&*net);",
            "::guard_core::__private::kept_after_the_step(&*opt);",
            "::guard_core::__private::kept_after_the_step(&history);",
        ]
    );
    let order =
        ["break;", "__private", "for (x, y) in data()"].map(|part| text.find(part).expect("it is there"));
    assert!(order.is_sorted(), "{text}");
}

#[test]
fn an_owner_states_its_bounds_in_a_body() {
    let input = syn::parse_quote! {
        struct Meter<'a, T: GraphFree> where T: Clone { history: Vec<T>, #[vouch(reason = "text")] name: &'a Name }
    };
    let text = pretty(owner::derive(&input));
    assert!(
        text.contains("impl<'a, T: GraphFree> ::guard_core::__private::Owner for Meter<'a, T>"),
        "{text}"
    );
    assert_eq!(text.matches("field_of_a_no_retain_type::<").count(), 1, "{text}");
    assert!(text.contains("field_of_a_no_retain_type::<Vec<T>>();"), "{text}");
}

/// A `macro_rules!` hands on `$vis` and `$item` as groups without delimiters.
#[test]
fn a_type_is_known_by_its_first_keyword() {
    let passed_on = |tokens| TokenTree::from(Group::new(Delimiter::None, tokens));
    let (visibility, item) = (
        passed_on(quote!(pub(crate))),
        passed_on(quote!(
            #[doc = "text"]
            pub struct Meter;
        )),
    );
    for item in [
        quote!(
            #[cfg(unix)]
            #[doc = "text"]
            pub(crate) struct Meter(f64);
        ),
        quote!(#visibility enum Best {}),
        quote!(#item),
    ] {
        let text = item::expand(quote!(), item).to_string();
        assert_eq!(text.matches("derive").count(), 1, "{text}");
        assert!(
            text.find("derive").is_some_and(|derive| derive < text.find("pub").unwrap_or(usize::MAX)),
            "{text}"
        );
    }
    for item in [
        quote!(
            pub fn f() {
                struct Inner;
            }
        ),
        quote!(
            mod inner {
                struct Inner;
            }
        ),
    ] {
        assert!(!item::expand(quote!(), item).to_string().contains("derive"));
    }
}

/// One of each thing that names guard-core.
fn items() -> [TokenStream; 6] {
    [
        quote!(
            struct Meter<T> {
                #[vouch(reason = "text")]
                name: T,
                total: f64,
            }
        ),
        quote!(
            enum Best {
                Known(f64),
                Unknown,
            }
        ),
        quote!(
            trait Hook {
                fn done(&mut self) {
                    for i in 0..2 {
                        self.on(i);
                    }
                }
            }
        ),
        quote!(
            static LAST: Mutex<f64> = Mutex::new(0.0);
        ),
        quote!(thread_local! { static LAST: Cell<f64> = const { Cell::new(0.0) }; }),
        quote!(
            fn train(net: &Net, out: &mut Vec<f64>) {
                static LAST: Mutex<f64> = Mutex::new(0.0);
                for x in data() {
                    net.loss(&x).backward();
                    *LAST.lock() = 0.0;
                    out.push(1.0);
                }
                let all = data().map(|x| x.mean()).collect::<Vec<_>>();
            }
        ),
    ]
}

/// A loop and what is put before it, whole.
#[test]
fn an_expansion_can_be_read() {
    let function = quote! {
        fn train(net: &Net, data: &mut Data) {
            let mut history = Vec::new();
            for (x, y) in data {
                let loss = net.loss(&x, &y);
                loss.backward();
                history.push(loss);
            }
        }
    };
    let expected = "\
fn train(net: &Net, data: &mut Data) {
    let mut history = Vec::new();
    {
        #[allow(
            unreachable_code,
            unused_qualifications,
            unused_parens,
            clippy::all,
            clippy::pedantic
        )]
        loop {
            break;
            ::guard_core::__private::read_by_every_step(&*net);
            ::guard_core::__private::kept_after_the_step(&history);
        }
        for (x, y) in data {
            let loss = net.loss(&x, &y);
            loss.backward();
            history.push(loss);
        }
    }
}
";
    assert_eq!(pretty(item::expand(TokenStream::new(), function)), expected);
}

/// The words of `tokens` with the lines and columns where they stand.
fn words(tokens: TokenStream) -> Vec<(String, Range<LineColumn>)> {
    tokens
        .into_iter()
        .flat_map(|tree| match tree {
            TokenTree::Group(group) => words(group.stream()),
            tree => vec![(tree.to_string(), tree.span().start()..tree.span().end())],
        })
        .collect()
}

/// So that an editor finds, renames and colours what the user wrote.
#[test]
fn every_word_of_the_user_stays_in_order_and_where_it_stood() {
    for item in items() {
        let source: TokenStream = item.to_string().parse().expect("it was printed as tokens");
        let written = words(source.clone());
        let mut expanded = words(item::expand(quote!(), source)).into_iter();
        for word in &written {
            assert!(expanded.any(|other| other == *word), "{word:?} of {item}");
        }
    }
}

#[test]
fn every_path_starts_where_the_attribute_says() {
    for item in items() {
        assert!(item::expand(quote!(), item.clone()).to_string().contains(":: guard_core ::"), "{item}");
        let text = item::expand(quote!(crate = my::guard), item.clone()).to_string();
        assert!(text.contains("my :: guard") && !text.contains("guard_core"), "{text}");
        assert!(
            !item::expand(quote!(), item).to_string().contains("my :: guard"),
            "it ends with the expansion"
        );
    }
}

#[test]
fn every_path_of_a_derive_starts_where_the_type_says() {
    let input = syn::parse_quote!(
        #[guard_crate(my::guard)]
        #[detach(crate = my::guard)]
        struct Memory<T> {
            keys: T,
        }
    );
    for text in [owner::derive(&input).to_string(), derive_detach::derive(&input).to_string()] {
        assert!(text.contains("my :: guard") && !text.contains("guard_core"), "{text}");
    }
}

#[test]
fn what_is_declared_inside_the_step_is_free() {
    let function = quote! {
        fn train() {
            for x in data() {
                let mut all = vec![x];
                let mut total = zero();
                for _ in 0..3 { all.push(layer(&all)); total += &all[0]; }
                total.backward();
            }
        }
    };
    assert!(!pretty(item::expand(TokenStream::new(), function)).contains("__private"));
}

#[test]
fn broken_arguments_and_items_come_back_whole() {
    let items = [
        quote!(
            fn f() {}
        ),
        quote!(
            struct S {
                a: Tensor,
            }
        ),
        quote!(union U { a: f64 }),
        quote!(
            const X: u8 = 0;
        ),
        quote!(not rust at all),
        quote!(),
    ];
    let arguments = [
        quote!(step step),
        quote!(vouch),
        quote!(vouch()),
        quote!(=),
        quote!("x"),
        quote!(vouch(a, reason = 3)),
    ];
    for item in &items {
        for arguments in &arguments {
            let text = item::expand(arguments.clone(), item.clone()).to_string();
            assert!(text.contains("compile_error"), "{arguments}: {text}");
            let body = item.to_string();
            assert!(body.is_empty() || text.contains(body.split(' ').next().unwrap_or_default()), "{text}");
        }
    }
}
