"""The table of the configuration file that says which text services the stores have (T5, T9)."""

from enum import StrEnum

from pydantic import Field, StrictBool

from recordance_adapters.section import Section


class Language(StrEnum):
    """A language whose words are taken to their stems."""

    ARABIC = "arabic"
    DANISH = "danish"
    DUTCH = "dutch"
    ENGLISH = "english"
    FINNISH = "finnish"
    FRENCH = "french"
    GERMAN = "german"
    GREEK = "greek"
    HUNGARIAN = "hungarian"
    ITALIAN = "italian"
    NORWEGIAN = "norwegian"
    PORTUGUESE = "portuguese"
    ROMANIAN = "romanian"
    RUSSIAN = "russian"
    SPANISH = "spanish"
    SWEDISH = "swedish"
    TAMIL = "tamil"
    TURKISH = "turkish"


class TextSettings(Section):
    """What the term lane finds beyond exact words; a change rebuilds each process's term index."""

    inflection: Language | None = Field(
        default=None, description=f"a language whose words match by their stem too: {', '.join(Language)}"
    )
    segmentation: StrictBool = Field(
        default=False, description="true or false: whether words inside unspaced runs (Chinese, Japanese, Thai, …) match too"
    )
