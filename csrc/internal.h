/* What the kernels share among themselves: targets and the table of one implementation. */
#ifndef FASTOCR_INTERNAL_H
#define FASTOCR_INTERNAL_H

#include "fastocr.h"

#if defined(__x86_64__) || defined(_M_X64)
#define FO_X86 1
#include <immintrin.h>
#elif defined(__aarch64__) || defined(_M_ARM64)
#define FO_ARM 1
#include <arm_neon.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define FO_INLINE static inline __attribute__((always_inline))
#define FO_AVX2 __attribute__((target("avx2")))
#define FO_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")))
#else
#define FO_INLINE static __forceinline
#define FO_AVX2
#define FO_AVX512
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

/* Rows of a quad whose spans are found at once. */
#define FO_SPAN_ROWS 64
/* Lanes of the sum in fo_score: column index modulo 8. */
#define FO_LANES 8

/* One edge of a quad, turned so that inside is  dx * (y - ay) >= dy * (x - ax). */
typedef struct {
    double ax, ay, dx, dy, inverse;
} fo_edge;

/* A quad and the columns of its bounding box inside the map. */
typedef struct {
    fo_edge edges[4];
    int32_t left, right;
} fo_quad;

/* Per implementation, the loops over one row (or a few) that everything else is built from. */
struct fo_kernels {
    const char *name;
    /* n interleaved pixels of three bytes into three planes */
    void (*pack_row)(const uint8_t *pixels, ptrdiff_t n, float *const planes[3], const float scale[3],
                     const float bias[3]);
    /* first and last column inside the quad, for rows y .. y + rows; first > last where there is none */
    void (*spans)(const fo_quad *quad, int32_t y, int rows, int32_t *first, int32_t *last);
    /* adds the spans' values to the lanes, row by row */
    void (*sum_rows)(const float *row, ptrdiff_t stride, int rows, const int32_t *first, const int32_t *last,
                     double lanes[FO_LANES]);
    void (*binarize_row)(const float *values, ptrdiff_t n, float threshold, uint8_t *out);
    /* first index of the greatest allowed value that is not NaN; -1 where there is none */
    ptrdiff_t (*best)(const float *values, ptrdiff_t n, const uint32_t *deny);
};

#define FO_DECLARE(suffix)                                                                                             \
    void fo_pack_row_##suffix(const uint8_t *, ptrdiff_t, float *const[3], const float[3], const float[3]);            \
    void fo_spans_##suffix(const fo_quad *, int32_t, int, int32_t *, int32_t *);                                       \
    void fo_sum_rows_##suffix(const float *, ptrdiff_t, int, const int32_t *, const int32_t *, double[FO_LANES]);      \
    void fo_binarize_row_##suffix(const float *, ptrdiff_t, float, uint8_t *);                                         \
    ptrdiff_t fo_best_##suffix(const float *, ptrdiff_t, const uint32_t *)

FO_DECLARE(baseline);
#if defined(FO_X86)
FO_DECLARE(avx2);
FO_DECLARE(avx512);
#elif defined(FO_ARM)
FO_DECLARE(neon);
#endif

#endif
