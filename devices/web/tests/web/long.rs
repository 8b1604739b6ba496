//! A long page, of which most is out of view and remembered: what comes into view is listed whatever brought it there.

use super::support::*;
use waldo_devices::Observation;

/// 2,000 rows, some of which a box that is ticked takes away by a rule alone.
fn page() -> String {
    let mut page = "<!doctype html><style>body{margin:0;font:12px sans-serif}.row{height:30px}
#tick:checked~.rows .gone{display:none}#tick:checked~.rows .row:nth-child(1900) button{position:fixed;top:300px;left:400px}
.out{position:fixed;top:340px;left:400px}</style><input type=checkbox id=tick aria-label=tick><div class=rows>"
        .to_owned();
    for row in 0..2000 {
        let class = if (20..1500).contains(&row) { "row gone" } else { "row" };
        page +=
            &format!("<div class='{class}' id=r{row}><span>row {row}</span> <button>do {row}</button></div>");
    }
    page + "</div>"
}

fn lists(seen: &Observation, name: &str) -> bool {
    seen.elements.iter().any(|element| element.name == name)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_into_view_of_a_long_page_is_listed() {
    let (_browser, _site, mut device) = opened(&page()).await;
    // What is out of view is remembered after the first look.
    for _ in 0..3 {
        let seen = see(&mut device).await;
        assert!(
            lists(&seen, "do 0") && lists(&seen, "do 20") && !lists(&seen, "do 1500"),
            "{:#?}",
            names(&seen)
        );
    }
    // By scrolling, there and back.
    js(&mut device, "scrollTo(0, 1000 * 30)").await;
    let seen = see(&mut device).await;
    assert!(lists(&seen, "do 1001") && !lists(&seen, "do 0"), "{:#?}", names(&seen));
    js(&mut device, "scrollTo(0, 0)").await;
    // By a class of its own.
    js(&mut device, "document.querySelector('#r1000 button').className = 'out'").await;
    assert!(lists(&see(&mut device).await, "do 1000"));
    // By a rule that is new.
    js(
        &mut device,
        "document.styleSheets[0].insertRule('#r900 button { position: fixed; top: 380px; left: 400px }')",
    )
    .await;
    assert!(lists(&see(&mut device).await, "do 900"));
    for _ in 0..2 {
        see(&mut device).await;
    }
    // As something new, and in another's place.
    js(&mut device, "document.getElementById('r5').before(document.getElementById('r1200'))").await;
    assert!(lists(&see(&mut device).await, "do 1200"));
    // By what is ticked: no attribute and no node changes.
    press(&mut device, "tick").await;
    let seen = see(&mut device).await;
    assert!(lists(&seen, "do 1899"), "{:#?}", names(&seen));
    assert!(
        lists(&seen, "do 1500") && lists(&seen, "do 19") && !lists(&seen, "do 20"),
        "{:#?}",
        names(&seen)
    );
    js(&mut device, "document.getElementById('tick').checked = false").await;
    let seen = see(&mut device).await;
    assert!(!lists(&seen, "do 1500") && lists(&seen, "do 20"), "{:#?}", names(&seen));
    // What is gone is not listed, and what follows it moves up.
    js(&mut device, "for (let row = 2; row < 1200; row++) document.getElementById('r' + row).remove()").await;
    let seen = see(&mut device).await;
    assert!(lists(&seen, "do 1201") && !lists(&seen, "do 20"), "{:#?}", names(&seen));
    js(&mut device, "document.querySelector('.rows').style.display = 'none'").await;
    assert!(!lists(&see(&mut device).await, "do 1201"));
    js(&mut device, "document.querySelector('.rows').style.display = ''").await;
    assert!(lists(&see(&mut device).await, "do 1201"));
}
