//! What is chosen of a description, one call at a time. A choice that cannot be is kept, and said when something is opened with it.

use std::path::PathBuf;

use isaglot::spec::Choice;
use isaglot_source::{Diagnostic, Diagnostics};

/// What is chosen of a description.
#[derive(Debug, Default)]
pub struct isaglot_choice {
    choice: Choice,
    /// What is wrong with arguments.
    problems: Diagnostics,
}

impl isaglot_choice {
    /// Makes a choice.
    pub(crate) fn set(
        choice: Option<&mut isaglot_choice>,
        text: Result<&str, Diagnostic>,
        make: fn(&mut Choice, String),
    ) {
        let Some(choice) = choice else { return };
        match text {
            Ok(text) => make(&mut choice.choice, text.to_owned()),
            Err(d) => choice.problems.push(d),
        }
    }

    /// The choices; the defaults for NULL.
    pub(crate) fn made(choice: Option<&isaglot_choice>) -> Result<Choice, Diagnostics> {
        match choice {
            None => Ok(Choice::default()),
            Some(choice) if choice.problems.has_errors() => Err(choice.problems.clone()),
            Some(choice) => Ok(choice.choice.clone()),
        }
    }

    pub(crate) fn choice(&mut self) -> &mut Choice {
        &mut self.choice
    }
}

/// A path of an option.
pub(crate) fn path(text: String) -> Option<PathBuf> {
    Some(PathBuf::from(text))
}
