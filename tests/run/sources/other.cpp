// Includes the headers once more, in the other order: nothing is defined twice.
#include <second/second.h>
#include <second/second.hpp>

#include <first/first.hpp>
#include <first/first.h>

bool other_translation_unit();

bool other_translation_unit() {
    float x = 3.0f;
    float y = 0.0f;
    first::scale({&x, {1}, {1}}, 7.0f, {&y, {1}, {1}});
    return y == 21.0f && first_last_error() != nullptr && second_last_error() != nullptr;
}
