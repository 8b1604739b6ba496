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

use super::fault::{OsworldFault, Result, Score, bounded};
use super::py;

pub(crate) use tree::NAMESPACES;
pub use urls::same_url;

/// What a metric is called with: `metric(result, expected, **options)`.
#[derive(Clone, Debug)]
pub struct MetricCall {
    /// What the result getter gave; a file is its path.
    pub result: Value,
    /// What the expected getter gave; nothing where the task has none.
    pub expected: Option<Value>,
    pub options: Map<String, Value>,
    pub scratch: PathBuf,
}

pub(crate) type Metric = fn(&MetricCall) -> Score;

impl MetricCall {
    /// The path of the result; nothing where the getter found no file.
    fn path(&self) -> Option<&Path> {
        self.result.as_str().filter(|path| !path.is_empty()).map(Path::new)
    }

    /// The path of the result, without which the original raises an exception.
    fn file(&self) -> Result<&Path> {
        self.path().ok_or_else(|| OsworldFault::raised("the result is not a file"))
    }

    fn gold(&self) -> Result<&Path> {
        match self.expected.as_ref() {
            Some(Value::String(path)) if !path.is_empty() => Ok(Path::new(path)),
            other => Err(OsworldFault::Expected(format!(
                "no file but {}",
                other.map_or("nothing".into(), py::repr)
            ))),
        }
    }

    /// The expected value, which most tasks write as a rule.
    fn rules(&self) -> Result<&Value> {
        self.expected.as_ref().ok_or_else(|| OsworldFault::Expected("the task has no rules".into()))
    }

    fn members(&self) -> Result<&Value> {
        match self.rules()? {
            Value::String(_) => Err(OsworldFault::raised("the rules are a text")),
            rules => Ok(rules),
        }
    }

    fn rule(&self, name: &str) -> Result<&Value> {
        let rules = self.rules()?;
        rules.get(name).ok_or_else(|| OsworldFault::Expected(format!("the rules have no '{name}'")))
    }

    /// A member of the rules as a list; empty when it is absent.
    fn rule_list(&self, name: &str) -> Result<&[Value]> {
        Ok(self.members()?.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default())
    }

    fn switch(&self, name: &str, default: Switch) -> bool {
        self.options.get(name).map_or(default == Switch::On, py::truthy)
    }

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

pub fn find(name: &str) -> Option<Metric> {
    TABLE.iter().find(|(known, _)| *known == name).map(|(_, metric)| *metric)
}

/// Metrics of the original that take the result alone.
const ALONE: &str = "check_left_panel check_presenter_console_disable check_slide_numbers_color \
                     check_slide_orientation_Portrait check_text_enlarged check_textbox_on_leftside \
                     check_triangle_position evaluate_alignment evaluate_conversion evaluate_spacing \
                     has_page_numbers_in_footers is_first_line_centered is_utc_0";
/// Metrics of the original that take an expected value where there is one.
const EITHER: [&str; 2] = ["check_html_background_image", "compare_table"];

/// Asks the metric of this name; nothing where it is not ported.
///
/// # Errors
/// Those of the metric, [`OsworldFault::Unsupported`] where it costs more than a judgement may, and
/// [`OsworldFault::Raised`] where the original's function does not take these arguments.
pub fn answer(name: &str, call: &MetricCall) -> Option<Score> {
    let metric = find(name)?;
    let unfit = match (takes_expected(name), call.expected.is_some()) {
        (Some(false), true) => "takes no expected value",
        (Some(true), false) => "needs an expected value",
        _ => return Some(bounded(|| metric(call))),
    };
    Some(Err(OsworldFault::raised(format!("{name} {unfit}"))))
}

/// Whether the original's function takes an expected value; nothing where it does with one and without.
pub fn takes_expected(name: &str) -> Option<bool> {
    (!EITHER.contains(&name)).then(|| ALONE.split(' ').all(|alone| alone != name))
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

/// The table of metrics by the modules that hold them; each is named as its function.
macro_rules! metrics {
    ($($module:ident: $($name:ident)+;)+) => {
        const TABLE: &[(&str, Metric)] = &[
            ("check_slide_orientation_Portrait", slides::check_slide_orientation_portrait),
            $($((stringify!($name), $module::$name),)+)+
        ];
    };
}

metrics! {
    archive: compare_archive compare_zip_files;
    basic_os: check_gnome_favorite_apps check_moved_jpgs check_text_enlarged is_in_vm_clickboard is_utc_0;
    chrome: check_enabled_experiments check_font_size check_history_deleted is_added_to_steam_cart
        is_cookie_deleted is_expected_active_tab is_expected_active_tab_approximate is_expected_bookmarks
        is_expected_installed_extensions is_expected_search_query is_expected_tabs
        is_expected_url_pattern_match is_shortcut_on_desktop;
    docs: compare_docx_files compare_docx_files_and_ignore_new_lines compare_docx_lines compare_docx_tables
        compare_init_lines compare_references fuzzy_place_math;
    docs_rules: check_file_exists check_highlighted_words check_italic_font_size_14 check_no_duplicates
        check_tabstops compare_contains_image compare_docx_images compare_font_names
        compare_highlighted_text compare_insert_equation compare_line_spacing compare_subscript_contains
        compare_unique_train_records contains_page_break evaluate_alignment evaluate_colored_words_in_tables
        evaluate_conversion evaluate_spacing evaluate_strike_through_last_paragraph
        has_page_numbers_in_footers is_first_line_centered;
    epub: compare_epub compare_htmls;
    general: check_csv check_include_exclude check_line_number check_list compare_terminal_and_txt
        compare_time_in_speedtest_results diff_text_file exact_match file_contains fuzzy_match is_in_list
        literal_match match_in_list run_sqlite3;
    gimp: check_brightness_decrease_and_structure_sim check_config_status
        check_contrast_increase_and_structure_sim check_file_exists_and_structure_sim check_green_background
        check_image_file_size check_image_mirror check_image_size check_palette_and_structure_sim
        check_saturation_increase_and_structure_sim check_sharper check_structure_sim
        check_structure_sim_resized check_textbox_on_leftside check_triangle_position compare_image_list
        decrease_brightness increase_saturation;
    json: check_direct_json_object check_json check_json_keybindings check_json_settings
        is_included_all_json_objects;
    libreoffice: check_libre_locale find_default_font;
    pdf: check_pdf_pages compare_pdfs is_gold_text_included_in_pdf;
    slides: check_auto_saving_time check_image_stretch_and_center check_page_number_colors
        check_presenter_console_disable check_slide_numbers_color check_strikethrough check_transition
        evaluate_presentation_fill_to_rgb_distance;
    slides_compare: compare_pptx_files;
    table: compare_conference_city_in_order compare_csv compare_table;
    thunderbird: check_thunderbird_filter check_thunderbird_folder check_thunderbird_prefs;
    tree: check_accessibility_tree check_left_panel;
    vlc: check_global_key_play_pause check_mp3_meta check_one_instance_when_started_from_file
        check_play_and_exit check_qt_bgcone check_qt_max_volume check_qt_minimal_view
        check_qt_slider_colours compare_images is_vlc_fullscreen is_vlc_playing is_vlc_recordings_folder;
    vscode: check_html_background_image compare_answer compare_config compare_python_pure_text
        compare_result_files compare_text_file is_extension_installed;
}

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
