//! What a program with this allocator sees: its settings, and memory that goes back.
#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![allow(unsafe_code, reason = "jemalloc's settings are read by name")]

use std::hint::black_box;
use std::ptr;

#[global_allocator]
static ALLOCATOR: hashrange_allocator::Allocator = hashrange_allocator::ALLOCATOR;

const MIB: usize = 1 << 20;

/// One test, for the resident memory is that of the whole process.
#[test]
fn the_setting_is_in_force_and_memory_goes_back() {
    let resident_mib = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() / 1024
    };
    let mut threshold = 0_usize;
    let mut bytes = size_of::<usize>();
    // SAFETY: the setting has the type `size_t`, and there is room for one.
    let failed = unsafe {
        tikv_jemalloc_sys::mallctl(
            c"opt.oversize_threshold".as_ptr(),
            (&raw mut threshold).cast(),
            &raw mut bytes,
            ptr::null_mut(),
            0,
        )
    };
    assert_eq!((failed, threshold), (0, 2 * MIB));

    let before = resident_mib();
    drop(black_box(vec![1_u8; 64 * MIB]));
    assert!(resident_mib() < before + 8, "a large block goes back at once");

    let small: Vec<_> = (0..1000).map(|_| black_box(vec![1_u8; 64 << 10])).collect();
    assert!(resident_mib() > before + 50, "{} MiB", resident_mib());
    drop(small);
    hashrange_allocator::give_back_memory();
    assert!(resident_mib() < before + 8, "{} MiB, {before} before", resident_mib());
}
