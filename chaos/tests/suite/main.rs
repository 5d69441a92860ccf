//! Short hunts and rounds of what `sprig-chaos` runs for hours.

mod damage;
mod hunt;
mod rounds;
