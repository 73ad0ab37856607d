#pragma once

// readline.h uses FILE without including what declares it.
#include <stdio.h>

#include <readline/history.h>
#include <readline/readline.h>

// Swift 6 rejects readline's mutable globals, so they are set from here.

static inline int usher_discard_line(void) {
    rl_replace_line("", 0);
    rl_done = 1;
    return 0;
}

/// Names the program for `$if` in inputrc, and makes Ctrl-C give up the line without a jump over Swift's frames.
static inline void usher_prepare_readline(const char *name) {
    rl_readline_name = name;
    rl_signal_event_hook = usher_discard_line;
}
