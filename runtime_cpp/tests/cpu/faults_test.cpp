#include <intent/cpu/faults.hpp>

#include "../expect.hpp"

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

const char* said(const intent::Faults& faults, int rule, const char* text) {
    static char message[intent::kMessageBytes];
    try {
        intent::require_kept<intent::BoundsError>(faults, rule, text);
    } catch (const intent::BoundsError& error) {
        std::strncpy(message, error.what(), sizeof message - 1);
        return message;
    }
    return "";
}

}  // namespace

int main() {
    intent::Faults kept;
    EXPECT(intent::holds(&kept, 0, true, 7));
    EXPECT(std::strcmp(said(kept, 0, "{}"), "") == 0);

    intent::Faults broken;
    EXPECT(!intent::holds(&broken, 1, false, intent::index_t{-3}, 5));
    EXPECT(!intent::holds(&broken, 0, false, 9));  // only the first one is kept
    EXPECT(!broken.is(0) && broken.is(1));
    EXPECT(std::strcmp(said(broken, 0, "nothing"), "") == 0);
    EXPECT(std::strcmp(said(broken, 1, "position {} of {}: {}"), "position -3 of 5: 0") == 0);

    intent::Faults least;
    EXPECT(!intent::holds(&least, 0, false, INT64_MIN));
    EXPECT(std::strcmp(said(least, 0, "{}"), "-9223372036854775808") == 0);

    const std::vector<char> endless(4096, 'x');  // a message has an end
    EXPECT(std::strlen(said(least, 0, std::string(endless.begin(), endless.end()).c_str())) < intent::kMessageBytes);

    intent::Faults shared;
    std::vector<std::thread> threads;
    for (int rule = 0; rule < 4; ++rule) {
        threads.emplace_back([&shared, rule] { intent::holds(&shared, rule, false, rule); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    int found = 0;
    for (int rule = 0; rule < 4; ++rule) {
        found += shared.is(rule) && shared.number(0) == rule;
    }
    EXPECT(found == 1);
    return expect::failures();
}
