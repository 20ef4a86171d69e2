#include "report.hpp"

#include "source_lines.hpp"

#include <intent/sim/report.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace intent::sim {

namespace {

constexpr std::size_t kMaxPending = 64;  // of one launch: a broken kernel says the same thing at many places

unsigned seed_from_environment() {
    const char* text = std::getenv("INTENT_SIM_SEED");
    return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 0u;
}

std::atomic<int> requested_level{0};
std::atomic<unsigned> requested_seed{seed_from_environment()};

}  // namespace

int check_level = 0;
unsigned schedule_seed = 0;

void adopt_settings() {
    check_level = requested_level;
    schedule_seed = requested_seed;
}

Session& this_session() {
    thread_local Session session;
    return session;
}

void track(const void* pointer, std::size_t bytes, const char* name, bool is_scratch) {
    this_session().buffers.push_back({reinterpret_cast<std::uintptr_t>(pointer), bytes, name, is_scratch});
}

void untrack(const void* pointer) {
    auto& buffers = this_session().buffers;
    for (auto buffer = buffers.begin(); buffer != buffers.end(); ++buffer) {
        if (buffer->address == reinterpret_cast<std::uintptr_t>(pointer)) {
            buffers.erase(buffer);
            return;
        }
    }
}

void report(Block& block, const char* kind, std::vector<Piece> pieces, const void* site, const void* other_site) {
    Session& session = *block.session;
    const std::lock_guard<std::mutex> guard(session.lock);
    const auto [first_site, second_site] = std::minmax(site, other_site);
    if (session.pending.size() < kMaxPending && session.seen.emplace(kind, first_site, second_site).second) {
        pieces.insert(pieces.begin(), {kind, ": "});
        session.pending.push_back(std::move(pieces));
    }
}

void finish_reports(Session& session) {
    std::vector<const Piece*> places;
    for (const auto& pieces : session.pending) {
        for (const Piece& piece : pieces) {
            if (piece.is_place) {
                places.push_back(&piece);
            }
        }
    }
    const std::vector<std::string> lines = source_lines(places);
    std::size_t next = 0;
    for (const auto& pieces : session.pending) {
        std::string text;
        std::set<std::string> key{pieces.front().text};
        for (const Piece& piece : pieces) {
            const std::string& part = piece.is_place ? lines[next] : piece.text;
            text += part;
            if (piece.is_place) {
                key.insert(part);
                ++next;
            }
        }
        if (session.known.insert(key).second) {
            session.reports.push_back(text);
        }
    }
    session.pending.clear();
    session.seen.clear();
}

std::string name_of_block(const Launch& launch, std::uint64_t number) {
    const dim3 grid = launch.grid;
    std::string name = "block " + std::to_string(number % grid.x);
    if (grid.y > 1 || grid.z > 1) {
        name += "," + std::to_string(number / grid.x % grid.y);
    }
    if (grid.z > 1) {
        name += "," + std::to_string(number / grid.x / grid.y);
    }
    return name;
}

std::string name_of(const Block& block, const Thread& thread) {
    return name_of_block(*block.launch, block.number) + " thread " + std::to_string(thread.id);
}

}  // namespace intent::sim

using intent::sim::this_session;

extern "C" {

void intent_sim_set_checks(int level) { intent::sim::requested_level = level; }

void intent_sim_set_seed(unsigned seed) { intent::sim::requested_seed = seed; }

void intent_sim_track(const void* pointer, size_t bytes, const char* name) {
    intent::sim::track(pointer, bytes, name, false);
}

void intent_sim_untrack(const void* pointer) { intent::sim::untrack(pointer); }

void intent_sim_untrack_all(void) {
    std::erase_if(this_session().buffers, [](const intent::sim::Buffer& buffer) { return !buffer.is_scratch; });
}

size_t intent_sim_report_count(void) { return this_session().reports.size(); }

const char* intent_sim_report(size_t index) {
    const auto& reports = this_session().reports;
    return index < reports.size() ? reports[index].c_str() : nullptr;
}

void intent_sim_clear(void) {
    this_session().reports.clear();
    this_session().known.clear();
}
}
