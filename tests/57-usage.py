#!/usr/bin/env python3
"""What agents spent: counted once, and longer than the signals are there that told it."""

import json
import time

from lib import Box, cli, eventually, run, temp_dir, test

LITTLE = {"SIGNALBOX_JOURNAL_SEGMENT": "64KiB", "SIGNALBOX_JOURNAL_KEEP": "200KiB"}
OPUS = "claude-opus-5-5"
HOUR_MS = 3600_000


def spend(box, session, response, out, model=OPUS, **more):
    payload = {"agentId": "a", "promptTokens": 1000, "completionTokens": out, "model": model, **more}
    if response:
        payload["responseId"] = response
    box.emit({"type": "token_usage", "source": "s", "correlationId": session, "payload": payload})


def usage(box, query="by=model"):
    answer = box.request("GET", f"/api/usage?{query}")
    assert answer.status == 200, answer
    return answer.json()


def rows(box, by):
    return {row["key"]: row for row in usage(box, f"by={by}")["rows"]}


def segments(box):
    return sorted((box.data / "journal").glob("*.ndjson"))


@test("a response counts once, over a restart and a kill too; unknown models have no price")
def _():
    with Box() as box:
        box.emit({"type": "session.facts", "source": "s", "correlationId": "one",
                  "payload": {"cwd": "/home/ada/shop", "harness": "codex"}})
        for session, out in (("one", 1), ("one", 50), ("fork", 50), ("one", 50)):
            spend(box, session, "msg_1", out)
        spend(box, "two", None, 7, model="home-made")
        for again in (box.restart, box.kill9, None):
            models = rows(box, "model")
            assert models[OPUS]["output"] == 50 and models[OPUS]["calls"] == 1, models
            assert abs(models[OPUS]["cost"] - (1000 * 4 + 50 * 20) / 1e6) < 1e-9, models
            assert models["home-made"]["cost"] is None and models["home-made"]["unknown"], models
            assert rows(box, "project")["shop"]["output"] == 50
            assert rows(box, "harness")["codex"]["output"] == 50
            assert set(rows(box, "session")) == {"one", "two"}
            if again == box.kill9:
                box.kill9()
                box.start()
            elif again:
                again()
        spend(box, "one", "msg_1", 50)
        assert rows(box, "model")[OPUS]["output"] == 50


@test("an agent's own figure and hidden calls are in every sum, over a restart and a kill too")
def _():
    with Box() as box:
        spend(box, "one", "msg_1", 50)
        for cost in (25, 3):
            box.emit({"type": "session.facts", "source": "s", "correlationId": "one",
                      "payload": {"cwd": "/home/ada/shop", "harness": "claude-code", "cost": cost}})
        spend(box, "one", "msg_2", 1000)
        box.emit({"type": "session.gone", "source": "s", "correlationId": "one", "payload": {}})
        for again in (box.restart, box.kill9, None):
            for by in ("day", "hour", "project", "model", "harness", "session"):
                total = usage(box, f"by={by}")["total"]
                assert abs(total["cost"] - 25) < 1e-9 and total["calls"] == 2, (by, total)
                assert "atLeast" not in total, (by, total)
            member = box.request("GET", "/api/crew/one").json()["member"]
            assert member["usage"]["cost"] == 25, member
            if again:
                again()
            if again == box.kill9:
                box.start()
        box.emit({"type": "event", "source": "adapter:x", "correlationId": "one", "payload": {},
                  "metadata": {"cwd": "/home/ada/shop", "hook": "PreCompact"}})
        for by in ("day", "project", "model", "session"):
            assert usage(box, f"by={by}")["total"]["atLeast"] is True, by


