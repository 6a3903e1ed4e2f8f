"""Drop-ins: other libraries' calls and results, answered by fastocr, so that a program moves over by one import."""
