//! Tests whose subject is a process: the compiler child and the lockdown. This binary has its
//! own `main`, so that it can start itself again as that process.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "this is a test, though not one of libtest's"
)]

#[path = "../src/tests/guest.rs"]
mod guest;
#[path = "../../files/src/testing.rs"]
mod trees;

use std::fmt::Write as _;
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use guest::Guest;
use periapt_sandbox::lockdown::{
    Identity, LockdownReport, OWN_USERS, OWN_USERS_SMALL, Sockets, Wall, Walls, lock_down,
};
use periapt_sandbox::{
    Artifact, CHARMS, ChildLimits, CompileError, Settings, compile_child_main, compile_in_child,
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
        "a locked-down process has no socket but TCP to its own port",
        lockdown_sockets,
    ),
    (
        "a process that is given its sockets makes none",
        lockdown_given,
    ),
    (
        "a locked-down process makes no process and runs no program",
        lockdown_processes,
    ),
    (
        "a locked-down process that was root is another user without capabilities",
        lockdown_identity,
    ),
    (
        "a locked-down process removes a tree of any depth in time",
        lockdown_removes,
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("compile-component") => return compile_child_main(&[CHARMS]),
        Some("kill-yourself") => return kill_yourself(),
        Some("locked-down") => return locked_down(Path::new(&arguments[1])),
        Some("locked-down-sockets") => return locked_down_sockets(Path::new(&arguments[1])),
        Some("locked-down-given") => return locked_down_given(Path::new(&arguments[1])),
        Some("locked-down-processes") => return locked_down_processes(Path::new(&arguments[1])),
        Some("locked-down-identity") => return locked_down_identity(Path::new(&arguments[1])),
        Some("locked-down-remove") => return locked_down_remove(Path::new(&arguments[1])),
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
        CHARMS.kind,
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
            .refusal()
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
    assert_eq!(error.refusal().code(), "compile-wall-clock");
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
        CHARMS.kind,
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
        CHARMS.kind,
        &Settings::default(),
        b"component",
        &ChildLimits::default(),
    )
    .unwrap_err();
    assert_eq!(error.refusal().code(), "compile-ended");
}

fn a_missing_program() {
    let error = compile_in_child(
        Path::new("/nowhere/periapt"),
        &[] as &[&str],
        CHARMS.kind,
        &Settings::default(),
        b"component",
        &ChildLimits::default(),
    )
    .unwrap_err();
    assert_eq!(error.refusal().code(), "compile-start");
    assert!(error.to_string().contains("/nowhere/periapt"), "{error}");
}

fn hooks_that_never_come() {
    let component = Guest {
        items: "(func $begin (loop $on (br $on))) (start $begin)",
        ..Guest::default()
    };
    let error = compile(&component.component(), &ChildLimits::default()).unwrap_err();
    assert_eq!(error.refusal().code(), "component-inspection");
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

/// Locks this process down as an agent does.
fn lock(read_write: &[&Path], read_only: &[&Path], connect: &[u16]) -> LockdownReport {
    let walls = Walls {
        guests: false,
        read_write,
        read_only,
        connect,
        sockets: Sockets::Tcp,
        identity: &Identity::UNCHANGED,
    };
    let report = lock_down(&walls).unwrap();
    println!("  {report}");
    report
}

/// Runs in a process of its own.
fn locked_down(directory: &Path) -> ExitCode {
    let missing = directory.join("missing");
    let walls = Walls {
        guests: false,
        read_write: &[],
        read_only: &[&missing],
        connect: &[],
        sockets: Sockets::Tcp,
        identity: &Identity::UNCHANGED,
    };
    assert_eq!(lock_down(&walls).unwrap_err().code(), "lockdown-path");
    let (own, shown) = (directory.join("own"), directory.join("shown"));
    let report = lock(&[&own], &[&shown], &[]);
    assert!(rustix::thread::no_new_privs().unwrap());
    if report.reach.holds(Wall::Paths) {
        assert_eq!(std::fs::read_to_string(own.join("file")).unwrap(), "own");
        std::fs::write(own.join("new"), "x").unwrap();
        assert_eq!(
            std::fs::read_to_string(shown.join("file")).unwrap(),
            "shown"
        );
        assert!(std::fs::write(shown.join("new"), "x").is_err());
        assert!(std::fs::read_to_string(directory.join("hidden/file")).is_err());
        assert!(std::fs::read_to_string("/etc/passwd").is_err());
        assert!(std::fs::read_to_string("/etc/shadow").is_err());
        assert!(std::fs::read_to_string("/proc/1/environ").is_err());
        assert!(std::fs::read_to_string(shown.join("../hidden/file")).is_err());
    }
    assert_eq!(rustix::process::chroot(&own), Err(rustix::io::Errno::PERM));
    // Threads can still be made: the C library does without `clone3`.
    std::thread::spawn(|| ()).join().unwrap();
    ExitCode::SUCCESS
}

fn lockdown_sockets() {
    let directory = tempfile::tempdir().unwrap();
    again("locked-down-sockets", directory.path());
}

fn lockdown_given() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["accepting", "given"] {
        let path = directory.path().join(name);
        std::fs::create_dir(&path).unwrap();
        again("locked-down-given", &path);
    }
}

