use super::{Ctx, Options};
use crate::clock::Civil;
use crate::files::{Inode, Kind};

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
    Civil::of(mtime).written("%F %H:%M")
}

pub(super) fn ls(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("1aAdl", "") else { return 1 };
    let names = if options.rest.is_empty() { vec![".".to_owned()] } else { options.rest.clone() };
    let mut code = 0;
    let (mut files, mut dirs) = (Vec::new(), Vec::new());
    for name in &names {
        let path = ctx.path(name);
        // A link given by name is shown itself in the long form, and followed in the short one.
        let follow = name.ends_with('/') || !options.has('l');
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
    print(ctx, &options, &files);
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
        print(ctx, &options, &entries);
    }
    code
}

fn print(ctx: &mut Ctx, options: &Options, entries: &[(String, Inode)]) {
    let owners: Vec<(String, String)> = entries.iter().map(|(_, n)| (owner(n.uid), owner(n.gid))).collect();
    let sizes: Vec<String> = entries.iter().map(|(_, n)| n.size().to_string()).collect();
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
        let (mode, time) = (mode_text(node), when(node.mtime));
        let mut line =
            format!("{mode} {links} {user:<users$} {group:<groups$} {size:>digits$} {time} {name}");
        if let Kind::Link(to) = &node.kind {
            line.push_str(" -> ");
            line.push_str(to);
        }
        ctx.say(line);
    }
}
