use std::sync::Mutex;

use image::{Rgb, RgbImage};

use super::*;
use crate::words::Word;
use waldo_devices::picture_elements::guess;
use waldo_devices::{DeviceInfo, Geometry, Platform, Rect, Secrets, Settled, Source};

/// A screen with striped bars of these widths, one below the other, each an element without a name.
struct Bars(Arc<Mutex<Vec<u32>>>, Secrets, Settled);

fn bar(n: usize, width: u32) -> Rect<waldo_devices::geometry::Physical> {
    Rect::new(10.0, 10.0 + 30.0 * n as f64, f64::from(width), 12.0)
}

#[async_trait]
impl DeviceLayer for Bars {
    fn inner(&self) -> &dyn Device {
        panic!("it is only looked at")
    }

    fn inner_mut(&mut self) -> &mut dyn Device {
        panic!("it is only looked at")
    }

    fn info(&self) -> DeviceInfo {
        DeviceInfo::new(Platform::Desktop, "bars", Geometry::new(300.0, 300.0, 1.0), &[])
    }

    async fn observe(&mut self, want: Capture, _: Deadline) -> Result<Observation, DeviceError> {
        let mut picture = RgbImage::from_pixel(300, 300, Rgb([255; 3]));
        let mut elements = Vec::new();
        for (n, width) in self.0.lock().unwrap().iter().enumerate() {
            let striped = (0..*width).filter(|x| x % 3 == 0 || x + 1 == *width);
            for (x, y) in striped.flat_map(|x| (0..12).map(move |y| (x, y))) {
                picture.put_pixel(10 + x, 10 + 30 * n as u32 + y, Rgb([0; 3]));
            }
            elements.push(guess(format!("p{n}"), "text", bar(n, *width)));
        }
        let mut told = guess("told".to_owned(), "button", bar(0, 20));
        (told.name, told.source) = ("Told".to_owned(), Source::Tree);
        elements.push(told);
        let picture = if want == Capture::All { Picture::new(picture) } else { Picture::empty() };
        Ok(Observation {
            picture,
            elements,
            settled: self.2,
            ..Observation::blank(Geometry::new(300.0, 300.0, 1.0))
        })
    }

    fn secrets(&self) -> Secrets {
        self.1.clone()
    }
}

/// Reads the width of a part, and keeps how many it was asked for each time.
#[derive(Default)]
struct Widths {
    asked: Mutex<Vec<usize>>,
    fails: Mutex<bool>,
}

#[async_trait]
impl TextReader for Widths {
    fn name(&self) -> String {
        "widths".to_owned()
    }

    async fn read(&self, parts: &[PreparedPart], _: Deadline) -> Result<Vec<Vec<Word>>, DeviceError> {
        self.asked.lock().unwrap().push(parts.len());
        if *self.fails.lock().unwrap() {
            return Err(DeviceError::Gone { reason: "broken".to_owned() });
        }
        let width = |part: &PreparedPart| format!("wide\u{202e} {}", part.content().1);
        Ok(parts.iter().map(|part| vec![Word { text: width(part), sure: 90.0 }]).collect())
    }
}

fn soon() -> Deadline {
    Deadline::after(Duration::from_secs(20))
}

fn bars(widths: &[u32], secrets: Secrets) -> (Arc<Mutex<Vec<u32>>>, Arc<Widths>, NamedByText) {
    let (shown, reader) = (Arc::new(Mutex::new(widths.to_vec())), Arc::new(Widths::default()));
    let inner = Box::new(Bars(shown.clone(), secrets, Settled::Quiet));
    (shown, reader.clone(), NamedByText::new(inner, reader, Arc::default()))
}

async fn names(device: &mut NamedByText, want: Capture) -> Vec<String> {
    let seen = Device::observe(device, want, soon()).await.unwrap();
    assert_eq!(seen.picture.is_empty(), want == Capture::Elements);
    seen.elements.into_iter().map(|element| element.name).collect()
}

#[tokio::test]
async fn each_part_is_read_once_and_what_has_a_name_never() {
    let (shown, reader, mut device) = bars(&[40, 60, 40], Secrets::default());
    // Without a picture there is nothing to read, and whether there will be is not known yet.
    assert_eq!(names(&mut device, Capture::Elements).await, ["", "", "", "Told"]);
    let all = ["wide 40", "wide 60", "wide 40", "Told"];
    assert_eq!(names(&mut device, Capture::All).await, all);
    assert_eq!(names(&mut device, Capture::All).await, all);
    assert_eq!(names(&mut device, Capture::Elements).await, all);
    assert_eq!(*reader.asked.lock().unwrap(), [2], "the like are one");
    *shown.lock().unwrap() = vec![60, 80];
    assert_eq!(names(&mut device, Capture::All).await, ["wide 60", "wide 80", "Told"]);
    assert_eq!(*reader.asked.lock().unwrap(), [2, 1]);
    shown.lock().unwrap().clear();
    assert_eq!(names(&mut device, Capture::All).await, ["Told"]);
    assert_eq!(*reader.asked.lock().unwrap(), [2, 1]);
}

#[tokio::test]
async fn what_moves_is_read_once_it_has_stood_still() {
    let (shown, reader) = (Arc::new(Mutex::new(vec![40, 60])), Arc::new(Widths::default()));
    let inner = Box::new(Bars(shown.clone(), Secrets::default(), Settled::StillMoving));
    let mut device = NamedByText::new(inner, reader.clone(), Arc::default());
    assert_eq!(names(&mut device, Capture::All).await, ["", "", "Told"]);
    *shown.lock().unwrap() = vec![40, 80];
    assert_eq!(names(&mut device, Capture::All).await, ["wide 40", "", "Told"]);
    *shown.lock().unwrap() = vec![40, 90];
    assert_eq!(names(&mut device, Capture::All).await, ["wide 40", "", "Told"]);
    assert_eq!(*reader.asked.lock().unwrap(), [1]);
}

#[tokio::test]
async fn a_value_that_is_read_off_a_picture_is_masked_and_painted_over() {
    let secrets = Secrets::new([("pin".to_owned(), "wide 60".to_owned())]);
    let (_, _, mut device) = bars(&[40, 60], secrets);
    let seen = Device::observe(&mut device, Capture::All, soon()).await.unwrap();
    assert_eq!((seen.elements[0].name.as_str(), seen.elements[1].name.as_str()), ("wide 40", "••••"));
    let at = |n: usize| *seen.picture.pixels().get_pixel(16, 15 + 30 * n as u32);
    assert_eq!(at(0), Rgb([0; 3]));
    assert_ne!(at(1), Rgb([0; 3]));
}

#[tokio::test]
async fn a_reader_that_fails_costs_names_and_is_given_up() {
    let (shown, reader, mut device) = bars(&[40], Secrets::default());
    *reader.fails.lock().unwrap() = true;
    for n in 1..=5 {
        *shown.lock().unwrap() = vec![40 + n];
        let seen = Device::observe(&mut device, Capture::All, soon()).await.unwrap();
        assert_eq!(seen.elements[0].name, "");
        let said = seen.context.notices.join(" ");
        assert_eq!(
            (said.contains("broken"), said.contains("not asked any more")),
            (n <= 3, n == 3),
            "{said}"
        );
    }
    assert_eq!(reader.asked.lock().unwrap().len(), 3);
}
