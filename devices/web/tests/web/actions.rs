//! Hands, tabs, history, files and dialogs.

use std::time::{Duration, Instant};

use super::site::Site;
use super::support::*;
use waldo_devices::{
    Action, Affordance, Button, Clicks, DeviceError, DialogReply, Effect, Element, Modifiers, Point,
    ScrollNotches, StateProbe, StateValue, TabIndex,
};
use waldo_web::WebOptions;

#[tokio::test(flavor = "multi_thread")]
async fn hands_do_what_hands_do() {
    let (_browser, _site, mut device) = opened(r#"<body><button onclick="out.textContent='tapped'">Tap</button><button>Dead</button>
        <div id=out style="height:20px"></div>
        <input aria-label=Field onkeydown="keys.push(event.key)"><textarea aria-label=Area></textarea>
        <select aria-label=Pick onchange="out.textContent=this.value"><option>One<option>Two</select>
        <div id=box style="width:100px;height:50px;overflow:auto" aria-label=Scroller><div style="height:900px">x</div></div>
        <div id=dc style="width:80px;height:30px;background:#ddd;cursor:pointer" ondblclick="out.textContent='double'" oncontextmenu="out.textContent='right';return false">Twice</div>
        <div id=src draggable=true style="width:60px;height:40px;background:#acf" ondragstart="event.dataTransfer.setData('text/plain','cargo')">Source</div>
        <div id=dst style="position:absolute;left:500px;top:300px;width:120px;height:80px;background:#cfa" ondragover="event.preventDefault()" ondrop="event.preventDefault();out.textContent='got '+event.dataTransfer.getData('text/plain')">Target</div>
        <input type=range aria-label=Level min=0 max=100 value=0 style="position:absolute;left:500px;top:500px;width:200px">
        <div id=hold style="position:absolute;left:700px;top:10px;width:90px;height:30px;background:#fca;cursor:pointer">Hold</div>
        <script>keys=[];let t;hold.onmousedown=()=>t=performance.now();hold.onmouseup=()=>out.textContent='held '+(performance.now()-t>900)</script>"#,
    )
    .await;
    let seen = see(&mut device).await;
    assert!(confirmed(&tap(&mut device, named(&seen, "Tap")).await).contains("content changed"));
    assert_eq!(js(&mut device, "out.textContent").await, "tapped");

    // The focus alone is no effect of a button.
    assert_eq!(tap(&mut device, named(&seen, "Dead")).await, Effect::SuspectedNoop);

    let field = named(&seen, "Field");
    tap(&mut device, field).await;
    confirmed(&act(&mut device, Action::Type { text: "Aé 世界!".to_owned() }).await);
    let before = Action::tap(field.bounds.at(0.02, 0.5));
    assert!(confirmed(&act(&mut device, before.clone()).await).contains("cursor"));
    assert_eq!(act(&mut device, before).await, Effect::SuspectedNoop, "it is there already");
    act(&mut device, Action::Key { chord: "KP_End".to_owned() }).await;
    assert_eq!(js(&mut device, "document.activeElement.value").await, "Aé 世界!");
    assert_eq!(js(&mut device, "keys.join()").await, "A, ,!,End");
    confirmed(&act(&mut device, Action::Key { chord: "Ctrl+A".to_owned() }).await);
    confirmed(&act(&mut device, Action::Type { text: "new".to_owned() }).await);
    assert_eq!(js(&mut device, "document.activeElement.value").await, "new");
    confirmed(&act(&mut device, Action::Clear { element: field.handle.clone() }).await);
    assert_eq!(js(&mut device, "document.querySelector('input').value").await, "");
    assert_eq!(
        act(&mut device, Action::Clear { element: field.handle.clone() }).await,
        Effect::SuspectedNoop
    );

    tap(&mut device, named(&seen, "Area")).await;
    act(&mut device, Action::Type { text: "one\ntwo\tthree".replace('\t', " ") }).await;
    assert_eq!(js(&mut device, "document.querySelector('textarea').value").await, "one\ntwo three");
    let long = "long text é ".repeat(100);
    act(&mut device, Action::Type { text: long.clone() }).await;
    assert_eq!(
        js(&mut device, "document.querySelector('textarea').value").await,
        format!("one\ntwo three{long}")
    );

    let pick = named(&seen, "Pick").handle.clone();
    confirmed(&act(&mut device, Action::Select { element: pick.clone(), option: "two".to_owned() }).await);
    assert_eq!(js(&mut device, "out.textContent").await, "Two");
    let wrong = Action::Select { element: pick, option: "Three".to_owned() };
    let message = device.perform(&wrong, soon()).await.unwrap_err();
    let told = "the list has no option 'Three'; it has 'One', 'Two'";
    assert!(message.is_agents_mistake() && message.to_string().contains(told), "{message}");

    let scroller = named(&seen, "Scroller").hit;
    let by = ScrollNotches { right: 0, down: 2 };
    assert!(confirmed(&act(&mut device, Action::scroll(scroller, by)).await).contains("scrolled"));
    assert_eq!(js(&mut device, "box.scrollTop").await, 240);

    let twice = named(&seen, "Twice").hit;
    act(&mut device, Action::Tap { at: twice, clicks: Clicks::Double, button: Button::Left }).await;
    assert_eq!(js(&mut device, "out.textContent").await, "double");
    act(&mut device, Action::Tap { at: twice, clicks: Clicks::Single, button: Button::Right }).await;
    assert_eq!(js(&mut device, "out.textContent").await, "right");

    let from = named(&seen, "Source").hit;
    confirmed(&act(&mut device, Action::drag(vec![from, Point::new(550.0, 340.0)])).await);
    assert_eq!(js(&mut device, "out.textContent").await, "got cargo");

    let level = named(&seen, "Level").bounds;
    confirmed(&act(&mut device, Action::drag(vec![level.at(0.04, 0.5), level.at(0.9, 0.5)])).await);
    assert!(js(&mut device, "+document.querySelector('[type=range]').value").await.as_f64().unwrap() > 70.0);

    act(&mut device, Action::LongPress { at: named(&seen, "Hold").hit }).await;
    assert_eq!(js(&mut device, "out.textContent").await, "held true");

    let outside = Action::Hover { at: Point::new(5000.0, 1.0) };
    assert!(matches!(device.perform(&outside, soon()).await, Err(DeviceError::OutOfBounds { .. })));
    see(&mut device).await;
    let stale = Action::Clear { element: seen.elements[0].handle.clone() };
    assert!(matches!(device.perform(&stale, soon()).await, Err(DeviceError::StaleElement { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_is_dropped_where_it_is_carried_though_lists_make_room_on_the_way() {
    let browser = launch().await;
    // As SortableJS does: the card goes to the list under it, which then hears nothing for 30 ms.
    let (_site, mut device) = open(
        &browser,
        r#"<style>ul{position:absolute;top:20px;width:200px;height:300px;background:#eee}li{height:40px}</style>
        <ul id=a style="left:0"><li id=card draggable=true>Card</li></ul><ul id=b style="left:250px"></ul><ul id=c style="left:500px"></ul>
        <script>let deaf=0;card.ondragstart=e=>e.dataTransfer.setData('text/plain','card');
        for(const list of document.querySelectorAll('ul')){list.ondragover=e=>{e.preventDefault();
        if(performance.now()<deaf||list.contains(card))return;list.append(card);deaf=performance.now()+30}}</script>"#,
    )
    .await;
    for (to, list) in [(560.0, "c"), (40.0, "a"), (560.0, "c"), (40.0, "a")] {
        let seen = see(&mut device).await;
        let from = seen.elements.iter().find(|e| e.can(Affordance::Drag)).unwrap().hit;
        act(&mut device, Action::drag(vec![from, Point::new(to, 200.0)])).await;
        assert_eq!(js(&mut device, "card.parentElement.id").await, list);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn places_are_tapped_while_keys_are_held() {
    let (_browser, _site, mut device) = opened(r#"<button id=b style="width:100px;height:40px">Pick</button><p id=out>
        <script>const say=e=>out.textContent=[e.type,e.button,e.detail,e.ctrlKey,e.shiftKey,e.altKey].join(' ');
        b.onclick=b.onauxclick=say;keys=[];onkeydown=e=>keys.push('+'+e.key);onkeyup=e=>keys.push('-'+e.key)</script>"#,
    )
    .await;
    let seen = see(&mut device).await;
    let at = named(&seen, "Pick").bounds.at(0.25, 0.5);
    let tap_at = |clicks, button, held: &str| Action::TapAt {
        at,
        clicks,
        button,
        modifiers: held.to_owned().try_into().unwrap(),
    };
    confirmed(&act(&mut device, tap_at(Clicks::Single, Button::Left, "ctrl+shift")).await);
    assert_eq!(js(&mut device, "out.textContent").await, "click 0 1 true true false");
    assert_eq!(js(&mut device, "keys.splice(0).join(' ')").await, "+Control +Shift -Control -Shift");
    act(&mut device, tap_at(Clicks::Double, Button::Left, "")).await;
    assert_eq!(js(&mut device, "out.textContent").await, "click 0 2 false false false");
    act(&mut device, tap_at(Clicks::Single, Button::Middle, "")).await;
    assert_eq!(js(&mut device, "out.textContent").await, "auxclick 1 1 false false false");
    // Buttons that stay down, drags and the wheel with keys held, and a key several times.
    let say = "(()=>{all=[];for(const t of ['mousedown','mouseup','wheel'])addEventListener(t,e=>all.push(\
               [t,e.button,e.buttons,e.altKey,e.deltaX||0,e.deltaY||0].join(' ')));return 1})()";
    js(&mut device, say).await;
    let held: Modifiers = "alt".to_owned().try_into().unwrap();
    let to = Point::new(at.x + 200.0, at.y + 150.0);
    act(&mut device, Action::PointerDown { at, button: Button::Right }).await;
    act(&mut device, Action::Hover { at: to }).await;
    assert_eq!(js(&mut device, "all.splice(0).join()").await, "mousedown 2 2 false 0 0");
    act(&mut device, Action::PointerUp { at: to }).await;
    act(&mut device, Action::Drag { path: vec![to, at], button: Button::Middle, modifiers: held }).await;
    let by = ScrollNotches { right: 1, down: -2 };
    act(&mut device, Action::Scroll { at: to, by, modifiers: held }).await;
    let want = "mouseup 2 0 false 0 0,mousedown 1 4 true 0 0,mouseup 1 0 true 0 0,wheel 0 0 true 120 -240";
    assert_eq!(js(&mut device, "all.splice(0).join()").await, want);
    js(&mut device, "keys.splice(0)").await;
    act(&mut device, Action::Key { chord: "KP_Add KP_Add".to_owned() }).await;
    assert_eq!(js(&mut device, "keys.splice(0).join(' ')").await, "++ -+ ++ -+");
    assert_eq!(js(&mut device, "keys.length").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_is_filled_in_one_step() {
    let (_browser, _site, mut device) = opened("<input aria-label=Name value=before><div contenteditable aria-label=Note>old</div><input aria-label=Other>",
    )
    .await;
    let seen = see(&mut device).await;
    tap(&mut device, named(&seen, "Other")).await;
    for (name, value) in [
        ("Name", "document.querySelector('input').value"),
        ("Note", "document.querySelector('div').innerText"),
    ] {
        let fill =
            |text: &str| Action::Fill { element: named(&seen, name).handle.clone(), text: text.to_owned() };
        confirmed(&act(&mut device, fill("Zoë 1")).await);
        assert_eq!(js(&mut device, value).await, "Zoë 1", "{name}");
    }
    let empty = Action::Fill { element: named(&seen, "Name").handle.clone(), text: String::new() };
    act(&mut device, empty).await;
    assert_eq!(js(&mut device, "document.querySelector('input').value").await, "");
    assert_eq!(js(&mut device, "document.querySelectorAll('input')[1].value").await, "");
}

fn fill(field: &Element, text: &str) -> Action {
    Action::Fill { element: field.handle.clone(), text: text.to_owned() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_of_one_form_is_filled_as_it_is_shown() {
    let forms = [
        ("date", "2026-12-24", "2026-02-30"),
        ("time", "18:05", "25:00"),
        ("datetime-local", "2026-12-24T18:05", "tomorrow"),
        ("month", "2027-02", "2027-13"),
        ("week", "2027-W03", "2027-03"),
        ("range", "70", "loud"),
        ("color", "#ff8800", "orange-ish"),
        ("number", "-1.5e1", "many"),
    ];
    let fields: String = forms
        .iter()
        .map(|(form, ..)| {
            format!(
                "<label>{form} <input type={form} {}></label>",
                if *form == "number" { "step=any" } else { "" }
            )
        })
        .collect();
    let browser = launch().await;
    // The page's own setter hides what is set from the framework that made it.
    let page = format!(
        "{fields}<script>let held={{}},own=[];oninput=e=>{{held[e.target.type]=e.target.value;if(!e.isTrusted)own.push(e.target.type)}};\
         for(const el of document.querySelectorAll('input'))Object.defineProperty(el,'value',{{get(){{\
         return Object.getOwnPropertyDescriptor(HTMLInputElement.prototype,'value').get.call(el)}},set(){{}}}})</script>"
    );
    let (_site, mut device) = open(&browser, &page).await;
    let seen = see(&mut device).await;
    for (form, value, impossible) in forms {
        let field = named(&seen, form);
        assert!(field.can(Affordance::Edit), "{form}");
        confirmed(&act(&mut device, fill(field, value)).await);
        assert_eq!(js(&mut device, &format!("held['{form}']")).await, value);
        match (form, device.perform(&fill(field, impossible), soon()).await) {
            ("number", refused) => {
                assert_eq!(refused.unwrap().effect, Effect::NotAsAsked { found: String::new() });
            }
            (_, refused) => {
                let why = refused.unwrap_err();
                let told = format!("'{impossible}' was not taken: write it as ");
                assert!(why.is_agents_mistake() && why.to_string().contains(&told), "{form}: {why}");
                assert_eq!(js(&mut device, &format!("held['{form}']")).await, value);
            }
        }
    }
    // A colour has no key; all else the browser told of.
    assert_eq!(js(&mut device, "own.join()").await, "color");
}

/// Fields that make something else of what is entered, at once or soon after.
const OWN_WAY: &str = "<label>Phone <input oninput=\"const d=this.value.replace(/\\D/g,'');this.value=d.length<4?d:d.slice(0,3)+'-'+d.slice(3)\"></label>\
    <label>Short <input maxlength=3></label><label>Even <input type=range min=0 max=100 step=10></label>\
    <label>Plan <select onchange=\"setTimeout(()=>this.value='Free',300)\"><option>Free<option>Pro</select></label>\
    <label><input type=checkbox onchange=\"setTimeout(()=>this.checked=false,250)\">Never</label><label><input type=checkbox>Plain</label>\
    <label>City <select><optgroup label=US><option value=u>Paris<option>Rome</optgroup><optgroup label=FR><option value=f>Paris</optgroup></select></label>\
    <div id=box></div><script>let v='';const draw=()=>{box.innerHTML='<label>Name <input></label>';const i=box.querySelector('input');i.value=v;\
    i.oninput=()=>{v=i.value;draw();const j=box.querySelector('input');j.focus();j.setSelectionRange(v.length,v.length)}};draw()</script>";

#[tokio::test(flavor = "multi_thread")]
async fn what_stands_there_otherwise_than_asked_is_told() {
    let (_browser, _site, mut device) = opened(OWN_WAY).await;
    let seen = see(&mut device).await;
    let found = |found: &str| Effect::NotAsAsked { found: found.to_owned() };
    for (name, text, stands) in
        [("Phone", "5551234", "555-1234"), ("Short", "abcde", "abc"), ("Even", "73", "70")]
    {
        assert_eq!(act(&mut device, fill(named(&seen, name), text)).await, found(stands), "{name}");
    }
    confirmed(&act(&mut device, fill(named(&seen, "Short"), "ab")).await);
    // Each key gets another field, and the last one holds what was asked.
    confirmed(&act(&mut device, fill(named(&seen, "Name"), "Ada Lovelace")).await);
    assert_eq!(js(&mut device, "v").await, "Ada Lovelace");

    let select = |name: &str, option: &str| Action::Select {
        element: named(&seen, name).handle.clone(),
        option: option.to_owned(),
    };
    assert_eq!(act(&mut device, select("Plan", "Pro")).await, found("Free"));
    assert_eq!(tap(&mut device, named(&seen, "Never")).await, found("unchecked"));
    assert!(confirmed(&tap(&mut device, named(&seen, "Plain")).await).contains("value"));
    assert_eq!(named(&seen, "City").options, ["US: Paris", "Rome", "FR: Paris"]);
    let several = device.perform(&select("City", "Paris"), soon()).await.unwrap_err();
    assert!(several.to_string().contains("take one of 'US: Paris', 'FR: Paris'"), "{several}");
    confirmed(&act(&mut device, select("City", "FR: Paris")).await);
    assert_eq!(js(&mut device, "document.querySelectorAll('select')[1].value").await, "f");
    // What takes no text is left as it is.
    assert!(device.perform(&fill(named(&seen, "Plain"), "x"), soon()).await.unwrap_err().is_agents_mistake());
    assert_eq!(js(&mut device, "document.querySelectorAll('[type=checkbox]')[1].value").await, "on");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dialog_is_seen_and_answered() {
    let (_browser, _site, mut device) =
        opened("<button onclick=\"out.textContent=prompt('Your name?','Bob')\">Ask</button><p id=out>").await;
    let seen = see(&mut device).await;
    let started = Instant::now();
    assert!(confirmed(&tap(&mut device, named(&seen, "Ask")).await).contains("dialog"));
    let held = see(&mut device).await;
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let dialog = held.context.dialog.unwrap();
    assert_eq!(
        (dialog.kind.as_str(), dialog.message.as_str(), dialog.default.as_deref()),
        ("prompt", "Your name?", Some("Bob"))
    );
    assert!(held.elements.is_empty() && !held.picture.is_empty());
    let blocked = device.perform(&Action::Reload, soon()).await.unwrap_err();
    assert!(blocked.is_agents_mistake(), "{blocked}");
    let reply = DialogReply::Accept { text: Some("Eve".to_owned()) };
    confirmed(&act(&mut device, Action::Dialog { reply }).await);
    assert!(see(&mut device).await.context.dialog.is_none());
    assert_eq!(js(&mut device, "out.textContent").await, "Eve");
}

#[tokio::test(flavor = "multi_thread")]
async fn tabs_history_and_popups() {
    let browser = launch().await;
    let site = Site::start();
    let start = site.page("/", "<title>First</title><a href=/next>Next</a> <a href=/pop target=_blank>Pop</a> <button onclick=\"window.open('/pop')\">Open</button>");
    site.page("/next", "<title>Second</title><a href=#part>Part</a>");
    site.page("/pop", "<title>Popup</title><button onclick=window.close()>Close</button>");
    let mut device = begun(&browser, &WebOptions::default(), &to(&start, &[&site])).await;
    let seen = see(&mut device).await;
    assert_eq!(act(&mut device, Action::Back).await, Effect::SuspectedNoop);
    confirmed(&tap(&mut device, named(&seen, "Next")).await);
    let seen = see(&mut device).await;
    assert_eq!(seen.context.title, "Second");
    confirmed(&tap(&mut device, named(&seen, "Part")).await);
    assert!(see(&mut device).await.context.location.ends_with("/next#part"));
    act(&mut device, Action::Back).await;
    confirmed(&act(&mut device, Action::Back).await);
    let seen = see(&mut device).await;
    assert_eq!(seen.context.title, "First");
    confirmed(&act(&mut device, Action::Forward).await);
    assert_eq!(see(&mut device).await.context.title, "Second");
    confirmed(&act(&mut device, Action::Back).await);

    for opener in ["Pop", "Open"] {
        confirmed(&press(&mut device, opener).await);
        let popup = see(&mut device).await;
        assert_eq!(popup.context.title, "Popup");
        assert_eq!(popup.context.tabs.len(), 2);
        assert!(popup.context.tabs[1].active);
        confirmed(&act(&mut device, Action::SwitchTab { tab: TabIndex(0) }).await);
        assert_eq!(see(&mut device).await.context.title, "First");
        confirmed(&act(&mut device, Action::SwitchTab { tab: TabIndex(1) }).await);
        let popup = see(&mut device).await;
        if opener == "Open" {
            tap(&mut device, named(&popup, "Close")).await;
        } else {
            confirmed(&act(&mut device, Action::CloseTab).await);
        }
        let seen = see(&mut device).await;
        assert_eq!((seen.context.title.as_str(), seen.context.tabs.len()), ("First", 1));
    }
    confirmed(&act(&mut device, Action::NewTab { url: Some(site.url("/next")) }).await);
    assert_eq!(see(&mut device).await.context.title, "Second");
    confirmed(&act(&mut device, Action::Reload).await);
    confirmed(&act(&mut device, Action::CloseTab).await);
    assert!(device.perform(&Action::CloseTab, soon()).await.unwrap_err().is_agents_mistake());
    let away = device.perform(&Action::Navigate { url: "http://127.0.0.1:1/".to_owned() }, soon()).await;
    assert!(matches!(away, Err(DeviceError::Refused { .. })), "{away:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_come_and_go() {
    let browser = launch().await;
    let folder = tempfile::tempdir().unwrap();
    let upload = folder.path().join("up.txt");
    std::fs::write(&upload, "up").unwrap();
    let site = Site::start();
    let start = site.page("/", "<a href=/file>Get</a><input type=file aria-label=Give onchange='out.textContent=this.files[0].name'>\
        <input type=file id=h style='display:none' onchange='out.textContent=\"via \"+this.files[0].name'><button onclick=h.click()>Choose</button><p id=out>");
    let mut device = browser.new_device(&WebOptions::default()).unwrap();
    let mut reset = to(&start, &[&site]);
    reset.downloads = Some(folder.path().to_owned());
    device.reset(&reset, soon()).await.unwrap();
    let seen = see(&mut device).await;
    assert!(named(&seen, "Give").can(Affordance::Upload));
    for (name, expected) in [("Give", "up.txt"), ("Choose", "via up.txt")] {
        let element = named(&seen, name).handle.clone();
        act(&mut device, Action::Upload { element, files: vec![upload.clone()] }).await;
        assert_eq!(js(&mut device, "out.textContent").await, expected);
    }
    confirmed(&tap(&mut device, named(&seen, "Get")).await);
    let end = Instant::now() + Duration::from_secs(5);
    let file = loop {
        let seen = see(&mut device).await;
        if let Some(done) = seen.context.downloads.iter().find(|d| d.done) {
            break done.clone();
        }
        assert!(Instant::now() < end, "{:?}", seen.context.downloads);
    };
    assert_eq!(file.name, "report.txt");
    assert_eq!(std::fs::read_to_string(file.path.unwrap()).unwrap(), "the report");
    let StateValue::Files(files) = device.probe(&StateProbe::Downloads, soon()).await.unwrap() else {
        panic!()
    };
    assert_eq!(files.len(), 1);
}

/// Editors as they are made: one draws its lines and takes keys through a hidden field, one edits in place and draws
/// again from what it holds whenever the document is changed under it.
const EDITORS: &str = "<body><div class=CodeMirror id=a style='width:300px;height:60px'>\
    <textarea id=t style='position:absolute;width:1px;height:1px;opacity:0'></textarea><div id=lines></div></div>\
    <div class=ProseMirror id=b contenteditable=true aria-label=Rich style='width:300px;height:60px'></div><script>\
    let held='one\\ntwo', all=false; const draw=()=>setTimeout(()=>lines.innerHTML=held.split('\\n').map(l=>`<pre class=CodeMirror-line>${l||'\\u200b'}</pre>`).join(''),30); draw();\
    t.onkeydown=e=>{if(e.ctrlKey&&e.key=='a'){all=true;e.preventDefault()}else if(e.key=='Backspace'){held=all?'':held.slice(0,-1);all=false;draw()}};\
    t.oninput=()=>{held+=t.value;t.value='';draw()};\
    let rich='some words', mine=false; const paint=()=>{mine=true;b.innerHTML=`<p>${rich||'<br>'}</p>`;setTimeout(()=>mine=false)}; paint();\
    b.onkeydown=e=>{if(e.key=='Backspace'){e.preventDefault();const s=getSelection();rich=s.toString().trim()==rich?'':rich.slice(0,-1);setTimeout(paint,30)}};\
    new MutationObserver(()=>{if(!mine)paint()}).observe(b,{childList:true,subtree:true,characterData:true})</script>";

#[tokio::test(flavor = "multi_thread")]
async fn editors_that_keep_their_text_are_emptied_by_their_own_keys() {
    let (_browser, _site, mut device) = opened(EDITORS).await;
    let seen = see(&mut device).await;
    let boxes: Vec<_> = seen.elements.iter().filter(|e| e.role.as_str() == "textbox").collect();
    assert_eq!(boxes.len(), 2, "{:?}", seen.elements);
    let values: Vec<_> = boxes.iter().filter_map(|e| e.value.as_deref()).collect();
    assert_eq!(values, ["one\ntwo", "some words"]);
    for (field, held) in boxes.iter().zip(["held", "rich"]) {
        confirmed(&act(&mut device, Action::Clear { element: field.handle.clone() }).await);
        assert_eq!(js(&mut device, held).await, "", "what the editor itself holds");
        let again = act(&mut device, Action::Clear { element: field.handle.clone() }).await;
        assert_eq!(again, Effect::SuspectedNoop, "{held} is empty");
    }
    // What is typed next goes into the editor.
    act(&mut device, Action::Clear { element: boxes[0].handle.clone() }).await;
    act(&mut device, Action::Type { text: "new".to_owned() }).await;
    assert_eq!(js(&mut device, "held").await, "new");
}
