// What a launch finds, kept for the thread that launched it.
#pragma once

#include "machine.hpp"

#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace intent::sim {

// A place in the kernel: the call that the wrapper saw, or the instruction that an instrumented kernel executed.
struct Place {
    const Location* location;   // or nullptr
    const void* return_address;  // or nullptr
    std::uint32_t call_path;
};

// Text, or a place that becomes text when the launch is over.
struct Piece {
    Piece(std::string text_) : text(std::move(text_)), is_place(false), place{} {}
    Piece(const char* text_) : text(text_), is_place(false), place{} {}
    Piece(int number) : text(std::to_string(number)), is_place(false), place{} {}
    Piece(const Place& place_) : is_place(true), place(place_) {
        if (place.location != nullptr) {
            location = *place.location;
        }
    }

    std::string text;
    bool is_place;
    Place place;
    Location location;
};

// A buffer that kernels may use.
struct Buffer {
    std::uintptr_t address;
    std::size_t bytes;
    std::string name;
    bool is_scratch;  // the kernel's own: it does not make other memory out of bounds
};

// What one host thread tracks and has found.
struct Session {
    std::vector<Buffer> buffers;
    std::mutex lock;
    std::set<std::tuple<std::string, const void*, const void*>> seen;
    std::vector<std::vector<Piece>> pending;
    std::set<std::set<std::string>> known;  // kind and places of each report
    std::deque<std::string> reports;
};

Session& this_session();

void track(const void* pointer, std::size_t bytes, const char* name, bool is_scratch);
void untrack(const void* pointer);

// Keeps a finding of the running block. Findings of equal `kind`, `site` and `other_site` are kept once.
void report(Block& block, const char* kind, std::vector<Piece> pieces, const void* site = nullptr,
            const void* other_site = nullptr);

// Turns the pending findings into texts.
void finish_reports(Session& session);

// How the running launch is checked and scheduled. They change between launches only.
extern int check_level;
extern unsigned schedule_seed;

// Makes what was last asked for hold for the launch that begins.
void adopt_settings();

// "block 3", "block 3 thread 5".
std::string name_of_block(const Launch& launch, std::uint64_t number);
std::string name_of(const Block& block, const Thread& thread);

}  // namespace intent::sim
