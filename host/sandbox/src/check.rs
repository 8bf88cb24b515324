//! Whether a component is a charm: it exports the world's functions and imports nothing unknown.

use thiserror::Error;
use wasmtime::Engine;
use wasmtime::component::types::ComponentItem;
use wasmtime::component::{Component, InstancePre, Linker, ResourceType};

use crate::foundation::imports;
use crate::tools;
use crate::world::{CharmPre, HookState};

/// Packages of WASI 0.2 a component may import; each is linked, what it reaches is another matter.
const WASI: &[&str] = &["cli", "clocks", "filesystem", "io", "random", "sockets"];
/// May be imported, because language runtimes do; a call ends the hook.
const REFUSED: &[&str] = &["http"];

/// Why a component is not a charm of this contract.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum CheckError {
    #[error(
        "the component imports \"{0}\", which is not available to charms; they may import periapt:charm@0.1 and WASI 0.2"
    )]
    UnknownImport(String),
    #[error("the component does not export \"{0}\"; a charm exports hooks and dispatch")]
    MissingExport(&'static str),
    #[error("the component does not match the contract: {0}")]
    Mismatch(String),
}

/// Links a component that passes the checks.
pub(crate) fn link(
    component: &Component,
    linker: &Linker<HookState>,
) -> Result<CharmPre<HookState>, CheckError> {
    let engine = linker.engine();
    let refused = check_imports(component, engine)?;
    for export in ["hooks", "dispatch"] {
        if component
            .component_type()
            .get_export(engine, export)
            .is_none()
        {
            return Err(CheckError::MissingExport(export));
        }
    }
    let mismatch = |error: wasmtime::Error| CheckError::Mismatch(format!("{error:#}"));
    let instance: InstancePre<HookState> = if refused.is_empty() {
        linker.instantiate_pre(component).map_err(mismatch)?
    } else {
        let mut linker = linker.clone();
        for name in refused {
            refuse(&mut linker, component, &name).map_err(mismatch)?;
        }
        linker.instantiate_pre(component).map_err(mismatch)?
    };
    CharmPre::new(instance).map_err(mismatch)
}

/// Finds an unknown import, else tells which imports have to be linked as refusals.
fn check_imports(component: &Component, engine: &Engine) -> Result<Vec<String>, CheckError> {
    let mut refused = Vec::new();
    for name in imports(component, engine) {
        match classify(&name) {
            Import::Known => {}
            Import::Refused => refused.push(name),
            Import::Unknown => return Err(CheckError::UnknownImport(name)),
        }
    }
    Ok(refused)
}

#[derive(Debug, PartialEq, Eq)]
enum Import {
    Known,
    Refused,
    Unknown,
}

fn classify(name: &str) -> Import {
    let parts = || {
        let (path, version) = name.split_once('@')?;
        let (package, interface) = path.split_once('/')?;
        let (namespace, package) = package.split_once(':')?;
        Some((namespace, package, interface, version))
    };
    match parts() {
        Some(("periapt", "charm", interface, version))
            if version.starts_with("0.1.") && tools::knows(interface) =>
        {
            Import::Known
        }
        Some(("wasi", package, _, version)) if version.starts_with("0.2.") => {
            if WASI.contains(&package) {
                Import::Known
            } else if REFUSED.contains(&package) {
                Import::Refused
            } else {
                Import::Unknown
            }
        }
        _ => Import::Unknown,
    }
}

/// Links every function of an interface to a refusal.
fn refuse(
    linker: &mut Linker<HookState>,
    component: &Component,
    name: &str,
) -> wasmtime::Result<()> {
    let engine = linker.engine().clone();
    let ty = component.component_type();
    let Some(import) = ty.get_import(&engine, name) else {
        return Ok(());
    };
    let ComponentItem::ComponentInstance(instance) = import.ty else {
        return Ok(());
    };
    let mut linked = linker.instance(name)?;
    for (item, export) in instance.exports(&engine) {
        match export.ty {
            ComponentItem::ComponentFunc(_) => {
                let function = format!("{name}#{item}");
                linked.func_new(item, move |_, _, _, _| {
                    Err(wasmtime::Error::msg(format!(
                        "{function} is not granted to charms"
                    )))
                })?;
            }
            ComponentItem::Resource(_) => {
                linked.resource(item, ResourceType::host::<()>(), |_, _| Ok(()))?;
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_known_by_package_and_version() {
        for known in [
            "periapt:charm/config@0.1.0",
            "periapt:charm/log@0.1.7",
            "wasi:io/poll@0.2.12",
        ] {
            assert_eq!(classify(known), Import::Known, "{known}");
        }
        assert_eq!(classify("wasi:http/types@0.2.3"), Import::Refused);
        for unknown in [
            "periapt:charm/config@0.2.0",
            "periapt:charm/root@0.1.0",
            "periapt:charm/config",
            "wasi:nn/graph@0.2.0",
            "wasi:io/poll@0.3.0",
            "evil:corp/steal@0.1.0",
            "free",
        ] {
            assert_eq!(classify(unknown), Import::Unknown, "{unknown}");
        }
    }
}
