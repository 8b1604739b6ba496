//! A private display is its owner's alone, and leaves nothing behind, whatever is installed.

use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{SocketAddr, UnixStream};
use std::path::Path;
use std::process::Command;

use waldo_devices::Device;
use x11rb::errors::ConnectError;

use crate::mount::dead_mount;
use crate::screens::{alone, word};
use crate::support::*;

#[tokio::test(flavor = "multi_thread")]
async fn who_holds_no_cookie_is_refused() {
    let device = desk(&with("")).await;
    let display = device.display().unwrap();
    connect(&device);
    for (way, proof) in [("", vec![]), ("MIT-MAGIC-COOKIE-1", vec![0; 16]), ("MIT-MAGIC-COOKIE-1", vec![])] {
        // By the socket file, and by the name that lies in no folder.
        let nameless = SocketAddr::from_abstract_name(socket(&display).to_str().unwrap()).unwrap();
        for stream in [UnixStream::connect(socket(&display)), UnixStream::connect_addr(&nameless)] {
            let refused = enter(stream.unwrap(), way.as_bytes().to_vec(), proof.clone());
            assert!(matches!(
                refused,
                Err(ConnectError::SetupFailed(_) | ConnectError::SetupAuthenticate(_))
            ));
        }
    }
    // All that lies there is for its owner, and so is the way to the buses.
    let folder = device.folder().unwrap();
    for private in [folder.clone(), folder.join("run"), folder.join("home"), folder.join("tmp")] {
        let told = std::fs::metadata(&private).unwrap();
        assert_eq!(told.permissions().mode() & 0o777, 0o700, "{}", private.display());
        assert_eq!(told.uid(), rustix::process::geteuid().as_raw());
    }
    let bus = environment(&device).into_iter().find(|(name, _)| name == "DBUS_SESSION_BUS_ADDRESS");
    assert_eq!(bus.unwrap().1, format!("unix:path={}/run/bus", folder.display()));
    let names = std::fs::read_to_string("/proc/net/unix").unwrap();
    let at_spi = format!("{}/run/at-spi/", folder.display());
    assert!(names.lines().any(|line| line.contains(&at_spi)), "accessibility's bus lies elsewhere");
}

/// The names of services that programs of the display may have started.
async fn offered(device: &mut waldo_desktop::DesktopDevice) -> String {
    let call = "dbus-send --session --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus \
                org.freedesktop.DBus.ListActivatableNames";
    shell(device, call).await
}

/// Whether file systems of FUSE can be had here. Where not, whoever runs the tests has to know.
fn fuse() -> bool {
    if std::env::var_os("WALDO_NO_FUSE").is_some_and(|value| value == "1") {
        return false;
    }
    let installed = |name: &str| {
        let places = ["/usr/bin", "/usr/libexec", "/usr/lib/gvfs"];
        assert!(
            places.iter().any(|at| Path::new(at).join(name).exists()),
            "{name} is not installed: run scripts/setup tests, or set WALDO_NO_FUSE=1 to go without"
        );
    };
    ["fusermount3", "gvfsd-fuse", "xdg-document-portal"].into_iter().for_each(installed);
    let device = std::fs::File::options().read(true).write(true).open("/dev/fuse");
    assert!(device.is_ok(), "/dev/fuse cannot be opened ({device:?}): set WALDO_NO_FUSE=1 to go without");
    true
}

fn mounted(folder: &Path) -> Vec<String> {
    let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    table.lines().filter(|line| line.contains(folder.to_str().unwrap())).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_offers_chosen_services_only() {
    fuse();
    // Programs that ask for all that a desktop's session has.
    let mut device = desk(&with_all(&[&["mousepad"], &["thunar"], &["pcmanfm"]], &["*"])).await;
    let names = offered(&mut device).await;
    assert!(names.contains("org.a11y.Bus"), "{names}");
    for unwanted in ["portal", "gtk.vfs", "secrets", "keyring", "systemd"] {
        assert!(!names.contains(unwanted), "{names}");
    }
    let folder = device.folder().unwrap();
    assert_eq!(mounted(&folder), [""; 0]);
    let all = marked(&folder);
    let unwanted =
        all.iter().filter(|name| ["gvfs", "xdg-d", "gnome-keyring"].iter().any(|u| name.starts_with(u)));
    assert_eq!(unwanted.count(), 0, "{all:?}");
    device.close(soon()).await.unwrap();
    assert!(!folder.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_mounted_in_a_display_is_taken_out_and_not_removed_with_it() {
    let mut device = desk(&with("mousepad")).await;
    let folder = device.folder().unwrap();
    let mounts = fuse();
    if mounts {
        dead_mount(&folder.join("home/mounted"));
        assert_eq!(mounted(&folder).len(), 1);
    }
    let kept = tempfile::tempdir().unwrap();
    std::fs::write(kept.path().join("kept"), "x").unwrap();
    if mounts && rustix::process::geteuid().is_root() {
        let at = folder.join("home/a b");
        std::fs::create_dir(&at).unwrap();
        assert!(Command::new("mount").arg("--bind").arg(kept.path()).arg(&at).status().unwrap().success());
        assert!(at.join("kept").exists());
    }
    device.close(soon()).await.unwrap();
    assert_eq!(mounted(&folder), [""; 0]);
    assert!(!folder.exists());
    assert_eq!(std::fs::read(kept.path().join("kept")).unwrap(), b"x");
}

#[test]
fn a_display_whose_owner_is_killed_leaves_no_mount() {
    if fuse() {
        let said = alone(&["owner", "mount"], &[]);
        let folder = Path::new(word(&said, "FOLDER="));
        eventually("all of it goes", || mounted(folder).is_empty() && !folder.exists());
    }
}
