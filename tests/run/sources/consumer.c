/* Calls two emitted projects through their C interfaces. */
#include <first/first.h>
#include <second/second.h>

#include <stdio.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char* what) {
    if (!holds) {
        printf("FAILED: %s\n", what);
        ++failures;
    }
}

int main(void) {
    float x[6] = {1, 2, 3, 4, 5, 6};
    float y[6] = {0};
    const int64_t six = 6, three = 3, one = 1;
    const intent_view whole = {x, &six, &one}, result = {y, &six, &one}, half = {y, &three, &one};
    float factor = 2.0f;

    expect(first_scale_run(&whole, factor, &result) == INTENT_OK && y[5] == 12.0f, "first_scale_run");
    void* arguments[3];
    arguments[0] = (void*)&whole;
    arguments[1] = &factor;
    arguments[2] = (void*)&result;
    factor = 3.0f;
    expect(first_scale_call(arguments) == INTENT_OK && y[5] == 18.0f, "first_scale_call");
    expect(second_run(&whole, &result) == INTENT_OK && y[5] == -6.0f, "second_run");

    expect(first_scale_run(&whole, factor, &half) == INTENT_SHAPE_ERROR, "status of a wrong extent");
    expect(strstr(first_last_error(), "y") != NULL && strstr(first_last_error(), "scale") != NULL, first_last_error());
    const intent_view shifted = {x + 1, &three, &one}, begin = {x, &three, &one};
    expect(first_scale_run(&begin, factor, &shifted) == INTENT_ALIAS_ERROR, "status of overlapping arrays");
    puts(failures == 0 ? "all is well" : "something failed");
    return failures == 0 ? 0 : 1;
}
