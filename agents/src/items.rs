//! Items of one's own, as a model is asked to say their instructions in other words.
//!
//! Invariant: an instruction is put once, by itself, without a picture: the model knows no more of the screen than it says.

use std::sync::Arc;

use waldo_devices::Deadline;
use waldo_prompts::Prompts;
use waldo_prompts::items::RewriteText;

use crate::agent::Exchange;
use crate::chat::{ask, message};
use crate::error::AgentError;
use crate::model::{ModelClient, Speaker};

pub struct Rewriter {
    client: Arc<dyn ModelClient>,
    prompts: Arc<Prompts>,
    max_tokens: u32,
}

impl Rewriter {
    /// One that asks `client`, whose replies may have `max_tokens` tokens.
    pub fn new(client: Arc<dyn ModelClient>, prompts: Arc<Prompts>, max_tokens: u32) -> Self {
        Self { client, prompts, max_tokens }
    }

    pub async fn rewrite(&self, text: &RewriteText, deadline: Deadline) -> Result<Exchange, AgentError> {
        let prompt = self.prompts.item_rewrite(text)?;
        let messages = [message(Speaker::User, prompt.trim_end())];
        let (_, exchange) =
            ask(self.client.as_ref(), self.max_tokens, "rewrite", &messages, &prompt, deadline).await?;
        Ok(exchange)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::appagent::testing::{ScriptedModel, soon};

    #[tokio::test]
    async fn an_instruction_is_put_by_itself() {
        let script = ScriptedModel::new(&["Press \"Save\"."]);
        let rewriter = Rewriter::new(script.clone(), Arc::new(Prompts::builtin().unwrap()), 50);
        let text =
            RewriteText { instruction: "The button \"Save\".".into(), without_name: false, longest: 240 };
        let exchange = rewriter.rewrite(&text, soon()).await.unwrap();
        assert_eq!((exchange.reply.as_str(), exchange.pictures), ("Press \"Save\".", 0));
        let asked = script.asked.lock().unwrap();
        assert_eq!((asked.len(), asked[0].messages.len(), asked[0].max_tokens), (1, 1, 50));
        assert!(exchange.prompt.contains("<screen-text untrusted>\nThe button \"Save\".\n</screen-text>"));
    }
}
