#include <intent/cpu/map.hpp>
#include <intent/cpu/map_inside.hpp>
#include <intent/cpu/map_line.hpp>
#include <intent/float16.hpp>

#include "../expect.hpp"

#include <vector>

using intent::index_t;

namespace {

constexpr index_t kGuard = 70;

// out[i] = 3 i + 1 with untouched guards on both sides.
template <class T, class Run>
void check_map(index_t count, Run run) {
    std::vector<T> memory(static_cast<std::size_t>(count + 2 * kGuard), T(5));
    T* const out = memory.data() + kGuard + 1;
    run(out, count);
    for (index_t i = -kGuard - 1; i < count + kGuard - 1; ++i) {
        const bool inside = i >= 0 && i < count;
        EXPECT(out[i] == (inside ? T(3 * (i % 1000) + 1) : T(5)));
    }
}

template <class T>
void sizes() {
    const auto value = [](index_t i) { return T(3 * (i % 1000) + 1); };
    for (const index_t count : {0, 1, 2, 7, 31, 32, 33, 1023, 1024, 1025, 4099, 32767, 32769, 100003}) {
        check_map<T>(count, [=](T* out, index_t n) { intent::map(out, n, value); });
        check_map<T>(count, [=](T* out, index_t n) { intent::map_row(out, n, false, value); });
        check_map<T>(count, [=](T* out, index_t n) {
            intent::map_row(out, n, true, value);
            intent::finish_streaming();
        });
    }
}

// Parts of lines that begin anywhere, in place too; nothing beside them is written.
template <class T>
void parts() {
    constexpr index_t kMost = 700;
    for (index_t begin = 0; begin < 70; ++begin) {
        for (const index_t size : {0, 1, 7, 63, 64, 65, 300, 600}) {
            std::vector<T> memory(kMost, T(5));
            for (const index_t stride : {1, 2}) {
                T* const out = memory.data();
                const index_t end = begin + size / stride;
                const auto value = [=](index_t i) { return T(out[stride * i] + T(i % 100)); };
                const std::vector<T> before = memory;
                if (stride == 1) {
                    intent::map_inside(intent::Line<T, true>{out, 1}, begin, end, value);
                } else {
                    intent::map_inside(intent::Line<T, false>{out, 2}, begin / 2, end / 2, value);
                }
                for (index_t i = 0; i < kMost; ++i) {
                    const index_t member = i / stride;
                    const bool inside = i % stride == 0 && member >= begin / stride && member < end / stride;
                    const T old = before[static_cast<std::size_t>(i)];
                    EXPECT(out[i] == (inside ? T(old + T(member % 100)) : old));
                }
            }
        }
    }
}

}  // namespace

int main() {
    parts<float>();
    parts<double>();
    parts<std::int8_t>();
    parts<intent::f16>();

    sizes<float>();
    sizes<double>();
    sizes<std::int8_t>();
    sizes<std::int64_t>();
    sizes<intent::f16>();

    // Large enough to be streamed.
    const index_t large = intent::kStreamBytes / 4 + 12345;
    check_map<float>(large, [](float* out, index_t n) {
        intent::map(out, n, [](index_t i) { return static_cast<float>(3 * (i % 1000) + 1); });
    });

    // In place, and a value of another type than the output.
    std::vector<float> x(100000);
    float* const p = x.data();
    intent::map(p, 100000, [](index_t i) { return i; });
    intent::map(p, 100000, [=](index_t i) { return 2.0f * p[i]; });
    for (index_t i = 0; i < 100000; ++i) {
        EXPECT(p[i] == 2.0f * static_cast<float>(i));
    }

    // Lines of a view, dense and not.
    for (const index_t count : {0, 1, 1000, 40000}) {
        std::vector<int> memory(static_cast<std::size_t>(3 * count + 1), -1);
        const auto value = [](index_t i) { return static_cast<int>(i) + 5; };
        intent::map(intent::Line<int, true>{memory.data(), 1}, count, value);
        EXPECT(count == 0 || (memory[0] == 5 && memory[static_cast<std::size_t>(count - 1)] == count + 4));
        intent::map(intent::Line<int, false>{memory.data(), 3}, count, value);
        intent::map_row(intent::Line<int, false>{memory.data() + 1, 3}, count, true, value);
        for (index_t i = 0; i < count; ++i) {
            EXPECT(memory[static_cast<std::size_t>(3 * i)] == i + 5 &&
                   memory[static_cast<std::size_t>(3 * i + 1)] == i + 5);
        }
        EXPECT(memory[static_cast<std::size_t>(3 * count)] == -1);
    }

    // bool outputs.
    bool flags[100];
    intent::map(flags, 100, [](index_t i) { return i % 3 == 0; });
    EXPECT(flags[0] && !flags[1] && !flags[2] && flags[99]);
    return expect::failures();
}
