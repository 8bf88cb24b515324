//! The system calls an agent never makes, and the filter that denies them.
//!
//! Some are denied by their arguments: threads can be made but no processes, TCP sockets but no
//! others. Landlock knows ports of plain TCP only, so what reaches further under another name (a
//! multipath socket, data sent along with the opening of a connection) is denied here.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::{LockdownError, Sockets};

/// Denied whatever their arguments; the caller gets EPERM.
const DENIED: &[i64] = &[
    // Mounts and roots.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    // Namespaces.
    libc::SYS_unshare,
    libc::SYS_setns,
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // Programs.
    libc::SYS_execve,
    libc::SYS_execveat,
    // Connections of others.
    libc::SYS_bind,
    libc::SYS_listen,
    // Memory, semaphores and queues that other processes of the user have.
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // The kernel itself.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_lookup_dcookie,
    libc::SYS_syslog,
    // Keys of the kernel's key ring.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    // Files by handle, which no path rule sees.
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
];

#[cfg(target_arch = "x86_64")]
const DENIED_HERE: &[i64] = &[
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_kexec_file_load,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS_nfsservctl,
    // Numbers the x32 interface has of its own: execve, sendmsg, ptrace, kexec_load, sendmmsg,
    // process_vm_readv, process_vm_writev and execveat.
    X32 | 520,
    X32 | 518,
    X32 | 521,
    X32 | 528,
    X32 | 538,
    X32 | 539,
    X32 | 540,
    X32 | 545,
];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_HERE: &[i64] = &[];

/// Denied to who accepts no connections.
const ACCEPTING: &[i64] = &[libc::SYS_accept, libc::SYS_accept4];
/// Denied to who makes no sockets.
const MAKING: &[i64] = &[libc::SYS_socket, libc::SYS_connect];

/// The x32 interface of x86-64 is reached with this bit in the number, past a list without it.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// `clone` may not make processes or namespaces; `clone3` hides its flags in memory, where no
/// filter looks, so it is made to look absent and the C library falls back to `clone`.
const NAMESPACE_FLAGS: &[libc::c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// The bits of a socket's type that are not flags.
const SOCKET_TYPE: u64 = 0xf;

/// Installs the filters for all threads and tells how many calls they deny.
pub(super) fn deny(sockets: Sockets) -> Result<usize, LockdownError> {
    let mut denied: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let (accepting, making): (&[i64], &[i64]) = match sockets {
        Sockets::Tcp => (ACCEPTING, &[]),
        Sockets::Accepting => (&[], MAKING),
        Sockets::Given => (ACCEPTING, MAKING),
    };
    let always = || DENIED.iter().chain(accepting).chain(making);
    for call in always().chain(DENIED_HERE) {
        insert(&mut denied, *call, Vec::new());
    }
    let mut processes = vec![rule(vec![has(0, libc::CLONE_THREAD, 0)?])?];
    for flag in NAMESPACE_FLAGS {
        processes.push(rule(vec![has(0, *flag, unsigned(*flag))?])?);
    }
    insert(&mut denied, libc::SYS_clone, processes);
    if sockets == Sockets::Tcp {
        insert(&mut denied, libc::SYS_socket, other_than_tcp()?);
    }
    insert(
        &mut denied,
        libc::SYS_socketpair,
        other_than_stream_pairs()?,
    );
    for (call, flags) in [
        (libc::SYS_sendto, 3),
        (libc::SYS_sendmsg, 2),
        (libc::SYS_sendmmsg, 3),
    ] {
        let flag = libc::MSG_FASTOPEN;
        let opens = rule(vec![has(flags, flag, unsigned(flag))?])?;
        insert(&mut denied, call, vec![opens]);
    }
    install(denied, libc::EPERM)?;
    let mut absent = BTreeMap::new();
    insert(&mut absent, libc::SYS_clone3, Vec::new());
    install(absent, libc::ENOSYS)?;
    Ok(always().count()
        + DENIED_HERE
            .iter()
            .filter(|call| **call < 0x4000_0000)
            .count())
}

/// Matches every `socket` but one for plain TCP over IPv4 or IPv6.
fn other_than_tcp() -> Result<Vec<SeccompRule>, LockdownError> {
    let mut rules = vec![
        rule(vec![not(0, libc::AF_INET)?, not(0, libc::AF_INET6)?])?,
        rule(vec![not(2, 0)?, not(2, libc::IPPROTO_TCP)?])?,
    ];
    rules.extend(other_types()?);
    Ok(rules)
}

/// Matches every `socketpair` but one whose ends can never be connected to anything else.
fn other_than_stream_pairs() -> Result<Vec<SeccompRule>, LockdownError> {
    let mut rules = vec![rule(vec![not(0, libc::AF_UNIX)?])?];
    rules.extend(other_types()?);
    Ok(rules)
}

/// Matches every type of socket but a stream.
fn other_types() -> Result<Vec<SeccompRule>, LockdownError> {
    let mut rules = Vec::new();
    for kind in 0..=SOCKET_TYPE {
        if kind != unsigned(libc::SOCK_STREAM) {
            let bits = SeccompCmpOp::MaskedEq(SOCKET_TYPE);
            rules.push(rule(vec![condition(1, bits, kind)?])?);
        }
    }
    Ok(rules)
}

/// The argument's bits of `mask` are exactly `bits`.
fn has(argument: u8, mask: libc::c_int, bits: u64) -> Result<SeccompCondition, LockdownError> {
    condition(argument, SeccompCmpOp::MaskedEq(unsigned(mask)), bits)
}

fn not(argument: u8, value: libc::c_int) -> Result<SeccompCondition, LockdownError> {
    condition(argument, SeccompCmpOp::Ne, unsigned(value))
}

/// The kernel looks at the lower half of these arguments only, and so does the filter.
fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, LockdownError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value).map_err(failed)
}

fn rule(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, LockdownError> {
    SeccompRule::new(conditions).map_err(failed)
}

fn unsigned(value: libc::c_int) -> u64 {
    u64::from(value.unsigned_abs())
}

fn insert(rules: &mut BTreeMap<i64, Vec<SeccompRule>>, call: i64, conditions: Vec<SeccompRule>) {
    #[cfg(target_arch = "x86_64")]
    rules.insert(call | X32, conditions.clone());
    rules.insert(call, conditions);
}

fn install(rules: BTreeMap<i64, Vec<SeccompRule>>, errno: i32) -> Result<(), LockdownError> {
    let target: TargetArch = std::env::consts::ARCH.try_into().map_err(failed)?;
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(errno.unsigned_abs()),
        target,
    )
    .map_err(failed)?;
    let program: BpfProgram = filter.try_into().map_err(failed)?;
    seccompiler::apply_filter_all_threads(&program).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> LockdownError {
    LockdownError::Calls(error.to_string())
}
