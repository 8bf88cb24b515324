//! The macros of `periapt-charm`, which re-exports them.
//!
//! A charm is declared in `charmcraft.yaml` (or `metadata.yaml` and the files beside it), and that is the
//! one place: what the code would have to repeat is made of the files and of the methods that are there,
//! and what the code says by itself is held against the files while it is compiled. A mistake is an error
//! of the compiler, at the place in the code, with the name that was probably meant.

use proc_macro::TokenStream;

mod charm;
mod checks;
mod options;
mod project;

/// On `impl Charm for …`: makes the lists of what the charm answers.
///
/// - `HOOKS` has the hooks whose methods are there, `RELATION_HOOKS` and `STORAGE_HOOKS` likewise.
/// - `ENDPOINTS` has the endpoints that the files declare, if a method answers hooks of relations;
///   `STORAGE` likewise.
/// - The files become part of the charm's tests: its harness knows defaults, endpoints, storage and
///   containers, and refuses what the charm does not declare.
///
/// A list that is written by hand stays, and its names are held against the files; so are those in
/// `ACTIONS`, in both directions. `#[charm(project = "FOLDER")]` names the folder of the files, if it is not that
/// of `Cargo.toml`.
#[proc_macro_attribute]
pub fn charm(arguments: TokenStream, item: TokenStream) -> TokenStream {
    charm::expand(arguments.into(), item.into()).into()
}

/// On the struct of a charm's configuration: holds its fields against the options that the files declare.
///
/// Each field is an option, each option has a field, the types agree, and an option without a default is an
/// `Option`. `#[options(unread("NAME"))]` names an option that nobody is to read, and
/// `#[options(project = "FOLDER")]` the folder of the files.
#[proc_macro_derive(Options, attributes(options))]
pub fn options(item: TokenStream) -> TokenStream {
    options::expand(item.into()).into()
}
