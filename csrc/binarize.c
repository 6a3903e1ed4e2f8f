/* float32 map to 0 / 255. */
#include "internal.h"

FO_INLINE void binarize_scalar(const float *values, ptrdiff_t from, ptrdiff_t n, float threshold, uint8_t *out) {
    for (ptrdiff_t j = from; j < n; j++) {
        out[j] = values[j] > threshold ? 255 : 0;
    }
}

void fo_binarize_row_baseline(const float *values, ptrdiff_t n, float threshold, uint8_t *out) {
    ptrdiff_t j = 0;
#if defined(FO_X86)
    /* SSE2 belongs to x86-64: four masks of 32 bits saturate to 16 bytes. */
    const __m128 t = _mm_set1_ps(threshold);
    for (; j + 16 <= n; j += 16) {
        const __m128i a = _mm_castps_si128(_mm_cmpgt_ps(_mm_loadu_ps(values + j), t));
        const __m128i b = _mm_castps_si128(_mm_cmpgt_ps(_mm_loadu_ps(values + j + 4), t));
        const __m128i c = _mm_castps_si128(_mm_cmpgt_ps(_mm_loadu_ps(values + j + 8), t));
        const __m128i d = _mm_castps_si128(_mm_cmpgt_ps(_mm_loadu_ps(values + j + 12), t));
        const __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(a, b), _mm_packs_epi32(c, d));
        _mm_storeu_si128((__m128i *)(void *)(out + j), bytes);
    }
#endif
    binarize_scalar(values, j, n, threshold, out);
}

#if defined(FO_X86)
/* Asks for what is read 2 KiB from here, which processors alone do not do; an address past the end does no harm. */
FO_INLINE void prefetch(const float *here) {
    _mm_prefetch((const char *)((uintptr_t)here + 2048), _MM_HINT_T0);
}

FO_AVX2 FO_INLINE __m256i above(const float *values, __m256 threshold) {
    return _mm256_castps_si256(_mm256_cmp_ps(_mm256_loadu_ps(values), threshold, _CMP_GT_OQ));
}

FO_AVX2 void fo_binarize_row_avx2(const float *values, ptrdiff_t n, float threshold, uint8_t *out) {
    const __m256 t = _mm256_set1_ps(threshold);
    /* Packing works per half register; this puts the words of four bytes back in order. */
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    ptrdiff_t j = 0;
    for (; j + 32 <= n; j += 32) {
        prefetch(values + j);
        prefetch(values + j + 16);
        const __m256i ab = _mm256_packs_epi32(above(values + j, t), above(values + j + 8, t));
        const __m256i cd = _mm256_packs_epi32(above(values + j + 16, t), above(values + j + 24, t));
        const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(ab, cd), order);
        _mm256_storeu_si256((__m256i *)(void *)(out + j), bytes);
    }
    binarize_scalar(values, j, n, threshold, out);
}

FO_AVX512 FO_INLINE __m128i above16(const float *values, __mmask16 lanes, __m512 threshold) {
    const __m512 v = _mm512_maskz_loadu_ps(lanes, values);
    return _mm_movm_epi8(_mm512_mask_cmp_ps_mask(lanes, v, threshold, _CMP_GT_OQ));
}

FO_AVX512 void fo_binarize_row_avx512(const float *values, ptrdiff_t n, float threshold, uint8_t *out) {
    const __m512 t = _mm512_set1_ps(threshold);
    ptrdiff_t j = 0;
    for (; j + 64 <= n; j += 64) {
        for (int k = 0; k < 64; k += 16) {
            prefetch(values + j + k);
        }
        const uint64_t a = _mm512_cmp_ps_mask(_mm512_loadu_ps(values + j), t, _CMP_GT_OQ);
        const uint64_t b = _mm512_cmp_ps_mask(_mm512_loadu_ps(values + j + 16), t, _CMP_GT_OQ);
        const uint64_t c = _mm512_cmp_ps_mask(_mm512_loadu_ps(values + j + 32), t, _CMP_GT_OQ);
        const uint64_t d = _mm512_cmp_ps_mask(_mm512_loadu_ps(values + j + 48), t, _CMP_GT_OQ);
        _mm512_storeu_si512(out + j, _mm512_movm_epi8(a | b << 16 | c << 32 | d << 48));
    }
    for (; j < n; j += 16) {
        const ptrdiff_t left = n - j < 16 ? n - j : 16;
        const __mmask16 lanes = (__mmask16)((1u << left) - 1);
        _mm_mask_storeu_epi8(out + j, lanes, above16(values + j, lanes, t));
    }
}

#elif defined(FO_ARM)
void fo_binarize_row_neon(const float *values, ptrdiff_t n, float threshold, uint8_t *out) {
    const float32x4_t t = vdupq_n_f32(threshold);
    ptrdiff_t j = 0;
    for (; j + 16 <= n; j += 16) {
        const uint16x4_t a = vmovn_u32(vcgtq_f32(vld1q_f32(values + j), t));
        const uint16x4_t b = vmovn_u32(vcgtq_f32(vld1q_f32(values + j + 4), t));
        const uint16x4_t c = vmovn_u32(vcgtq_f32(vld1q_f32(values + j + 8), t));
        const uint16x4_t d = vmovn_u32(vcgtq_f32(vld1q_f32(values + j + 12), t));
        vst1q_u8(out + j, vcombine_u8(vmovn_u16(vcombine_u16(a, b)), vmovn_u16(vcombine_u16(c, d))));
    }
    binarize_scalar(values, j, n, threshold, out);
}
#endif

void fo_binarize(const fo_kernels *kernels, const fo_map *map, float threshold, uint8_t *out, ptrdiff_t out_stride) {
    const uint64_t state = fo_enter_default();
    if (map->stride_y == map->width && out_stride == map->width) {
        kernels->binarize_row(map->data, map->height * map->width, threshold, out);
    } else {
        for (ptrdiff_t i = 0; i < map->height; i++) {
            kernels->binarize_row(map->data + i * map->stride_y, map->width, threshold, out + i * out_stride);
        }
    }
    fo_set_float_state(state);
}
