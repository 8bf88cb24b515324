//! What a charm must be to be accepted, and the ways from component to loaded charm.

use std::cell::Cell;

use periapt_model::Digest;

use super::agent::{Unit, engine, load};
use super::guest::{CONTRACT, Guest, encode};
use crate::{
    Artifact, CompileCache, CompileError, LoadError, SandboxEngine, Settings, engine_hash,
};

fn refused(component: &[u8]) -> CompileError {
    engine().compile(component).unwrap_err()
}

#[test]
fn a_charm_tells_its_hooks() {
    let artifact = engine().compile(&Guest::default().component()).unwrap();
    let inspection = artifact.inspection();
    assert_eq!(inspection.hooks, ["start", "stop"]);
    assert_eq!(inspection.initial_memory_bytes, 2 * 65536);
    assert_eq!(inspection.code_bytes, artifact.cwasm().len() as u64);
    let charm = engine().load(&artifact).unwrap();
    assert!(charm.implements("start") && !charm.implements("install"));
    assert!(engine().loaded(artifact.digest()).is_some());
}

#[test]
fn what_is_no_component_is_said_to_be_none() {
    assert_eq!(refused(b"").refusal().code(), "component-invalid");
    assert_eq!(
        refused(b"PK\x03\x04 a zip").refusal().code(),
        "component-invalid"
    );
    let module = wat::parse_str("(module)").unwrap();
    assert!(refused(&module).to_string().contains("core module"));
    let mut broken = Guest::default().component();
    broken.truncate(broken.len() / 2);
    assert_eq!(refused(&broken).refusal().code(), "component-invalid");
    let empty = wat::parse_str("(component)").unwrap();
    assert_eq!(
        refused(&empty),
        CompileError::MissingExport("hooks".to_owned())
    );
}

#[test]
fn an_unknown_import_is_named() {
    let forged = wat::parse_str(
        r#"(component (import "evil:corp/steal@0.1.0" (instance (export "take" (func)))))"#,
    )
    .unwrap();
    assert_eq!(
        refused(&forged),
        CompileError::UnknownImport("evil:corp/steal@0.1.0".to_owned())
    );
    let plain = wat::parse_str(r#"(component (import "take" (func)))"#).unwrap();
    assert_eq!(
        refused(&plain),
        CompileError::UnknownImport("take".to_owned())
    );
}

#[test]
fn a_function_forged_into_a_known_interface_is_refused() {
    let text = Guest {
        imports: r#"(import "periapt:charm/state@0.1.0" "steal" (func $steal))"#,
        items: "(func (export \"x\") (call $steal))",
        ..Guest::default()
    }
    .text();
    let forged = CONTRACT.replace("delete: func", "steal: func();\n    delete: func");
    let component = encode(&text, &forged);
    let error = refused(&component);
    assert_eq!(error.refusal().code(), "component-mismatch");
    assert!(error.to_string().contains("steal"), "{error}");
}

#[test]
fn a_later_patch_of_the_contract_is_accepted() {
    let text = Guest {
        imports: r#"(import "periapt:charm/leadership@0.1.9" "is-leader" (func $leader (param i32)))"#,
        items: "(func (export \"x\") (call $leader (i32.const 1024)))",
        ..Guest::default()
    }
    .text();
    let component = encode(&text, &CONTRACT.replace("@0.1.0;", "@0.1.9;"));
    Unit::new().run(&component).result.unwrap();
}

#[test]
fn a_function_the_world_lacks_is_refused() {
    let contract = CONTRACT.replace("import log;", "import log;\n    import fetch: func();");
    let text = Guest {
        imports: r#"(import "$root" "fetch" (func $f))"#,
        ..Guest::default()
    }
    .text();
    let error = refused(&encode(&text, &contract));
    assert_eq!(error, CompileError::UnknownImport("fetch".to_owned()));
}

#[test]
fn outgoing_http_may_be_imported_and_a_call_ends_the_hook() {
    let world = CONTRACT.replace(
        "import log;",
        "import log;\n    import wasi:http/out@0.2.3;",
    );
    let contract =
        format!("{world}\npackage wasi:http@0.2.3 {{ interface out {{ handle: func(); }} }}\n");
    let guest = Guest {
        imports: r#"(import "wasi:http/out@0.2.3" "handle" (func $handle))"#,
        dispatch: "(call $handle) i32.const 64",
        ..Guest::default()
    };
    let failure = Unit::new()
        .run(&encode(&guest.text(), &contract))
        .result
        .unwrap_err();
    assert_eq!(
        failure.to_string(),
        "the hook ended unexpectedly: wasi:http/out@0.2.3#handle is not granted to charms"
    );
}

#[test]
fn too_much_memory_at_start_is_found_at_upload() {
    let component = Guest {
        pages: 5000,
        ..Guest::default()
    }
    .component();
    let compiler = SandboxEngine::for_inspection(Settings::default()).unwrap();
    let error = compiler.compile(&component).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the component needs 327680000 bytes of memory to start; at most 268435456 are given"
    );
}

