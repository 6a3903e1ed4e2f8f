/* The calling thread's floating-point state: MXCSR on x86-64, FPCR on aarch64. */
#include "internal.h"

#if defined(FO_ARM) && defined(_MSC_VER)
#include <intrin.h>
#endif

#if defined(FO_X86)
/* all exceptions masked, round to nearest, denormals kept */
#define DEFAULT_STATE 0x1F80u
/* FTZ (results) and DAZ (operands) */
#define FLUSH_BITS 0x8040u
#elif defined(FO_ARM)
#define DEFAULT_STATE 0u
/* FZ covers operands and results */
#define FLUSH_BITS (1u << 24)
#else
#define DEFAULT_STATE 0u
#define FLUSH_BITS 0u
#endif

uint64_t fo_float_state(void) {
#if defined(FO_X86)
    return _mm_getcsr();
#elif defined(FO_ARM) && defined(_MSC_VER)
    return (uint64_t)_ReadStatusReg(ARM64_FPCR);
#elif defined(FO_ARM)
    uint64_t state;
    __asm__ volatile("mrs %0, fpcr" : "=r"(state));
    return state;
#else
    return 0;
#endif
}

void fo_set_float_state(uint64_t state) {
#if defined(FO_X86)
    _mm_setcsr((unsigned)state);
#elif defined(FO_ARM) && defined(_MSC_VER)
    _WriteStatusReg(ARM64_FPCR, (__int64)state);
#elif defined(FO_ARM)
    __asm__ volatile("msr fpcr, %0" : : "r"(state) : "memory");
#else
    (void)state;
#endif
}

uint64_t fo_flushed(uint64_t state) {
    return state | FLUSH_BITS;
}

uint64_t fo_enter_default(void) {
    const uint64_t before = fo_float_state();
    fo_set_float_state(DEFAULT_STATE);
    return before;
}
