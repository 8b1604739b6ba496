//! Prompt templates with typed contexts.
//!
//! Invariant: context in, text out. Nothing here reads a file, a clock or the environment; a caller
//! that lets users replace templates reads the files itself and hands their text over.

/// Fills in one template for each of its contexts.
macro_rules! templates {
    ($($(#[$doc:meta])* $name:ident($context:ty) = $template:literal;)*) => {
        impl $crate::Prompts {
            $(
                $(#[$doc])*
                ///
                /// # Errors
                /// [`PromptError::Template`](crate::PromptError::Template) when the template asks for what the context lacks.
                pub fn $name(&self, context: &$context) -> Result<String, $crate::PromptError> {
                    self.render($template, context)
                }
            )*
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
mod store;

pub use error::PromptError;
pub use filters::{OPEN, screen_block};
pub use own::fill;
pub use store::Prompts;
