use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use data_encoding::BASE32;
use image::{Rgb, RgbImage};
use proptest::prelude::*;
use serde_json::Value;
use unicode_normalization::UnicodeNormalization as _;

use super::*;
use crate::action::{ActionReport, Effect, RefusalKind};
use crate::element::Element;
use crate::error::DeviceError;
use crate::geometry::{Geometry, Rect};
use crate::observation::{Context, Dump, Observation, StaticText};
use crate::picture::Picture;

fn secrets(value: &str) -> Secrets {
    Secrets::new([("pin".to_owned(), value.to_owned())])
}

/// `text` as addresses write it: the bytes that `keep` says stay as they are.
fn percent(text: &str, digits: fn(u8) -> String, keep: impl Fn(u8) -> bool) -> String {
    text.bytes().map(|b| if keep(b) { char::from(b).to_string() } else { digits(b) }).collect()
}

const UPPER: fn(u8) -> String = |byte| format!("%{byte:02X}");
const LOWER: fn(u8) -> String = |byte| format!("%{byte:02x}");

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn html(text: &str, entity: impl Fn(char) -> String) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { entity(c) }).collect()
}

fn named(c: char) -> String {
    let name = match c {
        '&' => "amp",
        '<' => "lt",
        '>' => "gt",
        '"' => "quot",
        '\'' => "apos",
        '@' => "commat",
        '+' => "plus",
        '%' => "percnt",
        '$' => "dollar",
        '!' => "excl",
        'ä' => "auml",
        c => return c.to_string(),
    };
    format!("&{name};")
}

