//! A program that draws pictures on a display.

use image::RgbImage;
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, CreateWindowAux, ImageFormat, WindowClass};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// A window over all of a display, which no window manager frames.
pub struct Drawing {
    connection: RustConnection,
    window: u32,
    pen: u32,
}

impl Drawing {
    pub fn on(display: &str) -> Self {
        let (connection, screen) = x11rb::connect(Some(display)).unwrap();
        let root = &connection.setup().roots[screen];
        let (size, root) = ((root.width_in_pixels, root.height_in_pixels), root.root);
        let (window, pen) = (connection.generate_id().unwrap(), connection.generate_id().unwrap());
        let own = CreateWindowAux::new().override_redirect(1);
        connection
            .create_window(0, window, root, 0, 0, size.0, size.1, 0, WindowClass::INPUT_OUTPUT, 0, &own)
            .unwrap();
        connection.create_gc(pen, window, &CreateGCAux::new()).unwrap();
        connection.map_window(window).unwrap();
        connection.sync().unwrap();
        Self { connection, window, pen }
    }

    /// Draws a picture at the corner of the display, and waits until the display has it.
    pub fn draw(&self, picture: &RgbImage) {
        let (width, lines) = (picture.width(), 50);
        for y in (0..picture.height()).step_by(lines as usize) {
            let height = lines.min(picture.height() - y);
            let pixels: Vec<u8> = (y..y + height)
                .flat_map(|y| (0..width).map(move |x| (x, y)))
                .flat_map(|(x, y)| {
                    let [r, g, b] = picture.get_pixel(x, y).0;
                    [b, g, r, 0]
                })
                .collect();
            let put = self.connection.put_image(
                ImageFormat::Z_PIXMAP,
                self.window,
                self.pen,
                width as u16,
                height as u16,
                0,
                y as i16,
                0,
                24,
                &pixels,
            );
            put.unwrap();
        }
        self.connection.sync().unwrap();
    }
}
