//! Pulls jobs, solves them on every core, reports facts as they are proved.
