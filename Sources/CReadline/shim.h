#pragma once

#include <signal.h>
// readline.h uses FILE without including what declares it.
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

// Swift 6 rejects readline's mutable globals, so they are read and set from here.

/// What readline returns for a line that was given up.
#define USHER_DISCARDED "\003"

/// Ends the line that is being read, and with it what was typed.
static inline void usher_discard_line(void) {
    rl_replace_line(USHER_DISCARDED, 0);
    rl_done = 1;
}

/// Ctrl-C as a key: what is typed behind it belongs to the next line, and no signal jumps over Swift's frames.
static inline int usher_interrupt_key(int count, int key) {
    (void)count;
    (void)key;
    rl_echo_signal_char(SIGINT);
    usher_discard_line();
    return 0;
}

/// Prepares the terminal as readline does, except that Ctrl-C is a key like others; leaving restores everything.
static inline void usher_prepare_terminal(int meta) {
    struct termios terminal;
    rl_prep_terminal(meta);
    if (tcgetattr(STDIN_FILENO, &terminal) != 0) return;
    terminal.c_cc[VINTR] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal);
    // In the middle of a line it was suspended and resumed, and the shell has written below it.
    if (RL_ISSTATE(RL_STATE_READCMD)) {
        rl_on_new_line();
        rl_forced_update_display();
    }
}

static inline void usher_bind_interrupt_key(Keymap keymap) {
    rl_command_func_t *bound = rl_function_of_keyseq("\003", keymap, NULL);
    // What an inputrc says about this key holds; that it would insert itself says nothing.
    if (bound == NULL || bound == rl_insert) rl_bind_keyseq_in_map("\003", usher_interrupt_key, keymap);
}

/// Names the program for `$if` in inputrc, and has readline ask now and then whether to go on.
///
/// A signal ends a line by the hook, which is what makes readline look at rl_done while it waits for a key. Words end
/// at spaces alone, so that an address or an id is one word; the quotes in a line are the completer's own business.
static inline void usher_prepare_readline(const char *name, rl_hook_func_t *idle, rl_completion_func_t *complete,
                                          rl_compdisp_func_t *display) {
    rl_readline_name = name;
    rl_event_hook = idle;
    rl_set_keyboard_input_timeout(20000);
    rl_attempted_completion_function = complete;
    rl_completion_display_matches_hook = display;
    rl_basic_word_break_characters = " \t\n";
    rl_completer_word_break_characters = " \t\n";
    rl_completer_quote_characters = NULL;
    rl_prep_term_function = usher_prepare_terminal;
    rl_initialize();
    usher_bind_interrupt_key(emacs_standard_keymap);
    usher_bind_interrupt_key(vi_insertion_keymap);
    usher_bind_interrupt_key(vi_movement_keymap);
}

/// Removes prompt and line from the screen for a moment, unless the operator is in the middle of something.
static inline int usher_hide_line(void) {
    int busy = RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG | RL_STATE_COMPLETING | RL_STATE_SIGHANDLER |
               RL_STATE_DONE;
    if (RL_ISSTATE(busy) || where_history() != history_length) return 0;
    rl_clear_visible_line();
    // What comes next is written past readline.
    fflush(rl_outstream);
    return 1;
}

/// Shows the line again, behind another prompt.
static inline void usher_show_line(const char *prompt) {
    rl_set_prompt(prompt);
    rl_on_new_line();
    rl_redisplay();
}

/// Begins the next line with a text that was typed too early.
static inline void usher_type_ahead(char letter) { rl_stuff_char(letter); }

static inline const char *usher_line(void) { return rl_line_buffer; }

/// Keeps readline from offering the names of files where nothing fits.
static inline void usher_offer_nothing_else(void) { rl_attempted_completion_over = 1; }

/// Says that more belongs to the word, or that it is complete.
static inline void usher_leave_word_open(int open) { rl_completion_suppress_append = open; }
