//! The worker's own fences, put up before it looks at the script.
//!
//! Resource limits hold on every Unix; on Linux a filter of system calls comes on top: what is left is
//! memory, time, and the two pipes. Memory is fenced twice: a watcher tells the engine how much is in use, so
//! that it ends the script in good order; the address space bounds what slips through in between.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, setrlimit};

#[derive(Debug, Clone, Copy)]
pub struct Fence {
    pub memory: u64,
    pub interpreter: Duration,
}

/// Address space beyond the script's memory: the copies of a value on its way out, and the heap's waste.
const SPARE: u64 = 64 << 20;

/// A fence that could not be put up; the worker must not run the script then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FenceError {
    #[error("the limit of {what} cannot be set: {why}")]
    Limit { what: &'static str, why: rustix::io::Errno },
    #[error("system calls cannot be filtered: {0}")]
    Filter(String),
}

/// Puts up all fences for every thread of this process. Threads cannot be started afterwards.
pub(crate) fn install_sandbox(fence: Fence, memory: &MemoryGauge) -> Result<(), FenceError> {
    let cpu = fence.interpreter.as_secs().saturating_add(4);
    limit("processor time", Resource::Cpu, cpu)?;
    limit("core dumps", Resource::Core, 0)?;
    limit("file size", Resource::Fsize, 0)?;
    limit("processes", Resource::Nproc, 0)?;
    limit("open files", Resource::Nofile, 0)?;
    if let Some(now) = memory.address_space() {
        limit("address space", Resource::As, now.saturating_add(fence.memory).saturating_add(SPARE))?;
    }
    filter(memory)
}

fn limit(what: &'static str, resource: Resource, value: u64) -> Result<(), FenceError> {
    // An existing lower limit stays.
    let value = rustix::process::getrlimit(resource).maximum.map_or(value, |most| most.min(value));
    setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) })
        .map_err(|why| FenceError::Limit { what, why })
}

#[derive(Debug)]
pub struct MemoryGauge {
    #[cfg(target_os = "linux")]
    statm: Option<std::fs::File>,
    #[cfg(target_os = "linux")]
    page: u64,
}

#[cfg(target_os = "linux")]
impl MemoryGauge {
    /// Opens what is read later; afterwards nothing can be opened any more.
    pub fn open() -> Self {
        Self { statm: std::fs::File::open("/proc/self/statm").ok(), page: rustix::param::page_size() as u64 }
    }

    /// Bytes of address space, none where the system does not tell.
    fn address_space(&self) -> Option<u64> {
        self.field(0)
    }

    /// Bytes in use, none where the system does not tell.
    pub(crate) fn resident(&self) -> Option<u64> {
        self.field(1)
    }

    fn field(&self, index: usize) -> Option<u64> {
        use std::os::unix::fs::FileExt as _;
        let mut buffer = [0; 128];
        let read = self.statm.as_ref()?.read_at(&mut buffer, 0).ok()?;
        let text = std::str::from_utf8(buffer.get(..read)?).ok()?;
        text.split_ascii_whitespace().nth(index)?.parse::<u64>().ok()?.checked_mul(self.page)
    }
}

#[cfg(not(target_os = "linux"))]
impl MemoryGauge {
    /// Opens what is read later; afterwards nothing can be opened any more.
    pub fn open() -> Self {
        Self {}
    }

    /// Bytes of address space, none where the system does not tell.
    fn address_space(&self) -> Option<u64> {
        None
    }

    /// Bytes in use, none where the system does not tell.
    pub(crate) fn resident(&self) -> Option<u64> {
        None
    }
}

#[cfg(not(target_os = "linux"))]
fn filter(_memory: &MemoryGauge) -> Result<(), FenceError> {
    Ok(())
}

/// Leaves memory, time, the pipes and the end; everything else fails with "not permitted".
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
fn filter(memory: &MemoryGauge) -> Result<(), FenceError> {
    let program = program(memory, std::process::id())?;
    seccompiler::apply_filter_all_threads(&program).map_err(|e| FenceError::Filter(e.to_string()))
}

