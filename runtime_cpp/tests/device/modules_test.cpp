// Two copies of one simulated library in one process: neither sees the other's buffers, reports or settings.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <thread>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (!holds) {
        std::printf("%s\n", what);
        ++failures;
    }
}

// A loaded library with the functions that this test calls.
class Module {
public:
    explicit Module(const char* path) : handle_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        if (handle_ == nullptr) {
            std::printf("%s\n", dlerror());
            std::exit(1);
        }
    }

    template <class Function>
    Function* get(const char* name) const {
        auto* function = reinterpret_cast<Function*>(dlsym(handle_, name));
        if (function == nullptr) {
            std::printf("no %s\n", name);
            std::exit(1);
        }
        return function;
    }

    void track(const void* pointer, std::size_t bytes) const {
        get<void(const void*, std::size_t, const char*)>("intent_sim_track")(pointer, bytes, "x");
    }
    void set_checks(int level) const { get<void(int)>("intent_sim_set_checks")(level); }
    std::size_t report_count() const { return get<std::size_t()>("intent_sim_report_count")(); }
    std::string report(std::size_t i) const { return get<const char*(std::size_t)>("intent_sim_report")(i); }
    void clear() const { get<void()>("intent_sim_clear")(); }
    int sum(const float* x, int count, float* out) const {
        return get<int(const float*, int, float*)>("module_sum")(x, count, out);
    }

private:
    void* handle_;
};

float sum_of(const Module& module, int count) {
    float x[100];
    float out[1] = {0.0f};
    for (int i = 0; i < 100; ++i) {
        x[i] = static_cast<float>(i);
    }
    return module.sum(x, count, out) == 0 ? out[0] : -1.0f;
}

void test_state(const Module& first, const Module& second) {
    static float x[64];
    static float out[64];
    first.set_checks(1);
    first.track(x, sizeof x);
    expect(first.sum(x, 64, out) != 0, "the first library knows x only: out is out of bounds");
    expect(first.report_count() == 1, "and says so");
    expect(first.report(0).find("kernel_module.cu:") != std::string::npos, "with the line");
    expect(second.sum(x, 64, out) == 0, "the second library checks nothing");
    expect(second.report_count() == 0, "and has found nothing");
    first.track(out, sizeof out);
    first.clear();
    expect(first.sum(x, 64, out) == 0 && first.report_count() == 0, "with both buffers all is well");
    first.set_checks(0);
}

void test_threads(const Module& first, const Module& second) {
    std::thread threads[4];
    for (int i = 0; i < 4; ++i) {
        threads[i] = std::thread([&, i] {
            const Module& module = i % 2 == 0 ? first : second;
            for (int repeat = 0; repeat < 50; ++repeat) {
                expect(sum_of(module, 100) == 4950.0f, "launches from several threads");
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace

int main(int, char** arguments) {
    const Module first(arguments[1]);
    const Module second(arguments[2]);
    test_state(first, second);
    test_threads(first, second);
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
