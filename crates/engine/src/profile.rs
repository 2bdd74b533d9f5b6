//! The names of the profiles.

use std::fmt;
use std::str::FromStr;

/// Selection of the limits and delays of the service that an engine imitates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// No throttling, no delays, no stale reads.
    #[default]
    Default,
    /// With the service's throughput limits, table states and stale reads.
    Aws,
    /// With all faults that the service may show to a client, frequent, and chosen by a seed.
    Hostile,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Default, Self::Aws, Self::Hostile];

    /// Returns the name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Aws => "aws",
            Self::Hostile => "hostile",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|profile| profile.name() == text);
        known.ok_or_else(|| format!("no profile, only {}", Self::ALL.map(Self::name).join(", ")))
    }
}
