/* Reads the build id that the linker wrote into the program as a note. */
#include "base/build_id.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { ID_MAX = 64 };

struct id_text {
  char hex[2 * ID_MAX + 1];
};

static size_t padded(size_t length) { return (length + 3) & ~(size_t)3; }

/* Writes the id of the first build-id note in a segment of notes. */
static bool read_notes(const char *notes, size_t length, struct id_text *text) {
  while (length >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes, sizeof note);
    const char *name = notes + sizeof note;
    const unsigned char *id = (const unsigned char *)name + padded(note.n_namesz);
    size_t size = sizeof note + padded(note.n_namesz) + padded(note.n_descsz);
    if (size > length) return false;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(name, "GNU", 4) == 0 &&
        note.n_descsz <= ID_MAX) {
      for (size_t i = 0; i < note.n_descsz; i++) snprintf(text->hex + 2 * i, 3, "%02x", id[i]);
      return true;
    }
    notes += size;
    length -= size;
  }
  return false;
}

/* Called for the program first; returns 1 so that libraries are not looked at. */
static int read_program(struct dl_phdr_info *info, size_t size, void *text) {
  (void)size;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const char *notes = (const char *)(info->dlpi_addr + segment->p_vaddr);
    if (segment->p_type == PT_NOTE && read_notes(notes, segment->p_memsz, text)) break;
  }
  return 1;
}

const char *build_id(void) {
  /* Written with the same bytes by every call. */
  static struct id_text text;
  if (text.hex[0] == '\0') {
    dl_iterate_phdr(read_program, &text);
    if (text.hex[0] == '\0') strcpy(text.hex, "unknown");
  }
  return text.hex;
}
