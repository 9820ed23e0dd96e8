//! What the server takes from anyone who can reach the port.

use std::time::Duration;

/// Connections at once; more are closed as they come.
pub(super) const MAX_CONNECTIONS: usize = 256;

/// How long the head of a request may take, and an idle connection may stay.
pub(super) const HEAD_TIME: Duration = Duration::from_secs(5);

/// How long the body of a request may take.
pub(super) const BODY_TIME: Duration = Duration::from_secs(20);

/// How long an answer may take before the asker is told to come back.
pub(super) const ANSWER_TIME: Duration = Duration::from_secs(20);

/// Bytes of a request's head.
pub(super) const MAX_HEAD: usize = 16 << 10;

/// Bytes of a request's body: a program to list.
pub(super) const MAX_BODY: usize = 4 << 20;