fn locked_down_given(directory: &Path) -> ExitCode {
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketType, connect, socket};

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let waiting = TcpStream::connect(address).unwrap();
    let unused = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    let path = directory.join("socket");
    let _daemon = UnixListener::bind(&path).unwrap();
    let accepting = directory.ends_with("accepting");
    let walls = Walls {
        guests: false,
        read_write: &[directory],
        read_only: &[],
        connect: &[address.port()],
        sockets: match accepting {
            true => Sockets::Accepting,
            false => Sockets::Given,
        },
        identity: &Identity::UNCHANGED,
    };
    lock_down(&walls).unwrap();
    assert_eq!(listener.accept().is_ok(), accepting);
    drop(waiting);
    assert!(TcpStream::connect(address).is_err());
    assert_eq!(connect(&unused, &address), Err(Errno::PERM));
    assert!(UnixStream::connect(&path).is_err());
    for family in [
        AddressFamily::INET,
        AddressFamily::INET6,
        AddressFamily::UNIX,
    ] {
        let made = socket(family, SocketType::STREAM, None);
        assert_eq!(made.unwrap_err(), Errno::PERM);
    }
    UnixStream::pair().unwrap();
    ExitCode::SUCCESS
}

fn locked_down_sockets(directory: &Path) -> ExitCode {
    use rustix::io::Errno;
    use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, socket, socketpair};

    let own = TcpListener::bind("127.0.0.1:0").unwrap();
    let foreign = TcpListener::bind("127.0.0.1:0").unwrap();
    let path = directory.join("socket");
    let _daemon = UnixListener::bind(&path).unwrap();
    UnixStream::connect(&path).unwrap();
    let port = |listener: &TcpListener| listener.local_addr().unwrap().port();

    let report = lock(&[directory], &[], &[port(&own)]);
    TcpStream::connect(own.local_addr().unwrap()).unwrap();
    if report.reach.holds(Wall::Ports) {
        let refused = TcpStream::connect(foreign.local_addr().unwrap()).unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
    }
    // The same connection under other names.
    let opened = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    let address = foreign.local_addr().unwrap();
    let fast = rustix::net::SendFlags::from_bits_retain(0x2000_0000);
    assert_eq!(
        rustix::net::sendto(&opened, b"x", fast, &address),
        Err(Errno::PERM)
    );
    assert_eq!(
        rustix::net::bind(
            &opened,
            &"127.0.0.1:0".parse::<std::net::SocketAddr>().unwrap()
        ),
        Err(Errno::PERM)
    );
    assert_eq!(rustix::net::listen(&opened, 1), Err(Errno::PERM));

    // Nothing but plain TCP.
    assert!(UnixStream::connect(&path).is_err());
    assert!(std::net::UdpSocket::bind("127.0.0.1:0").is_err());
    let stream = SocketType::STREAM;
    for (family, kind, protocol) in [
        (AddressFamily::UNIX, stream, None),
        (AddressFamily::UNIX, SocketType::DGRAM, None),
        (AddressFamily::INET, SocketType::DGRAM, None),
        (AddressFamily::INET, SocketType::RAW, Some(ipproto::ICMP)),
        (AddressFamily::INET6, SocketType::RAW, Some(ipproto::ICMPV6)),
        (AddressFamily::INET, stream, Some(ipproto::MPTCP)),
        (AddressFamily::INET, stream, Some(ipproto::SCTP)),
        (AddressFamily::PACKET, SocketType::RAW, None),
        (AddressFamily::NETLINK, SocketType::RAW, None),
        (AddressFamily::VSOCK, stream, None),
        (AddressFamily::from_raw(38), SocketType::SEQPACKET, None),
    ] {
        assert_eq!(
            socket(family, kind, protocol).unwrap_err(),
            Errno::PERM,
            "{family:?} {kind:?} {protocol:?}"
        );
    }
    // The pair a runtime wakes itself with, and none that could be sent elsewhere.
    let pair = |kind| socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
    pair(stream).unwrap();
    assert_eq!(pair(SocketType::DGRAM).unwrap_err(), Errno::PERM);
    ExitCode::SUCCESS
}

