//! The allocator of the program, and giving freed memory back to the system.
//!
//! On Linux with glibc that is jemalloc: what a request's thread allocates the committer frees, which in
//! glibc's heaps makes threads wait for each other (`docs/adr/0008-the-allocator-of-the-program.md`).
//! Elsewhere it is the system's. Only the program uses this crate: who embeds the library chooses by
//! themselves. When memory is given back is the program's business, too.

#[cfg_attr(all(target_os = "linux", target_env = "gnu"), path = "jemalloc.rs")]
#[cfg_attr(not(all(target_os = "linux", target_env = "gnu")), path = "system.rs")]
mod platform;

pub use platform::{ALLOCATOR, Allocator, give_back_memory, share_heap_of_libc};
