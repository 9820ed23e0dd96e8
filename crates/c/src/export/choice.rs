//! What to decode for.
