"""The version and the distribution's name: each stands here and nowhere else."""

__version__ = "0.1.0"
DISTRIBUTION = "fastocr-engine"
