//! Tests of the sources of settings.

use super::*;
use hashrange::Profile;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

fn resolve(
    flags: Layer,
    variables: &[(&str, &str)],
    file: Option<&[u8]>,
) -> Result<Settings, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hashrange.toml");
    let config = file.map(|bytes| {
        fs::write(&path, bytes).unwrap();
        path.as_path()
    });
    let variables: HashMap<_, _> = variables.iter().copied().collect();
    let variable = |name: &str| variables.get(name).map(OsString::from);
    Settings::resolve(flags, config, variable)
        .map_err(|error| error.to_string().replace(&path.display().to_string(), "FILE"))
}

#[test]
fn without_anything_there_are_defaults() {
    let settings = resolve(Layer::default(), &[], None).unwrap();
    assert_eq!(settings.place(), StoreChoice::Folder("hashrange-data".into()));
    assert_eq!((settings.host.as_str(), settings.port), ("127.0.0.1", 8000));
    assert_eq!(settings.region, "us-east-1");
    assert!(!settings.insecure);
    assert_eq!(settings.credentials, None);
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let flags = |port| Layer { port, ..Layer::default() };
    let variables: &[_] = &[("HASHRANGE_PORT", "2"), ("HASHRANGE_LOG_FORMAT", "json")];
    let file: &[u8] = b"port = 3\nregion = 'eu-west-1'\ncache-size = '64MiB'\nsweep-interval = '5m'\nlog-format = 'text'";
    let cases = [
        (Some(1), variables, Some(file), 1),
        (None, variables, Some(file), 2),
        (None, &[], Some(file), 3),
        (None, &[("HASHRANGE_PORT", "")], Some(file), 3),
        (None, &[], None, 8000),
    ];
    for (flag, variables, file, port) in cases {
        assert_eq!(resolve(flags(flag), variables, file).unwrap().port, port);
    }
    let all = resolve(flags(Some(1)), variables, Some(file)).unwrap();
    assert_eq!((all.region.as_str(), all.log_format), ("eu-west-1", LogFormat::Json));
    assert_eq!(all.cache_size, Some(ByteSize(64 << 20)));
    assert_eq!(all.sweep_interval, Some("5m".parse().unwrap()));
}

#[test]
fn shards_of_streams_can_come_from_every_source() {
    assert_eq!(resolve(Layer::default(), &[], None).unwrap().sharding(), Ok(Sharding::default()));
    let file: &[u8] = b"stream-shards = 2\nstream-shard-period = '10m'";
    let variables: &[_] = &[("HASHRANGE_STREAM_SHARD_PERIOD", "5s")];
    let flags = Layer { stream_shards: Some(1), ..Layer::default() };
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    for (flags, variables, expected) in [
        (Layer::default(), &[][..], Sharding::new(2, minutes(10))),
        (Layer::default(), variables, Sharding::new(2, Duration::from_secs(5))),
        (flags, variables, Sharding::new(1, Duration::from_secs(5))),
    ] {
        assert_eq!(resolve(flags, variables, Some(file)).unwrap().sharding(), expected);
    }
    for (file, refused) in [
        ("stream-shards = 0", "stream-shards: a stream has 1 to 1000 shards, not 0"),
        ("stream-shards = 1001", "stream-shards: a stream has 1 to 1000 shards, not 1001"),
        (
            "stream-shard-period = '20ms'",
            "stream-shard-period: a shard is written to for at least 1s, not 20ms",
        ),
    ] {
        assert_eq!(resolve(Layer::default(), &[], Some(file.as_bytes())), Err(refused.to_owned()));
    }
}

#[test]
fn origins_and_hosts_can_come_from_every_source() {
    let texts = |settings: &Settings| {
        let web = format!("{:?} {:?}", settings.allow_origin, settings.allow_host);
        web.replace("Only", "").replace(['(', ')', '"'], "")
    };
    assert_eq!(texts(&resolve(Layer::default(), &[], None).unwrap()), "[] []");
    let file: &[u8] = b"allow-origin = ['http://a', '*']\nallow-host = 'db'";
    let variables: &[_] = &[("HASHRANGE_ALLOW_ORIGIN", "http://b:80, http://c")];
    let flags = Layer { allow_host: Some(vec!["::1".parse().unwrap()]), ..Layer::default() };
    for (flags, variables, expected) in [
        (Layer::default(), &[][..], "[http://a, Any] [db]"),
        (Layer::default(), variables, "[http://b:80, http://c] [db]"),
        (flags, variables, "[http://b:80, http://c] [[::1]]"),
    ] {
        assert_eq!(texts(&resolve(flags, variables, Some(file)).unwrap()), expected);
    }
    for (file, refused) in [
        ("allow-origin = 'a'", "FILE:1: an origin is written like"),
        ("allow-host = ['a:80']", "FILE:1: a host is a name"),
        ("allow-host = 1", "FILE:1: a text or an array of texts"),
    ] {
        let error = resolve(Layer::default(), &[], Some(file.as_bytes())).unwrap_err();
        assert!(error.starts_with(refused), "{error}");
    }
}

