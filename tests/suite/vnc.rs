//! A screen by VNC, named on the command line.

use std::io::Write as _;
use std::net::TcpListener;

use super::support::*;

const PASSWORD: &str = "zq7hunt3";

/// TigerVNC's X server, which asks for [`PASSWORD`].
struct Screen {
    _child: Ends,
    device: String,
}

impl Screen {
    fn start(dir: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let secret = dir.join("passwd");
        let mut tool = Command::new("tigervncpasswd");
        let made = tool.arg("-f").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut made = made.unwrap_or_else(|error| panic!("{error}: scripts/setup tests installs TigerVNC"));
        made.stdin.take().unwrap().write_all(format!("{PASSWORD}\n").as_bytes()).unwrap();
        write(&secret, made.wait_with_output().unwrap().stdout);
        let mut server = Command::new("Xtigervnc");
        server.args(words("-displayfd 1 -localhost 1 -geometry 640x480 -depth 24 -SecurityTypes VncAuth"));
        server.args(["-rfbport", &port.to_string(), "-PasswordFile"]).arg(&secret);
        let child = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child =
            child.unwrap_or_else(|error| panic!("{error}: scripts/setup tests installs TigerVNC"));
        first_line(&mut child);
        let listens = format!(":{port:04X} ");
        until("the server", 20, || {
            text_in("/proc/net/tcp").lines().any(|line| line.contains(&listens) && line.contains(" 0A "))
        });
        Self { _child: Ends(child), device: format!("vnc://127.0.0.1:{port}") }
    }
}

#[test]
fn a_screen_is_played_on_and_its_password_is_nowhere() {
    let dir = tempdir();
    let screen = Screen::start(&dir);
    let run = format!("run 'look around' --device {} --agent baseline --max-steps 3", screen.device);
    waldo(&dir, &run).fails().warns("--allow-app");
    let run = format!("{run} --allow-app * --out out");
    waldo(&dir, &run).fails().warns("--secret vnc-password=VARIABLE");
    let said = waldo(&dir, &format!("{run} --secret vnc-password=BOX")).env("BOX", PASSWORD).run();
    let record = dir.join("out");
    assert!(!events_of(&record, "observed").is_empty(), "{}{}", said.stdout, said.stderr);
    assert_eq!(holding(&record, &[PASSWORD]), Vec::<PathBuf>::new());
    said.never_prints(PASSWORD).never_warns(PASSWORD);
}

#[test]
fn what_cannot_be_a_screen_is_refused() {
    let dir = tempdir();
    let on = |device: &str| waldo(&dir, &format!("run g --device {device} --allow-app * --agent noop"));
    on("vnc://127.0.0.1:1").fails().warns("no VNC server answers");
    for wrong in ["vnc:127.0.0.1", "vnc://", "vnc://me:zq7hunt3@127.0.0.1", "vnc://127.0.0.1:x"] {
        on(wrong).fails().warns("vnc://HOST:5900");
    }
    let said = waldo(&dir, "doctor --device vnc://127.0.0.1:1 --json").run();
    let findings = said.json();
    let found = findings.as_array().unwrap().iter().find(|finding| finding["what"] == "vnc").unwrap();
    assert!(found["ok"] == false && found["found"].as_str().unwrap().contains("no VNC server answers"));
    waldo(&dir, "eval l3-desktop --device vnc://127.0.0.1:1 --agent noop").exits(4).warns("its own HOME");
}

#[test]
fn a_screen_elsewhere_is_not_spoken_to_in_the_clear() {
    let dir = tempdir();
    let screen = Screen::start(&dir);
    // An address that is not this machine's, which leads there all the same.
    let elsewhere = screen.device.replace("127.0.0.1", "0.0.0.0");
    let on = |more: &str| {
        let run = format!("run 'look around' --device {elsewhere} --allow-app * --agent noop");
        waldo(&dir, &format!("{run} --secret vnc-password=BOX {more}")).env("BOX", PASSWORD)
    };
    on("").fails().warns("offers no TLS").warns("--insecure").warns("tunnel");
    on("--insecure").run().never_warns("TLS");
    // Who names certificates wants TLS, here as well.
    let ca = dir.join("ca.pem");
    write(&ca, "words");
    on("--tls-ca ca.pem").exits(4).warns("--tls-ca").warns("PEM");
    let key = rcgen::KeyPair::generate().unwrap();
    let own = rcgen::CertificateParams::default().self_signed(&key).unwrap();
    write(&ca, own.pem());
    on("--tls-ca ca.pem --insecure").fails().warns("offers no TLS");
    let page = waldo(&dir, "run g --url http://a.test --agent noop --tls-ca ca.pem");
    page.exits(4).warns("--tls-ca goes with");
}
