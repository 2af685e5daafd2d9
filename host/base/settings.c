/* Reads the settings of the table from defaults, the environment and getopt_long, and checks them by kind and range. */
#include "base/settings.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"

struct setting_info {
  size_t offset;
  enum setting_kind kind;
  const char *flag; /* with its dashes */
  const char *argument;
  const char *initial;
  int64_t lowest;
  int64_t highest;
  const char *environment;
  unsigned commands;
  const char *help;
};

static const struct setting_info table[SETTING_COUNT] = {
#define X(field, kind, flag, argument, initial, lowest, highest, environment, commands, help) \
  {offsetof(struct settings, field),                                                          \
   SETTING_##kind,                                                                            \
   "--" flag,                                                                                 \
   argument,                                                                                  \
   initial,                                                                                   \
   lowest,                                                                                    \
   highest,                                                                                   \
   environment,                                                                               \
   commands,                                                                                  \
   help},
    SETTINGS(X)
#undef X
};

struct unit {
  const char *name;
  int64_t factor;
};

enum { FIRST_LONG_OPTION = 256 };

static bool read_environment(struct settings *settings, unsigned command, struct err *err);
static bool read_flags(struct settings *settings, unsigned command, bool stop_at_argument, int argc, char **argv,
                       int *rest, bool *help, struct err *err);

bool settings_read(struct settings *settings, unsigned command, bool stop_at_argument, int argc, char **argv, int *rest,
                   bool *help, struct err *err) {
  *settings = (struct settings){0};
  *help = false;
  if (!read_flags(settings, command, stop_at_argument, argc, argv, rest, help, err)) return false;
  return *help || read_environment(settings, command, err);
}

const char *setting_flag(enum setting setting) { return table[setting].flag; }

bool setting_is_for(enum setting setting, unsigned command) { return (table[setting].commands & command) != 0; }

/* A number with an optional unit, in *value. False if the text is something else or does not fit. */
static bool parse_quantity(const char *text, const struct unit *units, int64_t *value) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (end == text || errno != 0) return false;
  while (*end == ' ') end++;
  for (const struct unit *unit = units; unit->name; unit++)
    if (strcasecmp(end, unit->name) == 0) return !__builtin_mul_overflow((int64_t)number, unit->factor, value);
  return false;
}

static bool parse_value(const struct setting_info *info, const char *text, int64_t *value) {
  static const struct unit plain[] = {{"", 1}, {NULL, 0}};
  static const struct unit times[] = {{"", 1000},     {"s", 1000},     {"ms", 1},        {"min", 60000}, {"m", 60000},
                                      {"h", 3600000}, {"d", 86400000}, {"w", 604800000}, {NULL, 0}};
  static const struct unit sizes[] = {{"", 1},        {"b", 1},        {"kb", 1 << 10}, {"k", 1 << 10}, {"mb", 1 << 20},
                                      {"m", 1 << 20}, {"gb", 1 << 30}, {"g", 1 << 30},  {NULL, 0}};
  const struct unit *units = info->kind == SETTING_SECONDS ? times : info->kind == SETTING_BYTES ? sizes : plain;
  return parse_quantity(text, units, value) && *value >= info->lowest && *value <= info->highest;
}

/* A value as a person would write it. */
static void format_value(const struct setting_info *info, int64_t value, char *out, size_t size) {
  long long v = (long long)value;
  if (info->kind == SETTING_SECONDS && v >= 3600000)
    snprintf(out, size, "%lldh", v / 3600000);
  else if (info->kind == SETTING_SECONDS)
    snprintf(out, size, "%llds", v / 1000);
  else if (info->kind == SETTING_BYTES && value % (SETTINGS_MB << 10) == 0)
    snprintf(out, size, "%lldGB", v / (SETTINGS_MB << 10));
  else if (info->kind == SETTING_BYTES && value % SETTINGS_MB == 0)
    snprintf(out, size, "%lldMB", v / SETTINGS_MB);
  else if (info->kind == SETTING_BYTES)
    snprintf(out, size, "%lldkB", v / 1024);
  else
    snprintf(out, size, "%lld", v);
}

