use super::Ctx;

pub(super) fn echo(ctx: &mut Ctx) -> u8 {
    let mut words = ctx.words();
    let newline = words.first().is_none_or(|word| word != "-n");
    if !newline {
        words.remove(0);
    }
    ctx.out = words.join(" ").into_bytes();
    if newline {
        ctx.out.push(b'\n');
    }
    0
}

pub(super) async fn cat(ctx: &mut Ctx) -> u8 {
    let mut words: Vec<String> =
        ctx.words().into_iter().filter(|w| w == "-" || !w.starts_with('-')).collect();
    if words.is_empty() {
        words.push("-".to_owned());
    }
    let mut code = 0;
    for word in words {
        match ctx.read(&word).await {
            Ok(bytes) => {
                if ctx.out.is_empty() {
                    ctx.out = bytes;
                } else {
                    ctx.out.extend(bytes);
                }
            }
            Err(error) => code = ctx.fail(format!("{word}: {error}")),
        }
    }
    code
}

/// `head [-n COUNT | -COUNT] [FILE]`
pub(super) async fn head(ctx: &mut Ctx) -> u8 {
    let (mut count, mut name) = (10, "-".to_owned());
    for word in ctx.words() {
        match word.trim_start_matches("-n").trim_start_matches('-').parse() {
            Ok(number) => count = number,
            Err(_) if word == "-n" => {}
            Err(_) => name = word,
        }
    }
    let bytes = match ctx.read(&name).await {
        Ok(bytes) => bytes,
        Err(error) => return ctx.fail(format!("{name}: {error}")),
    };
    ctx.out = bytes.split_inclusive(|b| *b == b'\n').take(count).collect::<Vec<_>>().concat();
    0
}

pub(super) async fn wc(ctx: &mut Ctx) -> u8 {
    let Some(options) = ctx.options("lwcm", "") else { return 1 };
    let all = !"lwcm".chars().any(|c| options.has(c));
    let names = if options.rest.is_empty() { vec![String::new()] } else { options.rest.clone() };
    let mut code = 0;
    for name in names {
        let bytes = match ctx.read(if name.is_empty() { "-" } else { &name }).await {
            Ok(bytes) => bytes,
            Err(error) => {
                code = ctx.fail(format!("{name}: {error}"));
                continue;
            }
        };
        let lines = bytes.iter().filter(|b| **b == b'\n').count();
        let count = String::from_utf8_lossy(&bytes).split_ascii_whitespace().count();
        let mut columns = Vec::new();
        for (letter, value) in [('l', lines), ('w', count), ('c', bytes.len())] {
            if all || options.has(letter) {
                columns.push(value.to_string());
            }
        }
        if !name.is_empty() {
            columns.push(name);
        }
        let line = columns.join(" ");
        ctx.say(line);
    }
    code
}
