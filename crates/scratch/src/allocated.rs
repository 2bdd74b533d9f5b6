//! Counts the bytes that a thread allocates, for tests of the cost of a request. The test program
//! says `#[global_allocator] static COUNTING: Counting = Counting;`.

#![allow(unsafe_code, reason = "an allocator that counts")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, which counts.
#[derive(Debug)]
pub struct Counting;

thread_local! {
    static ALLOCATED: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.with(|allocated| allocated.set(allocated.get() + layout.size()));
        // SAFETY: the caller's promise about `layout` is the one that the system's allocator wants.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` with this `layout`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Returns the result of `work`, and the bytes that this thread allocated meanwhile.
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = ALLOCATED.with(Cell::get);
    let result = work();
    (result, ALLOCATED.with(Cell::get) - before)
}