static bool refuse_value(const struct setting_info *info, const char *source, const char *text, struct err *err) {
  char lowest[32], highest[32];
  format_value(info, info->lowest, lowest, sizeof lowest);
  format_value(info, info->highest, highest, sizeof highest);
  const char *what = info->kind == SETTING_SECONDS ? "a time such as 30s, 500ms or 2m,"
                     : info->kind == SETTING_BYTES ? "a size such as 512MB,"
                                                   : "a whole number";
  return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s must be %s from %s to %s, not %s", source, what, lowest, highest,
                 *text ? text : "an empty text");
}

static bool is_choice(const char *choices, const char *text) {
  size_t length = strlen(text);
  for (const char *word = choices; word; word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL)
    if (strcspn(word, "|") == length && strncmp(word, text, length) == 0) return true;
  return false;
}

static bool append(struct setting_list *list, const char *source, const char *text, struct err *err) {
  if (*text == '\0') return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: the value is empty", source);
  if (list->count == SETTING_LIST_MOST)
    return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: %s is one too many, at most %d can be given", source, text,
                   SETTING_LIST_MOST);
  list->items[list->count++] = text;
  return true;
}

/* Stores text as the setting's value; source is the flag or variable that it came from. */
static bool store(struct settings *settings, const struct setting_info *info, const char *source, const char *text,
                  struct err *err) {
  void *field = (char *)settings + info->offset;
  switch (info->kind) {
    case SETTING_SWITCH:
      *(bool *)field = true;
      return true;
    case SETTING_CHOICE:
      if (!is_choice(info->argument, text))
        return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s must be one of %s, not %s", source, info->argument,
                       *text ? text : "an empty text");
      *(const char **)field = text;
      return true;
    case SETTING_TEXT:
      if (*text == '\0') return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: the value is empty", source);
      *(const char **)field = text;
      return true;
    case SETTING_LIST:
      return append(field, source, text, err);
    case SETTING_NUMBER:
    case SETTING_SECONDS:
    case SETTING_BYTES:
      return parse_value(info, text, field) || refuse_value(info, source, text, err);
  }
  return false;
}

/* The first of the listed variables that is set and not empty; its name is put into *name. */
static const char *first_variable(const char *list, char *name, size_t size) {
  for (const char *start = list; start; start = strchr(start, ',') ? strchr(start, ',') + 1 : NULL) {
    snprintf(name, size, "%.*s", (int)strcspn(start, ","), start);
    const char *value = getenv(name);
    if (value && *value) return value;
  }
  return NULL;
}

void setting_source(const struct settings *settings, enum setting setting, char *out, size_t size) {
  const struct setting_info *info = &table[setting];
  if (settings->from_flag[setting] || !info->environment || !first_variable(info->environment, out, size))
    snprintf(out, size, "%s", info->flag);
}

static bool read_environment(struct settings *settings, unsigned command, struct err *err) {
  for (int i = 0; i < SETTING_COUNT; i++) {
    const struct setting_info *info = &table[i];
    if (settings->from_flag[i] || !(info->commands & command)) continue;
    char name[64];
    const char *value = info->environment ? first_variable(info->environment, name, sizeof name) : NULL;
    if (value && !store(settings, info, name, value, err)) return false;
    if (!value && info->initial && !store(settings, info, info->flag, info->initial, err)) return false;
  }
  return true;
}

static int collect_options(struct option *options, unsigned command) {
  int count = 0;
  for (int i = 0; i < SETTING_COUNT; i++)
    if (table[i].commands & command)
      options[count++] = (struct option){.name = table[i].flag + 2,
                                         .has_arg = table[i].kind == SETTING_SWITCH ? no_argument : required_argument,
                                         .val = FIRST_LONG_OPTION + i};
  options[count++] = (struct option){.name = "help", .has_arg = no_argument, .val = 'h'};
  options[count] = (struct option){0};
  return count;
}

static bool refuse_option(const struct option *options, int count, const char *command, const char *word,
                          struct err *err) {
  err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: unknown option %.*s", command, (int)strcspn(word, "="), word);
  if (word[0] != '-' || word[1] != '-') return err_hint(err, "put -- before an argument that starts with a dash");
  char given[64];
  snprintf(given, sizeof given, "%.*s", (int)strcspn(word + 2, "="), word + 2);
  const char *names[SETTING_COUNT + 2];
  for (int i = 0; i < count; i++) names[i] = options[i].name;
  if (strcmp(command, "dev") == 0 && strcmp(given, setting_flag(SET_database) + 2) == 0)
    return err_hint(err, "dev always uses its own database; to serve another one, use luaflow worker");
  const char *best = nearest(given, names, (size_t)count);
  for (int i = 0; i < count && !best; i++)
    if (strncmp(names[i], given, strlen(given)) == 0) best = names[i]; /* the beginning of several */
  if (best) return err_hint(err, "did you mean --%s?", best);
  return err_hint(err, "luaflow %s --help lists the options", command);
}

