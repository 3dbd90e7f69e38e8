"""The table of the configuration that says how recalls in natural language run (L10, L12, L16)."""

from pathlib import Path

import pytest

from recordance.errors import InvalidArgument
from recordance.query.pipeline import DEFAULT_PIPELINE, BlendWeights, PipelineFusion, RecallMode
from recordance_adapters.settings import load_settings


def configured(tmp_path: Path, text: str) -> dict[str, str]:
    """The command line that names a configuration file with this text."""
    (tmp_path / "recordance.toml").write_text(text, encoding="utf-8")
    return {"config": str(tmp_path / "recordance.toml")}


def test_what_nobody_configures_is_what_the_core_has() -> None:
    """L10, L12: the defaults stand in one place."""
    assert load_settings({}, {}).pipeline_defaults() == DEFAULT_PIPELINE


def test_mode_fusion_and_weights_are_taken_from_the_file(tmp_path: Path) -> None:
    """L10, L12, L16: recall_mode fast, another fusion, and each weight by its name."""
    text = '[pipeline]\nrecall_mode = "fast"\nfusion = "convex"\nbalance = 0.5\n[pipeline.blend]\nfreshness = 0.0\ndecay = 0.2\n'
    defaults = load_settings(configured(tmp_path, text), {}).pipeline_defaults()
    assert defaults.mode is RecallMode.FAST
    assert (defaults.tuning.fusion, defaults.tuning.balance) == (PipelineFusion.CONVEX, 0.5)
    assert defaults.tuning.blend == BlendWeights(freshness=0.0, decay=0.2)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ('[pipeline]\nrecall_mode = "slow"\n', "recall_mode"),
        ('[pipeline]\nfusion = "sum"\n', "fusion"),
        ("[pipeline]\nbalance = 1.5\n", "balance"),
        ("[pipeline.blend]\nsimilarity = nan\n", "similarity"),
        ("[pipeline.blend]\nage = 0.5\n", "age"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_name(tmp_path: Path, text: str, field: str) -> None:
    """L12: a weight that is none, or a word that is unknown, never silently becomes a default."""
    with pytest.raises(InvalidArgument) as refused:
        load_settings(configured(tmp_path, text), {})
    assert field in refused.value.field
