//! Changing files: `rm`, `mkdir`, `cp`, `mv`, `touch`, `chmod`, `find` and the like.

use super::{Ctx, Options};
use crate::files::{FsError, Kind, Vfs, base_name, join, normalise, parent};
use crate::shell::expand;

pub(super) fn rm(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let options = match Options::read(&words, "fiRrv", "") {
        Ok(options) => options,
        Err(c) => return ctx.fail(format!("Unknown option '{c}' (see \"rm --help\")")),
    };
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

pub(super) fn rmdir(ctx: &mut Ctx) -> u8 {
    let mut code = 0;
    for name in ctx.words() {
        let path = ctx.path(&name);
        if let Err(error) = ctx.files(|fs| fs.as_shell().remove_dir(&path)) {
            code = ctx.fail(format!("{name}: {error}"));
        }
    }
    code
}

pub(super) fn mkdir(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let options = match Options::read(&words, "pv", "m") {
        Ok(options) => options,
        Err(c) => return ctx.fail(format!("Unknown option '{c}' (see \"mkdir --help\")")),
    };
    if options.rest.is_empty() {
        return ctx.fail("Needs 1 argument (see \"mkdir --help\")");
    }
    let mut code = 0;
    for name in &options.rest {
        let path = ctx.path(name);
        let result =
            ctx.files(|fs| if options.has('p') { make_all(fs, &path) } else { fs.as_shell().mkdir(&path) });
        if let Err(error) = result {
            code = ctx.fail(format!("'{name}': {error}"));
        }
    }
    code
}

fn make_all(fs: &mut Vfs, path: &str) -> Result<(), FsError> {
    let mut at = String::new();
    for part in path.split('/').filter(|p| !p.is_empty()) {
        at = join(if at.is_empty() { "/" } else { &at }, part);
        match fs.stat(&at) {
            Ok(node) if node.is_dir() => {}
            Ok(_) => return Err(FsError::Exists),
            Err(FsError::NotFound) => fs.as_shell().mkdir(&at)?,
            Err(other) => return Err(other),
        }
    }
    Ok(())
}

/// Where something of that name lands: inside the target if that is a directory.
fn landing(fs: &Vfs, from: &str, to: &str) -> String {
    match fs.stat(to) {
        Ok(node) if node.is_dir() => join(to.trim_end_matches('/'), base_name(from)),
        _ => to.to_owned(),
    }
}

fn copy(fs: &mut Vfs, from: &str, to: &str, deep: Deep) -> Result<(), FsError> {
    let node = fs.stat(from)?.clone();
    if !node.is_dir() {
        let bytes = fs.as_shell().read(from)?;
        return fs.as_shell().write(to, bytes);
    }
    if deep == Deep::No {
        return Err(FsError::IsDir);
    }
    if to.starts_with(&format!("{from}/")) {
        return Err(FsError::Invalid);
    }
    match fs.as_shell().mkdir(to) {
        Ok(()) | Err(FsError::Exists) => {}
        Err(error) => return Err(error),
    }
    for (name, _) in fs.as_shell().list(from)? {
        copy(fs, &join(from, &name), &join(to, &name), deep)?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Deep {
    Yes,
    No,
}

pub(super) fn cp(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let options = match Options::read(&words, "rRapfvdHLPn", "t") {
        Ok(options) => options,
        Err(c) => return ctx.fail(format!("Unknown option '{c}' (see \"cp --help\")")),
    };
    let Some((target, sources)) = options.rest.split_last().filter(|(_, s)| !s.is_empty()) else {
        return ctx.fail("Needs 2 arguments (see \"cp --help\")");
    };
    let deep = if "rRa".chars().any(|c| options.has(c)) { Deep::Yes } else { Deep::No };
    let mut code = 0;
    for name in sources {
        let (from, to) = (ctx.path(name), ctx.path(target));
        let result = ctx.files(|fs| {
            let to = landing(fs, &from, &to);
            copy(fs, &from, &to, deep)
        });
        match result {
            Ok(()) => {}
            Err(FsError::IsDir) => code = ctx.fail(format!("Skipped dir '{name}'")),
            Err(error @ FsError::NotFound) => code = ctx.fail(format!("bad '{name}': {error}")),
            Err(error) => code = ctx.fail(format!("'{target}': {error}")),
        }
    }
    code
}

pub(super) fn mv(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let options = match Options::read(&words, "fvin", "") {
        Ok(options) => options,
        Err(c) => return ctx.fail(format!("Unknown option '{c}' (see \"mv --help\")")),
    };
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

pub(super) fn touch(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let options = match Options::read(&words, "acmh", "dtr") {
        Ok(options) => options,
        Err(c) => return ctx.fail(format!("Unknown option '{c}'")),
    };
    let mut code = 0;
    for name in &options.rest {
        let path = ctx.path(name);
        let result = ctx.files(|fs| {
            if fs.exists(&path) {
                fs.touch(&path)
            } else if options.has('c') {
                Ok(())
            } else {
                fs.as_shell().write(&path, Vec::new())
            }
        });
        if let Err(error) = result {
            code = ctx.fail(format!("'{name}': {error}"));
        }
    }
    code
}

pub(super) fn chmod(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let words: Vec<&String> = words.iter().filter(|w| !matches!(w.as_str(), "-R" | "-f" | "-v")).collect();
    let Some((mode, names)) = words.split_first() else {
        return ctx.fail("Needs 2 arguments");
    };
    let mut code = 0;
    for name in names {
        let path = ctx.path(name);
        let result = ctx.files(|fs| {
            let node = fs.stat(&path)?.clone();
            let bits = match u32::from_str_radix(mode, 8) {
                Ok(bits) => bits,
                Err(_) if mode.ends_with("+x") => node.mode | 0o111,
                Err(_) if mode.ends_with("-x") => node.mode & !0o111,
                Err(_) if mode.ends_with("+r") => node.mode | 0o444,
                Err(_) if mode.ends_with("+w") => node.mode | 0o200,
                Err(_) => return Err(FsError::Invalid),
            };
            if node.uid != 2000 && node.gid != 1023 {
                return Err(FsError::Denied);
            }
            fs.set_mode(&path, bits)
        });
        match result {
            Ok(()) => {}
            Err(FsError::Invalid) => code = ctx.fail(format!("bad mode '{mode}'")),
            Err(error) => code = ctx.fail(format!("'{name}': {error}")),
        }
    }
    code
}

/// `find PATH… [-name PATTERN] [-type f|d] [-maxdepth N]`.
pub(super) fn find(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let split = words.iter().position(|w| w.starts_with('-')).unwrap_or(words.len());
    let (roots, tests) = words.split_at(split);
    let value = |name: &str| tests.iter().position(|t| t == name).and_then(|at| tests.get(at + 1)).cloned();
    let (pattern, kind) = (value("-name"), value("-type"));
    let deepest = value("-maxdepth").and_then(|d| d.parse::<usize>().ok()).unwrap_or(usize::MAX);
    let roots = if roots.is_empty() { vec![".".to_owned()] } else { roots.to_vec() };
    let mut code = 0;
    for root in roots {
        let mut todo = vec![(root.clone(), 0)];
        while let Some((name, depth)) = todo.pop() {
            let path = ctx.path(&name);
            let node = match ctx
                .files(|fs| if depth == 0 { fs.stat(&path).cloned() } else { fs.lstat(&path).cloned() })
            {
                Ok(node) => node,
                Err(error) => {
                    code = ctx.fail(format!("'{name}': {error}"));
                    continue;
                }
            };
            let kind_fits = match kind.as_deref() {
                Some("f") => matches!(node.kind, Kind::File(_)),
                Some("d") => node.is_dir(),
                Some("l") => matches!(node.kind, Kind::Link(_)),
                _ => true,
            };
            if kind_fits && pattern.as_ref().is_none_or(|p| expand::matches(p, base_name(&name))) {
                ctx.say(&name);
            }
            if node.is_dir() && depth < deepest {
                match ctx.files(|fs| fs.as_shell().list(&path)) {
                    Ok(list) => {
                        todo.extend(list.into_iter().rev().map(|(n, _)| (join(&name, &n), depth + 1)))
                    }
                    Err(error) => code = ctx.fail(format!("{name}: {error}")),
                }
            }
        }
    }
    code
}

pub(super) fn real_path(ctx: &mut Ctx) -> u8 {
    let follow = ctx.args[0] == "realpath" || ctx.args.iter().any(|a| a == "-f");
    let mut code = 0;
    for name in ctx.words().into_iter().filter(|w| !w.starts_with('-')) {
        let path = ctx.path(&name);
        let found = ctx.files(|fs| {
            if follow {
                return fs.real_path(&path);
            }
            match &fs.lstat(&path)?.kind {
                Kind::Link(to) => Ok(to.clone()),
                _ => Err(FsError::Invalid),
            }
        });
        match found {
            Ok(real) => ctx.say(real),
            // `readlink` of what is not a link fails in silence.
            Err(FsError::Invalid) => code = 1,
            Err(error) => code = ctx.fail(format!("{name}: {error}")),
        }
    }
    code
}

pub(super) fn part_of_path(ctx: &mut Ctx) -> u8 {
    let words = ctx.words();
    let Some(name) = words.first() else { return ctx.fail("Needs 1 argument") };
    let text = if ctx.args[0] == "basename" {
        let base = base_name(name);
        words.get(1).and_then(|s| base.strip_suffix(s.as_str())).unwrap_or(base).to_owned()
    } else if name.contains('/') {
        let cut = name.trim_end_matches('/');
        if cut.starts_with('/') {
            parent(&normalise("/", cut)).to_owned()
        } else {
            cut.rsplit_once('/').map_or(".", |(d, _)| d).to_owned()
        }
    } else {
        ".".to_owned()
    };
    ctx.answer(text)
}
