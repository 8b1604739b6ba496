//! What the accessibility bus says of one object, in a form that no toolkit shines through.

use std::fmt;
use std::sync::Arc;

use super::protocol::{Role, State};

use waldo_devices::{ElementRef, Physical, Rect};

/// Where every object of a program hangs.
pub(crate) const ROOT: &str = "/org/a11y/atspi/accessible/root";
/// The longest name or description that is kept, in characters.
pub(super) const NAME_MAX: usize = 200;
/// What stands for no object.
pub(crate) const NULL: &str = "/org/a11y/atspi/null";
/// The most children of one object; what claims more is read by what is visible of it.
const CHILDREN_MAX: i32 = 500;

/// An object's place: its program's name on the bus, and the path in it. It is the same while it lives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectKey {
    pub(crate) bus: Arc<str>,
    pub(crate) path: Arc<str>,
}

impl ObjectKey {
    pub(crate) fn new(bus: impl Into<Arc<str>>, path: impl Into<Arc<str>>) -> Self {
        Self { bus: bus.into(), path: path.into() }
    }

    /// The key that a handle was made from; `None` for handles of what was seen in the picture.
    pub(crate) fn parse(handle: &ElementRef) -> Option<Self> {
        let slash = handle.0.find('/')?;
        let (bus, path) = handle.0.split_at(slash);
        (!bus.is_empty()).then(|| Self::new(bus, path))
    }

    pub(crate) fn handle(&self) -> ElementRef {
        ElementRef(self.to_string())
    }

    pub(crate) fn is_null(&self) -> bool {
        &*self.path == NULL || self.bus.is_empty()
    }
}

impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.bus, self.path)
    }
}

/// States as the wire has them: unknown ones are kept and never matter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StateBits(pub(crate) u64);

impl StateBits {
    /// From the two halves of the wire.
    pub(crate) fn of(halves: &[u32]) -> Self {
        let half = |at: usize| u64::from(halves.get(at).copied().unwrap_or_default());
        Self(half(0) | half(1) << 32)
    }

    pub(crate) fn has(self, state: State) -> bool {
        self.0 & state.bit() != 0
    }

    /// Whether its program says that it is drawn; what lies above it is another matter.
    pub(crate) fn is_showing(self) -> bool {
        self.has(State::Showing) && self.has(State::Visible) && !self.has(State::Defunct)
    }

    pub(crate) fn is_usable(self) -> bool {
        // Toolkits set both or one of them.
        self.has(State::Sensitive) || self.has(State::Enabled)
    }
}

macro_rules! interfaces {
    ($($name:ident = $bit:literal),* $(,)?) => {
        /// What an object can be asked; those that matter here.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Iface { $(#[doc = concat!("`org.a11y.atspi.", stringify!($name), "`")] $name = 1 << $bit),* }

        impl Iface {
            fn named(name: &str) -> Option<Self> {
                match name.strip_prefix("org.a11y.atspi.")? {
                    $(stringify!($name) => Some(Self::$name),)*
                    _ => None,
                }
            }

            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$name => concat!("org.a11y.atspi.", stringify!($name))),* }
            }
        }
    };
}

interfaces!(
    Action = 0,
    Component = 1,
    Document = 2,
    EditableText = 3,
    Hyperlink = 4,
    Image = 5,
    Selection = 6,
    Table = 7,
    TableCell = 8,
    Text = 9,
    Value = 10,
);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ifaces(u16);

impl Ifaces {
    pub(crate) fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self(names.into_iter().filter_map(Iface::named).fold(0, |all, one| all | one as u16))
    }

    pub(crate) fn has(self, one: Iface) -> bool {
        self.0 & one as u16 != 0
    }
}

#[derive(Clone, Debug)]
pub(crate) struct AccessNode {
    pub(crate) key: ObjectKey,
    pub(crate) role: Role,
    /// Untrusted text, cleaned and cut.
    pub(crate) name: String,
    /// Untrusted text, cleaned and cut.
    pub(crate) description: String,
    pub(crate) states: StateBits,
    pub(crate) ifaces: Ifaces,
    /// How many children the program says it has; -1 when it does not tell.
    pub(crate) child_count: i32,
    /// The place among its siblings; -1 when the program does not tell.
    pub(crate) index: i32,
    /// Within [`ObjectTree::nodes`]; `None` for what lies right below the program.
    pub(crate) parent: Option<usize>,
    /// Within [`ObjectTree::nodes`], in the program's order.
    pub(crate) children: Vec<usize>,
    /// On the screen, in physical pixels, as the program says; asked only of what may matter.
    pub(crate) extents: Option<Rect<Physical>>,
    /// How far the program is wrong about it: what has to be added to its own positions.
    pub(crate) shift: (f64, f64),
    /// Whether it hangs where its program did not list it: another toolkit may have drawn it.
    pub(crate) grafted: bool,
    /// Whether it is a window of its own on the screen, where its program hangs it into another.
    pub(crate) pops_over: bool,
    /// Whether its name is what is chosen in it: GTK calls a combo box so.
    pub(crate) named_by_choice: bool,
    /// What it holds: text, a number. Untrusted, cleaned and cut.
    pub(crate) value: Option<String>,
    pub(crate) window: Option<u32>,
}

