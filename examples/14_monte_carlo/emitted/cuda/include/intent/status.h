/* The C side of an emitted project: what its functions return and how they take arrays. C99 and C++. */
#ifndef INTENT_STATUS_H
#define INTENT_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* INTENT_OK is zero; every other value comes with a message in the project's `<name>_last_error()`. */
typedef enum intent_status {
    INTENT_OK = 0,
    INTENT_SHAPE_ERROR = 1,    /* an extent is not what the kernel declares */
    INTENT_STRIDE_ERROR = 2,   /* a stride is not what the kernel declares */
    INTENT_ALIAS_ERROR = 3,    /* two arrays share memory that the kernel needs apart */
    INTENT_CAPACITY_ERROR = 4, /* a size is beyond what the kernel or the machine can hold */
    INTENT_DEVICE_ERROR = 5,   /* the device refused a launch or reported a fault */
    INTENT_INTERNAL_ERROR = 6  /* anything else, for example out of memory */
} intent_status;

/* An array that the caller owns. Strides count elements and may be negative; extents may be 0. */
typedef struct intent_view {
    void* data;             /* the element with all coordinates zero */
    const int64_t* extents; /* one per axis */
    const int64_t* strides; /* one per axis */
} intent_view;

#ifdef __cplusplus
}
#endif

#endif
