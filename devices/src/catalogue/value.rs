//! The values of parameters once they stand for something on the screen.

use std::path::PathBuf;

use super::{Direction, Distance, Reply};
use crate::action_parts::{Button, Clicks, Modifiers, Orientation, TabIndex};
use crate::element::ElementRef;
use crate::geometry::{Physical, Point};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Point(Point<Physical>),
    Element(ElementRef),
    Path(Vec<Point<Physical>>),
    Text(String),
    Files(Vec<PathBuf>),
    Direction(Direction),
    Distance(Distance),
    Number(u32),
    Millis(u64),
    Tab(TabIndex),
    Side(Orientation),
    Reply(Reply),
    Clicks(Clicks),
    Button(Button),
    Modifiers(Modifiers),
}

/// The values of a call, by the names of their parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(pub(super) Vec<(&'static str, Option<Value>)>);

impl Values {
    pub(super) fn get<T: FromValue>(&self, name: &'static str) -> Result<T, String> {
        let value = self.0.iter().find(|(known, _)| *known == name).and_then(|(_, value)| value.clone());
        T::from_value(value).ok_or_else(|| format!("{name} is missing"))
    }
}

pub(super) trait FromValue: Sized {
    fn from_value(value: Option<Value>) -> Option<Self>;
}

macro_rules! from_value {
    ($($type:ty = $kind:ident;)*) => { $(
        impl FromValue for $type {
            fn from_value(value: Option<Value>) -> Option<Self> {
                match value { Some(Value::$kind(value)) => Some(value), _ => None }
            }
        }

        impl FromValue for Option<$type> {
            fn from_value(value: Option<Value>) -> Option<Self> {
                Some(value.and_then(|value| <$type>::from_value(Some(value))))
            }
        }
    )* };
}

from_value! {
    Point<Physical> = Point;
    ElementRef = Element;
    Vec<Point<Physical>> = Path;
    String = Text;
    Vec<PathBuf> = Files;
    Direction = Direction;
    Distance = Distance;
    u32 = Number;
    u64 = Millis;
    TabIndex = Tab;
    Orientation = Side;
    Reply = Reply;
    Clicks = Clicks;
    Button = Button;
    Modifiers = Modifiers;
}

pub(super) trait MoveTargets {
    fn move_targets<E>(
        &mut self,
        _places: &mut dyn FnMut(&mut Point<Physical>) -> Result<(), E>,
        _elements: &mut dyn FnMut(&mut ElementRef) -> Result<(), E>,
    ) -> Result<(), E> {
        Ok(())
    }
}

impl MoveTargets for Point<Physical> {
    fn move_targets<E>(
        &mut self,
        places: &mut dyn FnMut(&mut Point<Physical>) -> Result<(), E>,
        _elements: &mut dyn FnMut(&mut ElementRef) -> Result<(), E>,
    ) -> Result<(), E> {
        places(self)
    }
}

impl MoveTargets for Vec<Point<Physical>> {
    fn move_targets<E>(
        &mut self,
        places: &mut dyn FnMut(&mut Point<Physical>) -> Result<(), E>,
        _elements: &mut dyn FnMut(&mut ElementRef) -> Result<(), E>,
    ) -> Result<(), E> {
        self.iter_mut().try_for_each(places)
    }
}

impl MoveTargets for ElementRef {
    fn move_targets<E>(
        &mut self,
        _places: &mut dyn FnMut(&mut Point<Physical>) -> Result<(), E>,
        elements: &mut dyn FnMut(&mut ElementRef) -> Result<(), E>,
    ) -> Result<(), E> {
        elements(self)
    }
}

macro_rules! no_targets {
    ($($type:ty),*) => { $(impl MoveTargets for $type {})* };
}

no_targets! {
    String, Option<String>, Vec<PathBuf>, u32, u64, Clicks, Button, Modifiers, Orientation, TabIndex,
    crate::action_parts::ScrollNotches, crate::action_parts::DialogReply,
    serde_json::Map<String, serde_json::Value>
}
