/* api.h - the functions of the routes, a block for each api_*.c; routes.c says which is
 * whose. */
#ifndef WEB_API_H
#define WEB_API_H

#include <stdbool.h>

#include "base/error.h"
#include "base/text.h"

struct call;
struct web;

void api_emit(struct call *call);
bool api_emit_turn(struct web *web);
void api_history(struct call *call);
bool api_history_turn(struct web *web); /* true: there is more to search */

void api_health(struct call *call);
void api_ready(struct call *call);
void api_status(struct call *call);
void api_version(struct call *call);
void api_openapi(struct call *call);

void api_voice(struct call *call);
void api_voice_check(struct call *call);

void api_metrics(struct call *call);
void api_stage(struct call *call);

void api_ask(struct call *call);
void api_cancel(struct call *call);
void api_send(struct call *call);

void api_message_post(struct call *call);
void api_press(struct call *call);
void api_message(struct call *call);
void api_deliveries(struct call *call);
void api_people(struct call *call);
void api_people_approve(struct call *call);
void api_people_remove(struct call *call);
void api_delivery_retry(struct call *call);
void api_channels(struct call *call);
void api_channel_check(struct call *call);

void api_crew(struct call *call);
void api_crew_member(struct call *call);
void api_crew_title(struct call *call);
/* For http_query_each: a `limit` from 1 and nothing else; self is a uint64_t. */
bool web_read_limit(void *self, struct text name, struct text value, struct error *why);
void api_runs(struct call *call);
void api_run(struct call *call);
void api_run_messages(struct call *call);
void api_run_transcript(struct call *call);
bool api_runs_turn(struct web *web); /* true: there is more to tell */

void api_usage(struct call *call);
void api_usage_tools(struct call *call);
void api_usage_known(struct call *call);

void api_prompts(struct call *call);
void api_prompt_input(struct call *call);
void api_prompt_answer(struct call *call);
void api_control(struct call *call);

void api_sources(struct call *call);
void api_source_recognise(struct call *call);
void api_source_add(struct call *call);
void api_source_change(struct call *call);
void api_source_remove(struct call *call);
void api_source_connect(struct call *call);
void api_source_disconnect(struct call *call);

void api_discover(struct call *call);
void api_rescan(struct call *call);
void api_openclaw_token(struct call *call);

void api_hook(struct call *call);
void api_decide(struct call *call);
void api_tap_connect(struct call *call);
void api_tap_disconnect(struct call *call);
void api_tap_status(struct call *call);

void api_show(struct call *call);
void api_show_list(struct call *call);
void api_show_item(struct call *call);
void api_show_put(struct call *call);
void api_show_add(struct call *call);
void api_show_replace(struct call *call);
void api_show_remove(struct call *call);
void api_show_start(struct call *call);
void api_show_stop(struct call *call);
void api_show_end(struct web *web); /* what is under way is nobody's any more */

void api_devices(struct call *call);
void api_device_pair(struct call *call);
void api_device_revoke(struct call *call);
void api_device_approve(struct call *call);
void api_device_reject(struct call *call);
void api_session_end(struct call *call);
void api_certificate(struct call *call);
void api_transcripts(struct call *call);
void api_transcripts_set(struct call *call);
void api_push(struct call *call);
void api_push_begin(struct call *call);
void api_push_end(struct call *call);

void api_session(struct call *call);
void api_ticket(struct call *call);
void api_code(struct call *call);
void api_reload(struct call *call);

#endif
