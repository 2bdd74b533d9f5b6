//! The short forms of long requests.

/// Returns the text with every `@(...)` written out.
pub(super) fn expand(text: &str) -> Result<String, String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("@(") {
        let end = closing(after).ok_or_else(|| format!("@({after} has no end"))?;
        expanded.push_str(before);
        expanded.push_str(&form(&after[..end])?);
        rest = &after[end + 1..];
    }
    expanded.push_str(rest);
    Ok(expanded)
}

/// Returns the offset at which the open parenthesis closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (offset, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(offset);
        }
    }
    None
}

fn form(body: &str) -> Result<String, String> {
    let unknown = || format!("@({body}) is no short form");
    if let Some((range, element)) = body.split_once(' ')
        && let Some((first, last)) = range.split_once("..")
    {
        let first: u32 = first.parse().map_err(|_| unknown())?;
        let last: u32 = last.parse().map_err(|_| unknown())?;
        let element = expand_later(element);
        let elements: Result<Vec<_>, _> = (first..=last)
            .map(|nth| expand(&element.replace('@', &nth.to_string()).replace('\u{1}', "@(")))
            .collect();
        return Ok(elements?.join(","));
    }
    let (run, count) = body.rsplit_once('*').ok_or_else(unknown)?;
    Ok(run.repeat(count.parse().map_err(|_| unknown())?))
}

/// Hides inner short forms from the replacement of `@` by the number.
fn expand_later(element: &str) -> String {
    element.replace("@(", "\u{1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_are_written_out() {
        for (text, expanded) in [
            ("{}", "{}"),
            ("\"@(ab*3)\"", "\"ababab\""),
            ("[@(1..3 {\"n\":@})]", "[{\"n\":1},{\"n\":2},{\"n\":3}]"),
            ("@(1..2 f(@)@(x*2))", "f(1)xx,f(2)xx"),
        ] {
            assert_eq!(expand(text).as_deref(), Ok(expanded), "{text}");
        }
        for text in ["@(a*", "@(a)", "@(a*b)", "@(1..x y)"] {
            assert!(expand(text).is_err(), "{text}");
        }
    }
}
