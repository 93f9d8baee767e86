#!/usr/bin/env python3
"""The recorded inputs and outputs of the reference and of real agents, through
`signalbox parse` and POST /api/signal.

A vector of ../shared/vectors/parsers.json must give what it says, other members
besides are allowed.  Where our design says otherwise the vector is listed below with
the reason and with what comes instead; one that would pass after all fails the test,
so that the list stays true.  Recordings of gateways and of Claude Code say what came
in; what must come out is worked out here, apart from our code.  Fixtures of our own
stand for both where ../shared is not."""

import json

from lib import ROOT, SHARED, Box, Skip, cli, run, test

VECTORS = SHARED / "vectors"
FIXTURES = ROOT / "tests" / "fixtures"
NOW = 1700000000000  # the clock of the reference


def parse(protocol, data, **options):
    """The signals, and what was said on standard error."""
    flags = [f"--{name}={value}" for name, value in options.items()]
    done = cli("parse", *flags, protocol, input=data)
    assert done.code in (0, 1), done
    return [json.loads(line) for line in done.out.splitlines()], done.err


def lines(values):
    return "".join(json.dumps(value) + "\n" for value in values)


# --- comparing ---------------------------------------------------------------


def holds(got, wanted):
    """Has it all that is wanted, and perhaps more?"""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(
            name in got and holds(got[name], value) for name, value in wanted.items())
    return got == wanted


def is_signal(got, wanted):
    """Ids and times that the reference made up are made up by us as well."""
    wanted = dict(wanted)
    if wanted["id"] in ("parse-0001", "tap-<uuid>"):
        assert got["id"], got
        del wanted["id"]
    if wanted["timestamp"] == NOW:
        assert got["timestamp"] > NOW, got
        del wanted["timestamp"]
    return holds(got, wanted)


def are_signals(got, wanted):
    return len(got) == len(wanted) and all(map(is_signal, got, wanted))


def vectors(group):
    path = VECTORS / "parsers.json"
    if not path.is_file():
        raise Skip("../shared/vectors/parsers.json is not here")
    return json.loads(path.read_text())[group]


def check_group(group, signals_of, wanted_of, exceptions):
    """exceptions: number of the vector -> (why it is one, what must hold instead)."""
    found = vectors(group)
    assert set(exceptions) <= set(range(len(found))), exceptions
    for n, vector in enumerate(found):
        got = signals_of(vector)
        passes = are_signals(got, wanted_of(vector))
        if n not in exceptions:
            assert passes, (group, n, vector, got)
            continue
        why, instead = exceptions[n]
        assert not passes, (group, n, "is no exception any more:", why)
        assert instead(got), (group, n, why, got)


def types(signals):
    return [signal["type"] for signal in signals]


def only(kind, **members):
    """One signal of this type with these members of its payload."""
    return lambda got: types(got) == [kind] and holds(got[0]["payload"], members)


def nothing(got):
    return got == []


# --- the reference's parsers -------------------------------------------------

WRONG_TYPE = "a member of the wrong kind is refused (DESIGN 3)"
KEPT = "types are kept (signals.md 0, row 4; DESIGN 3)"
ONE_END = "an answer ends in one completion, whatever the reason (DESIGN 12.2)"


@test("messages: parseMessage of parsers.json")
def _():
    check_group(
        "parseMessage",
        lambda v: parse("envelope", v["in"], source="unknown")[0],
        lambda v: [v["out"]["signal"]] if "signal" in v["out"] else [],
        {
            2: (WRONG_TYPE, nothing),
            3: (WRONG_TYPE, nothing),
            4: (KEPT, only("user.click", target="e")),
            5: (KEPT, only("my_custom", q=1)),
            10: ("a payload is an object (DESIGN 3)", only("event", value=[1, 2])),
        })


@test("messages: what is refused is told, and so are the emitter's own words")
def _():
    signals, said = parse("envelope", '{"type":"tool_call","id":7,"payload":null}')
    assert signals == [] and "id: a string is needed" in said, (signals, said)
    signals, said = parse("envelope", '{"meta":"scenarios","available":[]}')
    assert signals == [] and '{"meta":"scenarios","available":[]}' in said, (signals, said)


