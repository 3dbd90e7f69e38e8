"""The text services that a configuration opts in to (T5, T9)."""

from recordance.query.text_services import FRAGMENT_VERSION, PLAIN, TextServices, fragments_of
from recordance_adapters.text_section import TextSettings


def text_services_of(text: TextSettings) -> TextServices:
    """Return the services of a store, named by all that what they make depends on."""
    if text.inflection is None and not text.segmentation:
        return PLAIN
    from recordance_adapters.driven.tantivy_terms.inflection import stemmer_of, stemmer_version

    stem = None if text.inflection is None else stemmer_of(text.inflection)
    stems = [] if text.inflection is None else [f"stems {stemmer_version(text.inflection)}"]
    cuts = [f"segments {FRAGMENT_VERSION}"] if text.segmentation else []
    return TextServices(" ".join([*stems, *cuts]), stem, fragments_of if text.segmentation else None)
