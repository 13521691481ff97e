// Epochs: how one knows that nobody can still hold what was taken out of a structure that is read without locks.
//
// A reader announces, in a slot of its own, the epoch in which its guard began. Who takes a thing out calls Stamp() after it: the
// thing may be freed when OldestGuard() is greater than the stamp. Proof: announcing and then reading a pointer, and clearing the
// pointer and then looking at the slots, are four sequentially consistent steps. A reader that found the pointer announced before
// we looked, and what it announced is at most the stamp: had it seen a later epoch, it had seen the pointer cleared before.
// One set of slots for the process; threads are many, so slots are a list that grows and never shrinks. Threads: any.
#pragma once

#include <cstdint>

namespace fornix::storage::epoch {

// Ends the present epoch and returns its number.
uint64_t Stamp();
// The least epoch of an open guard; ~0 if there is none.
uint64_t OldestGuard();
// This thread has a guard open.
bool Guarded();

}  // namespace fornix::storage::epoch
