"""The text services that a configuration opts in to (T5, T9)."""

from recordance.query.text_services import FRAGMENT_VERSION, PLAIN, TextServices, fragments_of
from recordance_adapters.sections import DestinationSettings
from recordance_adapters.settings import Settings
from recordance_adapters.text_section import TextSettings


def services_in(settings: Settings, place: DestinationSettings) -> TextServices:
    """Return the services of a destination: by its own table, else by the one for all of them."""
    return text_services_of(settings.text if place.text is None else place.text)


def text_services_of(text: TextSettings) -> TextServices:
    """Return the services of a store, named by all that what they make depends on."""
    if text.inflection is None and not text.segmentation:
        return PLAIN
    from recordance_adapters.driven.tantivy_terms.inflection import stemmer_of, stemmer_version

    stem = None if text.inflection is None else stemmer_of(text.inflection)
    stems = [] if text.inflection is None else [f"stems {stemmer_version(text.inflection)}"]
    cuts = [f"segments {FRAGMENT_VERSION}"] if text.segmentation else []
    cut = fragments_of if text.segmentation else None
    return TextServices(" ".join([*stems, *cuts]), stem, cut, text.inflection or "")
