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
    INTENT_CAPACITY_ERROR = 4, /* a size is beyond what the machine can hold, or there is no workspace */
    INTENT_DEVICE_ERROR = 5,   /* the device refused a launch or reported a fault */
    INTENT_INTERNAL_ERROR = 6, /* anything else, for example out of memory */

    /* Of checked builds alone: what a kernel did, found while it ran. */
    INTENT_BOUNDS_ERROR = 7, /* a coordinate lies outside its axis */
    INTENT_REGION_ERROR = 8, /* a part of a domain does not lie inside it */
    INTENT_PROMISE_ERROR = 9, /* what the author promised does not hold */
    INTENT_DUPLICATE_ERROR = 10, /* a statement writes an element twice */
    INTENT_RACE_ERROR = 11, /* two points of a parallel loop touch an element that one of them writes */
    INTENT_UNINITIALISED_ERROR = 12 /* an element is read before it is written */
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
