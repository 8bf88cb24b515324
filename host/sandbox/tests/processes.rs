//! Tests whose subject is a process: the compiler child and the lockdown. This binary has its
//! own `main`, so that it can start itself again as that process.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "this is a test, though not one of libtest's"
)]

#[path = "../src/tests/guest.rs"]
mod guest;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use guest::Guest;
use periapt_sandbox::lockdown::{Enforcement, lock_down};
use periapt_sandbox::{
    Artifact, ChildLimits, CompileError, Settings, compile_child_main, compile_in_child,
    engine_hash,
};

const TESTS: &[(&str, fn())] = &[
    (
        "a component is compiled in a child",
        a_component_is_compiled_in_a_child,
    ),
    (
        "what the child refuses keeps its reason",
        what_the_child_refuses_keeps_its_reason,
    ),
    (
        "a component that is too large is not even sent",
        too_large_is_not_even_sent,
    ),
    (
        "a compiler out of processor time is named",
        out_of_processor_time,
    ),
    (
        "a compiler out of address space is named",
        out_of_address_space,
    ),
    ("a compiler that takes too long is ended", too_long_is_ended),
    (
        "a killed compiler is an error, not a hang",
        a_killed_compiler,
    ),
    (
        "a compiler that says nothing is an error",
        a_silent_compiler,
    ),
    ("a program that does not exist is named", a_missing_program),
    (
        "hooks that never come are found by the child",
        hooks_that_never_come,
    ),
    (
        "a locked-down process keeps what it named and loses the rest",
        lockdown,
    ),
    (
        "a locked-down process can still compile in a child",
        lockdown_compiles,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("compile-component") => return compile_child_main(),
        Some("kill-yourself") => return kill_yourself(),
        Some("locked-down") => return locked_down(Path::new(&arguments[1])),
        Some("locked-down-compile") => return locked_down_compile(Path::new(&arguments[1])),
        // What test runners ask of a binary.
        Some("--list") => return ExitCode::SUCCESS,
        _ => {}
    }
    let filter =
        |argument: &&String| !argument.starts_with('-') && argument.parse::<u32>().is_err();
    let wanted = arguments.iter().find(filter);
    for (name, test) in TESTS {
        if wanted.is_none_or(|wanted| name.contains(wanted.as_str())) {
            let begun = Instant::now();
            test();
            println!("{name}: ok ({:.1} s)", begun.elapsed().as_secs_f64());
        }
    }
    ExitCode::SUCCESS
}

fn compile(component: &[u8], limits: &ChildLimits) -> Result<Artifact, CompileError> {
    let program = std::env::current_exe().unwrap();
    compile_in_child(
        &program,
        &["compile-component"],
        &Settings::default(),
        component,
        limits,
    )
}

/// A component of many functions, small to send and long to compile.
fn heavy() -> &'static [u8] {
    static HEAVY: LazyLock<Vec<u8>> = LazyLock::new(|| many_functions(8000));
    &HEAVY
}

fn many_functions(count: usize) -> Vec<u8> {
    let mut items = String::new();
    for number in 0..count {
        write!(items, "(func (param i64) (result i64) (local.get 0)").unwrap();
        for step in 0..200 {
            write!(
                items,
                "(i64.const {}) i64.mul (local.get 0) i64.add",
                number * 7 + step
            )
            .unwrap();
        }
        items.push(')');
    }
    Guest {
        items: &items,
        ..Guest::default()
    }
    .component()
}

fn a_component_is_compiled_in_a_child() {
    let artifact = compile(&Guest::default().component(), &ChildLimits::default()).unwrap();
    assert_eq!(artifact.inspection().hooks, ["start", "stop"]);
    assert_eq!(
        artifact.engine_hash(),
        engine_hash(&Settings::default()).unwrap()
    );
    let unused = Guest {
        dispatch: guest::ERROR,
        ..Guest::default()
    }
    .component();
    assert_ne!(
        compile(&unused, &ChildLimits::default()).unwrap().digest(),
        artifact.digest()
    );
}

