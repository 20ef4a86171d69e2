#include "call_paths.hpp"

namespace intent::sim {

namespace {

struct Node {
    std::uint32_t parent;
    std::uint32_t first_child;
    std::uint32_t next_sibling;
    const void* return_address;
};

// Node 0 is the kernel; as a child or sibling 0 means none. Checked kernels run on one worker at a time: no lock.
std::vector<Node>& nodes() {
    static std::vector<Node> tree{{kKernelPath, 0, 0, nullptr}};
    return tree;
}

}  // namespace

std::uint32_t enter_call(std::uint32_t path, const void* return_address) {
    std::vector<Node>& tree = nodes();
    for (std::uint32_t child = tree[path].first_child; child != 0; child = tree[child].next_sibling) {
        if (tree[child].return_address == return_address) {
            return child;
        }
    }
    const auto child = static_cast<std::uint32_t>(tree.size());
    tree.push_back({path, 0, tree[path].first_child, return_address});
    tree[path].first_child = child;
    return child;
}

std::uint32_t leave_call(std::uint32_t path) { return nodes()[path].parent; }

std::vector<const void*> calls_of(std::uint32_t path) {
    std::vector<const void*> calls;
    for (; path != kKernelPath; path = nodes()[path].parent) {
        calls.push_back(nodes()[path].return_address);
    }
    return calls;
}

}  // namespace intent::sim
