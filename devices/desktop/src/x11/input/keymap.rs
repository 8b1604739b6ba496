//! The server's keyboard map: which keys make a character, and keys bound to characters that it lacks.
//!
//! Invariants: a key is bound for both levels, so that no server guesses another case; a key is only bound
//! anew after the program typed into has read all from before; what was bound can be put back.

use std::collections::{BTreeMap, VecDeque};

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, KeyButMask};

use crate::keysyms;
use crate::x11::x::Answered as _;
use crate::x11::x::X;
use waldo_devices::error::{DeviceError, Result};

/// Keys from here on are those of media and such: they may be lent where no key is free.
const MEDIA: u32 = 0x1008_0000;

/// Columns that are set: both levels of both layouts.
const LEVELS: usize = 4;

/// A key, and whether Shift makes it the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stroke {
    pub(crate) code: u8,
    pub(crate) shift: Shift,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shift {
    Held,
    Free,
}

struct Map {
    first: u8,
    per_key: usize,
    syms: Vec<u32>,
    column: usize,
    caps: bool,
}

impl Map {
    fn read(x: &X) -> Result<Self> {
        let setup = x.conn.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let asked = x.conn.get_keyboard_mapping(first, last - first + 1).answered()?;
        let state = x.conn.query_pointer(x.root).answered()?;
        let (map, state) = (asked.reply().answered()?, state.reply().answered()?.mask);
        // The layout in use is told in two bits beside the modifiers.
        let group = (u16::from(state) >> 13) & 3;
        let per_key = usize::from(map.keysyms_per_keycode).max(1);
        let column = if per_key >= 4 && group == 1 { 2 } else { 0 };
        let caps = u16::from(state) & u16::from(KeyButMask::LOCK) != 0;
        Ok(Self { first, per_key, syms: map.keysyms, column, caps })
    }

    fn rows(&self) -> impl Iterator<Item = (u8, &[u32])> {
        (self.first..=u8::MAX).zip(self.syms.chunks(self.per_key))
    }

    fn find(&self, sym: u32) -> Option<Stroke> {
        let at = |level: usize, shift: Shift| {
            self.rows()
                .find(|(_, row)| row.get(self.column + level) == Some(&sym))
                .map(|(code, _)| Stroke { code, shift })
        };
        at(0, Shift::Free).or_else(|| at(1, Shift::Held))
    }
}

pub(crate) struct Keymap {
    map: Map,
    /// What keys were before they were bound here.
    lent: BTreeMap<u8, Vec<u32>>,
    /// Keys that were bound here, the longest unused first.
    order: VecDeque<u8>,
}

impl Keymap {
    pub(crate) fn read(x: &X) -> Result<Self> {
        Ok(Self { map: Map::read(x)?, lent: BTreeMap::new(), order: VecDeque::new() })
    }

    /// Reads it again: someone else may have changed it.
    pub(crate) fn refresh(&mut self, x: &X) -> Result<()> {
        self.map = Map::read(x)?;
        // Whoever set another map set these keys too.
        let map = &self.map;
        let still =
            |code: &u8| map.rows().any(|(key, row)| key == *code && row[0] != 0 && row.get(1) == row.first());
        self.lent.retain(|code, _| still(code));
        let lent = &self.lent;
        self.order.retain(|code| lent.contains_key(code));
        Ok(())
    }

    pub(crate) fn caps(&self) -> bool {
        self.map.caps
    }

    pub(crate) fn find(&self, sym: u32) -> Option<Stroke> {
        self.map.find(sym)
    }

    pub(crate) fn capacity(&self) -> usize {
        self.spare().len() + self.order.len()
    }

    /// Keys that make nothing; where there are none, those of media.
    fn spare(&self) -> Vec<u8> {
        let free: Vec<u8> = self
            .map
            .rows()
            .filter(|(_, row)| row.iter().all(|sym| *sym == 0))
            .map(|(code, _)| code)
            .collect();
        if !free.is_empty() || !self.order.is_empty() {
            return free;
        }
        self.map.rows().filter(|(_, row)| row[0] >= MEDIA).map(|(code, _)| code).collect()
    }

    /// Whether `count` more characters can be bound without taking a key from an earlier one.
    pub(crate) fn has_spare(&self, count: usize) -> bool {
        self.spare().len() >= count
    }

    pub(crate) fn is_lent(&self, sym: u32) -> bool {
        self.find(sym).is_some_and(|stroke| self.lent.contains_key(&stroke.code))
    }

    /// Binds keys to characters that have none; those in `keep` stay as they are.
    pub(crate) fn bind(&mut self, x: &X, missing: &[u32], keep: &[u32]) -> Result<()> {
        let kept: Vec<u8> = keep.iter().filter_map(|sym| self.find(*sym)).map(|stroke| stroke.code).collect();
        let mut spare: VecDeque<u8> = self.spare().into();
        let mut rows: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
        for &sym in missing {
            let again = self.order.iter().position(|code| !kept.contains(code) && !rows.contains_key(code));
            let code = spare.pop_front().or_else(|| again.and_then(|at| self.order.remove(at)));
            let Some(code) = code else {
                return Err(DeviceError::Call {
                    call: "typing".to_owned(),
                    message: "the keyboard has no key left for other characters: paste the text".to_owned(),
                });
            };
            let (from, per_key) = (usize::from(code - self.map.first) * self.map.per_key, self.map.per_key);
            let Some(row) = self.map.syms.get_mut(from..from + per_key) else { continue };
            self.lent.entry(code).or_insert_with(|| row.to_vec());
            row.fill(0);
            row[..per_key.min(LEVELS)].fill(sym);
            rows.insert(code, vec![sym; LEVELS]);
            self.order.push_back(code);
        }
        change(x, &rows)?;
        x.sync()
    }

    pub(crate) fn restore(&mut self, x: &X) -> Result<()> {
        self.order.clear();
        change(x, &std::mem::take(&mut self.lent))?;
        x.sync()?;
        self.map = Map::read(x)?;
        Ok(())
    }
}

/// Sets rows of the map. Every request makes every program read the map anew, so neighbours go together.
fn change(x: &X, rows: &BTreeMap<u8, Vec<u32>>) -> Result<()> {
    let mut rest = rows.iter().peekable();
    while let Some((&first, row)) = rest.next() {
        let (mut count, mut syms) = (1_u8, row.clone());
        while let Some((_, next)) =
            rest.next_if(|(code, next)| **code == first.saturating_add(count) && next.len() == row.len())
        {
            syms.extend(next);
            count += 1;
        }
        let per_key = u8::try_from(row.len()).unwrap_or(u8::MAX);
        x.conn.change_keyboard_mapping(count, first, per_key, &syms).answered()?;
    }
    Ok(())
}

/// Text as numbers of characters; line ends of any kind become one Enter.
pub(crate) fn symbols(text: &str) -> Vec<u32> {
    text.replace("\r\n", "\n").chars().filter_map(keysyms::of_char).collect()
}
