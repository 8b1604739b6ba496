//! Pictures: which way to them is taken, and that they are where fingers are.

use super::*;

/// How many pixels of what was seen are not as the phone shows them.
fn wrong(sim: &Sim, seen: &Observation) -> usize {
    let shown = sim.phone().with(|w| w.frame());
    seen.picture.pixels().pixels().zip(shown.pixels()).filter(|(a, b)| a.0[..] != b.0[..3]).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_fastest_way_to_a_picture_is_found_and_remembered() {
    let sim = Sim::start().await;
    let memory = sim.dir.join("ways.json");
    let options = AndroidOptions { picture: None, picture_memory: Some(memory.clone()), ..sim.options() };
    let mut device = AndroidDevice::open(options, soon()).await.unwrap();
    device.reset(&ResetTo::default(), soon()).await.unwrap();
    assert_eq!(look(&mut device).await.picture.size(), (1080, 2400));
    assert!(device.picture_way().is_some());
    let text = std::fs::read_to_string(memory).unwrap();
    assert!(text.contains(&sim.address().to_string()), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_gives_the_same_picture() {
    // Android 16, the first that gives JPEG.
    let sim = Sim::of(PhoneOptions { sdk: 36, ..PhoneOptions::default() }, ServerOptions::default()).await;
    let mut pictures = Vec::new();
    for way in
        [PictureWay::Raw, PictureWay::RawGzip, PictureWay::Framebuffer, PictureWay::Png, PictureWay::Jpeg]
    {
        let options = AndroidOptions { picture: Some(way), ..sim.options() };
        let mut device = AndroidDevice::open(options, soon()).await.unwrap();
        pictures.push((way, look(&mut device).await.picture));
        device.close(soon()).await.unwrap();
    }
    for (way, picture) in &pictures[1..] {
        assert_eq!(picture.size(), (1080, 2400), "{way:?}");
        // JPEG loses a little, most of it where colours meet.
        let off = if *way == PictureWay::Jpeg { 40 } else { 0 };
        let differs = |(a, b): &(&[u8; 3], &[u8; 3])| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > off);
        let of = |picture: &'_ waldo_devices::Picture| {
            picture.pixels().pixels().map(|pixel| pixel.0).collect::<Vec<_>>()
        };
        let (one, other) = (of(picture), of(&pictures[0].1));
        let differ = one.iter().zip(&other).filter(differs).count();
        // The clock may have moved on.
        assert!(differ < 20_000, "{way:?}: {differ}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_way_with_wrong_colours_is_not_taken() {
    let sim = Sim::start().await;
    sim.fault(PhoneFault::SwappedColours, Stay::Always);
    sim.fault(PhoneFault::SlowPng(500), Stay::Always);
    let memory = sim.dir.join("ways.json");
    let options = AndroidOptions { picture: None, picture_memory: Some(memory.clone()), ..sim.options() };
    let mut device = AndroidDevice::open(options, soon()).await.unwrap();
    device.reset(&ResetTo::default(), soon()).await.unwrap();
    let seen = look(&mut device).await;
    assert_eq!(device.picture_way(), Some(PictureWay::Png));
    let differ = wrong(&sim, &seen);
    assert!(differ < 20_000, "{differ}");
    assert!(!memory.exists(), "what was not found to be right is not remembered");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_way_found_on_a_grey_screen_is_proved_by_the_first_colours() {
    let sim = Sim::start().await;
    sim.fault(PhoneFault::SwappedColours, Stay::Always);
    sim.fault(PhoneFault::SlowPng(500), Stay::Always);
    let options = AndroidOptions { picture: None, ..sim.options() };
    let mut device = AndroidDevice::open(options, soon()).await.unwrap();
    // The settings have next to none, the home screen has many.
    reset(&mut device).await;
    look(&mut device).await;
    let found = device.picture_way();
    assert!(found.is_some_and(|way| way != PictureWay::Png), "PNG is slow here: {found:?}");
    device.reset(&ResetTo::default(), soon()).await.unwrap();
    let seen = look(&mut device).await;
    let differ = wrong(&sim, &seen);
    assert!(differ < 20_000, "{differ} by {:?}", device.picture_way());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fingers_hit_what_is_seen_on_a_screen_of_another_size() {
    let sim = Sim::start().await;
    waldo_simphone::shell::capture(sim.phone(), "wm size 720x1600; wm density 280", b"").await;
    let mut device = sim.open().await;
    let seen = look(&mut device).await;
    assert_eq!((seen.geometry.physical.w, seen.geometry.physical.h), (720.0, 1600.0));
    assert!((seen.geometry.scale - 1.75).abs() < 1e-9, "{}", seen.geometry.scale);
    for name in ["Display", "Sound"] {
        let row = seen.elements.iter().find(|e| e.name.contains(name) && e.can(Affordance::Click));
        let row = row.unwrap_or_else(|| panic!("no {name}: {:?}", texts(&seen)));
        device.perform(&tap(row.hit), soon()).await.unwrap();
        let page = look(&mut device).await;
        assert!(texts(&page).iter().any(|text| text.contains(name)), "{name}: {:?}", texts(&page));
        assert_ne!(page.context.location, seen.context.location, "{name}");
        device.perform(&Action::Back, soon()).await.unwrap();
        look(&mut device).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_watches_sees_the_phone_change_while_it_is_asked_nothing() {
    let sim = Sim::start().await;
    let mut device = AndroidDevice::open(sim.options(), soon()).await.unwrap();
    device.reset(&ResetTo::default(), soon()).await.unwrap();
    let frames = Frames::default();
    assert_eq!(device.film(Some(frames.clone())), Filming::Possible);
    let _never_reads = frames.watch();
    let mut watcher = frames.watch();
    let mut next = async || match tokio::time::timeout(Duration::from_secs(20), watcher.next()).await {
        Ok(Some(Frame::Pixels(picture))) => picture,
        other => panic!("{other:?}"),
    };
    let first = next().await;
    assert_eq!(first.size(), (1080, 2400));
    let home = look(&mut device).await;
    reset(&mut device).await;
    let settings = look(&mut device).await;
    let differ = |a: &waldo_devices::Picture, b: &waldo_devices::Picture| {
        a.pixels().pixels().zip(b.pixels().pixels()).filter(|(a, b)| a != b).count()
    };
    // But for the clock.
    assert!(differ(&first, &home.picture) < 20_000 && differ(&first, &settings.picture) > 100_000);
    while differ(&next().await, &settings.picture) > 20_000 {}
    device.close(soon()).await.unwrap();
    drop(device);
    let secrets = Secrets::new([("pin".to_owned(), "hunter22".to_owned())]);
    let mut device = AndroidDevice::open(AndroidOptions { secrets, ..sim.options() }, soon()).await.unwrap();
    assert_eq!(device.film(Some(frames)), Filming::Impossible);
}
