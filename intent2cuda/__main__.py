"""`python -m intent2cuda`."""

import sys

from intent2cuda.cli.main import main

sys.exit(main())
