"""Stands in for the worker: says what FAKE_SCRIPT tells it to do for a row, so that the supervisor meets every way to fail."""
import json
import os
import sys
import time

channel = os.fdopen(int(sys.argv[-1]), "w", buffering=1)


def say(**message):
    channel.write(json.dumps(message) + "\n")


def act(what):
    if what == "hang":
        time.sleep(60)
    elif what == "crash":
        os.kill(os.getpid(), 9)
    elif what == "fatal":
        say(fatal="the context is dead")
        os._exit(3)


def main():
    json.loads(sys.stdin.readline())
    script = json.loads(os.environ["FAKE_SCRIPT"])
    with open(os.environ["FAKE_LOG"], "a") as log:
        log.write("start\n")
    say(ready={"device": "none"})
    for text in sys.stdin:
        command = json.loads(text)
        doing = script.get(command["row"], {})
        say(phase="data", limit=5)
        act(doing.get("data"))
        for name in command["contenders"]:
            if name not in command["skip"]:
                say(phase=name, limit=0.3 if doing.get(name) == "hang" else 5)
                act(doing.get(name))
        say(phase="measure", limit=5)
        if "ours" not in command["skip"]:
            act(doing.get("measure"))
        if doing.get("row") == "failed":
            say(failed="ValueError: no such row")
        else:
            say(row={"name": command["row"], "errors": command["skip"], "contenders": command["contenders"]})


main()
