//! The model that learning asks: the one that is named, or the stand-in that reads screens.

use std::sync::Arc;

use waldo_agents::model::ModelClient;

use super::{CliError, Result};
use crate::agents::ModelArgs;
use crate::preflight::{self, PreflightQuestion};
use crate::serve::{ReferenceModel, Registry};

pub struct Learner {
    pub model: String,
    pub client: Arc<dyn ModelClient>,
    question: Option<PreflightQuestion>,
    _stand_in: Option<ReferenceModel>,
}

impl Learner {
    /// The model that the flags name, for `command`.
    pub async fn open(args: &ModelArgs, command: &str) -> Result<Self> {
        let model = args.model.clone().ok_or_else(|| {
            CliError::Input(format!(
                "{command} needs --model NAME (and --base-url URL for your own endpoint)"
            ))
        })?;
        let stand_in = match model.as_str() {
            "reader" => Some(ReferenceModel::own(Registry::default()).await?),
            _ => None,
        };
        let base = stand_in.as_ref().map_or_else(|| args.address(), ReferenceModel::base_url);
        let client = args.client(&model, &base)?;
        let question = if stand_in.is_some() { None } else { args.question(&client, &model, &base) };
        Ok(Self { model, client, question, _stand_in: stand_in })
    }

    /// Sees that the model can be asked, before anything is started or written for it.
    pub async fn preflight(&self) -> Result<()> {
        Ok(preflight::ask(self.question.as_slice()).await?)
    }
}
