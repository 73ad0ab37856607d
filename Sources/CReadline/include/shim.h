#pragma once

// readline.h uses FILE without including its header.
#include <stdio.h>

#include <readline/history.h>
#include <readline/readline.h>

/// Opens GNU readline once, and returns an error text or a null pointer.
///
/// Call it before the functions below.
///
/// Only the console needs readline.
const char *usher_open_readline(void);

// Swift 6 rejects readline's mutable globals, so C reads and sets them.

/// The result of readline for a discarded line.
#define USHER_DISCARDED "\003"

/// Reads a line.
///
/// If a shell wrote below the prompt, prints the prompt again.
char *usher_read_line(const char *prompt);

/// Ends the current line and discards its text.
void usher_discard_line(void);

/// Sets the name of the program for `$if` in inputrc, and a hook that readline calls while it waits.
///
/// After a signal the hook sets rl_done, which ends the line. Words end only at spaces, so that an email or an id is one
/// word. The completion function handles quotes.
void usher_prepare_readline(const char *name, rl_hook_func_t *idle, rl_completion_func_t *complete,
                            rl_compdisp_func_t *display);

const char *usher_line(void);

/// Keeps readline from offering file names if nothing matches.
void usher_offer_nothing_else(void);

/// Prevents the space after a completed word, if `open` is true; the user can then continue the word.
void usher_leave_word_open(int open);
