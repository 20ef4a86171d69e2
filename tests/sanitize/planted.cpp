// Faults that each sanitizer must find, and synchronisation that the thread sanitizer must understand.
#include <cstdlib>

extern "C" {

int overrun(int n) {
    int* const numbers = static_cast<int*>(std::calloc(static_cast<std::size_t>(n), sizeof(int)));
    const int number = numbers[n];
    std::free(numbers);
    return number;
}

int element(const int* numbers, int i) { return numbers[i]; }

int overflow(int n) { return n * 0x40000000; }

int race(int n) {
    int sum = 0;
    #pragma omp parallel
    {
        for (int i = 0; i < n; ++i) {
            ++sum;
        }
    }
    return sum;
}

// Threads that write what the others read after a barrier, take steps of a loop by turns and meet in a critical section.
int ordered(int n) {
    int written[64] = {};
    int sum = 0;
    #pragma omp parallel
    {
        #pragma omp for schedule(static)
        for (int i = 0; i < 64; ++i) {
            written[i] = 1;
        }
        int mine = 0;
        #pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < 64; ++i) {
            mine += written[63 - i];
        }
        #pragma omp critical
        sum += mine;
    }
    #pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 64; ++i) {
        written[i] += n;
    }
    for (int i = 0; i < 64; ++i) {
        sum += written[i];
    }
    return sum == 64 + 64 * (n + 1) ? 0 : 1;
}

}  // extern "C"
