//! What a command line says: the tree that the grammar makes and the shell runs.

/// Commands one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Script(pub Vec<Item>);

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The pipelines, each with what joins it to the one before.
    pub chain: Vec<(Joint, Pipeline)>,
    /// Whether the shell waits for it.
    pub place: Place,
}

/// Does the shell wait?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It waits.
    Foreground,
    /// `&`: it does not.
    Background,
}

/// When a pipeline of a chain runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// The first of the chain.
    First,
    /// After success.
    And,
    /// After failure.
    Or,
}

/// Commands joined by `|`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pipeline {
    /// `!`: the exit status is turned round.
    pub negated: bool,
    /// The commands; never empty.
    pub stages: Vec<Command>,
}

/// One command with its redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// What it does.
    pub body: Body,
    /// Where its input and outputs go, in order.
    pub redirections: Vec<Redirection>,
}

/// What a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Assignments, then a name and its arguments.
    Simple {
        /// `NAME=value` before the name.
        assignments: Vec<(String, Word)>,
        /// The name and the arguments.
        words: Vec<Word>,
    },
    /// `{ …; }`
    Group(Script),
    /// `( … )`
    Subshell(Script),
    /// `if`: conditions with their branches, then the last resort.
    If(Vec<(Script, Script)>, Script),
    /// `for NAME in words`
    For(String, Vec<Word>, Script),
    /// `while`, or `until` where the flag says so.
    While {
        /// Asked before each round.
        condition: Script,
        /// One round.
        body: Script,
        /// `until`: goes on while the condition fails.
        until: bool,
    },
}

/// One redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirection {
    /// The descriptor: 0, 1 or 2. `&>` gives two of them.
    pub fd: u8,
    /// Where to.
    pub to: Target,
}

/// Where a descriptor goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `<`
    Read(Word),
    /// `>`
    Write(Word),
    /// `>>`
    Append(Word),
    /// `>&N`
    Same(u8),
}

/// A word: pieces that are put together when it is expanded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Word(pub Vec<Part>);

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Bare text, in which `*`, `?` and `[` match file names.
    Bare(String),
    /// Text from quotes or after a backslash.
    Quoted(String),
    /// A parameter.
    Variable {
        /// Its name: a word, a digit, `?`, `$`, `#`, `@`, `*`.
        name: String,
        /// The value if it is unset or empty.
        default: Option<String>,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// The output of commands.
    Output {
        /// The commands.
        script: Script,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// The value of a sum.
    Sum(String),
}
