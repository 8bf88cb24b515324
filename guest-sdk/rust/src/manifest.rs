//! The files that declare a charm, as a part of its tests.

/// Texts of the files that declare a charm. [`macro@crate::charm`] makes it; a component carries nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// Texts by the names of the files.
    pub files: &'static [(&'static str, &'static str)],
    /// The components of the charm beside its own.
    pub components: &'static [&'static str],
}
