//! The colours of a picture.

/// How a picture is coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Theme {
    /// For light pages.
    #[default]
    Light,
    /// For dark pages.
    Dark,
    /// For paper: no colours.
    Print,
}

/// The colours of a theme, as SVG writes them.
pub(crate) struct Colours {
    pub page: &'static str,
    pub card: &'static str,
    /// Curves and captions.
    pub ink: &'static str,
    /// Things that are shown less clearly.
    pub faint: &'static str,
    /// Regions. Neighbours get different ones.
    pub regions: &'static [&'static str],
    pub dead: &'static str,
    pub hatch: &'static str,
    pub junction: &'static str,
    /// The colours of spots, by their lives less 1: that of the spot, and that of the text on it.
    pub spots: [(&'static str, &'static str); 3],
    /// The rim of each spot.
    pub rim: &'static str,
    /// The curve of a move.
    pub curve: &'static str,
}

impl Theme {
    pub(crate) fn colours(self) -> &'static Colours {
        match self {
            Self::Light => &LIGHT,
            Self::Dark => &DARK,
            Self::Print => &PRINT,
        }
    }
}

static LIGHT: Colours = Colours {
    page: "#ffffff",
    card: "#e5e7eb",
    ink: "#1f2937",
    faint: "#6b7280",
    regions: &["#dcfce7", "#dbeafe", "#fef3c7", "#fce7f3", "#ede9fe", "#cffafe", "#ffedd5"],
    dead: "#eceef1",
    hatch: "#b6bcc6",
    junction: "#6b7280",
    spots: [("#d9480f", "#ffffff"), ("#2563eb", "#ffffff"), ("#15803d", "#ffffff")],
    rim: "#ffffff",
    curve: "#a21caf",
};

static DARK: Colours = Colours {
    page: "#0f172a",
    card: "#334155",
    ink: "#e2e8f0",
    faint: "#94a3b8",
    regions: &["#14432a", "#1e3a5f", "#4a3a12", "#4a1f3a", "#36285f", "#134a50", "#50301a"],
    dead: "#1e2533",
    hatch: "#4b5668",
    junction: "#94a3b8",
    spots: [("#fb923c", "#0f172a"), ("#60a5fa", "#0f172a"), ("#4ade80", "#0f172a")],
    rim: "#0f172a",
    curve: "#f0abfc",
};

static PRINT: Colours = Colours {
    page: "#ffffff",
    card: "#cccccc",
    ink: "#000000",
    faint: "#555555",
    regions: &["#f4f4f4", "#e6e6e6", "#fafafa", "#dcdcdc", "#efefef", "#e0e0e0", "#f0f0f0"],
    dead: "#ffffff",
    hatch: "#777777",
    junction: "#000000",
    spots: [("#000000", "#ffffff"), ("#bbbbbb", "#000000"), ("#ffffff", "#000000")],
    rim: "#000000",
    curve: "#000000",
};
