"""Drives the worker through the rows, and survives it: a contender that hangs or kills the process is left out of its row, which
is then measured again. Needs nothing but Python.
"""
import json
import os
import selectors
import subprocess
import time


class WorkerDied(Exception):
    """The worker hung, ended or gave up; `phase` is what it was about."""

    def __init__(self, phase, why):
        super().__init__(why)
        self.phase = phase


class OutOfTime(Exception):
    """The time box is full."""


class Worker:
    """A process and the lines that it says. `command` is run with the number of the descriptor for its answers appended."""

    def __init__(self, command, options, deadline):
        self.deadline = deadline
        reader, writer = os.pipe()
        self.process = subprocess.Popen([*command, str(writer)], stdin=subprocess.PIPE, stdout=2, pass_fds=(writer,), text=True)
        os.close(writer)
        self.reader = reader
        self.pending = b""
        self.selector = selectors.DefaultSelector()
        self.selector.register(reader, selectors.EVENT_READ)
        self.phase = "start"
        self.send(options)
        try:
            self.machine = self.answer("ready", 180)
        except Exception:
            self.close()
            raise

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
        except OSError:
            pass    # it has ended; reading says so

    def line(self, until, limit):
        while b"\n" not in self.pending:
            now = time.monotonic()
            if now >= self.deadline:
                raise OutOfTime()
            if now >= until:
                raise WorkerDied(self.phase, f"no end within {limit:.0f} s")
            if not self.selector.select(min(until, self.deadline) - now):
                continue
            chunk = os.read(self.reader, 65536)
            if not chunk:
                code = self.process.wait()
                raise WorkerDied(self.phase, f"the process ended with signal {-code}" if code < 0 else f"the process ended with {code}")
            self.pending += chunk
        first, _, self.pending = self.pending.partition(b"\n")
        return json.loads(first)

    def answer(self, kind, limit):
        """The next answer of this kind; phases on the way set how long to wait."""
        until = time.monotonic() + limit
        while True:
            message = self.line(until, limit)
            if "phase" in message:
                self.phase, limit = message["phase"], message["limit"]
                until = time.monotonic() + limit
            elif "fatal" in message:
                raise WorkerDied(self.phase, message["fatal"])
            elif kind in message or "failed" in message:
                return message.get(kind) or {"error": message["failed"]}

    def close(self):
        """Ends it, whatever it does."""
        self.selector.close()
        os.close(self.reader)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()


class Supervisor:
    """Measures rows with a worker that is started as often as it takes."""

    def __init__(self, command, options, deadline, say=print):
        self.command, self.options, self.deadline, self.say = command, options, deadline, say
        self.worker, self.machine = None, None

    def measure(self, command):
        """The record of one row. Each contender that brings the worker down is left out in turn."""
        skip = {}
        contenders = command["contenders"]
        for _ in range(len(contenders) + 2):
            try:
                if self.worker is None:
                    self.worker = Worker(self.command, self.options, self.deadline)
                    self.machine = self.worker.machine
                self.worker.send({**command, "skip": skip})
                self.worker.phase = "data"
                return self.worker.answer("row", 60)
            except WorkerDied as death:
                self.drop()
                self.say(f"  {command['row']}: {death.phase}: {death}; starting again")
                if death.phase == "start":
                    raise
                guilty = self.guilty(death.phase, contenders)
                if guilty is None or guilty in skip:
                    return {"error": f"{death.phase}: {death}", "errors": skip}
                skip[guilty] = str(death) if guilty == death.phase else f"{death.phase}: {death}"
            except OutOfTime:
                self.drop()
                raise
        return {"error": "the worker kept dying", "errors": skip}

    @staticmethod
    def guilty(phase, contenders):
        """Whom to leave out. While all are measured nobody can tell; ours is the youngest."""
        suspect = "ours" if phase == "measure" else phase
        return suspect if suspect in contenders else None

    def drop(self):
        if self.worker is not None:
            self.worker.close()
            self.worker = None
