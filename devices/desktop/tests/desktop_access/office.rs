//! A sheet that claims seventeen billion cells.

use std::time::Instant;

use super::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sheet_is_read_by_the_cells_that_can_be_seen() {
    let (mut desk, reader) = Desk::with(&["soffice"]).await;
    let sheet = desk.path("sums.csv");
    std::fs::write(&sheet, "Name,Sum\nAnn,12\nBen,34\n").unwrap();
    let profile = format!("-env:UserInstallation=file://{}", desk.path("office").display());
    let args = ["--norestore", "--nologo", "--nofirststartwizard", "--calc"];
    let infilter = "--infilter=CSV:44,34,UTF8";
    desk.run("soffice", &[&args[..], &[infilter, &profile, sheet.to_str().unwrap()]].concat());
    let whole = |r: &_| has(r, "cell", "C4") && has(r, "menuitem", "File") && has(r, "button", "Bold");
    let seen = until(&reader, "the sheet", whole).await;
    is_sound(&seen);
    assert_eq!(get(&seen, "cell", "A1").value.as_deref(), Some("Name"));
    assert_eq!(get(&seen, "cell", "B3").value.as_deref(), Some("34"));
    assert_eq!(get(&seen, "cell", "C4").value, None);
    let cells = seen.elements.iter().filter(|e| e.role.as_str() == "cell").count();
    assert!((100..=800).contains(&cells), "{cells} cells");
    // Where they are drawn: under the column heads, and under the formula bar, which a toolkit counts
    // from another corner than the sheet.
    let a1 = get(&seen, "cell", "A1").bounds;
    let b3 = get(&seen, "cell", "B3").bounds;
    let bold = get(&seen, "button", "Bold").bounds;
    assert!((b3.x - a1.right()).abs() < 3.0 && (b3.y - a1.bottom() - a1.h).abs() < 4.0, "{a1:?} {b3:?}");
    assert!(bold.bottom() < a1.y && get(&seen, "menuitem", "File").bounds.bottom() <= bold.y + 1.0);
    let client = window_of(&reader, "Calc").client;
    assert!(a1.y > client.y + 150.0, "below menus, two tool bars and the formula: {a1:?} in {client:?}");
    let began = Instant::now();
    reader.read(CAP, soon()).await.unwrap();
    eprintln!("{} elements in {:?}", seen.elements.len(), began.elapsed());
}