#[test]
fn a_profile_can_come_from_every_source() {
    let settings = resolve(Layer::default(), &[], None).unwrap();
    assert_eq!((settings.profile, settings.seed), (Profile::Default, None));
    let file: &[u8] = b"profile = 'aws'\nseed = 7\ntable-delay-ms = 5";
    let from_file = resolve(Layer::default(), &[], Some(file)).unwrap();
    assert_eq!((from_file.profile, from_file.seed), (Profile::Aws, Some(7)));
    assert_eq!(from_file.table_delay_ms, Some(5));
    let variables: &[_] = &[("HASHRANGE_PROFILE", "hostile"), ("HASHRANGE_SEED", "8")];
    let mixed = resolve(Layer::default(), variables, Some(file)).unwrap();
    assert_eq!((mixed.profile, mixed.seed), (Profile::Hostile, Some(8)));
    let flags = Layer { profile: Some(Profile::Default), ..Layer::default() };
    assert_eq!(resolve(flags, variables, Some(file)).unwrap().profile, Profile::Default);
}

#[test]
fn what_a_server_begins_with_can_come_from_every_source() {
    let settings = resolve(Layer::default(), &[], None).unwrap();
    assert!(settings.init.is_empty() && settings.load.is_empty());
    assert!(!settings.test_api && !settings.namespaces);
    let file: &[u8] = b"init = ['a.json', 'b.yaml']\nload = 'items'\nnamespaces = true";
    let variables: &[_] = &[("HASHRANGE_INIT", "c.json, d.json"), ("HASHRANGE_TEST_API", "true")];
    let flags = Layer { load: Some(vec!["other".into()]), ..Layer::default() };
    let texts = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    let from_file: Vec<String> = texts(&resolve(Layer::default(), &[], Some(file)).unwrap().init);
    assert!(from_file[0].ends_with("a.json") && from_file[1].ends_with("b.yaml"), "{from_file:?}");
    let mixed = resolve(flags, variables, Some(file)).unwrap();
    let found: [Vec<String>; 2] = [texts(&mixed.init), texts(&mixed.load)];
    assert_eq!(found, [vec!["c.json", "d.json"], vec!["other"]]);
    assert!(mixed.test_api && mixed.namespaces);
}

#[test]
fn a_database_in_memory_has_the_test_api_unless_it_is_switched_off() {
    let memory = || Layer { memory: Some(true), ..Layer::default() };
    assert!(resolve(memory(), &[], None).unwrap().test_api);
    let off = Layer { test_api: Some(false), ..memory() };
    assert!(!resolve(off, &[], None).unwrap().test_api);
}

#[test]
fn the_first_source_that_names_a_place_for_the_data_wins() {
    let memory = Layer { memory: Some(true), ..Layer::default() };
    let folder = Layer { data_dir: Some("f".into()), ..Layer::default() };
    let url = |url: &str| Layer { store: url.parse().ok(), ..Layer::default() };
    let in_variable: &[_] = &[("HASHRANGE_DATA_DIR", "v")];
    let url_in_variable: &[_] = &[("HASHRANGE_STORE", "v")];
    let cases = [
        (memory.clone(), in_variable, "", StoreChoice::Memory),
        (folder, &[("HASHRANGE_MEMORY", "true")], "", StoreChoice::Folder("f".into())),
        (Layer::default(), in_variable, "memory = true", StoreChoice::Folder("v".into())),
        (Layer::default(), &[], "memory = true", StoreChoice::Memory),
        (url("f"), in_variable, "memory = true", StoreChoice::Url("f".parse().unwrap())),
        (
            Layer::default(),
            url_in_variable,
            "memory = true",
            StoreChoice::Url("v".parse().unwrap()),
        ),
        (Layer::default(), &[], "store = 'c'", StoreChoice::Url("c".parse().unwrap())),
        (memory.clone(), url_in_variable, "store = 'c'", StoreChoice::Memory),
    ];
    for (flags, variables, file, store) in cases {
        assert_eq!(resolve(flags, variables, Some(file.as_bytes())).unwrap().place(), store);
    }
    let both = Layer { data_dir: Some("f".into()), ..memory };
    let error = resolve(both, &[], None).unwrap_err();
    assert_eq!(error, "memory and data-dir exclude each other: both are given in the flags");
    let error = resolve(Layer::default(), &[], Some(b"memory = true\nstore = 'x'")).unwrap_err();
    let expected = "memory and store exclude each other: both are given in the configuration file";
    assert_eq!(error, expected);
}

#[test]
fn a_url_is_no_folder() {
    for (variables, file) in [
        (&[("HASHRANGE_DATA_DIR", "postgres://u:secret@h")][..], ""),
        (&[], "data-dir = 'postgresql://u:secret@h/x'"),
    ] {
        let error = resolve(Layer::default(), variables, Some(file.as_bytes())).unwrap_err();
        assert!(error.starts_with("a folder is wanted, not the URL"), "{error}");
    }
}

