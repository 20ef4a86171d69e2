// Every seeded mistake is reported at its line, and no correct kernel is accused.
#include "bugs.hpp"

#include <intent/check.hpp>
#include <intent/sim/report.h>

#include <cctype>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

struct Expectation {
    std::string name;
    std::string kinds;  // separated by |: each must be reported at the line
    int line;
};

std::vector<Expectation> read_expectations(const char* path) {
    std::vector<Expectation> expectations;
    std::ifstream file(path);
    std::string text;
    for (int line = 1; std::getline(file, text); ++line) {
        const std::string marker = "// finds ";
        const std::size_t start = text.find(marker);
        if (start != std::string::npos) {
            const std::string rest = text.substr(start + marker.size());
            const std::size_t colon = rest.find(": ");
            expectations.push_back({rest.substr(0, colon), rest.substr(colon + 2), line});
        }
    }
    return expectations;
}

std::vector<std::string> findings(const std::string& name, bool broken) {
    constexpr std::size_t kBytes = bugs::kElements * sizeof(float);
    constexpr int kGap = 64;  // between the buffers: what leaves one must not be in the other
    std::vector<float> memory(2 * bugs::kElements + 2 * kGap);
    float* const x = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) / sizeof(float);
    float* const y = x + bugs::kElements + kGap;
    for (int i = 0; i < bugs::kElements; ++i) {
        x[i] = static_cast<float>(i % 11);
        y[i] = 0.0f;
    }
    intent_sim_clear();
    intent_sim_track(x, kBytes, "x");
    intent_sim_track(y, kBytes, "y");
    std::vector<std::string> texts;
    try {
        bugs::run(name.c_str(), broken, x, y);
    } catch (const intent::DeviceError& error) {
        texts.push_back(error.what());
    }
    intent_sim_untrack_all();
    for (std::size_t i = 0; i < intent_sim_report_count(); ++i) {
        texts.push_back(intent_sim_report(i));
    }
    return texts;
}

bool reported(const std::vector<std::string>& texts, const std::string& kind, int line) {
    const std::string place = "bugs.cu:" + std::to_string(line);
    for (const std::string& text : texts) {
        const std::size_t at = text.find(place);
        const bool whole_number = at != std::string::npos && !std::isdigit(text.c_str()[at + place.size()]);
        if (text.rfind(kind + ": ", 0) == 0 && whole_number) {
            return true;
        }
    }
    return false;
}

int check(const Expectation& expected) {
    int failures = 0;
    const std::vector<std::string> texts = findings(expected.name, true);
    std::string kinds = expected.kinds + "|";
    for (std::size_t end = kinds.find('|'); end != std::string::npos; end = kinds.find('|')) {
        const std::string kind = kinds.substr(0, end);
        kinds = kinds.substr(end + 1);
        if (!reported(texts, kind, expected.line)) {
            std::printf("%s: no \"%s\" at line %d\n", expected.name.c_str(), kind.c_str(), expected.line);
            ++failures;
        }
    }
    for (const std::string& text : texts) {
        std::printf("  %s: %s\n", expected.name.c_str(), text.c_str());
    }
    for (const std::string& text : findings(expected.name, false)) {
        std::printf("%s is correct but: %s\n", expected.name.c_str(), text.c_str());
        ++failures;
    }
    return failures;
}

}  // namespace

int main(int, char** arguments) {
    const std::vector<Expectation> expectations = read_expectations(arguments[1]);
    int failures = expectations.empty() ? 1 : 0;
    for (const unsigned seed : {0u, 1u, 2u}) {
        intent_sim_set_seed(seed);
        intent_sim_set_checks(2);
        for (const Expectation& expected : expectations) {
            failures += check(expected);
        }
    }
    std::printf("%zu mistakes, %d failures\n", expectations.size(), failures);
    return failures == 0 ? 0 : 1;
}
