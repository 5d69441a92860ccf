//! Remarks on standard error. Whether anybody reads them changes nothing of what a command does: where they cannot be
//! written, `eprintln` would end it.

/// Writes a line to standard error, if that is possible.
macro_rules! remark {
    ($($words:tt)*) => {{
        let line = format!($($words)*) + "\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes());
    }};
}

/// As `remark`, without an end of the line.
macro_rules! prompt {
    ($($words:tt)*) => {{
        let text = format!($($words)*);
        let _ = std::io::Write::write_all(&mut std::io::stderr(), text.as_bytes());
    }};
}
