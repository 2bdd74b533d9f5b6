//! Giving freed memory back to the system.
//!
//! glibc keeps what was freed for what is allocated next, in a heap for every few threads; after some
//! large requests that can be hundreds of MiB. Other allocators do this by themselves.

/// From this size on a block of memory is the system's own, and goes back to it when it is freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const OWN_BLOCK_BYTES: libc::c_int = 4 << 20;
/// So much may stay free at the end of each heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const KEPT_BYTES: libc::c_int = 4 << 20;

/// Lets large blocks, such as those of large requests, go back to the system as soon as they are
/// freed. Left to itself glibc raises both bounds with the blocks it sees, up to 32 and 64 MiB, and
/// what it keeps at the end of a heap [`give_back_memory`] cannot reach. Answers of a page, 1 MiB,
/// stay below, for to ask the system for memory costs as much as to fill it.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library's function has no safe form")]
pub fn keep_little_freed_memory() {
    // SAFETY: mallopt has no requirements; where it does not take a value it changes nothing.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_BLOCK_BYTES);
        libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT_BYTES);
    }
}

/// Lets large blocks go back to the system; here the allocator decides.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_little_freed_memory() {}

/// Gives freed memory back to the system. Takes some milliseconds for each hundred MiB, in which
/// other threads may have to wait: not for busy moments.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "the C library's function has no safe form")]
pub fn give_back_memory() {
    // SAFETY: malloc_trim has no requirements; 0 keeps nothing beyond the heap's end.
    unsafe { libc::malloc_trim(0) };
}

/// Gives freed memory back to the system; here the allocator does that by itself.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_memory() {}
