"""Exceptions. Their texts are those of the command `droste`."""


class Error(Exception):
    """Something that Droste refuses or cannot do."""


class UsageError(Error, ValueError, TypeError):
    """Arguments out of range, of a wrong type, or that make no sense together."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class CompileError(Error):
    """A program does not compile; the text shows the lines."""


class RunError(Error):
    """The run of a program fails; the text shows the lines."""


class ProveError(Error):
    """A run cannot be proved, or a key cannot be made."""


class DecodeError(Error):
    """Bytes are not those of a proof, an aggregate, a fold or a signature."""


class VerifyError(Error):
    """A proof, an aggregate, a fold, a signature or a Merkle path is rejected."""


class AggregateError(Error):
    """Proofs cannot be wrapped, joined or folded."""


class CostError(Error):
    """Nothing was measured."""


class MsmError(Error):
    """A sum over a curve cannot be computed."""


class SignError(Error):
    """A key is not made, not opened, or does not sign."""


class ThreadError(Error, RuntimeError):
    """No thread can be started."""


class InternalError(Error):
    """A bug in Droste."""