/// The filter for the process of this id.
#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")
))]
fn program(memory: &MemoryGauge, own: u32) -> Result<seccompiler::BpfProgram, FenceError> {
    use std::collections::BTreeMap;
    use std::os::fd::AsRawFd as _;

    use seccompiler::{
        SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition as If, SeccompFilter,
        SeccompRule as Rule,
    };

    let failed = |e: &dyn std::fmt::Display| FenceError::Filter(e.to_string());
    let when = |argument: u8, op: Op, value: u64| -> Result<Rule, FenceError> {
        let condition = If::new(argument, Len::Dword, op, value).map_err(|e| failed(&e))?;
        Rule::new(vec![condition]).map_err(|e| failed(&e))
    };
    let mut rules: BTreeMap<i64, Vec<Rule>> = BTreeMap::new();
    for call in [
        libc::SYS_brk,
        libc::SYS_clock_gettime,
        libc::SYS_clock_nanosleep,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_futex,
        libc::SYS_getpid,
        libc::SYS_getrandom,
        libc::SYS_gettid,
        libc::SYS_madvise,
        libc::SYS_mremap,
        libc::SYS_munmap,
        libc::SYS_nanosleep,
        libc::SYS_restart_syscall,
        libc::SYS_rseq,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sched_yield,
        libc::SYS_set_robust_list,
        libc::SYS_sigaltstack,
    ] {
        rules.insert(call, Vec::new());
    }
    // How a process ends itself with a signal; no other process gets one.
    rules.insert(libc::SYS_tgkill, vec![when(0, Op::Eq, u64::from(own))?]);
    let read_only = u64::from(libc::PROT_EXEC.unsigned_abs());
    rules.insert(libc::SYS_mmap, vec![when(2, Op::MaskedEq(read_only), 0)?]);
    rules.insert(libc::SYS_mprotect, vec![when(2, Op::MaskedEq(read_only), 0)?]);
    rules.insert(libc::SYS_read, vec![when(0, Op::Eq, 0)?]);
    rules.insert(libc::SYS_preadv2, vec![when(0, Op::Eq, 0)?]);
    rules.insert(libc::SYS_write, vec![when(0, Op::Eq, 1)?, when(0, Op::Eq, 2)?]);
    if let Some(file) = &memory.statm {
        let fd = u64::try_from(file.as_raw_fd()).map_err(|e| failed(&e))?;
        rules.insert(libc::SYS_pread64, vec![when(0, Op::Eq, fd)?]);
    }
    let arch = std::env::consts::ARCH.try_into().map_err(|e| failed(&e))?;
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, arch).map_err(|e| failed(&e))?;
    filter.try_into().map_err(|e| failed(&e))
}

#[cfg(all(
    target_os = "linux",
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))
))]
fn filter(_memory: &MemoryGauge) -> Result<(), FenceError> {
    rustix::thread::set_no_new_privs(true).map_err(|e| FenceError::Filter(e.to_string()))
}

#[cfg(test)]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;

    /// What the kernel would do: a machine for the instructions that such filters have.
    fn verdict(program: &[seccompiler::sock_filter], call: i64, args: [u64; 2]) -> u32 {
        let mut data = [0u8; 64];
        data[0..4].copy_from_slice(&u32::try_from(call).unwrap().to_le_bytes());
        data[4..8].copy_from_slice(&0xc000_003e_u32.to_le_bytes());
        for (n, arg) in args.iter().enumerate() {
            data[16 + 8 * n..24 + 8 * n].copy_from_slice(&arg.to_le_bytes());
        }
        let (mut at, mut held) = (0, 0u32);
        loop {
            let step = &program[at];
            let jump = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
            at += 1;
            match step.code {
                0x20 => {
                    let from = step.k as usize;
                    held = u32::from_le_bytes(data[from..from + 4].try_into().unwrap());
                }
                0x05 => at += step.k as usize,
                0x15 => at += jump(held == step.k),
                0x25 => at += jump(held > step.k),
                0x35 => at += jump(held >= step.k),
                0x45 => at += jump(held & step.k != 0),
                0x54 => held &= step.k,
                0x06 => return step.k,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn nothing_but_the_pipes_is_read_and_written() {
        let program = program(&MemoryGauge { statm: None, page: 4096 }, 4711).unwrap();
        let allowed = verdict(&program, libc::SYS_getpid, [0, 0]);
        for (call, fine) in [
            (libc::SYS_read, &[0][..]),
            (libc::SYS_preadv2, &[0]),
            (libc::SYS_write, &[1, 2]),
            (libc::SYS_pread64, &[]),
            (libc::SYS_preadv, &[]),
            (libc::SYS_pwritev2, &[]),
        ] {
            for fd in 0..6 {
                assert_eq!(verdict(&program, call, [fd, 0]) == allowed, fine.contains(&fd), "{call} {fd}");
            }
        }
    }

    #[test]
    fn a_process_can_end_itself_and_signal_no_other() {
        let program = program(&MemoryGauge::open(), 4711).unwrap();
        let allowed = verdict(&program, libc::SYS_getpid, [0, 0]);
        assert_eq!(allowed, 0x7fff_0000);
        assert_eq!(verdict(&program, libc::SYS_tgkill, [4711, 4711]), allowed);
        for other in [1, 4710, 4712] {
            assert_ne!(verdict(&program, libc::SYS_tgkill, [other, other]), allowed, "{other}");
        }
        for call in [libc::SYS_kill, libc::SYS_tkill, libc::SYS_execve, libc::SYS_socket] {
            assert_ne!(verdict(&program, call, [4711, 4711]), allowed, "{call}");
        }
    }
}
