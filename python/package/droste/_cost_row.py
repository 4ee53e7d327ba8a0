"""The process that measures one row of `droste.cost`: a request as JSON in, figures as JSON out."""

import json
import signal
import sys

from droste import _errors
from droste._native import Program, cost_row


def main() -> None:
    """Measures the row that standard input asks for."""
    # Ctrl-C in a terminal reaches this process too; who asked for the row tells the user.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    request = json.load(sys.stdin)
    try:
        program = Program.compile(request["text"], name=request["name"])
        answer: dict[str, object] = {
            "row": cost_row(
                program,
                request["public"],
                request["hints"],
                **request["arguments"],
                only_check=False,
            )
        }
    except _errors.Error as error:
        answer = {"error": type(error).__name__, "text": str(error)}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
