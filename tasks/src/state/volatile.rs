//! What changes on a screen by itself, and says nothing about what the agent did. Each line has its reason.

use serde_json::Value;

/// A column that changes by itself, in stores whose name begins like this.
const COLUMNS: &[(&str, &str)] = &[
    // Rows are compared by what they say: numbers by which one table refers to another are as good as any other.
    ("content://com.android.contacts/contacts", "lookup"),
    ("content://com.android.contacts/contacts", "name_raw_contact_id"),
    ("content://com.android.contacts/data", "contact_id"),
    ("content://com.android.contacts/data", "raw_contact_id"),
    ("content://sms", "thread_id"),
    ("content://notes/notes", "folder_id"),
    ("content://music/playlist_tracks", "playlist_id"),
    // Derived from other columns or tables, whose change is told.
    ("content://com.android.contacts/contacts", "display_name_alt"),
    ("content://com.android.contacts/data", "starred"),
    ("content://com.android.contacts/data", "data4"),
    ("content://notes/folders", "notes"),
    ("content://music/playlists", "tracks"),
    ("content://music/player", "title"),
    // Looking at something sets these, or an edit that was taken back.
    ("content://sms", "read"),
    ("content://sms", "seen"),
    ("content://sms", "date_sent"),
    ("content://notes/notes", "created"),
    ("content://notes/notes", "modified"),
    ("content://photos/pictures", "zoom"),
    // Goes on by itself.
    ("content://music/player", "position"),
];
/// Entries that change by themselves: the beginning of the store's name, and of the key.
const ENTRIES: &[(&str, &str)] = &[
    // A means, as typing is. A task whose end it is asks for its text with `rows`.
    ("clipboard", ""),
    // What was searched for on the home screen, and which apps keep caches in shared storage.
    ("content://com.android.launcher3/searches", ""),
    ("files", "/sdcard/Android/"),
    // Which windows are open is how an agent works, and which files they were; a task that asks for a window checks it.
    ("windows", ""),
    ("recent", ""),
    // Where a window was, and what was last sought in it.
    ("dconf", "org.xfce.mousepad.state."),
    // The folder, the sorting and the size of the last dialog.
    ("dconf", "org.gtk.Settings.FileChooser "),
    ("dconf", "org.gtk.Settings.ColorChooser "),
];

pub(super) fn entry(store: &str, key: &str) -> bool {
    ENTRIES.iter().any(|(name, begin)| store.starts_with(name) && key.starts_with(begin))
}

/// A row without the columns that change by themselves; a plain value as it is.
pub(super) fn without_columns(store: &str, value: &Value) -> Value {
    let mut value = value.clone();
    if let Value::Object(row) = &mut value {
        row.retain(|column, _| !COLUMNS.iter().any(|(name, gone)| store.starts_with(name) && column == gone));
    }
    value
}
