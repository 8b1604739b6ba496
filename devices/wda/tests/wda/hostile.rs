//! Servers that are no phones.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::time::Instant;

use super::double::request;
use super::*;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use waldo_devices::DeviceError;

/// A server that answers this path so, and all others as a phone would; gives its address.
fn answering(path: &'static str, answer: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> String {
    let double = Double::start();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answer = std::sync::Arc::new(answer);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let (answer, real) = (answer.clone(), double.address.clone());
            std::thread::spawn(move || {
                let Some((method, asked, body)) = request(&stream) else { return };
                if asked.ends_with(path) {
                    return answer(&mut stream);
                }
                let mut to = TcpStream::connect(real.trim_start_matches("http://")).unwrap();
                let head =
                    format!("{method} {asked} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
                let _ = to.write_all(head.as_bytes()).and_then(|()| to.write_all(&body));
                let _ = std::io::copy(&mut to, &mut stream);
            });
        }
    });
    address
}

fn says(text: String) -> impl Fn(&mut TcpStream) {
    move |stream| {
        let _ = write!(
            stream,
            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{text}",
            text.len()
        );
    }
}

/// What a look at such a phone comes to.
async fn looked(address: &str, deadline: Deadline) -> Result<Observation, DeviceError> {
    let mut device = WdaDevice::open(server(address), options(), soon()).await?;
    device.reset(&to("", &["*"]), soon()).await?;
    device.observe(Capture::All, deadline).await
}

fn png_that_says(width: u32, height: u32) -> String {
    let mut bytes = std::io::Cursor::new(Vec::new());
    image::RgbImage::new(1, 1).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
    let mut bytes = bytes.into_inner();
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    // The checksum of the header would tell first.
    let crc = !bytes[12..29].iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(
            crc ^ u32::from(*byte),
            |crc, _| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 },
        )
    });
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    STANDARD.encode(bytes)
}

#[tokio::test]
async fn trees_and_pictures_have_a_most() {
    let many =
        format!(r#"{{"value": {{"type": "Application", "children": [{}{{}}]}}}}"#, "{},".repeat(100_000));
    let error = looked(&answering("/source?format=json", says(many)), soon()).await.unwrap_err().to_string();
    assert!(error.contains("more than 50000 nodes"), "{error}");
    let huge = format!(r#"{{"value": "{}"}}"#, png_that_says(30_000, 30_000));
    let error = looked(&answering("/screenshot", says(huge)), soon()).await.unwrap_err().to_string();
    assert!(error.contains("more than 64 megapixels"), "{error}");
    let other_shape = {
        let mut bytes = std::io::Cursor::new(Vec::new());
        image::RgbImage::new(300, 300).write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        format!(r#"{{"value": "{}"}}"#, STANDARD.encode(bytes.into_inner()))
    };
    let error = looked(&answering("/screenshot", says(other_shape)), soon()).await.unwrap_err().to_string();
    assert!(error.contains("none of a screen of 200x400 points"), "{error}");
}

#[tokio::test]
async fn answers_without_an_end_are_not_read_on() {
    for path in ["/status", "/wda/screen", "/wda/activeAppInfo", "/source?format=json"] {
        let address = answering(path, |stream| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"value\": \"");
            while stream.write_all(&[b'x'; 65_536]).is_ok() {}
        });
        let error = looked(&address, soon()).await.unwrap_err().to_string();
        assert!(error.contains("more than"), "{path}: {error}");
    }
}

#[tokio::test]
async fn answers_that_do_not_come_end_by_the_deadline() {
    let silent = answering("/screenshot", |_| std::thread::sleep(Duration::from_secs(20)));
    let began = Instant::now();
    let error = looked(&silent, Deadline::after(Duration::from_millis(400))).await.unwrap_err();
    assert!(matches!(error, DeviceError::Timeout { .. }), "{error}");
    assert!(began.elapsed() < Duration::from_secs(15));
}

#[tokio::test]
async fn what_is_no_answer_of_webdriveragents_is_an_error_and_no_panic() {
    for path in [
        "/status",
        "/wda/screen",
        "/session",
        "/screenshot",
        "/source?format=json",
        "/wda/activeAppInfo",
        "/wda/locked",
    ] {
        for text in
            ["", "null", "[]", "{}", r#"{"value": null}"#, r#"{"value": 7}"#, r#"{"value": "//"}"#, "<html>"]
        {
            let _ = looked(&answering(path, says(text.to_owned())), soon()).await.is_ok();
        }
    }
    let error = looked(&answering("/status", says("{\"value\": {}}".to_owned())), soon())
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("no WebDriverAgent"), "{error}");
    let tricky = r#"{"value": {"sessionId": "../../x"}, "sessionId": "a/b"}"#;
    let error =
        looked(&answering("/session", says(tricky.to_owned())), soon()).await.unwrap_err().to_string();
    assert!(error.contains("no session"), "{error}");
    // Words of the server's in an error are one line, without what drives a terminal.
    let angry = answering("/wda/homescreen", |stream| {
        let body = "{\"value\": {\"error\": \"unknown error\", \"message\": \"no\\u001b[31m way\\n\"}}";
        let _ = write!(stream, "HTTP/1.1 500 X\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    });
    let error = looked(&angry, soon()).await.unwrap_err().to_string();
    assert!(error.contains("way") && !error.contains(['\u{1b}', '\n']), "{error}");
}
