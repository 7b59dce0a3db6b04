//! The tables of names behind rules 2 and 3. Names only choose which bound is asked and where the error points;
//! whether a type meets the bound is judged by rustc.

use std::collections::BTreeMap;

use syn::{Expr, ExprCall, Ident, Path};

macro_rules! tables {
    ($($(#[$doc:meta])* $table:ident = $names:literal;)*) => {
        /// The lists of names.
        #[derive(Clone, Copy)]
        enum Table {
            $($(#[$doc])* $table,)*
        }

        /// What each table lists, separated by blanks.
        const TABLES: &[(Table, &str)] = &[$((Table::$table, $names)),*];
    };
}

tables! {
    /// Methods that put their last argument into the receiver.
    Stores = "\
        push push_back push_front push_within_capacity insert insert_entry extend extend_from_slice extend_one \
        append fill_with send try_send send_timeout force_send set try_set replace swap store fill resize resize_with \
        splice get_or_insert get_or_insert_with get_or_init get_or_try_init or_insert or_insert_with \
        or_insert_with_key and_modify clone_from add_assign sub_assign mul_assign div_assign";

    /// Methods that change the receiver, or lend it for change.
    Changes = "\
        iter_mut values_mut as_mut as_deref_mut get_mut first_mut last_mut front_mut back_mut peek_mut \
        chunks_mut split_at_mut borrow_mut as_mut_slice entry lock try_lock write try_write with_borrow_mut \
        deref_mut";

    /// Methods whose elements can be changed one by one.
    Lends = "iter_mut values_mut chunks_mut chunks_exact_mut as_mut par_iter_mut";

    /// Methods of std collections and of tensors that put nothing into the receiver, also through a `mut` binding.
    Reads = "\
        len is_empty iter get first last front back peek contains contains_key keys values as_ref as_deref \
        as_slice is_some is_none is_ok is_err is_some_and is_none_or map_or clone to_vec binary_search size dim \
        numel kind device shallow_clone detach double_value int64_value copy capacity windows chunks to_owned \
        backward grad requires_grad defined to_device to_kind i view narrow select unsqueeze squeeze matmul mean \
        sum norm abs max min print print_debug \
        forward forward_t apply apply_t zero_grad set_requires_grad mm bmm tr tanh relu gelu sigmoid softmax \
        log_softmax square sqrt exp reshape flatten transpose permute index_select gather argmax eq_tensor mse_loss \
        nll_loss cross_entropy_for_logits size1 size2 size3 size4 sum_dim_intlist mean_dim detach_copy expand \
        next nth take pop pop_front pop_back pop_first pop_last remove swap_remove drain clear truncate retain \
        split_off recv try_recv try_iter sort sort_by sort_by_key dedup reverse reserve shrink_to_fit";

    /// Calls that lead from a place to a part of it: what is put into the part is put into the place.
    Parts = "\
        iter iter_mut values values_mut as_mut as_ref as_deref as_deref_mut get_mut first first_mut last \
        last_mut front_mut back_mut peek_mut chunks_mut split_at_mut borrow borrow_mut try_borrow_mut \
        as_mut_slice lock try_lock read write try_write unwrap expect unwrap_or_default ok entry or_default \
        or_insert or_insert_with and_modify get_or_insert_default get_or_insert or_insert_with_key by_ref zip enumerate rev skip deref deref_mut with with_borrow \
        with_borrow_mut get_or_init get_or_insert_with into_inner";

    /// Calls that lead from a tensor, or from an owner of tensors, to the same storage.
    Views = "\
        get narrow select view view_as slice squeeze_dim unsqueeze transpose i unbind chunk split expand \
        expand_as permute reshape flatten diagonal swapaxes movedim unfold as_strided set_requires_grad grad \
        data shallow_clone trainable_variables variables tensor";

    /// Calls without arguments whose result shares nothing with the receiver; any other such call may be a getter.
    Fresh = "\
        detach copy clone tanh relu sigmoid exp log neg square sqrt rsqrt abs sin cos sign floor ceil round gelu \
        silu softplus erf contiguous zeros_like ones_like empty_like rand_like randn_like reciprocal logical_not \
        len to_owned to_string collect next inverse detach_copy new take";

    /// Iterator methods that call a closure once per element.
    Adapters = "\
        for_each try_for_each map fold try_fold rfold scan filter filter_map flat_map inspect map_while reduce \
        and_then find find_map position any all take_while skip_while partition retain retain_mut sort_by \
        sort_by_key dedup_by dedup_by_key max_by min_by max_by_key min_by_key for_each_init map_init for_each_with \
        map_with";

    /// Functions and methods that call their closure at most once, at once.
    Once = "\
        no_grad no_graph with_grad with with_borrow with_borrow_mut scope map_or map_or_else map_err unwrap_or_else \
        or_else ok_or_else is_some_and is_none_or is_ok_and inspect_err and_modify or_insert_with \
        or_insert_with_key get_or_insert_with get_or_init then catch_unwind spawn join install call_once update";

    /// Iterator methods that return an iterator.
    Lazy = "\
        map scan filter_map flat_map inspect map_while take skip enumerate zip chain rev peekable by_ref filter \
        flatten fuse step_by take_while skip_while";

    /// Iterator methods that gather the elements of an epoch.
    Collectors = "\
        collect sum product reduce unzip partition last collect_vec max_by min_by max_by_key min_by_key \
        try_collect find find_map nth";

    /// Iterator methods that gather what their own closure makes.
    MappingCollectors = "find_map";

    /// Methods that call a closure for each of the elements they put in.
    Fillers = "resize_with fill_with";

    /// Constructors of tensors without history.
    Constructors = "\
        zeros ones full empty eye arange arange_start arange_start_step linspace logspace rand randn randint \
        randint_low randperm from_slice from_slice2 from_data_size of_slice from try_from scalar_tensor";

    /// Methods whose result has no history, whatever they are called on.
    Constants = "\
        zeros_like ones_like empty_like full_like rand_like randn_like randint_like argmax argmin size size1 size2 dim \
        numel kind device len";

    /// Methods whose result has the history of what they are called on, and no other.
    Conversions = "\
        detach copy shallow_clone clone to_owned to_vec to_string as_str as_ref as_slice to_device to_kind to get narrow select \
        view reshape unsqueeze squeeze squeeze_dim flatten transpose permute contiguous totype into unwrap expect iter";

    /// Iterator methods whose first argument is carried from element to element.
    Carriers = "fold try_fold rfold scan try_rfold";

    /// Macros that only read their arguments.
    ReadingMacros = "\
        println eprintln print eprint format format_args write writeln panic todo unimplemented unreachable \
        assert assert_eq assert_ne debug_assert debug_assert_eq debug_assert_ne dbg vec matches concat stringify \
        line file env include_str include_bytes trace debug info warn error event span info_span debug_span \
        anyhow bail ensure json cfg compile_error thread_local";
}

macro_rules! lookups {
    ($($(#[$doc:meta])* $name:ident in $table:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name(method: &Ident) -> bool {
            lists(Table::$table, method)
        }
    )*};
}

lookups! {
    /// Whether `method` puts a value into its receiver.
    is_store in Stores;
    /// Whether `method` changes its receiver, or lends it for change.
    is_change in Changes;
    /// Whether `method` only reads.
    is_read in Reads;
    /// Whether `method` lends elements for change.
    lends in Lends;
    /// Whether `method` leads to a part of its receiver.
    is_part in Parts;
    /// Whether the result of `method` shares storage with a tensor of the receiver.
    is_view in Views;
    /// Whether `method` calls its closure once per element.
    is_adapter in Adapters;
    /// Whether `method` returns an iterator.
    is_lazy in Lazy;
    /// Whether `method` gathers an epoch.
    is_collector in Collectors;
    /// Whether `method` gathers what its own closure makes.
    is_mapping_collector in MappingCollectors;
    /// Whether `method` puts in what a closure makes, many times.
    is_filler in Fillers;
    /// Whether the result of `method` has no history.
    makes_constant in Constants;
    /// Whether the result of `method` has the history of its receiver.
    keeps_history in Conversions;
    /// Whether `method` carries its first argument along.
    is_carrier in Carriers;
    /// Whether the macro of this name only reads.
    is_reading_macro in ReadingMacros;
}

/// How often a call runs the closure handed to it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Times {
    /// At most once.
    Once,
    /// Once per element.
    PerElement,
    /// Not known.
    Unknown,
}

/// How often `method` runs its closure.
pub fn calls_of_method(method: &Ident) -> Times {
    if lists(Table::Adapters, method) {
        Times::PerElement
    } else if lists(Table::Once, method) {
        Times::Once
    } else {
        Times::Unknown
    }
}

/// How often the function at `path` runs its closure.
pub fn calls_of_function(path: &Path) -> Times {
    match path.segments.last() {
        _ if makes_iterator(path) => Times::PerElement,
        Some(last) if lists(Table::Once, &last.ident) || last.ident == "new" => Times::Once,
        _ => Times::Unknown,
    }
}

/// Whether `table` has `name`.
fn lists(table: Table, name: &Ident) -> bool {
    INDEX.with(|index| {
        let name = name.to_string();
        let found = index.binary_search_by(|(listed, _)| (**listed).cmp(name.as_str()));
        found.is_ok_and(|at| index[at].1 & 1 << table as u32 != 0)
    })
}

thread_local! {
    /// Each name in order, with a bit for every table that has it.
    ///
    /// A macro is compiled without optimisation: a walk along a table, or a hash, would take most of the time of an
    /// expansion.
    static INDEX: Vec<(&'static str, u32)> = index();
}

fn index() -> Vec<(&'static str, u32)> {
    let mut tables = BTreeMap::new();
    for (table, names) in TABLES {
        for name in names.split_ascii_whitespace() {
            *tables.entry(name).or_default() |= 1 << *table as u32;
        }
    }
    tables.into_iter().collect()
}

/// Whether `method` runs backward.
pub fn is_backward(method: &Ident) -> bool {
    let name = method.to_string();
    name == "backward" || name.starts_with("backward_step")
}

/// Whether `method` may be a getter for a tensor of the receiver.
pub fn is_getter(method: &Ident, args: usize) -> bool {
    args == 0 && !lists(Table::Fresh, method)
}

/// Whether `method` has the name of an in-place operation (`copy_`, `g_add_`).
pub fn is_in_place_name(method: &Ident) -> bool {
    let name = method.to_string();
    name.len() > 1 && name.ends_with('_') && !name.starts_with("requires_grad")
}

/// Whether `expr` ends in a call that keeps an iterator an iterator.
pub fn stays_iterator(expr: &Expr) -> bool {
    match expr {
        Expr::MethodCall(call) => is_lazy(&call.method),
        Expr::Call(_) => true,
        _ => false,
    }
}

/// The path that `call` calls.
pub fn callee(call: &ExprCall) -> Option<&Path> {
    match &*call.func {
        Expr::Path(func) => Some(&func.path),
        _ => None,
    }
}

/// Whether the function at `path` gathers what an iterator yields (`Vec::from_iter`).
pub fn is_gathering_call(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "from_iter")
}

/// Whether the function at `path` makes an iterator that calls a closure for each element.
pub fn makes_iterator(path: &Path) -> bool {
    ["from_fn", "successors", "repeat_with"].iter().any(|name| ends_in(path, "iter", name))
}

/// Whether `path` ends in `name`, after a type or module.
pub fn ends_in_name(path: &Path, name: &str) -> bool {
    path.segments.len() > 1 && path.segments.last().is_some_and(|last| last.ident == name)
}

/// Whether `path` names a tuple struct or a variant.
pub fn is_constructor(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident.to_string().starts_with(char::is_uppercase))
}

/// `Tensor::zeros` and its kin.
pub fn constructs_tensor(path: &Path) -> bool {
    let mut segments = path.segments.iter().rev();
    segments.next().is_some_and(|last| lists(Table::Constructors, &last.ident))
        && segments.next().is_some_and(|owner| owner.ident == "Tensor")
}

/// Whether the macro of this name never returns.
pub fn diverges(name: &Ident) -> bool {
    ["panic", "todo", "unreachable", "unimplemented"].iter().any(|known| name == known)
}

/// A variable that by custom holds an error.
pub fn is_error_name(name: &Ident) -> bool {
    ["e", "err", "error", "source", "cause"].iter().any(|known| name == known)
}

/// Whether `path` ends in `module::name`; a bare `name` counts as well.
pub fn ends_in(path: &Path, module: &str, name: &str) -> bool {
    let mut segments = path.segments.iter().rev();
    segments.next().is_some_and(|last| last.ident == name)
        && segments.next().is_none_or(|last| last.ident == module)
}

/// Whether the function at `path` never gives back what it takes.
pub fn is_leak(path: &Path) -> bool {
    let mut names = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    matches!(
        (names.next().as_deref(), names.next().as_deref()),
        (Some("forget"), None | Some("mem"))
            | (Some("leak"), Some("Box" | "Vec"))
            | (Some("new"), Some("ManuallyDrop"))
            | (Some("into_raw"), Some("Box" | "Rc" | "Arc"))
    )
}

/// Whether the function at `path` starts a thread or a task.
pub fn is_spawn(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "spawn")
}

/// `mem::replace`, `mem::swap`.
pub fn is_replace(path: &Path) -> bool {
    path.segments.len() > 1 && (ends_in(path, "mem", "replace") || ends_in(path, "mem", "swap"))
}

/// Whether the function at `path` runs a closure without grad.
pub fn is_no_grad(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "no_grad" || last.ident == "no_graph")
}

/// Whether the function at `path` runs a closure with grad.
pub fn is_with_grad(path: &Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "with_grad")
}

/// Whether `expr` makes a guard that turns grad off until it is dropped.
pub fn is_no_grad_guard(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => callee(call)
            .and_then(|path| path.segments.last())
            .is_some_and(|last| last.ident == "no_grad_guard"),
        _ => false,
    }
}
