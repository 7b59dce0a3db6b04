//! Which parameters share a learning rate and a weight decay: by patterns on their names, as the official
//! configurations say it.

use fancy_regex::Regex;
use guard_core::no_retain;
use serde::{Deserialize, Serialize};

/// One group of parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[no_retain]
pub struct ParamGroup {
    /// Regular expression, with lookahead, that finds something in the names of the members.
    pub pattern: String,
    /// Learning rate after the warm-up; absent, the optimiser's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lr: Option<f64>,
    /// Decoupled weight decay; absent, the optimiser's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight_decay: Option<f64>,
}

/// Patterns that do not say for every parameter where it belongs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[no_retain]
pub enum ParamGroupError {
    /// A pattern is not a regular expression.
    #[error("`optimizer.groups`: `{pattern}` is not a regular expression: {cause}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// Why.
        cause: String,
    },
    /// Two patterns want the same parameter.
    #[error(
        "`optimizer.groups`: the parameter `{parameter}` belongs to `{first}` and to `{second}`; exclude it from one, \
         as by `(?!.*norm)`"
    )]
    Overlap {
        /// The parameter.
        parameter: String,
        /// A pattern.
        first: String,
        /// Another one.
        second: String,
    },
}

/// The groups, ready to be asked.
#[derive(Debug)]
pub(super) struct ParamGroups<'a> {
    groups: &'a [ParamGroup],
    patterns: Vec<Regex>,
}

impl ParamGroup {
    /// A group with the optimiser's options.
    pub fn new(pattern: &str) -> Self {
        Self { pattern: pattern.to_owned(), lr: None, weight_decay: None }
    }

    /// The same group with a learning rate of its own.
    pub fn lr(self, lr: f64) -> Self {
        Self { lr: Some(lr), ..self }
    }

    /// The same group with a weight decay of its own.
    pub fn weight_decay(self, weight_decay: f64) -> Self {
        Self { weight_decay: Some(weight_decay), ..self }
    }

    /// The official rule of the small models: norms are not decayed.
    pub fn undecayed_norms() -> Self {
        Self::new("^(?=.*(?:norm|bn)).*$").weight_decay(0.0)
    }
}

impl<'a> ParamGroups<'a> {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// A pattern that is not a regular expression.
    pub fn new(groups: &'a [ParamGroup]) -> Result<Self, ParamGroupError> {
        let compile = |group: &ParamGroup| Regex::new(&group.pattern).map_err(|e| refused(&group.pattern, e));
        Ok(Self { groups, patterns: groups.iter().map(compile).collect::<Result<_, _>>()? })
    }

    /// The group of a parameter; `None` for one that no pattern finds.
    ///
    /// # Errors
    /// Two patterns that find it.
    pub fn of(&self, parameter: &str) -> Result<Option<usize>, ParamGroupError> {
        let mut found: Option<usize> = None;
        for (i, pattern) in self.patterns.iter().enumerate() {
            let wanted = &self.groups[i].pattern;
            if !pattern.is_match(parameter).map_err(|e| refused(wanted, e))? {
                continue;
            }
            if let Some(first) = found {
                let (first, second) = (self.groups[first].pattern.clone(), wanted.clone());
                return Err(ParamGroupError::Overlap { parameter: parameter.to_owned(), first, second });
            }
            found = Some(i);
        }
        Ok(found)
    }
}

fn refused(pattern: &str, cause: fancy_regex::Error) -> ParamGroupError {
    ParamGroupError::Pattern { pattern: pattern.to_owned(), cause: cause.to_string() }
}
