//! From a core module to a component, and what a component imports and exports.

use wasi_preview1_component_adapter_provider::{
    WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME, WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
};
use wasmparser::{ComponentTypeRef, Encoding, Parser, Payload, TypeBounds};
use wit_component::ComponentEncoder;

use crate::PackingError;

/// What a component asks for and offers, by the names in its binary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    pub imports: Vec<String>,
    pub exports: Vec<String>,
}

impl Inspection {
    /// Refuses what no sandbox would start: imports from outside the contract and WASI, and a
    /// component that does not offer the contract's exports.
    pub fn check(&self) -> Result<(), PackingError> {
        let known =
            |name: &&String| !name.starts_with("periapt:charm/") && !name.starts_with("wasi:");
        if let Some(name) = self.imports.iter().find(known) {
            return Err(PackingError::ForeignImport { name: name.clone() });
        }
        match ["hooks", "dispatch"]
            .into_iter()
            .find(|name| !self.exports.iter().any(|export| export == name))
        {
            Some(name) => Err(PackingError::MissingExport { name }),
            None => Ok(()),
        }
    }

    /// The same for a web workload, which answers requests and is asked for nothing else.
    pub fn check_server(&self) -> Result<(), PackingError> {
        let foreign =
            |name: &&String| !name.starts_with("wasi:") || name.starts_with("wasi:sockets/");
        if let Some(name) = self.imports.iter().find(foreign) {
            return Err(PackingError::ForeignImport { name: name.clone() });
        }
        let handles = |name: &String| name.starts_with("wasi:http/incoming-handler@0.2.");
        match self.exports.iter().any(handles) {
            true => Ok(()),
            false => Err(PackingError::NoHandler),
        }
    }
}

/// A component of `wasm`: as it is where it is one, else wrapped with the adapter from WASI
/// preview 1 that serves libraries without a `main`.
pub fn componentize(wasm: Vec<u8>) -> Result<Vec<u8>, PackingError> {
    if Parser::is_component(&wasm) {
        return Ok(wasm);
    }
    let encode = || {
        ComponentEncoder::default()
            .validate(true)
            .module(&wasm)?
            .adapter(
                WASI_SNAPSHOT_PREVIEW1_ADAPTER_NAME,
                WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER,
            )?
            .encode()
    };
    encode().map_err(|error| PackingError::Component {
        reason: format!("{error:#}"),
    })
}

/// Reads the outermost imports and exports.
pub fn inspect(component: &[u8]) -> Result<Inspection, PackingError> {
    let failed = |error: wasmparser::BinaryReaderError| PackingError::Component {
        reason: error.to_string(),
    };
    let mut found = Inspection::default();
    // Sections of nested modules and components come in line; only depth 0 is the component's own.
    let mut depth = 0_u32;
    let mut is_component = false;
    for payload in Parser::new(0).parse_all(component) {
        match payload.map_err(failed)? {
            Payload::Version { encoding, .. } if depth == 0 => {
                is_component |= encoding == Encoding::Component
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    let import = import.map_err(failed)?;
                    // The name of a type that another import defines asks for nothing.
                    if !matches!(import.ty, ComponentTypeRef::Type(TypeBounds::Eq(_))) {
                        found.imports.push(import.name.name.to_owned());
                    }
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    found
                        .exports
                        .push(export.map_err(failed)?.name.name.to_owned());
                }
            }
            _ => {}
        }
    }
    if !is_component {
        return Err(PackingError::Component {
            reason: "it is not a component".to_owned(),
        });
    }
    Ok(found)
}
