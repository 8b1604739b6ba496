use crate::apps::drive::AppDriver;

#[test]
fn it_reckons_and_remembers() {
    let mut d = AppDriver::of(super::PACKAGE);
    for id in ["digit_1", "digit_2", "op_mul", "parens", "digit_3", "op_add", "digit_4", "parens"] {
        d.tap(id);
    }
    assert_eq!((d.text("formula"), d.text("result_preview")), ("12×(3+4)".into(), "84".into()));
    d.tap("eq");
    assert_eq!(d.text("result_final"), "84");
    d.tap("op_sub").tap("digit_5").tap("del").tap("digit_4").tap("eq").again();
    assert_eq!(d.text("result_final"), "80");
    let rows = d.rows("content://calculator/history", "");
    assert_eq!((rows[0].text("formula"), rows[1].text("result")), ("12×(3+4)".into(), "80".into()));
    d.tap("digit_9");
    assert_eq!(d.text("formula"), "9", "after a result, a digit begins anew");
    d.tap("history");
    assert_eq!(d.texts("history_result"), ["= 80", "= 84"]);
    d.tap_text("= 84");
    assert_eq!(d.text("result_final"), "84");
    d.tap("op_div").tap("digit_0").tap("eq");
    assert_eq!(d.toast(), "Cannot divide by 0");
}

#[test]
fn the_sign_that_deletes_says_nothing() {
    let mut d = AppDriver::of(super::PACKAGE);
    let del = d.id("del");
    assert!(d.nodes("resource-id", &del)[0].contains("NAF=\"true\""));
}
