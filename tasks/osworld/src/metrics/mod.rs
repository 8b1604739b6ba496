//! The benchmark's metrics, by their names.
//!
//! Each function names the file of the original (`desktop_env/evaluators/metrics/`) that it reproduces. What
//! the original answers with an exception is [`OsworldFault::Raised`]; what is not ported is not in the table, so
//! that it is named and never scored.

mod archive;
mod basic_os;
mod chrome;
mod docs;
mod docs_rules;
mod epub;
mod general;
mod gimp;
mod json;
mod libreoffice;
mod pdf;
mod rules;
mod slides;
mod slides_compare;
mod table;
mod table_styles;
mod thunderbird;
mod tree;
mod urls;
mod vlc;
mod vscode;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests_support;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::fault::{OsworldFault, Score, bounded};
use super::py;

pub(crate) use tree::NAMESPACES;
pub use urls::{parse as parse_url, same_url, unquote};

/// What a metric is called with: `metric(result, expected, **options)`.
#[derive(Clone, Debug)]
pub struct MetricCall {
    /// What the result getter gave; a file is its path.
    pub result: Value,
    /// What the expected getter gave; nothing where the task has none.
    pub expected: Option<Value>,
    pub options: Map<String, Value>,
    /// A folder for what the metric unpacks.
    pub scratch: PathBuf,
}

pub(crate) type Metric = fn(&MetricCall) -> Score;

impl MetricCall {
    /// The path of the result; nothing where the getter found no file.
    fn path(&self) -> Option<&Path> {
        self.result.as_str().filter(|path| !path.is_empty()).map(Path::new)
    }

    /// The path of the expected file.
    fn gold(&self) -> Result<&Path, OsworldFault> {
        match self.expected.as_ref() {
            Some(Value::String(path)) if !path.is_empty() => Ok(Path::new(path)),
            other => Err(OsworldFault::Expected(format!(
                "no file but {}",
                other.map_or("nothing".into(), py::repr)
            ))),
        }
    }

    /// The expected value, which most tasks write as a rule.
    fn rules(&self) -> Result<&Value, OsworldFault> {
        self.expected.as_ref().ok_or_else(|| OsworldFault::Expected("the task has no rules".into()))
    }

    /// The rules of a metric that looks members up in them.
    fn members(&self) -> Result<&Value, OsworldFault> {
        match self.rules()? {
            Value::String(_) => Err(OsworldFault::raised("the rules are a text")),
            rules => Ok(rules),
        }
    }

    /// A member of the rules that must be there.
    fn rule(&self, name: &str) -> Result<&Value, OsworldFault> {
        let rules = self.rules()?;
        rules.get(name).ok_or_else(|| OsworldFault::Expected(format!("the rules have no '{name}'")))
    }

    /// A member of the rules as a list; empty when it is absent.
    fn rule_list(&self, name: &str) -> Result<&[Value], OsworldFault> {
        Ok(self.members()?.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default())
    }

    /// A switch of the options.
    fn switch(&self, name: &str, default: Switch) -> bool {
        self.options.get(name).map_or(default == Switch::On, py::truthy)
    }

    /// The same call with other files.
    fn with(&self, result: &Path, expected: &Path, options: Map<String, Value>) -> Self {
        let text = |path: &Path| Value::String(path.to_string_lossy().into_owned());
        Self { result: text(result), expected: Some(text(expected)), options, scratch: self.scratch.clone() }
    }
}

/// What holds when an option is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Switch {
    On,
    Off,
}

/// The metric of this name, where it is ported.
pub fn find(name: &str) -> Option<Metric> {
    TABLE.iter().find(|(known, _)| *known == name).map(|(_, metric)| *metric)
}

/// Metrics of the original that take the result alone.
const ALONE: [&str; 13] = [
    "check_left_panel",
    "check_presenter_console_disable",
    "check_slide_numbers_color",
    "check_slide_orientation_Portrait",
    "check_text_enlarged",
    "check_textbox_on_leftside",
    "check_triangle_position",
    "evaluate_alignment",
    "evaluate_conversion",
    "evaluate_spacing",
    "has_page_numbers_in_footers",
    "is_first_line_centered",
    "is_utc_0",
];
/// Metrics of the original that take an expected value where there is one.
const EITHER: [&str; 2] = ["check_html_background_image", "compare_table"];

/// Asks the metric of this name; nothing where it is not ported.
///
/// # Errors
/// Those of the metric, [`OsworldFault::Unsupported`] where it costs more than a judgement may, and
/// [`OsworldFault::Raised`] where the original's function does not take these arguments.
pub fn answer(name: &str, call: &MetricCall) -> Option<Score> {
    let metric = find(name)?;
    if !EITHER.contains(&name) && ALONE.contains(&name) == call.expected.is_some() {
        let what =
            if call.expected.is_some() { "takes no expected value" } else { "needs an expected value" };
        return Some(Err(OsworldFault::raised(format!("{name} {what}"))));
    }
    Some(bounded(|| metric(call)))
}

