// Every load and store of a unit: is there memory, was it written, and who else touches it?
#include <fmt/format.h>

#include "machine.h"

namespace cdsl::emulation {

using ::emulated::Use;

namespace {

const char* verb(Use use) {
  switch (use) {
    case Use::Read: return "reads";
    case Use::Write: return "writes";
    case Use::Volatile:
    case Use::Atomic: break;
  }
  return "updates";
}

}  // namespace

Actor Machine::actor(uint32_t since) const {
  const Block& block = *current_->block;
  return {block.serial << Actor::kThreadBits | current_->number, now_, since, block.warp_sync[current_->warp()], block.block_sync, all_sync_, &published_};
}

void Machine::access(uintptr_t address, std::size_t bytes, Use use, const void* pc) {
  if (current_->fibre.stack().holds(address)) return;
  if (Allocation* allocation = memory.near(address)) {
    access_global(*allocation, address, bytes, use, pc);
  } else if (!access_shared(address, bytes, use, pc)) {
    fatal("out of bounds", fmt::format("{} {} bytes at an address that belongs to nothing", verb(use), bytes), pc);
  }
  if (use == Use::Volatile) pause();
}

void Machine::access_global(Allocation& allocation, uintptr_t address, std::size_t bytes, Use use, const void* pc) {
  auto offset = static_cast<int64_t>(address - allocation.begin);
  const auto size = static_cast<int64_t>(allocation.bytes);
  // The update of one byte goes by the pair that it is in, of which the other may lie beyond the last element.
  if (use >= Use::Volatile && bytes == 2 && offset == size - 1) bytes = 1;
  if (!allocation.live || offset < 0 || offset + static_cast<int64_t>(bytes) > size) {
    return fatal("out of bounds",
                 fmt::format("{} {} bytes at byte {} of '{}', which {}", verb(use), bytes, offset, allocation.name,
                             allocation.live ? fmt::format("has {}", size) : "was released"),
                 pc);
  }
  const auto first = static_cast<std::size_t>(offset);
  if (use != Use::Write) {
    for (std::size_t k = 0; k < bytes; ++k) {
      if (allocation.written[first + k] != 0) continue;
      if (use >= Use::Volatile && bytes == 2) continue;  // the other byte of a pair
      fault("unwritten read", fmt::format("{} byte {} of '{}', which nothing wrote", verb(use), first + k, allocation.name), pc);
      break;
    }
  }
  if (use == Use::Write || use == Use::Atomic) allocation.mark(first, bytes, true);
  touch(allocation.cells, first, bytes, use, launch_start_, allocation.name.c_str(), pc);
}

bool Machine::access_shared(uintptr_t address, std::size_t bytes, Use use, const void* pc) {
  Block& own = block();
  const auto look = [&](uintptr_t begin, std::size_t size, Cells& cells, const char* name, uint32_t since) {
    const auto offset = static_cast<std::size_t>(address - begin);
    if (address < begin || offset >= size) return false;
    if (offset + bytes > size)
      fatal("out of bounds", fmt::format("{} {} bytes at byte {} of {}, which has {} bytes", verb(use), bytes, offset, name, size), pc);
    for (std::size_t k = 0; use != Use::Write && k < bytes; ++k) {
      if (cells[offset + k].is_written_since(since)) continue;
      if (use >= Use::Volatile && bytes == 2) continue;
      fault("unwritten read", fmt::format("{} byte {} of {}, which nothing of the block wrote", verb(use), offset + k, name), pc);
      break;
    }
    touch(cells, offset, bytes, use, since, name, pc);
    return true;
  };
  const auto place = [](const void* start) { return reinterpret_cast<uintptr_t>(start); };
  if (look(place(launch_->static_shared.data()), launch_->static_shared.size(), own.static_cells, "static shared memory", own.since)) return true;
  if (look(place(dynamic_shared_), launch_->shared_bytes, own.dynamic_cells, "dynamic shared memory", own.since)) return true;
  if (launch_->cluster == 1) return false;
  for (Block* other : active_) {  // of another block of the cluster, while it is not mapped
    if (other == &own || other->serial / launch_->cluster != own.serial / launch_->cluster) continue;
    if (look(place(other->static_image.data()), other->static_image.size(), other->static_cells, "shared memory of a neighbour", other->since)) return true;
    if (look(place(other->dynamic_image.data()), other->dynamic_image.size(), other->dynamic_cells, "shared memory of a neighbour", other->since)) return true;
  }
  return false;
}

void Machine::touch(Cells& cells, std::size_t first, std::size_t bytes, Use use, uint32_t since, const char* what, const void* pc) {
  const Actor who = actor(since);
  Conflict conflict;
  for (std::size_t k = first; k < first + bytes; ++k) {
    const Conflict found = cells[k].touch(who, use);
    if (found.found && !conflict.found) conflict = found;
  }
  if (!conflict.found) return;
  fault("race", fmt::format("{} byte {} of {}, which {} {} with no barrier between them", verb(use), first, what, name_thread(conflict.other),
                            conflict.wrote ? "wrote" : "read"),
        pc);
}

}  // namespace cdsl::emulation
