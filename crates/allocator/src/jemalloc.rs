//! jemalloc, with the settings that differ from its own.

use std::ffi::c_char;
use std::ptr;
use tikv_jemallocator::Jemalloc;

/// The type of [`ALLOCATOR`].
pub type Allocator = Jemalloc;

/// For the program's `#[global_allocator]`.
pub const ALLOCATOR: Allocator = Jemalloc;

/// Settings that jemalloc reads when it starts, under the name that it looks for.
///
/// - `oversize_threshold`: a block of 2 MiB or more goes back to the system as soon as it is freed,
///   such as those of large requests (8 MiB without this). Answers of a page, 1 MiB, stay below:
///   asking the system for memory costs as much as filling it.
/// - `narenas_ratio`: one arena for each processor, not four. Each takes 80 KiB when it is made,
///   and a page for each size that its threads ask for.
/// - `cache_oblivious`: blocks of 16 KiB or more, such as those of sorted files, take their own
///   size. Otherwise each takes a page more, so that not all begin at the same place of a page.
#[expect(unsafe_code, reason = "the name is jemalloc's, and so is the type")]
// SAFETY: nothing else has this name, which jemalloc reserves; the text ends with a zero and lives
// for ever.
#[unsafe(export_name = "_rjem_malloc_conf")]
pub static SETTINGS: Option<&c_char> = unsafe {
    c"oversize_threshold:2097152,narenas_ratio:1,cache_oblivious:false".as_ptr().as_ref()
};

/// Lets all threads share the C library's own heap, which serves few allocations: otherwise the
/// library makes a heap for each thread that starts. Call it at the beginning of the program, and
/// not in one whose C or C++ code allocates much.
#[expect(unsafe_code, reason = "the library's function has no safe form")]
pub fn share_heap_of_libc() {
    // SAFETY: mallopt has no requirements; a setting that it refuses changes nothing.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Gives freed memory back to the system. Takes some milliseconds for each hundred MiB, during
/// which other threads may have to wait, so call it in idle moments.
#[expect(unsafe_code, reason = "the libraries' functions have no safe form")]
pub fn give_back_memory() {
    // All arenas: the number that stands for them is `MALLCTL_ARENAS_ALL`.
    let purge = c"arena.4096.purge";
    // SAFETY: the name ends with a zero, and this action takes and returns nothing. malloc_trim,
    // for what C libraries keep, has no requirements; 0 keeps nothing beyond the heap's end.
    unsafe {
        tikv_jemalloc_sys::mallctl(
            purge.as_ptr(),
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
            0,
        );
        libc::malloc_trim(0);
    }
}
