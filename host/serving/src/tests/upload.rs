//! What is refused before it ever runs.

use periapt_sandbox::CompileError;

use super::guest::Guest;
use super::stage::engine;
use crate::SERVERS;

fn refused(component: &[u8]) -> CompileError {
    (SERVERS.compile)(engine().settings().clone(), component).unwrap_err()
}

#[test]
fn a_workload_passes() {
    let component = Guest::default().component();
    let artifact = (SERVERS.compile)(engine().settings().clone(), &component).unwrap();
    assert!(artifact.inspection().hooks.is_empty());
    let imports = &artifact.inspection().imports;
    assert!(
        imports.iter().any(|name| name == "wasi:http/types@0.2.0"),
        "{imports:?}"
    );
    // It was compiled apart, for an engine of the same settings.
    assert!(engine().load(&artifact).is_ok());
}

#[test]
fn an_import_beyond_its_kind_is_named() {
    let guest = Guest {
        imports: r#"(import "wasi:sockets/instance-network@0.2.0" "instance-network" (func $network (result i32)))"#,
        world: "import wasi:sockets/instance-network@0.2.0;",
        ..Guest::default()
    };
    let error = refused(&guest.component());
    assert_eq!(error.refusal().code(), "component-unknown-import");
    let text = error.to_string();
    assert!(
        text.contains("wasi:sockets/instance-network@0.2.0"),
        "{text}"
    );
    assert!(text.contains("a web workload"), "{text}");
}

#[test]
fn a_component_that_answers_nothing_is_no_workload() {
    let empty = wat::parse_str("(component)").unwrap();
    let error = refused(&empty);
    assert_eq!(error.refusal().code(), "component-missing-export");
    assert!(
        error.to_string().contains("wasi:http/incoming-handler"),
        "{error}"
    );
    assert_eq!(
        refused(b"\0asm\x01\0\0\0").refusal().code(),
        "component-invalid"
    );
}
