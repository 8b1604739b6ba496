//! Looking at files: `ls` and `stat`.

use super::{Ctx, Options};
use crate::clock::Civil;
use crate::files::{Inode, Kind};

/// A user's or group's name.
fn owner(id: u32) -> String {
    match id {
        0 => "root".to_owned(),
        1000 => "system".to_owned(),
        1015 => "sdcard_rw".to_owned(),
        1023 => "media_rw".to_owned(),
        2000 => "shell".to_owned(),
        9997 => "everybody".to_owned(),
        app if app >= 10_000 => format!("u0_a{}", app - 10_000),
        other => other.to_string(),
    }
}

fn mode_text(node: &Inode) -> String {
    let kind = match node.kind {
        Kind::Dir => 'd',
        Kind::File(_) => '-',
        Kind::Link(_) => 'l',
        Kind::Device => 'c',
    };
    let mut out = String::from(kind);
    for (i, class) in [6, 3, 0].into_iter().enumerate() {
        let bits = node.mode >> class;
        out.push(if bits & 4 != 0 { 'r' } else { '-' });
        out.push(if bits & 2 != 0 { 'w' } else { '-' });
        let special = node.mode & (0o4000 >> i) != 0;
        out.push(match (bits & 1 != 0, special, i) {
            (true, true, 2) => 't',
            (true, true, _) => 's',
            (false, true, 2) => 'T',
            (false, true, _) => 'S',
            (true, false, _) => 'x',
            (false, false, _) => '-',
        });
    }
    out
}

fn when(mtime: i64) -> String {
    let c = Civil::of(mtime);
    format!("{} {}", c.iso_date(), c.clock24())
}

fn human(size: u64) -> String {
    match size {
        0..1024 => size.to_string(),
        1024..10_240 => format!("{}.{}K", size / 1024, size % 1024 * 10 / 1024),
        10_240..1_048_576 => format!("{}K", size / 1024),
        _ => format!("{}.{}M", size / 1_048_576, size % 1_048_576 * 10 / 1_048_576),
    }
}

pub(super) fn ls(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("1aAldhirStZFknpsL", "") else { return 1 };
    let names = if options.rest.is_empty() { vec![".".to_owned()] } else { options.rest.clone() };
    let mut code = 0;
    let (mut files, mut dirs) = (Vec::new(), Vec::new());
    for name in &names {
        let path = ctx.path(name);
        // A link given by name is shown itself in the long form, and followed in the short one.
        let follow = name.ends_with('/') || !options.has('l') || options.has('L');
        let node = ctx.files(|fs| {
            fs.access(crate::files::parent(path.trim_end_matches('/')), crate::files::Access::Search)?;
            if follow { fs.stat(&path).cloned() } else { fs.lstat(&path).cloned() }
        });
        match node {
            Ok(node) if node.is_dir() && !options.has('d') => dirs.push((name.clone(), path)),
            Ok(node) => files.push((name.clone(), node)),
            Err(error) => code = ctx.fail(format!("{name}: {error}")),
        }
    }
    print(ctx, &options, files);
    let many = names.len() > 1;
    let mut first = ctx.out.is_empty();
    for (name, path) in dirs {
        let listed = ctx.files(|fs| fs.as_shell().list(&path));
        let mut entries = match listed {
            Ok(entries) => entries,
            Err(error) => {
                code = ctx.fail(format!("{name}: {error}"));
                continue;
            }
        };
        if many {
            if !first {
                ctx.say("");
            }
            ctx.say(format!("{name}:"));
        }
        first = false;
        if options.has('a') {
            let dots = ctx.files(|fs| {
                [(".", fs.stat(&path).cloned()), ("..", fs.stat(crate::files::parent(&path)).cloned())]
            });
            let dots = dots.into_iter().filter_map(|(n, node)| Some((n.to_owned(), node.ok()?)));
            entries = dots.chain(entries).collect();
        } else if !options.has('A') {
            entries.retain(|(n, _)| !n.starts_with('.'));
        }
        if options.has('l') {
            let blocks: u64 = entries.iter().map(|(_, n)| n.size().div_ceil(4096) * 4).sum();
            ctx.say(format!("total {blocks}"));
        }
        print(ctx, &options, entries);
    }
    code
}

