//! Looks at the processes of a browser.

pub fn members(group: u32) -> usize {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok())
        .filter(|stat| {
            let mut words = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
            let state = words.next();
            words.next();
            state != Some("Z") && words.next() == Some(&group.to_string())
        })
        .count()
}

pub fn renderers(group: u32) -> Vec<u32> {
    std::fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .filter_map(|entry| {
            let pid: u32 = entry.file_name().to_str()?.parse().ok()?;
            let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            let line = std::fs::read_to_string(entry.path().join("cmdline")).ok()?;
            let ours = stat.rsplit(')').next()?.split_whitespace().nth(2)? == group.to_string();
            (ours && line.contains("--type=renderer")).then_some(pid)
        })
        .collect()
}
