//! Pictures of the screen, over memory shared with the X server; about a millisecond for 1280x800.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileExt as _;

use image::RgbImage;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use x11rb::connection::{Connection as _, RequestConnection as _};
use x11rb::protocol::shm::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, ImageFormat, ImageOrder};

use super::x::X;
use crate::x11::x::Answered as _;
use waldo_devices::error::{DeviceError, Result};

fn failed(what: &str, message: impl ToString) -> DeviceError {
    DeviceError::Call { call: what.to_owned(), message: message.to_string() }
}

struct SharedMemory {
    file: File,
    segment: shm::Seg,
    size: usize,
}

pub(crate) struct Camera {
    memory: Option<SharedMemory>,
    raw: Vec<u8>,
    /// Whether the server shares memory; one that is far away does not.
    shares: bool,
}

impl Camera {
    pub(crate) fn new(x: &X) -> Result<Self> {
        let setup = x.conn.setup();
        let depth = x.conn.get_geometry(x.root).answered()?.reply().answered()?.depth;
        let visual = setup
            .roots
            .iter()
            .filter(|screen| screen.root == x.root)
            .flat_map(|screen| screen.allowed_depths.iter().flat_map(|d| &d.visuals))
            .find(|visual| {
                visual.red_mask == 0xff_0000 && visual.green_mask == 0xff00 && visual.blue_mask == 0xff
            });
        let bits = setup.pixmap_formats.iter().find(|f| f.depth == depth).map(|f| f.bits_per_pixel);
        if visual.is_none() || bits != Some(32) || setup.image_byte_order != ImageOrder::LSB_FIRST {
            return Err(failed("capture", "the screen has unusual colours; start it with 24 bits per pixel"));
        }
        let shares = x.conn.extension_information(shm::X11_EXTENSION_NAME).answered()?.is_some()
            && x.conn
                .shm_query_version()
                .answered()?
                .reply()
                .is_ok_and(|v| (v.major_version, v.minor_version) >= (1, 2));
        Ok(Self { memory: None, raw: Vec::new(), shares })
    }

    fn memory(&mut self, x: &X, size: usize) -> Result<&SharedMemory> {
        if let Some(old) = self.memory.take_if(|memory| memory.size != size) {
            x.conn.shm_detach(old.segment).answered()?;
        }
        if self.memory.is_none() {
            let fd: OwnedFd =
                memfd_create("waldo-screen", MemfdFlags::CLOEXEC).map_err(|e| failed("capture", e))?;
            ftruncate(&fd, size as u64).map_err(|e| failed("capture", e))?;
            let segment = x.conn.generate_id().answered()?;
            let theirs = fd.try_clone().map_err(|e| failed("capture", e))?;
            x.conn.shm_attach_fd(segment, theirs, false).answered()?.check().answered()?;
            self.memory = Some(SharedMemory { file: File::from(fd), segment, size });
        }
        self.memory.as_ref().ok_or_else(|| failed("capture", "no memory"))
    }

    pub(crate) fn take(&mut self, x: &X) -> Result<RgbImage> {
        let (width, height) = x.size()?;
        let size = usize::from(width) * usize::from(height) * 4;
        if self.shares {
            let root = x.root;
            let memory = match self.memory(x, size) {
                Ok(memory) => memory,
                // A server in another container may say that it shares, and cannot.
                Err(DeviceError::Call { .. }) => {
                    self.shares = false;
                    return self.take(x);
                }
                Err(error) => return Err(error),
            };
            let format = ImageFormat::Z_PIXMAP.into();
            x.conn
                .shm_get_image(root, 0, 0, width, height, !0, format, memory.segment, 0)
                .answered()?
                .reply()
                .answered()?;
            let mut raw = std::mem::take(&mut self.raw);
            raw.resize(size, 0);
            if let Some(memory) = &self.memory {
                memory.file.read_exact_at(&mut raw, 0).map_err(|e| failed("capture", e))?;
            }
            self.raw = raw;
        } else {
            let image = x
                .conn
                .get_image(ImageFormat::Z_PIXMAP, x.root, 0, 0, width, height, !0)
                .answered()?
                .reply()
                .answered()?;
            self.raw = image.data;
        }
        let pixels = rgb(&self.raw);
        RgbImage::from_raw(u32::from(width), u32::from(height), pixels)
            .ok_or_else(|| failed("capture", "the server gave fewer pixels than its screen has"))
    }
}

/// Blue, green, red, nothing as red, green, blue.
fn rgb(raw: &[u8]) -> Vec<u8> {
    let mut pixels = vec![0; raw.len() / 4 * 3];
    for (to, from) in pixels.chunks_exact_mut(3).zip(raw.chunks_exact(4)) {
        to.copy_from_slice(&[from[2], from[1], from[0]]);
    }
    pixels
}
