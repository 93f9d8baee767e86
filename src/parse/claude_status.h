/* claude_status.h - what Claude Code tells its status line alone, as if it were a hook: `signalbox
 * hook --statusline` calls it so.
 */
#ifndef PARSE_CLAUDE_STATUS_H
#define PARSE_CLAUDE_STATUS_H

#define CLAUDE_STATUS_LINE "StatusLine"

#endif
