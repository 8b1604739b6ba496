//! Phones on USB cables, by libusb.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rusb::{Context, Device, DeviceHandle, Direction, TransferType, UsbContext as _};

use super::usb::Bulk;
use waldo_devices::error::{DeviceError, Result};

/// What tells adb's interface: class, subclass and protocol.
const ADB: (u8, u8, u8) = (0xff, 0x42, 0x01);
/// How long a cable may be held by a connection of ours that has just ended.
const LET_GO: Duration = Duration::from_millis(1_500);
/// Between two attempts: nothing tells that it was let go.
const PAUSE: Duration = Duration::from_millis(100);

struct Cable {
    handle: DeviceHandle<Context>,
    ends: Ends,
}

/// Adb's interface of a phone, and its endpoints.
#[derive(Clone, Copy)]
struct Ends {
    interface: u8,
    read: u8,
    write: u8,
    packet: usize,
}

fn plain(error: rusb::Error) -> io::Error {
    io::Error::other(error)
}

impl Bulk for Cable {
    fn packet(&self) -> usize {
        self.ends.packet
    }

    fn read(&self, into: &mut [u8], wait: Duration) -> io::Result<Option<usize>> {
        match self.handle.read_bulk(self.ends.read, into, wait) {
            Ok(came) => Ok(Some(came)),
            Err(rusb::Error::Timeout) => Ok(None),
            Err(error) => Err(plain(error)),
        }
    }

    fn write(&self, bytes: &[u8], wait: Duration) -> io::Result<usize> {
        self.handle.write_bulk(self.ends.write, bytes, wait).map_err(plain)
    }
}

fn unusable(message: &str, hint: &str) -> DeviceError {
    DeviceError::start("the phone on the USB cable", message, hint)
}

fn explained(error: rusb::Error) -> DeviceError {
    let hint = match error {
        rusb::Error::Access => {
            "allow your user to open it (Debian, Ubuntu: sudo apt install android-sdk-platform-tools-common, be in the \
             group plugdev, and plug it in again)"
        }
        rusb::Error::Busy => "another program holds it: adb kill-server, or --device android",
        _ => "plug it in again, or reach it by adb: --device android",
    };
    unusable(&error.to_string(), hint)
}

/// Opens the only phone, or the one of this serial. It blocks.
pub(super) fn open(serial: Option<&str>) -> Result<Arc<dyn Bulk>> {
    let context = Context::new().map_err(explained)?;
    let devices = context.devices().map_err(explained)?;
    let phones: Vec<(Device<Context>, Ends)> =
        devices.iter().filter_map(|device| ends(&device).map(|ends| (device, ends))).collect();
    let mut shut = None;
    let mut open = Vec::new();
    for (device, ends) in phones {
        match device.open() {
            Ok(handle) => {
                let about = device.device_descriptor().map_err(explained)?;
                let name = handle.read_serial_number_string_ascii(&about).unwrap_or_default();
                open.push((name, handle, ends));
            }
            Err(error) => shut = Some(error),
        }
    }
    let names: Vec<String> = open.iter().map(|(name, ..)| name.clone()).collect();
    open.retain(|(name, ..)| serial.is_none_or(|serial| serial == name));
    match (open.pop(), open.is_empty(), shut) {
        (Some((_, handle, ends)), true, _) => claim(handle, ends),
        (Some(_), false, _) => Err(DeviceError::BadArgument {
            what: "device 'usb'".to_owned(),
            message: format!("there are several phones, name one: usb:{}", names.join(", usb:")),
        }),
        (None, _, Some(error)) => Err(explained(error)),
        (None, ..) => Err(DeviceError::Absent {
            what: match serial {
                Some(serial) => format!("no phone with the serial '{serial}' is on a USB cable"),
                None => "no phone with USB debugging on is on a USB cable".to_owned(),
            },
            hint: match names.is_empty() {
                true => "plug it in, unlock it, and switch on USB debugging in Developer options".to_owned(),
                false => format!("there are: usb:{}", names.join(", usb:")),
            },
        }),
    }
}

fn claim(handle: DeviceHandle<Context>, ends: Ends) -> Result<Arc<dyn Bulk>> {
    // Not to be had on every system, and not needed where no driver has taken it.
    let _ = handle.set_auto_detach_kernel_driver(true);
    let began = Instant::now();
    while let Err(error) = handle.claim_interface(ends.interface) {
        if error != rusb::Error::Busy || began.elapsed() > LET_GO {
            return Err(explained(error));
        }
        std::thread::sleep(PAUSE);
    }
    // A connection that was broken off may have left either end halted.
    for end in [ends.read, ends.write] {
        let _ = handle.clear_halt(end);
    }
    Ok(Arc::new(Cable { handle, ends }))
}

fn ends(device: &Device<Context>) -> Option<Ends> {
    let configuration = device.active_config_descriptor().ok()?;
    configuration.interfaces().flat_map(|interface| interface.descriptors()).find_map(|about| {
        if (about.class_code(), about.sub_class_code(), about.protocol_code()) != ADB {
            return None;
        }
        let end = |direction| {
            about
                .endpoint_descriptors()
                .find(|end| end.transfer_type() == TransferType::Bulk && end.direction() == direction)
        };
        let (read, write) = (end(Direction::In)?, end(Direction::Out)?);
        Some(Ends {
            interface: about.interface_number(),
            read: read.address(),
            write: write.address(),
            packet: usize::from(read.max_packet_size()),
        })
    })
}
