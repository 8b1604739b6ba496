//! Displays: a phone's own is number 0; others have a picture and fingers, but no tree.

use super::adb::{PhoneLink, RepeatRule};
use waldo_devices::{Deadline, DeviceError, Result};

/// What names a display to `wm` and `input`: nothing for the first where none was asked for.
pub(crate) fn option(display: Option<u32>) -> String {
    display.map(|display| format!(" -d {display}")).unwrap_or_default()
}

/// What `screencap` calls the display that the rest of the phone counts as `display`.
pub(crate) async fn physical(link: &PhoneLink, display: u32, deadline: Deadline) -> Result<String> {
    const QUESTION: &str = "dumpsys display | grep 'uniqueId \"local:'; dumpsys SurfaceFlinger --display-id";
    let told = link.shell(QUESTION, RepeatRule::Safe, deadline).await?.text();
    let known = displays(&told);
    known.iter().find(|(number, _)| *number == display).map(|(_, id)| id.clone()).ok_or_else(|| {
        let numbers: Vec<String> = known.iter().map(|(number, _)| number.to_string()).collect();
        DeviceError::BadArgument {
            what: format!("display {display}"),
            message: match numbers.is_empty() {
                true => "the phone does not report its displays".to_owned(),
                false => format!("no such id; the displays of the phone are: {}", numbers.join(", ")),
            },
        }
    })
}

/// Numbers and physical ids of the displays, without virtual ones, which have none.
fn displays(told: &str) -> Vec<(u32, String)> {
    let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let mut known: Vec<(u32, String)> = Vec::new();
    for line in told.lines() {
        // `DisplayInfo{"Built-in Screen", displayId 0, … uniqueId "local:4619827259835644672", …}`
        let number = line.split("displayId ").nth(1).and_then(|rest| digits(rest).parse().ok());
        let id = line.split("uniqueId \"local:").nth(1).map(digits).filter(|id| !id.is_empty());
        if let (Some(number), Some(id)) = (number, id)
            && known.iter().all(|(other, _)| *other != number)
        {
            known.push((number, id));
        }
    }
    if known.is_empty() {
        // The order of the hardware is then all there is to go by.
        let ids =
            told.lines().filter_map(|line| line.trim().strip_prefix("Display ")?.split_whitespace().next());
        let ids = ids.filter(|id| id.chars().all(|c| c.is_ascii_digit()));
        known = (0..).zip(ids.map(str::to_owned)).collect();
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn displays_are_read_in_the_words_of_two_services() {
        let both = "    mBaseDisplayInfo=DisplayInfo{\"Built-in Screen\", displayId 0\", real 1080 x 2400, uniqueId \"local:46198\", app}\n\
             mOverrideDisplayInfo=DisplayInfo{\"Built-in Screen\", displayId 0, uniqueId \"local:46198\"}\n\
             mBaseDisplayInfo=DisplayInfo{\"HDMI\", displayId 2, uniqueId \"local:46200\"}\n\
             DisplayDeviceInfo{\"HDMI\": uniqueId=\"local:46200\"}\n\
             Display 46198 (HWC display 0): port=0\nDisplay 46200 (HWC display 1): port=1";
        assert_eq!(displays(both), [(0, "46198".to_owned()), (2, "46200".to_owned())]);
        let one = "Display 46198 (HWC display 0): port=0\nDisplay 46200 (HWC display 1): port=1\n";
        assert_eq!(displays(one), [(0, "46198".to_owned()), (1, "46200".to_owned())]);
        assert!(displays("Can't find service: display").is_empty());
    }
}
