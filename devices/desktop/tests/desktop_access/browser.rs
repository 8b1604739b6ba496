//! A browser: its own buttons, and a page with thousands of objects.

use super::support::*;

const CHROMIUM: &str = "/usr/lib/chromium/chromium";

pub fn start(desk: &mut Desk, html: &str) {
    assert!(std::path::Path::new(CHROMIUM).exists(), "{CHROMIUM} is missing: run scripts/setup tests");
    let page = desk.path("page.html");
    std::fs::write(&page, html).unwrap();
    let profile = format!("--user-data-dir={}", desk.path("profile").display());
    let address = format!("file://{}", page.display());
    let flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--force-renderer-accessibility"];
    desk.run(CHROMIUM, &[&flags[..], &["--window-size=1200,700", &profile, &address]].concat());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_of_thousands_is_read_by_what_is_in_view() {
    let mut desk = Desk::start();
    let reader = desk.reader().await;
    let rows: String = (0..300)
        .map(|i| {
            format!(
                "<div><label>Field {i} <input value=v{i}></label> <button>Press {i}</button> <a href='#{i}'>Link {i}</a></div>"
            )
        })
        .collect();
    let extra = "<select><option>one<option selected>two</select><div id=d tabindex=0 onclick='1'>Shell</div><input type=checkbox checked aria-label=Tick><button disabled>Off</button>";
    start(
        &mut desk,
        &format!("<!doctype html><meta charset=utf-8><title>Controls</title><h1>Head</h1>{extra}{rows}"),
    );
    let seen = until(&reader, "the page", |r| has(r, "link", "Link 3") && has(r, "button", "Reload")).await;
    is_sound(&seen);
    for n in 0..5 {
        let button = get(&seen, "button", &format!("Press {n}"));
        let field = get(&seen, "textbox", &format!("Field {n}"));
        let link = get(&seen, "link", &format!("Link {n}"));
        assert_eq!(field.value.as_deref(), Some(format!("v{n}").as_str()));
        assert!(field.bounds.right() <= button.bounds.x && button.bounds.right() <= link.bounds.x);
    }
    assert!(!has(&seen, "button", "Press 200"), "out of view");
    assert!(has(&seen, "heading", "Head") && get(&seen, "checkbox", "Tick").states.checked == Some(true));
    assert!(get(&seen, "button", "Off").states.disabled);
    assert!(has(&seen, "textbox", "Address and search bar"));
    let client = window_of(&reader, "Controls").client;
    assert!(seen.elements.iter().all(|e| client.contains(e.hit)), "{:#?}", list(&seen));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_of_a_megabyte_is_cut() {
    let mut desk = Desk::start();
    let reader = desk.reader().await;
    let long = "ä\u{202e}x ".repeat(250_000);
    let html = format!(
        "<!doctype html><meta charset=utf-8><title>Long</title><button aria-label='{long}'>B</button><button>Short</button>"
    );
    start(&mut desk, &html);
    let seen = until(&reader, "the page", |r| has(r, "button", "Short")).await;
    is_sound(&seen);
    let long = seen.elements.iter().find(|e| e.name.starts_with("äx äx")).expect("the long one");
    assert!(long.name.chars().count() <= 200 && !long.name.contains('\u{202e}'));
}
