//! Slow, obvious, independent rules of Sprouts, to check the engine against.
