#include <intent/combine.hpp>
#include <intent/float16.hpp>

#include "../expect.hpp"

#include <climits>

using namespace intent;

namespace {

// The identity changes nothing, on either side.
template <class Combine, class T>
void identity_holds(T value) {
    const T identity = Combine::template identity<T>();
    EXPECT(Combine{}(identity, value) == value && Combine{}(value, identity) == value);
}

template <class T>
void identities(T value) {
    identity_holds<Add>(value);
    identity_holds<Maximum>(value);
    identity_holds<Minimum>(value);
}

}  // namespace

int main() {
    for (const int x : {-128, -1, 0, 1, 127}) {
        identities(static_cast<std::int8_t>(x));
        identities(static_cast<std::uint8_t>(x));
        identities(x);
        identities(static_cast<std::int64_t>(x) * (std::int64_t{1} << 40));
        identities(static_cast<float>(x));
        identities(static_cast<double>(x));
        identities(f16(x));
        identities(bf16(x));
    }
    identities(infinity<float>());
    identities(-infinity<double>());
    for (const bool x : {false, true}) {
        identity_holds<All>(x);
        identity_holds<Any>(x);
        identity_holds<Maximum>(x);
        identity_holds<Minimum>(x);
        EXPECT(All{}(x, false) == false && Any{}(x, true) == true);
    }
    EXPECT(Add{}(INT_MAX, 1) == INT_MIN && Add{}(std::uint8_t{255}, std::uint8_t{2}) == 1);
    EXPECT(Add{}(f16(1024.0f), f16(0.25f)) == f16(1024.0f));
    EXPECT(is_nan(Maximum{}(quiet_nan<float>(), 1.0f)) && is_nan(Minimum{}(1.0f, quiet_nan<float>())));
    return expect::failures();
}
