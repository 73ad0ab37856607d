#pragma once

// readline.h uses FILE without including what declares it.
#include <stdio.h>

#include <readline/history.h>
#include <readline/readline.h>

// Swift 6 rejects readline's mutable globals, so they are set from here.

/// Names the program for `$if` in inputrc, and has readline ask now and then whether to go on.
///
/// Ctrl-C gives up the line this way, without a jump over Swift's frames. The hook is what makes readline look at
/// rl_done while it waits for a key; without one it would swallow the next.
static inline void usher_prepare_readline(const char *name, rl_hook_func_t *idle) {
    rl_readline_name = name;
    rl_event_hook = idle;
    rl_set_keyboard_input_timeout(20000);
}

/// Ends the line that is being read, as an empty one.
static inline void usher_discard_line(void) {
    rl_replace_line("", 0);
    rl_done = 1;
}
