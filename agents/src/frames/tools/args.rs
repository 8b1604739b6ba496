//! Reading a call's arguments: positional or named, with messages that say what is allowed.

use waldo_cage::{ExcKind, HostError, Val};

pub(crate) struct Args {
    function: String,
    args: Vec<Val>,
    kwargs: Vec<(String, Val)>,
}

pub(crate) struct BoundArgs<'n> {
    function: String,
    names: &'n [&'n str],
    values: Vec<Option<Val>>,
}

fn wrong(message: String) -> HostError {
    HostError::raise(ExcKind::Type, message)
}

impl Args {
    pub(crate) fn new(function: &str, args: Vec<Val>, kwargs: Vec<(String, Val)>) -> Self {
        Self { function: function.to_owned(), args, kwargs }
    }

    /// In the order of `names`. A name may list its other spellings behind a bar: `observe|observe_frame`.
    pub(crate) fn take<'n>(self, names: &'n [&'n str]) -> Result<BoundArgs<'n>, HostError> {
        let Self { function, args, kwargs } = self;
        let shown = || names.iter().map(|n| main(n)).collect::<Vec<_>>().join(", ");
        if args.len() > names.len() {
            return Err(wrong(format!("{function}() takes ({}), not {} values", shown(), args.len())));
        }
        let mut values: Vec<Option<Val>> = args.into_iter().map(Some).collect();
        values.resize(names.len(), None);
        for (name, value) in kwargs {
            let place = names.iter().position(|n| n.split('|').any(|each| each == name));
            let slot = place.and_then(|place| values.get_mut(place));
            let Some(slot) = slot else {
                return Err(wrong(format!("{function}() has no {name}: it takes ({})", shown())));
            };
            if slot.replace(value).is_some() {
                return Err(wrong(format!("{function}() is given {name} twice")));
            }
        }
        Ok(BoundArgs { function, names, values })
    }
}

fn main(name: &str) -> &str {
    name.split('|').next().unwrap_or(name)
}

impl BoundArgs<'_> {
    fn name(&self, n: usize) -> &str {
        self.names.get(n).map_or("", |name| main(name))
    }

    /// The value, none where it is absent or `None`.
    pub(crate) fn value(&mut self, n: usize) -> Option<Val> {
        self.values.get_mut(n).and_then(Option::take).filter(|v| *v != Val::None)
    }

    fn need(&mut self, n: usize, what: &str) -> Result<Val, HostError> {
        let found = self.value(n);
        found.ok_or_else(|| wrong(format!("{}() needs {}: {what}", self.function, self.name(n))))
    }

    fn not(&self, n: usize, what: &str, got: &Val) -> HostError {
        wrong(format!("{}(): {} has to be {what}, not {}", self.function, self.name(n), got.kind()))
    }

    pub(crate) fn number(&mut self, n: usize) -> Result<i64, HostError> {
        let value = self.need(n, "a whole number")?;
        value.as_int().ok_or_else(|| self.not(n, "a whole number", &value))
    }

    pub(crate) fn text(&mut self, n: usize) -> Result<String, HostError> {
        let value = self.need(n, "a text")?;
        value.as_str().map(str::to_owned).ok_or_else(|| self.not(n, "a text", &value))
    }

    pub(crate) fn word(&mut self, n: usize, words: &[&str]) -> Result<String, HostError> {
        let text = self.text(n)?.trim().to_ascii_lowercase();
        if words.contains(&text.as_str()) {
            return Ok(text);
        }
        let message =
            format!("{}(): {} is one of {}, not '{text}'", self.function, self.name(n), words.join(", "));
        Err(HostError::raise(ExcKind::Value, message))
    }

    pub(crate) fn object(&mut self, n: usize, class: &str) -> Result<usize, HostError> {
        let value = self.need(n, class)?;
        match value.as_handle() {
            Some(handle) if handle.class == class => Ok(usize::try_from(handle.id).unwrap_or(usize::MAX)),
            _ => Err(self.not(n, class, &value)),
        }
    }

    pub(crate) fn either(
        &mut self,
        n: usize,
        classes: [&'static str; 2],
    ) -> Result<(&'static str, usize), HostError> {
        match self.optional(n, &classes)? {
            Some(found) => Ok(found),
            None => {
                Err(wrong(format!("{}() needs {}: {}", self.function, self.name(n), classes.join(" or "))))
            }
        }
    }

    /// The class and number of an object of one of several classes, none where there is none.
    pub(crate) fn optional(
        &mut self,
        n: usize,
        classes: &[&'static str],
    ) -> Result<Option<(&'static str, usize)>, HostError> {
        let Some(value) = self.value(n) else { return Ok(None) };
        let found = value.as_handle().and_then(|handle| {
            let class = classes.iter().copied().find(|class| *class == handle.class)?;
            Some((class, usize::try_from(handle.id).unwrap_or(usize::MAX)))
        });
        found.map(Some).ok_or_else(|| self.not(n, &classes.join(" or "), &value))
    }

    /// The numbers of a list of objects of a class; one alone is a list of one.
    pub(crate) fn objects(&mut self, n: usize, class: &str) -> Result<Vec<usize>, HostError> {
        let value = self.need(n, &format!("a list of {class}"))?;
        let one = std::slice::from_ref(&value);
        let items = value.as_items().unwrap_or(one);
        let ids = items.iter().map(|item| match item.as_handle() {
            Some(h) if h.class == class => Ok(usize::try_from(h.id).unwrap_or(usize::MAX)),
            _ => Err(self.not(n, &format!("a list of {class}"), item)),
        });
        ids.collect()
    }
}

#[cfg(test)]
mod tests {
    use waldo_cage::Handle;

    use super::*;

    fn args(args: Vec<Val>, kwargs: Vec<(&str, Val)>) -> Args {
        Args::new("tool", args, kwargs.into_iter().map(|(n, v)| (n.to_owned(), v)).collect())
    }

    #[test]
    fn names_and_places_can_be_mixed_and_what_is_allowed_is_said() {
        let frame = Val::from(Handle::new("Frame", 3));
        let mut taken = args(vec![7.into()], vec![("observe_frame", frame)])
            .take(&["n", "observe|observe_frame"])
            .unwrap();
        assert_eq!(taken.number(0), Ok(7));
        assert_eq!(taken.object(1, "Frame"), Ok(3));
        assert!(args(vec![1.into(), 2.into()], vec![]).take(&["n"]).is_err());
        assert!(args(vec![1.into()], vec![("n", 2.into())]).take(&["n"]).is_err());
        assert!(args(vec![], vec![("m", 2.into())]).take(&["n"]).is_err());
        let mut taken = args(vec!["Up".into(), 1.5.into()], vec![]).take(&["way", "n", "text"]).unwrap();
        assert_eq!(taken.word(0, &["up", "down"]).unwrap(), "up");
        let HostError::Raise { message, .. } = taken.number(1).unwrap_err() else { panic!() };
        assert!(message.contains("n has to be a whole number, not float"), "{message}");
        assert!(taken.text(2).is_err());
    }
}
