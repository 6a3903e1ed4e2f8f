"""What runs where nothing is installed yet: a bundle carries these files, and `fastocr doctor` runs the same checks.

Standard library only, and nothing of fastocr: imports are relative, since in a bundle this folder stands alone.
"""
