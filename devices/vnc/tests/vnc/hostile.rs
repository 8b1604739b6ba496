//! Servers that are not to be believed.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use waldo_devices::{Capture, Deadline, Device as _, DeviceError};

use super::double::{Peer, Sent, double, part, plain};
use super::{device, everything, refused, see, soon, taken};

/// What a device says of a server that lets in, shows a plain screen of 64x64, and then says this.
async fn said_after_a_picture(bytes: Vec<u8>) -> Result<(), DeviceError> {
    let address = double(move |_, peer: &mut Peer| {
        peer.let_in(64, 64, "one")?;
        let log = Mutex::new(Vec::new());
        let mut asked = 0;
        peer.behave((64, 64), &log, |sent, peer| {
            asked += usize::from(matches!(sent, Sent::Request { incremental: true, .. }));
            asked == 1 && peer.say(&bytes).is_err()
        })
    });
    let mut device = device(&address, None);
    device.reset(&everything(), soon()).await?;
    // The connection is made anew once, and ends the same way.
    device.observe(Capture::All, soon()).await?;
    device.health(soon()).await
}

fn update(parts: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = vec![0, 0];
    bytes.extend((parts.len() as u16).to_be_bytes());
    bytes.extend(parts.concat());
    bytes
}

async fn gone(bytes: Vec<u8>, why: &str) {
    let began = Instant::now();
    let error = said_after_a_picture(bytes).await.unwrap_err();
    assert!(matches!(error, DeviceError::Gone { .. } | DeviceError::Start { .. }), "{error}");
    assert!(error.to_string().contains(why), "{error}");
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_screen_has_no_more_than_64_megapixels_from_the_start_and_later() {
    let address = double(|_, peer| {
        peer.let_in(65_535, 65_535, "large")?;
        peer.next().map(drop)
    });
    let error = refused(&address, None).await.to_string();
    assert!(error.contains("64 megapixels"), "{error}");
    let none = double(|_, peer| {
        peer.let_in(0, 10, "none")?;
        peer.next().map(drop)
    });
    assert!(refused(&none, None).await.to_string().contains("no pixels"));
    gone(update(&[part(0, 0, 65_535, 65_535, -223)]), "64 megapixels").await;
    gone(update(&[part(0, 0, 0, 0, -223)]), "no pixels").await;
}

#[tokio::test]
async fn parts_lie_on_the_screen() {
    let mut raw = part(10, 0, 64, 1, 0);
    raw.extend([0; 256]);
    gone(update(&[raw]), "on a screen of 64x64").await;
    let mut copy = part(0, 0, 10, 10, 1);
    copy.extend([0, 60, 0, 0]);
    gone(update(&[copy]), "on a screen of 64x64").await;
    gone(update(&[part(65_535, 65_535, 65_535, 65_535, 0)]), "on a screen of 64x64").await;
}

#[tokio::test]
async fn what_was_not_asked_for_ends_it() {
    gone(update(&[part(0, 0, 1, 1, 8)]), "encoding 8").await;
    gone(vec![99], "of type 99").await;
}

#[tokio::test]
async fn lengths_are_judged_before_anything_is_read() {
    let mut clipboard = vec![3, 0, 0, 0];
    clipboard.extend(u32::MAX.to_be_bytes());
    gone(clipboard, "clipboard").await;
    gone(update(&[part(0, 0, 65_535, 65_535, -239)]), "cursor").await;
    let mut zrle = part(0, 0, 64, 64, 16);
    zrle.extend(u32::MAX.to_be_bytes());
    gone(update(&[zrle]), "too many").await;
    let copies: Vec<Vec<u8>> = (0..20).map(|_| [part(0, 0, 64, 64, 1), vec![0; 4]].concat()).collect();
    gone(update(&copies), "over and over").await;
    let named = double(|_, peer| {
        assert_eq!(peer.offer(&[1])?, 1);
        peer.say(&[0; 4])?;
        peer.read::<1>()?;
        peer.say(&[0, 64, 0, 64])?;
        peer.say(&[0; 16])?;
        peer.say(&u32::MAX.to_be_bytes())?;
        peer.next().map(drop)
    });
    assert!(refused(&named, None).await.to_string().contains("4294967295 bytes"));
    let refusing = double(|_, peer| {
        peer.say(b"RFB 003.008\n")?;
        peer.read::<12>()?;
        peer.say(&[0])?;
        peer.say(&u32::MAX.to_be_bytes())?;
        peer.next().map(drop)
    });
    assert!(refused(&refusing, None).await.to_string().contains("4294967295 bytes"));
}

#[tokio::test]
async fn what_is_packed_is_no_larger_than_its_part() {
    // Zeroes without end: a packed part of some kilobytes that would be megabytes.
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut packer, &vec![0; 8 << 20]).unwrap();
    std::io::Write::flush(&mut packer).unwrap();
    let bomb = packer.finish().unwrap();
    assert!(bomb.len() < 20_000);
    let zrle = |bytes: &[u8]| {
        let mut all = part(0, 0, 64, 64, 16);
        all.extend((bytes.len() as u32).to_be_bytes());
        all.extend(bytes);
        update(&[all])
    };
    gone(zrle(&bomb), "more than its pixels").await;
    gone(zrle(b"this is not packed"), "cannot be read").await;
}

