/* slack_call.h - one call of a method of Slack, and what it asks. */
#ifndef DELIVER_SLACK_CALL_H
#define DELIVER_SLACK_CALL_H

#include "deliver/slack/slack_inside.h"

enum slack_method {
	SLACK_POST,
	SLACK_UPDATE,
	SLACK_DELETE,
	SLACK_HISTORY,
	SLACK_REPLIES,
	SLACK_STATUS,
	SLACK_HOOK, /* an address of Slack's own, with JSON */
};

struct slack_call {
	struct channel_errand call;
	struct slack_chat *chat;
	enum slack_method method;
	bool is_plain;
	char *peer, *thread, *message, *text, *actions, *stale, *cursor;
	unsigned pages;
	double since_ms;
};

const char *slack_method_name(enum slack_method method);
void slack_put_call(const struct slack_call *c, struct buf *form);

#endif
