//! The packages of other ecosystems have the version of the crates. That of the wheel is taken from the
//! crate when it is built.

use std::path::Path;

use serde_json::Value;

use super::read;

const NPM: &str = "packages/npm/hashrange/package.json";

/// Returns each version that differs.
pub fn differing() -> Result<Vec<String>, String> {
    let manifest = serde_json::from_str(&read(Path::new(NPM))?);
    let manifest: Value = manifest.map_err(|error| format!("{NPM}: {error}"))?;
    Ok(complaints(&manifest, env!("CARGO_PKG_VERSION")))
}

fn complaints(manifest: &Value, wanted: &str) -> Vec<String> {
    let own = std::iter::once(("version", &manifest["version"]));
    let platforms = manifest["optionalDependencies"].as_object().into_iter().flatten();
    let all = own.chain(platforms.map(|(name, version)| (name.as_str(), version)));
    let wrong = all.filter(|(_, version)| *version != wanted);
    wrong.map(|(name, version)| format!("{NPM}: {name} is {version}, not {wanted}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_package_and_its_platforms_are_compared() {
        let manifest =
            json!({"version": "2.0.0", "optionalDependencies": {"a": "1.0.0", "b": "2.0.0"}});
        assert_eq!(complaints(&manifest, "2.0.0"), [format!("{NPM}: a is \"1.0.0\", not 2.0.0")]);
    }
}
