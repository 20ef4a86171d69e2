// What GCC's OpenMP code calls, on plain threads: the thread sanitizer sees every synchronisation of it, and none that
// an OpenMP program does not have. Regions have four threads, whatever the machine, until the program sets another
// number; regions inside them have one.
#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::atomic<int> wanted_threads{4};

// A loop that hands out its steps one chunk after the other.
struct Loop {
    long end;
    long step;
    long chunk;
    std::atomic<long> next;

    Loop(long begin, long end, long step, long chunk) : end(end), step(step), chunk(chunk), next(begin) {}

    bool take(long* first, long* last) {
        *first = next.fetch_add(chunk * step, std::memory_order_relaxed);
        const bool some = step > 0 ? *first < end : *first > end;
        const long rest = *first + chunk * step;
        *last = step > 0 ? (rest < end ? rest : end) : (rest > end ? rest : end);
        return some;
    }
};

struct Team {
    int size;
    pthread_barrier_t barrier;
    std::mutex mutex;
    std::vector<std::unique_ptr<Loop>> loops;  // in the order in which the threads come to them

    explicit Team(int size) : size(size) { pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(size)); }
    ~Team() { pthread_barrier_destroy(&barrier); }

    Loop* loop(std::size_t number, long begin, long end, long step, long chunk) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (loops.size() == number) {
            loops.push_back(std::make_unique<Loop>(begin, end, step, chunk));
        }
        return loops[number].get();
    }
};

// A thread's place in the innermost region that it runs.
struct Member {
    Team* team = nullptr;
    int number = 0;
    int depth = 0;
    std::size_t loops = 0;
    Loop* loop = nullptr;
};

thread_local Member member;
std::mutex critical;

void run(void (*body)(void*), void* data, unsigned wanted, Loop* (*first)(Team&, const long*), const long* bounds) {
    Team team(wanted == 1 || member.depth > 0 ? 1 : wanted != 0 ? static_cast<int>(wanted) : wanted_threads.load());
    const int depth = member.depth + 1;
    const auto work = [&](int number) {
        const Member outer = member;
        member = {&team, number, depth, first != nullptr ? std::size_t{1} : 0, nullptr};
        member.loop = first != nullptr ? first(team, bounds) : nullptr;
        body(data);
        member = outer;
    };
    std::vector<std::thread> others;
    for (int number = 1; number < team.size; ++number) {
        others.emplace_back(work, number);
    }
    work(0);
    for (std::thread& other : others) {
        other.join();
    }
}

Loop* first_loop(Team& team, const long* b) { return team.loop(0, b[0], b[1], b[2], b[3]); }

}  // namespace

extern "C" {

int omp_get_thread_num() { return member.number; }
int omp_get_num_threads() { return member.team != nullptr ? member.team->size : 1; }
int omp_get_max_threads() { return wanted_threads; }
void omp_set_num_threads(int threads) { wanted_threads = threads; }
int omp_get_active_level() { return member.depth > 0 ? 1 : 0; }
int omp_get_max_active_levels() { return 1; }
int omp_in_parallel() { return member.team != nullptr && member.team->size > 1 ? 1 : 0; }

void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned) {
    run(body, data, threads, nullptr, nullptr);
}

void GOMP_barrier() {
    if (member.team != nullptr) {
        pthread_barrier_wait(&member.team->barrier);
    }
}

void GOMP_critical_start() { critical.lock(); }
void GOMP_critical_end() { critical.unlock(); }

void GOMP_parallel_loop_nonmonotonic_dynamic(void (*body)(void*), void* data, unsigned threads, long begin, long end,
                                             long step, long chunk, unsigned) {
    const long bounds[] = {begin, end, step, chunk};
    run(body, data, threads, first_loop, bounds);
}

bool GOMP_loop_nonmonotonic_dynamic_start(long begin, long end, long step, long chunk, long* first, long* last) {
    member.loop = member.team->loop(member.loops++, begin, end, step, chunk);
    return member.loop->take(first, last);
}

bool GOMP_loop_nonmonotonic_dynamic_next(long* first, long* last) { return member.loop->take(first, last); }

void GOMP_loop_end_nowait() {}
void GOMP_loop_end() { GOMP_barrier(); }

}  // extern "C"
