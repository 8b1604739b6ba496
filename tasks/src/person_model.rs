use std::fmt;
use std::sync::Arc;

use waldo_agents::model::ModelClient;

/// The model that plays persons.
#[derive(Clone)]
pub struct PersonModel(pub Arc<dyn ModelClient>);

impl fmt::Debug for PersonModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PersonModel").field(&self.0.model()).finish()
    }
}
