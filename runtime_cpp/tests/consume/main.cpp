// A program that uses a header of each kind.
#include <intent/check.hpp>
#include <intent/cpu/fold.hpp>
#include <intent/cpu/math.hpp>
#include <intent/cpu/matmul.hpp>

int main() {
    const float x[3] = {0.0f, 1.0f, 2.0f};
    const float total = intent::fold(3, intent::Add{}, [&](intent::index_t i) { return intent::exp2(x[i]); });
    float square[1];
    intent::matmul<float>(1, 1, 3, intent::Matrix<const float>{x, 3, 1}, intent::Matrix<const float>{x, 1, 1},
                          intent::Matrix<float>{square, 1, 1});
    const intent_status status = intent::guarded([] { intent::require_equal(1, 2, "wrong"); });
    return total == 7.0f && square[0] == 5.0f && status == INTENT_SHAPE_ERROR ? 0 : 1;
}
