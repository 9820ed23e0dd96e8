//! One problem or several, as an error.

use core::fmt;

/// What was wrong: one problem at least. It is a slice of them; as text it has a line for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors<F>(Vec<F>);

impl<F> Errors<F> {
    /// Nothing, if there is no problem.
    pub(crate) fn check(failures: Vec<F>) -> Result<(), Errors<F>> {
        if failures.is_empty() { Ok(()) } else { Err(Errors(failures)) }
    }

    /// The problems, in the order of the input.
    #[must_use]
    pub fn into_vec(self) -> Vec<F> {
        self.0
    }
}

impl<F> core::ops::Deref for Errors<F> {
    type Target = [F];

    fn deref(&self) -> &[F] {
        &self.0
    }
}

impl<F: fmt::Display> fmt::Display for Errors<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.0.iter();
        lines.next().map_or(Ok(()), |first| first.fmt(f))?;
        lines.try_for_each(|next| write!(f, "\n{next}"))
    }
}

impl<F: fmt::Debug + fmt::Display> core::error::Error for Errors<F> {}