def answer(protocol, data, model, correlation):
    """A vector is one event in the middle of an answer.  That ours is then told to
    have broken off is not part of it."""
    signals, _ = parse(protocol, data, agent=model, source=model, correlation=correlation)
    ends = [s for s in signals if s["type"] in ("completion", "error")]
    assert len(ends) == 1 and signals[-1] is ends[0], signals
    return signals[:-1] if ends[0]["payload"].get("code") == "cut" else signals


@test("answers: parseOpenAIChunk of parsers.json")
def _():
    def signals_of(vector):
        model, correlation, count = vector["args"]
        before = 'data: {"choices":[{"delta":{"content":"."}}]}\n\n' * count
        data = before + f"data: {json.dumps(vector['in'])}\n\n"
        return answer("openai", data, model, correlation)[count:]

    check_group(
        "parseOpenAIChunk", signals_of, lambda v: v["out"]["signals"],
        {2: (ONE_END, only("completion", success=True))})


@test("answers: parseAnthropicEvent of parsers.json")
def _():
    check_group(
        "parseAnthropicEvent",
        lambda v: answer("anthropic", f"event: {v['event']}\ndata: {json.dumps(v['data'])}\n\n",
                         *v["args"]),
        lambda v: [v["out"]["signal"]] if v["out"] and "signal" in v["out"] else [],
        {7: (ONE_END, only("completion", success=True))})


@test("gateways: parseOpenClawEvent of parsers.json")
def _():
    check_group(
        "parseOpenClawEvent",
        lambda v: parse("openclaw", lines([v["in"]]))[0],
        lambda v: [v["out"]] if v["out"] else [], {})


@test("devices: parseMIDIMessage of parsers.json")
def _():
    aftertouch = "aftertouch is parsed (the issue)"
    check_group(
        "parseMIDIMessage",
        lambda v: parse("midi", bytes(v["in"]), source=v["device"])[0],
        lambda v: [v["out"]] if v["out"] else [],
        {
            6: (aftertouch, only("midi.aftertouch", channel=1, note=60, pressure=1,
                                 raw=[160, 60, 1])),
            7: (aftertouch, only("midi.aftertouch", channel=1, pressure=5, raw=[208, 5])),
        })


@test("hooks: mapHookToSignal of parsers.json")
def _():
    subagent = "inside a subagent the agent is its type (DESIGN 12.7)"

    def failed(got):
        return (types(got) == ["tool_result", "error"]
                and holds(got[0]["payload"], {"success": False, "callId": "tu"})
                and holds(got[1]["payload"], {"message": "E", "severity": "error",
                                              "code": "Bash", "agentId": "Explore"}))

    check_group(
        "mapHookToSignal",
        lambda v: parse("claude-hook", lines([v["in"]]))[0],
        lambda v: [v["out"]],
        {
            0: (subagent, only("tool_call", agentId="Explore", callId="tu", input={"c": 1})),
            1: (subagent, only("tool_result", agentId="Explore", output={"response": "out"})),
            2: ("a failed tool has a result, then the error (DESIGN 12.7)", failed),
            5: (subagent, only("agent_state_change", agentId="Explore", to="done")),
            6: (subagent, only("agent_state_change", agentId="Explore", to="thinking")),
        })


@test("posts: normalizeHttpPost of parsers.json")
def _():
    with Box() as box:
        def post(vector):
            before = len(box.history())
            answer = box.request("POST", "/api/signal", vector["in"])
            after = box.history()[before:]
            assert (answer.status == 200) == (len(after) == 1), (answer, after)
            assert answer.status == 200 or answer.json()["error"], answer
            return [dict(s, source=s["source"].removeprefix("local/")) for s in after]

        check_group("normalizeHttpPost", post, lambda v: [v["out"]],
                    {1: (WRONG_TYPE, nothing), 2: (WRONG_TYPE, nothing)})


# --- gateways ----------------------------------------------------------------


def sessions(name):
    """Label -> the frames that came in, of one recording."""
    path = VECTORS / "gateway" / name
    if not path.is_file():
        raise Skip(f"../shared/vectors/gateway/{name} is not here")
    found = {}
    for line in path.read_text().splitlines():
        record = json.loads(line)
        if record["dir"] == "in":
            found.setdefault(record["label"], []).append(record["frame"])
    return found


