/* Greedy CTC decoding: the best class of every step, runs merged. */
#include "internal.h"

#include <math.h>
#include <string.h>

/* Values per block: the row's greatest value is sought block by block, its first index in one block alone. */
#define BLOCK 512

/* A denied class becomes NaN, which never wins. */
FO_INLINE float allowed(const float *values, const uint32_t *deny, ptrdiff_t j) {
    uint32_t bits;
    float value;
    if (deny == NULL) {
        return values[j];
    }
    memcpy(&bits, values + j, sizeof bits);
    bits |= deny[j];
    memcpy(&value, &bits, sizeof value);
    return value;
}

FO_INLINE ptrdiff_t find_scalar(const float *values, ptrdiff_t from, ptrdiff_t n, const uint32_t *deny, float top) {
    for (ptrdiff_t j = from; j < n; j++) {
        if (allowed(values, deny, j) == top) {
            return j;
        }
    }
    return -1;
}

FO_INLINE ptrdiff_t best_baseline(const float *values, ptrdiff_t n, const uint32_t *deny) {
    /* Sixteen independent maxima, so that compilers can use whatever vectors the target has. */
    float lane[16], top = -INFINITY;
    ptrdiff_t block = 0;
    for (ptrdiff_t i = 0; i < n; i += BLOCK) {
        const ptrdiff_t end = n - i < BLOCK ? n : i + BLOCK;
        float block_top = -INFINITY;
        ptrdiff_t j = i;
        for (int k = 0; k < 16; k++) {
            lane[k] = -INFINITY;
        }
        for (; j + 16 <= end; j += 16) {
            for (int k = 0; k < 16; k++) {
                const float value = allowed(values, deny, j + k);
                lane[k] = value > lane[k] ? value : lane[k];
            }
        }
        for (int k = 0; k < 16; k++) {
            block_top = lane[k] > block_top ? lane[k] : block_top;
        }
        for (; j < end; j++) {
            const float value = allowed(values, deny, j);
            block_top = value > block_top ? value : block_top;
        }
        if (block_top > top) {
            top = block_top;
            block = i;
        }
    }
    return find_scalar(values, block, n, deny, top);
}

ptrdiff_t fo_best_baseline(const float *values, ptrdiff_t n, const uint32_t *deny) {
    return deny == NULL ? best_baseline(values, n, NULL) : best_baseline(values, n, deny);
}

#if defined(FO_X86)
FO_AVX2 FO_INLINE __m256 load8(const float *values, const uint32_t *deny, ptrdiff_t j) {
    const __m256 v = _mm256_loadu_ps(values + j);
    return deny == NULL ? v : _mm256_or_ps(v, _mm256_loadu_ps((const float *)(const void *)(deny + j)));
}

FO_AVX2 FO_INLINE float reduce8(__m256 v) {
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    m = _mm_max_ss(m, _mm_movehdup_ps(m));
    return _mm_cvtss_f32(m);
}

/* max_ps(value, kept) keeps the second operand where the first is NaN. */
FO_AVX2 FO_INLINE ptrdiff_t best_avx2(const float *values, ptrdiff_t n, const uint32_t *deny) {
    const __m256 nothing = _mm256_set1_ps(-INFINITY);
    __m256 top = nothing;
    ptrdiff_t block = 0, i = 0;
    for (; i + 32 <= n;) {
        const ptrdiff_t start = i, end = n - i < BLOCK ? n : i + BLOCK;
        __m256 m0 = nothing, m1 = nothing, m2 = nothing, m3 = nothing;
        for (; i + 32 <= end; i += 32) {
            m0 = _mm256_max_ps(load8(values, deny, i), m0);
            m1 = _mm256_max_ps(load8(values, deny, i + 8), m1);
            m2 = _mm256_max_ps(load8(values, deny, i + 16), m2);
            m3 = _mm256_max_ps(load8(values, deny, i + 24), m3);
        }
        const __m256 m = _mm256_max_ps(_mm256_max_ps(m0, m1), _mm256_max_ps(m2, m3));
        if (_mm256_movemask_ps(_mm256_cmp_ps(m, top, _CMP_GT_OQ))) {
            top = _mm256_set1_ps(reduce8(m));
            block = start;
        }
    }
    float best = _mm256_cvtss_f32(top);
    const ptrdiff_t vectors = i;
    for (; i < n; i++) {
        const float value = allowed(values, deny, i);
        if (value > best) {
            best = value;
            block = i;
        }
    }
    const __m256 wanted = _mm256_set1_ps(best);
    for (i = block; i + 8 <= vectors; i += 8) {
        const unsigned hits = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(load8(values, deny, i), wanted, _CMP_EQ_OQ));
        if (hits) {
            return find_scalar(values, i, i + 8, deny, best);
        }
    }
    return find_scalar(values, i, n, deny, best);
}

