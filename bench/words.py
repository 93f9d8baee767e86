"""What people and models write, in several languages: for rows whose cost depends on the text.

Letters of more than one byte, quotes, line ends and tabs come as often as they do in prose and
code, and JSON writes them as its usual writers do: UTF-8 as it is, and escapes where it must."""

import json

PROSE = [
    "The signal box stands where two lines meet, and whoever works there says \"clear\" before a train moves.",
    "def answer(question):\n\treturn {\"text\": question.strip(), \"ok\": True}\n\n# it is tried below\n",
    "Größere Änderungen prüfen wir zuerst; „fertig“ heißt, dass auch die Übersetzung überall stimmt.",
    "Le résumé a été vérifié : l'élève a déjà terminé, et tout ça coûte à peine 30 € en été.",
    "¿Cuánto tardó la señal? Según el informe, llegó después de la medianoche y nadie la oyó.",
    "Сигнал приходит в журнал, и только потом его видят экраны: ничего не теряется.",
    "信号は順番に記録され、画面へ送られます。失われるものは何もありません。",
    "每个信号都会先写入日志，然后发送到所有屏幕，不会丢失任何内容。",
    "الإشارة تُكتب أولاً في السجل ثم تُرسل إلى كل الشاشات.",
    "| step | state |\n| --- | --- |\n| build | done ✅ |\n| tests | running 🚆 \"soon\" |\n",
]


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pieces(count, length):
    """So many pieces of text, each of about that many characters."""
    for n in range(count):
        text = PROSE[n % len(PROSE)]
        start = n * 7 % len(text)
        yield (text[start:] + " " + text * (length // len(text) + 1))[:length]


def envelopes(count):
    """A signal a line, most of it text."""
    return "".join(dump({
        "id": f"5f0c2b1e-77aa-4c1d-9e3b-{n * 7919:012}", "type": "text_delta",
        "timestamp": 1767225600 + n, "source": "openai", "correlationId": f"run-{n % 97:05}",
        "payload": {"agentId": "writer", "content": text, "contentType": "markdown", "index": 7},
    }) + "\n" for n, text in enumerate(pieces(count, 100)))


def anthropic(count):
    """The stream of one message with so many deltas of a token or two."""
    def event(name, **members):
        return f"event: {name}\ndata: {dump({'type': name, **members})}\n\n"

    usage = {"input_tokens": 25, "output_tokens": 1}
    return "".join([
        event("message_start", message={
            "id": "msg_01", "type": "message", "role": "assistant", "model": "claude-bench-1",
            "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}),
        event("content_block_start", index=0, content_block={"type": "text", "text": ""}),
        *(event("content_block_delta", index=0, delta={"type": "text_delta", "text": text})
          for text in pieces(count, 6)),
        event("content_block_stop", index=0),
        event("message_delta", delta={"stop_reason": "end_turn", "stop_sequence": None},
              usage={"output_tokens": count}),
        event("message_stop"),
    ])
