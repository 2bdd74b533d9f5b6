//! Keys and indexes as people write them: `pk:S`, `by-state=country:S,state:S/keys-only`.
//!
//! ```text
//! global index  NAME=PART[,PART][/OPTION...]      partition key, sort key
//! local index   NAME=PART[/OPTION...]             sort key
//! PART          ATTRIBUTE[+ATTRIBUTE...]
//! ATTRIBUTE     NAME[:S|:N|:B]
//! OPTION        all | keys-only | include=NAME[,NAME...] | throughput=READ:WRITE
//! NAME          characters but : + , / =, or any between double quotes, a quote inside twice
//! ```

/// An attribute of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its type, S, N or B, if the text gives it.
    pub key_type: Option<&'static str>,
}

/// Attributes that an index holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Projection {
    /// All.
    All,
    /// Key attributes only.
    KeysOnly,
    /// Key attributes and these.
    Include(Vec<String>),
}

/// Read and write units a second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Throughput {
    /// Read units.
    pub read: u64,
    /// Write units.
    pub write: u64,
}

/// A secondary index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Its partition key; that of a local index is the table's.
    pub partition: Vec<Attribute>,
    /// Its sort key.
    pub sort: Vec<Attribute>,
    /// Attributes that it holds.
    pub projection: Projection,
    /// Its provisioned units.
    pub throughput: Option<Throughput>,
}

const MARKS: [char; 5] = [':', '+', ',', '/', '='];

struct Cursor<'a> {
    rest: &'a str,
}

impl Cursor<'_> {
    fn skip(&mut self, mark: char) -> bool {
        let after = self.rest.strip_prefix(mark);
        self.rest = after.unwrap_or(self.rest);
        after.is_some()
    }

    /// Reads a name; it is not empty.
    fn name(&mut self, what: &str) -> Result<String, String> {
        if self.skip('"') {
            return self.quoted();
        }
        let end = self.rest.find(MARKS).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        if name.is_empty() {
            return Err(format!("expected {what}, found {}", self.found()));
        }
        self.rest = rest;
        Ok(name.to_owned())
    }

    fn quoted(&mut self) -> Result<String, String> {
        let mut name = String::new();
        loop {
            let end = self.rest.find('"').ok_or("the closing quote of a name is missing")?;
            name.push_str(&self.rest[..end]);
            self.rest = &self.rest[end + 1..];
            if !self.skip('"') {
                return Ok(name);
            }
            name.push('"');
        }
    }

    fn found(&self) -> String {
        if self.rest.is_empty() { "the end".to_owned() } else { format!("{:?}", self.rest) }
    }

    fn attribute(&mut self) -> Result<Attribute, String> {
        let name = self.name("an attribute")?;
        let key_type = if self.skip(':') {
            let written = self.name("a type")?;
            let known = ["S", "N", "B"].into_iter().find(|known| *known == written);
            Some(known.ok_or_else(|| {
                format!("{written:?} is no type of a key: S is text, N a number, B binary")
            })?)
        } else {
            None
        };
        Ok(Attribute { name, key_type })
    }

    fn part(&mut self) -> Result<Vec<Attribute>, String> {
        let mut attributes = vec![self.attribute()?];
        while self.skip('+') {
            attributes.push(self.attribute()?);
        }
        Ok(attributes)
    }

    fn options(&mut self, index: &mut Index) -> Result<(), String> {
        while self.skip('/') {
            let option = self.name("all, keys-only, include= or throughput=")?;
            match (option.as_str(), self.skip('=')) {
                ("all", false) => index.projection = Projection::All,
                ("keys-only", false) => index.projection = Projection::KeysOnly,
                ("include", true) => {
                    let mut names = vec![self.name("an attribute")?];
                    while self.skip(',') {
                        names.push(self.name("an attribute")?);
                    }
                    index.projection = Projection::Include(names);
                }
                ("throughput", true) => {
                    let end = self.rest.find('/').unwrap_or(self.rest.len());
                    let (written, rest) = self.rest.split_at(end);
                    index.throughput = Some(throughput(written)?);
                    self.rest = rest;
                }
                _ => {
                    return Err(format!(
                        "{option:?} is no option of an index: all, keys-only, include=NAMES, \
                         throughput=READ:WRITE"
                    ));
                }
            }
        }
        match self.rest {
            "" => Ok(()),
            _ => Err(format!("expected the end or /, found {}", self.found())),
        }
    }
}

/// Reads `pk:S`.
pub fn key(text: &str) -> Result<Attribute, String> {
    let mut cursor = Cursor { rest: text };
    let attribute = cursor.attribute()?;
    match cursor.rest {
        "" => Ok(attribute),
        _ => Err(format!("expected the end, found {}", cursor.found())),
    }
}

fn begin<'a>(text: &'a str, example: &str) -> Result<(Cursor<'a>, Index), String> {
    let mut cursor = Cursor { rest: text };
    let name = cursor.name("the index's name")?;
    if !cursor.skip('=') {
        return Err(format!(
            "expected = and its keys, such as {example}, found {}",
            cursor.found()
        ));
    }
    let (partition, sort) = (Vec::new(), Vec::new());
    let (projection, throughput) = (Projection::All, None);
    Ok((cursor, Index { name, partition, sort, projection, throughput }))
}

