/* Interleaved bytes to scaled float32 planes. */
#include "internal.h"

FO_INLINE void pack_scalar(const uint8_t *pixels, ptrdiff_t from, ptrdiff_t n, float *const planes[3],
                           const float scale[3], const float bias[3]) {
    for (int c = 0; c < 3; c++) {
        float *plane = planes[c];
        for (ptrdiff_t j = from; j < n; j++) {
            plane[j] = (float)pixels[3 * j + c] * scale[c] + bias[c];
        }
    }
}

#if defined(FO_X86)
/* SSE2 belongs to x86-64 but cannot pick bytes: four pixels are scaled as they lie, then parted.
 * a = (0 1 2 0), b = (1 2 0 1), c = (2 0 1 2), each number a channel. */
FO_INLINE void part(__m128 a, __m128 b, __m128 c, float *const planes[3], ptrdiff_t j) {
    const __m128 bc0 = _mm_shuffle_ps(b, c, _MM_SHUFFLE(1, 1, 2, 2));
    const __m128 ab1 = _mm_shuffle_ps(a, b, _MM_SHUFFLE(0, 0, 1, 1));
    const __m128 bc1 = _mm_shuffle_ps(b, c, _MM_SHUFFLE(2, 2, 3, 3));
    const __m128 ab2 = _mm_shuffle_ps(a, b, _MM_SHUFFLE(1, 1, 2, 2));
    _mm_storeu_ps(planes[0] + j, _mm_shuffle_ps(a, bc0, _MM_SHUFFLE(2, 0, 3, 0)));
    _mm_storeu_ps(planes[1] + j, _mm_shuffle_ps(ab1, bc1, _MM_SHUFFLE(2, 0, 2, 0)));
    _mm_storeu_ps(planes[2] + j, _mm_shuffle_ps(ab2, c, _MM_SHUFFLE(3, 0, 2, 0)));
}

void fo_pack_row_baseline(const uint8_t *pixels, ptrdiff_t n, float *const planes[3], const float s[3],
                          const float t[3]) {
    const __m128 sa = _mm_setr_ps(s[0], s[1], s[2], s[0]), sb = _mm_setr_ps(s[1], s[2], s[0], s[1]),
                 sc = _mm_setr_ps(s[2], s[0], s[1], s[2]);
    const __m128 ta = _mm_setr_ps(t[0], t[1], t[2], t[0]), tb = _mm_setr_ps(t[1], t[2], t[0], t[1]),
                 tc = _mm_setr_ps(t[2], t[0], t[1], t[2]);
    const __m128i zero = _mm_setzero_si128();
    ptrdiff_t j = 0;
    /* Four pixels are 12 bytes of the 16 that are read: six pixels must be left. */
    for (; j + 6 <= n; j += 4) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(pixels + 3 * j));
        const __m128i low = _mm_unpacklo_epi8(bytes, zero), high = _mm_unpackhi_epi8(bytes, zero);
        const __m128 a = _mm_cvtepi32_ps(_mm_unpacklo_epi16(low, zero));
        const __m128 b = _mm_cvtepi32_ps(_mm_unpackhi_epi16(low, zero));
        const __m128 c = _mm_cvtepi32_ps(_mm_unpacklo_epi16(high, zero));
        part(_mm_add_ps(_mm_mul_ps(a, sa), ta), _mm_add_ps(_mm_mul_ps(b, sb), tb), _mm_add_ps(_mm_mul_ps(c, sc), tc),
             planes, j);
    }
    pack_scalar(pixels, j, n, planes, s, t);
}
#else
void fo_pack_row_baseline(const uint8_t *pixels, ptrdiff_t n, float *const planes[3], const float scale[3],
                          const float bias[3]) {
    pack_scalar(pixels, 0, n, planes, scale, bias);
}
#endif

#if defined(FO_X86)
/* Pixels before the first plane's next boundary of `bytes`: stores that straddle cache lines cost double. */
FO_INLINE ptrdiff_t until_aligned(const float *plane, ptrdiff_t bytes, ptrdiff_t n) {
    const ptrdiff_t head = (ptrdiff_t)((0 - (uintptr_t)plane) & (uintptr_t)(bytes - 1)) / (ptrdiff_t)sizeof(float);
    return head < n ? head : n;
}

