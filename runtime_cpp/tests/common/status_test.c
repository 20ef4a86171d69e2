/* The C header is C99, and its layout is what dynamic callers build. */
#include <intent/status.h>

#include <stddef.h>

int main(void) {
    int64_t extents[2] = {2, 3};
    int64_t strides[2] = {3, 1};
    float data[6] = {0};
    intent_view view = {data, extents, strides};
    intent_status status = INTENT_OK;
    int failures = 0;
    failures += view.extents[1] != 3 || view.strides[0] != 3;
    failures += offsetof(intent_view, extents) != sizeof(void*) || offsetof(intent_view, strides) != 2 * sizeof(void*);
    failures += status != 0 || INTENT_SHAPE_ERROR != 1 || INTENT_STRIDE_ERROR != 2 || INTENT_ALIAS_ERROR != 3;
    failures += INTENT_CAPACITY_ERROR != 4 || INTENT_DEVICE_ERROR != 5 || INTENT_INTERNAL_ERROR != 6;
    return failures;
}
