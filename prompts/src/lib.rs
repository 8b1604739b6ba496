//! Prompt templates with typed contexts.
//!
//! Invariant: context in, text out. Nothing here reads a file, a clock or the environment; a caller
//! that lets users replace templates reads the files itself and hands their text over.

/// Methods that fill in a template each, and `check`, which tries them all out with samples of their contexts.
macro_rules! templates {
    ($($(#[$doc:meta])* $name:ident($context:ty) = $template:literal;)*) => {
        impl $crate::Prompts {
            $(
                $(#[$doc])*
                pub fn $name(&self, context: &$context) -> Result<String, $crate::PromptError> {
                    self.render($template, context)
                }
            )*
        }

        pub(crate) fn check(prompts: &$crate::Prompts) -> Result<(), $crate::PromptError> {
            $(
                for context in $crate::sample::contexts::<$context>($template)? {
                    prompts.$name(&context)?;
                }
            )*
            Ok(())
        }
    };
}

pub mod appagent;
mod error;
mod filters;
pub mod frames;
pub mod items;
pub mod levels;
mod open;
mod own;
pub mod planner;
mod sample;
mod store;

pub use error::PromptError;
pub use filters::{OPEN, screen_block};
pub use own::fill;
pub use store::Prompts;