FO_AVX2 void fo_pack_row_avx2(const uint8_t *pixels, ptrdiff_t n, float *const planes[3], const float scale[3],
                              const float bias[3]) {
    float *const p0 = planes[0], *const p1 = planes[1], *const p2 = planes[2];
    const __m256 s0 = _mm256_set1_ps(scale[0]), s1 = _mm256_set1_ps(scale[1]), s2 = _mm256_set1_ps(scale[2]);
    const __m256 b0 = _mm256_set1_ps(bias[0]), b1 = _mm256_set1_ps(bias[1]), b2 = _mm256_set1_ps(bias[2]);
    /* Byte 3k of a lane's four pixels to the low byte of word k, zero above; the other channels one byte on. */
    const __m128i pick = _mm_setr_epi8(0, -1, -1, -1, 3, -1, -1, -1, 6, -1, -1, -1, 9, -1, -1, -1);
    const __m256i t0 = _mm256_broadcastsi128_si256(pick);
    const __m256i one = _mm256_set1_epi32(1);
    const __m256i t1 = _mm256_add_epi32(t0, one), t2 = _mm256_add_epi32(t1, one);
    ptrdiff_t j = until_aligned(p0, 32, n);
    pack_scalar(pixels, 0, j, planes, scale, bias);
    /* Eight pixels are 24 bytes, read as two overlapping halves of 16: 28 bytes, so ten pixels must be left. */
    for (; j + 10 <= n; j += 8) {
        const __m128i low = _mm_loadu_si128((const __m128i *)(const void *)(pixels + 3 * j));
        const __m128i high = _mm_loadu_si128((const __m128i *)(const void *)(pixels + 3 * j + 12));
        const __m256i v = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
        const __m256 f0 = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(v, t0));
        const __m256 f1 = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(v, t1));
        const __m256 f2 = _mm256_cvtepi32_ps(_mm256_shuffle_epi8(v, t2));
        _mm256_storeu_ps(p0 + j, _mm256_add_ps(_mm256_mul_ps(f0, s0), b0));
        _mm256_storeu_ps(p1 + j, _mm256_add_ps(_mm256_mul_ps(f1, s1), b1));
        _mm256_storeu_ps(p2 + j, _mm256_add_ps(_mm256_mul_ps(f2, s2), b2));
    }
    pack_scalar(pixels, j, n, planes, scale, bias);
}

/* Up to 16 pixels: bytes 3k + c of the 48 go straight to the low byte of word k. */
FO_AVX512 FO_INLINE void pack_avx512(const uint8_t *pixels, ptrdiff_t count, float *const planes[3], ptrdiff_t j,
                                     const __m512i pick[3], const __m512 scale[3], const __m512 bias[3]) {
    const __mmask64 bytes = (1ull << (3 * count)) - 1;
    const __mmask16 words = (__mmask16)((1u << count) - 1);
    const __m512i v = _mm512_maskz_loadu_epi8(bytes, pixels + 3 * j);
    for (int c = 0; c < 3; c++) {
        const __m512 f = _mm512_cvtepi32_ps(_mm512_maskz_permutexvar_epi8(0x1111111111111111ull, pick[c], v));
        _mm512_mask_storeu_ps(planes[c] + j, words, _mm512_add_ps(_mm512_mul_ps(f, scale[c]), bias[c]));
    }
}

FO_AVX512 void fo_pack_row_avx512(const uint8_t *pixels, ptrdiff_t n, float *const planes[3], const float scale[3],
                                  const float bias[3]) {
    const __m512i ramp = _mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45);
    const __m512i one = _mm512_set1_epi32(1);
    const __m512i pick[3] = {ramp, _mm512_add_epi32(ramp, one), _mm512_add_epi32(ramp, _mm512_set1_epi32(2))};
    const __m512 s[3] = {_mm512_set1_ps(scale[0]), _mm512_set1_ps(scale[1]), _mm512_set1_ps(scale[2])};
    const __m512 b[3] = {_mm512_set1_ps(bias[0]), _mm512_set1_ps(bias[1]), _mm512_set1_ps(bias[2])};
    ptrdiff_t j = until_aligned(planes[0], 64, n);
    pack_avx512(pixels, j, planes, 0, pick, s, b);
    for (; j + 16 <= n; j += 16) {
        pack_avx512(pixels, 16, planes, j, pick, s, b);
    }
    pack_avx512(pixels, n - j, planes, j, pick, s, b);
}

#elif defined(FO_ARM)
FO_INLINE void store16(uint8x16_t bytes, float *out, float scale, float bias) {
    const float32x4_t s = vdupq_n_f32(scale), b = vdupq_n_f32(bias);
    const uint16x8_t low = vmovl_u8(vget_low_u8(bytes)), high = vmovl_u8(vget_high_u8(bytes));
    const uint32x4_t words[4] = {vmovl_u16(vget_low_u16(low)), vmovl_u16(vget_high_u16(low)),
                                 vmovl_u16(vget_low_u16(high)), vmovl_u16(vget_high_u16(high))};
    for (int k = 0; k < 4; k++) {
        vst1q_f32(out + 4 * k, vaddq_f32(vmulq_f32(vcvtq_f32_u32(words[k]), s), b));
    }
}

