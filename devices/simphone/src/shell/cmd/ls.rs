use super::Ctx;

/// Names alone: there is no long form.
pub(super) fn ls(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("1aAd", "") else { return 1 };
    let names = if options.rest.is_empty() { vec![".".to_owned()] } else { options.rest.clone() };
    let mut code = 0;
    let mut dirs = Vec::new();
    for name in &names {
        let path = ctx.path(name);
        match ctx.files(|fs| fs.stat(&path).map(|node| node.is_dir())) {
            Ok(true) if !options.has('d') => dirs.push((name, path)),
            Ok(_) => ctx.say(name),
            Err(error) => code = ctx.fail(format!("{name}: {error}")),
        }
    }
    let mut first = ctx.out.is_empty();
    for (name, path) in dirs {
        let mut entries = match ctx.files(|fs| fs.as_shell().list(&path)) {
            Ok(entries) => entries.into_iter().map(|(name, _)| name).collect::<Vec<String>>(),
            Err(error) => {
                code = ctx.fail(format!("{name}: {error}"));
                continue;
            }
        };
        if names.len() > 1 {
            if !first {
                ctx.say("");
            }
            ctx.say(format!("{name}:"));
        }
        first = false;
        if options.has('a') {
            entries.splice(0..0, [".", ".."].map(str::to_owned));
        } else if !options.has('A') {
            entries.retain(|name| !name.starts_with('.'));
        }
        entries.iter().for_each(|name| ctx.say(name));
    }
    code
}