FO_AVX2 ptrdiff_t fo_best_avx2(const float *values, ptrdiff_t n, const uint32_t *deny) {
    return deny == NULL ? best_avx2(values, n, NULL) : best_avx2(values, n, deny);
}

/* The first `count` of 16 values; -inf elsewhere and NaN where denied. */
FO_AVX512 FO_INLINE __m512 load16(const float *values, const uint32_t *deny, ptrdiff_t j, __mmask16 lanes) {
    const __m512 v = _mm512_mask_loadu_ps(_mm512_set1_ps(-INFINITY), lanes, values + j);
    return deny == NULL ? v : _mm512_or_ps(v, _mm512_castsi512_ps(_mm512_maskz_loadu_epi32(lanes, deny + j)));
}

FO_AVX512 FO_INLINE ptrdiff_t find_avx512(const float *values, ptrdiff_t from, ptrdiff_t n, const uint32_t *deny,
                                          __m512 wanted) {
    for (ptrdiff_t i = from; i < n; i += 16) {
        const __mmask16 lanes = n - i < 16 ? (__mmask16)((1u << (n - i)) - 1) : 0xFFFF;
        const __mmask16 hits = _mm512_mask_cmp_ps_mask(lanes, load16(values, deny, i, lanes), wanted, _CMP_EQ_OQ);
        if (hits) {
            return find_scalar(values, i, n, deny, _mm512_cvtss_f32(wanted));
        }
    }
    return -1;
}

FO_AVX512 FO_INLINE ptrdiff_t best_avx512(const float *values, ptrdiff_t n, const uint32_t *deny) {
    const __m512 nothing = _mm512_set1_ps(-INFINITY);
    __m512 top = nothing;
    ptrdiff_t block = 0;
    for (ptrdiff_t i = 0; i < n;) {
        const ptrdiff_t start = i, end = n - i < BLOCK ? n : i + BLOCK;
        __m512 m0 = nothing, m1 = nothing, m2 = nothing, m3 = nothing;
        for (; i + 64 <= end; i += 64) {
            m0 = _mm512_max_ps(load16(values, deny, i, 0xFFFF), m0);
            m1 = _mm512_max_ps(load16(values, deny, i + 16, 0xFFFF), m1);
            m2 = _mm512_max_ps(load16(values, deny, i + 32, 0xFFFF), m2);
            m3 = _mm512_max_ps(load16(values, deny, i + 48, 0xFFFF), m3);
        }
        for (; i < end; i += 16) {
            const __mmask16 lanes = end - i < 16 ? (__mmask16)((1u << (end - i)) - 1) : 0xFFFF;
            m0 = _mm512_max_ps(load16(values, deny, i, lanes), m0);
        }
        const __m512 m = _mm512_max_ps(_mm512_max_ps(m0, m1), _mm512_max_ps(m2, m3));
        if (_mm512_cmp_ps_mask(m, top, _CMP_GT_OQ)) {
            top = _mm512_set1_ps(_mm512_reduce_max_ps(m));
            block = start;
        }
    }
    return find_avx512(values, block, n, deny, top);
}