/* No option starts with a digit, so "-5" is an argument such as JSON. */
static bool is_number(const char *word) { return word[0] == '-' && word[1] >= '0' && word[1] <= '9'; }

/* The one short option in addition to -h. */
static char *long_name(char *word, unsigned command) {
  return strcmp(word, "-o") == 0 && setting_is_for(SET_output, command) ? (char *)setting_flag(SET_output) : word;
}

/* The whole name, since a beginning of it may mean something else one day. */
static bool is_option(const struct option *options, int count, const char *word) {
  if (strcmp(word, "-h") == 0) return true;
  if (word[1] != '-') return false;
  size_t length = strcspn(word + 2, "=");
  for (int i = 0; i < count; i++)
    if (strncmp(options[i].name, word + 2, length) == 0 && options[i].name[length] == '\0') return true;
  return false;
}

/* Reads the option that argv[*at] starts with, and moves *at behind it and its value. */
static bool read_flag(struct settings *settings, const struct option *options, int count, int argc, char **argv,
                      int *at, bool *help, struct err *err) {
  const char *word = argv[*at];
  if (!is_option(options, count, word)) return refuse_option(options, count, argv[0], word, err);
  optind = 0; /* makes getopt start again, at the second word of what it is given */
  opterr = 0;
  int found = getopt_long(argc - *at + 1, argv + *at - 1, "+:h", options, NULL);
  *at += optind - 1;
  *help = found == 'h';
  if (*help) return true;
  if (found == ':') return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: %s needs a value", argv[0], word);
  if (found == '?')
    return err_set(err, ERR_CONFIG, EXIT_USAGE, "%s: %.*s takes no value", argv[0], (int)strcspn(word, "="), word);
  const struct setting_info *info = &table[found - FIRST_LONG_OPTION];
  const char *text = info->kind == SETTING_SWITCH ? "" : optarg;
  settings->from_flag[found - FIRST_LONG_OPTION] = text;
  return store(settings, info, info->flag, text, err);
}

/* Moves the other arguments to the end; *rest is the index of the first. */
static bool read_flags(struct settings *settings, unsigned command, bool stop_at_argument, int argc, char **argv,
                       int *rest, bool *help, struct err *err) {
  struct option options[SETTING_COUNT + 2];
  int count = collect_options(options, command);
  int kept = 0; /* arguments so far, in argv from 1 on, where options have been read already */
  int next = 1;
  bool only_arguments = false;
  while (next < argc && !*help) {
    if (!only_arguments) argv[next] = long_name(argv[next], command);
    char *word = argv[next];
    bool is_argument = only_arguments || word[0] != '-' || word[1] == '\0' || is_number(word);
    if (is_argument) {
      only_arguments = only_arguments || stop_at_argument;
      argv[++kept] = word;
      next++;
    } else if (strcmp(word, "--") == 0) {
      only_arguments = true;
      next++;
    } else if (!read_flag(settings, options, count, argc, argv, &next, help, err)) {
      return false;
    }
  }
  *rest = argc - kept;
  memmove(argv + *rest, argv + 1, (size_t)kept * sizeof *argv);
  return true;
}

static void print_variables(FILE *out, const struct setting_info *info) {
  if (info->initial) fprintf(out, " (default %s)", info->initial);
  if (!info->environment) return;
  fputs(" [", out);
  for (const char *c = info->environment; *c; c++) fputs(*c == ',' ? ", " : (char[]){*c, '\0'}, out);
  fputc(']', out);
}

void settings_print_help(FILE *out, unsigned command) {
  for (int i = 0; i < SETTING_COUNT; i++) {
    const struct setting_info *info = &table[i];
    if (!(info->commands & command)) continue;
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", info->flag, info->argument ? " " : "", info->argument ? info->argument : "");
    if (strlen(left) > 24)
      fprintf(out, "  %s\n  %-24s %s", left, "", info->help);
    else
      fprintf(out, "  %-24s %s", left, info->help);
    print_variables(out, info);
    fputc('\n', out);
  }
  fprintf(out, "  %-24s %s\n", "--help", "print this");
}
