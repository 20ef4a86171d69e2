#include "ordering.hpp"

namespace intent::sim {

void publish(Publications& publications, std::uintptr_t address, std::uint32_t serial, const KnownBlocks& known) {
    KnownBlocks& published = publications[address];
    published.insert(known.begin(), known.end());
    published.insert(serial);
}

void learn(const Publications& publications, std::uintptr_t address, KnownBlocks& known) {
    if (const auto found = publications.find(address); found != publications.end()) {
        known.insert(found->second.begin(), found->second.end());
    }
}

}  // namespace intent::sim
