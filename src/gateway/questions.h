/* questions.h - prompts that take a text or a choice, as questions: operator.questions.
 *
 * A gateway's question has at most four options, each with a name of its own.  Where there are
 * more, or two have the same name, they are numbered in the words, and a number or a name is
 * the answer.
 */
#ifndef GATEWAY_QUESTIONS_H
#define GATEWAY_QUESTIONS_H

struct gateway;
struct gateway_call;
struct prompt;

void gateway_tell_question(struct gateway *g, const struct prompt *prompt);

void gateway_question_list(const struct gateway_call *call);
void gateway_question_get(const struct gateway_call *call);
void gateway_question_resolve(const struct gateway_call *call);

#endif
