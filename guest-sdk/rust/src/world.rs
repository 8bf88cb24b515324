//! The host of a real sandbox: every call crosses the world `periapt:charm`.

use crate::{Charm, Dirs, ErrorCode, Event, HostError, dispatch};

/// What `wit-bindgen` makes of the contract.
#[allow(clippy::all, missing_docs)]
pub mod bindings {
    wit_bindgen::generate!({
        world: "charm",
        path: "../wit",
        pub_export_macro: true,
        export_macro_name: "export_world",
        default_bindings_module: "periapt_charm::bindings",
    });
}

use bindings::periapt::charm::types;

/// The host behind the imports of this component.
pub struct World;

impl World {
    /// Runs one hook of `C`; the error text is for the operator.
    pub fn run<C: Charm>(event: bindings::Event) -> Result<(), String> {
        let event = Event::read(&event.hook, event.attributes)?;
        dispatch::<C>(&World, &Dirs::default(), &event).map_err(|error| error.to_string())
    }
}

impl From<types::Error> for HostError {
    fn from(error: types::Error) -> Self {
        let code = match error.code {
            types::ErrorCode::Invalid => ErrorCode::Invalid,
            types::ErrorCode::NotFound => ErrorCode::NotFound,
            types::ErrorCode::Denied => ErrorCode::Denied,
            types::ErrorCode::Limit => ErrorCode::Limit,
            types::ErrorCode::Unavailable => ErrorCode::Unavailable,
        };
        HostError {
            code,
            message: error.message,
        }
    }
}
