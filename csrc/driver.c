/* Replays vectors that the Python reference made (tests/kernels/make_vectors.py) on every implementation that the
 * processor has, and compares bytes.  Needs no Python, so it runs where only a cross compiler and an emulator are.
 *
 * A file is a row of records: kind, number of parameters, number of arrays, the parameters, all int64; then each
 * array's size in bytes (int64) and its bytes, padded to eight.  Little-endian.
 */
#include "fastocr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARRAYS 12

enum { PACK = 1, SCORE, BINARIZE, CTC };

/* One record; every array is an allocation of its own, so that a sanitizer sees a read past its end. */
typedef struct {
    int64_t kind;
    int64_t params[16];
    void *arrays[MAX_ARRAYS];
    size_t sizes[MAX_ARRAYS];
    int count;
} record;

static void fail(const char *message) {
    fprintf(stderr, "driver: %s\n", message);
    exit(2);
}

static void *allocate(size_t size) {
    void *memory = malloc(size ? size : 1);
    if (memory == NULL) {
        fail("out of memory");
    }
    return memory;
}

static int64_t read_int(FILE *file) {
    int64_t value;
    if (fread(&value, sizeof value, 1, file) != 1) {
        fail("the file ends early");
    }
    return value;
}

static int read_record(FILE *file, record *r) {
    if (fread(&r->kind, sizeof r->kind, 1, file) != 1) {
        return 0;
    }
    const int64_t params = read_int(file);
    const int64_t arrays = read_int(file);
    if (params > 16 || arrays > MAX_ARRAYS) {
        fail("a record has too many parts");
    }
    for (int64_t k = 0; k < params; k++) {
        r->params[k] = read_int(file);
    }
    r->count = (int)arrays;
    for (int64_t k = 0; k < arrays; k++) {
        char padding[8];
        r->sizes[k] = (size_t)read_int(file);
        r->arrays[k] = allocate(r->sizes[k]);
        const size_t rest = (8 - r->sizes[k] % 8) % 8;
        if (fread(r->arrays[k], 1, r->sizes[k], file) != r->sizes[k] || fread(padding, 1, rest, file) != rest) {
            fail("the file ends early");
        }
    }
    return 1;
}

static void free_record(record *r) {
    for (int k = 0; k < r->count; k++) {
        free(r->arrays[k]);
    }
}

static int same(const record *r, int array, const void *got) {
    return memcmp(r->arrays[array], got, r->sizes[array]) == 0;
}

/* params: image height, width, its first byte and three strides; canvas planes, height, width; y, x, has fill
 * arrays: pixels, scale, bias, channels, fill, canvas before, canvas after */
static int run_pack(const fo_kernels *kernels, const record *r) {
    const int64_t *p = r->params;
    const fo_image image = {(const uint8_t *)r->arrays[0] + p[2], p[0], p[1], p[3], p[4], p[5]};
    float *data = allocate(r->sizes[5]);
    memcpy(data, r->arrays[5], r->sizes[5]);
    const fo_canvas canvas = {data, p[6], p[7], p[8], p[7] * p[8], p[8]};
    fo_pack(kernels, &image, &canvas, r->arrays[1], r->arrays[2], r->arrays[3], p[9], p[10],
            p[11] ? r->arrays[4] : NULL);
    const int ok = same(r, 6, data);
    free(data);
    return ok;
}

/* params: height, width, number of quads; arrays: map, quads, scores */
static int run_score(const fo_kernels *kernels, const record *r) {
    const int64_t *p = r->params;
    const fo_map map = {r->arrays[0], p[0], p[1], p[1]};
    double *scores = allocate(r->sizes[2]);
    fo_score(kernels, &map, r->arrays[1], p[2], scores);
    const int ok = same(r, 2, scores);
    free(scores);
    return ok;
}

/* params: height, width; arrays: map, threshold, result */
static int run_binarize(const fo_kernels *kernels, const record *r) {
    const int64_t *p = r->params;
    const fo_map map = {r->arrays[0], p[0], p[1], p[1]};
    uint8_t *out = allocate(r->sizes[2]);
    fo_binarize(kernels, &map, *(const float *)r->arrays[1], out, p[1]);
    const int ok = same(r, 2, out);
    free(out);
    return ok;
}

/* params: batch, steps, classes, blank, space, has deny
 * arrays: probs, deny, offsets, index, probability, first, last, space probability */
static int run_ctc(const fo_kernels *kernels, const record *r) {
    const int64_t *p = r->params;
    const size_t room = (size_t)(p[0] * p[1]);
    int32_t *numbers = allocate(3 * room * sizeof *numbers);
    float *values = allocate(2 * room * sizeof *values);
    int64_t *offsets = allocate(r->sizes[2]);
    const fo_ctc job = {.probs = r->arrays[0],
                        .batch = p[0],
                        .steps = p[1],
                        .classes = p[2],
                        .stride_b = p[1] * p[2],
                        .stride_t = p[2],
                        .deny = p[5] ? r->arrays[1] : NULL,
                        .blank = p[3],
                        .space = p[4],
                        .offsets = offsets,
                        .index = numbers,
                        .first = numbers + room,
                        .last = numbers + 2 * room,
                        .probability = values,
                        .space_probability = values + room};
    fo_ctc_decode(kernels, &job);
    const int ok = same(r, 2, offsets) && same(r, 3, job.index) && same(r, 4, job.probability) &&
                   same(r, 5, job.first) && same(r, 6, job.last) && same(r, 7, job.space_probability);
    free(numbers);
    free(values);
    free(offsets);
    return ok;
}

static int replay(const fo_kernels *kernels, const record *r) {
    switch (r->kind) {
    case PACK:
        return run_pack(kernels, r);
    case SCORE:
        return run_score(kernels, r);
    case BINARIZE:
        return run_binarize(kernels, r);
    case CTC:
        return run_ctc(kernels, r);
    default:
        fail("a record is of no known kind");
        return 0;
    }
}

/* Whether a denormal result is kept; volatile, so that no step moves past a change of the state. */
static int keeps_denormals(void) {
    volatile double smallest = 2.2250738585072014e-308;
    volatile double quarter = smallest / 4.0;
    volatile int kept = quarter != 0.0;
    return kept;
}

/* Flushing is seen, the default state undoes it, and each state comes back. */
static int check_state(void) {
    const uint64_t before = fo_float_state();
    int good = keeps_denormals();
    fo_set_float_state(fo_flushed(before));
    good &= !keeps_denormals();
    const uint64_t flushed = fo_enter_default();
    good &= keeps_denormals();
    fo_set_float_state(flushed);
    good &= !keeps_denormals();
    fo_set_float_state(before);
    return good & keeps_denormals();
}

int main(int count, char **arguments) {
    if (count != 2) {
        fail("usage: driver VECTORS");
    }
    int bad = !check_state();
    printf("state: %s\n", bad ? "WRONG" : "ok");
    for (int k = 0; fo_kernels_at(k) != NULL; k++) {
        const fo_kernels *kernels = fo_kernels_at(k);
        FILE *file = fopen(arguments[1], "rb");
        if (file == NULL) {
            fail("cannot open the vectors");
        }
        record r;
        int records = 0, wrong = 0;
        for (; read_record(file, &r); records++) {
            if (!replay(kernels, &r)) {
                printf("%s: record %d of kind %d differs\n", fo_kernels_name(kernels), records, (int)r.kind);
                wrong++;
            }
            free_record(&r);
        }
        fclose(file);
        printf("%s: %d records, %d wrong\n", fo_kernels_name(kernels), records, wrong);
        bad |= wrong != 0 || records == 0;
    }
    return bad;
}
