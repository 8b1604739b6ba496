use serde_json::{Map, Value, json};
use waldo_devices::{DeviceInfo, Physical, Rect, Settled, Tool};

use super::wire::{
    LastCall, SentPicture, ToldAction, ToldDevice, ToldElement, ToldScreen, ToldText, TurnQuestion,
    Untrusted, Wants,
};
use crate::agent::{Note, Turn, View};

pub(super) fn offered<'a>(
    device: &'a DeviceInfo,
    wants: &'a Wants,
    has_secrets: bool,
) -> impl Iterator<Item = Tool> + 'a {
    Tool::ALL.iter().copied().filter(move |tool| {
        let wanted = wants.actions.as_ref().is_none_or(|all| all.iter().any(|name| name == tool.name()));
        wanted && tool.offered(device) && (*tool != Tool::TypeSecret || has_secrets)
    })
}

pub(super) fn device(device: &DeviceInfo, wants: &Wants, has_secrets: bool) -> ToldDevice {
    let action = |tool: Tool| {
        let (name, about) = (tool.name().to_owned(), tool.spec().says("the element or place"));
        ToldAction { name, about, parameters: tool.schema() }
    };
    let word = |can| json!(can).as_str().unwrap_or_default().to_owned();
    ToldDevice {
        platform: device.platform.as_str().to_owned(),
        product: device.product.clone(),
        screen: [device.geometry.physical.w, device.geometry.physical.h],
        scale: device.geometry.scale,
        can: device.capabilities.iter().map(word).collect(),
        actions: offered(device, wants, has_secrets).map(action).collect(),
    }
}

pub(super) fn screens(view: &View) -> Vec<ToldScreen> {
    let told = |screen: &waldo_devices::ScreenInfo| {
        let (name, platform) = (screen.name.clone(), screen.platform.as_str().to_owned());
        ToldScreen { name, platform, front: screen.front }
    };
    view.observation.context.screens.iter().map(told).collect()
}

/// What became of a call, by what the runtime says of it.
pub(super) fn last(call: Map<String, Value>, note: Option<&Note>) -> LastCall {
    let said = |text: &String| Some(text.clone());
    let (seen, untrusted) = match note {
        None => ("done", None),
        Some(Note::NoChange) => ("no_change", None),
        Some(Note::Redrawn) => ("redrawn", None),
        Some(Note::Changed { text }) => ("changed", said(text)),
        Some(Note::NotAsAsked { found }) => ("not_as_asked", said(found)),
        Some(Note::Printed { text }) => ("printed", said(text)),
        Some(note @ Note::Refused { .. }) => ("refused", note.quoted().map(str::to_owned)),
        Some(note @ Note::Failed { .. }) => ("failed", note.quoted().map(str::to_owned)),
    };
    LastCall { call, seen, why: note.and_then(Note::reason).map(str::to_owned), untrusted }
}

fn bounds(rect: &Rect<Physical>) -> [f64; 4] {
    [rect.x, rect.y, rect.w, rect.h]
}

pub(super) fn untrusted<'a>(view: &'a View, wants: &Wants) -> Untrusted<'a> {
    let seen = &view.observation;
    let context = &seen.context;
    let element = |tagged: &waldo_devices::Tagged| {
        let element = seen.elements.get(tagged.element)?;
        Some(ToldElement {
            tag: tagged.tag.0,
            role: element.role.as_str(),
            name: &element.name,
            value: element.value.as_deref(),
            bounds: bounds(&element.bounds),
            can: json!(element.affordances),
            states: json!(element.states),
            options: &element.options,
        })
    };
    let text = |one: &'a waldo_devices::StaticText| ToldText { text: &one.text, bounds: bounds(&one.bounds) };
    let dialog = context.dialog.as_ref();
    Untrusted {
        location: &context.location,
        title: &context.title,
        list: wants.list.then_some(view.list.as_str()),
        elements: wants.elements.then(|| view.tagged.iter().filter_map(element).collect()),
        texts: wants.texts.then(|| seen.texts.iter().map(text).collect()),
        dialog: dialog
            .map(|dialog| [&*dialog.kind, &*dialog.message, dialog.default.as_deref().unwrap_or_default()]),
        tabs: context.tabs.iter().map(|tab| tab.title.as_str()).collect(),
        windows: context.windows.iter().map(|window| window.title.as_str()).collect(),
        screens: context.screens.iter().map(|one| [&*one.name, &*one.showing]).collect(),
        notices: &context.notices,
        left_out: context.truncated + context.texts_left_out,
    }
}

pub(super) fn question<'a>(
    turn: &'a Turn<'_>,
    steps_left: u32,
    wants: &Wants,
    last: &'a [LastCall],
    device: Option<&'a ToldDevice>,
    picture: Option<SentPicture>,
) -> TurnQuestion<'a> {
    TurnQuestion {
        step: turn.step,
        steps_left,
        last,
        person: turn.person,
        busy: matches!(turn.view.observation.settled, Settled::StillMoving | Settled::StillLoading),
        device,
        picture,
        untrusted: untrusted(turn.view, wants),
    }
}