fn lockdown_processes() {
    let directory = tempfile::tempdir().unwrap();
    again("locked-down-processes", directory.path());
}

fn locked_down_processes(directory: &Path) -> ExitCode {
    lock(&[directory], &[Path::new("/bin"), Path::new("/lib")], &[]);
    let program = std::env::current_exe().unwrap();
    for program in [program.as_path(), Path::new("/bin/true")] {
        let refused = Command::new(program).arg("--list").status().unwrap_err();
        assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
    }
    let parent = rustix::process::getppid();
    assert!(rustix::process::test_kill_process(parent.unwrap()).is_err());
    ExitCode::SUCCESS
}

fn lockdown_identity() {
    // Nobody but the owner gets through the directory above, as in root's home.
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("own")).unwrap();
    std::fs::write(directory.path().join("secret"), "of root").unwrap();
    let only_owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(directory.path().join("secret"), only_owner).unwrap();
    again("locked-down-identity", directory.path());
}

fn locked_down_identity(directory: &Path) -> ExitCode {
    let root = rustix::process::geteuid().is_root();
    let identity = Identity::own("a model");
    if let Some(reason) = identity.keeps_root() {
        println!("  stays root: {reason}");
    }
    let own = directory.join("own");
    if let Some(user) = identity.own_user() {
        std::os::unix::fs::chown(&own, Some(user.id()), Some(user.id())).unwrap();
        std::os::unix::fs::chown(directory, None, Some(user.id())).unwrap();
        let passable = std::os::unix::fs::PermissionsExt::from_mode(0o710);
        std::fs::set_permissions(directory, passable).unwrap();
    }
    std::env::set_current_dir(directory).unwrap();
    let own = Path::new("own");
    let walls = Walls {
        guests: true,
        read_write: &[own],
        read_only: &[],
        connect: &[],
        sockets: Sockets::Tcp,
        identity: &identity,
    };
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let report = lock_down(&walls).unwrap();
    println!("  {report}");
    // What a guest wrote is told of inside the walls as well, where the kernel can.
    let mut version = kernel.split(['.', '-']).map_while(|part| part.parse().ok());
    let version: (u32, u32) = (version.next().unwrap(), version.next().unwrap());
    let told = wasmtime::PoolingAllocationConfig::is_pagemap_scan_available();
    assert!(told || version < (6, 7), "pages are not told of");
    std::fs::write(own.join("new"), "x").unwrap();
    std::fs::rename(own.join("new"), own.join("newer")).unwrap();
    assert!(std::fs::read_to_string("secret").is_err());
    let thread = std::thread::spawn(|| {
        let held = rustix::thread::capabilities(None).unwrap();
        assert!((held.effective | held.permitted | held.inheritable).is_empty());
        rustix::process::getuid().as_raw()
    });
    let user = thread.join().unwrap();
    assert_eq!(user, report.user);
    if root && identity.keeps_root().is_none() {
        assert!(
            OWN_USERS.contains(&user) || OWN_USERS_SMALL.contains(&user),
            "{user}"
        );
        assert_eq!(rustix::process::getgid().as_raw(), user);
        assert!(rustix::process::getgroups().unwrap().is_empty());
    }
    ExitCode::SUCCESS
}

fn lockdown_removes() {
    let directory = trees::place();
    let root = directory.path().join("root");
    std::fs::create_dir(&root).unwrap();
    trees::nest(&root, "d", 20_000, 10);
    again("locked-down-remove", directory.path());
    assert!(!root.exists());
}

/// Landlock looks at every directory above the one at hand, so that a removal where the files are
/// would take the square of their depth.
fn locked_down_remove(directory: &Path) -> ExitCode {
    lock(&[directory], &[], &[]);
    let begun = Instant::now();
    periapt_files::remove(&directory.join("root")).unwrap();
    println!("  {:.2} s", begun.elapsed().as_secs_f64());
    assert!(begun.elapsed() < Duration::from_secs(30));
    ExitCode::SUCCESS
}