fn print(ctx: &mut Ctx, options: &Options, mut entries: Vec<(String, Inode)>) {
    if options.has('t') {
        entries.sort_by_key(|(_, n)| std::cmp::Reverse(n.mtime));
    } else if options.has('S') {
        entries.sort_by_key(|(_, n)| std::cmp::Reverse(n.size()));
    }
    if options.has('r') {
        entries.reverse();
    }
    let owners: Vec<(String, String)> = entries.iter().map(|(_, n)| (owner(n.uid), owner(n.gid))).collect();
    let sizes: Vec<String> = entries
        .iter()
        .map(|(_, n)| if options.has('h') { human(n.size()) } else { n.size().to_string() })
        .collect();
    let wide = |column: &mut dyn Iterator<Item = usize>| column.max().unwrap_or(0);
    let users = wide(&mut owners.iter().map(|(u, _)| u.len()));
    let groups = wide(&mut owners.iter().map(|(_, g)| g.len()));
    let digits = wide(&mut sizes.iter().map(String::len));
    for (((name, node), (user, group)), size) in entries.iter().zip(&owners).zip(&sizes) {
        if !options.has('l') {
            ctx.say(name);
            continue;
        }
        let links = if node.is_dir() { 2 } else { 1 };
        let mut line = format!(
            "{} {links} {user:<users$} {group:<groups$} {size:>digits$} {} {name}",
            mode_text(node),
            when(node.mtime)
        );
        if let Kind::Link(to) = &node.kind {
            line.push_str(" -> ");
            line.push_str(to);
        }
        ctx.say(line);
    }
}

pub(super) fn stat(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("L", "c") else { return 1 };
    let mut code = 0;
    for name in options.rest.clone() {
        let path = ctx.path(&name);
        let found =
            ctx.files(|fs| if options.has('L') { fs.stat(&path).cloned() } else { fs.lstat(&path).cloned() });
        let node = match found {
            Ok(node) => node,
            Err(error) => {
                ctx.warn(format!("stat: '{name}': {error}"));
                code = 1;
                continue;
            }
        };
        let line = match options.value('c') {
            Some(format) => fill(format, &name, &node),
            None => {
                let kind = kind_name(&node);
                let t = Civil::of(node.mtime).iso().replace('T', " ");
                format!(
                    "  File: {name}\n  Size: {}\t Blocks: {}\t IO Blocks: 4096\t{kind}\nDevice: fe2ch/65068d\t Inode: 4242\t Links: 1\nAccess: ({:04o}/{})\tUid: ({:>5}/{:>8})\tGid: ({:>5}/{:>8})\nAccess: {t}.000000000 +0000\nModify: {t}.000000000 +0000\nChange: {t}.000000000 +0000",
                    node.size(),
                    node.size().div_ceil(512),
                    node.mode,
                    mode_text(&node),
                    node.uid,
                    owner(node.uid),
                    node.gid,
                    owner(node.gid)
                )
            }
        };
        ctx.say(line);
    }
    code
}

fn kind_name(node: &Inode) -> &'static str {
    match &node.kind {
        Kind::Dir => "directory",
        Kind::File(bytes) if bytes.is_empty() => "regular empty file",
        Kind::File(_) => "regular file",
        Kind::Link(_) => "symbolic link",
        Kind::Device => "character device",
    }
}

fn fill(format: &str, name: &str, node: &Inode) -> String {
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push_str(name),
            Some('s') => out.push_str(&node.size().to_string()),
            Some('a') => out.push_str(&format!("{:o}", node.mode)),
            Some('A') => out.push_str(&mode_text(node)),
            Some('F') => out.push_str(kind_name(node)),
            Some('Y' | 'X' | 'Z') => out.push_str(&node.mtime.to_string()),
            Some('y') => out.push_str(&Civil::of(node.mtime).iso().replace('T', " ")),
            Some('u') => out.push_str(&node.uid.to_string()),
            Some('U') => out.push_str(&owner(node.uid)),
            Some('g') => out.push_str(&node.gid.to_string()),
            Some('G') => out.push_str(&owner(node.gid)),
            Some('%') => out.push('%'),
            Some(other) => out.extend(['%', other]),
            None => out.push('%'),
        }
    }
    out
}