FO_AVX512 ptrdiff_t fo_best_avx512(const float *values, ptrdiff_t n, const uint32_t *deny) {
    return deny == NULL ? best_avx512(values, n, NULL) : best_avx512(values, n, deny);
}

#elif defined(FO_ARM)
FO_INLINE float32x4_t load4(const float *values, const uint32_t *deny, ptrdiff_t j) {
    const float32x4_t v = vld1q_f32(values + j);
    return deny == NULL ? v : vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(v), vld1q_u32(deny + j)));
}

/* A comparison, not vmaxq: that one lets NaN through. */
FO_INLINE float32x4_t greater(float32x4_t value, float32x4_t kept) {
    return vbslq_f32(vcgtq_f32(value, kept), value, kept);
}

FO_INLINE ptrdiff_t best_neon(const float *values, ptrdiff_t n, const uint32_t *deny) {
    float top = -INFINITY;
    ptrdiff_t block = 0, i = 0;
    while (i + 16 <= n) {
        const ptrdiff_t start = i, end = n - i < BLOCK ? n : i + BLOCK;
        float32x4_t m[4] = {vdupq_n_f32(-INFINITY), vdupq_n_f32(-INFINITY), vdupq_n_f32(-INFINITY),
                            vdupq_n_f32(-INFINITY)};
        for (; i + 16 <= end; i += 16) {
            for (int k = 0; k < 4; k++) {
                m[k] = greater(load4(values, deny, i + 4 * k), m[k]);
            }
        }
        const float block_top = vmaxvq_f32(greater(greater(m[0], m[1]), greater(m[2], m[3])));
        if (block_top > top) {
            top = block_top;
            block = start;
        }
    }
    const ptrdiff_t vectors = i;
    for (; i < n; i++) {
        const float value = allowed(values, deny, i);
        if (value > top) {
            top = value;
            block = i;
        }
    }
    for (i = block; i + 4 <= vectors; i += 4) {
        if (vmaxvq_u32(vceqq_f32(load4(values, deny, i), vdupq_n_f32(top)))) {
            return find_scalar(values, i, i + 4, deny, top);
        }
    }
    return find_scalar(values, i, n, deny, top);
}

ptrdiff_t fo_best_neon(const float *values, ptrdiff_t n, const uint32_t *deny) {
    return deny == NULL ? best_neon(values, n, NULL) : best_neon(values, n, deny);
}
#endif

/* Decodes one matrix; returns the number of characters after it. */
static int64_t decode_one(const fo_kernels *kernels, const fo_ctc *job, const float *probs, int64_t count) {
    ptrdiff_t before = job->blank;
    for (ptrdiff_t t = 0; t < job->steps; t++) {
        const float *row = probs + t * job->stride_t;
        const ptrdiff_t found = kernels->best(row, job->classes, job->deny);
        const ptrdiff_t class_index = found < 0 ? job->blank : found;
        if (class_index != job->blank) {
            const float value = row[class_index];
            if (class_index != before) {
                job->index[count] = (int32_t)class_index;
                job->first[count] = (int32_t)t;
                job->probability[count] = value;
                count++;
            }
            job->last[count - 1] = (int32_t)t;
            if (value > job->probability[count - 1]) {
                job->probability[count - 1] = value;
            }
        }
        before = class_index;
    }
    return count;
}

void fo_ctc_decode(const fo_kernels *kernels, const fo_ctc *job) {
    const uint64_t state = fo_enter_default();
    job->offsets[0] = 0;
    for (ptrdiff_t b = 0; b < job->batch; b++) {
        const float *probs = job->probs + b * job->stride_b;
        job->offsets[b + 1] = decode_one(kernels, job, probs, job->offsets[b]);
        for (ptrdiff_t t = 0; job->space >= 0 && t < job->steps; t++) {
            const float value = probs[t * job->stride_t + job->space];
            job->space_probability[b * job->steps + t] = value == value ? value : 0.0f;
        }
    }
    fo_set_float_state(state);
}
