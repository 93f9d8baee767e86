/* curl.h - libcurl, which is loaded when it is first used and not linked.
 *
 * It brings thirty libraries of its own, and whoever links it waits 6 ms for them at each
 * start.  `signalbox hook` starts with every tool of an agent and needs none of them.  Calls
 * look as they always do.
 */
#ifndef NET_CURL_H
#define NET_CURL_H

#define CURL_DISABLE_TYPECHECK /* its macros are those that are replaced below */
#include <curl/curl.h>

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define CURL_CALLS(CALL) \
	CALL(easy_cleanup) \
	CALL(easy_getinfo) \
	CALL(easy_init) \
	CALL(easy_pause) \
	CALL(easy_perform) \
	CALL(easy_reset) \
	CALL(easy_setopt) \
	CALL(easy_strerror) \
	CALL(free) \
	CALL(getdate) \
	CALL(global_cleanup) \
	CALL(global_init) \
	CALL(multi_add_handle) \
	CALL(multi_assign) \
	CALL(multi_cleanup) \
	CALL(multi_info_read) \
	CALL(multi_init) \
	CALL(multi_remove_handle) \
	CALL(multi_setopt) \
	CALL(multi_socket_action) \
	CALL(slist_append) \
	CALL(slist_free_all) \
	CALL(url) \
	CALL(url_cleanup) \
	CALL(url_get) \
	CALL(url_set) \
	CALL(version_info)

struct curl_calls {
#define MEMBER(name) __typeof__(&curl_##name) name;
	CURL_CALLS(MEMBER)
#undef MEMBER
};

/* Without it the program ends, and says so: it is a package that ours depends on. */
const struct curl_calls *curl_calls(void);

#define curl_easy_cleanup curl_calls()->easy_cleanup
#define curl_easy_getinfo curl_calls()->easy_getinfo
#define curl_easy_init curl_calls()->easy_init
#define curl_easy_pause curl_calls()->easy_pause
#define curl_easy_perform curl_calls()->easy_perform
#define curl_easy_reset curl_calls()->easy_reset
#define curl_easy_setopt curl_calls()->easy_setopt
#define curl_easy_strerror curl_calls()->easy_strerror
#define curl_free curl_calls()->free
#define curl_getdate curl_calls()->getdate
#define curl_global_cleanup curl_calls()->global_cleanup
#define curl_global_init curl_calls()->global_init
#define curl_multi_add_handle curl_calls()->multi_add_handle
#define curl_multi_assign curl_calls()->multi_assign
#define curl_multi_cleanup curl_calls()->multi_cleanup
#define curl_multi_info_read curl_calls()->multi_info_read
#define curl_multi_init curl_calls()->multi_init
#define curl_multi_remove_handle curl_calls()->multi_remove_handle
#define curl_multi_setopt curl_calls()->multi_setopt
#define curl_multi_socket_action curl_calls()->multi_socket_action
#define curl_slist_append curl_calls()->slist_append
#define curl_slist_free_all curl_calls()->slist_free_all
#define curl_url curl_calls()->url
#define curl_url_cleanup curl_calls()->url_cleanup
#define curl_url_get curl_calls()->url_get
#define curl_url_set curl_calls()->url_set
#define curl_version_info curl_calls()->version_info

#endif
