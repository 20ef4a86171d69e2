// Two installed packages in one program.
#include <first/first.hpp>
#include <second/second.hpp>

int main() {
    float x[3] = {1, 2, 3};
    float y[3] = {};
    first::scale({x, {3}, {1}}, 2.0f, {y, {3}, {1}});
    const bool doubled = y[2] == 6;
    second::scale({x, {3}, {1}}, {y, {3}, {1}});
    return doubled && y[2] == -3 ? 0 : 1;
}
