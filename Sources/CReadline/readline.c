#include "shim.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <termios.h>
#include <unistd.h>

/// The address of each function and variable of readline, once the library is open.
static struct {
#define FUNCTION(result, name, parameters, arguments) typeof(name) *name;
#define VARIABLE(name) typeof(name) *name;
#include "symbols.h"
#undef FUNCTION
#undef VARIABLE
} lib;

static const char *problem;

static void open_once(void) {
    void *library = dlopen("libreadline.so.8", RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        problem = dlerror();
        return;
    }
#define VARIABLE(symbol)                                                                                               \
    lib.symbol = (typeof(symbol) *)dlsym(library, #symbol);                                                            \
    if (lib.symbol == NULL) {                                                                                          \
        problem = "libreadline.so.8 lacks " #symbol;                                                                   \
        return;                                                                                                        \
    }
#define FUNCTION(result, name, parameters, arguments) VARIABLE(name)
#include "symbols.h"
#undef FUNCTION
#undef VARIABLE
}

const char *usher_open_readline(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_once);
    return problem;
}

// The wrappers are hidden, so that readline calls its own functions and not the wrappers.
#define FUNCTION(result, name, parameters, arguments)                                                                  \
    __attribute__((visibility("hidden"))) result name parameters { return lib.name arguments; }
#define VARIABLE(name)
#include "symbols.h"
#undef FUNCTION
#undef VARIABLE

void usher_discard_line(void) {
    rl_replace_line(USHER_DISCARDED, 0);
    *lib.rl_done = 1;
}

/// Handles Ctrl-C as a key, so that later text belongs to the next line, and no signal handler jumps over Swift's frames.
static int interrupt_key(int count, int key) {
    (void)count;
    (void)key;
    rl_echo_signal_char(SIGINT);
    usher_discard_line();
    return 0;
}

/// True if readline has printed the prompt of the current line, or is about to print it.
static int has_prompt;

static int note_prompt(void) {
    has_prompt = 1;
    return 0;
}

char *usher_read_line(const char *prompt) {
    has_prompt = 0;
    return readline(prompt);
}

/// Prepares the terminal as readline does, but without the signal for Ctrl-C; readline restores the terminal afterwards.
static void prepare_terminal(int meta) {
    struct termios terminal;
    rl_prep_terminal(meta);
    if (tcgetattr(STDIN_FILENO, &terminal) != 0) return;
    terminal.c_cc[VINTR] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal);
    // The process was suspended and resumed, and the shell wrote below the prompt. So readline prints the prompt again.
    if (has_prompt) {
        rl_on_new_line();
        rl_forced_update_display();
    }
}

static void bind_interrupt_key(Keymap keymap) {
    rl_command_func_t *bound = rl_function_of_keyseq("\003", keymap, NULL);
    // A binding for Ctrl-C in inputrc takes precedence, unless the binding only inserts the character.
    if (bound == NULL || bound == lib.rl_insert) rl_bind_keyseq_in_map("\003", interrupt_key, keymap);
}

void usher_prepare_readline(const char *name, rl_hook_func_t *idle, rl_completion_func_t *complete,
                            rl_compdisp_func_t *display) {
    *lib.rl_readline_name = name;
    *lib.rl_startup_hook = note_prompt;
    *lib.rl_event_hook = idle;
    rl_set_keyboard_input_timeout(20000);
    *lib.rl_attempted_completion_function = complete;
    *lib.rl_completion_display_matches_hook = display;
    *lib.rl_basic_word_break_characters = " \t\n";
    *lib.rl_completer_word_break_characters = " \t\n";
    *lib.rl_completer_quote_characters = NULL;
    *lib.rl_prep_term_function = prepare_terminal;
    // If TAB can't add text, readline lists the matches at once. A setting in inputrc takes precedence.
    rl_variable_bind("show-all-if-unmodified", "on");
    rl_initialize();
    bind_interrupt_key(*lib.emacs_standard_keymap);
    bind_interrupt_key(*lib.vi_insertion_keymap);
    bind_interrupt_key(*lib.vi_movement_keymap);
}

const char *usher_line(void) { return *lib.rl_line_buffer; }

void usher_offer_nothing_else(void) { *lib.rl_attempted_completion_over = 1; }

void usher_leave_word_open(int open) { *lib.rl_completion_suppress_append = open; }