def fixture(name):
    return [json.loads(line) for line in (FIXTURES / name).read_text().splitlines()]


def last_text(frames, run):
    """What the run's last chat event says that it has said."""
    said = [f["payload"]["message"] for f in frames
            if f.get("event") == "chat" and f["payload"].get("runId") == run
            and f["payload"]["state"] in ("final", "aborted") and "message" in f["payload"]]
    return "".join(part["text"] for part in said[-1]["content"]) if said else ""


FLEETING = {"ts", "age", "text", "reason", "recent", "sessions", "probe", "eventLoop", "lastInputSeconds"}


def lasting(value):
    """What is left of a state without clocks, ages and loads."""
    if isinstance(value, list):
        return [lasting(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {name: lasting(one) for name, one in value.items()
            if name not in FLEETING and not name.endswith(("Ms", "At", "Ago"))}


def fresh_states(frames):
    """How many presence and health events are newer than what was known, and say something new."""
    known, said, fresh = {"presence": 0, "health": 0}, {}, 0
    for frame in frames:
        snapshot = frame.get("payload", {}).get("snapshot")
        if snapshot:
            known = dict(snapshot["stateVersion"])
            said = {name: lasting(snapshot.get(name)) for name in known}
        event = frame.get("event")
        if event in known and frame["stateVersion"][event] > known[event]:
            known[event] = frame["stateVersion"][event]
            state = lasting(frame["payload"].get("presence", frame["payload"]))
            fresh += state != said.get(event)
            said[event] = state
    return fresh


def check_runs(frames):
    signals, said = parse("openclaw", lines(frames))
    assert said == "", said
    told = [f for f in frames if f.get("type") == "event" and f["event"] not in ("connect.challenge", "tick")]
    assert len(signals) >= len(told), "each gives one at least"
    signals = [s for s in signals if s["type"] != "gateway.frame"]
    runs = {f["payload"]["runId"] for f in frames
            if f.get("event") in ("agent", "chat") and "runId" in f["payload"]}
    for run_id in runs:
        mine = [s for s in signals if s.get("correlationId") == run_id]
        ends = [s for s in mine if s["type"] in ("completion", "error")]
        assert len(ends) == 1, (run_id, types(mine))
        assert all(s["payload"].get("agentId") for s in mine if s["type"] != "event"), mine
    shown = [s["payload"]["eventCategory"] for s in signals
             if s["type"] == "event" and "eventCategory" in s["payload"]]
    states = [c for c in shown if c in ("presence", "health")]
    assert len(states) == fresh_states(frames), (states, fresh_states(frames))
    assert not {"connect.challenge", "assistant"} & set(shown), shown
    return signals, runs


def check_recording(name):
    all_runs = {}
    for label, frames in sessions(name).items():
        signals, runs = check_runs(frames)
        if not runs:
            assert {s["type"] for s in signals} <= {"event"}, (label, types(signals))
        for run_id in runs:
            mine = [s for s in signals if s.get("correlationId") == run_id]
            text = "".join(s["payload"]["content"] for s in mine if s["type"] == "text_delta")
            assert text == last_text(frames, run_id) != "", (label, text)
            assert "replace" not in json.dumps(mine), label
            all_runs[run_id] = mine
    return all_runs


@test("gateways: a recording of protocol 3: every run whole, said once, ended once")
def _():
    runs = check_recording("v3-frames.jsonl")
    assert set(runs) == {"feb-1", "feb-tool-1"}, set(runs)
    for mine in runs.values():
        assert mine[0]["payload"]["to"] == "acting", mine[0]
        assert mine[-1]["type"] == "completion" and mine[-1]["payload"]["success"], mine[-1]


@test("gateways: a recording of protocol 4, with an abort that is told three times")
def _():
    runs = check_recording("v4-frames.jsonl")
    assert set(runs) == {"m-warm", "m-ab-1"}, set(runs)
    warm, aborted = runs["m-warm"], runs["m-ab-1"]
    assert warm[-1]["payload"]["success"] is True, warm[-1]
    usage = [s["payload"] for s in warm if s["type"] == "token_usage"]
    assert len(usage) == 1 and usage[0]["completionTokens"] == 22, usage
    assert usage[0]["model"] == "fake-1", usage
    status = ["preparing_workspace", "preparing_context", "starting_model"]
    events = [s["payload"] for s in warm if s["type"] == "event"]
    assert [e["phase"] for e in events if e["eventCategory"] == "chat"] == status, events
    assert {e["data"]["phase"] for e in events if e["eventCategory"] == "agent"} == {
        *status, "model", "finishing"}, events
    assert all(s["metadata"]["origin"]["protocol"] == 4 for s in warm), warm
    frames = [s["metadata"]["origin"]["frame"] for s in warm if s["type"] == "text_delta"]
    assert all("itemId" in f["payload"]["data"] and "text" not in f["payload"]["data"]
               for f in frames if f["event"] == "agent"), frames
    assert all("deltaText" not in f["payload"] and "text" not in f["payload"]["message"]["content"][0]
               for f in frames if f["event"] == "chat"), frames
    assert holds(aborted[-1], {"type": "completion", "payload": {"success": False},
                               "metadata": {"stopReason": "rpc"}}), aborted[-1]


@test("gateways: our own frames of both protocols")
def _():
    signals, runs = check_runs(fixture("openclaw/v3.jsonl"))
    assert runs == {"r1"}
    assert [s["type"] for s in signals if s.get("correlationId") == "r1"] == [
        "agent_state_change", "tool_call", "event", "tool_result", "text_delta", "text_delta",
        "text_delta", "completion", "token_usage"], types(signals)
    metas = [s["payload"]["_meta"] for s in signals if "_meta" in s["payload"]]
    assert metas == [{"heartbeat": True}, {"cron": True, "cronJobId": "job-7"}, {"tick": True}]
    signals, runs = check_runs(fixture("openclaw/v4.jsonl"))
    assert runs == {"r2", "r3", "r4"}
    ends = {s["correlationId"]: s["payload"] for s in signals
            if s["type"] in ("completion", "error")}
    assert ends["r2"]["success"] is False and ends["r3"]["success"] is True, ends
    assert ends["r4"]["code"] == "rate_limit", ends
    states = [(s["payload"]["from"], s["payload"]["to"]) for s in signals
              if s["type"] == "agent_state_change"]
    assert states[1:3] == [("acting", "waiting"), ("waiting", "acting")], states


# --- Claude Code ---------------------------------------------------------------


def check_session(hooks):
    """Every hook of a session, against the table of the facts, in order."""
    signals, said = parse("claude-hook", lines(hooks))
    assert said == "", said
    assert {s["source"] for s in signals} == {"adapter:tap"}
    assert {s["correlationId"] for s in signals} == {hooks[0]["session_id"]}
    for hook in hooks:
        name = hook["hook_event_name"]
        if name == "MessageDisplay" and not hook["delta"]:
            continue
        mine = [signals.pop(0)]
        if name == "PostToolUseFailure":
            mine.append(signals.pop(0))
        if name == "PostToolUse" and hook["tool_name"] in ("TodoWrite", "Edit", "Write"):
            check_work(hook, signals.pop(0))
        assert all(s["metadata"]["hook"] == name for s in mine), (name, mine)
        for member in ("prompt_id", "agent_id", "tool_use_id", "cwd", "permission_mode", "transcript_path", "effort"):
            assert all(s["metadata"].get(member) == hook.get(member) for s in mine), mine
        check_hook(hook, mine)
    assert signals == [], signals


def check_work(hook, signal):
    payload = signal["payload"]
    if hook["tool_name"] == "TodoWrite":
        todos = hook["tool_input"]["todos"]
        assert signal["type"] == "agent.plan" and payload["whole"] is True, signal
        assert [(i["text"], i["status"]) for i in payload["items"]] == [
            (t["content"], t["status"]) for t in todos], signal
        return
    result = hook["tool_response"]
    signs = [line[0] for hunk in result["structuredPatch"] for line in hunk["lines"]]
    new = result.get("type") == "create"
    assert signal["type"] == "agent.change" and holds(payload, {
        "path": result["filePath"], "kind": "create" if new else "update",
        "added": len(result["content"].splitlines()) if new else signs.count("+"),
        "removed": signs.count("-"), "callId": hook["tool_use_id"]}), signal


def check_hook(hook, mine):
    name, first = hook["hook_event_name"], mine[0]
    payload = first["payload"]
    agent = hook["agent_type"] if "agent_id" in hook else "claude"
    if name == "UserPromptSubmit":
        synthetic = "<task-notification>" in hook["prompt"] or hook.get("source")
        assert first["type"] == ("event" if synthetic else "task_dispatch"), first
        assert synthetic or holds(payload, {
            "from": "user", "to": "claude", "description": hook["prompt"]}), first
    elif name == "MessageDisplay":
        assert only("text_delta", agentId=agent, content=hook["delta"])(mine), mine
    elif name == "PreToolUse":
        assert only("tool_call", agentId=agent, toolName=hook["tool_name"],
                    callId=hook["tool_use_id"], input=hook["tool_input"])(mine), mine
    elif name == "PostToolUse":
        assert only("tool_result", agentId=agent, success=True,
                    output={"response": hook["tool_response"]})(mine), mine
    elif name == "PostToolUseFailure":
        assert types(mine) == ["tool_result", "error"], mine
        assert payload["success"] is False and mine[1]["payload"]["message"] == hook["error"]
    elif name == "SubagentStart":
        assert only("task_dispatch", taskId=hook["agent_id"], to=hook["agent_type"])(mine), mine
    elif name == "SubagentStop" and hook["agent_type"] == "":
        assert first["type"] == "event" and payload == hook, first  # compaction
    elif name == "SubagentStop":
        assert only("completion", taskId=hook["agent_id"], success=True)(mine), mine
    elif name in ("SessionStart", "SessionEnd", "Stop"):
        to = {"SessionStart": "thinking", "SessionEnd": "idle", "Stop": "done"}[name]
        assert only("agent_state_change", agentId="claude", to=to)(mine), mine
    elif name in ("PermissionRequest", "Elicitation") or (
            name == "Notification" and hook["notification_type"] != "auth_success"):
        assert only("agent_state_change", to="waiting")(mine), mine
    elif name == "StopFailure":
        assert only("error", code=hook["error"], message=hook["error_details"])(mine), mine
    else:
        known = name != "NeverHeardOf"
        assert first["type"] == (name if known else "event") and payload == hook, first


@test("hooks: a recorded session of Claude Code")
def _():
    path = VECTORS / "claude-hooks" / "command-hooks.jsonl"
    if not path.is_file():
        raise Skip("../shared/vectors/claude-hooks is not here")
    check_session([json.loads(line) for line in path.read_text().splitlines()])


@test("hooks: every event of the table, in a session of our own")
def _():
    hooks = fixture("claude/hooks.jsonl")
    assert len({h["hook_event_name"] for h in hooks}) == 33 + 1, "33, and one that is unknown"
    check_session(hooks)


def without_path(tool_input):
    """Whoever published the recording made its path another in the whole input than in
    the fragments."""
    return {name: value for name, value in tool_input.items() if name != "file_path"}


@test("hooks: the same session as `claude -p --output-format stream-json` prints it")
def _():
    path = VECTORS / "claude-hooks" / "stream-json.jsonl"
    if not path.is_file():
        raise Skip("../shared/vectors/claude-hooks is not here")
    frames = [json.loads(line) for line in path.read_text().splitlines()]
    signals, said = parse("claude-stream", path.read_text())
    assert said == "", said
    ends = [s for s in signals if s["type"] in ("completion", "error")]
    assert len(ends) == 1 and ends[0] is signals[-1] and ends[0]["payload"]["success"], ends
    said = {True: "", False: ""}  # by subagents, and by claude
    calls = []
    for frame in frames:
        if frame["type"] != "assistant":
            continue
        for block in frame["message"]["content"]:
            if block["type"] == "text":
                said[frame["parent_tool_use_id"] is not None] += block["text"]
            elif block["type"] == "tool_use":
                calls.append((block["id"], block["name"], without_path(block["input"])))
    for is_sub, text in said.items():
        given = "".join(s["payload"]["content"] for s in signals if s["type"] == "text_delta"
                        and (s["payload"]["agentId"] != "claude") == is_sub)
        assert given == text != "", (given, text)
    given = [(p["callId"], p["toolName"], without_path(p["input"]))
             for p in (s["payload"] for s in signals if s["type"] == "tool_call")]
    assert given == calls != [], (given, calls)


run()
