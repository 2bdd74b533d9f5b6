//! Connections with TLS to a real server: whose certificate is accepted, by each `sslmode`.
//!
//! The certificates are made by `openssl` in the server's folder. Leaves servers without TLS to `postgres.rs`.

#![cfg(feature = "postgres")]
#![expect(clippy::unwrap_used, reason = "a failed assumption fails the test")]

mod scratch;

use hashrange_storage::postgres::{OpenError, PostgresOptions};
use hashrange_storage::{Bytes, PostgresStore, Store, block_on};
use scratch::{Server, server};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn openssl(folder: &Path, arguments: &str) {
    let mut command = Command::new("openssl");
    command.current_dir(folder).args(arguments.split(' ')).stdin(Stdio::null());
    let done = command.output().unwrap();
    assert!(done.status.success(), "openssl {arguments}: {done:?}");
}

const NEW_KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

/// Makes two authorities, of which the first signs a certificate for `db.example.org` alone, and has the
/// server use it. Returns the folder.
fn use_tls(server: &Server) -> PathBuf {
    let data = PathBuf::from(server.sql("SHOW data_directory"));
    let folder = data.parent().unwrap().to_owned();
    for name in ["authority", "stranger"] {
        openssl(
            &folder,
            &format!(
                "req -x509 {NEW_KEY} -days 2 -subj /CN={name} -keyout {name}.key -out {name}.pem"
            ),
        );
    }
    fs::write(folder.join("names"), "subjectAltName=DNS:db.example.org").unwrap();
    openssl(&folder, &format!("req {NEW_KEY} -subj /CN=server -keyout server.key -out server.csr"));
    openssl(
        &folder,
        "x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 \
         -extfile names -out server.pem",
    );
    // The server runs as another user when this test runs as root.
    let owned = Command::new("chown")
        .current_dir(&folder)
        .arg(format!("--reference={}", data.display()))
        .args(["server.key", "server.pem"])
        .status();
    assert!(owned.unwrap().success());
    for (name, file) in [("ssl_cert_file", "server.pem"), ("ssl_key_file", "server.key")] {
        server.sql(&format!("ALTER SYSTEM SET {name} = '{}'", folder.join(file).display()));
    }
    server.sql("ALTER SYSTEM SET ssl = on");
    server.sql("CREATE ROLE guarded LOGIN; GRANT CREATE ON DATABASE postgres TO guarded");
    let rules = server.sql("SHOW hba_file");
    let others = fs::read_to_string(&rules).unwrap();
    fs::write(&rules, format!("hostnossl all guarded all reject\n{others}")).unwrap();
    server.sql("SELECT pg_reload_conf()");
    assert!((0..500).any(|_| server.sql("SHOW ssl") == "on"), "the server speaks TLS");
    folder
}

/// Commits and reads by the store at `url`, and returns how many of its connections are encrypted and how
/// many are not.
fn connections(server: &Server, url: &str) -> Result<(u32, u32), OpenError> {
    let of_others = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'hashrange'";
    assert!((0..500).any(|_| server.sql(of_others) == "0"), "the store before has ended");
    let store = PostgresStore::open(url, &PostgresOptions::default())?;
    let value = Bytes::from_static(b"value");
    let put = store.commit(vec![b"key".to_vec()], |_, batch| {
        batch.put(b"key".to_vec(), Bytes::from_static(b"value"));
    });
    block_on(put).unwrap();
    assert_eq!(block_on(store.get(b"key")).unwrap(), Some(value));
    let count = |encrypted: bool| {
        let text = format!(
            "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
             WHERE application_name = 'hashrange' AND ssl = {encrypted}"
        );
        server.sql(&text).parse::<u32>().unwrap()
    };
    Ok((count(true), count(false)))
}

#[test]
fn certificates_are_verified_unless_the_url_says_otherwise() {
    let server = server();
    let folder = use_tls(server);
    let port = server.port;
    let url = |user: &str, host: &str, rest: &str| {
        format!("postgres://{user}@{host}:{port}/postgres?schema={user}&{rest}")
    };
    // The name of the certificate, at this machine.
    let named = |host: &str, rest: &str| url("owner", host, &format!("hostaddr=127.0.0.1{rest}"));
    let trusted = format!("&sslrootcert={}/authority.pem", folder.display());
    let stranger = format!("&sslrootcert={}/stranger.pem", folder.display());

    for mode in ["", "&sslmode=verify-full"] {
        let (encrypted, plain) =
            connections(server, &named("db.example.org", &format!("{trusted}{mode}"))).unwrap();
        assert!(encrypted > 0 && plain == 0, "{mode}: {encrypted} and {plain}");
        for refused in [
            named("other.example.org", &format!("{trusted}{mode}")),
            named("db.example.org", &format!("{stranger}{mode}")),
            // By the system's certificates.
            named("db.example.org", mode),
        ] {
            let error = connections(server, &refused).unwrap_err();
            assert!(matches!(error, OpenError::Tls { .. }), "{refused}: {error}");
            assert!(error.to_string().contains("sslrootcert"), "{error}");
        }
    }
    // Without a name in the certificate even this machine is refused, if verification is asked for.
    let error =
        connections(server, &url("owner", "127.0.0.1", &format!("sslmode=verify-full{trusted}")));
    assert!(matches!(error, Err(OpenError::Tls { .. })), "{error:?}");
    // Encrypted, whoever is at the other end.
    let required = named("other.example.org", "&sslmode=require");
    let (encrypted, plain) = connections(server, &required).unwrap();
    assert!(encrypted > 0 && plain == 0, "{encrypted} and {plain}");
    let guarded = url("guarded", "127.0.0.1", "sslmode=require");
    let (encrypted, plain) = connections(server, &guarded).unwrap();
    assert!(encrypted > 0 && plain == 0, "{encrypted} and {plain}");
    // Not encrypted: on this machine by default, elsewhere if it is asked for.
    for unencrypted in [
        url("owner", "127.0.0.1", ""),
        url("owner", "127.0.0.1", "sslmode=disable"),
        named("db.example.org", "&sslmode=disable"),
    ] {
        let (encrypted, plain) = connections(server, &unencrypted).unwrap();
        assert!(encrypted == 0 && plain > 0, "{encrypted} and {plain}");
    }
    let error = connections(server, &url("guarded", "127.0.0.1", "sslmode=disable")).unwrap_err();
    assert!(matches!(error, OpenError::Refused { .. }), "{error}");
    assert!(error.to_string().contains("no encryption"), "{error}");
}
