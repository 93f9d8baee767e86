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
	struct slack_chat *chat;
	struct link in_chat;
	enum slack_method method;
	enum channel_act act;
	bool is_quiet; /* nobody waits for it */
	bool is_plain;
	char *delivery, *peer, *thread, *message, *text, *actions, *stale, *cursor;
	unsigned piece, tries, pages;
	double since_ms;
	int64_t due_ms; /* of one that goes again; 0: it is under way */
	struct request *request;
	struct request_head head;
	struct buf body;
};

const char *slack_method_name(enum slack_method method);
void slack_put_call(const struct slack_call *c, struct buf *form);

#endif
