/* Which implementations this processor, and the system's saved registers, can run. */
#include "internal.h"

#if defined(FO_X86) && !defined(_MSC_VER)
#include <cpuid.h>
#elif defined(FO_X86)
#include <intrin.h>
#endif

#define FO_TABLE(suffix)                                                                                               \
    {#suffix, fo_pack_row_##suffix, fo_spans_##suffix, fo_sum_rows_##suffix, fo_binarize_row_##suffix, fo_best_##suffix}

static const fo_kernels TABLES[] = {
    FO_TABLE(baseline),
#if defined(FO_X86)
    FO_TABLE(avx2),
    FO_TABLE(avx512),
#elif defined(FO_ARM)
    FO_TABLE(neon),
#endif
};

#if defined(FO_X86)
static void cpuid(unsigned leaf, unsigned out[4]) {
#if defined(_MSC_VER)
    __cpuidex((int *)out, (int)leaf, 0);
#else
    __cpuid_count(leaf, 0, out[0], out[1], out[2], out[3]);
#endif
}

static uint64_t saved_registers(void) {
#if defined(_MSC_VER)
    return _xgetbv(0);
#else
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return ((uint64_t)high << 32) | low;
#endif
}

static int usable(void) {
    unsigned top[4], features[4], extended[4];
    cpuid(0, top);
    cpuid(1, features);
    const unsigned osxsave = 1u << 27, avx = 1u << 28;
    if (top[0] < 7 || (features[2] & (osxsave | avx)) != (osxsave | avx)) {
        return 1;
    }
    cpuid(7, extended);
    const uint64_t saved = saved_registers();
    if ((saved & 0x06) != 0x06 || !(extended[1] & (1u << 5))) {
        return 1;
    }
    /* F, DQ, BW, VL in EBX; VBMI in ECX; mask and upper registers saved by the system. */
    const unsigned wide = (1u << 16) | (1u << 17) | (1u << 30) | (1u << 31);
    if ((saved & 0xE6) != 0xE6 || (extended[1] & wide) != wide || !(extended[2] & (1u << 1))) {
        return 2;
    }
    return 3;
}
#else
static int usable(void) {
    return (int)(sizeof TABLES / sizeof TABLES[0]);
}
#endif

const fo_kernels *fo_kernels_at(int position) {
    return position >= 0 && position < usable() ? &TABLES[position] : NULL;
}

const char *fo_kernels_name(const fo_kernels *kernels) {
    return kernels->name;
}
