//! What a program with this allocator sees: its settings, and memory that goes back.
#![cfg(all(target_os = "linux", target_env = "gnu"))]
#![allow(unsafe_code, reason = "jemalloc's settings are read by name")]

use std::ffi::CStr;
use std::hint::black_box;
use std::ptr;

#[global_allocator]
static ALLOCATOR: hashrange_allocator::Allocator = hashrange_allocator::ALLOCATOR;

const MIB: usize = 1 << 20;

/// Reads a setting, whose type is as large as `T`, a number.
fn setting<T: Default>(name: &CStr) -> T {
    let mut value = T::default();
    let mut bytes = size_of::<T>();
    // SAFETY: jemalloc writes only a value of the size it is told of, and there is room for it.
    let failed = unsafe {
        tikv_jemalloc_sys::mallctl(
            name.as_ptr(),
            (&raw mut value).cast(),
            &raw mut bytes,
            ptr::null_mut(),
            0,
        )
    };
    assert_eq!((failed, bytes), (0, size_of::<T>()), "{name:?}");
    value
}

/// Returns on how many processors this process may run, whatever part of their time it gets.
fn processors() -> i32 {
    // SAFETY: a set of processors is bits, all of which may be 0; the call gets its size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        assert_eq!(libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set), 0);
        libc::CPU_COUNT(&set)
    }
}

/// One test, for the resident memory is that of the whole process.
#[test]
fn the_settings_are_in_force_and_memory_goes_back() {
    let resident_mib = || {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() / 1024
    };
    assert_eq!(setting::<usize>(c"opt.oversize_threshold"), 2 * MIB);
    assert_eq!(i64::from(setting::<u32>(c"opt.narenas")), i64::from(processors()));
    assert_eq!(setting::<u8>(c"opt.cache_oblivious"), 0);

    let before = resident_mib();
    drop(black_box(vec![1_u8; 64 * MIB]));
    assert!(resident_mib() < before + 8, "a large block goes back at once");

    let small: Vec<_> = (0..1000).map(|_| black_box(vec![1_u8; 64 << 10])).collect();
    assert!(resident_mib() > before + 50, "{} MiB", resident_mib());
    drop(small);
    hashrange_allocator::give_back_memory();
    assert!(resident_mib() < before + 8, "{} MiB, {before} before", resident_mib());
}