fn forms(value: &str) -> Vec<(&'static str, String)> {
    let form: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    // Without the quotes around it: the value may end with one of its own.
    let inner = |quoted: String| quoted[1..quoted.len() - 1].to_owned();
    let json = inner(Value::from(value).to_string());
    let units = |c: char| {
        let mut units = [0; 2];
        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>()
    };
    let coded = |before: &str| STANDARD.encode(format!("{before}{value}!tail"));
    let address = url::Url::parse(&format!("http://h/{}?q={value}", percent(value, UPPER, is_plain)));
    let each = |one: &dyn Fn(char) -> String, between: &str| {
        value.chars().map(one).collect::<Vec<_>>().join(between)
    };
    let bytes =
        |one: &dyn Fn(u8) -> String, between: &str| value.bytes().map(one).collect::<Vec<_>>().join(between);
    let plain = |c: char, other: String| if c.is_ascii_alphanumeric() { c.to_string() } else { other };
    let unseen = |c: char| each(&|of| of.to_string(), &c.to_string());
    let wide = |c: char| match c {
        ' ' => '\u{3000}',
        '!'..='~' => char::from_u32(u32::from(c) + 0xfee0).unwrap(),
        c => c,
    };
    let wide_units: Vec<u8> = value.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let coded32 = |before: &str| BASE32.encode(format!("{before}{value}!tail").as_bytes());
    vec![
        ("as it is", value.to_owned()),
        ("nfd", value.nfd().collect()),
        ("nfkc", value.nfkc().collect()),
        ("nfkd, percent", percent(&value.nfkd().collect::<String>(), UPPER, is_plain)),
        ("nfd, base64", STANDARD.encode(format!("{}!", value.nfd()))),
        ("full width", value.chars().map(wide).collect()),
        ("joiners of graphemes", unseen('\u{34f}')),
        ("variation selectors", unseen('\u{fe0f}')),
        ("more variation selectors", unseen('\u{e0100}')),
        ("fillers of Hangul", unseen('\u{3164}')),
        ("blanks of Braille", unseen('\u{2800}')),
        ("musical format characters", unseen('\u{1d173}')),
        ("control characters", unseen('\u{2}')),
        ("code points", each(&|c| format!("\\u{{{:x}}}", u32::from(c)), "")),
        ("old percent", each(&|c| units(c).replace("\\u", "%u"), "")),
        ("octal", bytes(&|byte| format!("\\{byte:03o}"), "")),
        ("style sheet", each(&|c| plain(c, format!("\\{:x} ", u32::from(c))), "")),
        ("style sheet, six digits", each(&|c| format!("\\{:06x}", u32::from(c)), "")),
        ("mail", bytes(&|byte| plain(char::from(byte), format!("={byte:02X}")), "")),
        ("mail, broken", bytes(&|byte| format!("={byte:02X}"), "=\r\n")),
        ("bytes, octal", bytes(&|byte| format!("{byte:03o}"), " ")),
        ("bytes, hexadecimal", bytes(&|byte| format!("0x{byte:02X}"), ", ")),
        ("bytes, dump", bytes(&|byte| format!("{byte:02x}"), ":")),
        ("bytes, binary", bytes(&|byte| format!("{byte:08b}"), " ")),
        ("bytes, signed", bytes(&|byte| byte.cast_signed().to_string(), ", ")),
        ("base32", coded32("")),
        ("base32, one on", coded32("x")),
        ("base32, four on", coded32("wxyz").to_ascii_lowercase()),
        ("base64 of UTF-16", STANDARD.encode(&wide_units)),
        ("in capitals", value.to_ascii_uppercase()),
        ("percent", percent(value, UPPER, is_plain)),
        ("percent, small", percent(value, LOWER, is_plain)),
        ("percent, all of it", percent(value, UPPER, |_| false)),
        ("percent, in parts", percent(value, LOWER, |b| b % 2 == 0 && (is_plain(b) || b == b'@'))),
        ("percent twice", percent(&percent(value, UPPER, is_plain), UPPER, is_plain)),
        ("form", form),
        ("address", address.map(|url| url.to_string()).unwrap_or_default()),
        ("html, named", html(value, named)),
        ("html, decimal", html(value, |c| format!("&#{};", u32::from(c)))),
        ("html, hex", html(value, |c| format!("&#x{:X};", u32::from(c)))),
        ("html twice", html(&html(value, named), named)),
        ("json", json.clone()),
        ("json in json", Value::from(json).to_string()),
        ("json, all of it", value.chars().map(units).collect()),
        ("debug", inner(format!("{value:?}"))),
        ("debug, bytes", format!("{:?}", value.as_bytes()).trim_matches(['[', ']']).to_owned()),
        ("escaped bytes", value.as_bytes().escape_ascii().to_string()),
        ("hex", value.bytes().map(|b| format!("{b:02x}")).collect()),
        ("base64", coded("")),
        ("base64, one on", coded("x")),
        ("base64, two on", coded("xy")),
        ("base64 of addresses", URL_SAFE.encode(format!("u:{value}"))),
        ("shell", format!("'{}'", value.replace('\'', r"'\''"))),
        ("shell, double", value.replace('\'', r#"'"'"'"#)),
        ("shell, escaped", value.chars().map(|c| format!("\\{c}")).collect()),
        ("adb", value.replace(' ', "%s")),
        ("no-break blanks", value.replace(' ', "\u{a0}")),
        ("soft hyphens", value.chars().map(|c| format!("{c}\u{ad}")).collect()),
    ]
}

/// Whether `text` holds `value` or a form of it, by other means than the masking's own.
fn shows(text: &str, value: &str) -> Option<&'static str> {
    forms(value).into_iter().find(|(_, form)| text.contains(form.as_str())).map(|(name, _)| name)
}

const VALUES: [&str; 7] = [
    "S3cr!t-Zq9wXy&Kp",
    "p@ss word+1&2",
    "it's \"so\" <ä/€>\\ $5%20",
    "hunter22",
    "4111111111111111",
    "Zoë-Pässwört-№9",
    "Cafe\u{301} \u{fb01}n",
];

#[test]
fn every_form_of_a_value_is_masked() {
    for value in VALUES {
        let by = secrets(value);
        for (name, form) in forms(value) {
            for text in [form.clone(), format!("before {form} after"), format!("a={form}&b={form}")] {
                let masked = by.mask(text.clone());
                assert!(masked.contains(MASK), "{value}, {name}: {text}");
                assert_eq!(shows(&masked, value), None, "{value}, {name}: {masked}");
                assert!(!masked.contains(value.get(..4).unwrap()), "{name}: {masked}");
            }
        }
    }
}

#[test]
fn text_beside_a_value_stays() {
    // What is found in the compared form is masked in the text as it was, and no more of it.
    let by = secrets("hunter22");
    assert_eq!(by.mask("ß№ é \u{ff48}unter2\u{200b}2 №".to_owned()), "ß№ é •••• №");
    assert_eq!(by.masked("e\u{301}№ \u{3164} 104, 117, 110 =68=75=6e \\150\\165"), None);
    assert_eq!(secrets("my pin 7").mask("my\u{200b}pin\u{3000}7!".to_owned()), "••••!");
}

#[test]
fn a_secret_is_masked_and_never_printed() {
    let by = secrets("hunter22");
    assert_eq!(by.mask("my hunter22!".to_owned()), "my ••••!");
    assert_eq!(by.masked("the hunt has 22 hunters"), None);
    assert_eq!(by.masked("enter a hunt"), None);
    assert!(!format!("{by:?}").contains("hunter22"));
    // Values that overlap, and a value within another.
    let both = Secrets::new([("a".to_owned(), "abab".to_owned()), ("b".to_owned(), "babxy".to_owned())]);
    assert_eq!(both.mask("(ababab) (ababxy)".to_owned()), "(••••) (••••)");
    assert_eq!(secrets("4111111111111111").mask("4111 1111 1111 1111".to_owned()), "••••");
    // One way of writing within another.
    assert_eq!(secrets("a'b+cd").mask(r#"x="a'&quot;'&quot;'b%2bcd""#.to_owned()), r#"x="••••""#);
    assert_eq!(secrets("a'b+cd").mask(r"a%27%5C%27%27b+cd a'\\''b+cd".to_owned()), "•••• ••••");
    // Too short to be told from common text.
    assert_eq!(secrets("abc").masked("abc"), None);
}

#[test]
fn a_value_of_any_length_and_kind_is_masked() {
    let key = format!("-----BEGIN KEY-----\n{}\n-----END KEY-----", "MIIEvQ/+x9\n".repeat(400));
    let by = secrets(&key);
    for text in
        [key.clone(), key.replace('\n', " "), format!("{key:?}"), Value::from(key.as_str()).to_string()]
    {
        let masked = by.mask(format!("key: {text} end"));
        assert!(!masked.contains("MIIE") && masked.starts_with("key: "), "{masked}");
        assert!(masked.ends_with(" end"), "{masked}");
    }
    let odd = "(?i)[a-z]+|.*$^{1,9}\\d";
    assert_eq!(secrets(odd).mask(format!("x {odd} y")), "x •••• y");
}

#[test]
fn a_value_that_was_cut_before_is_masked_as_far_as_it_is_there() {
    let by = secrets("hunter22-and-more");
    let long = format!("{}hunter22-", "x".repeat(60));
    assert_eq!(by.mask(long), format!("{}••••", "x".repeat(60)));
    assert_eq!(by.mask("input text 'hunter…".to_owned()), "input text '••••…");
    assert_eq!(
        by.mask("it printed: hunter22 ... (9 characters more)".to_owned()),
        "it printed: •••• ... (9 characters more)"
    );
}

#[test]
fn what_is_masked_stays_told_however_far_behind_it_is() {
    let secrets = secrets("hunter22  ä");
    let far = format!("{}hunter22  ä", "x ".repeat(150));
    let told = secrets.brief(&far, 200);
    assert!(told.ends_with("… ••••") && told.chars().count() <= 206, "{told}");
    // Where the cut goes through it nothing of it is left.
    let half = format!("{}hunter22  ä", "x".repeat(194));
    assert!(!secrets.brief(&half, 200).contains("hun"));
    assert_eq!(secrets.brief("my hunter22  ä!", 200), "my ••••!");
    assert_eq!(brief(&told, told.chars().count() + 1), told);
    assert!(brief(&format!("{told} and more"), 60).ends_with("••••"));
}

/// An observation with text in every field, as JSON: what a new field needs to be seen here is to be set.
fn full() -> (Vec<Element>, Context) {
    let element = serde_json::json!({
        "handle": "1.0.0", "role": "button", "name": "n", "value": "v", "options": ["o", "p"],
        "uid": "u", "id": "i", "bounds": {"x": 1.0, "y": 2.0, "w": 3.0, "h": 3.0}, "hit": {"x": 2.0, "y": 3.0},
        "affordances": ["click"], "states": {"checked": true}, "source": "picture", "frame": 3,
    });
    let context = serde_json::json!({
        "location": "l", "title": "t", "tabs": [{"title": "t", "url": "u", "active": true}],
        "windows": [{"id": 1, "title": "t", "program": "p", "bounds": {"x": 0.0, "y": 0.0, "w": 1.0, "h": 1.0}}],
        "screens": [{"name": "desk", "platform": "desktop", "showing": "s"}],
        "dialog": {"kind": "prompt", "message": "m", "default": "d"},
        "downloads": [{"name": "n", "path": "/p", "done": true}], "keyboard_shown": true, "secure": true,
        "page_scroll": {"above": 1, "below": 2}, "blocked": ["b"], "person": "p", "truncated": 4,
        "texts_left_out": 2, "notices": ["n"], "page_crashes": 1,
    });
    (vec![serde_json::from_value(element).unwrap()], serde_json::from_value(context).unwrap())
}

/// Puts `text` into every string of `value` that takes it, and tells into how many.
fn spread<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T, text: &str) -> (T, usize) {
    let mut json = serde_json::to_value(value).unwrap();
    let mut places = Vec::new();
    leaves(&json, String::new(), &mut places);
    let mut count = 0;
    for place in places.iter().filter(|place| !place.ends_with("/handle")) {
        let mut with = json.clone();
        *with.pointer_mut(place).unwrap() = Value::from(text);
        // Words of the format take none.
        if serde_json::from_value::<T>(with.clone()).is_ok() {
            json = with;
            count += 1;
        }
    }
    (serde_json::from_value(json).unwrap(), count)
}

fn leaves(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::String(_) => out.push(at),
        Value::Array(all) => all.iter().enumerate().for_each(|(n, v)| leaves(v, format!("{at}/{n}"), out)),
        Value::Object(all) => all.iter().for_each(|(k, v)| leaves(v, format!("{at}/{k}"), out)),
        _ => {}
    }
}

fn observation(elements: Vec<Element>, texts: Vec<StaticText>, context: Context, dump: &str) -> Observation {
    let picture = Picture::new(RgbImage::from_pixel(20, 10, Rgb([255; 3])));
    let dump = Some(Dump { text: dump.into(), numbering: |_, _| (Vec::new(), Vec::new()) });
    Observation {
        picture,
        elements,
        texts,
        dump,
        context,
        ..Observation::blank(Geometry::new(20.0, 10.0, 1.0))
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_field_of_an_observation_shows_a_value(
        value in prop_oneof![prop::sample::select(&VALUES[..]).prop_map(str::to_owned), "[!-~]{2}[ -~äß€🚀]{2,30}[!-~]{2}"],
        form in any::<prop::sample::Index>(),
        before in "[a-z ]{0,8}",
    ) {
        let (_, shown) = { let mut all = forms(&value); all.swap_remove(form.index(all.len())) };
        let text = format!("{before}{shown} z");
        let (elements, context) = full();
        let (elements, n) = spread(&elements, &text);
        // role, name, value, two options, uid, id
        prop_assert_eq!(n, 7);
        let (context, n) = spread(&context, &text);
        prop_assert_eq!(n, 16);
        let texts = vec![StaticText { text: text.clone(), bounds: Rect::new(15.0, 5.0, 3.0, 3.0), before: 0 }];
        let attribute = text.replace('"', "&quot;");
        let mut seen = observation(elements, texts, context, &format!("<node text=\"{attribute}\"/>"));
        seen.mask(&secrets(&value));
        for json in [
            serde_json::to_value(&seen.elements).unwrap(),
            serde_json::to_value(&seen.texts).unwrap(),
            serde_json::to_value(&seen.context).unwrap(),
            Value::from(&*seen.dump.as_ref().unwrap().text),
        ] {
            let mut places = Vec::new();
            leaves(&json, String::new(), &mut places);
            for text in places.iter().filter_map(|place| json.pointer(place)?.as_str()) {
                prop_assert_eq!(shows(text, &value), None, "{}", text);
                prop_assert!(text == "1.0.0" || text == "click" || text == "picture" || text == "desktop" || text.contains(MASK));
            }
        }
        prop_assert!(seen.dump.as_ref().unwrap().text.starts_with("<node text=\""));
        prop_assert_eq!(seen.picture.pixels().get_pixel(2, 3), &Rgb([128; 3]));
        prop_assert_eq!(seen.picture.pixels().get_pixel(16, 6), &Rgb([128; 3]));
        prop_assert_eq!(seen.picture.pixels().get_pixel(13, 3), &Rgb([255; 3]));
    }
}

#[test]
fn no_report_and_no_error_shows_a_value() {
    let value = VALUES[1];
    let by = secrets(value);
    for (name, form) in forms(value) {
        let text = || format!("<{form}>");
        let refused = Effect::Refused { kind: RefusalKind::Origin, reason: text() };
        for effect in [Effect::Confirmed { evidence: text() }, refused] {
            let told = by.reported(Ok(ActionReport { effect, took: std::time::Duration::ZERO })).unwrap();
            assert_eq!(shows(&format!("{told:?}"), value), None, "{name}: {told:?}");
        }
        let io = || std::io::Error::other(text());
        let errors = [
            DeviceError::Timeout { what: text(), after: std::time::Duration::ZERO },
            DeviceError::Absent { what: text(), hint: text() },
            DeviceError::Gone { reason: text() },
            DeviceError::Crashed { what: text() },
            DeviceError::Call { call: text(), message: text() },
            DeviceError::Start { what: text(), message: text(), hint: text() },
            DeviceError::Unsupported { platform: "web", action: text() },
            DeviceError::Blocked { what: text() },
            DeviceError::StaleElement { what: text() },
            DeviceError::BadArgument { what: text(), message: text() },
            DeviceError::Refused { kind: RefusalKind::Origin, reason: text() },
            DeviceError::Image(image::ImageError::IoError(io())),
            DeviceError::Io { what: text(), source: io() },
            DeviceError::Internal(text()),
        ];
        for error in errors {
            let told = by.mask_answer::<()>(Err(error)).unwrap_err();
            assert_eq!(shows(&format!("{told} {told:?}"), value), None, "{name}: {told:?}");
        }
    }
}

#[test]
fn an_element_that_shows_a_secret_is_painted_over() {
    let by = secrets("hunter22");
    let element = |x: f64, value: &str| -> Element {
        serde_json::from_value(serde_json::json!({
            "handle": "h", "role": "textbox", "value": value,
            "bounds": {"x": x, "y": 2.0, "w": 3.0, "h": 3.0}, "hit": {"x": x, "y": 3.0},
        }))
        .unwrap()
    };
    let seen = |elements| {
        let mut seen = observation(elements, Vec::new(), Context::default(), "");
        seen.mask(&by);
        let once = seen.picture.pixels().clone();
        seen.mask(&by);
        assert_eq!(&once, seen.picture.pixels());
        once
    };
    // Masked by its driver, before it was cut, or not yet.
    for value in ["hunter22", "a ••••"] {
        let shown = seen(vec![element(1.0, value), element(12.0, "Ada")]);
        assert_eq!(shown.get_pixel(2, 3), &Rgb([128; 3]));
        assert_eq!(shown.get_pixel(13, 3), &Rgb([255; 3]));
    }
    assert_eq!(seen(vec![element(19.0, "hunter22")]).get_pixel(19, 4), &Rgb([128; 3]));
}

fn of_token(value: &str) -> Vec<String> {
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    let with = |before: &str| STANDARD.encode(format!("{before}{value}:x"));
    vec![
        value.to_owned(),
        value.to_uppercase(),
        percent(value, UPPER, is_plain),
        percent(value, LOWER, |_| false),
        html(value, |c| format!("&#{};", u32::from(c))),
        Value::from(value).to_string(),
        value.replace('/', "\\/"),
        value.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect(),
        hex,
        with(""),
        with("a"),
        with("ab"),
        URL_SAFE.encode(value),
        BASE32.encode(format!("ab{value}").as_bytes()),
        value.chars().map(|c| format!("\\u{{{:x}}}", u32::from(c))).collect(),
        value.chars().map(|c| format!("\\{:03o}", u32::from(c))).collect(),
        value.chars().map(|c| format!("\\{:x} ", u32::from(c))).collect(),
        value.chars().map(|c| format!("%u{:04x}", u32::from(c))).collect(),
        value.bytes().map(|byte| format!("={byte:02X}")).collect(),
        value.chars().map(|c| format!("{c}\u{fe0f}")).collect(),
        value.chars().map(|c| char::from_u32(u32::from(c) + 0xfee0).unwrap()).collect(),
    ]
}

proptest! {
    #[test]
    fn a_hidden_token_is_found_in_its_forms_among_many(
        value in "[A-Za-z0-9]{6,20}[+/=._-]{0,2}[A-Za-z0-9]{0,90}",
        others in proptest::collection::vec("[A-Za-z0-9_-]{20,40}", 0..20),
        before in "[ a-z<>]{0,6}",
    ) {
        let hidden = Secrets::hidden(others.into_iter().chain([value.clone()]));
        for form in of_token(&value) {
            let masked = hidden.mask(format!("{before}{form}{before}"));
            prop_assert!(masked.contains(MASK) && !masked.contains(&form), "{form}: {masked}");
        }
    }
}

#[test]
fn hidden_values_are_found_in_parts_and_where_they_were_cut_and_have_no_names() {
    let token: String = (0..300).map(|n| char::from(b'a' + (n * 7 % 26) as u8)).collect();
    let hidden = Secrets::hidden([token.clone(), "ab.c".to_owned(), "abc".to_owned()]);
    assert!(!hidden.mask(format!("x {} y", &token[100..230])).contains(&token[128..180]));
    let cut = hidden.mask(format!("{} {}…", "a text that was cut within the token behind it:", &token[..30]));
    assert!(!cut.contains(&token[..12]), "{cut}");
    assert_eq!(hidden.mask("ab.c abc".to_owned()), format!("{MASK} abc"));
    assert_eq!((hidden.names().count(), hidden.pairs().count(), hidden.value(&token)), (0, 0, None));
    let named = secrets("hunter22").and(&hidden);
    assert_eq!(named.mask(format!("hunter22 {token}")), format!("{MASK} {MASK}"));
    assert_eq!(named.and(&hidden).names().collect::<Vec<_>>(), ["pin"]);
}

#[test]
fn a_code_of_the_moment_is_masked_once_it_was_typed_and_its_holders_share_it() {
    let codes = OneTimeCodes::parse("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ").unwrap();
    let secrets =
        Secrets::new([("pin".to_owned(), "hunter22".to_owned())]).with_codes([("otp".to_owned(), codes)]);
    let all = Secrets::hidden(["other-key".to_owned()]).and(&secrets);
    assert_eq!(all.names().collect::<Vec<_>>(), ["pin", "otp"]);
    let typed = secrets.value("otp").unwrap().into_owned();
    assert!(typed.len() == 6 && typed.bytes().all(|byte| byte.is_ascii_digit()), "{typed}");
    for holder in [&secrets, &all] {
        assert_eq!(holder.mask(format!("code {typed}, hunter22")), format!("code {MASK}, {MASK}"));
        assert!(!format!("{holder:?}").contains(&typed));
    }
    assert!(all.and(&secrets).mask(typed).contains(MASK));
    assert_eq!(secrets.value("none"), None);
}
