//! What holds now for a browser context, and may be replaced while it is used.

use std::sync::{Arc, Mutex, PoisonError};

/// What holds now; those who share it see it replaced.
pub(crate) struct Current<T>(Arc<Mutex<Arc<T>>>);

impl<T> Clone for Current<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Current<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(value))))
    }

    pub(crate) fn get(&self) -> Arc<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn replace(&self, value: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(value);
    }
}
