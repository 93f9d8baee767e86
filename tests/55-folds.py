#!/usr/bin/env python3
"""What is folded from the journal follows from the journal alone."""

import json
import shutil

from lib import Box, eventually, run, sections, temp_dir, test

FOLDED = ("prompts", "resume", "runs", "runs.seq")

CONFIGURATIONS = [
    ("", {}),
    ("validation: strict\nlimits:\n  rate: 7\n  message: 2MiB\n  depth: 70\n  ping: 90s\n"
     "journal:\n  days: 3\n  commit: 50ms\n", {"TZ": "Pacific/Kiritimati"}),
    ("validation: \"off\"\nauth:\n  local: observe\nlog:\n  level: debug\njournal:\n  segment: 1MiB\n",
     {"TZ": "America/Los_Angeles", "LC_ALL": "C"}),
]


def stage_of(found):
    """The stage without what the time of day alone makes: the time, and versions, which begin with it."""
    stage = json.loads(found["show"])
    for name in ("now", "tokens", "filled"):
        del stage[name]
    for name in ("now", "version"):
        del stage["play"][name]
    for entity in stage["play"]["stage"]:
        entity.pop("used", None)  # a version, too
    return json.dumps(stage)


def tell_story(box):
    for n in range(30):
        run_id = f"run-{n % 4}"
        box.emit("text_delta", source="crew", correlationId=run_id,
                 payload={"agentId": "ada", "content": f"word {n} "})
    for n in range(3):
        box.emit("prompt", source="crew", correlationId=f"run-{n}",
                 payload={"promptId": f"p{n}", "type": "text", "prompt": "Which one?"})
    box.emit("completion", source="crew", correlationId="run-3",
             payload={"taskId": "t", "agentId": "ada", "success": True, "result": "Done."})
    prompts = eventually(lambda: box.request("GET", "/api/prompts").json()["prompts"])
    answer = box.request("POST", f"/api/prompts/{prompts[0]['id']}/answer", {"value": "this"})
    assert answer.status == 200, answer


def life(first, text, env):
    """The same journal in a box of its own: what it says, and what it saves."""
    data = temp_dir() / "data"
    shutil.copytree(first, data, ignore=shutil.ignore_patterns("sock", "hooks", "listen", "lock"))
    config = data.with_name("config.yaml")
    config.write_text(text)
    with Box(args=["--config", str(config)], data=data, env=env) as box:
        told = [box.request("GET", path).json() for path in
                ("/api/prompts", "/api/runs", *(f"/api/runs/run-{n}" for n in range(4)))]
        idle = lambda: box.request("GET", "/api/status").json()["show"]["active"] == 0
        box.request("GET", "/api/stage")
        eventually(idle)  # what the clock makes due is over
        box.stop()
    return told, sections(data)


@test("the same journal gives the same state under three configurations, to the byte")
def _():
    with Box() as box:
        tell_story(box)
        box.kill9()
        lives = [life(box.data, text, env) for text, env in CONFIGURATIONS]
    told, saved = lives[0]
    assert len(told[0]["prompts"]) == 2 and len(told[1]["runs"]) == 4, told
    assert json.loads(saved["prompts"]) and json.loads(saved["runs"])["runs"], saved
    for other_told, other_saved in lives[1:]:
        assert other_told == told, (told, other_told)
        for name in (*FOLDED, "show.seq"):
            assert other_saved[name] == saved[name], (name, saved[name], other_saved[name])
        assert stage_of(other_saved) == stage_of(saved), (stage_of(saved), stage_of(other_saved))
    stage = json.loads(stage_of(saved))
    assert stage["processed"] > 30 and stage["entities"] and stage["play"]["stage"], stage


@test("a checkpoint that is lost or damaged costs time, and changes nothing")
def _():
    with Box() as box:
        tell_story(box)
        before = [box.request("GET", f"/api/runs/run-{n}").json() for n in range(4)]
        box.stop()
        kept = sections(box.data)
        for damage in (lambda p: p.unlink(), lambda p: p.write_bytes(p.read_bytes()[:-9])):
            for path in (box.data / "journal").glob("checkpoint-*"):
                damage(path)
            box.start()
            after = [box.request("GET", f"/api/runs/run-{n}").json() for n in range(4)]
            assert after == before, (before, after)
            box.stop()
            assert {n: sections(box.data)[n] for n in FOLDED} == {n: kept[n] for n in FOLDED}
        box.start()


run()
