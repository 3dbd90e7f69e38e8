"""What every table of the configuration file is."""

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """A table of the configuration file: immutable, and closed to unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
