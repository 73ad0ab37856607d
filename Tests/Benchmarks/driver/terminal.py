"""Programs at a terminal: the time until their prompt, and the time until they react to a key."""
import os
import pty
import re
import select
import signal
import time

SEQUENCES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z~]|\x1b[=>]|[\r\x01\x02\x07]")


class Terminal:
    """A program at its own terminal; the benchmark waits for the output and never for a fixed time."""

    def __init__(self, words, environment):
        self.began = time.perf_counter()
        self.pid, self.keyboard = pty.fork()
        if self.pid == 0:
            os.execvpe(words[0], words, environment)
        self.shown = b""

    def wait(self, pattern, patience=20):
        """Waits until the screen shows a pattern after the output seen so far, and returns the seconds since the last key or the start."""
        deadline = time.perf_counter() + patience
        while True:
            text = SEQUENCES.sub(b"", self.shown)
            if found := re.search(pattern, text):
                took = time.perf_counter() - self.began
                self.shown = text[found.end():]
                return took
            ready, _, _ = select.select([self.keyboard], [], [], max(0, deadline - time.perf_counter()))
            if not ready:
                raise TimeoutError(f"the pattern {pattern!r} did not appear; the screen shows {text!r}")
            data = os.read(self.keyboard, 65536)
            # prompt_toolkit requests the position of the cursor, and waits for the answer.
            if b"\x1b[6n" in data:
                os.write(self.keyboard, b"\x1b[1;1R")
            self.shown += data

    def type(self, text):
        self.began = time.perf_counter()
        os.write(self.keyboard, text)

    def close(self):
        os.close(self.keyboard)
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)


def ready(words, prompt, environment):
    """The seconds from the start of the program to its prompt."""
    terminal = Terminal(words, environment)
    try:
        return terminal.wait(prompt)
    finally:
        terminal.close()


def tab(words, prompt, line, answer, environment):
    """The seconds from TAB to the completed word, on the second attempt so that the caches are filled."""
    terminal = Terminal(words, environment)
    try:
        terminal.wait(prompt)
        for _ in range(2):
            terminal.type(line)
            terminal.wait(re.escape(line))
            terminal.type(b"\t")
            took = terminal.wait(answer)
            terminal.type(b"\x15")
            terminal.type(b"\r")
            terminal.wait(prompt)
        return took
    finally:
        terminal.close()
