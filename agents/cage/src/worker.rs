//! The process that runs one script: puts up its fences, prepares the script, runs it, tells how it ended.
//!
//! Invariants: nothing of the script is looked at before the fences stand; standard input and output carry
//! frames and nothing else; the process ends with its run, or when the parent is gone.

use std::io::Write as _;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use crate::fence::{self, Fence, MemoryGauge};
use crate::limits::Limit;
use crate::link::{Inbox, KEEN};
use crate::monty::{self, Bridge, Ending, HostReply, HostRequest};
use crate::prep;
use crate::val::Val;
use crate::wire::{self, FlatValue, HostAnswer, Start, ToParent, ToWorker, WireError, WorkerEvent};

/// Stack of the interpreter's thread: the parser, the engine and the dropping of what they built recurse.
const STACK: usize = 64 << 20;
/// Between two looks at the memory in use.
const LOOK: Duration = Duration::from_millis(1);

/// Runs the one script that standard input brings, then returns. To be called first thing in the process,
/// with no other thread running.
#[must_use]
pub fn main() -> ExitCode {
    // What panics says so through its frame; the standard report would look for files.
    std::panic::set_hook(Box::new(|_| ()));
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            let _ = writeln!(std::io::stderr(), "{e}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), String> {
    let mut pipe = Pipe::default();
    let Some(ToWorker::Start(start)) = pipe.read().map_err(|e| e.to_string())? else {
        return Err("the first frame starts no run".into());
    };
    let fences = Fence { memory: start.limits.memory, interpreter: start.limits.interpreter };
    let memory = Arc::new(MemoryGauge::open());
    let (ready, both_ready) = mpsc::channel::<()>();
    let (go, wait_to_go) = mpsc::channel::<()>();
    let interpreter = {
        let ready = ready.clone();
        std::thread::Builder::new().stack_size(STACK).spawn(move || {
            // The thread's heap is part of the address space that the fences start from.
            let heap = std::hint::black_box(vec![0_u8; 1 << 16]);
            let _ = ready.send(());
            if wait_to_go.recv().is_ok() {
                run(*start, pipe);
            }
            drop(heap);
        })
    };
    let watcher = {
        let memory = Arc::clone(&memory);
        std::thread::Builder::new().stack_size(256 << 10).spawn(move || watch(&memory, &ready))
    };
    let interpreter = interpreter.map_err(|e| e.to_string())?;
    watcher.map_err(|e| e.to_string())?;
    for _ in 0..2 {
        both_ready.recv().map_err(|e| e.to_string())?;
    }
    fence::install_sandbox(fences, &memory).map_err(|e| e.to_string())?;
    go.send(()).map_err(|e| e.to_string())?;
    interpreter.join().map_err(|_| "the engine panicked".to_owned())
}

/// Keeps the engine informed about the memory in use; it compares that with its limit.
fn watch(memory: &MemoryGauge, ready: &mpsc::Sender<()>) {
    let base = memory.resident();
    let _ = ready.send(());
    let Some(base) = base else { return };
    while let Some(now) = memory.resident() {
        monty::memory_in_use(usize::try_from(now.saturating_sub(base)).unwrap_or(usize::MAX));
        std::thread::sleep(LOOK);
    }
}

fn run(start: Start, mut pipe: Pipe) {
    let end = std::panic::catch_unwind(AssertUnwindSafe(|| through(start, &mut pipe))).unwrap_or_else(|_| {
        ToParent {
            printed: String::new(),
            spent_us: 0,
            what: WorkerEvent::Fault("the engine panicked".into()),
        }
    });
    let spent_us = end.spent_us;
    if !write(&end) {
        write(&ToParent { printed: String::new(), spent_us, what: WorkerEvent::Limit(Limit::Value, None) });
    }
}

fn through(start: Start, pipe: &mut Pipe) -> ToParent {
    let end = |printed, spent: Duration, what| ToParent { printed, spent_us: micros(spent), what };
    let args: Result<Vec<Val>, WireError> = start.args.into_iter().map(FlatValue::raise).collect();
    let args = match args {
        Ok(args) => args,
        Err(e) => return end(String::new(), Duration::ZERO, WorkerEvent::Fault(e.to_string())),
    };
    let prepared =
        match prep::prepare(&start.source, start.entry.as_deref(), &start.surface, start.limits.source) {
            Ok(prepared) => prepared,
            Err(refusals) => return end(String::new(), Duration::ZERO, WorkerEvent::Refused(refusals)),
        };
    let (ending, printed, spent) =
        monty::interpret(&prepared, start.entry.as_deref(), args, &start.surface, &start.limits, pipe);
    let what = match ending {
        Ending::Done(value) => match FlatValue::of(&value) {
            Ok(flat) => WorkerEvent::Done(flat),
            Err(_) => WorkerEvent::Limit(Limit::Value, None),
        },
        Ending::Unfit(refusal) => WorkerEvent::Refused(vec![refusal]),
        Ending::Raised(error) => WorkerEvent::Raised(error),
        Ending::Limit(limit, line) => WorkerEvent::Limit(limit, line),
        Ending::Aborted(line) => WorkerEvent::Aborted(line),
    };
    end(printed, spent, what)
}

#[derive(Default)]
struct Pipe {
    inbox: Inbox,
}

impl Pipe {
    /// One frame from the parent, none when it is gone.
    fn read(&mut self) -> Result<Option<ToWorker>, WireError> {
        let began = Instant::now();
        loop {
            if let Some(frame) = self.inbox.frame()? {
                return Ok(Some(frame));
            }
            match listen(self.inbox.room()?, began) {
                Ok(0) => return Ok(None),
                Ok(count) => self.inbox.took(count),
                Err(Errno::INTR) => {}
                Err(_) => return Ok(None),
            }
        }
    }
}

impl Bridge for Pipe {
    fn ask(&mut self, want: HostRequest, printed: String, spent: Duration) -> HostReply {
        let flat = |values: Vec<Val>| values.iter().map(FlatValue::of).collect::<Result<Vec<_>, _>>();
        let what = match want {
            HostRequest::Call { receiver, function, args, kwargs } => {
                let named: Result<Vec<_>, WireError> =
                    kwargs.into_iter().map(|(name, value)| Ok((name, FlatValue::of(&value)?))).collect();
                match (flat(args), named) {
                    (Ok(args), Ok(kwargs)) => WorkerEvent::Call {
                        receiver: receiver.map(|r| (r.class, r.id)),
                        function,
                        args,
                        kwargs,
                    },
                    _ => return HostReply::TooLarge,
                }
            }
            HostRequest::Attr { receiver, name } => {
                WorkerEvent::Attr { receiver: (receiver.class, receiver.id), name }
            }
        };
        if !write(&ToParent { printed, spent_us: micros(spent), what }) {
            return HostReply::TooLarge;
        }
        match self.read() {
            Ok(Some(ToWorker::Answer(HostAnswer::Value(value)))) => match value.raise() {
                Ok(value) => HostReply::Value(value),
                Err(_) => leave(),
            },
            Ok(Some(ToWorker::Answer(HostAnswer::Raise(kind, text)))) => HostReply::Raise(kind, text),
            Ok(Some(ToWorker::Answer(HostAnswer::Abort))) => HostReply::Abort,
            Ok(Some(ToWorker::Start(_)) | None) | Err(_) => leave(),
        }
    }
}

/// What the parent says next. It is looked for until [`KEEN`] has passed since `began`, then waited for.
/// (Reads that never wait, on a pipe that does: asking whether there is any would need to open files.)
fn listen(room: &mut [u8], began: Instant) -> Result<usize, Errno> {
    #[cfg(target_os = "linux")]
    while began.elapsed() < KEEN {
        use std::io::IoSliceMut;

        use rustix::io::{ReadWriteFlags, preadv2};

        let mut rooms = [IoSliceMut::new(&mut *room)];
        match preadv2(std::io::stdin(), &mut rooms, u64::MAX, ReadWriteFlags::NOWAIT) {
            Err(Errno::AGAIN) => std::thread::yield_now(),
            // A system that cannot do this for pipes.
            Err(Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => break,
            said => return said,
        }
    }
    rustix::io::read(std::io::stdin(), room)
}

fn leave() -> ! {
    std::process::exit(1)
}

/// Whether the frame was small enough. A parent that is gone ends the process.
fn write(frame: &ToParent) -> bool {
    let Ok(bytes) = wire::encode(frame) else { return false };
    // Past the buffer of standard output, which would cut a frame at a line's end.
    let mut rest = bytes.as_slice();
    while !rest.is_empty() {
        match rustix::io::write(std::io::stdout(), rest) {
            Ok(count) => rest = rest.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            Err(_) => leave(),
        }
    }
    true
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
