#include <intent/cpu/partition.hpp>

#include "../expect.hpp"
#include "../random.hpp"

#include <vector>

using namespace intent;

int main() {
    test::Random random(21);
    for (const index_t count : {0, 1, 2, 1009, 32767, 100003}) {
        for (const index_t buckets : {1, 2, 7, 1000}) {
            std::vector<index_t> bucket_of(static_cast<std::size_t>(count) + 1);
            for (index_t& bucket : bucket_of) {
                // Half of the items in one bucket, the last bucket empty.
                bucket = random.integer(0, 1) == 0 ? buckets / 2 : random.integer(0, buckets - 1);
                bucket = buckets > 2 && bucket == buckets - 1 ? 0 : bucket;
            }
            std::vector<index_t> items(bucket_of.size(), -1);
            std::vector<index_t> begins(static_cast<std::size_t>(buckets) + 1, -1);
            const index_t* const p = bucket_of.data();
            detail::partition(
                count, buckets, [=](index_t i) { return p[i]; }, [](index_t i) { return 3 * i; }, items.data(),
                begins.data());
            EXPECT(begins[0] == 0 && begins[static_cast<std::size_t>(buckets)] == count);
            for (index_t bucket = 0; bucket < buckets; ++bucket) {
                const auto b = static_cast<std::size_t>(bucket);
                EXPECT(begins[b] <= begins[b + 1]);
                for (index_t k = begins[b]; k < begins[b + 1]; ++k) {
                    const auto at = static_cast<std::size_t>(k);
                    EXPECT(items[at] % 3 == 0 && p[items[at] / 3] == bucket);
                    EXPECT(k == begins[b] || items[at - 1] < items[at]);
                }
            }
            EXPECT(items[static_cast<std::size_t>(count)] == -1);
        }
    }
    return expect::failures();
}