fn what_the_child_refuses_keeps_its_reason() {
    let forged =
        wat::parse_str(r#"(component (import "evil:corp/steal@0.1.0" (instance)))"#).unwrap();
    let error = compile(&forged, &ChildLimits::default()).unwrap_err();
    assert_eq!(
        error,
        CompileError::UnknownImport("evil:corp/steal@0.1.0".to_owned())
    );
    assert_eq!(
        compile(b"nothing", &ChildLimits::default())
            .unwrap_err()
            .code(),
        "component-invalid"
    );
}

fn too_large_is_not_even_sent() {
    let limits = ChildLimits {
        component_bytes: 1000,
        ..ChildLimits::default()
    };
    let error = compile(&vec![0; 1001], &limits).unwrap_err();
    assert_eq!(
        error,
        CompileError::TooLarge {
            bytes: 1001,
            limit: 1000
        }
    );
}

fn out_of_processor_time() {
    let limits = ChildLimits {
        cpu_seconds: 1,
        ..ChildLimits::default()
    };
    let error = compile(heavy(), &limits).unwrap_err();
    assert_eq!(error, CompileError::ProcessorTime { seconds: 1 });
}

fn out_of_address_space() {
    let limits = ChildLimits {
        address_space: 300 << 20,
        ..ChildLimits::default()
    };
    let error = compile(heavy(), &limits).unwrap_err();
    assert_eq!(
        error,
        CompileError::AddressSpace { bytes: 300 << 20 },
        "{error}"
    );
}

fn too_long_is_ended() {
    let limits = ChildLimits {
        wall_clock: Duration::from_millis(300),
        ..ChildLimits::default()
    };
    let begun = Instant::now();
    let error = compile(heavy(), &limits).unwrap_err();
    assert_eq!(error.code(), "compile-wall-clock");
    assert!(begun.elapsed() < Duration::from_secs(60));
}

fn kill_yourself() -> ExitCode {
    let own = rustix::process::getpid();
    let _ = rustix::process::kill_process(own, rustix::process::Signal::KILL);
    ExitCode::SUCCESS
}

fn a_killed_compiler() {
    let program = std::env::current_exe().unwrap();
    let component = vec![0; 1 << 20];
    let error = compile_in_child(
        &program,
        &["kill-yourself"],
        &Settings::default(),
        &component,
        &ChildLimits::default(),
    )
    .unwrap_err();
    assert_eq!(error, CompileError::Killed { signal: 9 });
}

fn a_silent_compiler() {
    let error = compile_in_child(
        Path::new("/bin/true"),
        &[] as &[&str],
        &Settings::default(),
        b"component",
        &ChildLimits::default(),
    )
    .unwrap_err();
    assert_eq!(error.code(), "compile-ended");
}

fn a_missing_program() {
    let error = compile_in_child(
        Path::new("/nowhere/periapt"),
        &[] as &[&str],
        &Settings::default(),
        b"component",
        &ChildLimits::default(),
    )
    .unwrap_err();
    assert_eq!(error.code(), "compile-start");
    assert!(error.to_string().contains("/nowhere/periapt"), "{error}");
}

fn hooks_that_never_come() {
    let component = Guest {
        items: "(func $begin (loop $on (br $on))) (start $begin)",
        ..Guest::default()
    };
    let error = compile(&component.component(), &ChildLimits::default()).unwrap_err();
    assert_eq!(error.code(), "component-inspection");
    assert!(
        error.to_string().contains("did not end within 10 s"),
        "{error}"
    );
}

fn again(mode: &str, directory: &Path) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args([mode.as_ref(), directory.as_os_str()])
        .output()
        .unwrap();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn lockdown() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["own", "shown", "hidden"] {
        std::fs::create_dir(directory.path().join(name)).unwrap();
        std::fs::write(directory.path().join(name).join("file"), name).unwrap();
    }
    again("locked-down", directory.path());
}

/// Runs in a process of its own.
fn locked_down(directory: &Path) -> ExitCode {
    let missing = directory.join("missing");
    assert_eq!(
        lock_down(&[], &[&missing]).unwrap_err().code(),
        "lockdown-path"
    );
    let (own, shown) = (directory.join("own"), directory.join("shown"));
    let report = lock_down(&[&own], &[&shown]).unwrap();
    println!("  {report}");
    assert!(rustix::thread::no_new_privs().unwrap());
    if report.paths != Enforcement::None {
        assert_eq!(std::fs::read_to_string(own.join("file")).unwrap(), "own");
        std::fs::write(own.join("new"), "x").unwrap();
        assert_eq!(
            std::fs::read_to_string(shown.join("file")).unwrap(),
            "shown"
        );
        assert!(std::fs::write(shown.join("new"), "x").is_err());
        assert!(std::fs::read_to_string(directory.join("hidden/file")).is_err());
        assert!(std::fs::read_to_string("/etc/passwd").is_err());
        assert!(std::fs::read_to_string(shown.join("../hidden/file")).is_err());
    }
    assert_eq!(rustix::process::chroot(&own), Err(rustix::io::Errno::PERM));
    // Threads can still be made: the C library does without `clone3`.
    std::thread::spawn(|| ()).join().unwrap();
    ExitCode::SUCCESS
}

fn lockdown_compiles() {
    let directory = tempfile::tempdir().unwrap();
    again("locked-down-compile", directory.path());
}

fn locked_down_compile(directory: &Path) -> ExitCode {
    let component = Guest::default().component();
    let program = std::env::current_exe().unwrap();
    // What a program needs to be started: itself and its shared libraries.
    let libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"].map(Path::new);
    let mut shown: Vec<&Path> = libraries.into_iter().filter(|path| path.exists()).collect();
    shown.push(&program);
    lock_down(&[directory], &shown).unwrap();
    compile(&component, &ChildLimits::default()).unwrap();
    ExitCode::SUCCESS
}
