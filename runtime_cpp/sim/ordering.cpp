#include "ordering.hpp"

namespace intent::sim {

void publish(Publications& publications, std::uintptr_t address, std::uint32_t self, const Known& known) {
    Known& published = publications[address];
    published.insert(known.begin(), known.end());
    published.insert(self);
}

void learn(const Publications& publications, std::uintptr_t address, Known& known) {
    if (const auto found = publications.find(address); found != publications.end()) {
        known.insert(found->second.begin(), found->second.end());
    }
}

}  // namespace intent::sim
