#include <intent/cpu/stream.hpp>

#include "../expect.hpp"

int main() {
    alignas(64) unsigned char source[300];
    alignas(64) unsigned char target[400];
    for (int i = 0; i < 300; ++i) {
        source[i] = static_cast<unsigned char>(i * 7 + 1);
    }
    // Every misalignment of both ends: the right bytes, and none beside them.
    for (int from = 0; from < 3; ++from) {
        for (int begin = 0; begin < 64; ++begin) {
            for (const int size : {0, 1, 2, 15, 16, 31, 32, 33, 63, 64, 65, 100, 255}) {
                std::memset(target, 0, sizeof target);
                intent::copy_streaming(source + from, target + begin, static_cast<std::size_t>(size));
                intent::finish_streaming();
                for (int i = 0; i < 400; ++i) {
                    const bool inside = i >= begin && i < begin + size;
                    EXPECT(target[i] == (inside ? source[from + i - begin] : 0));
                }
            }
        }
    }
    EXPECT(intent::kStreamBlock<float> == 256 && intent::kStreamBlock<double> == 128 &&
           intent::kStreamBlock<char> == 1024);
    return expect::failures();
}
