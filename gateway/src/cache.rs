//! A cache: what was worked out is kept for a while.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// Keeps what was used last, in two ages, the young and the old. When the young take too many
/// bytes, they become the old, and the old ones before them go. An old value that is asked for
/// becomes young again.
pub(crate) struct Cache<K, V> {
    /// Most bytes of one age, as the callers count them.
    bytes: usize,
    ages: Mutex<Ages<K, V>>,
}

struct Ages<K, V> {
    young: HashMap<K, (Arc<V>, usize)>,
    old: HashMap<K, (Arc<V>, usize)>,
    /// Bytes of the young.
    bytes: usize,
}

impl<K: Hash + Eq + Clone, V> Cache<K, V> {
    /// A cache for about this many bytes, both ages together.
    pub(crate) fn new(bytes: usize) -> Self {
        let ages = Ages { young: HashMap::new(), old: HashMap::new(), bytes: 0 };
        Self { bytes: bytes / 2, ages: Mutex::new(ages) }
    }

    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut ages = self.ages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((value, _)) = ages.young.get(key) {
            return Some(Arc::clone(value));
        }
        let (value, bytes) = ages.old.remove(key)?;
        self.put(&mut ages, key.clone(), Arc::clone(&value), bytes);
        Some(value)
    }

    /// Keeps a value of this size in bytes.
    pub(crate) fn keep(&self, key: K, value: Arc<V>, bytes: usize) {
        let mut ages = self.ages.lock().unwrap_or_else(PoisonError::into_inner);
        self.put(&mut ages, key, value, bytes);
    }

    fn put(&self, ages: &mut Ages<K, V>, key: K, value: Arc<V>, bytes: usize) {
        if ages.bytes + bytes > self.bytes {
            ages.old = std::mem::take(&mut ages.young);
            ages.bytes = 0;
        }
        ages.bytes += bytes;
        if let Some((_, before)) = ages.young.insert(key, (value, bytes)) {
            ages.bytes -= before;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let cache = Cache::new(20);
        for key in 0..100 {
            cache.keep(key, Arc::new(key), 1);
            assert_eq!(cache.get(&0).as_deref(), Some(&0), "{key}");
        }
        let left = (0..100).filter(|key| cache.get(key).is_some()).count();
        assert!((10..=20).contains(&left), "{left}");
        assert!(cache.get(&1).is_none());
    }
}
