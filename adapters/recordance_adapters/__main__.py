"""`python -m recordance_adapters`: the same as `recordance`."""

import sys

from recordance_adapters.entry import main

if __name__ == "__main__":
    sys.exit(main())
