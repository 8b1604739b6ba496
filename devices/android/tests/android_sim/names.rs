//! One phone of several names: over its own port, through adb, by a host name.

use waldo_android::{Adb, AdbOptions, AdbState};
use waldo_simphone::wire::HeldPort;

use super::*;

/// Ends a stock server, also when a test fails.
struct Stock(HeldPort);

impl Stock {
    fn find() -> (Self, AdbOptions) {
        let stock = Self(HeldPort::take(([127, 0, 0, 1], 0).into()).unwrap());
        assert!(stock.kill().is_ok(), "these tests need adb: scripts/setup tests");
        let options = AdbOptions::default().with_server(&stock.port()).unwrap();
        (stock, options)
    }

    fn port(&self) -> String {
        self.0.addr().port().to_string()
    }

    fn kill(&self) -> std::io::Result<std::process::Output> {
        std::process::Command::new("adb").args(["-P", &self.port(), "kill-server"]).output()
    }
}

impl Drop for Stock {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

#[tokio::test]
async fn a_missing_adb_is_named_with_its_package() {
    let nobody = HeldPort::take(([127, 0, 0, 1], 0).into()).unwrap();
    let options = AdbOptions { server: nobody.addr(), program: "no-such-adb".into(), key: None };
    let error = Adb::new(options).devices(soon()).await.unwrap_err().to_string();
    assert!(error.contains("apt install adb"), "{error}");
}

/// The stock adb between us and the phone; without one there is nothing to prove.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stock_server_that_is_killed_is_started_again() {
    let (stock, adb) = Stock::find();
    let sim = Sim::start().await;
    // A name of the network, as a phone of the house has one.
    let serial = format!("localhost:{}", sim.address().port());
    let server = Adb::new(adb.clone());
    server.connect(&serial, soon()).await.unwrap();
    assert!(server.devices(soon()).await.unwrap().iter().any(|d| d.serial == serial));
    let options = AndroidOptions { target: PhoneTarget::Serial(serial), adb, ..sim.options() };
    let mut device = AndroidDevice::open(options, soon()).await.unwrap();
    reset(&mut device).await;
    let fine = look(&mut device).await.elements.len();
    stock.kill().unwrap();
    assert_eq!(look(&mut device).await.elements.len(), fine);
    let file = sim.dir.join("note.txt");
    std::fs::write(&file, "over the wire").unwrap();
    device.push(&file, "/data/local/tmp/note.txt", soon()).await.unwrap();
    device.pull("/data/local/tmp/note.txt", &sim.dir.join("back.txt"), soon()).await.unwrap();
    assert_eq!(std::fs::read_to_string(sim.dir.join("back.txt")).unwrap(), "over the wire");
    device.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_phone_of_the_network_that_went_offline_is_connected_anew() {
    let (_stock, adb) = Stock::find();
    let sim = Sim::start().await;
    let serial = sim.address().to_string();
    let server = Adb::new(adb.clone());
    server.connect(&serial, soon()).await.unwrap();
    let options = AndroidOptions { target: PhoneTarget::Serial(serial.clone()), adb, ..sim.options() };
    let mut device = AndroidDevice::open(options, soon()).await.unwrap();
    reset(&mut device).await;
    let fine = look(&mut device).await.elements.len();
    sim.server.unplug();
    let is_ready = |list: &[waldo_android::AdbDevice]| {
        list.iter().any(|d| d.serial == serial && d.state == AdbState::Device)
    };
    while is_ready(&server.devices(soon()).await.unwrap()) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    sim.server.plug_in().await.unwrap();
    assert_eq!(look(&mut device).await.elements.len(), fine);
    assert!(is_ready(&server.devices(soon()).await.unwrap()));
    device.close(soon()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_phone_is_driven_once_by_whatever_name() {
    let sim = Sim::start().await;
    let device = sim.open().await;
    // A second port of the same phone, as a forwarded one is.
    let other = PhoneServer::bind(([127, 0, 0, 1], 0).into(), sim.phone().clone()).await.unwrap();
    let second = AndroidOptions { target: PhoneTarget::Tcp(other.local_addr()), ..sim.options() };
    let told = AndroidDevice::open(second.clone(), soon()).await.err().unwrap().to_string();
    assert!(told.contains("another waldo") && told.contains(&sim.address().to_string()), "{told}");
    assert!(told.contains(&other.local_addr().to_string()), "{told}");
    let (stock, adb) = Stock::find();
    let serial = sim.address().to_string().replace("127.0.0.1", "localhost");
    Adb::new(adb.clone()).connect(&serial, soon()).await.unwrap();
    let through = AndroidOptions { target: PhoneTarget::Serial(serial), adb, ..sim.options() };
    let told = AndroidDevice::open(through, soon()).await.err().unwrap().to_string();
    assert!(told.contains("another waldo") && told.contains(&std::process::id().to_string()), "{told}");
    drop(stock);
    // Another phone of the same make, seed and serial is another.
    let twin = Phone::new(PhoneOptions { idle: IdleWait::SHORT, ..PhoneOptions::default() });
    let twin = PhoneServer::bind(([127, 0, 0, 1], 0).into(), twin).await.unwrap();
    AndroidDevice::open(
        AndroidOptions { target: PhoneTarget::Tcp(twin.local_addr()), ..sim.options() },
        soon(),
    )
    .await
    .unwrap();
    drop(device);
    AndroidDevice::open(second, soon()).await.unwrap();
}
