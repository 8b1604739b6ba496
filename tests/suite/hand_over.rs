//! What an agent hands over to a person stays as it is until the person is done.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;

use super::hostile::browser_of_somebody;
use super::support::*;

const PAGE: &str = "<!doctype html><title>Pad</title><label><input type=checkbox>I'm not a robot</label>\
    <button onclick=\"fetch('/pressed')\">Go</button>";

/// A site whose start page asks for a person, and which is the model as well.
fn asking() -> Server {
    Server::start(|_, request| match request.path.as_str() {
        "/" => Answer::page(PAGE),
        _ => Answer::ok(),
    })
}

/// The pages that a browser shows, by its DevTools address.
fn pages(port: u16) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    write!(stream, "GET /json/list HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n\r\n").unwrap();
    let mut text = Vec::new();
    // What has come says enough, however the connection ends.
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn a_page_in_somebodys_browser_stays_open_for_the_person() {
    let dir = tempdir();
    let (mut host, port, address) = browser_of_somebody(&dir, &[]);
    for agent in ["appagent", "planner"] {
        let site = asking();
        let (url, base) = (site.url("/"), site.url("/v1"));
        let contestant = format!("--agent {agent} --model m --base-url {base}");
        let args = format!("run 'press Go' --url {url} --allow * {contestant} --cdp {address} --out {agent}");
        let mut child = waldo(&dir, &args).start_heard();
        let mut said = String::new();
        let mut heard = BufReader::new(child.stderr.take().unwrap());
        while !said.contains("go on at") && heard.read_line(&mut said).unwrap() > 0 {}
        assert!(said.contains(&format!("go on at {url}")), "{agent}: {said}");
        assert!(said.contains("not a robot"), "{agent}: {said}");
        assert!(pages(port).contains(&url), "{agent}: the page is gone");
        assert!(child.try_wait().unwrap().is_none(), "{agent}: waldo and its guard went away");
        let results = files(&dir.join(agent).join("episodes"), "result.json");
        assert!(!results.is_empty(), "{agent}: the record is not complete");
        // No model was asked, and nothing was pressed.
        assert!(site.requests().iter().all(|r| !r.path.starts_with("/v1") && r.path != "/pressed"));
        signal(child.id(), "-TERM");
        child.wait().unwrap();
        drop(heard);
    }
    kill(&mut host);
}

#[test]
fn without_a_window_the_place_is_told_and_the_run_ends() {
    for agent in ["appagent", "planner"] {
        let dir = tempdir();
        let site = asking();
        let (url, base) = (site.url("/"), site.url("/v1"));
        let args = format!("run 'press Go' --url {url} --agent {agent} --model m --base-url {base} --out r");
        waldo(&dir, &args).run().warns(format!("handed over at {url}")).prints("handed_over");
        assert!(site.requests().iter().all(|request| !request.path.starts_with("/v1")));
    }
}
