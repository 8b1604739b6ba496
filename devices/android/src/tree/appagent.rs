//! AppAgent's own view of a dump: which nodes it numbers, in which order, and what it calls them.
//!
//! The rule, in short: a node's name is its resource id, or its class and size, with a short
//! description added; its uid is the parent's name, its own name and its index. All clickable nodes come
//! first, in document order, then the focusable ones; a node whose middle lies within [`MIN_DIST`] of one
//! that is kept already is left out. Documentation that AppAgent wrote is keyed by these uids.
//!
//! Where AppAgent stops with an error, this goes on: a node right below the root has no parent's name, a
//! node without bounds is not an element, and a parent without bounds counts as 0 by 0.

use serde::Serialize;

use super::parse::{Bounds, DumpNode, UiDump};

/// Middles this close, in pixels, count as one element.
pub(crate) const MIN_DIST: f64 = 30.0;
/// Descriptions of this many characters or more are not part of a name.
const DESC_LIMIT: usize = 20;
/// The longest uid that is made, in bytes; AppAgent itself has no limit.
const UID_MAX: usize = 4096;

/// The attribute that made a node an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AppAgentVia {
    Clickable,
    Focusable,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AppAgentElement {
    pub uid: String,
    /// Left, top, right and bottom as the dump has them, in pixels of the screen; not clipped.
    pub bounds: [i32; 4],
    pub via: AppAgentVia,
}

/// The elements of a dump in AppAgent's order; the first is its number 1.
pub fn appagent_elements(xml: &str) -> Vec<AppAgentElement> {
    UiDump::parse(xml).appagent_elements()
}

impl UiDump {
    /// The elements in AppAgent's order, from its number 1; of a tree that was cut off, those that were read.
    pub fn appagent_elements(&self) -> Vec<AppAgentElement> {
        numbered(self).into_iter().map(|(_, element)| element).collect()
    }
}

/// The elements in AppAgent's order, each with the place of its node.
pub(super) fn numbered(tree: &UiDump) -> Vec<(usize, AppAgentElement)> {
    let clickable = elements_by(tree, AppAgentVia::Clickable, |node| node.clickable);
    let focusable = elements_by(tree, AppAgentVia::Focusable, |node| node.focusable);
    let clear: Vec<_> = focusable
        .into_iter()
        .filter(|kept| clickable.iter().all(|other| !near(kept.middle, other.middle)))
        .collect();
    clickable.into_iter().chain(clear).map(|kept| (kept.place, kept.element)).collect()
}

struct NumberedElement {
    place: usize,
    element: AppAgentElement,
    middle: (i64, i64),
}

fn elements_by(tree: &UiDump, via: AppAgentVia, wanted: impl Fn(&DumpNode) -> bool) -> Vec<NumberedElement> {
    let mut kept: Vec<NumberedElement> = Vec::new();
    for (place, node) in tree.nodes.iter().enumerate().filter(|(_, node)| wanted(node)) {
        let Some(bounds) = node.bounds else { continue };
        let middle = bounds.center();
        if kept.iter().any(|other| near(other.middle, middle)) {
            continue;
        }
        let Bounds { x1, y1, x2, y2 } = bounds;
        let element = AppAgentElement { uid: uid(tree, node), bounds: [x1, y1, x2, y2], via };
        kept.push(NumberedElement { place, element, middle });
    }
    kept
}

fn near(a: (i64, i64), b: (i64, i64)) -> bool {
    let (dx, dy) = ((a.0 - b.0) as f64, (a.1 - b.1) as f64);
    dx.hypot(dy) <= MIN_DIST
}

pub(super) fn uid(tree: &UiDump, node: &DumpNode) -> String {
    let mut uid = String::new();
    if let Some(parent) = node.parent.and_then(|place| tree.nodes.get(place)) {
        push_name(&mut uid, parent);
        uid.push('_');
    }
    push_name(&mut uid, node);
    uid.push('_');
    uid.push_str(&node.index);
    if uid.len() > UID_MAX {
        uid.truncate(uid.floor_char_boundary(UID_MAX));
    }
    uid
}

