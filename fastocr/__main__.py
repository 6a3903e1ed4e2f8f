"""`python -m fastocr` is the command `fastocr`."""

import sys

from fastocr.cli import main

sys.exit(main())
