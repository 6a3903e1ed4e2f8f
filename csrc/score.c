/* Mean of a map inside convex quads.
 *
 * A pixel centre is inside where it passes the test of every edge.  Along a row each side of that test is monotone
 * in x, rounding included, so what passes an edge is a run of columns: its end is estimated by a division, then
 * proven with the test itself, and sought by bisection in the rare row where the estimate is off.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

FO_INLINE int inside(const fo_edge *edge, double across, double x) {
    return across >= edge->dy * (x - edge->ax);
}

/* The last column of low .. high that passes, low itself being out of the question and meaning none. */
static int32_t seek_last(const fo_edge *edge, double across, int32_t low, int32_t high) {
    while (low < high) {
        const int32_t middle = high - (high - low) / 2;
        if (inside(edge, across, middle)) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/* The first column of low .. high that passes, high itself meaning none. */
static int32_t seek_first(const fo_edge *edge, double across, int32_t low, int32_t high) {
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (inside(edge, across, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* An edge with dy > 0 bounds each row on the right: the last column that passes, left - 1 for none. */
FO_INLINE void clip_last(const fo_edge *e, int32_t left, int32_t right, int32_t y, int rows, int32_t *last) {
    const double low = (double)left - 1.0, high = right;
    int32_t columns[FO_SPAN_ROWS];
    int wrong = 0;
    for (int r = 0; r < rows; r++) {
        const double across = e->dx * ((double)(y + r) - e->ay);
        double at = e->ax + across * e->inverse;
        at = at > low ? at : low;
        at = at < high ? at : high;
        const int32_t steps = (int32_t)(at - low);
        const double x = low + (double)steps;
        const int passes = (x <= low) | (across >= e->dy * (x - e->ax));
        const int ends = (x >= high) | (across < e->dy * (x + 1.0 - e->ax));
        wrong |= !(passes & ends);
        columns[r] = left - 1 + steps;
    }
    for (int r = 0; wrong && r < rows; r++) {
        columns[r] = seek_last(e, e->dx * ((double)(y + r) - e->ay), left - 1, right);
    }
    for (int r = 0; r < rows; r++) {
        last[r] = columns[r] < last[r] ? columns[r] : last[r];
    }
}

/* An edge with dy < 0 bounds it on the left: the first column that passes, right + 1 for none. */
FO_INLINE void clip_first(const fo_edge *e, int32_t left, int32_t right, int32_t y, int rows, int32_t *first) {
    const double low = left, high = (double)right + 1.0;
    int32_t columns[FO_SPAN_ROWS];
    int wrong = 0;
    for (int r = 0; r < rows; r++) {
        const double across = e->dx * ((double)(y + r) - e->ay);
        double at = e->ax + across * e->inverse;
        at = at > low ? at : low;
        at = at < high ? at : high;
        const int32_t steps = (int32_t)(high - at);
        const double x = high - (double)steps;
        const int passes = (x >= high) | (across >= e->dy * (x - e->ax));
        const int starts = (x <= low) | (across < e->dy * (x - 1.0 - e->ax));
        wrong |= !(passes & starts);
        columns[r] = right + 1 - steps;
    }
    for (int r = 0; wrong && r < rows; r++) {
        columns[r] = seek_first(e, e->dx * ((double)(y + r) - e->ay), left, right + 1);
    }
    for (int r = 0; r < rows; r++) {
        first[r] = columns[r] > first[r] ? columns[r] : first[r];
    }
}

/* A level edge passes or refuses whole rows. */
FO_INLINE void clip_level(const fo_edge *e, int32_t left, int32_t y, int rows, int32_t *last) {
    for (int r = 0; r < rows; r++) {
        last[r] = e->dx * ((double)(y + r) - e->ay) >= 0.0 ? last[r] : left - 1;
    }
}

FO_INLINE void spans(const fo_quad *quad, int32_t y, int rows, int32_t *first, int32_t *last) {
    for (int r = 0; r < rows; r++) {
        first[r] = quad->left;
        last[r] = quad->right;
    }
    for (int k = 0; k < 4; k++) {
        const fo_edge *e = &quad->edges[k];
        if (e->dy > 0.0) {
            clip_last(e, quad->left, quad->right, y, rows, last);
        } else if (e->dy < 0.0) {
            clip_first(e, quad->left, quad->right, y, rows, first);
        } else {
            clip_level(e, quad->left, y, rows, last);
        }
    }
}

void fo_spans_baseline(const fo_quad *quad, int32_t y, int rows, int32_t *first, int32_t *last) {
    spans(quad, y, rows, first, last);
}

FO_INLINE void add8(double lanes[FO_LANES], const float *values) {
    for (int k = 0; k < FO_LANES; k++) {
        lanes[k] += values[k] == values[k] ? (double)values[k] : 0.0;
    }
}

FO_INLINE void sum_row(const float *row, int32_t first, int32_t last, double lanes[FO_LANES]) {
    double line[FO_LANES] = {0.0};
    for (int32_t x = first; x <= last;) {
        const int32_t lane = x % FO_LANES, room = FO_LANES - lane, left = last - x + 1;
        const int32_t count = left < room ? left : room;
        if (count == FO_LANES) {
            add8(line, row + x);
        } else {
            float padded[FO_LANES] = {0.0f};
            for (int32_t k = 0; k < count; k++) {
                padded[lane + k] = row[x + k];
            }
            add8(line, padded);
        }
        x += count;
    }
    for (int k = 0; k < FO_LANES; k++) {
        lanes[k] += line[k];
    }
}

void fo_sum_rows_baseline(const float *row, ptrdiff_t stride, int rows, const int32_t *first, const int32_t *last,
                          double lanes[FO_LANES]) {
    for (int r = 0; r < rows; r++) {
        sum_row(row + r * stride, first[r], last[r], lanes);
    }
}

#if defined(FO_X86)
FO_AVX2 void fo_spans_avx2(const fo_quad *quad, int32_t y, int rows, int32_t *first, int32_t *last) {
    spans(quad, y, rows, first, last);
}

/* The mask of columns first .. last among the eight from x on. */
FO_AVX2 FO_INLINE __m256i between(int32_t x, int32_t first, int32_t last) {
    const __m256i columns = _mm256_add_epi32(_mm256_set1_epi32(x), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
    return _mm256_andnot_si256(_mm256_cmpgt_epi32(_mm256_set1_epi32(first), columns),
                               _mm256_cmpgt_epi32(_mm256_set1_epi32(last + 1), columns));
}

FO_AVX2 void fo_sum_rows_avx2(const float *row, ptrdiff_t stride, int rows, const int32_t *first, const int32_t *last,
                              double lanes[FO_LANES]) {
    __m256d total0 = _mm256_loadu_pd(lanes), total1 = _mm256_loadu_pd(lanes + 4);
    for (int r = 0; r < rows; r++, row += stride) {
        __m256d line0 = _mm256_setzero_pd(), line1 = _mm256_setzero_pd();
        for (int32_t x = first[r] & ~7; x <= last[r]; x += 8) {
            const int whole = x >= first[r] && x + 7 <= last[r];
            __m256 v = whole ? _mm256_loadu_ps(row + x) : _mm256_maskload_ps(row + x, between(x, first[r], last[r]));
            v = _mm256_and_ps(v, _mm256_cmp_ps(v, v, _CMP_ORD_Q));
            line0 = _mm256_add_pd(line0, _mm256_cvtps_pd(_mm256_castps256_ps128(v)));
            line1 = _mm256_add_pd(line1, _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)));
        }
        total0 = _mm256_add_pd(total0, line0);
        total1 = _mm256_add_pd(total1, line1);
    }
    _mm256_storeu_pd(lanes, total0);
    _mm256_storeu_pd(lanes + 4, total1);
}

FO_AVX512 void fo_spans_avx512(const fo_quad *quad, int32_t y, int rows, int32_t *first, int32_t *last) {
    spans(quad, y, rows, first, last);
}

FO_AVX512 FO_INLINE __m512d add_masked(__m512d line, const float *values, __mmask8 wanted) {
    const __m256 v = _mm256_maskz_loadu_ps(wanted, values);
    return _mm512_add_pd(line, _mm512_maskz_cvtps_pd(_mm256_cmp_ps_mask(v, v, _CMP_ORD_Q), v));
}

FO_AVX512 void fo_sum_rows_avx512(const float *row, ptrdiff_t stride, int rows, const int32_t *first,
                                  const int32_t *last, double lanes[FO_LANES]) {
    __m512d total = _mm512_loadu_pd(lanes);
    for (int r = 0; r < rows; r++, row += stride) {
        if (first[r] > last[r]) {
            continue;
        }
        __m512d line = _mm512_setzero_pd();
        const int32_t end = last[r] & ~7;
        __mmask8 wanted = (__mmask8)(0xFFu << (first[r] & 7));
        for (int32_t x = first[r] & ~7; x < end; x += 8) {
            line = add_masked(line, row + x, wanted);
            wanted = 0xFF;
        }
        line = add_masked(line, row + end, (__mmask8)(wanted & (0xFFu >> (7 - (last[r] & 7)))));
        total = _mm512_add_pd(total, line);
    }
    _mm512_storeu_pd(lanes, total);
}

#elif defined(FO_ARM)
void fo_spans_neon(const fo_quad *quad, int32_t y, int rows, int32_t *first, int32_t *last) {
    spans(quad, y, rows, first, last);
}

FO_INLINE void add8_neon(float64x2_t line[4], const float *values) {
    for (int k = 0; k < 2; k++) {
        const float32x4_t v = vld1q_f32(values + 4 * k);
        const uint32x4_t ordered = vandq_u32(vreinterpretq_u32_f32(v), vceqq_f32(v, v));
        const float32x4_t known = vreinterpretq_f32_u32(ordered);
        line[2 * k] = vaddq_f64(line[2 * k], vcvt_f64_f32(vget_low_f32(known)));
        line[2 * k + 1] = vaddq_f64(line[2 * k + 1], vcvt_high_f64_f32(known));
    }
}

void fo_sum_rows_neon(const float *row, ptrdiff_t stride, int rows, const int32_t *first, const int32_t *last,
                      double lanes[FO_LANES]) {
    for (int r = 0; r < rows; r++, row += stride) {
        float64x2_t line[4] = {vdupq_n_f64(0.0), vdupq_n_f64(0.0), vdupq_n_f64(0.0), vdupq_n_f64(0.0)};
        for (int32_t x = first[r] & ~7; x <= last[r]; x += 8) {
            if (x >= first[r] && x + 7 <= last[r]) {
                add8_neon(line, row + x);
            } else {
                float padded[FO_LANES] = {0.0f};
                for (int32_t k = 0; k < FO_LANES; k++) {
                    padded[k] = x + k >= first[r] && x + k <= last[r] ? row[x + k] : 0.0f;
                }
                add8_neon(line, padded);
            }
        }
        for (int k = 0; k < 4; k++) {
            vst1q_f64(lanes + 2 * k, vaddq_f64(vld1q_f64(lanes + 2 * k), line[k]));
        }
    }
}
#endif

/* Edges of the quad with the inside on the side where the test passes, whichever way its corners run. */
static void make_edges(const float corners[8], fo_edge edges[4]) {
    double x[4], y[4];
    for (int k = 0; k < 4; k++) {
        x[k] = corners[2 * k];
        y[k] = corners[2 * k + 1];
    }
    const double area = (x[2] - x[0]) * (y[3] - y[1]) - (x[3] - x[1]) * (y[2] - y[0]);
    const double sign = area >= 0.0 ? 1.0 : -1.0;
    for (int k = 0; k < 4; k++) {
        const int next = (k + 1) % 4;
        const double dx = sign * (x[next] - x[k]), dy = sign * (y[next] - y[k]);
        edges[k] = (fo_edge){x[k], y[k], dx, dy, 1.0 / dy};
    }
}

/* Whole numbers from the least to the greatest of four values, within 0 .. size - 1. */
static void whole_range(const float *values, ptrdiff_t size, int32_t *from, int32_t *to) {
    double least = values[0], greatest = values[0];
    for (int k = 1; k < 4; k++) {
        const double value = values[2 * k];
        least = value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
    least = ceil(least);
    greatest = floor(greatest);
    const double end = (double)(size - 1);
    *from = (int32_t)(least < 0.0 ? 0.0 : least > end ? end + 1.0 : least);
    *to = (int32_t)(greatest > end ? end : greatest < 0.0 ? -1.0 : greatest);
}

/* The quiet NaN without a sign or payload; what NAN expands to differs between libraries. */
static double canonical_nan(void) {
    const uint64_t bits = UINT64_C(0x7FF8000000000000);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double score_one(const fo_kernels *kernels, const fo_map *map, const float corners[8]) {
    fo_quad quad;
    int32_t top, bottom, first[FO_SPAN_ROWS], last[FO_SPAN_ROWS];
    double lanes[FO_LANES] = {0.0};
    int64_t count = 0;
    make_edges(corners, quad.edges);
    whole_range(corners, map->width, &quad.left, &quad.right);
    whole_range(corners + 1, map->height, &top, &bottom);
    if (quad.left > quad.right) {
        return 0.0;
    }
    for (int32_t y = top; y <= bottom; y += FO_SPAN_ROWS) {
        const int rows = bottom - y < FO_SPAN_ROWS ? bottom - y + 1 : FO_SPAN_ROWS;
        kernels->spans(&quad, y, rows, first, last);
        kernels->sum_rows(map->data + y * map->stride_y, map->stride_y, rows, first, last, lanes);
        for (int r = 0; r < rows; r++) {
            count += last[r] >= first[r] ? last[r] - first[r] + 1 : 0;
        }
    }
    for (int half = FO_LANES / 2; half > 0; half /= 2) {
        for (int k = 0; k < half; k++) {
            lanes[k] += lanes[k + half];
        }
    }
    if (count == 0) {
        return 0.0;
    }
    return isfinite(lanes[0]) ? lanes[0] / (double)count : canonical_nan();
}

void fo_score(const fo_kernels *kernels, const fo_map *map, const float *quads, ptrdiff_t count, double *scores) {
    const uint64_t state = fo_enter_default();
    for (ptrdiff_t i = 0; i < count; i++) {
        scores[i] = score_one(kernels, map, quads + 8 * i);
    }
    fo_set_float_state(state);
}