impl AccessNode {
    pub(crate) fn new(key: ObjectKey, role: Role, states: StateBits) -> Self {
        Self {
            key,
            role,
            name: String::new(),
            description: String::new(),
            states,
            ifaces: Ifaces::default(),
            child_count: 0,
            index: -1,
            parent: None,
            children: Vec::new(),
            extents: None,
            shift: (0.0, 0.0),
            grafted: false,
            pops_over: false,
            named_by_choice: false,
            value: None,
            window: None,
        }
    }

    /// Its name, unless that only says what is chosen in it.
    pub(crate) fn lasting_name(&self) -> &str {
        if self.named_by_choice { "" } else { &self.name }
    }

    /// Whether another toolkit may have drawn it than what holds it: LibreOffice's own part of a window.
    pub(crate) fn is_seam(&self) -> bool {
        self.grafted || self.role == Role::RootPane
    }

    pub(crate) fn has(&self, state: State) -> bool {
        self.states.has(state)
    }

    /// Where it really is on the screen, in physical pixels; `None` when it has no size.
    pub(crate) fn place(&self) -> Option<Rect<Physical>> {
        let e = self.extents.filter(|e| e.area() > 0.0)?;
        Some(Rect::new(e.x + self.shift.0, e.y + self.shift.1, e.w, e.h))
    }

    /// Whether the program lists fewer children than it says there are, of a number that can be asked for.
    pub(crate) fn has_gap(&self) -> bool {
        let listed = i32::try_from(self.children.len()).unwrap_or(i32::MAX);
        self.states.is_showing() && self.may_be_entered() && self.child_count > listed
    }

