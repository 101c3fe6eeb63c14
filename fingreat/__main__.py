"""`python -m fingreat`, and where the `fingreat` command begins: a broken install is named, not traced back."""

from __future__ import annotations

import sys

try:
    from fingreat.cli import main
except ImportError as error:
    if (error.name or "").partition(".")[0] == "fingreat":
        raise
    sys.stderr.write(
        f"error: the base install of fingreat is broken: {error}.\n"
        "Repair it with: pip install --upgrade fingreat (in a checkout: pip install --editable .)\n"
    )
    sys.exit(2)
except KeyboardInterrupt:
    # Ctrl-C before the command began.
    sys.exit(130)

if __name__ == "__main__":
    sys.exit(main())