@test("what retention removes stays counted, and nothing is counted twice")
def _():
    with Box(env=LITTLE) as box:
        for i in range(20):
            spend(box, f"s{i}", f"msg_{i}", 10)
        eventually((box.data / "usage").exists)
        first = segments(box)[0]
        filler = "".join(json.dumps({"type": "t", "payload": {"p": "p" * 500}}) + "\n"
                         for _ in range(200))

        def is_gone():
            box.request("POST", "/api/signal", filler, {"Content-Type": "application/x-ndjson"})
            return not first.exists()

        eventually(is_gone)
        assert (box.data / "usage").stat().st_mode & 0o777 == 0o600
        assert usage(box)["total"]["output"] == 200
        box.kill9()
        for file in box.data.glob("journal/*checkpoint*"):
            file.unlink()
        box.start()
        history = box.request("GET", "/api/signals?type=token_usage").json()
        assert history["signals"] == [], history
        total = usage(box)["total"]
        assert (total["output"], total["calls"]) == (200, 20), total
        spend(box, "s3", "msg_3", 10)
        spend(box, "s3", "msg_new", 5)
        assert usage(box)["total"]["output"] == 205


def fill(box):
    """Some segments of what costs nothing."""
    lines = "".join(json.dumps({"type": "t", "payload": {"p": "p" * 500}}) + "\n" for _ in range(200))
    box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})


def forget_checkpoints(box):
    for file in box.data.glob("journal/*checkpoint*"):
        file.unlink()


@test("a kill at any time costs no token of segments that are gone")
def _():
    with Box(env=LITTLE) as box:
        told = 0
        for round in range(8):
            first = segments(box)[0] if segments(box) else None
            for i in range(3 + 5 * round):
                spend(box, f"s{round}", f"msg_{round}_{i}", 10)
                told += 10
                if i % 3 == round % 3:
                    fill(box)
            if round % 2 and first:
                eventually(lambda: fill(box) or not first.exists())
            spend(box, "s", None, 10)
            last = box.request("GET", "/api/status").json()["seq"]
            eventually(lambda: box.request("GET", "/api/status").json()["durableSeq"] >= last)
            told += 10
            box.kill9()
            forget_checkpoints(box)
            box.start()
            assert usage(box)["total"]["output"] == told, (round, usage(box)["total"], told)
        history = box.request("GET", "/api/signals?type=token_usage&limit=1000").json()
        assert len(history["signals"]) * 10 < told, "nothing was removed"


@test("while sums cannot be written segments stay, and everybody is told; then they go")
def _():
    with Box(env=LITTLE) as box:
        spend(box, "s", "msg_1", 10)
        eventually((box.data / "usage").exists)
        (box.data / "usage").unlink()
        (box.data / "usage").mkdir()
        spend(box, "s", "msg_2", 10)
        first = segments(box)[0]
        for _ in range(20):
            fill(box)
        ready = eventually(lambda: (r := box.request("GET", "/readyz")).status == 503 and r)
        assert "usage" in ready.text, ready.text
        for _ in range(20):
            fill(box)
        assert first.exists()
        assert box.log().count("sums are not kept") == 1, box.log()
        (box.data / "usage").rmdir()
        eventually(lambda: fill(box) or not first.exists())
        eventually(lambda: box.request("GET", "/readyz").status == 200)
        box.kill9()
        forget_checkpoints(box)
        box.start()
        assert usage(box)["total"]["output"] == 20


@test("a start removes nothing before its sums are written")
def _():
    with Box(env={"SIGNALBOX_JOURNAL_SEGMENT": "64KiB"}) as box:
        for i in range(30):
            spend(box, "s", f"msg_{i}", 10)
            fill(box)
        last = box.request("GET", "/api/status").json()["seq"]
        eventually(lambda: box.request("GET", "/api/status").json()["durableSeq"] >= last)
        box.kill9()
        forget_checkpoints(box)
        (box.data / "usage").unlink(missing_ok=True)
        first = segments(box)[0]
        box.env = {**box.env, **LITTLE}
        box.start()
        eventually(lambda: not first.exists())
        assert usage(box)["total"]["output"] == 300
        box.kill9()
        forget_checkpoints(box)
        box.start()
        assert usage(box)["total"]["output"] == 300


@test("a file that is damaged costs what the journal no longer has, and nothing else")
def _():
    with Box() as box:
        spend(box, "s", "msg_1", 10)
        box.stop()
        for file in box.data.glob("journal/*checkpoint*"):
            file.unlink()
        (box.data / "usage").write_bytes(b"spending 1\nnonsense")
        box.start()
        assert usage(box)["total"]["output"] == 10


