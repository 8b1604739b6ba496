use super::Ctx;
use crate::files::{FsError, Vfs, base_name, join};

pub(super) fn rm(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("fiRrv", "") else { return 1 };
    if options.rest.is_empty() && !options.has('f') {
        return ctx.fail("Needs 1 argument (see \"rm --help\")");
    }
    let all = options.has('r') || options.has('R');
    let mut code = 0;
    for name in &options.rest {
        let path = ctx.path(name);
        let result =
            ctx.files(|fs| if all { fs.as_shell().remove_all(&path) } else { fs.as_shell().remove(&path) });
        match result {
            Ok(()) => {}
            Err(FsError::NotFound) if options.has('f') => {}
            Err(FsError::IsDir) => code = ctx.fail(format!("{name}: is a directory")),
            Err(error) => code = ctx.fail(format!("{name}: {error}")),
        }
    }
    code
}

pub(super) fn mkdir(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("pv", "m") else { return 1 };
    if options.rest.is_empty() {
        return ctx.fail("Needs 1 argument (see \"mkdir --help\")");
    }
    let mut code = 0;
    for name in &options.rest {
        let path = ctx.path(name);
        let result = ctx.files(|fs| {
            let mut fs = fs.as_shell();
            if options.has('p') { fs.mkdir_all(&path) } else { fs.mkdir(&path) }
        });
        if let Err(error) = result {
            code = ctx.fail(format!("'{name}': {error}"));
        }
    }
    code
}

/// Where something of that name lands: inside the target if that is a directory.
fn landing(fs: &Vfs, from: &str, to: &str) -> String {
    match fs.stat(to) {
        Ok(node) if node.is_dir() => join(to.trim_end_matches('/'), base_name(from)),
        _ => to.to_owned(),
    }
}

pub(super) fn mv(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("fvin", "") else { return 1 };
    let Some((target, sources)) = options.rest.split_last().filter(|(_, s)| !s.is_empty()) else {
        return ctx.fail("Needs 2 arguments (see \"mv --help\")");
    };
    let mut code = 0;
    for name in sources {
        let (from, to) = (ctx.path(name), ctx.path(target));
        let result = ctx.files(|fs| {
            let to = landing(fs, &from, &to);
            fs.as_shell().rename(&from, &to)
        });
        match result {
            Ok(()) => {}
            Err(error @ FsError::NotFound) => code = ctx.fail(format!("bad '{name}': {error}")),
            Err(error) => code = ctx.fail(format!("'{name}' to '{target}': {error}")),
        }
    }
    code
}
