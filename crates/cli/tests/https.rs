//! The commands at `https://`: whose certificate is trusted, and what is said of others. A proxy ends TLS in
//! front of a server, as `docs/operating.md` advises. The certificates are made by `openssl`.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod served;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

const NEW_KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";
const KEYS: &str = "[default]\naws_access_key_id = AKIA1\naws_secret_access_key = one\n";

fn openssl(folder: &Path, arguments: &str) {
    let mut command = Command::new("openssl");
    command.current_dir(folder).args(arguments.split(' ')).stdin(Stdio::null());
    let done = command.output().unwrap();
    assert!(done.status.success(), "openssl {arguments}: {done:?}");
}

/// Makes two authorities, of which the first signs a certificate for `localhost` alone.
fn make_certificates(folder: &Path) {
    for name in ["authority", "stranger"] {
        let files = format!("-keyout {name}.key -out {name}.pem");
        openssl(folder, &format!("req -x509 {NEW_KEY} -days 2 -subj /CN={name} {files}"));
    }
    std::fs::write(folder.join("names"), "subjectAltName=DNS:localhost").unwrap();
    openssl(folder, &format!("req {NEW_KEY} -subj /CN=server -keyout server.key -out server.csr"));
    openssl(
        folder,
        "x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 \
         -extfile names -out server.pem",
    );
}

/// A server that verifies signatures, on a free port; ends with the value.
struct Server(Child, String);

impl Server {
    fn start(folder: &Path) -> Self {
        std::fs::write(folder.join("keys"), KEYS).unwrap();
        let mut command = served::hashrange(&[]);
        command.args(["serve", "--memory", "--port=0", "--log-format=json", "--credentials"]);
        command.arg(folder.join("keys"));
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
        let line = log.find_map(|line| line.ok().filter(|line| line.contains("\"endpoint\"")));
        let line = line.expect("the server says where it listens");
        let (_, rest) = line.split_once("\"endpoint\":\"http://").unwrap();
        Self(process, rest.split('"').next().unwrap().to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Ends TLS in front of a server until the process ends; returns the port.
fn proxy(folder: &Path, name: &str, server: String) -> u16 {
    let chain = CertificateDer::pem_file_iter(folder.join(format!("{name}.pem"))).unwrap();
    let chain = chain.map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(folder.join(format!("{name}.key"))).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let acceptor = TlsAcceptor::from(Arc::new(config.with_single_cert(chain, key).unwrap()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        runtime.block_on(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                let (acceptor, server) = (acceptor.clone(), server.clone());
                tokio::spawn(async move {
                    let Ok(mut outside) = acceptor.accept(socket).await else { return };
                    let mut inside = TcpStream::connect(server).await.unwrap();
                    drop(tokio::io::copy_bidirectional(&mut outside, &mut inside).await);
                });
            }
        });
    });
    port
}

/// Runs a command and returns its exit code and what it printed.
fn run(folder: &Path, arguments: &str) -> (i32, String, String) {
    let mut command = served::hashrange(&[]);
    command.current_dir(folder).args(arguments.split(' ')).stdin(Stdio::null());
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_certificate_is_trusted_by_its_authority_and_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_certificates(folder);
    let server = Server::start(folder);
    let port = proxy(folder, "server", server.1.clone());
    let here = format!("--endpoint https://localhost:{port}");
    let other_name = format!("--endpoint https://127.0.0.1:{port}");
    let plain = format!("--endpoint https://{}", server.1);

    let good = format!("{here} --ca-file authority.pem");
    let create = format!("tables --credentials keys {good}");
    assert_eq!(run(folder, &create), (0, String::new(), String::new()));
    let health = format!("health --ready {good}");
    assert_eq!(run(folder, &health), (0, "ready\n".to_owned(), String::new()));

    let (code, _, complaint) =
        run(folder, &format!("tables --credentials keys {here} --insecure-tls"));
    assert_eq!(code, 0, "{complaint}");
    assert!(complaint.contains("the certificate of https://localhost"), "it is said: {complaint}");

    let stranger = format!("{here} --ca-file stranger.pem");
    let of_the_system = here.clone();
    let other_name = format!("{other_name} --ca-file authority.pem");
    for untrusted in [stranger, of_the_system, other_name] {
        for command in ["tables --credentials keys", "health"] {
            let (code, said, complaint) = run(folder, &format!("{command} {untrusted}"));
            assert_eq!((code, said.as_str()), (1, ""), "{command} {untrusted}: {complaint}");
            assert!(complaint.contains("--ca-file FILE trusts"), "{complaint}");
        }
    }
    let (code, _, complaint) = run(folder, &format!("tables {plain} --insecure-tls"));
    assert_eq!(code, 1);
    assert!(complaint.contains("http://"), "{complaint}");
    let (code, _, complaint) = run(folder, &format!("tables {here} --ca-file names"));
    assert_eq!(code, 2);
    assert!(complaint.contains("no trusted certificates"), "{complaint}");
}

/// As `openssl req -x509` makes it, and as curl and the AWS CLI take it.
#[test]
fn a_certificate_that_signed_itself_is_trusted_for_its_name_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for name in ["own", "stranger"] {
        let files = format!("-keyout {name}.key -out {name}.pem");
        let names = "-addext subjectAltName=DNS:localhost";
        openssl(
            folder,
            &format!("req -x509 {NEW_KEY} -days 2 -subj /CN=localhost {names} {files}"),
        );
    }
    let server = Server::start(folder);
    let port = proxy(folder, "own", server.1.clone());
    let tables = format!("tables --credentials keys --endpoint https://localhost:{port} --ca-file");
    assert_eq!(run(folder, &format!("{tables} own.pem")), (0, String::new(), String::new()));
    let (code, _, complaint) = run(folder, &format!("{tables} stranger.pem"));
    assert_eq!(code, 1, "{complaint}");
    let (code, _, complaint) =
        run(folder, &format!("{tables} own.pem").replace("localhost", "127.0.0.1"));
    assert_eq!(code, 1, "{complaint}");
}
