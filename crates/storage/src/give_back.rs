//! Giving freed memory back to the system.
//!
//! glibc keeps what was freed for what is allocated next, in a heap for every few threads; after some
//! large requests that can be hundreds of MiB. Other allocators do this by themselves.

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
