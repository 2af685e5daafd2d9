/* Cells are gathered first, since the widest one of a column gives its width. */
#include "cli/view/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "base/width.h"
#include "base/xalloc.h"
#include "cli/view/line.h"

enum { GAP = 2, LEAST_REST = 16 };

struct layout {
  const struct table *table;
  int rows;
  int room;
  int widths[TABLE_COLUMNS]; /* 0: left out */
};

struct table table_begin(const struct table_column *columns, int column_count) {
  if (column_count > TABLE_COLUMNS) abort();
  return (struct table){.columns = columns, .column_count = column_count};
}

/* Takes the text over. */
static void add(struct table *table, enum tone tone, char *text) {
  if (table->cell_count == table->room) {
    table->room = table->room ? table->room * 2 : 64;
    table->cells = xrealloc(table->cells, (size_t)table->room * sizeof *table->cells);
  }
  table->cells[table->cell_count++] = (struct table_cell){.tone = tone, .text = text};
}

void table_put(struct table *table, enum tone tone, const char *text) {
  bool rest = table->columns[table->cell_count % table->column_count].rest;
  add(table, text ? tone : TONE_FAINT, xstrdup(text ? text : rest ? "" : "-"));
}

void table_printf(struct table *table, enum tone tone, const char *format, ...) {
  char *text;
  va_list arguments;
  va_start(arguments, format);
  int length = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (length < 0) abort(); /* out of memory */
  add(table, tone, text);
}

void table_put_duration(struct table *table, enum tone tone, long long ms, const char *behind) {
  char text[32];
  format_duration(text, sizeof text, ms);
  if (ms < 0)
    table_put(table, tone, NULL);
  else
    table_printf(table, tone, "%s%s", text, behind);
}

void table_put_brief(struct table *table, const char *text) {
  table->cells[table->cell_count - 1].brief = xstrdup(text);
}

static const struct table_cell *cell_at(const struct layout *layout, int row, int column) {
  return &layout->table->cells[row * layout->table->column_count + column];
}

static void measure(struct layout *layout, bool titled) {
  for (int column = 0; column < layout->table->column_count; column++) {
    int *width = &layout->widths[column];
    for (int row = 0; row < layout->rows; row++) {
      int wide = width_of(cell_at(layout, row, column)->text);
      if (wide > *width) *width = wide;
    }
    int title = titled ? width_of(layout->table->columns[column].title) : 0;
    if (title > *width && !(layout->table->columns[column].rest && *width == 0)) *width = title;
  }
}

/* How much wider the table is than its room, with a little of the last column. */
static int excess(const struct layout *layout) {
  int width = -GAP;
  for (int i = 0; i < layout->table->column_count; i++) {
    int wide = layout->widths[i];
    if (layout->table->columns[i].rest && wide > LEAST_REST) wide = LEAST_REST;
    if (wide > 0) width += wide + GAP;
  }
  return width > layout->room ? width - layout->room : 0;
}

static void fit(struct layout *layout) {
  const struct table_column *columns = layout->table->columns;
  for (int turn = 1; turn <= TABLE_COLUMNS; turn++)
    for (int i = 0; i < layout->table->column_count; i++)
      if (columns[i].dropped == turn && excess(layout) > 0) layout->widths[i] = 0;
  for (int i = layout->table->column_count - 1; i >= 0; i--) {
    int *width = &layout->widths[i];
    int shorter = *width - excess(layout);
    if (columns[i].least > 0 && *width > columns[i].least)
      *width = shorter > columns[i].least ? shorter : columns[i].least;
  }
}

/* A row of cells, or with row < 0 the titles. */
static void put_row(struct line *line, const struct layout *layout, int row) {
  int end = 0;
  for (int i = 0; i < layout->table->column_count; i++) {
    if (layout->widths[i] == 0) continue;
    const struct table_column *column = &layout->table->columns[i];
    const struct table_cell *cell = row < 0 ? NULL : cell_at(layout, row, i);
    const char *text = cell ? cell->text : column->title;
    int width = column->rest ? layout->room - end : layout->widths[i];
    if (cell && cell->brief && width_of(text) > width) text = cell->brief;
    if (*text) line_pad(line, end);
    line_put_within(line, cell ? cell->tone : TONE_FAINT, text, width);
    end += layout->widths[i] + GAP;
  }
  line_end(line);
}

void table_print(struct table *table, const char *nothing) {
  struct style style = style_of(STDOUT_FILENO);
  struct buf out = {0};
  struct line line = {.out = &out, .style = &style};
  struct layout layout = {.table = table, .rows = table->cell_count / table->column_count, .room = style.width - 1};
  measure(&layout, style.terminal);
  fit(&layout);
  if (style.terminal && layout.rows == 0) {
    line_put(&line, TONE_FAINT, nothing);
    line_end(&line);
  }
  for (int row = style.terminal && layout.rows > 0 ? -1 : 0; row < layout.rows; row++) put_row(&line, &layout, row);
  say_drawn(stdout, &out);
  buf_free(&out);
  for (int i = 0; i < table->cell_count; i++) {
    free(table->cells[i].text);
    free(table->cells[i].brief);
  }
  free(table->cells);
  *table = (struct table){0};
}
