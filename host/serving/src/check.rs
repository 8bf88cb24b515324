//! Whether a component is a web workload: it answers requests, and imports nothing beyond its kind.

use periapt_sandbox::{CompileError, imports};
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};
use wasmtime_wasi::WasiView;
use wasmtime_wasi::cli::{WasiCli, WasiCliView};
use wasmtime_wasi::filesystem::{WasiFilesystem, WasiFilesystemView};
use wasmtime_wasi::p2::bindings::{cli, filesystem, random};
use wasmtime_wasi::random::WasiRandom;
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use crate::instance::Guest;

const KIND: &str = "a web workload";
const MAY: &str =
    "wasi:http, wasi:cli, wasi:clocks, wasi:filesystem, wasi:io and wasi:random, all 0.2";
/// Packages of WASI 0.2. There is no network but by `wasi:http`.
const GIVEN: &[&str] = &["cli", "clocks", "filesystem", "http", "io", "random"];
const HANDLER: &str = "wasi:http/incoming-handler@0.2";
const FILES: &str = "wasi:filesystem/";

/// Everything that [`MAY`] names.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::new(engine);
    let l = &mut linker;
    wasmtime_wasi_http::p2::add_to_linker_async(l)?;
    filesystem::types::add_to_linker::<Guest, WasiFilesystem>(l, Guest::filesystem)?;
    filesystem::preopens::add_to_linker::<Guest, WasiFilesystem>(l, Guest::filesystem)?;
    random::insecure::add_to_linker::<Guest, WasiRandom>(l, |guest| guest.ctx().ctx.random())?;
    random::insecure_seed::add_to_linker::<Guest, WasiRandom>(l, |guest| guest.ctx().ctx.random())?;
    cli::exit::add_to_linker::<Guest, WasiCli>(l, Guest::cli)?;
    cli::environment::add_to_linker::<Guest, WasiCli>(l, Guest::cli)?;
    cli::terminal_input::add_to_linker::<Guest, WasiCli>(l, Guest::cli)?;
    cli::terminal_output::add_to_linker::<Guest, WasiCli>(l, Guest::cli)?;
    cli::terminal_stdin::add_to_linker::<Guest, WasiCli>(l, Guest::cli)?;
    cli::terminal_stdout::add_to_linker::<Guest, WasiCli>(l, Guest::cli)?;
    cli::terminal_stderr::add_to_linker::<Guest, WasiCli>(l, Guest::cli)?;
    Ok(linker)
}

/// Links a component that passes the checks.
pub(crate) fn link(
    component: &Component,
    linker: &Linker<Guest>,
) -> Result<ProxyPre<Guest>, CompileError> {
    let engine = linker.engine();
    if let Some(import) = imports(component, engine)
        .into_iter()
        .find(|name| !given(name))
    {
        return Err(CompileError::NotGiven {
            import,
            kind: KIND.to_owned(),
            may: MAY.to_owned(),
        });
    }
    let exported = component.component_type();
    if !exported
        .exports(engine)
        .any(|(name, _)| name.starts_with(HANDLER))
    {
        return Err(CompileError::NotOffered {
            export: HANDLER.to_owned(),
            kind: KIND.to_owned(),
        });
    }
    let mismatch = |error: wasmtime::Error| CompileError::Mismatch(format!("{error:#}"));
    let instance = linker.instantiate_pre(component).map_err(mismatch)?;
    ProxyPre::new(instance).map_err(mismatch)
}

/// Whether a component can see files at all.
pub(crate) fn uses_files(component: &Component, engine: &Engine) -> bool {
    imports(component, engine)
        .iter()
        .any(|name| name.starts_with(FILES))
}

fn given(import: &str) -> bool {
    let parts = || {
        let (path, version) = import.split_once('@')?;
        let (package, _) = path.strip_prefix("wasi:")?.split_once('/')?;
        Some((package, version))
    };
    parts().is_some_and(|(package, version)| {
        GIVEN.contains(&package) && (version == "0.2" || version.starts_with("0.2."))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_known_by_package_and_version() {
        for known in [
            "wasi:http/types@0.2.0",
            "wasi:cli/exit@0.2.12",
            "wasi:io/poll@0.2.3",
        ] {
            assert!(given(known), "{known}");
        }
        for other in [
            "wasi:sockets/tcp@0.2.0",
            "wasi:http/types@0.3.0",
            "wasi:http/types@0.20.0",
            "wasi:http/types",
            "periapt:charm/config@0.1.0",
            "evil:http/types@0.2.0",
            "fetch",
        ] {
            assert!(!given(other), "{other}");
        }
    }
}
