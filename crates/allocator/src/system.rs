//! The system's allocator, which gives memory back by itself.

use std::alloc::System;

/// The type of [`ALLOCATOR`].
pub type Allocator = System;

/// For the program's `#[global_allocator]`.
pub const ALLOCATOR: Allocator = System;

/// Has all threads share the heap of the C library: here that is the one they use.
pub fn share_heap_of_libc() {}

/// Gives freed memory back to the system: here the allocator does that by itself.
pub fn give_back_memory() {}