#[test]
fn a_charm_that_traps_when_asked_for_its_hooks_is_refused() {
    let component = Guest {
        items: "(func $begin unreachable) (start $begin)",
        ..Guest::default()
    }
    .component();
    let error = refused(&component);
    assert_eq!(error.refusal().code(), "component-inspection");
    assert!(error.to_string().contains("panicked or aborted"), "{error}");
}

#[test]
fn the_engine_without_pool_compiles_for_the_one_with() {
    let settings = engine().settings().clone();
    assert_eq!(engine_hash(&settings).unwrap(), engine().engine_hash());
    let other = Settings {
        memory_bytes: 128 << 20,
        ..settings.clone()
    };
    assert_ne!(engine_hash(&other).unwrap(), engine().engine_hash());
    let compiler = SandboxEngine::for_inspection(settings).unwrap();
    let artifact = compiler.compile(&Guest::default().component()).unwrap();
    let charm = engine()
        .load(&Artifact::from_bytes(artifact.as_bytes().to_vec()).unwrap())
        .unwrap();
    Unit::new().run_loaded(&charm).result.unwrap();
    let other = SandboxEngine::for_inspection(other).unwrap();
    assert_eq!(other.load(&artifact).unwrap_err(), LoadError::OtherEngine);
}

#[test]
fn loaded_charms_are_kept_and_the_oldest_goes() {
    let engine = SandboxEngine::for_inspection(Settings {
        kept_charms: 2,
        ..Settings::default()
    })
    .unwrap();
    let artifacts: Vec<_> = (1..=3)
        .map(|pages| {
            engine.compile(
                &Guest {
                    pages: pages + 1,
                    ..Guest::default()
                }
                .component(),
            )
        })
        .map(Result::unwrap)
        .collect();
    engine.load(&artifacts[0]).unwrap();
    engine.load(&artifacts[1]).unwrap();
    engine.load(&artifacts[0]).unwrap();
    engine.load(&artifacts[2]).unwrap();
    let kept: Vec<_> = artifacts
        .iter()
        .map(|artifact| engine.loaded(artifact.digest()).is_some())
        .collect();
    assert_eq!(kept, [true, false, true]);
}

#[test]
fn a_damaged_cache_entry_is_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let cache =
        CompileCache::new(directory.path().join("compiled"), engine().engine_hash()).unwrap();
    let component = Guest::default().component();
    let compiled = Cell::new(0);
    let get = || {
        let artifact = cache.get_or_compile(&component, |bytes| {
            compiled.set(compiled.get() + 1);
            engine().compile(bytes)
        });
        Unit::new()
            .run_loaded(&engine().load(&artifact.unwrap()).unwrap())
            .result
            .unwrap();
        compiled.get()
    };
    assert_eq!((get(), get()), (1, 1));
    let entry = std::fs::read_dir(directory.path().join("compiled"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let mut bytes = std::fs::read(entry.path()).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(entry.path(), &bytes).unwrap();
    assert_eq!((get(), get()), (2, 2));
    std::fs::write(entry.path(), &bytes[..100]).unwrap();
    assert_eq!((get(), get()), (3, 3));
    // The entry of another engine is not this one's.
    let other = CompileCache::new(directory.path().join("compiled"), &"0".repeat(64)).unwrap();
    assert!(other.get(load(&component).digest()).is_none());
}

#[test]
fn what_other_engines_would_load_can_be_forgotten() {
    let directory = tempfile::tempdir().unwrap();
    let cache = CompileCache::new(directory.path(), engine().engine_hash()).unwrap();
    let component = Guest::default().component();
    let artifact = cache
        .get_or_compile(&component, |bytes| engine().compile(bytes))
        .unwrap();
    let other = format!("{}-{}", artifact.digest(), "0".repeat(32));
    let path = |ending: &str| directory.path().join(format!("{other}.{ending}"));
    for ending in ["cwasm", "17.new", "txt"] {
        std::fs::write(path(ending), "code").unwrap();
    }
    assert_eq!(cache.forget_others().unwrap(), 2);
    assert_eq!(cache.forget_others().unwrap(), 0);
    assert!(cache.get(artifact.digest()).is_some(), "its own stays");
    assert!(path("txt").exists(), "what is none of the cache's stays");
}

#[test]
fn a_compiler_that_answers_with_another_component_is_not_believed() {
    let directory = tempfile::tempdir().unwrap();
    let cache = CompileCache::new(directory.path(), engine().engine_hash()).unwrap();
    let asked = Guest::default().component();
    let planted = Guest {
        dispatch: "unreachable",
        ..Guest::default()
    }
    .component();
    let answer = cache.get_or_compile(&asked, |_| engine().compile(&planted));
    assert_eq!(answer.unwrap_err(), CompileError::OtherComponent);
    assert!(cache.get(Digest::of(&planted)).is_none());
    assert!(cache.get(Digest::of(&asked)).is_none());
}