void fo_pack_row_neon(const uint8_t *pixels, ptrdiff_t n, float *const planes[3], const float scale[3],
                      const float bias[3]) {
    ptrdiff_t j = 0;
    for (; j + 16 <= n; j += 16) {
        const uint8x16x3_t v = vld3q_u8(pixels + 3 * j);
        for (int c = 0; c < 3; c++) {
            store16(v.val[c], planes[c] + j, scale[c], bias[c]);
        }
    }
    pack_scalar(pixels, j, n, planes, scale, bias);
}
#endif

/* Any layout, one plane at a time. */
static void pack_plane(const fo_image *image, const uint8_t *pixels, float *out, ptrdiff_t stride, float scale,
                       float bias) {
    const ptrdiff_t step = image->stride_x;
    for (ptrdiff_t i = 0; i < image->height; i++) {
        const uint8_t *row = pixels + i * image->stride_y;
        float *to = out + i * stride;
        if (step == 1) {
            for (ptrdiff_t j = 0; j < image->width; j++) {
                to[j] = (float)row[j] * scale + bias;
            }
        } else {
            for (ptrdiff_t j = 0; j < image->width; j++) {
                to[j] = (float)row[j * step] * scale + bias;
            }
        }
    }
}

/* Where three planes come from three neighbouring bytes of each pixel: which plane byte 0, 1 and 2 go to. */
static int neighbours(const fo_image *image, ptrdiff_t planes, const int64_t *channels, int plane_of[3],
                      ptrdiff_t *start) {
    if (planes != 3 || image->stride_x != 3) {
        return 0;
    }
    const ptrdiff_t at[3] = {(ptrdiff_t)channels[0] * image->stride_c, (ptrdiff_t)channels[1] * image->stride_c,
                             (ptrdiff_t)channels[2] * image->stride_c};
    *start = at[0] < at[1] ? at[0] : at[1];
    *start = *start < at[2] ? *start : at[2];
    int seen = 0;
    for (int c = 0; c < 3; c++) {
        const ptrdiff_t byte = at[c] - *start;
        if (byte > 2) {
            return 0;
        }
        plane_of[byte] = c;
        seen |= 1 << byte;
    }
    return seen == 7;
}

static void fill_run(float *out, ptrdiff_t n, float value) {
    for (ptrdiff_t j = 0; j < n; j++) {
        out[j] = value;
    }
}

static void fill_around(const fo_canvas *out, ptrdiff_t c, ptrdiff_t y, ptrdiff_t x, const fo_image *image,
                        float value) {
    for (ptrdiff_t i = 0; i < out->height; i++) {
        float *row = out->data + c * out->stride_c + i * out->stride_y;
        if (i < y || i >= y + image->height) {
            fill_run(row, out->width, value);
        } else {
            fill_run(row, x, value);
            fill_run(row + x + image->width, out->width - x - image->width, value);
        }
    }
}

static void pack_interleaved(const fo_kernels *kernels, const fo_image *image, const fo_canvas *out, const float *scale,
                             const float *bias, const int plane_of[3], ptrdiff_t start, ptrdiff_t corner) {
    float s[3], b[3];
    for (int k = 0; k < 3; k++) {
        s[k] = scale[plane_of[k]];
        b[k] = bias[plane_of[k]];
    }
    for (ptrdiff_t i = 0; i < image->height; i++) {
        float *const row = out->data + corner + i * out->stride_y;
        float *const planes[3] = {row + plane_of[0] * out->stride_c, row + plane_of[1] * out->stride_c,
                                  row + plane_of[2] * out->stride_c};
        kernels->pack_row(image->data + start + i * image->stride_y, image->width, planes, s, b);
    }
}

void fo_pack(const fo_kernels *kernels, const fo_image *image, const fo_canvas *out, const float *scale,
             const float *bias, const int64_t *channels, ptrdiff_t y, ptrdiff_t x, const float *fill) {
    const uint64_t state = fo_enter_default();
    const ptrdiff_t corner = y * out->stride_y + x;
    int plane_of[3];
    ptrdiff_t start;
    if (neighbours(image, out->channels, channels, plane_of, &start)) {
        pack_interleaved(kernels, image, out, scale, bias, plane_of, start, corner);
    } else {
        for (ptrdiff_t c = 0; c < out->channels; c++) {
            pack_plane(image, image->data + (ptrdiff_t)channels[c] * image->stride_c,
                       out->data + c * out->stride_c + corner, out->stride_y, scale[c], bias[c]);
        }
    }
    for (ptrdiff_t c = 0; fill != NULL && c < out->channels; c++) {
        fill_around(out, c, y, x, image, fill[c]);
    }
    fo_set_float_state(state);
}