/// The names of all ported metrics.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|(name, _)| *name)
}

/// Options and rules that a ported metric does not understand, for one use of it.
pub(crate) fn unsupported_parts(name: &str, options: &Map<String, Value>) -> Vec<String> {
    match name {
        "compare_table" => table::unsupported_rules(options),
        "check_json" if options.get("is_yaml").is_some_and(py::truthy) => vec!["check_json: is_yaml".into()],
        "compare_archive" => archive::unsupported_types(options),
        _ => Vec::new(),
    }
}

const TABLE: &[(&str, Metric)] = &[
    ("check_accessibility_tree", tree::check_accessibility_tree),
    ("check_auto_saving_time", slides::check_auto_saving_time),
    ("check_brightness_decrease_and_structure_sim", gimp::check_brightness_decrease_and_structure_sim),
    ("check_config_status", gimp::check_config_status),
    ("check_contrast_increase_and_structure_sim", gimp::check_contrast_increase_and_structure_sim),
    ("check_csv", general::check_csv),
    ("check_direct_json_object", json::check_direct_json_object),
    ("check_enabled_experiments", chrome::check_enabled_experiments),
    ("check_file_exists", docs_rules::check_file_exists),
    ("check_file_exists_and_structure_sim", gimp::check_file_exists_and_structure_sim),
    ("check_font_size", chrome::check_font_size),
    ("check_global_key_play_pause", vlc::check_global_key_play_pause),
    ("check_gnome_favorite_apps", basic_os::check_gnome_favorite_apps),
    ("check_green_background", gimp::check_green_background),
    ("check_highlighted_words", docs_rules::check_highlighted_words),
    ("check_history_deleted", chrome::check_history_deleted),
    ("check_html_background_image", vscode::check_html_background_image),
    ("check_image_file_size", gimp::check_image_file_size),
    ("check_image_mirror", gimp::check_image_mirror),
    ("check_image_size", gimp::check_image_size),
    ("check_image_stretch_and_center", slides::check_image_stretch_and_center),
    ("check_include_exclude", general::check_include_exclude),
    ("check_italic_font_size_14", docs_rules::check_italic_font_size_14),
    ("check_json", json::check_json),
    ("check_json_keybindings", json::check_json_keybindings),
    ("check_json_settings", json::check_json_settings),
    ("check_left_panel", tree::check_left_panel),
    ("check_libre_locale", libreoffice::check_libre_locale),
    ("check_line_number", general::check_line_number),
    ("check_list", general::check_list),
    ("check_moved_jpgs", basic_os::check_moved_jpgs),
    ("check_mp3_meta", vlc::check_mp3_meta),
    ("check_no_duplicates", docs_rules::check_no_duplicates),
    ("check_one_instance_when_started_from_file", vlc::check_one_instance_when_started_from_file),
    ("check_page_number_colors", slides::check_page_number_colors),
    ("check_palette_and_structure_sim", gimp::check_palette_and_structure_sim),
    ("check_pdf_pages", pdf::check_pdf_pages),
    ("check_play_and_exit", vlc::check_play_and_exit),
    ("check_presenter_console_disable", slides::check_presenter_console_disable),
    ("check_qt_bgcone", vlc::check_qt_bgcone),
    ("check_qt_max_volume", vlc::check_qt_max_volume),
    ("check_qt_minimal_view", vlc::check_qt_minimal_view),
    ("check_qt_slider_colours", vlc::check_qt_slider_colours),
    ("check_saturation_increase_and_structure_sim", gimp::check_saturation_increase_and_structure_sim),
    ("check_sharper", gimp::check_sharper),
    ("check_slide_numbers_color", slides::check_slide_numbers_color),
    ("check_slide_orientation_Portrait", slides::check_slide_orientation_portrait),
    ("check_strikethrough", slides::check_strikethrough),
    ("check_structure_sim", gimp::check_structure_sim),
    ("check_structure_sim_resized", gimp::check_structure_sim_resized),
    ("check_tabstops", docs_rules::check_tabstops),
    ("check_text_enlarged", basic_os::check_text_enlarged),
    ("check_textbox_on_leftside", gimp::check_textbox_on_leftside),
    ("check_thunderbird_filter", thunderbird::check_thunderbird_filter),
    ("check_thunderbird_folder", thunderbird::check_thunderbird_folder),
    ("check_thunderbird_prefs", thunderbird::check_thunderbird_prefs),
    ("check_transition", slides::check_transition),
    ("check_triangle_position", gimp::check_triangle_position),
    ("compare_answer", vscode::compare_config),
    ("compare_archive", archive::compare_archive),
    ("compare_conference_city_in_order", table::compare_conference_city_in_order),
    ("compare_config", vscode::compare_config_file),
    ("compare_contains_image", docs_rules::compare_contains_image),
    ("compare_csv", table::compare_csv),
    ("compare_docx_files", docs::compare_docx_files),
    ("compare_docx_files_and_ignore_new_lines", docs::compare_docx_files_and_ignore_new_lines),
    ("compare_docx_images", docs_rules::compare_docx_images),
    ("compare_docx_lines", docs::compare_docx_lines),
    ("compare_docx_tables", docs::compare_docx_tables),
    ("compare_epub", epub::compare_epub),
    ("compare_font_names", docs_rules::compare_font_names),
    ("compare_highlighted_text", docs_rules::compare_highlighted_text),
    ("compare_htmls", epub::compare_htmls),
    ("compare_image_list", gimp::compare_image_list),
    ("compare_images", vlc::compare_images),
    ("compare_init_lines", docs::compare_init_lines),
    ("compare_insert_equation", docs_rules::compare_insert_equation),
    ("compare_line_spacing", docs_rules::compare_line_spacing),
    ("compare_pdfs", pdf::compare_pdfs),
    ("compare_pptx_files", slides_compare::compare_pptx_files),
    ("compare_python_pure_text", vscode::compare_python_pure_text),
    ("compare_references", docs::compare_references),
    ("compare_result_files", vscode::compare_result_files),
    ("compare_subscript_contains", docs_rules::compare_subscript_contains),
    ("compare_table", table::compare_table),
    ("compare_terminal_and_txt", general::compare_terminal_and_txt),
    ("compare_text_file", vscode::compare_text_file),
    ("compare_time_in_speedtest_results", general::compare_time_in_speedtest_results),
    ("compare_unique_train_records", docs_rules::compare_unique_train_records),
    ("compare_zip_files", archive::compare_zip_files),
    ("contains_page_break", docs_rules::contains_page_break),
    ("decrease_brightness", gimp::decrease_brightness),
    ("diff_text_file", general::diff_text_file),
    ("evaluate_alignment", docs_rules::evaluate_alignment),
    ("evaluate_colored_words_in_tables", docs_rules::evaluate_colored_words_in_tables),
    ("evaluate_conversion", docs_rules::evaluate_conversion),
    ("evaluate_presentation_fill_to_rgb_distance", slides::evaluate_presentation_fill_to_rgb_distance),
    ("evaluate_spacing", docs_rules::evaluate_spacing),
    ("evaluate_strike_through_last_paragraph", docs_rules::evaluate_strike_through_last_paragraph),
    ("exact_match", general::exact_match),
    ("file_contains", general::file_contains),
    ("find_default_font", libreoffice::find_default_font),
    ("fuzzy_match", general::fuzzy_match),
    ("fuzzy_place_math", docs::fuzzy_place_math),
    ("has_page_numbers_in_footers", docs_rules::has_page_numbers_in_footers),
    ("increase_saturation", gimp::increase_saturation),
    ("is_added_to_steam_cart", chrome::is_added_to_steam_cart),
    ("is_cookie_deleted", chrome::is_cookie_deleted),
    ("is_expected_active_tab", chrome::is_expected_active_tab),
    ("is_expected_active_tab_approximate", chrome::is_expected_active_tab_approximate),
    ("is_expected_bookmarks", chrome::is_expected_bookmarks),
    ("is_expected_installed_extensions", chrome::is_expected_installed_extensions),
    ("is_expected_search_query", chrome::is_expected_search_query),
    ("is_expected_tabs", chrome::is_expected_tabs),
    ("is_expected_url_pattern_match", chrome::is_expected_url_pattern_match),
    ("is_extension_installed", vscode::is_extension_installed),
    ("is_first_line_centered", docs_rules::is_first_line_centered),
    ("is_gold_text_included_in_pdf", pdf::is_gold_text_included_in_pdf),
    ("is_in_list", general::is_in_list),
    ("is_in_vm_clickboard", basic_os::is_in_vm_clickboard),
    ("is_included_all_json_objects", json::is_included_all_json_objects),
    ("is_shortcut_on_desktop", chrome::is_shortcut_on_desktop),
    ("is_utc_0", basic_os::is_utc_0),
    ("is_vlc_fullscreen", vlc::is_vlc_fullscreen),
    ("is_vlc_playing", vlc::is_vlc_playing),
    ("is_vlc_recordings_folder", vlc::is_vlc_recordings_folder),
    ("literal_match", general::literal_match),
    ("match_in_list", general::match_in_list),
    ("run_sqlite3", general::run_sqlite3),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::tests_support::call;
    use super::*;

    #[test]
    fn arguments_are_those_of_the_original() {
        let with = call(json!("3"), json!({}));
        let without = MetricCall { expected: None, ..with.clone() };
        let raised =
            |name: &str, call: &MetricCall| matches!(answer(name, call), Some(Err(OsworldFault::Raised(_))));
        assert_eq!(answer("check_text_enlarged", &without), Some(Ok(1.0)));
        assert!(raised("check_text_enlarged", &with) && raised("exact_match", &without));
        assert_eq!(answer("compare_table", &without), Some(Ok(0.0)));
        assert_eq!(answer("none", &with), None);
        let text = call(json!("x"), json!("rules"));
        assert!(raised("check_include_exclude", &text));
    }
}