#[test]
fn no_message_repeats_a_url() {
    for file in [
        "store = 'postgres://u:secret@h/x'\nmemory = true",
        "store = ['postgres://u:secret@h/x']",
        "store = postgres://u:secret@h/x",
        "store = 'postgres://u:secret@h/x",
        "store = 'postgres://u:secret@h/x'\nstore = 'postgres://u:secret@h/x'",
        "store = { url = 'postgres://u:secret@h/x' }",
    ] {
        let error = resolve(Layer::default(), &[], Some(file.as_bytes())).unwrap_err();
        assert!(!error.contains("secret"), "{error}");
    }
    let settings = resolve(Layer::default(), &[("HASHRANGE_STORE", "postgres://u:secret@h")], None);
    assert!(!format!("{settings:?}").contains("secret"));
}

#[cfg(unix)]
#[test]
fn a_url_that_is_not_text_is_not_repeated() {
    use std::os::unix::ffi::OsStringExt;
    let value = || OsString::from_vec(b"postgres://u:secret\xff@h/x".to_vec());
    let variable = |name: &str| (name == "HASHRANGE_STORE").then(value);
    let error = Settings::resolve(Layer::default(), None, variable).unwrap_err();
    assert_eq!(error.to_string(), "environment variable HASHRANGE_STORE is not UTF-8");
}

#[test]
fn paths_in_a_file_start_at_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.toml");
    fs::write(&path, "data-dir = 'data'\ncredentials = '/etc/keys'\ncontract = 'c.json'").unwrap();
    let settings = Settings::resolve(Layer::default(), Some(&path), |_| None).unwrap();
    assert_eq!(settings.place(), StoreChoice::Folder(folder.path().join("data")));
    assert_eq!(settings.credentials, Some("/etc/keys".into()));
    assert_eq!(settings.contract, Some(folder.path().join("c.json")));
}

#[test]
fn wrong_settings_are_refused_with_their_place() {
    let cases: &[(&[u8], &str)] = &[
        (b"port = 1\nprot = 2", "FILE:2: unknown field `prot`, expected one of"),
        (b"\n\nport = 'x'", "FILE:3: invalid type: string \"x\", expected u16"),
        (b"port = 70000", "FILE:1: invalid value: integer `70000`, expected u16"),
        (b"memory = 1", "FILE:1: invalid type: integer `1`, expected a boolean"),
        (b"log-format = 'xml'", "FILE:1: unknown variant `xml`, expected `text` or `json`"),
        (b"cache-size = '1x'", "FILE:1: \"1x\" is no size"),
        (b"profile = 'evil'", "FILE:1: no profile, only default, aws, hostile"),
        (b"stream-shards = -1", "FILE:1: invalid value: integer `-1`, expected u32"),
        (b"stream-shard-period = '0s'", "FILE:1: \"0s\" is no interval"),
        (b"profile = 1", "FILE:1: invalid type: integer `1`, expected a string"),
        (b"seed = -1", "FILE:1: invalid value: integer `-1`, expected u64"),
        (b"cache-size = true", "FILE:1: a number of bytes or a text"),
        (b"[server]\nport = 1", "FILE:1: unknown field `server`"),
        (b"port = 1\nport = 2", "FILE:2: duplicate key"),
        (b"port", "FILE:1: "),
        (b"{\"port\": 1}", "FILE:1: "),
        (b"\x7fELF\x02\x01\xff", "FILE: a configuration file is UTF-8 text"),
        (b"\0\0\0\0", "FILE:1: "),
    ];
    for (file, expected) in cases {
        let error = resolve(Layer::default(), &[], Some(file)).unwrap_err();
        assert!(error.starts_with(expected), "{error} for {file:?}");
    }
    let large = vec![b'#'; 2 << 20];
    let error = resolve(Layer::default(), &[], Some(&large)).unwrap_err();
    assert_eq!(error, "FILE: too large for a configuration file");
}

#[test]
fn wrong_variables_are_refused_by_name() {
    let cases = [
        (
            "HASHRANGE_PROFILE",
            "AWS",
            "environment variable HASHRANGE_PROFILE is \"AWS\": no profile",
        ),
        (
            "HASHRANGE_ALLOW_HOST",
            "a,,b",
            "environment variable HASHRANGE_ALLOW_HOST is \"a,,b\": a host is",
        ),
        ("HASHRANGE_PORT", "x", "environment variable HASHRANGE_PORT is \"x\": invalid digit"),
        (
            "HASHRANGE_MEMORY",
            "yes",
            "environment variable HASHRANGE_MEMORY is \"yes\": it is one of true, false",
        ),
        (
            "HASHRANGE_LOG_LEVEL",
            "all",
            "environment variable HASHRANGE_LOG_LEVEL is \"all\": it is one of error, warn, info, debug",
        ),
    ];
    for (name, value, expected) in cases {
        let error = resolve(Layer::default(), &[(name, value)], None).unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn a_folder_or_nothing_is_no_configuration_file() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path(), &folder.path().join("absent.toml")] {
        let error = Settings::resolve(Layer::default(), Some(path), |_| None).unwrap_err();
        assert!(matches!(error, SettingsError::Unreadable(..)), "{error}");
    }
}
