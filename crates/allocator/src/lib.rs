//! The allocator of the program, and giving freed memory back to the system.
//!
//! On Linux with glibc the allocator is jemalloc: the committer frees memory that a request's
//! thread allocated, and in glibc's heaps threads then wait for each other
//! (`docs/adr/0008-the-allocator-of-the-program.md`). Elsewhere it is the system's. Only the
//! program uses this crate; a program that embeds the library chooses its own allocator. The
//! program also decides when to give memory back.

#[cfg_attr(all(target_os = "linux", target_env = "gnu"), path = "jemalloc.rs")]
#[cfg_attr(not(all(target_os = "linux", target_env = "gnu")), path = "system.rs")]
mod platform;

pub use platform::{ALLOCATOR, Allocator, give_back_memory, share_heap_of_libc};
