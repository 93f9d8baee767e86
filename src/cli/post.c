/* post.c - one request at a time on a socket that never blocks. */
#include "cli/post.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/must.h"
#include "net/peer.h"

#define REQUEST_MAX (32 * MIB)
#define ANSWER_MAX (1 * MIB)
#define PIECE (16 * KIB)

struct post {
	char *sock;
	int fd;
	enum post_state state;
	struct buf out, in;
	size_t sent;
	unsigned status, beats;
	size_t body; /* where the answer's body begins; 0: its head is not whole */
	size_t body_len;
};

struct post *post_create(const char *data)
{
	struct post *post = must_zero(1, sizeof(*post));

	post->fd = -1;
	post->sock = must_print("%s/sock", data);
	buf_init(&post->out, REQUEST_MAX);
	buf_init(&post->in, ANSWER_MAX);
	return post;
}

static void hang_up(struct post *post)
{
	if (post->fd >= 0)
		close(post->fd);
	post->fd = -1;
}

void post_destroy(struct post *post)
{
	if (!post)
		return;
	hang_up(post);
	buf_finish(&post->out);
	buf_finish(&post->in);
	free(post->sock);
	free(post);
}

static enum post_state end(struct post *post, enum post_state state)
{
	hang_up(post);
	post->state = state;
	return state;
}

/* ---- sending ---- */

static bool connect_now(struct post *post)
{
	post->fd = peer_connect(post->sock, SOCK_STREAM | SOCK_NONBLOCK, NULL);
	return post->fd >= 0;
}

enum post_state post_start(struct post *post, const char *path, const char *type, struct text body)
{
	if (post->state == POST_UNDER_WAY)
		hang_up(post); /* the answer on it is another's */
	buf_clear(&post->out);
	buf_clear(&post->in);
	post->sent = post->body = post->status = post->beats = 0;
	buf_print(&post->out,
	          "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\n"
	          "Content-Length: %zu\r\n\r\n",
	          path, type, body.len);
	if (!buf_add(&post->out, body))
		return end(post, POST_LOST);
	if (post->fd < 0 && !connect_now(post))
		return end(post,
		           errno == ENOENT || errno == ECONNREFUSED ? POST_NOBODY : POST_LOST);
	post->state = POST_UNDER_WAY;
	return post_step(post);
}

static bool send_some(struct post *post)
{
	while (post->sent < post->out.len) {
		ssize_t n = send(post->fd, post->out.at + post->sent, post->out.len - post->sent,
		                 MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		post->sent += (size_t)n;
	}
	return true;
}

/* ---- receiving ---- */

/* The value of a header line of ours; empty when there is none. */
static struct text field(struct text head, const char *name)
{
	while (head.len) {
		struct text value, line = text_cut(head, '\n', &head);
		struct text key = text_cut(line, ':', &value);

		if (text_equal_nocase(key, text_of(name)))
			return text_trim(value);
	}
	return (struct text){NULL, 0};
}

/* A word of the box that the answer is still coming: nothing of it is kept. */
static bool is_beat(struct post *post)
{
	const char *end_of_head = memmem(post->in.at, post->in.len, "\r\n\r\n", 4);

	if (!end_of_head || !text_starts(buf_text(&post->in), TEXT("HTTP/1.1 1")))
		return false;
	buf_drop(&post->in, (size_t)(end_of_head + 4 - post->in.at));
	post->beats++;
	return true;
}

static bool read_head(struct post *post)
{
	const char *end_of_head = memmem(post->in.at, post->in.len, "\r\n\r\n", 4);
	struct text head = {post->in.at, 0}, words, rest;
	uint64_t status, len;

	if (!end_of_head)
		return true;
	head.len = (size_t)(end_of_head - post->in.at);
	text_cut(text_cut(head, '\r', &rest), ' ', &words);
	if (!text_to_u64(text_cut(words, ' ', &rest), &status) || status < 100 || status > 599 ||
	    !text_to_u64(field(head, "Content-Length"), &len) || len > ANSWER_MAX)
		return false;
	post->status = (unsigned)status;
	post->body = head.len + 4;
	post->body_len = len;
	return true;
}

static bool is_whole(const struct post *post)
{
	return post->body && post->in.len >= post->body + post->body_len;
}

/* False: the line is of no more use. */
static bool receive_some(struct post *post)
{
	while (!is_whole(post)) {
		char *to = buf_reserve(&post->in, PIECE);
		ssize_t n = to ? recv(post->fd, to, PIECE, 0) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN;
		if (n == 0)
			return false;
		post->in.len += (size_t)n;
		while (!post->body && is_beat(post))
			;
		if (!post->body && !read_head(post))
			return false;
	}
	return true;
}

enum post_state post_step(struct post *post)
{
	if (post->state != POST_UNDER_WAY)
		return post->state;
	/* What was refused before all of it was sent has an answer all the same. */
	if (!send_some(post) && errno != EPIPE)
		return end(post, POST_LOST);
	if (!receive_some(post))
		return end(post, POST_LOST);
	if (!is_whole(post))
		return POST_UNDER_WAY;
	if (post->sent < post->out.len ||
	    text_equal_nocase(field((struct text){post->in.at, post->body}, "Connection"),
	                      TEXT("close")))
		return end(post, POST_ANSWERED);
	post->state = POST_ANSWERED;
	return post->state;
}

enum post_state post_give_up(struct post *post)
{
	return end(post, POST_LOST);
}

struct pollfd post_poll(const struct post *post)
{
	struct pollfd wait = {.fd = -1};

	if (post->state == POST_UNDER_WAY) {
		wait.fd = post->fd;
		wait.events = POLLIN | (post->sent < post->out.len ? POLLOUT : 0);
	}
	return wait;
}

unsigned post_beats(const struct post *post)
{
	return post->beats;
}

size_t post_sent(const struct post *post)
{
	return post->sent;
}

unsigned post_status(const struct post *post)
{
	return post->status;
}

struct text post_answer(const struct post *post)
{
	return (struct text){post->in.at + post->body, post->body_len};
}
