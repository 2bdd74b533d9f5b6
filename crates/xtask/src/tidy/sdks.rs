//! Compares the versions that `docs/sdks.md` says were run with the lists in `tests/e2e`.

use std::path::Path;

use super::read;

const PAGE: &str = "docs/sdks.md";
const REQUIREMENTS: &str = "tests/e2e/python/requirements.txt";
const PACKAGE: &str = "tests/e2e/js/package.json";
const GO: &str = "tests/e2e/go/go.mod";

/// Rows of the page, each with the lists of its versions and the text before a version there.
const ROWS: [(&str, &[(&str, &str)]); 6] = [
    ("Python: boto3", &[(REQUIREMENTS, "boto3==")]),
    ("AWS CLI", &[(REQUIREMENTS, "awscli==")]),
    (
        "JavaScript v3",
        &[
            (PACKAGE, "\"@aws-sdk/client-dynamodb\": \""),
            (PACKAGE, "\"@aws-sdk/client-dynamodb-streams\": \""),
        ],
    ),
    ("Rust", &[("tests/e2e/rust/Cargo.lock", "name = \"aws-sdk-dynamodb\"\nversion = \"")]),
    (
        "Go v2",
        &[
            (GO, "aws-sdk-go-v2 v"),
            (GO, "aws-sdk-go-v2/service/dynamodb v"),
            (GO, "aws-sdk-go-v2/service/dynamodbstreams v"),
        ],
    ),
    ("Java 2.x", &[("tests/e2e/java/pom.xml", "<artifactId>bom</artifactId>\n        <version>")]),
];

/// Returns each row of the page whose versions differ from the lists.
pub fn differing() -> Result<Vec<String>, String> {
    let page = read(Path::new(PAGE))?;
    let mut complaints = Vec::new();
    for (row, lists) in ROWS {
        let mut run = Vec::new();
        for (file, before) in lists {
            let version = version_behind(&read(Path::new(file))?, before);
            run.push(version.ok_or_else(|| format!("{file} has no version behind {before:?}"))?);
        }
        complaints.extend(complaint(&page, row, &run));
    }
    Ok(complaints)
}

fn complaint(page: &str, row: &str, run: &[String]) -> Option<String> {
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("| {row} | ")));
    let told = line.and_then(|line| line.split('|').next()).map(versions).unwrap_or_default();
    let (told, run) = (told.join(", "), run.join(", "));
    (told != run).then(|| format!("{PAGE}: {row} is told to be {told:?}, and {run:?} is run"))
}

fn version_behind(list: &str, before: &str) -> Option<String> {
    versions(list.split_once(before)?.1).into_iter().next()
}

/// Returns the versions in a text: three numbers with points between them.
fn versions(text: &str) -> Vec<String> {
    let words = text.split(|one: char| !one.is_ascii_digit() && one != '.');
    let words = words.map(|word| word.trim_matches('.'));
    words.filter(|word| word.split('.').count() == 3).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_with_another_version_is_found() {
        let page = "| Go v2 | core 1.2.3, `dynamodb` 4.5.6 | items |\n| Rust | 1.0.0 | all |\n";
        let run =
            |versions: &[&str]| versions.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        assert_eq!(complaint(page, "Go v2", &run(&["1.2.3", "4.5.6"])), None);
        assert!(complaint(page, "Go v2", &run(&["1.2.3", "4.5.7"])).is_some());
        assert!(complaint(page, "Java 2.x", &run(&["1.0.0"])).is_some());
        assert_eq!(version_behind("a==1.2.3\nb==2.0.1\n", "b==").as_deref(), Some("2.0.1"));
    }
}
