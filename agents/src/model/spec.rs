//! From what the user names to a model that can be asked.

use std::path::PathBuf;
use std::sync::Arc;

use super::{EndpointClient, EndpointOptions, ModelClient, Recorder, Replay};
use crate::error::ModelError;

/// What a recording's folder is named with: `replay:DIR`.
const REPLAY: &str = "replay:";

#[derive(Clone, Debug)]
pub enum ModelSource {
    Replay(PathBuf),
    Endpoint(Box<EndpointOptions>),
}

#[derive(Clone, Debug)]
pub struct ModelSpec {
    pub source: ModelSource,
    pub record: Option<PathBuf>,
}

impl ModelSpec {
    /// Reads `replay:DIR`, or a model's name, which then replaces that of `options`.
    pub fn parse(text: &str, options: EndpointOptions) -> Result<Self, ModelError> {
        let text = text.trim();
        let source = match text.strip_prefix(REPLAY) {
            Some("") => return Err(ModelError::setup("replay: names no folder", "give it as replay:DIR")),
            Some(dir) => ModelSource::Replay(PathBuf::from(dir)),
            None if text.is_empty() => {
                let hint = "give the name that the endpoint knows it by, or replay:DIR";
                return Err(ModelError::setup("the model has no name", hint));
            }
            None => ModelSource::Endpoint(Box::new(EndpointOptions { model: text.to_owned(), ..options })),
        };
        Ok(Self { source, record: None })
    }
}

/// Opens the model that `spec` names. Nothing is asked yet.
pub fn open(spec: &ModelSpec) -> Result<Arc<dyn ModelClient>, ModelError> {
    let client: Arc<dyn ModelClient> = match &spec.source {
        ModelSource::Replay(_) if spec.record.is_some() => {
            let what = "replies of a replay would be recorded again";
            return Err(ModelError::setup(what, "leave the recording out, or name a model"));
        }
        ModelSource::Replay(dir) => Arc::new(Replay::open(dir)?),
        ModelSource::Endpoint(options) => Arc::new(EndpointClient::new(options.as_ref().clone())?),
    };
    Ok(match &spec.record {
        Some(dir) => Arc::new(Recorder::new(client, dir)?),
        None => client,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> EndpointOptions {
        EndpointOptions::new("http://127.0.0.1:9/v1", "")
    }

    #[test]
    fn a_name_opens_an_endpoint_and_replay_a_folder() {
        let spec = ModelSpec::parse("some-model", options()).unwrap();
        assert_eq!(open(&spec).unwrap().model(), "some-model");
        let ModelSource::Replay(dir) = ModelSpec::parse("replay:/a/b", options()).unwrap().source else {
            panic!("no replay");
        };
        assert_eq!(dir, PathBuf::from("/a/b"));
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(ModelSpec::parse("replay:", options()).is_err());
        assert!(ModelSpec::parse("  ", options()).is_err());
        let mut twice = ModelSpec::parse("replay:/a", options()).unwrap();
        twice.record = Some("/b".into());
        assert!(matches!(open(&twice), Err(ModelError::Setup { .. })));
    }

    #[test]
    fn a_recorded_model_keeps_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut spec = ModelSpec::parse("m", options()).unwrap();
        spec.record = Some(dir.path().join("new"));
        assert_eq!(open(&spec).unwrap().model(), "m");
    }
}
