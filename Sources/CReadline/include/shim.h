#pragma once

// readline.h uses FILE without including what declares it.
#include <stdio.h>

#include <readline/history.h>
#include <readline/readline.h>

/// Opens GNU readline, once; what is wrong with it, or a null pointer. Nothing below may be called before.
///
/// Only the console needs it.
const char *usher_open_readline(void);

// Swift 6 rejects readline's mutable globals, so they are read and set from here.

/// What readline returns for a line that was given up.
#define USHER_DISCARDED "\003"

/// Reads a line, with a new prompt where a shell has written below the last one.
char *usher_read_line(const char *prompt);

/// Ends the line that is being read, and with it what was typed.
void usher_discard_line(void);

/// Names the program for `$if` in inputrc, and has readline ask now and then whether to go on.
///
/// A signal ends a line by the hook, which is what makes readline look at rl_done while it waits for a key. Words end
/// at spaces alone, so that an address or an id is one word; the quotes in a line are the completer's own business.
void usher_prepare_readline(const char *name, rl_hook_func_t *idle, rl_completion_func_t *complete,
                            rl_compdisp_func_t *display);

const char *usher_line(void);

/// Keeps readline from offering the names of files where nothing fits.
void usher_offer_nothing_else(void);

/// Says that more belongs to the word, or that it is complete.
void usher_leave_word_open(int open);
