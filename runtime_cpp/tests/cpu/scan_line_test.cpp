#include <intent/combine.hpp>
#include <intent/cpu/scan_line.hpp>

#include "../expect.hpp"

#include <vector>

using namespace intent;

namespace {

// Prefixes of whole numbers into every `stride`-th element; what lies between and behind stays as it is.
template <ScanKind kKind, bool kDense>
void prefixes(index_t stride, bool whole_team) {
    for (const index_t count : {0, 1, 5, 48, 49, 100, 2047, 2048, 5000, 70001}) {
        for (const bool stream : {false, true}) {
            std::vector<float> out(static_cast<std::size_t>(count * stride) + 3, -1.0f);
            const Line<float, kDense> line{out.data() + 1, stride};
            const auto value = [](index_t i) { return static_cast<float>(i % 5); };
            if (whole_team) {
                parallel_scan<kKind, float>(line, count, stream, 0.0f, Add{}, value);
            } else {
                scan_row<kKind, float>(line, count, stream, 0.0f, Add{}, value);
                finish_streaming();
            }
            std::vector<float> expected(out.size(), -1.0f);
            float sum = 0.0f;
            for (index_t i = 0; i < count; ++i) {
                const float before = sum;
                sum += value(i);
                expected[static_cast<std::size_t>(1 + i * stride)] = kKind == ScanKind::kInclusive ? sum : before;
            }
            EXPECT(out == expected);
        }
    }
}

template <ScanKind kKind>
void all() {
    for (const bool whole_team : {false, true}) {
        prefixes<kKind, true>(1, whole_team);
        prefixes<kKind, false>(1, whole_team);
        prefixes<kKind, false>(3, whole_team);
    }
}

}  // namespace

int main() {
    all<ScanKind::kInclusive>();
    all<ScanKind::kExclusive>();
    return expect::failures();
}