    /// Whether its children may be asked for: some programs claim to have very many.
    pub(crate) fn may_be_entered(&self) -> bool {
        (1..=CHILDREN_MAX).contains(&self.child_count) && !self.has(State::ManagesDescendants)
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectTree {
    pub(crate) nodes: Vec<AccessNode>,
    /// What lies right below the program: its windows.
    pub(crate) tops: Vec<usize>,
    /// Objects that were not read: time or number ran out. 0 says that the tree is whole.
    pub(crate) missing: usize,
}

impl ObjectTree {
    /// Ties children to parents; `parents` holds each node's parent by key. Objects that hang on
    /// nothing known, and rings, become nothing.
    pub(crate) fn link(nodes: Vec<AccessNode>, parents: &[Option<ObjectKey>]) -> Self {
        use std::collections::HashMap;
        let places: HashMap<ObjectKey, usize> =
            nodes.iter().enumerate().map(|(place, node)| (node.key.clone(), place)).collect();
        let mut tree = Self { nodes, ..Self::default() };
        for place in 0..tree.nodes.len() {
            let parent = parents.get(place).and_then(Option::as_ref);
            let above = parent.and_then(|key| places.get(key).copied()).filter(|above| *above != place);
            let is_program = tree.nodes[place].role == Role::Application;
            match above {
                _ if is_program => {}
                Some(above) if tree.nodes[above].role != Role::Application => {
                    tree.nodes[place].parent = Some(above);
                    tree.nodes[above].children.push(place);
                }
                Some(_) => tree.tops.push(place),
                None if parent.is_some_and(|key| &*key.path == ROOT || key.is_null()) => {
                    tree.tops.push(place)
                }
                None => {}
            }
        }
        tree.order();
        tree
    }

    /// Hangs a node where its program did not list it; what hangs somewhere already stays there.
    pub(crate) fn graft(&mut self, place: usize, parent: Option<usize>, index: i32) {
        let node = &mut self.nodes[place];
        if node.parent.is_some() || self.tops.contains(&place) || parent == Some(place) {
            return;
        }
        node.index = index;
        match parent {
            Some(parent) => {
                // Whoever hangs below the node cannot hold it.
                if self.above(parent).any(|above| above == place) {
                    return;
                }
                self.nodes[place].parent = Some(parent);
                self.nodes[place].grafted = true;
                self.nodes[parent].children.push(place);
            }
            None => self.tops.push(place),
        }
    }

    pub(crate) fn order(&mut self) {
        for place in 0..self.nodes.len() {
            let mut children = std::mem::take(&mut self.nodes[place].children);
            children.sort_by_key(|child| self.nodes[*child].index);
            self.nodes[place].children = children;
        }
    }

    /// Puts the entries of menus into the order in which they are drawn: some programs count them as they were made.
    pub(crate) fn order_menus(&mut self) {
        for place in 0..self.nodes.len() {
            if !matches!(self.nodes[place].role, Role::Menu | Role::PopupMenu | Role::MenuBar) {
                continue;
            }
            let mut children = std::mem::take(&mut self.nodes[place].children);
            let drawn = |child: &usize| {
                let at = self.nodes[*child].extents.filter(|at| at.area() > 0.0);
                at.map_or((true, 0.0, 0.0), |at| (false, at.y, at.x))
            };
            children.sort_by(|a, b| {
                let ((no_a, ya, xa), (no_b, yb, xb)) = (drawn(a), drawn(b));
                no_a.cmp(&no_b).then(ya.total_cmp(&yb)).then(xa.total_cmp(&xb))
            });
            self.nodes[place].children = children;
        }
    }

    /// All places in document order, without those that `enter` refuses and what lies below them.
    pub(crate) fn walk(&self, enter: impl Fn(&AccessNode) -> bool) -> Vec<usize> {
        let mut out = Vec::with_capacity(self.nodes.len().min(4096));
        let mut seen = vec![false; self.nodes.len()];
        let mut stack: Vec<usize> = self.tops.iter().rev().copied().collect();
        while let Some(place) = stack.pop() {
            if std::mem::replace(&mut seen[place], true) {
                continue;
            }
            let node = &self.nodes[place];
            if !enter(node) {
                continue;
            }
            out.push(place);
            stack.extend(node.children.iter().rev());
        }
        out
    }

    pub(crate) fn above(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        let mut left = self.nodes.len();
        std::iter::successors(self.nodes[place].parent, move |at| {
            left = left.saturating_sub(1);
            if left == 0 { None } else { self.nodes[*at].parent }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(path: &str, index: i32) -> AccessNode {
        AccessNode {
            index,
            ..AccessNode::new(ObjectKey::new(":1.2", path), Role::Panel, StateBits::default())
        }
    }

    fn key(path: &str) -> Option<ObjectKey> {
        Some(ObjectKey::new(":1.2", path))
    }

    #[test]
    fn objects_are_found_again_and_told_in_order() {
        let one = ObjectKey::new(":1.4", "/org/a11y/atspi/accessible/19");
        assert_eq!(ObjectKey::parse(&one.handle()), Some(one));
        assert_eq!(ObjectKey::parse(&ElementRef("3:p7".to_owned())), None);
        assert_eq!(ObjectKey::parse(&ElementRef("/org".to_owned())), None);
        let tree = ObjectTree::link(
            vec![node("/b", 1), node("/w", 0), node("/a", 0), node("/aa", 0)],
            &[key("/w"), key(ROOT), key("/w"), key("/a")],
        );
        let paths: Vec<_> = tree.walk(|_| true).into_iter().map(|at| &*tree.nodes[at].key.path).collect();
        assert_eq!(paths, ["/w", "/a", "/aa", "/b"]);
        assert_eq!(tree.above(3).collect::<Vec<_>>(), [2, 1]);
        let tree = ObjectTree::link(
            vec![node("/a", 0), node("/b", 0), node("/self", 0), node("/lost", 0), node("/w", 0)],
            &[key("/b"), key("/a"), key("/self"), key("/nowhere"), key(ROOT)],
        );
        assert_eq!(tree.walk(|_| true), [4]);
        assert!(tree.above(0).count() <= 5);
    }

    #[test]
    fn entries_of_a_menu_come_as_they_are_drawn() {
        let mut tree = ObjectTree::link(
            vec![node("/m", 0), node("/c", 0), node("/a", 0), node("/off", 0), node("/b", 1)],
            &[key(ROOT), key("/m"), key("/m"), key("/m"), key("/m")],
        );
        tree.nodes[0].role = Role::Menu;
        for (place, y) in [(1, 60.0), (2, 20.0), (4, 40.0)] {
            tree.nodes[place].extents = Some(Rect::new(5.0, y, 80.0, 20.0));
        }
        tree.order_menus();
        let paths: Vec<_> = tree.walk(|_| true).into_iter().map(|at| &*tree.nodes[at].key.path).collect();
        assert_eq!(paths, ["/m", "/a", "/b", "/c", "/off"]);
    }

    #[test]
    fn states_and_interfaces_are_read_from_the_wire() {
        let states = StateBits::of(&[1 << 25 | 1 << 30, 1 << 11]);
        assert!(states.has(State::Showing) && states.has(State::Visible) && states.is_showing());
        assert!(states.has(State::ReadOnly) && !states.is_usable());
        assert_eq!(StateBits::of(&[]), StateBits::default());
        let ifaces = Ifaces::of(["org.a11y.atspi.Text", "org.a11y.atspi.Odd", "com.example.Table"]);
        assert!(ifaces.has(Iface::Text) && !ifaces.has(Iface::Table));
        assert_eq!(Iface::Text.name(), "org.a11y.atspi.Text");
    }
}
