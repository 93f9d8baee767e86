/* scripts.c - what the demo plays.  Times are milliseconds since the beat before;
 * each script takes about ten seconds.  What an agent says or thinks comes in pieces, one after
 * the other, so a piece that is gone on from ends with its space. */
#include <stddef.h>

#include "source/stream/scenario.h"

static const struct beat simple_task[] = {
	{300, "task_dispatch",
         "{\"taskId\":\"fix-login\",\"from\":\"you\",\"to\":\"ada\","
         "\"description\":\"Fix the login redirect\"}"},
	{300, "agent_state_change",
         "{\"agentId\":\"ada\",\"from\":\"idle\",\"to\":\"thinking\",\"reason\":\"new task\"}"},
	{700, "thinking",
         "{\"agentId\":\"ada\",\"content\":\"The redirect drops the query string. Look at the "
         "route first. \"}"},
	{900, "agent_state_change",
         "{\"agentId\":\"ada\",\"from\":\"thinking\",\"to\":\"acting\"}"},
	{200, "tool_call",
         "{\"toolName\":\"read_file\",\"agentId\":\"ada\",\"callId\":\"c1\","
         "\"input\":{\"path\":\"src/login.ts\"}}"},
	{800, "tool_result",
         "{\"toolName\":\"read_file\",\"agentId\":\"ada\",\"callId\":\"c1\",\"success\":true,"
         "\"output\":{\"lines\":84}}"},
	{500, "thinking",
         "{\"agentId\":\"ada\",\"content\":\"Found it: line 41 rebuilds the URL. \"}"},
	{600, "tool_call",
         "{\"toolName\":\"edit_file\",\"agentId\":\"ada\",\"callId\":\"c2\","
         "\"input\":{\"path\":\"src/login.ts\",\"line\":41}}"},
	{700, "tool_result",
         "{\"toolName\":\"edit_file\",\"agentId\":\"ada\",\"callId\":\"c2\",\"success\":true,"
         "\"output\":{\"changed\":1}}"},
	{400, "tool_call",
         "{\"toolName\":\"run_tests\",\"agentId\":\"ada\",\"callId\":\"c3\",\"input\":{}}"},
	{1500, "tool_result",
         "{\"toolName\":\"run_tests\",\"agentId\":\"ada\",\"callId\":\"c3\",\"success\":true,"
         "\"output\":{\"passed\":212,\"failed\":0}}"},
	{400, "text_delta", "{\"agentId\":\"ada\",\"content\":\"The redirect \",\"index\":0}"},
	{200, "text_delta", "{\"agentId\":\"ada\",\"content\":\"keeps its query \",\"index\":1}"},
	{200, "text_delta", "{\"agentId\":\"ada\",\"content\":\"string now.\",\"index\":2}"},
	{300, "token_usage",
         "{\"agentId\":\"ada\",\"promptTokens\":1840,\"completionTokens\":212,\"model\":\"demo\","
         "\"cost\":0.0091}"},
	{200, "agent_state_change", "{\"agentId\":\"ada\",\"from\":\"acting\",\"to\":\"done\"}"},
	{200, "completion",
         "{\"taskId\":\"fix-login\",\"success\":true,\"agentId\":\"ada\","
         "\"result\":\"One line changed, 212 tests pass\"}"},
	{0, NULL, NULL},
};

static const struct beat recovery[] = {
	{300, "task_dispatch",
         "{\"taskId\":\"deploy-docs\",\"from\":\"you\",\"to\":\"bela\","
         "\"description\":\"Publish the documentation\"}"},
	{300, "agent_state_change", "{\"agentId\":\"bela\",\"from\":\"idle\",\"to\":\"acting\"}"},
	{300, "tool_call",
         "{\"toolName\":\"build_docs\",\"agentId\":\"bela\",\"callId\":\"d1\",\"input\":{}}"},
	{1200, "tool_result",
         "{\"toolName\":\"build_docs\",\"agentId\":\"bela\",\"callId\":\"d1\",\"success\":false,"
         "\"output\":{\"exit\":2}}"},
	{200, "error",
         "{\"message\":\"broken link in guide/install.md\",\"severity\":\"error\","
         "\"agentId\":\"bela\",\"code\":\"LINK\"}"},
	{300, "agent_state_change",
         "{\"agentId\":\"bela\",\"from\":\"acting\",\"to\":\"error\",\"reason\":\"build failed\"}"},
	{900, "agent_state_change",
         "{\"agentId\":\"bela\",\"from\":\"error\",\"to\":\"thinking\"}"},
	{500, "thinking",
         "{\"agentId\":\"bela\",\"content\":\"The page was renamed. Point the link at the new "
         "name and build again. \"}"},
	{800, "tool_call",
         "{\"toolName\":\"edit_file\",\"agentId\":\"bela\",\"callId\":\"d2\","
         "\"input\":{\"path\":\"guide/install.md\"}}"},
	{600, "tool_result",
         "{\"toolName\":\"edit_file\",\"agentId\":\"bela\",\"callId\":\"d2\",\"success\":true}"},
	{300, "agent_state_change",
         "{\"agentId\":\"bela\",\"from\":\"thinking\",\"to\":\"acting\"}"},
	{200, "tool_call",
         "{\"toolName\":\"build_docs\",\"agentId\":\"bela\",\"callId\":\"d3\",\"input\":{}}"},
	{1400, "tool_result",
         "{\"toolName\":\"build_docs\",\"agentId\":\"bela\",\"callId\":\"d3\",\"success\":true,"
         "\"output\":{\"pages\":48}}"},
	{300, "text_delta", "{\"agentId\":\"bela\",\"content\":\"Fixed the link; \",\"index\":0}"},
	{200, "text_delta",
         "{\"agentId\":\"bela\",\"content\":\"the documentation is up.\",\"index\":1}"},
	{300, "token_usage",
         "{\"agentId\":\"bela\",\"promptTokens\":2210,\"completionTokens\":164,"
         "\"model\":\"demo\"}"},
	{200, "agent_state_change", "{\"agentId\":\"bela\",\"from\":\"acting\",\"to\":\"done\"}"},
	{200, "completion",
         "{\"taskId\":\"deploy-docs\",\"success\":true,\"agentId\":\"bela\","
         "\"result\":\"48 pages, recovered from one error\"}"},
	{0, NULL, NULL},
};