/// Reads a global index.
pub fn global_index(text: &str) -> Result<Index, String> {
    let (mut cursor, mut index) = begin(text, "by-state=country:S,state:S")?;
    index.partition = cursor.part()?;
    if cursor.skip(',') {
        index.sort = cursor.part()?;
    }
    if cursor.rest.starts_with(',') {
        return Err(
            "a key has two parts; + joins several attributes in one, as in a:S,b:S+c:S".to_owned()
        );
    }
    cursor.options(&mut index)?;
    Ok(index)
}

/// Reads a local index.
pub fn local_index(text: &str) -> Result<Index, String> {
    let (mut cursor, mut index) = begin(text, "by-date=date:S")?;
    index.sort = vec![cursor.attribute()?];
    if cursor.rest.starts_with([',', '+']) {
        return Err("a local index has one key attribute, its sort key; its partition key is the \
                    table's"
            .to_owned());
    }
    cursor.options(&mut index)?;
    match index.throughput {
        None => Ok(index),
        Some(_) => Err("a local index has no units of its own".to_owned()),
    }
}

/// Reads `10:5`.
pub fn throughput(text: &str) -> Result<Throughput, String> {
    let units = |text: &str| text.parse::<u64>().ok();
    let read = text
        .split_once(':')
        .and_then(|(read, write)| Some(Throughput { read: units(read)?, write: units(write)? }));
    read.ok_or_else(|| format!("{text:?} is not READ:WRITE, such as 10:5"))
}

/// Reads `team=shop` as two texts.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let split = text.split_once('=').filter(|(key, _)| !key.is_empty());
    let (key, value) = split.ok_or_else(|| format!("{text:?} is not NAME=VALUE"))?;
    Ok((key.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute(name: &str, key_type: Option<&'static str>) -> Attribute {
        Attribute { name: name.to_owned(), key_type }
    }

    #[test]
    fn indexes_are_read() {
        let base = Index {
            name: "i".to_owned(),
            partition: vec![attribute("a", Some("S"))],
            sort: Vec::new(),
            projection: Projection::All,
            throughput: None,
        };
        let cases = [
            ("i=a:S", base.clone()),
            ("i=a:S/all", base.clone()),
            ("i=a:S,b", Index { sort: vec![attribute("b", None)], ..base.clone() }),
            (
                "i=a:S+b:N,c:B+d:S/keys-only/throughput=10:5",
                Index {
                    partition: vec![attribute("a", Some("S")), attribute("b", Some("N"))],
                    sort: vec![attribute("c", Some("B")), attribute("d", Some("S"))],
                    projection: Projection::KeysOnly,
                    throughput: Some(Throughput { read: 10, write: 5 }),
                    ..base.clone()
                },
            ),
            (
                "\"i=\"\"\"=\"a:S\"/include=x,\"y,z\"",
                Index {
                    name: "i=\"".to_owned(),
                    partition: vec![attribute("a:S", None)],
                    projection: Projection::Include(vec!["x".to_owned(), "y,z".to_owned()]),
                    ..base.clone()
                },
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(global_index(text), Ok(expected), "{text}");
        }
        let local = Index { partition: Vec::new(), sort: base.partition.clone(), ..base };
        assert_eq!(local_index("i=a:S"), Ok(local));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("", "expected the index's name, found the end"),
            ("i", "expected = and its keys, such as by-state=country:S,state:S, found the end"),
            ("i=", "expected an attribute, found the end"),
            ("i=a:X", "\"X\" is no type of a key: S is text, N a number, B binary"),
            (
                "i=a:S,b:S,c:S",
                "a key has two parts; + joins several attributes in one, as in a:S,b:S+c:S",
            ),
            (
                "i=a:S/some",
                "\"some\" is no option of an index: all, keys-only, include=NAMES, throughput=READ:WRITE",
            ),
            (
                "i=a:S/include",
                "\"include\" is no option of an index: all, keys-only, include=NAMES, throughput=READ:WRITE",
            ),
            ("i=a:S/throughput=1", "\"1\" is not READ:WRITE, such as 10:5"),
            ("i=\"a", "the closing quote of a name is missing"),
            ("i=a:S=", "expected the end or /, found \"=\""),
        ];
        for (text, expected) in cases {
            assert_eq!(global_index(text).unwrap_err(), expected, "{text}");
        }
        assert!(local_index("i=a:S,b:S").unwrap_err().starts_with("a local index has one key"));
        assert!(
            local_index("i=a:S/throughput=1:1").unwrap_err().starts_with("a local index has no")
        );
        assert_eq!(key("a:S,b").unwrap_err(), "expected the end, found \",b\"");
        assert_eq!(pair("=x").unwrap_err(), "\"=x\" is not NAME=VALUE");
        assert_eq!(pair("a=b=c"), Ok(("a".to_owned(), "b=c".to_owned())));
    }
}
