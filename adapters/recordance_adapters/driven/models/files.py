"""Models that run in this process, from an ONNX file and its tokenizer: an embedder, and a cross-encoder that reranks.

Runtime and tokenizer are imported, and the model is read, by the first call; a server that never asks pays for none of it.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from recordance.domain.embedding import Vector
from recordance.domain.vector_reading import read_vector
from recordance.errors import InvalidArgument, ModelFailed

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
_SENTENCE = "sentence_embedding"
"""How an export names the output that is pooled already."""


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one."""

    MEAN = "mean"
    CLS = "cls"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFiles:
    """What a local model is made of: `model` is an ONNX file, or a folder with one of that name and its tokenizer.

    Texts are cut to `tokens`; a run takes `threads` of this machine's cores.
    """

    model: Path
    tokenizer: Path | None = None
    tokens: int = 256
    threads: int = 1

    @property
    def graph(self) -> Path:
        """The ONNX file."""
        return self.model / MODEL_FILE if self.model.is_dir() else self.model

    @property
    def words(self) -> Path:
        """The tokenizer's file."""
        return self.graph.with_name(TOKENIZER_FILE) if self.tokenizer is None else self.tokenizer


@dataclass(slots=True)
class LocalModel:
    """A model that is read when it is first run. Safe for threads."""

    files: ModelFiles
    _turn: threading.Lock = field(default_factory=threading.Lock)
    _loaded: "_Loaded | None" = None

    def run(self, texts: Sequence[Any], seconds: float) -> tuple[Any, Any, str]:
        """Return the first output for texts or pairs of them, the mask of their tokens, and the output's name.

        Raises ModelFailed where the model cannot be read, and once `seconds` are over, which stop it between two operators.
        """
        return self._ready().run(texts, seconds)

    def _ready(self) -> "_Loaded":
        with self._turn:
            if self._loaded is None:
                self._loaded = _load(self.files)
            return self._loaded


class _Loaded:
    """Runtime and tokenizer, ready to run."""

    def __init__(self, session: Any, tokenizer: Any, options: Callable[[], Any], failures: tuple[type[Exception], ...]) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._options = options
        self._failures = failures
        self._inputs = [each.name for each in session.get_inputs()]
        outputs = [each.name for each in session.get_outputs()]
        self._output = _SENTENCE if _SENTENCE in outputs else outputs[0]

    def run(self, texts: Sequence[Any], seconds: float) -> tuple[Any, Any, str]:
        import numpy as np

        encoded = self._tokenizer.encode_batch(list(texts))
        tokens = {
            "input_ids": np.array([each.ids for each in encoded], dtype=np.int64),
            "attention_mask": np.array([each.attention_mask for each in encoded], dtype=np.int64),
            "token_type_ids": np.array([each.type_ids for each in encoded], dtype=np.int64),
        }
        if strange := sorted(set(self._inputs) - tokens.keys()):
            raise ModelFailed(f"an input {strange[0]!r} that no tokenizer fills", why="is of a kind that cannot be run")
        options, over = self._options(), threading.Event()

        def stop() -> None:
            over.set()
            options.terminate = True

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            (output,) = self._session.run([self._output], {name: tokens[name] for name in self._inputs}, options)
        except self._failures as problem:
            if over.is_set():
                raise ModelFailed("the run took too long", why=f"did not answer within {seconds:g} s") from None
            raise ModelFailed(f"the run failed ({type(problem).__name__})", why="failed") from problem
        finally:
            timer.cancel()
        return output, tokens["attention_mask"], self._output


def _load(files: ModelFiles) -> _Loaded:
    try:
        import onnxruntime
        from onnxruntime.capi.onnxruntime_pybind11_state import EPFail, Fail, InvalidArgument, RuntimeException
        from tokenizers import Tokenizer
    except ImportError as problem:
        why = "needs libraries that are not there: pip install 'recordance[local-models]'"
        raise ModelFailed(f"not installed ({problem})", why=why) from problem
    if missing := [path for path in (files.graph, files.words) if not path.is_file()]:
        raise ModelFailed(f"no file {missing[0]}", why="has no files where they should be")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = files.threads, 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(files.graph), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(files.words))
    except Exception as problem:  # both libraries raise what has no common root, for files that are not theirs
        raise ModelFailed(
            f"files that cannot be read ({type(problem).__name__})", why="has files that cannot be read"
        ) from problem
    tokenizer.enable_truncation(files.tokens)
    padding = tokenizer.padding or {}
    tokenizer.enable_padding(pad_id=padding.get("pad_id", 0), pad_token=padding.get("pad_token", "[PAD]"))
    return _Loaded(session, tokenizer, _quiet_run(onnxruntime), (EPFail, Fail, InvalidArgument, RuntimeException))


def _quiet_run(onnxruntime: Any) -> Callable[[], Any]:
    def options() -> Any:
        made = onnxruntime.RunOptions()
        made.log_severity_level = 4
        return made

    return options


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalEmbedder:
    """See Embedder: a model that gives a vector for each token, which are pooled, or one for the text."""

    model: str
    files: LocalModel
    seconds: float
    batch_seconds: float
    characters: int
    pooling: Pooling = Pooling.MEAN
    question_prefix: str = ""
    content_prefix: str = ""

    def embed_question(self, text: str) -> Vector:
        """See Embedder."""
        return self._embedded([self.question_prefix + text[: self.characters]], self.seconds)[0]

    def embed_contents(self, texts: Sequence[str]) -> Sequence[Vector]:
        """See Embedder."""
        return self._embedded([self.content_prefix + text[: self.characters] for text in texts], self.batch_seconds)

    def _embedded(self, texts: Sequence[str], seconds: float) -> Sequence[Vector]:
        if not texts:
            return ()
        output, mask, _ = self.files.run(texts, seconds)
        pooled = output if output.ndim == 2 else self._pooled(output, mask)
        try:
            return [read_vector(row, "embedding") for row in pooled.astype(float).tolist()]
        except InvalidArgument as refusal:
            raise ModelFailed(f"no usable vector: {refusal.why}", why="gave what is no vector with a direction") from None

    def _pooled(self, output: Any, mask: Any) -> Any:
        if self.pooling is Pooling.CLS:
            return output[:, 0]
        weights = mask[..., None].astype(output.dtype)
        return (output * weights).sum(axis=1) / weights.sum(axis=1).clip(min=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalReranker:
    """See Reranker: a cross-encoder, which reads question and text together and gives one number for the pair."""

    model: str
    files: LocalModel
    seconds: float
    characters: int

    def judge(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """See Reranker."""
        if not texts:
            return ()
        asked = question[: self.characters]
        output, _, name = self.files.run([(asked, text[: self.characters]) for text in texts], self.seconds)
        if output.size != len(texts):
            raise ModelFailed(f"output {name!r} of shape {output.shape}", why="gives no single number for a pair")
        scores: list[float] = output.reshape(len(texts)).astype(float).tolist()
        if not all(score == score and abs(score) != float("inf") for score in scores):
            raise ModelFailed("a score that is not finite", why="gave what is no score")
        return scores