static const struct beat two_agents[] = {
	{300, "task_dispatch",
         "{\"taskId\":\"search\",\"from\":\"you\",\"to\":\"ada\","
         "\"description\":\"Make search fast\"}"},
	{200, "task_dispatch",
         "{\"taskId\":\"measure\",\"from\":\"ada\",\"to\":\"bela\","
         "\"description\":\"Measure before and after. \"}"},
	{200, "agent_state_change", "{\"agentId\":\"ada\",\"from\":\"idle\",\"to\":\"thinking\"}"},
	{100, "agent_state_change", "{\"agentId\":\"bela\",\"from\":\"idle\",\"to\":\"acting\"}"},
	{300, "tool_call",
         "{\"toolName\":\"benchmark\",\"agentId\":\"bela\",\"callId\":\"b1\","
         "\"input\":{\"query\":\"signal\"}}"},
	{500, "thinking",
         "{\"agentId\":\"ada\",\"content\":\"Every query reads the whole index. \"}"},
	{700, "tool_result",
         "{\"toolName\":\"benchmark\",\"agentId\":\"bela\",\"callId\":\"b1\",\"success\":true,"
         "\"output\":{\"ms\":840}}"},
	{200, "text_delta", "{\"agentId\":\"bela\",\"content\":\"Before: 840 ms. \",\"index\":0}"},
	{200, "agent_state_change",
         "{\"agentId\":\"bela\",\"from\":\"acting\",\"to\":\"waiting\"}"},
	{300, "agent_state_change",
         "{\"agentId\":\"ada\",\"from\":\"thinking\",\"to\":\"acting\"}"},
	{200, "tool_call",
         "{\"toolName\":\"edit_file\",\"agentId\":\"ada\",\"callId\":\"a1\","
         "\"input\":{\"path\":\"src/search.c\"}}"},
	{900, "tool_result",
         "{\"toolName\":\"edit_file\",\"agentId\":\"ada\",\"callId\":\"a1\",\"success\":true}"},
	{300, "agent_state_change", "{\"agentId\":\"ada\",\"from\":\"acting\",\"to\":\"done\"}"},
	{200, "completion", "{\"taskId\":\"search\",\"success\":true,\"agentId\":\"ada\"}"},
	{300, "agent_state_change",
         "{\"agentId\":\"bela\",\"from\":\"waiting\",\"to\":\"acting\"}"},
	{200, "tool_call",
         "{\"toolName\":\"benchmark\",\"agentId\":\"bela\",\"callId\":\"b2\","
         "\"input\":{\"query\":\"signal\"}}"},
	{1100, "tool_result",
         "{\"toolName\":\"benchmark\",\"agentId\":\"bela\",\"callId\":\"b2\",\"success\":true,"
         "\"output\":{\"ms\":9}}"},
	{200, "text_delta", "{\"agentId\":\"bela\",\"content\":\"After: 9 ms.\",\"index\":1}"},
	{300, "token_usage",
         "{\"agentId\":\"bela\",\"promptTokens\":960,\"completionTokens\":88,\"model\":\"demo\"}"},
	{200, "agent_state_change", "{\"agentId\":\"bela\",\"from\":\"acting\",\"to\":\"done\"}"},
	{200, "completion",
         "{\"taskId\":\"measure\",\"success\":true,\"agentId\":\"bela\","
         "\"result\":\"93 times faster\"}"},
	{0, NULL, NULL},
};

const struct script scenario_scripts[] = {
	{"simple-task", simple_task},
	{"recovery", recovery},
	{"two-agents", two_agents},
	{NULL, NULL},
};
