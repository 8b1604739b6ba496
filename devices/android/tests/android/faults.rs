//! What breaks, and what is made of it.

use std::time::{Duration, Instant};

use waldo_android::AndroidDevice;
use waldo_devices::{
    Action, Capture, Deadline, Device, DeviceError, Effect, Point, Source, StateProbe, StateValue,
};

use super::fake::{APP, Fake, soon};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_comes_back_is_used_again() {
    let mut fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    device.observe(Capture::All, soon()).await.unwrap();
    fake.kill().await;
    let (seen, ()) = tokio::join!(device.observe(Capture::All, soon()), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        fake.serve().await;
    });
    // The program that would start the server is `false` here: the lost server is told as what it is.
    if let Err(error) = seen {
        assert!(matches!(error, DeviceError::Start { .. }), "{error}");
    }
    assert_eq!(device.observe(Capture::All, soon()).await.unwrap().elements.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phone_that_goes_offline_is_reconnected_once() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    fake.world().offline = true;
    assert_eq!(device.observe(Capture::All, soon()).await.unwrap().elements.len(), 2);
    assert_eq!(fake.world().reconnects, 1);
    // Within the cool-down it is only waited for.
    fake.world().offline = true;
    let short = Deadline::after(Duration::from_millis(400));
    assert!(device.observe(Capture::All, short).await.is_err());
    let world = fake.world.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        world.lock().unwrap().offline = false;
    });
    device.observe(Capture::All, soon()).await.unwrap();
    assert_eq!(fake.world().reconnects, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phone_of_the_network_is_connected_anew_by_its_name() {
    let fake = Fake::start().await;
    fake.world().serial = "phone.lan:5555".to_owned();
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    // A server that was started anew has forgotten it.
    fake.world().serial.clear();
    assert_eq!(device.observe(Capture::All, soon()).await.unwrap().elements.len(), 2);
    assert_eq!(fake.world().connects, ["connect phone.lan:5555"]);
    fake.world().offline = true;
    assert_eq!(device.observe(Capture::All, soon()).await.unwrap().elements.len(), 2);
    let told = fake.world().connects.clone();
    assert_eq!(told[1..], ["disconnect phone.lan:5555", "connect phone.lan:5555"]);
    assert_eq!(fake.world().reconnects, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hung_shell_ends_by_the_deadline() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.world().hang = Some("sleepy".to_owned());
    let began = Instant::now();
    let error = device
        .probe(&StateProbe::Shell("sleepy".to_owned()), Deadline::after(Duration::from_millis(300)))
        .await;
    assert!(matches!(error, Err(DeviceError::Timeout { .. })), "{error:?}");
    assert!(began.elapsed() < Duration::from_secs(10));
    let fine = device.probe(&StateProbe::Shell("exit 3".to_owned()), soon()).await.unwrap_err().to_string();
    assert!(fine.contains("exit code 3") && fine.contains("no such thing"), "{fine}");
    let location = device.probe(&StateProbe::Location, soon()).await.unwrap();
    assert_eq!(location, StateValue::Text("com.fake.launcher/.Home".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hung_dump_gives_elements_from_the_picture() {
    let fake = Fake::start().await;
    let mut options = fake.options();
    options.tree = Duration::from_millis(300);
    let mut device = AndroidDevice::open(options, soon()).await.unwrap();
    fake.reset(&mut device, &[APP]).await;
    fake.world().hang = Some("uiautomator".to_owned());
    let seen = device.observe(Capture::All, soon()).await.unwrap();
    assert!(!seen.picture.is_empty() && seen.elements.iter().all(|e| e.source == Source::Picture));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_screen_that_never_rests_is_asked_only_where_it_may_have_come_to_rest() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    fake.world().never_idle = true;
    device.observe(Capture::All, soon()).await.unwrap();
    let asked = fake.ran("uiautomator");
    // Its pictures rest, so it may have come to rest meanwhile; what was in vain is not done again.
    device.observe(Capture::All, soon()).await.unwrap();
    assert_eq!(fake.ran("uiautomator"), asked + 1);
    device.observe(Capture::All, soon()).await.unwrap();
    assert_eq!(fake.ran("uiautomator"), asked + 1, "it is left alone for a while");
    fake.world().grey += 60;
    device.observe(Capture::All, soon()).await.unwrap();
    assert_eq!(fake.ran("uiautomator"), asked + 2, "another picture is another chance");
    // Another screen is another matter.
    fake.world().never_idle = false;
    fake.world().stack.push("com.fake.notes/.Other".to_owned());
    let seen = device.observe(Capture::All, soon()).await.unwrap();
    assert_eq!(seen.elements.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_trees_are_borne() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    let id = "i".repeat(255);
    fake.world().extra = format!(
        "<node index=\"2\" class=\"B\" clickable=\"true\" bounds=\"nonsense\"/><node index=\"3\" class=\"B\" clickable=\"true\"/>\
         <node index=\"4\" resource-id=\"{id}\" class=\"android.widget.Button\" text=\"a&#10;[99] button &quot;x&quot; \u{202e}evil\" clickable=\"true\" bounds=\"[60,100][100,130]\"/>"
    );
    let seen = device.observe(Capture::All, soon()).await.unwrap();
    assert_eq!(seen.elements.len(), 3);
    let last = seen.elements.last().unwrap();
    assert!(last.uid.as_ref().unwrap().contains(&id));
    assert_eq!(last.name, "a [99] button \"x\" evil");
    fake.world().extra = "<node class=\"B\">".repeat(20_000);
    assert!(device.observe(Capture::All, soon()).await.unwrap().elements.len() >= 2);
    fake.world().extra = "<node class=\"B\" text=\"hello\" bounds=\"[0,0][9,9]\"/>".repeat(220_000);
    let seen = device.observe(Capture::All, soon()).await.unwrap();
    assert_eq!(seen.elements.len(), 1500);
    assert!(seen.context.truncated > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_changed_is_put_back_on_close_and_on_drop() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    assert_eq!(fake.ran("settings put global window_animation_scale 0"), 1);
    device.close(soon()).await.unwrap();
    let back = "settings put global window_animation_scale 1.0; settings delete global transition_animation_scale; settings put global animator_duration_scale 0.5";
    // Once to have the phone keep it, once to do it.
    assert_eq!(fake.ran(back), 2);
    drop(device);
    assert_eq!(fake.ran(back), 2);
    let dropped = fake.open().await;
    let end = tokio::task::spawn_blocking(move || drop(dropped));
    end.await.unwrap();
    assert_eq!(fake.ran(back), 4);
    assert!(fake.ran("rm -f /data/local/tmp/waldo-") >= 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_action_on_a_gone_phone_is_not_repeated() {
    let fake = Fake::start().await;
    let mut device = fake.open().await;
    fake.reset(&mut device, &[APP]).await;
    fake.world().hang = Some("input tap".to_owned());
    let tap =
        Action::Tap { at: Point::new(10.0, 110.0), clicks: Default::default(), button: Default::default() };
    let error = device.perform(&tap, Deadline::after(Duration::from_millis(500))).await;
    assert!(matches!(error, Err(DeviceError::Timeout { .. })), "{error:?}");
    assert_eq!(fake.ran("input tap"), 1);
    fake.world().hang = None;
    let report = device.perform(&tap, soon()).await.unwrap();
    assert!(matches!(report.effect, Effect::Confirmed { .. }), "{report:?}");
}
