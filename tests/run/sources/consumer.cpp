// Calls two emitted projects, which have a kernel of one name, through their C++ interfaces.
#include <first/first.hpp>
#include <second/second.hpp>

#include <intent/check.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

bool other_translation_unit();

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (!holds) {
        std::printf("FAILED: %s\n", what);
        ++failures;
    }
}

template <class T>
intent::View<T, 2> matrix(std::vector<T>& data, std::int64_t rows, std::int64_t columns) {
    return {data.data(), {rows, columns}, {columns, 1}};
}

template <class T>
intent::View<T, 1> line(std::vector<T>& data) {
    return {data.data(), {static_cast<std::int64_t>(data.size())}, {1}};
}

}  // namespace

int main() {
    std::vector<float> x = {1, 2, 3, 4, 5, 6};
    std::vector<float> y(6);
    first::scale(line(x), 2.0f, line(y));
    expect(y == std::vector<float>({2, 4, 6, 8, 10, 12}), "first::scale");
    second::scale(line(x), line(y));
    expect(y == std::vector<float>({-1, -2, -3, -4, -5, -6}), "second::scale");

    std::vector<float> sums(2);
    first::row_sums(matrix(x, 2, 3), line(sums));
    expect(sums == std::vector<float>({6, 15}), "first::row_sums");
    std::vector<float> backwards(3);
    first::row_sums({x.data(), {3, 2}, {1, 3}}, line(backwards));  // transposed
    expect(backwards == std::vector<float>({5, 7, 9}), "first::row_sums of a transposed view");
    std::vector<float> none;
    first::scale(line(none), 2.0f, line(none));  // no elements: nothing happens

    try {
        first::row_sums(matrix(x, 2, 3), line(backwards));
        expect(false, "a wrong extent was accepted");
    } catch (const intent::ShapeError& error) {
        expect(std::strstr(error.what(), "sums") != nullptr, error.what());
        expect(error.status() == INTENT_SHAPE_ERROR, "status of a ShapeError");
    }
    expect(backwards == std::vector<float>({5, 7, 9}), "a refused call wrote something");
    try {
        first::scale({x.data(), {5}, {1}}, 2.0f, {x.data() + 1, {5}, {1}});
        expect(false, "overlapping arrays were accepted");
    } catch (const intent::Error& error) {
        expect(error.status() == INTENT_ALIAS_ERROR, error.what());
    }
    expect(other_translation_unit(), "the headers in a second translation unit");
    std::puts(failures == 0 ? "all is well" : "something failed");
    return failures == 0 ? 0 : 1;
}