#[tokio::test]
async fn clipboard_bell_palette_and_cursor_are_read_over() {
    let mut bytes = vec![2, 2, 3, 0, 0, 0];
    bytes.extend(1_000_000_u32.to_be_bytes());
    bytes.extend(vec![b'x'; 1_000_000]);
    bytes.extend([1, 0, 0, 0, 0, 2]);
    bytes.extend([9; 12]);
    let mut cursor = part(3, 3, 9, 2, -239);
    cursor.extend(vec![7; 9 * 2 * 4 + 2 * 2]);
    bytes.extend(update(&[cursor]));
    said_after_a_picture(bytes).await.unwrap();
}

#[tokio::test]
async fn a_server_that_says_nothing_is_waited_for_no_longer_than_the_deadline() {
    let mute = double(|_, peer| peer.read::<1>().map(drop));
    let half = double(|_, peer| {
        peer.let_in(64, 64, "half")?;
        peer.say(&plain(64, 64, 9)[..500])?;
        loop {
            peer.next()?;
        }
    });
    for address in [mute, half] {
        let began = Instant::now();
        let mut device = device(&address, None);
        let error =
            device.reset(&everything(), Deadline::after(Duration::from_millis(700))).await.unwrap_err();
        assert!(matches!(error, DeviceError::Timeout { .. }), "{error}");
        assert!(began.elapsed() < Duration::from_secs(5));
    }
}

#[tokio::test]
async fn what_is_no_vnc_server_is_told() {
    let web = double(|_, peer| peer.say(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
    let error = refused(&web, None).await.to_string();
    assert!(error.contains("does not greet as a VNC server"), "{error}");
    let address = "vnc://127.0.0.1:1".parse().unwrap();
    let error = refused(&address, None).await;
    assert!(matches!(error, DeviceError::Absent { .. }), "{error}");
}

#[tokio::test]
async fn ways_in_that_are_not_spoken_are_named_and_no_password_is_told() {
    let only = |ways: &'static [u8]| double(move |_, peer| peer.offer(ways).map(drop));
    let tls = refused(&only(&[18, 30]), None).await.to_string();
    assert!(tls.contains("anonymous TLS, Apple's accounts") && tls.contains("tunnel"), "{tls}");
    let none = refused(&only(&[2]), None).await.to_string();
    assert!(
        none.contains("asks for a password") && none.contains("--secret vnc-password=VARIABLE"),
        "{none}"
    );
    let wrong = double(|_, peer| {
        assert_eq!(peer.offer(&[2, 1])?, 2);
        peer.say(&[5; 16])?;
        peer.read::<16>()?;
        peer.say(&[0, 0, 0, 1, 0, 0, 0, 10])?;
        peer.say(b"\x1b[31mwrong")
    });
    let error = refused(&wrong, Some("hunter22")).await.to_string();
    assert!(error.contains("refuses:") && error.contains("wrong"), "{error}");
    assert!(!error.contains('\u{1b}') && !error.contains("hunter22"), "{error}");
}

#[tokio::test]
async fn pictures_come_in_whole_updates_alone() {
    let address = double(|_, peer| {
        peer.let_in(64, 64, "one")?;
        let log = Mutex::new(Vec::new());
        peer.behave((64, 64), &log, |_, _| false)
    });
    let mut device = taken(&address).await;
    let seen = see(&mut device).await;
    assert_eq!(seen.picture.size(), (64, 64));
    let all = seen.picture.pixels().clone();
    assert!(all.pixels().all(|pixel| pixel.0 == [100; 3]));
}
