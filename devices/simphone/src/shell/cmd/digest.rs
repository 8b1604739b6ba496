//! `gzip` and `md5sum`.

use super::{Ctx, Options};
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use std::io::Read;

pub(super) async fn gzip(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let options = match Options::read(&words, "cdfkqn123456789", "") {
        Ok(options) => options,
        Err(c) => return ctx.fail(format!("Unknown option '{c}'")),
    };
    let name = ctx.args[0].clone();
    let unpack = options.has('d') || name != "gzip";
    let level = ('1'..='9').rfind(|c| options.has(*c)).and_then(|c| c.to_digit(10)).unwrap_or(6);
    let file = options.rest.first().cloned();
    let bytes = match ctx.read(file.as_deref().unwrap_or("-")).await {
        Ok(bytes) => bytes,
        Err(error) => return ctx.fail(format!("{}: {error}", file.unwrap_or_default())),
    };
    let done = tokio::task::spawn_blocking(move || {
        let mut out = Vec::new();
        let read = if unpack {
            GzDecoder::new(bytes.as_slice()).read_to_end(&mut out)
        } else {
            GzEncoder::new(bytes.as_slice(), Compression::new(level)).read_to_end(&mut out)
        };
        read.map(|_| out)
    })
    .await;
    let Ok(Ok(packed)) = done else { return ctx.fail("bad input") };
    let target = match &file {
        Some(file) if !options.has('c') && name != "zcat" => {
            if unpack {
                file.strip_suffix(".gz").unwrap_or(file).to_owned()
            } else {
                format!("{file}.gz")
            }
        }
        _ => {
            ctx.out = packed;
            return 0;
        }
    };
    let (path, old) = (ctx.path(&target), ctx.path(file.as_deref().unwrap_or_default()));
    let keep = options.has('k');
    match ctx.files(|fs| {
        fs.as_shell().write(&path, packed)?;
        if keep { Ok(()) } else { fs.as_shell().remove(&old) }
    }) {
        Ok(()) => 0,
        Err(error) => ctx.fail(format!("{target}: {error}")),
    }
}

pub(super) async fn md5sum(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let options = match Options::read(&words, "b", "") {
        Ok(options) => options,
        Err(c) => return ctx.fail(format!("Unknown option '{c}'")),
    };
    let names = if options.rest.is_empty() { vec!["-".to_owned()] } else { options.rest.clone() };
    let mut code = 0;
    for name in names {
        match ctx.read(&name).await {
            Ok(bytes) => {
                let hex: String = md5(&bytes).iter().map(|b| format!("{b:02x}")).collect();
                ctx.say(if options.has('b') { hex } else { format!("{hex}  {name}") });
            }
            Err(error) => code = ctx.fail(format!("{name}: {error}")),
        }
    }
    code
}

/// Shifts of each round's four steps.
const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// MD5 as RFC 1321 gives it: hosts compare what they pushed by it.
fn md5(data: &[u8]) -> [u8; 16] {
    let mut state: [u32; 4] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let mut padded = data.to_vec();
    padded.push(0x80);
    while padded.len() % 64 != 56 {
        padded.push(0);
    }
    padded.extend_from_slice(&(data.len() as u64).wrapping_mul(8).to_le_bytes());
    // The table is the integer part of 2^32 times |sin(i)|, i counted from 1.
    let table: Vec<u32> = (1..=64).map(sine).collect();
    for block in padded.chunks_exact(64) {
        let words: Vec<u32> =
            block.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
        let [mut a, mut b, mut c, mut d] = state;
        for i in 0..64 {
            let (mix, at) = match i / 16 {
                0 => ((b & c) | (!b & d), i),
                1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), (7 * i) % 16),
            };
            let turned = a
                .wrapping_add(mix)
                .wrapping_add(table[i])
                .wrapping_add(words[at])
                .rotate_left(SHIFTS[i / 16][i % 4]);
            (a, d, c, b) = (d, c, b, b.wrapping_add(turned));
        }
        for (sum, part) in state.iter_mut().zip([a, b, c, d]) {
            *sum = sum.wrapping_add(part);
        }
    }
    let mut out = [0; 16];
    for (slot, word) in out.chunks_exact_mut(4).zip(state) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    out
}

fn sine(i: u32) -> u32 {
    (f64::from(i).sin().abs() * 4_294_967_296.0) as u32
}

#[cfg(test)]
mod tests {
    use super::md5;

    #[test]
    fn md5_agrees_with_the_rfc() {
        for (text, hex) in [
            ("", "d41d8cd98f00b204e9800998ecf8427e"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (
                "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a",
            ),
        ] {
            let got: String = md5(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect();
            assert_eq!(got, hex);
        }
    }
}
