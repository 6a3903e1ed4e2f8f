/* The kernels of fastocr, in C11 without Python.
 *
 * Every function is defined by its Python reference (fastocr/kernels/<name>_py.py) down to the order of the
 * floating-point operations; build with -ffp-contract=off (MSVC: /fp:precise) and never with fast-math.
 * Arguments are trusted: the shared check in fastocr/kernels/_check.py runs before.  Nothing allocates, and
 * nothing depends on the caller's floating-point state: each call runs in the default one and restores it.
 */
#ifndef FASTOCR_H
#define FASTOCR_H

#include <stddef.h>
#include <stdint.h>

/* One implementation of the kernels: "baseline", "avx2", "avx512" or "neon". */
typedef struct fo_kernels fo_kernels;

/* The implementations that this processor and its system can run, slowest first; NULL past the end. */
const fo_kernels *fo_kernels_at(int position);
const char *fo_kernels_name(const fo_kernels *kernels);

/* uint8 pixels; strides in bytes, of any sign. */
typedef struct {
    const uint8_t *data;
    ptrdiff_t height, width;
    ptrdiff_t stride_y, stride_x, stride_c;
} fo_image;

/* float32 planes with contiguous rows; strides in elements. */
typedef struct {
    float *data;
    ptrdiff_t channels, height, width;
    ptrdiff_t stride_c, stride_y;
} fo_canvas;

/* float32 map with contiguous rows; stride in elements. */
typedef struct {
    const float *data;
    ptrdiff_t height, width;
    ptrdiff_t stride_y;
} fo_map;

/* out[c, y+i, x+j] = (float)image[i, j, channels[c]] * scale[c] + bias[c], each step rounded to float32.
 * Where fill is not NULL, the rest of plane c is set to fill[c]. */
void fo_pack(const fo_kernels *kernels, const fo_image *image, const fo_canvas *out, const float *scale,
             const float *bias, const int64_t *channels, ptrdiff_t y, ptrdiff_t x, const float *fill);

/* scores[i] = mean of the map over the pixel centres inside quads[i] (four corners, x then y). */
void fo_score(const fo_kernels *kernels, const fo_map *map, const float *quads, ptrdiff_t count, double *scores);

/* out = 255 where map > threshold, else 0; stride of out in bytes. */
void fo_binarize(const fo_kernels *kernels, const fo_map *map, float threshold, uint8_t *out, ptrdiff_t out_stride);

/* A batch of probability matrices and the room for what is read from it. */
typedef struct {
    const float *probs; /* (batch, steps, classes), classes contiguous */
    ptrdiff_t batch, steps, classes;
    ptrdiff_t stride_b, stride_t; /* in elements */
    const uint32_t *deny;         /* per class: 0 allowed, all ones denied; or NULL */
    ptrdiff_t blank;
    ptrdiff_t space;               /* negative: no space class */
    int64_t *offsets;              /* batch + 1 */
    int32_t *index, *first, *last; /* room for batch * steps each */
    float *probability;
    float *space_probability; /* (batch, steps), or NULL without a space class */
} fo_ctc;

/* Greedy decoding; offsets[batch] is the number of characters written. */
void fo_ctc_decode(const fo_kernels *kernels, const fo_ctc *job);

/* The calling thread's floating-point control word (MXCSR, FPCR; 0 where it is not known). */
uint64_t fo_float_state(void);
void fo_set_float_state(uint64_t state);
/* The same state with denormals flushed to zero, inputs and results. */
uint64_t fo_flushed(uint64_t state);
/* Enters the default state and returns the one before. */
uint64_t fo_enter_default(void);

#endif
