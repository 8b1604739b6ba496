//! What a command line says: the tree that the grammar makes and the shell runs.

/// Commands one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ShellScript(pub Vec<AndOrList>);

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AndOrList {
    /// The pipelines, each with what joins it to the one before.
    pub chain: Vec<(Joint, Pipeline)>,
    /// Whether the shell waits for it.
    pub place: JobMode,
}

/// Does the shell wait?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobMode {
    Foreground,
    /// `&`: it does not.
    Background,
}

/// When a pipeline of a chain runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Joint {
    /// The first of the chain.
    First,
    And,
    Or,
}

/// Commands joined by `|`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pipeline {
    /// `!`: the exit status is turned round.
    pub negated: bool,
    /// The commands; never empty.
    pub stages: Vec<ShellCommand>,
}

/// One command with its redirections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellCommand {
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
        assignments: Vec<(String, ShellWord)>,
        /// The name and the arguments.
        words: Vec<ShellWord>,
    },
    /// `{ …; }`
    Group(ShellScript),
    /// `( … )`
    Subshell(ShellScript),
    /// `if`: conditions with their branches, then the last resort.
    If(Vec<(ShellScript, ShellScript)>, ShellScript),
    /// `for NAME in words`
    For(String, Vec<ShellWord>, ShellScript),
    /// `while`, or `until` where the flag says so.
    While {
        condition: ShellScript,
        body: ShellScript,
        /// `until`: goes on while the condition fails.
        until: bool,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Redirection {
    /// The descriptor: 0, 1 or 2. `&>` gives two of them.
    pub fd: u8,
    pub to: RedirectTarget,
}

/// Where a descriptor goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectTarget {
    /// `<`
    Read(ShellWord),
    /// `>`
    Write(ShellWord),
    /// `>>`
    Append(ShellWord),
    /// `>&N`
    Same(u8),
}

/// A word: pieces that are put together when it is expanded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ShellWord(pub Vec<WordPart>);

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordPart {
    /// Bare text, in which `*`, `?` and `[` match file names.
    Bare(String),
    /// Text from quotes or after a backslash.
    Quoted(String),
    Variable {
        /// Its name: a word, a digit, `?`, `$`, `#`, `@`, `*`.
        name: String,
        /// The value if it is unset or empty.
        default: Option<String>,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    Output {
        script: ShellScript,
        /// Whether it stands in double quotes.
        quoted: bool,
    },
    /// The value of a sum.
    Sum(String),
}
