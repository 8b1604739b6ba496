//! Hextile (RFC 6143, 7.7.4): tiles of 16 by 16 pixels, each of pixels, or of one colour with rectangles on it.

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::error::{Result, broken};
use super::pixels::{PixelArea, SharedPicture};

const TILE: u16 = 16;
/// What a tile has, by its bits.
const RAW: u8 = 1;
const BACKGROUND: u8 = 2;
const FOREGROUND: u8 = 4;
const RECTANGLES: u8 = 8;
const COLOURED: u8 = 16;

/// What is read of a tile at most: its pixels, or 255 rectangles of six bytes.
const TILE_MAX: usize = 255 * 6;

type Pixel = [u8; 3];

pub(super) async fn part<R: AsyncRead + Unpin>(
    from: &mut R,
    part: PixelArea,
    to: &SharedPicture,
) -> Result<()> {
    let mut colours = Colours::default();
    let mut rgb = [0; TILE as usize * TILE as usize * 3];
    for y in (0..part.h).step_by(TILE.into()) {
        for x in (0..part.w).step_by(TILE.into()) {
            let (w, h) = (TILE.min(part.w - x), TILE.min(part.h - y));
            let count = usize::from(w) * usize::from(h);
            let rgb = &mut rgb[..count * 3];
            tile(from, usize::from(w), rgb, &mut colours).await?;
            to.paint(PixelArea { x: part.x + x, y: part.y + y, w, h }, rgb);
        }
    }
    Ok(())
}

#[derive(Default)]
struct Colours {
    background: Option<Pixel>,
    foreground: Option<Pixel>,
}

/// A pixel as it was asked for: its last byte says nothing.
async fn pixel<R: AsyncRead + Unpin>(from: &mut R) -> Result<Pixel> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes).await?;
    Ok([bytes[0], bytes[1], bytes[2]])
}

/// Reads a tile of this width into `rgb`, three bytes a pixel.
async fn tile<R: AsyncRead + Unpin>(
    from: &mut R,
    width: usize,
    rgb: &mut [u8],
    colours: &mut Colours,
) -> Result<()> {
    let mut bytes = [0; TILE_MAX];
    let has = from.read_u8().await?;
    if has > 31 {
        return broken(format!("unknown Hextile flags {has}"));
    }
    if has & RAW != 0 {
        let bytes = &mut bytes[..rgb.len() / 3 * 4];
        from.read_exact(bytes).await?;
        for (to, from) in rgb.as_chunks_mut::<3>().0.iter_mut().zip(bytes.as_chunks::<4>().0) {
            to.copy_from_slice(&from[..3]);
        }
        return Ok(());
    }
    if has & BACKGROUND != 0 {
        colours.background = Some(pixel(from).await?);
    }
    if has & FOREGROUND != 0 {
        colours.foreground = Some(pixel(from).await?);
    }
    let Some(background) = colours.background else {
        return broken("a tile has the colour of one before it that had none");
    };
    let pixels = rgb.as_chunks_mut::<3>().0;
    pixels.fill(background);
    if has & RECTANGLES == 0 {
        return Ok(());
    }
    let size = if has & COLOURED != 0 { 6 } else { 2 };
    let bytes = &mut bytes[..usize::from(from.read_u8().await?) * size];
    from.read_exact(bytes).await?;
    for rectangle in bytes.chunks_exact(size) {
        let (colour, place) = match rectangle {
            [r, g, b, _, place @ ..] => ([*r, *g, *b], place),
            place => match colours.foreground {
                Some(colour) => (colour, place),
                None => return broken("a rectangle has the colour of one before it that had none"),
            },
        };
        let halves = |byte: u8| (usize::from(byte >> 4), usize::from(byte & 15));
        let ((x, y), (w, h)) = (halves(place[0]), halves(place[1]));
        if x + w >= width || (y + h) * width >= pixels.len() {
            return broken("a rectangle leaves its tile");
        }
        for line in pixels.chunks_exact_mut(width).skip(y).take(h + 1) {
            line[x..=x + w].fill(colour);
        }
    }
    Ok(())
}