@test("days, spans and words that are wrong")
def _():
    with Box() as box:
        at = 1794870000000  # 2026-11-16T23:00Z
        box.emit({"type": "token_usage", "source": "s", "timestamp": at,
                  "payload": {"agentId": "a", "promptTokens": 1, "completionTokens": 2}})
        assert list(rows(box, "day&offset=0")) == ["2026-11-16"]
        assert list(rows(box, "day&offset=60")) == ["2026-11-17"]
        assert list(rows(box, "hour")) == ["2026-11-16T23:00Z"]
        assert usage(box, f"since={at + 1}")["rows"] == []
        assert usage(box, f"until={at}")["rows"] == []
        assert len(usage(box, f"since={at}&until={at + 1}")["rows"]) == 1
        for wrong in ("by=nothing", "since=x", "offset=9999", "offset=--1", "offset=60,0", "other=1"):
            assert box.request("GET", f"/api/usage?{wrong}").status == 400, wrong


@test("days of summer and of winter are those of the calendar, on the API and in the terminal")
def _():
    midnight = 1792879200000  # 2026-10-25T00:00 in Berlin, 22:00Z; the day has 25 hours
    with Box() as box:
        for hour in (-1, 0, 24, 25):
            at = midnight + hour * HOUR_MS
            box.emit({"type": "token_usage", "source": "s", "timestamp": at,
                      "payload": {"agentId": "a", "promptTokens": 1, "completionTokens": 10 ** (hour // 24 + 1)}})
            box.emit({"type": "tool_result", "source": "s", "correlationId": "s", "timestamp": at,
                      "payload": {"toolName": "T", "callId": str(hour), "agentId": "a", "success": True}})
        calendar = {"2026-10-24": 1, "2026-10-25": 110, "2026-10-26": 100}
        zone = "offset=120,60@1792890000000"
        assert {key: row["output"] for key, row in rows(box, f"day&{zone}").items()} == calendar
        days = box.request("GET", f"/api/usage/tools?{zone}").json()["days"]
        assert {day["key"]: day["calls"] for day in days if day["calls"]} == {
            "2026-10-24": 1, "2026-10-25": 2, "2026-10-26": 1}, days
        told = json.loads(cli("usage", "--json", "--since", "2026-10-01", "--data", box.data,
                              env={"TZ": "Europe/Berlin"}).out)
        assert {row["key"]: row["output"] for row in told["rows"]} == calendar, told
        told = json.loads(cli("usage", "--json", "--since", "2026-10-01", "--data", box.data,
                              env={"TZ": "UTC"}).out)
        assert {row["key"]: row["output"] for row in told["rows"]} == {"2026-10-24": 11, "2026-10-25": 200}, told


@test("a long answer comes in pieces and is whole, and sessions count from the hour asked for")
def _():
    with Box() as box:
        at = 1794870000000  # 2026-11-16T23:00Z
        lines = "".join(json.dumps({
            "type": "token_usage", "source": "s", "correlationId": f"s{i % 2}", "timestamp": at + i * 3600_000,
            "payload": {"agentId": "a", "promptTokens": 1, "completionTokens": 2, "model": OPUS}}) + "\n"
            for i in range(3000))
        box.request("POST", "/api/signal", lines, {"Content-Type": "application/x-ndjson"})
        answer = box.request("GET", "/api/usage?by=hour")
        assert len(answer.body) > 300_000 and "chunked" in str(answer.headers).lower(), answer.headers
        told = answer.json()
        assert told["ok"] and len(told["rows"]) == 3000 and told["total"]["output"] == 6000, told["total"]
        keys = [row["key"] for row in told["rows"]]
        assert keys == sorted(keys) and keys[0] == "2026-11-16T23:00Z", keys[:3]
        since = at + 2990 * 3600_000
        assert [row["output"] for row in usage(box, f"by=session&since={since}")["rows"]] == [10, 10]
        assert usage(box, f"by=session&since={since}")["total"]["calls"] == 10
        since = at + 100 * 3600_000
        assert usage(box, f"by=session&since={since}")["total"]["atLeast"] is True


@test("the verb prints a table, CSV and JSON, and refuses what it does not know")
def _():
    with Box() as box:
        spend(box, "s", "msg_1", 1000, cacheReadTokens=20000)
        spend(box, "s", "msg_2", 5, model='=evil","x')
        spend(box, "s", "msg_3", 5, model="\t=evil")
        where = ["--data", box.data]
        table = cli("usage", "--by", "model", *where).out
        assert OPUS in table and "$0.03" in table and "≥ $" in table and "█" in table, table
        csv = cli("usage", "--by", "model", "--csv", *where).out
        assert f'"{OPUS}",1000,1000,20000,0,0,0,1,0.028000,false' in csv, csv
        assert '"\'=evil"",""x",1000,5,0,0,0,0,1,,\n' in csv, csv
        assert '"\'\t=evil",1000,5' in csv, csv
        assert ",3,0.028000,true\n" in cli("usage", "--by", "day", "--csv", *where).out
        told = json.loads(cli("usage", "--json", "--by", "session", *where).out)
        assert told["rows"][0]["key"] == "s", told
        handle = eventually(lambda: json.loads(
            cli("usage", "--json", "--by", "session", *where).out)["rows"][0].get("handle"))
        assert handle == box.request("GET", "/api/crew/s").json()["member"]["handle"], handle
        assert f"\n{handle} " in cli("usage", "--by", "session", *where).out
        assert f'"{handle}",' in cli("usage", "--by", "session", "--csv", *where).out
        assert "Nothing" not in cli("usage", "--since", "2h", *where).out
        for wrong in (["--by", "x"], ["--since", "x"], ["--since", "9"], ["--since", "2026-99-99"]):
            assert cli("usage", *wrong, *where).code == 2, wrong


@test("what tools took counts each call once, over a restart and a kill too")
def _():
    def tool(kind, at, session="one", call="c1", **more):
        box.emit({"type": kind, "source": "s", "correlationId": session, "timestamp": at,
                  "payload": {"agentId": "a", "toolName": "Bash", "callId": call, **more}})

    def tools(query=""):
        answer = box.request("GET", f"/api/usage/tools{query}")
        assert answer.status == 200, answer
        return answer.json()

    at = 1794870000000  # 2026-11-16T23:00Z
    with Box() as box:
        tool("tool_call", at)
        tool("tool_call", at, session="two")
        box.restart()
        tool("tool_result", at + 3000, success=False)
        tool("tool_result", at + 4000, success=True)
        expected = [{"key": "Bash", "calls": 1, "failures": 1, "ms": 3000}]
        eventually(lambda: tools()["tools"] == expected)
        box.kill9()
        box.start()
        tool("tool_result", at + 5000, success=True)
        tool("tool_call", at + 3600_000, session="three")
        eventually(lambda: len(tools("?offset=0")["days"]) == 2)
        told = tools("?offset=60")
        assert told["tools"] == expected, told
        assert [(d["key"], d["atOnce"]) for d in told["days"]] == [("2026-11-17", 3)], told
        assert tools(f"?since={at + 1}")["tools"] == [], told
        for wrong in ("?by=tool", "?since=x", "?offset=9999"):
            assert box.request("GET", f"/api/usage/tools{wrong}").status == 400, wrong


def tell_limits(box, at, *windows, **more):
    box.emit({"type": "agent.limits", "source": "s", "timestamp": int(at),
              "payload": {"agentId": "a", "harness": "codex", **more, "windows": windows}})


@test("limits say what is left, how fast it goes and when they are reset, over a restart and a kill too")
def _():
    now = time.time() * 1000
    soon, later = int(now + 3 * HOUR_MS), int(now + 40 * HOUR_MS)
    with Box() as box:
        assert usage(box)["limits"] == []
        assert "LIMITS" not in cli("usage", "--data", box.data).out
        for minutes, used in ((30, 20), (0, 60)):
            tell_limits(box, now - minutes * 60_000,
                        {"minutes": 300, "used": used, "resetsAt": soon},
                        {"minutes": 10080, "used": used / 40, "resetsAt": later},
                        {"name": "spend", "used": 100}, plan="plus")
        tell_limits(box, now - 2 * HOUR_MS, {"minutes": 300, "used": 90, "resetsAt": int(now - HOUR_MS)},
                    {"minutes": 10080, "used": 50}, harness="\x1b[31mevil", account="ada")
        eventually(lambda: len(usage(box)["limits"]) == 2)
        for again in (box.restart, box.kill9, None):
            told = usage(box)["limits"]
            evil, codex = told
            assert codex["harness"] == "codex" and codex["plan"] == "plus" and not codex["stale"], told
            hours, week, spend_limit = codex["windows"]
            assert (hours["minutes"], hours["used"], hours["left"]) == (300, 60, 40), told
            assert hours["resetsAt"] == soon and not hours["isReset"], told
            # The machine may be slow: the rate falls while nothing is told.
            assert 30 < hours["perHour"] <= 80.01 and now < hours["usedUpAt"] < soon, told
            assert week["used"] == 1.5 and "usedUpAt" not in week, told
            assert spend_limit == {"name": "spend", "used": 100, "left": 0, "isReset": False,
                                   "perHour": 0}, told
            assert evil["stale"] and evil["account"] == "ada", told
            assert evil["windows"][0]["isReset"] and evil["windows"][0]["left"] == 100, told
            assert evil["windows"][1]["used"] == 50 and "perHour" not in evil["windows"][1], told
            table = cli("usage", "--data", box.data).out
            lines = [" ".join(line.split()) for line in table.splitlines()]
            assert table.startswith("Nothing was spent") and "\x1b" not in table, table
            clock = time.strftime("%H:%M", time.localtime(soon / 1000))
            assert any(line.startswith("codex, plus 5 h 60 % 40 % ") and clock in line
                       and " % an hour: used up " in line and line.endswith(" now") for line in lines), table
            assert any(line.startswith("codex, plus week 1.5 % 99 % ")
                       and "an hour: lasts until the reset now" in line for line in lines), table
            assert any("spend 100 % 0 % " in line and " used up " in line for line in lines), table
            assert any("ada 5 h 0 % 100 % was reset " in line and " 2h " in line and line.endswith(" ago") for line in lines), table
            if again:
                again()
            if again == box.kill9:
                box.start()
                eventually(lambda: len(usage(box)["limits"]) == 2)


@test("limits that Codex keeps reach the box without any setting")
def _():
    home = temp_dir()
    folder = home / ".codex" / "sessions" / "2026" / "11" / "17"
    folder.mkdir(parents=True)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime()) + ".000Z"
    lines = [{"type": "session_meta", "payload": {"id": "th-7", "cwd": "/home/ada/shop"}},
             {"type": "event_msg", "payload": {"type": "token_count", "info": None, "rate_limits": {
                 "primary": {"used_percent": 42, "window_minutes": 300,
                             "resets_at": int(time.time()) + 9000}}}}]
    with Box(env={"HOME": str(home)}) as box:
        (folder / "rollout-2026-11-17T00-00-00-th-7.jsonl").write_text(
            "".join(json.dumps({"timestamp": stamp, **line}) + "\n" for line in lines))
        told = eventually(lambda: usage(box)["limits"], 60)
        assert told[0]["harness"] == "codex" and told[0]["windows"][0]["used"] == 42, told


@test("limits that Claude Code tells its status line reach the box, and the line is drawn as before")
def _():
    status = json.dumps({"session_id": "s-1", "cwd": "/home/ada/secret", "cost": {"total_cost_usd": 1},
                         "rate_limits": {"five_hour": {"used_percentage": 23.5, "resets_at": int(time.time()) + 9000},
                                         "seven_day": {"used_percentage": 41, "resets_at": int(time.time()) + 90000}}})
    with Box() as box:
        for given in (status, status, json.dumps({"session_id": "s-1"}), "no JSON", ""):
            done = cli("hook", "--statusline", "--data", box.data, input=given)
            assert done.code == 0 and done.err == "", done
            assert done.out == given, done
        told = eventually(lambda: usage(box)["limits"])
        assert told[0]["harness"] == "claude-code", told
        assert [(w["minutes"], w["used"]) for w in told[0]["windows"]] == [(300, 23.5), (10080, 41)], told
        signals = box.history("&type=agent.limits")
        assert len(signals) == 1 and "secret" not in json.dumps(signals), signals
        assert box.request("GET", "/api/crew").json()["members"] == []
        data = box.data
    assert cli("hook", "--statusline", "--data", data, input=status).out == status
    broken = data.parent / "broken.yaml"
    broken.write_text("data: [\n")
    assert cli("hook", "--statusline", "--config", broken, input=status).out == status
    vast = json.dumps({"session_id": "s-1", "rate_limits": {}, "words": "x" * (65 << 20)})
    assert cli("hook", "--statusline", "--data", data, input=vast).out == vast
    assert not (data / "spool").exists() or not list((data / "spool").iterdir())


@test("a session of several runs is one row, on the API and in the terminal")
def _():
    with Box() as box:
        for run, tokens in (("one", 1000), ("two", 3000)):
            box.emit({"type": "task_dispatch", "source": "claw", "correlationId": run,
                      "payload": {"from": "user", "to": "poet", "taskId": run, "sessionKey": "main"}})
            box.emit({"type": "token_usage", "source": "claw", "correlationId": run,
                      "payload": {"agentId": "poet", "model": "claude-opus-5-5", "promptTokens": tokens,
                                  "completionTokens": 0, "responseId": run}})
        spend(box, "alone", "msg_1", 5)
        one = eventually(lambda: box.request("GET", "/api/crew/one").json()["member"]["handle"])
        eventually(lambda: box.request("GET", "/api/crew/two").json().get("member", {}).get("handle") == one)
        eventually(lambda: [r["input"] for r in usage(box, "by=session")["rows"] if r.get("handle") == one] == [4000])
        told = usage(box, "by=session")
        assert len(told["rows"]) == 2 and rows(box, "session")["alone"]["input"] == 1000, told
        assert told["total"]["input"] == usage(box)["total"]["input"] == 5000, told
        words = cli("usage", "--by", "session", "--data", box.data).out
        assert words.count(one) == 1, words


@test("two accounts of one program have rows of their own, on the API and in the terminal")
def _():
    def line(folder, used):
        return json.dumps({"session_id": f"s-{used}", "transcript_path": f"{folder}/projects/-a/s.jsonl",
                           "rate_limits": {"five_hour": {"used_percentage": used,
                                                         "resets_at": int(time.time()) + 9000 + 100 * used}}})

    with Box() as box:
        for folder, used in (("/home/ada/.claude", 20), ("/home/ada/.claude-work", 70), ("/srv/claude", 5),
                             ("/home/ada/.claude", 21)):
            cli("hook", "--statusline", "--data", box.data, input=line(folder, used), env={"HOME": "/home/ada"})
        expected = [("claude-code", None, 21), ("claude-code", "/srv/claude", 5), ("claude-code", "~/.claude-work", 70)]
        eventually(lambda: [(a["harness"], a.get("account"), a["windows"][0]["used"]) for a in usage(box)["limits"]]
                   == expected)
        words = cli("usage", "--data", box.data).out
        assert "claude-code ~/.claude-work" in words and "claude-code /srv/claude" in words, words


@test("a session whose clock is wrong does not hold up how many were at work at once")
def _():
    with Box() as box:
        now = int(time.time() * 1000)
        for session, at in (("ahead", now + 20 * 86400_000), ("one", now), ("two", now)):
            box.emit({"type": "tool_call", "source": "s", "correlationId": session, "timestamp": at,
                      "payload": {"agentId": "a", "toolName": "Bash", "toolUseId": session}})

        def most():
            days = box.request("GET", "/api/usage/tools?offset=0").json()["days"]
            return {d["key"]: d["atOnce"] for d in days if d["atOnce"]}
        eventually(lambda: 3 in most().values())
        assert len(most()) == 1, most()


@test("another list of prices is used where the configuration names one, and refused where it is wrong")
def _():
    file = temp_dir() / "prices.json"
    file.write_text(json.dumps({"date": "tomorrow", "models": {
        "home-made": {"input": 1000, "output": 0}}}))
    with Box(env={"SIGNALBOX_PRICES": str(file)}) as box:
        spend(box, "s", "msg_1", 5, model="home-made")
        told = usage(box)
        assert told["prices"] == {"date": "tomorrow"}, told
        assert told["total"]["cost"] == 1.0, told


if __name__ == "__main__":
    run()
