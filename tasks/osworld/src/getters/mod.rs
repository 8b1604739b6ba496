//! The benchmark's getters (`desktop_env/evaluators/getters/`), by their names.
//!
//! A file is answered with the path of a copy in the episode's folder, as in the original; nothing is null.

mod apps;
mod chrome;
mod files;
mod page;
mod relative_time;
mod tabs;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};
use waldo_devices::Deadline;

use super::cache::Cache;
use super::error::OsworldError;
use super::fault::{OsworldFault, Result};
use super::machine::{Machine, MachineCommand, on_machine, on_own_bus, to_guest, to_machine};
use super::py::number::parse_int;
use super::setup;
use super::task::Getter;

/// How long a getter's call may take.
const CALL: Duration = Duration::from_secs(130);

/// The getters that are ported: of files, commands and the screen;
const OWN: &str = "rule rule_relativeTime time_diff_range vm_file cloud_file cache_file content_from_vm_file \
     list_directory vm_command_line vm_command_error vm_terminal_output accessibility_tree \
     vm_screen_size vm_window_size vm_wallpaper active_tab_html_parse info_from_website";
const APPS: &str = "vlc_config vlc_playing_info gimp_config_file vscode_config default_video_player \
     background_image_in_slide audio_in_slide";
/// of the browser's tabs;
const TABS: &str = "open_tabs_info active_url_from_accessTree active_tab_info active_tab_url_parse url_dashPart \
     url_path_parse macys_product_url_parse page_info pdf_from_url";
const PROFILE: &str = "bookmarks chrome_font_size chrome_language cookie_data data_delete_automacally \
     default_search_engine enable_do_not_track enable_enhanced_safety_browsing enable_safe_browsing \
     enabled_experiments find_installed_extension_name find_unpacked_extension_path history \
     new_startup_page profile_name shortcuts_on_desktop";

fn listed(list: &str, name: &str) -> bool {
    list.split(' ').any(|known| known == name)
}

pub fn knows(name: &str) -> bool {
    [OWN, APPS, TABS, PROFILE].iter().any(|list| listed(list, name))
}

pub struct GetterContext<'a> {
    pub machine: &'a mut dyn Machine,
    pub cache: &'a Cache,
    pub task: &'a str,
    pub scratch: &'a Path,
    pub deadline: Deadline,
}

type Config = Map<String, Value>;

impl GetterContext<'_> {
    pub async fn ask(&mut self, getter: &Getter) -> Result<Value> {
        let config = &getter.config;
        Ok(match getter.kind.as_str() {
            "rule" => config
                .get("rules")
                .cloned()
                .ok_or_else(|| OsworldFault::Expected("a rule has no rules".into()))?,
            "rule_relativeTime" => relative_time::rules(config)?,
            "time_diff_range" => config.get("diff_range_in_minutes").cloned().unwrap_or_default(),
            "vm_file" => self.vm_file(config).await?,
            "cloud_file" => self.cloud_file(config).await?,
            "cache_file" => self.cache_file(config)?,
            "content_from_vm_file" => self.content(config).await?,
            "list_directory" => self.list_directory(config).await?,
            "vm_command_line" => Value::String(self.command(config).await?.stdout),
            "vm_command_error" => Value::String(self.command(config).await?.stderr),
            "vm_terminal_output" => {
                self.machine.terminal(self.call()).await?.map_or(Value::Null, Value::String)
            }
            "accessibility_tree" => Value::String(self.tree().await?),
            "vm_screen_size" => {
                let (width, height) = self.machine.screen_size();
                serde_json::json!({ "width": width, "height": height })
            }
            "vm_window_size" => self.window_size(config).await?,
            "vm_wallpaper" => self.wallpaper(config).await?,
            kind if listed(APPS, kind) => self.app(kind, config).await?,
            kind if listed(TABS, kind) => self.tab(kind, config).await?,
            "active_tab_html_parse" => self.page_parts(config).await?,
            "info_from_website" => self.website(config).await?,
            kind if listed(PROFILE, kind) => self.chrome(kind, config).await?,
            other => return Err(OsworldFault::Unsupported(format!("getter '{other}'"))),
        })
    }

    fn call(&self) -> Deadline {
        self.deadline.at_most(CALL)
    }

    fn path(&self, path: &str) -> PathBuf {
        on_machine(path, &self.machine.home())
    }

    /// Where a copy goes: never outside of the episode's folder.
    fn copy(&self, name: &str) -> PathBuf {
        self.scratch.join(Path::new(name).file_name().unwrap_or_else(|| "file".as_ref()))
    }

    async fn command(&mut self, config: &Config) -> Result<super::machine::MachineOutput> {
        let command = setup::command(config).map_err(|e| OsworldFault::Expected(format!("a getter {e}")))?;
        let home = self.machine.home();
        let whole = self.machine.is_whole();
        let here = |text: &str| to_machine(&if whole { text.to_owned() } else { on_own_bus(text) }, &home);
        let at_home = |text: String| {
            let text = here(&text);
            match text.strip_prefix("~/") {
                Some(rest) => home.join(rest).to_string_lossy().into_owned(),
                None => text,
            }
        };
        let command = match command {
            MachineCommand::Shell(line) => MachineCommand::Shell(here(&line)),
            MachineCommand::Program(words) => {
                MachineCommand::Program(words.into_iter().map(at_home).collect())
            }
        };
        let mut output = match self.machine.run(&command, self.call()).await {
            // The server answers with an error, and the getter with nothing.
            Err(OsworldError::Machine { message, .. }) => {
                return Err(OsworldFault::Raised(format!("command: {message}")));
            }
            other => other?,
        };
        output.stdout = to_guest(&output.stdout, &home);
        output.stderr = to_guest(&output.stderr, &home);
        Ok(output)
    }

    async fn tree(&mut self) -> Result<String> {
        let home = self.machine.home();
        Ok(to_guest(&self.machine.tree(self.call()).await?, &home))
    }

    async fn window_size(&mut self, config: &Config) -> Result<Value> {
        let class = text(config, "app_class_name")?.to_lowercase();
        let windows = self.machine.windows(self.call()).await?;
        let found = windows.iter().find(|window| window.class.to_lowercase().contains(&class));
        Ok(found.map_or(Value::Null, |w| serde_json::json!({ "width": w.size.0, "height": w.size.1 })))
    }

    async fn wallpaper(&mut self, config: &Config) -> Result<Value> {
        let bytes = self.machine.wallpaper(self.call()).await?.unwrap_or_default();
        self.keep(text(config, "dest")?, &bytes)
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> Result<Value> {
        let path = self.copy(name);
        let io = |e: std::io::Error| OsworldFault::Machine(format!("write {}: {e}", path.display()));
        std::fs::create_dir_all(self.scratch).map_err(io)?;
        std::fs::write(&path, bytes).map_err(io)?;
        Ok(Value::String(path.to_string_lossy().into_owned()))
    }
}

fn text<'a>(config: &'a Config, name: &str) -> Result<&'a str> {
    let found = config.get(name).and_then(Value::as_str);
    found.ok_or_else(|| OsworldFault::Expected(format!("a getter has no '{name}'")))
}

fn whole(config: &Config, name: &str) -> Option<i64> {
    match config.get(name)? {
        Value::String(text) => parse_int(text),
        other => other.as_i64(),
    }
}
