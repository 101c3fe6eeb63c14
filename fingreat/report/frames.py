"""Tables as data frames, for who goes on computing with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingreat.errors import MissingExtraError
from fingreat.report.tables import Table, flat_columns, flat_rows

if TYPE_CHECKING:
    import polars


def table_frame(table: Table) -> polars.DataFrame:
    """The table as a data frame of polars, with the columns of the CSV file.

    Types come from the kinds of the columns, not from what stands in them: text is String, counts are Int64, all other
    numbers Float64. A share is its value, then its k and n, and the ends of its interval where one in the column has
    any; a difference is a fraction. No value is null.

    Raises:
        MissingExtraError: the extra `frames` is not installed.
    """
    try:
        import polars
    except ImportError as error:
        raise MissingExtraError("Tables as data frames (polars)", 'pip install "fingreat[frames]"') from error
    types = {str: polars.String, int: polars.Int64, float: polars.Float64}
    kinds = dict(flat_columns(table))
    rows = [tuple(map(_value, kinds.values(), row)) for row in flat_rows(table)]
    return polars.DataFrame(rows, schema={name: types[kind] for name, kind in kinds.items()}, orient="row")


def _value(kind: type, value: str | float | None) -> str | float | None:
    if isinstance(value, str):
        # Half a surrogate pair, which the name of a file may bring, is no text for polars.
        return value.encode("utf-8", "replace").decode()
    return float(value) if kind is float and value is not None else value
