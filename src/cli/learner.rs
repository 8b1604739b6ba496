//! The model that learning asks: the one that is named, or the stand-in that reads screens.

use std::sync::Arc;

use waldo_agents::model::ModelClient;

use super::CliError;
use crate::agents::ModelArgs;
use crate::preflight::{self, PreflightQuestion};
use crate::serve::{ReferenceModel, Registry};

/// A model that is asked what elements do.
pub struct Learner {
    pub model: String,
    pub client: Arc<dyn ModelClient>,
    /// Tests whether it can be asked.
    question: Option<PreflightQuestion>,
    /// The stand-in's server, which ends with this.
    _stand_in: Option<ReferenceModel>,
}

impl Learner {
    /// The model that the flags name, for `command`.
    ///
    /// # Errors
    /// When they name none, or the model cannot be opened.
    pub async fn open(args: &ModelArgs, command: &str) -> Result<Self, CliError> {
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
        let question = match &stand_in {
            Some(_) => None,
            None => args.question(&client, &model, &base),
        };
        Ok(Self { model, client, question, _stand_in: stand_in })
    }

    /// Sees that the model can be asked, before anything is started or written for it.
    ///
    /// # Errors
    /// When it cannot.
    pub async fn preflight(&self) -> Result<(), CliError> {
        Ok(preflight::ask(self.question.as_slice()).await?)
    }
}
