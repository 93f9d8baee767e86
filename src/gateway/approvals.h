/* approvals.h - prompts that a yes or a no decides, as approvals of commands (`exec`) and of
 * anything else (`plugin`).  Protocol 3 has commands alone.
 */
#ifndef GATEWAY_APPROVALS_H
#define GATEWAY_APPROVALS_H

#include "base/error.h"
#include "base/text.h"

struct gateway;
struct gateway_call;
struct prompt;

void gateway_tell_approval(struct gateway *g, const struct prompt *prompt);

/* Decides as exec.approval.resolve and plugin.approval.resolve do, but answers nothing; false: why
 * has the words of their refusal.  prompt: NULL, if there is none. */
bool gateway_approve(const struct gateway_call *call, const struct prompt *prompt,
                     struct text decision, struct error *why);

void gateway_exec_list(const struct gateway_call *call);
void gateway_exec_get(const struct gateway_call *call);
void gateway_exec_resolve(const struct gateway_call *call);
void gateway_plugin_list(const struct gateway_call *call);
void gateway_plugin_resolve(const struct gateway_call *call);
void gateway_approval_get(const struct gateway_call *call);
void gateway_approval_resolve(const struct gateway_call *call);

#endif
