//! The system calls an agent never makes, and the filter that denies them.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::LockdownError;

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
    libc::SYS_kexec_file_load,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS_nfsservctl,
    // Numbers the x32 interface has of its own: ptrace, kexec_load, process_vm_readv and
    // process_vm_writev.
    X32 | 521,
    X32 | 528,
    X32 | 539,
    X32 | 540,
];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_HERE: &[i64] = &[];

/// The x32 interface of x86-64 is reached with this bit in the number, past a list without it.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;

/// `clone` may not make namespaces; `clone3` hides its flags in memory, where no filter looks,
/// so it is made to look absent and the C library falls back to `clone`.
const NAMESPACE_FLAGS: &[libc::c_int] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Installs the filters for all threads and tells how many calls they deny.
pub(super) fn deny() -> Result<usize, LockdownError> {
    let mut denied: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for call in DENIED.iter().chain(DENIED_HERE) {
        insert(&mut denied, *call, Vec::new());
    }
    let mut namespaces = Vec::new();
    for flag in NAMESPACE_FLAGS {
        let flag = u64::from(flag.unsigned_abs());
        let condition = SeccompCondition::new(
            0,
            SeccompCmpArgLen::Qword,
            SeccompCmpOp::MaskedEq(flag),
            flag,
        )
        .map_err(failed)?;
        namespaces.push(SeccompRule::new(vec![condition]).map_err(failed)?);
    }
    insert(&mut denied, libc::SYS_clone, namespaces);
    install(denied, libc::EPERM)?;
    let mut absent = BTreeMap::new();
    insert(&mut absent, libc::SYS_clone3, Vec::new());
    install(absent, libc::ENOSYS)?;
    Ok(DENIED.len()
        + DENIED_HERE
            .iter()
            .filter(|call| **call < 0x4000_0000)
            .count())
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
