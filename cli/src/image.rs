//! Pictures as files, as pixels, and in terminals that show them.

use std::path::Path;

use anyhow::ensure;

use crate::draft;
use crate::failure::Usage;

/// A file for a picture, by its format.
#[derive(Clone, Copy)]
pub enum File<'a> {
    Svg(&'a Path),
    Png(&'a Path),
}

impl<'a> File<'a> {
    /// The format that the name of the file says.
    ///
    /// # Errors
    /// When the name says no format that this build writes.
    pub fn of(path: &'a Path) -> anyhow::Result<Self> {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("svg") => Ok(Self::Svg(path)),
            Some("png") => {
                ensure!(
                    cfg!(feature = "png"),
                    "this build of sprig writes no PNG; use -o FILE.svg"
                );
                Ok(Self::Png(path))
            }
            _ => Err(Usage(format!(
                "cannot tell the format of {} from its name; end it in .svg or .png",
                path.display()
            ))
            .into()),
        }
    }

    /// Writes a picture. A PNG is `width` pixels wide.
    ///
    /// # Errors
    /// When the picture cannot be drawn in pixels, or not be written.
    pub fn write(self, svg: &str, width: Option<u32>) -> anyhow::Result<()> {
        match self {
            Self::Svg(path) => draft::write(path, svg.as_bytes()),
            Self::Png(path) => draft::write(path, &png(svg, width)?),
        }
    }
}

/// A terminal that shows images, by its protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Terminal {
    /// The protocol of kitty, which Ghostty and WezTerm understand too.
    Kitty,
    /// The protocol of iTerm2, which Mintty and VS Code understand too.
    ITerm2,
}

/// Bytes of base64 that kitty takes in one message.
const CHUNK: usize = 4096;

impl Terminal {
    /// The protocol of the terminal, if the environment says that it has one.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        // A multiplexer does not pass images on.
        if variable("TMUX").is_some() || variable("STY").is_some() {
            return None;
        }
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        let term = variable("TERM").unwrap_or_default();
        let is_kitty = variable("KITTY_WINDOW_ID").is_some() || term.contains("kitty");
        if is_kitty || matches!(&program[..], "ghostty" | "WezTerm") {
            return Some(Self::Kitty);
        }
        matches!(&program[..], "iTerm.app" | "mintty" | "vscode").then_some(Self::ITerm2)
    }

    /// The text that shows a PNG when it is printed.
    pub fn show(self, png: &[u8]) -> String {
        let text = base64(png);
        match self {
            Self::ITerm2 => format!(
                "\x1b]1337;File=inline=1;size={};preserveAspectRatio=1:{text}\x07\n",
                png.len()
            ),
            Self::Kitty => {
                let mut shown = String::new();
                let mut rest = &text[..];
                let mut control = "a=T,f=100,";
                loop {
                    let (chunk, after) = rest.split_at(rest.len().min(CHUNK));
                    let more = u8::from(!after.is_empty());
                    shown.push_str(&format!("\x1b_G{control}m={more};{chunk}\x1b\\"));
                    (rest, control) = (after, "");
                    if rest.is_empty() {
                        return shown + "\n";
                    }
                }
            }
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let [a, b, c] = [0, 1, 2].map(|i| u32::from(group.get(i).copied().unwrap_or(0)));
        let bits = a << 16 | b << 8 | c;
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

/// An SVG document as PNG. Without a width it becomes twice as wide as the document says.
///
/// # Errors
/// When the picture is too large for memory.
#[cfg(feature = "png")]
pub fn png(svg: &str, width: Option<u32>) -> anyhow::Result<Vec<u8>> {
    use anyhow::Context;
    use resvg::{tiny_skia, usvg};

    let tree = usvg::Tree::from_str(svg, &usvg::Options::default())?;
    let size = tree.size();
    let scale = width.map_or(2.0, |width| width as f32 / size.width());
    let pixels = |length: f32| (length * scale).ceil() as u32;
    let mut pixmap = tiny_skia::Pixmap::new(pixels(size.width()), pixels(size.height()))
        .context("the picture is too large for pixels; give a smaller --width, or write SVG")?;
    resvg::render(&tree, tiny_skia::Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    Ok(pixmap.encode_png()?)
}

/// Says that this build has no pixels.
///
/// # Errors
/// Always.
#[cfg(not(feature = "png"))]
pub fn png(_: &str, _: Option<u32>) -> anyhow::Result<Vec<u8>> {
    anyhow::bail!("this build of sprig writes no PNG and shows no images; use -o FILE.svg")
}

#[cfg(test)]
mod tests {
    use super::{Terminal, base64};

    fn terminal(variables: &[(&str, &str)]) -> Option<Terminal> {
        let of =
            |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
        Terminal::of(of)
    }

    #[test]
    fn terminals_are_known_by_their_environment() {
        assert_eq!(terminal(&[("TERM", "xterm-kitty")]), Some(Terminal::Kitty));
        assert_eq!(terminal(&[("TERM_PROGRAM", "iTerm.app")]), Some(Terminal::ITerm2));
        assert_eq!(terminal(&[("TERM", "xterm-256color")]), None);
        assert_eq!(terminal(&[("TERM", "xterm-kitty"), ("TMUX", "1")]), None);
    }

    #[test]
    fn base64_pads() {
        assert_eq!(
            ["", "f", "fo", "foo"].map(|text| base64(text.as_bytes())),
            ["", "Zg==", "Zm8=", "Zm9v"]
        );
    }

    #[test]
    fn kitty_gets_chunks() {
        let shown = Terminal::Kitty.show(&vec![0; 4000]);
        assert!(shown.starts_with("\x1b_Ga=T,f=100,m=1;AAAA"), "{shown}");
        assert_eq!(shown.matches("\x1b_G").count(), 2);
        assert!(shown.contains("\x1b_Gm=0;"));
    }
}
