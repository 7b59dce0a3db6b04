//! Loading weights into a network: all of them, or those that fit.

use std::fmt;

use guard_core::no_retain;
use tch::{Kind, Tensor, nn};

use super::{StateDict, WeightsError};
use crate::model::state_order;

/// A tensor that does not fit its place.
#[derive(Debug, Clone, PartialEq, Eq)]
#[no_retain]
pub struct Misfit {
    /// The state-dict key.
    pub name: String,
    /// Dimensions and element type in the file; `None` where the file lacks it.
    pub found: Option<(Vec<i64>, Kind)>,
    /// Those in the network; `None` where the network lacks it.
    pub expected: Option<(Vec<i64>, Kind)>,
}

/// Which tensors of a file found their place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[no_retain]
pub struct LoadReport {
    /// Tensors loaded.
    pub loaded: usize,
    /// Of another shape, or integers where the network has floats: kept as they were.
    pub mismatched: Vec<Misfit>,
    /// In the network, not in the file: kept as they were.
    pub missing: Vec<Misfit>,
    /// In the file, not in the network.
    pub unexpected: Vec<Misfit>,
}

/// Loads every tensor whose name and shape fit; the report says which did not.
///
/// Floats of another width are converted. Buffers that the network makes by itself (anchors, batch counts, scales of the
/// sampling points) are no gap where a file lacks them.
///
/// # Errors
/// When nothing fits.
pub fn load_matching(state: &StateDict, store: &nn::VarStore) -> Result<LoadReport, WeightsError> {
    let report = load(state, store);
    match report.loaded {
        0 => Err(misfit(state, "being trained", report)),
        _ => Ok(report),
    }
}

/// Loads weights that must be the network's own; `network` says in messages where that comes from.
///
/// # Errors
/// When a tensor is missing, left over or of another shape.
pub fn load_exact(
    state: &StateDict,
    store: &nn::VarStore,
    network: &str,
) -> Result<LoadReport, WeightsError> {
    let report = load(state, store);
    match report.is_exact() {
        true => Ok(report),
        false => Err(misfit(state, network, report)),
    }
}

fn misfit(state: &StateDict, network: &str, report: LoadReport) -> WeightsError {
    let (path, network) = (state.path().to_owned(), network.to_owned());
    WeightsError::Misfit { path, network, report: Box::new(report) }
}

fn load(state: &StateDict, store: &nn::VarStore) -> LoadReport {
    let _no_grad = tch::no_grad_guard();
    let mut report = LoadReport::default();
    let mut variables: Vec<_> = store.variables().into_iter().collect();
    state_order::sort_entries(&mut variables);
    for (name, variable) in &mut variables {
        let expected = Some((variable.size(), variable.kind()));
        let found = state.shape(name);
        match state.get(name) {
            Some(tensor) if fits(&tensor, variable) => {
                variable.copy_(&tensor);
                report.loaded += 1;
            }
            None if is_derived(name) => {}
            None => report.missing.push(Misfit { name: name.clone(), found, expected }),
            Some(_) => report.mismatched.push(Misfit { name: name.clone(), found, expected }),
        }
    }
    let known: std::collections::HashSet<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
    for name in state.names().filter(|name| !known.contains(name) && !is_derived(name)) {
        let found = state.shape(name);
        report.unexpected.push(Misfit { name: name.to_owned(), found, expected: None });
    }
    report
}

fn fits(tensor: &Tensor, variable: &Tensor) -> bool {
    let kinds =
        tensor.kind() == variable.kind() || tensor.is_floating_point() && variable.is_floating_point();
    kinds && tensor.size() == variable.size()
}

/// Whether the network makes the tensor by itself: a file may lack it, and a network too.
fn is_derived(name: &str) -> bool {
    const DERIVED: [&str; 4] = ["num_batches_tracked", "num_points_scale", "anchors", "valid_mask"];
    name.rsplit('.').next().is_some_and(|last| DERIVED.contains(&last))
}

impl LoadReport {
    /// Whether every tensor found its place.
    pub fn is_exact(&self) -> bool {
        self.mismatched.is_empty() && self.missing.is_empty() && self.unexpected.is_empty()
    }
}

/// One line for each kind of misfit, with the first few tensors of it.
impl fmt::Display for LoadReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "  {} tensors fit", self.loaded)?;
        list(out, "of another shape or type", &self.mismatched)?;
        list(out, "missing in the file", &self.missing)?;
        list(out, "not in the network", &self.unexpected)
    }
}

fn list(out: &mut fmt::Formatter<'_>, what: &str, misfits: &[Misfit]) -> fmt::Result {
    const SHOWN: usize = 5;
    if misfits.is_empty() {
        return Ok(());
    }
    write!(out, "\n  {} {what}:", misfits.len())?;
    for misfit in misfits.iter().take(SHOWN) {
        write!(out, "\n    {misfit}")?;
    }
    match misfits.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => write!(out, "\n    and {more} more"),
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |(size, kind): &(Vec<i64>, Kind)| format!("{size:?} {kind:?}");
        write!(out, "`{}`", self.name)?;
        match (&self.found, &self.expected) {
            (Some(found), Some(expected)) => {
                write!(out, " is {}, expected {}", shown(found), shown(expected))
            }
            (Some(found), None) => write!(out, " {}", shown(found)),
            (None, Some(expected)) => write!(out, ", expected {}", shown(expected)),
            (None, None) => Ok(()),
        }
    }
}
