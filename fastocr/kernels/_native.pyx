# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: freethreading_compatible=True, embedsignature=False
"""The C kernels, one ``Native`` per implementation that this processor can run.

Arguments come from ``fastocr.kernels._check``; here they are only given their types.  Every loop runs without the GIL.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

import numpy as np

from fastocr.kernels._types import Decoded


cdef extern from "fastocr.h" nogil:
    ctypedef struct fo_kernels:
        pass
    ctypedef struct fo_image:
        const uint8_t *data
        Py_ssize_t height, width, stride_y, stride_x, stride_c
    ctypedef struct fo_canvas:
        float *data
        Py_ssize_t channels, height, width, stride_c, stride_y
    ctypedef struct fo_map:
        const float *data
        Py_ssize_t height, width, stride_y
    ctypedef struct fo_ctc:
        const float *probs
        Py_ssize_t batch, steps, classes, stride_b, stride_t
        const uint32_t *deny
        Py_ssize_t blank, space
        int64_t *offsets
        int32_t *index
        int32_t *first
        int32_t *last
        float *probability
        float *space_probability

    const fo_kernels *fo_kernels_at(int position)
    const char *fo_kernels_name(const fo_kernels *kernels)
    void fo_pack(const fo_kernels *kernels, const fo_image *image, const fo_canvas *out, const float *scale,
                 const float *bias, const int64_t *channels, Py_ssize_t y, Py_ssize_t x, const float *fill)
    void fo_score(const fo_kernels *kernels, const fo_map *map, const float *quads, Py_ssize_t count, double *scores)
    void fo_binarize(const fo_kernels *kernels, const fo_map *map, float threshold, uint8_t *out,
                     Py_ssize_t out_stride)
    void fo_ctc_decode(const fo_kernels *kernels, const fo_ctc *job)
    uint64_t fo_float_state()
    void fo_set_float_state(uint64_t state)
    uint64_t fo_flushed(uint64_t state)


def implementations():
    """The names of what this processor can run, slowest first."""
    cdef int position = 0
    names = []
    while fo_kernels_at(position) != NULL:
        names.append(fo_kernels_name(fo_kernels_at(position)).decode("ascii"))
        position += 1
    return tuple(names)


def float_state():
    """The calling thread's floating-point control word; 0 where the processor is not known."""
    return fo_float_state()


cdef class _Flushed:
    cdef uint64_t before

    def __enter__(self):
        self.before = fo_float_state()
        fo_set_float_state(fo_flushed(self.before))

    def __exit__(self, kind, error, traceback):
        fo_set_float_state(self.before)


cdef fo_map _describe(const float[:, :] values) noexcept:
    return fo_map(&values[0, 0], values.shape[0], values.shape[1], values.strides[0] // <Py_ssize_t>sizeof(float))


cdef class Native:
    """One implementation by its name."""

    cdef const fo_kernels *kernels

    def __init__(self, str name):
        self.kernels = fo_kernels_at(implementations().index(name))

    def pack(self, const uint8_t[:, :, :] image, float[:, :, :] out, const float[::1] scale, const float[::1] bias,
             const int64_t[::1] channels, Py_ssize_t y, Py_ssize_t x, const float[::1] fill):
        cdef const float *fills = NULL
        cdef fo_image pixels = fo_image(&image[0, 0, 0], image.shape[0], image.shape[1], image.strides[0],
                                        image.strides[1], image.strides[2])
        cdef fo_canvas canvas = fo_canvas(&out[0, 0, 0], out.shape[0], out.shape[1], out.shape[2],
                                          out.strides[0] // <Py_ssize_t>sizeof(float),
                                          out.strides[1] // <Py_ssize_t>sizeof(float))
        if fill is not None:
            fills = &fill[0]
        with nogil:
            fo_pack(self.kernels, &pixels, &canvas, &scale[0], &bias[0], &channels[0], y, x, fills)

    def score(self, const float[:, :] prob_map, const float[:, :, ::1] quads, double[::1] scores):
        cdef fo_map values = _describe(prob_map)
        with nogil:
            fo_score(self.kernels, &values, &quads[0, 0, 0], quads.shape[0], &scores[0])

    def binarize(self, const float[:, :] prob_map, float threshold, uint8_t[:, :] out):
        cdef fo_map values = _describe(prob_map)
        with nogil:
            fo_binarize(self.kernels, &values, threshold, &out[0, 0], out.strides[0])

    def decode(self, const float[:, :, :] probs, Py_ssize_t blank, const uint32_t[::1] deny, Py_ssize_t space):
        cdef Py_ssize_t batch = probs.shape[0], steps = probs.shape[1]
        offsets = np.empty(batch + 1, np.int64)
        # index, first step, last step
        numbers = np.empty((3, batch * steps), np.int32)
        probability = np.empty(batch * steps, np.float32)
        spaces = np.empty((batch, 0 if space < 0 else steps), np.float32)
        cdef int64_t[::1] offsets_view = offsets
        cdef int32_t[:, ::1] numbers_view = numbers
        cdef float[::1] probability_view = probability
        cdef float[:, ::1] spaces_view = spaces
        cdef fo_ctc job
        job.probs = &probs[0, 0, 0]
        job.batch, job.steps, job.classes = batch, steps, probs.shape[2]
        job.stride_b = probs.strides[0] // <Py_ssize_t>sizeof(float)
        job.stride_t = probs.strides[1] // <Py_ssize_t>sizeof(float)
        job.deny = NULL
        if deny is not None:
            job.deny = &deny[0]
        job.blank, job.space = blank, space
        job.offsets = &offsets_view[0]
        job.index, job.first, job.last = &numbers_view[0, 0], &numbers_view[1, 0], &numbers_view[2, 0]
        job.probability = &probability_view[0]
        job.space_probability = &spaces_view[0, 0]
        with nogil:
            fo_ctc_decode(self.kernels, &job)
        cdef Py_ssize_t count = offsets_view[batch]
        index, first, last = numbers[:, :count].copy()
        return Decoded(offsets, index, probability[:count].copy(), first, last, spaces)

    def flush_denormals(self):
        return _Flushed()
