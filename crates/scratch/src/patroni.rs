//! Three members of a cluster that Patroni keeps, by the script of the documents: Patroni decides
//! which of them is the primary.

use crate::programs::{as_user, hand_over, printed_by, run};
use crate::server::{free_port, new_folder};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

/// The members' names, in the order of their ports.
const NAMES: [&str; 3] = ["one", "two", "three"];
/// Longest time until all members are there.
const PATIENCE: Duration = Duration::from_secs(240);

/// A running cluster; it ends when it is dropped.
#[derive(Debug)]
pub struct Patroni {
    folder: PathBuf,
    /// The port before the members' ports.
    base: u16,
    /// A pipe whose end is that of the cluster.
    _life: ChildStdin,
}

impl Patroni {
    /// Starts a cluster, and waits until it is whole.
    ///
    /// # Panics
    /// Without working programs of Patroni, etcd and PostgreSQL.
    pub fn start() -> Self {
        let folder = new_folder().unwrap_or_else(|error| panic!("a folder for a cluster: {error}"));
        hand_over(&folder);
        let base = free_port().unwrap_or_else(|error| panic!("a free port: {error}"));
        let script = "packages/patroni/three-members.sh";
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(script);
        let mut members = as_user(&script);
        members.arg(&folder).arg(base.to_string()).env("HOME", &folder);
        members.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let spawned = members.spawn().map(|members| members.stdin);
        let Ok(Some(life)) = spawned else { panic!("the script of the cluster: {spawned:?}") };
        let cluster = Self { folder, base, _life: life };
        cluster.wait_until_whole();
        cluster
    }

    /// Returns the ports of the members.
    pub fn ports(&self) -> [u16; 3] {
        [1, 2, 3].map(|nth| self.base + nth)
    }

    /// Waits until a primary, a standby that commits wait for and another standby run.
    #[expect(clippy::disallowed_methods, reason = "other processes are waited for")]
    pub fn wait_until_whole(&self) {
        let begin = Instant::now();
        loop {
            let list = self.list();
            let has = |role: &str| list.matches(&format!("\"Role\": \"{role}\"")).count() == 1;
            let run = list.matches("\"State\": \"running\"").count()
                + list.matches("\"State\": \"streaming\"").count();
            if has("Leader") && has("Sync Standby") && has("Replica") && run == NAMES.len() {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "the cluster is whole: {list}");
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// Lets the standby that commits wait for take the primary's place, as for maintenance.
    pub fn switch_over(&self) {
        run(self.control().args(["switchover", "--force", "hashrange"]));
    }

    /// Returns the number of the primary.
    pub fn primary(&self) -> usize {
        let list = self.list();
        let leader = list.split('{').find(|member| member.contains("\"Role\": \"Leader\""));
        let is_leader =
            |name: &&str| leader.is_some_and(|member| member.contains(&format!("\"{name}\"")));
        NAMES.iter().position(is_leader).unwrap_or_else(|| panic!("a leader: {list}"))
    }

    /// Sends a signal to all processes of a member's server.
    pub fn signal_server(&self, member: usize, signal: &str) {
        let file = self.folder.join(NAMES[member]).join("data/postmaster.pid");
        if let Some(main) = first_line(&file) {
            crate::server::signal(&main, signal);
        }
    }

    /// Sends a signal to the Patroni of a member.
    pub fn signal_patroni(&self, member: usize, signal: &str) {
        if let Some(patroni) = first_line(&self.folder.join(format!("{}.pid", NAMES[member]))) {
            run(Command::new("kill").arg(format!("-{signal}")).arg(patroni));
        }
    }

    fn list(&self) -> String {
        printed_by(self.control().args(["list", "--format", "json"]))
    }

    fn control(&self) -> Command {
        let mut control = as_user(Path::new("patronictl"));
        control.env("HOME", &self.folder).arg("-c").arg(self.folder.join("one.yaml"));
        control
    }
}

fn first_line(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().next().map(str::to_owned)
}
