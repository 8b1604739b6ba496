//! Machines that run: QEMU itself, with the guest for tests that `scripts/make-vm --trial` builds of Debian's kernel and busybox.
#![allow(clippy::disallowed_methods, reason = "tests start programs as they need them")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

#[path = "support/image.rs"]
mod image;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use waldo_devices::{AppRule, Deadline, Device, DeviceError, GuardPolicy, ResetTo, StateProbe, StateValue};
use waldo_http::{PlainHttp, RemoteServer};
use waldo_remote::{OsServer, RemoteDevice, RemoteOptions};
use waldo_vm::{Hands, VmDevice, VmOptions, VmPool};

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(600))
}

async fn device(pool: &Arc<VmPool>) -> (VmDevice, PathBuf) {
    let lease = pool.lend().await.unwrap();
    let socket = lease.machine().unwrap().server();
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().unix_socket(socket.clone()).build().unwrap();
    let server =
        RemoteServer::new(client, "http://127.0.0.1:5000".parse().unwrap(), PlainHttp::Refused).unwrap();
    let inner = RemoteDevice::new(OsServer::new(server), RemoteOptions::default());
    (VmDevice::new(Box::new(inner), lease), socket.parent().unwrap().to_owned())
}

async fn reset(device: &mut VmDevice) {
    let policy = GuardPolicy { apps: vec![AppRule("*".to_owned())], ..GuardPolicy::default() };
    Device::reset(device, &ResetTo { policy, ..ResetTo::default() }, soon()).await.unwrap();
}

async fn shell(device: &mut VmDevice, command: &str) -> Result<String, DeviceError> {
    match Device::probe(device, &StateProbe::Shell(command.to_owned()), soon()).await? {
        StateValue::Text(text) => Ok(text),
        other => panic!("{other:?}"),
    }
}

/// The processes that `word` stands in the command line of, and whose program is `name` where one is asked for.
fn processes(word: &Path, name: &str) -> Vec<i32> {
    let word = word.to_str().unwrap();
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| {
        let line = std::fs::read_to_string(entry.path().join("cmdline")).ok()?;
        (line.contains(word) && line.split('\0').next()?.ends_with(name))
            .then(|| entry.file_name().to_str()?.parse().ok())?
    })
    .collect()
}

fn signal(folder: &Path, signal: rustix::process::Signal) {
    let [qemu] = processes(folder, "qemu-system-x86_64")[..] else {
        panic!("there is one QEMU in {folder:?}")
    };
    rustix::process::kill_process(rustix::process::Pid::from_raw(qemu).unwrap(), signal).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn episodes_start_from_the_snapshot_and_a_machine_that_dies_or_hangs_is_replaced() {
    let settings = "memory=128,cores=1,hands=server,boot=900".parse().unwrap();
    let door = PathBuf::from(env!("CARGO_BIN_EXE_vm-door"));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/make-vm");
    let options = VmOptions { image: image::trial(&script), size: (640, 480), settings, door };
    let pool = VmPool::start(options).await.unwrap();
    eprintln!("ready and kept after {:?}", pool.took);
    assert_eq!(pool.hands, Hands::Server);
    let (mut first, folder) = device(&pool).await;
    reset(&mut first).await;
    // Each port has a door of its own.
    let StateValue::Text(doors) = Device::probe(&mut first, &StateProbe::Machine, soon()).await.unwrap()
    else {
        panic!("a folder is a text")
    };
    assert_eq!(folder, Path::new(&doors));
    let mut said = String::new();
    let mut browser = std::os::unix::net::UnixStream::connect(folder.join(waldo_vm::BROWSER)).unwrap();
    browser.read_to_string(&mut said).unwrap();
    assert_eq!(said, "the browser\n");

    // Memory and disk are brought back.
    let look =
        "cat /state 2>/dev/null; dd if=/dev/vda bs=512 skip=130000 count=1 2>/dev/null | tr -d '\\000'";
    assert_eq!(shell(&mut first, look).await.unwrap(), "");
    let change =
        "echo changed >/state; echo marked | dd of=/dev/vda bs=512 seek=130000 conv=fsync 2>/dev/null; sync";
    shell(&mut first, change).await.unwrap();
    assert_eq!(
        shell(&mut first, look).await.unwrap().split_whitespace().collect::<Vec<_>>(),
        ["changed", "marked"]
    );
    let began = std::time::Instant::now();
    reset(&mut first).await;
    eprintln!("brought back after {:?}", began.elapsed());
    assert_eq!(shell(&mut first, look).await.unwrap(), "");
    // What an episode leaves is not there in the next, which gets the same machine.
    shell(&mut first, change).await.unwrap();
    drop(first);
    let (mut second, same) = device(&pool).await;
    assert_eq!(same, folder);
    reset(&mut second).await;
    assert_eq!(shell(&mut second, look).await.unwrap(), "");
    Device::health(&mut second, soon()).await.unwrap();

    // One that dies makes the attempt invalid, and the next episode gets another.
    signal(&folder, rustix::process::Signal::KILL);
    let gone = shell(&mut second, look).await.unwrap_err();
    assert!(matches!(gone, DeviceError::Gone { .. } | DeviceError::Absent { .. }), "{gone}");
    let ill = Device::health(&mut second, soon()).await.unwrap_err();
    assert!(matches!(ill, DeviceError::Gone { .. }), "{ill}");
    drop(second);
    let (mut third, other) = device(&pool).await;
    assert_ne!(other, folder);
    reset(&mut third).await;
    assert_eq!(shell(&mut third, look).await.unwrap(), "");

    // So does one that hangs.
    signal(&other, rustix::process::Signal::STOP);
    let ill = Device::health(&mut third, soon()).await.unwrap_err().to_string();
    assert!(ill.contains("hangs"), "{ill}");
    drop(third);
    assert!(processes(&other, "").is_empty() && !other.exists(), "the machine that hung is left");

    let whole = folder.parent().unwrap().to_owned();
    let port = std::fs::read_to_string("/proc/net/tcp").unwrap();
    assert!(!port.contains(":1388 "), "the guest's port 5000 is the sandbox's alone");
    drop(pool);
    assert!(processes(&whole, "").is_empty() && !whole.exists(), "something is left of {whole:?}");
}

#[tokio::test]
async fn what_cannot_be_a_machine_says_what_to_do() {
    let text = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(text.path(), "no disk").unwrap();
    for (image, why) in [(text.path(), "is no qcow2"), (Path::new("/nonexistent/disk"), "No such file")] {
        let door = PathBuf::from(env!("CARGO_BIN_EXE_vm-door"));
        let (settings, image) = (Default::default(), image.to_owned());
        let said = VmPool::start(VmOptions { image, size: (640, 480), settings, door })
            .await
            .unwrap_err()
            .to_string();
        assert!(said.contains(why) && said.contains("waldo vm build"), "{said}");
    }
}
