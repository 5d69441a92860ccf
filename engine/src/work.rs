//! stub
#[derive(Default)]
pub(crate) struct Work;
impl Work { pub(crate) fn load(&mut self, _: &crate::Land) {} }
