//! `gzip` and `md5sum`.

use super::Ctx;
use data_encoding::HEXLOWER;
use flate2::Compression;
use flate2::read::{GzDecoder, GzEncoder};
use md5::{Digest as _, Md5};
use std::io::Read;

pub(super) async fn gzip(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("cdfkqn123456789", "") else { return 1 };
    let unpack = options.has('d');
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
        Some(file) if !options.has('c') => {
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
    let Some(options) = ctx.options("b", "") else { return 1 };
    let names = if options.rest.is_empty() { vec!["-".to_owned()] } else { options.rest.clone() };
    let mut code = 0;
    for name in names {
        match ctx.read(&name).await {
            Ok(bytes) => {
                let hex = HEXLOWER.encode(&Md5::digest(&bytes));
                ctx.say(if options.has('b') { hex } else { format!("{hex}  {name}") });
            }
            Err(error) => code = ctx.fail(format!("{name}: {error}")),
        }
    }
    code
}
