//! What is listed of a page: the same on every load, rows and editors, their names, and the text between them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::future::join_all;

use super::site::Site;
use super::support::*;
use waldo_devices::{Affordance, Observation, Settled, labels};
use waldo_web::{Browser, Secrets, WebOptions};

/// Cards that listen, made by a script; the title says how many are in view.
fn cards(count: usize, size: &str, before: &str) -> String {
    format!(
        "<!doctype html><body style='margin:8px'><style>.c{{display:inline-block;{size};font-size:8px;margin:1px;overflow:hidden}}</style>\
         {before}<div id=r></div><script>for(let i=0;i<{count};i++){{const d=document.createElement('div');d.className='c';d.textContent='c'+i;\
         d.addEventListener('click',()=>1);r.append(d)}}\
         document.title=[...document.querySelectorAll('.c')].filter(c=>c.getBoundingClientRect().top<innerHeight-1).length</script>"
    )
}

/// Keeps two processors busy until it is dropped.
struct Hogs(Arc<AtomicBool>);

impl Hogs {
    fn start() -> Self {
        let end = Arc::new(AtomicBool::new(false));
        for _ in 0..2 {
            let end = end.clone();
            std::thread::spawn(move || while !end.load(Ordering::Relaxed) {});
        }
        Self(end)
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

async fn loaded(browser: &Browser, site: &Site, start: &str) -> Observation {
    let mut device = begun(browser, &WebOptions::default(), &to(start, &[site])).await;
    // On a machine that is slow besides, a page may not have come when the time for it is over.
    let seen = until(&mut device, |seen| seen.settled != Settled::StillLoading).await;
    device.close(soon()).await.unwrap();
    seen
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_with_two_labels_has_the_words_of_both() {
    let (browser, site) = (launch().await, Site::start());
    let url = site.page(
        "/labels",
        "<label for=t>Description</label><textarea id=t></textarea><label for=t>You may use <a href=#>markup</a></label>
        <p><label for=s>Alert me</label><b style='margin-left:200px;position:relative'><input type=checkbox id=s style='opacity:0;position:absolute'>
        <label for=s style='display:inline-block;width:30px;height:16px;background:grey'></label></b>",
    );
    let seen = loaded(&browser, &site, &url).await;
    let names: Vec<&str> =
        seen.elements.iter().filter(|one| one.role.0 == "textbox").map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["Description You may use markup"], "{:?}", seen.context.notices);
    // Where the field itself cannot be seen, it is pressed where it lies.
    let switches: Vec<_> = seen.elements.iter().filter(|one| one.role.0 == "checkbox").collect();
    assert!(
        switches.len() == 1 && switches[0].name == "Alert me" && switches[0].hit.x > 200.0,
        "{switches:#?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_listed_the_same_on_every_load() {
    let (browser, site) = (launch().await, Site::start());
    let first = format!("<div style='height:60px;overflow:hidden'>{}</div>", "<i></i>".repeat(6000));
    let wide = "width:80px;height:20px";
    site.page("/early", cards(20, wide, ""));
    let pages = [
        ("late", site.page("/late", cards(20, wide, &first)), 20),
        (
            "framed",
            site.page("/framed", "<title>20</title><iframe src=/early width=1000 height=500></iframe>"),
            20,
        ),
        ("many", site.page("/many", cards(1400, "width:22px;height:12px", "")), 1400),
        ("crowd", site.page("/crowd", cards(4000, "width:22px;height:12px", "")), 1500),
    ];
    let _hogs = Hogs::start();
    for (name, url, listed) in pages {
        let loads = [(); 3].map(|()| loaded(&browser, &site, &url));
        let [first, others @ ..] = <[Observation; 3]>::try_from(join_all(loads).await).unwrap();
        let cards = |seen: &Observation| {
            let of = |e: &waldo_devices::Element| (e.role.clone(), e.name.clone(), e.bounds, e.hit);
            seen.elements.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(first.elements.len(), listed, "{name}: {:?} {:?}", first.settled, first.context);
        let in_view: usize = first.context.title.parse().unwrap();
        assert_eq!(
            first.elements.len() + first.context.truncated,
            in_view,
            "{name}: nothing in view is missed"
        );
        for again in others {
            assert_eq!(cards(&again), cards(&first), "{name}");
            assert_eq!(again.texts, first.texts, "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn items_of_trees_and_fields_that_cannot_be_seen_are_called_and_pressed_by_what_is_seen() {
    let (browser, site) = (launch().await, Site::start());
    let leaves: String = (0..24).map(|n| format!("<div role=treeitem tabindex=-1>Leaf {n}</div>")).collect();
    let url = site.page(
        "/trees",
        format!(
            "<style>.o{{position:relative;display:inline-block}}.o input{{opacity:0;position:absolute;inset:0}}</style>
            <span class=o><button>Choose a file</button><input type=file></span> <span class=o><svg width=60 height=20><text y=15>Circle</text></svg><input type=radio></span>
            <p>Avatar <input type=file aria-describedby=help><small id=help>At most 2 MB</small><input type=text aria-describedby=help>
            <ul id=list><li>Fruit<ul><li>Pear</ul><li>Leek</ul><ul id=plain><li>Silent</ul>
            <div role=tree><div role=treeitem aria-expanded=true tabindex=0>Root<div role=group>{leaves}</div></div></div>
            <script>list.onclick=()=>1</script>"
        ),
    );
    let seen = loaded(&browser, &site, &url).await;
    let names: Vec<&str> = seen.elements.iter().map(|one| one.name.as_str()).collect();
    let wanted =
        ["Choose a file", "Circle", "Avatar", "At most 2 MB", "Fruit", "Pear", "Leek", "Root", "Leaf 0"];
    assert_eq!(names[..9], wanted, "{names:?}");
    assert_eq!(names.len(), 8 + 24, "{names:?}");
    let root = &seen.elements[7];
    assert!(root.hit.y < seen.elements[8].bounds.y, "{root:#?}");
}

fn listed(seen: &Observation, name: &str) -> bool {
    seen.elements.iter().any(|e| e.name == name)
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_listed_and_the_boxes_around_them_are_not() {
    let (_browser, _site, mut device) = opened(include_str!("pages/rows.html")).await;
    let seen = see(&mut device).await;
    for name in
        "first.txt second.txt Cut Paste Inside Alpha Beta Gamma Uno Due Tre Branch Dragged Column Card \
         Whole Monday Tuesday Amount Oldest"
            .split(' ')
    {
        assert_eq!(
            seen.elements.iter().filter(|e| e.name == name).count(),
            1,
            "{name} in {:#?}",
            names(&seen)
        );
    }
    assert!(
        seen.elements.iter().any(|e| e.role.as_str() == "row" && e.name == "Cell one Cell two"),
        "{:#?}",
        names(&seen)
    );
    assert!(seen.elements.iter().any(|e| e.value.as_deref() == Some("Edited") && e.can(Affordance::Edit)));
    let filters: Vec<_> = seen.elements.iter().filter(|e| e.name.contains("Filter it")).collect();
    assert!(filters.len() == 1 && filters[0].role.as_str() == "textbox", "{filters:?}");
    assert_eq!(named(&seen, "Amount").role.as_str(), "columnheader");
    for name in ["Tools", "One word", "Two words", "Cell one", "asc", "Plain", "Nobody hears", "Week"] {
        assert!(!listed(&seen, name), "{name} in {:#?}", names(&seen));
    }
    for part in ["Alpha Beta", "Uno Due", "Cut Paste"] {
        assert!(!seen.elements.iter().any(|e| e.name.contains(part)), "{part} in {:#?}", names(&seen));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_only_drawn_has_a_name() {
    let (_browser, _site, mut device) = opened(include_str!("pages/notebook.html")).await;
    let seen = see(&mut device).await;
    for name in "Notebook: Python 3|Console: Python 3|Undo all|Save it|trash|edit|More ways|ban|+ (Zoom in)|Told by a tip|\
        From inside|Street|Town|Bearings: edit|Spindle: edit|To|Key, Length"
        .split('|')
    {
        assert!(listed(&seen, name), "{name} in {:#?}", names(&seen));
    }
    let values: Vec<_> = seen
        .elements
        .iter()
        .filter(|e| e.role.as_str() == "textbox")
        .filter_map(|e| e.value.as_deref())
        .collect();
    for value in ["x = 1\n  print(x)", "one\ntwo", "Once\nupon"] {
        assert!(values.contains(&value), "{value:?} in {values:?}");
    }
    let red: Vec<_> = seen.elements.iter().filter(|e| e.value.as_deref() == Some("red")).collect();
    assert!(red.len() == 1 && red[0].name == "Tint" && !listed(&seen, "red"), "{red:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_of_a_drawing_are_pressed_where_they_are_seen() {
    let browser = launch().await;
    let shapes = |x: usize| format!("<path d='M{x} 5h8v8z' />");
    let page = format!(
        "<style>path,g,rect{{cursor:pointer}} g{{cursor:move}}</style><svg width=1200 height=60>{}
        <g><rect class=dot x=0 y=30 width=16 height=20 /><rect x=20 y=25 width=160 height=30 fill=tan />
        <text x=40 y=45 pointer-events=none>Boiler</text></g></svg>
        <button onclick=\"shade.hidden=false\" style=\"position:relative;top:200px\">Ask</button>
        <div id=shade hidden style=\"position:fixed;inset:0;background:#fff\"><button>Close</button></div>",
        (0..60).map(|n| shapes(200 + 16 * n)).collect::<String>()
    );
    let (_site, mut device) = open(&browser, &page).await;
    let seen = see(&mut device).await;
    let boiler = named(&seen, "Boiler");
    assert!(
        boiler.hit.x > 60.0 && boiler.can(Affordance::Drag) && boiler.can(Affordance::Click),
        "{boiler:?}"
    );
    // Each path, the node, the button in its corner, and the one of the page.
    assert_eq!(seen.elements.len(), 63, "{:#?}", names(&seen));
    tap(&mut device, named(&seen, "Ask")).await;
    let seen = see(&mut device).await;
    assert_eq!(names(&seen), ["button 'Close'"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn text_stands_between_the_elements_and_is_masked() {
    let browser = launch().await;
    let site = Site::start();
    let foreign = Site::start();
    let inner = foreign.page("/", "<p>Foreign words</p><button>Deep</button>");
    let start = site.page(
        "/",
        format!(
            r#"<h1>44 rows</h1><p>Some <b>bold</b> words, and <a href="/x">a link</a>, ended.</p>
            <label>Name <input id=n></label><table><tr><td>Ada</td><td>Oslo</td><td><button>Open</button></td></tr></table>
            <p role=alert>Sign in with hunter22 failed</p><p hidden>Never shown</p><p style="opacity:0">Unseen</p>
            <div style="position:relative;height:30px"><p style="margin:0">Under a shade</p><div style="position:absolute;inset:0;background:#fff"></div></div>
            <div style="height:40px;overflow:hidden"><p>In the box</p><p style="margin-top:60px">Cut off</p></div>
            <iframe src="{inner}" style="width:300px;height:90px"></iframe><p>At the end</p><div style="height:3000px"></div><p>Far below</p>"#
        ),
    );
    let secrets = Secrets::new([("pw".to_owned(), "hunter22".to_owned())]);
    let options = WebOptions { secrets, ..WebOptions::default() };
    let mut device = begun(&browser, &options, &to(&start, &[&site, &foreign])).await;
    let seen = see(&mut device).await;
    let tagged = labels::select(&seen.elements, 100);
    let list = labels::screen_list(&seen.elements, &tagged, &seen.texts);
    assert_eq!(
        list.lines().collect::<Vec<_>>(),
        [
            r#""44 rows""#,
            r#""Some bold words, and""#,
            r#"1 link "a link""#,
            r#"", ended.""#,
            r#"2 textbox "Name" value="""#,
            r#""Ada | Oslo""#,
            r#"3 button "Open""#,
            r#""Sign in with •••• failed""#,
            r#""In the box""#,
            r#""Foreign words""#,
            r#"4 button "Deep""#,
            r#""At the end""#,
        ],
        "{list}"
    );
    // What shows a secret is painted over.
    let alert = seen.texts.iter().find(|text| text.text.contains("failed")).unwrap().bounds.center();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a point of the screen")]
    let pixel = seen.picture.pixels().get_pixel(alert.x as u32, alert.y as u32).0;
    assert_eq!(pixel, [128; 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_a_paragraph_stay_together_and_headings_name_what_is_theirs() {
    let (browser, site) = (launch().await, Site::start());
    let page = "<p>In as <i>Robin</i> (<i>robin</i>), <i>page</i> <i>one</i>.</p><table><tr><td>7<td><a href=/x>7</a></table>
        <article><h3><a href=a>Pen</a></h3><a href=a>See</a></article><article><h3><a href=b>Ink</a></h3><a href=b>See</a></article>
        <form><h3><a href=c>Pen</a></h3><fieldset><legend>Whole</legend><label><input type=checkbox> Rows</label></fieldset>
        <a href=d>More</a></form><a href=e>More</a>";
    let seen = loaded(&browser, &site, &site.page("/words", page)).await;
    let list = labels::screen_list(&seen.elements, &labels::select(&seen.elements, 100), &seen.texts);
    let lines: Vec<_> =
        list.lines().map(|line| line.trim_start_matches(|c: char| c.is_ascii_digit()).trim()).collect();
    let wanted = "\"In as Robin (robin), page one.\" \"7\"|link \"7\"|link \"Pen\"|link \"Pen: See\"|link \"Ink\"|link \"Ink: See\"|\
        link \"Pen\"|\"Whole\"|checkbox \"Rows\" (unchecked)|link \"More\"|link \"More\"";
    assert_eq!(lines.join("|").replacen('|', " ", 1), wanted, "{list}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tips_of_labels_panels_and_hidden_fields_name_what_is_theirs() {
    let (browser, site) = (launch().await, Site::start());
    let long = "word ".repeat(90);
    let page = format!(
        "<label title=Box><input type=radio name=t style='opacity:0;width:1px;height:1px'><svg width=20 height=20><rect width=18 height=18 /></svg></label>
        <section tabindex=0 onclick='0'><h3>Stroke</h3><button>Black</button><h3>Fill</h3><button>None</button><p>Opacity</p><input type=range></section>
        <div><label for=draft>Body</label><div><textarea id=draft hidden></textarea><div><div><div><div contenteditable role=textbox>Hello</div></div></div></div></div></div>
        <div><label>Two</label><input placeholder=One><div contenteditable role=textbox>Other</div></div>
        <div contenteditable role=textbox aria-label=Story>{long}</div>"
    );
    let seen = loaded(&browser, &site, &site.page("/tips", page)).await;
    let of = |role: &str| seen.elements.iter().filter(move |e| e.role.as_str() == role).collect::<Vec<_>>();
    assert_eq!(of("radio")[0].name, "Box");
    assert_eq!(of("generic")[0].name, "Stroke Fill Opacity", "without the words of its buttons");
    let fields = of("textbox").iter().map(|e| e.name.as_str()).collect::<Vec<_>>();
    // A label beside two fields names neither.
    assert_eq!(fields, ["Body", "One", "", "Story"], "{:#?}", names(&seen));
    let story = of("textbox")[3].value.as_deref().unwrap().chars().collect::<Vec<_>>();
    assert_eq!((story.len(), story.last()), (200, Some(&'…')));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_draws_on_a_canvas_is_found_in_the_picture() {
    let (browser, site) = (launch().await, Site::start());
    let page = "<body style='margin:0'><button style='position:absolute;left:20px;top:20px'>On it</button>\
        <canvas id=c width=600 height=400></canvas><script>const x=c.getContext('2d');x.fillStyle='#246';\
        x.fillRect(100,100,60,40);x.fillRect(300,200,60,40)</script>";
    let seen = loaded(&browser, &site, &site.page("/board", page)).await;
    let found: Vec<_> = seen.elements.iter().filter(|e| e.source == waldo_devices::Source::Picture).collect();
    assert_eq!(found.len(), 2, "{found:?}");
    for (element, (x, y)) in found.iter().zip([(130.0, 120.0), (330.0, 220.0)]) {
        assert!((element.hit.x - x).abs() < 4.0 && (element.hit.y - y).abs() < 4.0, "{element:?}");
        assert!(element.name.is_empty() && element.can(Affordance::Click));
    }
    // A sheet that is drawn has cells.
    let sheet = "<body style='margin:0'><canvas id=c width=600 height=400></canvas><script>\
        const x=c.getContext('2d');x.fillStyle='#bbb';for(let i=0;i<9;i++){x.fillRect(0,i*24,600,1);x.fillRect(i*70,0,1,400)}\
        x.fillStyle='#000';x.fillText('12',80,40)</script>";
    let seen = loaded(&browser, &site, &site.page("/sheet", sheet)).await;
    let cell = seen.elements.iter().find(|e| e.name == "row 2, column 2").unwrap();
    assert!((cell.hit.x - 105.0).abs() < 3.0 && (cell.hit.y - 36.0).abs() < 3.0, "{cell:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_can_press_has_a_number_where_it_works() {
    let (_browser, _site, mut device) = opened(include_str!("pressed.html")).await;
    let seen = see(&mut device).await;
    let tagged = labels::select(&seen.elements, 100);
    let list = labels::screen_list(&seen.elements, &tagged, &[]);
    let lines: Vec<_> = list.lines().map(|line| line.split_once(' ').unwrap().1).collect();
    assert_eq!(
        lines,
        [
            r#"link "Prev""#,
            r#"generic "Meant""#,
            r#"generic "Products" (hoverable)"#,
            r#"link "Contents link""#,
            r#"checkbox "Contents box" (unchecked)"#,
            r#"generic "Dragged" (draggable)"#,
            r#"generic "Dropped" (droppable)"#,
            r#"generic "Held" (draggable)"#,
            r#"textbox "Body" value="written words""#,
            r#"textbox "Code" value="""#,
            r#"link "Kitchen""#,
            r#"columnheader "Price" value="ascending""#,
            r#"generic "To do""#,
            r#"generic "Dig" (draggable)"#,
            r#"generic "Buy" (draggable)"#,
            r#"generic "Prune""#,
            r#"generic "Rake""#,
            r#"generic "Plan""#,
            r#"radio "Tool" (unchecked)"#,
            r#"button "Size Default""#,
            r#"button "Hello""#,
            r#"textbox "Hint" value="""#,
            r#"checkbox "Apples" (unchecked)"#,
            r#"checkbox "Pears" (unchecked)"#,
            r#"textbox "Owned" value="""#,
            r#"searchbox value="""#,
            r#"combobox "Country" value="" options: Choose | Oslo"#,
            r#"combobox "Pick" value="""#,
            r#"button "First""#,
            r#"button "Second""#,
        ],
        "{list}"
    );
    tap(&mut device, named(&seen, "Price")).await;
    assert_eq!(js(&mut device, "document.title").await, "sorted");
    let products = named(&seen, "Products").hit;
    act(&mut device, waldo_devices::Action::Hover { at: products }).await;
    named(&see(&mut device).await, "Lenses");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_closed_shadow_trees_hold_is_listed() {
    let (_browser, _site, mut device) = opened(r#"<!doctype html><div><template shadowrootmode=closed><button>Declared</button><div style="cursor:pointer"><slot></slot></div></template>Slotted</div>
        <x-wall></x-wall><iframe srcdoc="<p id=h></p><script>h.attachShadow({mode:'closed'}).innerHTML='<button>Framed</button>'</script>"></iframe>
        <script>customElements.define('x-wall',class extends HTMLElement{connectedCallback(){const r=this.attachShadow({mode:'closed'});
          r.innerHTML='<div style="position:fixed;bottom:0"><x-deep></x-deep><button>Accept</button></div>';r.querySelector('button').onclick=()=>{document.title='accepted';this.remove()}}});
        customElements.define('x-deep',class extends HTMLElement{connectedCallback(){this.attachShadow({mode:'closed'}).innerHTML='<input aria-label=Deep>'}});
        const markup='</b></p>'</script>"#,
    )
    .await;
    let seen = see(&mut device).await;
    for name in ["Declared", "Slotted", "Framed", "Deep", "Accept"] {
        assert!(listed(&seen, name), "{name} in {:#?}", names(&seen));
    }
    confirmed(&tap(&mut device, named(&seen, "Accept")).await);
    assert_eq!(js(&mut device, "document.title").await, "accepted");
    let script = "document.body.appendChild(document.createElement('section')).attachShadow({mode:'closed'}).innerHTML='<button>Late</button>'";
    js(&mut device, script).await;
    let seen = see(&mut device).await;
    assert!(listed(&seen, "Late") && !listed(&seen, "Accept"), "{:#?}", names(&seen));
}