fn push_name(uid: &mut String, node: &DumpNode) {
    if node.resource_id.is_empty() {
        let (w, h) = node
            .bounds
            .map_or((0, 0), |b| (i64::from(b.x2) - i64::from(b.x1), i64::from(b.y2) - i64::from(b.y1)));
        uid.push_str(&node.class);
        uid.push_str(&format!("_{w}_{h}"));
    } else {
        uid.extend(node.resource_id.chars().map(|c| match c {
            ':' => '.',
            '/' => '_',
            other => other,
        }));
    }
    if !node.content_desc.is_empty() && node.content_desc.chars().count() < DESC_LIMIT {
        uid.push('_');
        uid.extend(node.content_desc.chars().filter(|c| *c != ' ').map(|c| match c {
            '/' | ':' => '_',
            other => other,
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(nodes: &str) -> String {
        format!("<?xml version='1.0'?><hierarchy rotation=\"0\">{nodes}</hierarchy>")
    }

    #[test]
    fn the_uid_is_appagents() {
        let xml = dump(
            r#"<node index="0" class="android.widget.FrameLayout" resource-id="" content-desc="" bounds="[0,0][1080,2400]">
               <node index="2" class="android.widget.Button" resource-id="com.app:id/send" content-desc="Send it: now" clickable="true" bounds="[900,2200][1000,2300]"/>
               <node index="4" class="android.widget.ImageView" resource-id="" content-desc="a description that is far too long" clickable="true" bounds="[5,205][100,300]"/></node>"#,
        );
        let uids: Vec<_> = appagent_elements(&xml).into_iter().map(|e| e.uid).collect();
        assert_eq!(
            uids,
            [
                "android.widget.FrameLayout_1080_2400_com.app.id_send_Sendit_now_2",
                "android.widget.FrameLayout_1080_2400_android.widget.ImageView_95_95_4"
            ]
        );
    }

    #[test]
    fn clickable_comes_before_focusable_and_the_outer_one_wins() {
        let xml = dump(
            r#"<node index="0" class="F" bounds="[0,0][1000,1000]">
               <node index="0" class="E" focusable="true" bounds="[0,0][100,100]"/>
               <node index="1" class="R" clickable="true" focusable="true" bounds="[0,200][400,300]"><node index="0" class="B" clickable="true" bounds="[150,220][250,280]"/></node>
               <node index="2" class="Z" focusable="true" bounds="[160,235][270,290]"/>
               <node index="3" class="C" clickable="true" bounds="[0,400][100,500]"/></node>"#,
        );
        let seen: Vec<_> = appagent_elements(&xml).into_iter().map(|e| (e.uid, e.via)).collect();
        let uids: Vec<&str> = seen.iter().map(|(uid, _)| uid.as_str()).collect();
        assert_eq!(uids, ["F_1000_1000_R_400_100_1", "F_1000_1000_C_100_100_3", "F_1000_1000_E_100_100_0"]);
        assert_eq!(seen[2].1, AppAgentVia::Focusable);
    }

    #[test]
    fn exactly_min_dist_apart_counts_as_near() {
        let node = |x: i32| {
            format!(r#"<node index="0" class="C" clickable="true" bounds="[{x},0][{},10]"/>"#, x + 10)
        };
        assert_eq!(
            appagent_elements(&dump(&format!(
                "<node class=\"F\" bounds=\"[0,0][9,9]\">{}{}</node>",
                node(0),
                node(30)
            )))
            .len(),
            1
        );
        assert_eq!(
            appagent_elements(&dump(&format!(
                "<node class=\"F\" bounds=\"[0,0][9,9]\">{}{}</node>",
                node(0),
                node(31)
            )))
            .len(),
            2
        );
    }

    #[test]
    fn what_stops_appagent_does_not_stop_us() {
        let xml = dump(
            r#"<node index="0" class="F" clickable="true" bounds="[0,0][100,100]"><node index="1" class="G"><node index="2" class="H" clickable="true" bounds="[50,60][100,100]"/></node><node index="3" class="I" clickable="true"/></node>"#,
        );
        let uids: Vec<_> = appagent_elements(&xml).into_iter().map(|e| e.uid).collect();
        assert_eq!(uids, ["F_100_100_0", "G_0_0_H_50_40_2"]);
        let id = "x".repeat(255);
        let xml = dump(&format!(
            r#"<node class="F" bounds="[0,0][9,9]"><node index="0" class="C" resource-id="{id}" clickable="true" bounds="[0,0][10,10]"/></node>"#
        ));
        assert_eq!(appagent_elements(&xml)[0].uid, format!("F_9_9_{id}_0"));
    }
}
