/* Where require looks: luaflow's own modules inside the executable come first, so that they always fit it; then, in a
 * worker, the snapshot of the root, the only place for the root's modules; then the usual places. */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/xalloc.h"
#include "executor/state.h"

/* [] -> [loader], or raises as the standard searchers do. path is below the root, or "luaflow/..." for embedded ones.
 * */
static int load_chunk(lua_State *L, const char *name, const char *path, const char *bytes, size_t length) {
  lua_pushfstring(L, "@%s", path);
  if (luaL_loadbuffer(L, bytes, length, lua_tostring(L, -1)) == 0) return 1;
  return luaL_error(L, "error loading module '%s' from '%s':\n\t%s", name, path, lua_tostring(L, -1));
}

/* [] -> [template with name in the place of every "?"] */
static const char *push_path(lua_State *L, const char *name, const char *template) {
  luaL_gsub(L, name, ".", "/");
  luaL_gsub(L, template, "?", lua_tostring(L, -1));
  lua_remove(L, -2);
  return lua_tostring(L, -1);
}

static int search_embedded(lua_State *L) {
  static const char *const templates[] = {"lua/?.lua", "lua/?/init.lua"};
  const char *name = luaL_checkstring(L, 1);
  if (strcmp(name, "luaflow") != 0 && strncmp(name, "luaflow.", 8) != 0) return 0;
  for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
    const char *path = push_path(L, name, templates[i]);
    const struct embed_file *file = embed_find(path);
    if (!file) continue;
    load_chunk(L, name, path + strlen("lua/"), file->data, file->length);
    push_own_globals(L);
    lua_setfenv(L, -2);
    push_module_loader(L);
    return 1;
  }
  lua_pushfstring(L, "\n\tno module '%s' inside luaflow", name);
  return 1;
}

/* The second upvalue lists the templates. */
static int search_snapshot(lua_State *L) {
  struct runtime *runtime = runtime_of(L);
  const char *name = luaL_checkstring(L, 1);
  luaL_Buffer places;
  lua_settop(L, 1);
  int count = (int)lua_objlen(L, lua_upvalueindex(2));
  luaL_checkstack(L, count * 2 + 8, "package.path");
  for (int i = 1; i <= count; i++) {
    struct text content;
    lua_rawgeti(L, lua_upvalueindex(2), i);
    const char *path = push_path(L, name, lua_tostring(L, -1));
    lua_remove(L, -2);  // [name, paths ...]
    if (modules_find(runtime->modules, path, &content)) return load_chunk(L, name, path, content.bytes, content.length);
  }
  luaL_buffinit(L, &places);
  for (int i = 1; i <= count; i++) {
    luaL_addstring(&places, "\n\tno file '");
    lua_pushvalue(L, 1 + i);
    luaL_addvalue(&places);
    luaL_addstring(&places, "' in the root ");
    luaL_addstring(&places, runtime->root);
  }
  luaL_pushresult(&places);
  return 1;
}

/* The part of template below the root, or NULL: a place there is searched in the snapshot and not on disk. A relative
 * one counts from the root and not from the current folder: modules are found wherever the worker is started. */
static char *below_root(const struct runtime *runtime, const char *template) {
  size_t root = strlen(runtime->root);
  while (template[0] == '.' && template[1] == '/') template += 2;
  if (template[0] != '/') return xstrdup(template);
  if (strcmp(runtime->root, "/") == 0) return xstrdup(template + 1);
  bool below = strncmp(template, runtime->root, root) == 0 && template[root] == '/';
  return below ? xstrdup(template + root + 1) : NULL;
}

/* Takes the templates that lie below the root out of package.path and appends them to the snapshot's.
 * [package, list] -> [package, list] */
static void split_path(lua_State *L, const struct runtime *runtime) {
  struct buf kept = {0};
  lua_getfield(L, -2, "path");
  const char *path = luaL_checkstring(L, -1);  // [package, list, path]
  while (*path) {
    size_t length = strcspn(path, ";");
    char *template = xmemdup(path, length);
    char *below = below_root(runtime, template);
    if (below) {
      lua_pushstring(L, below);
      lua_rawseti(L, -3, (int)lua_objlen(L, -3) + 1);
    } else {
      buf_printf(&kept, "%s%s", kept.len ? ";" : "", template);
    }
    free(below);
    free(template);
    path += length + (path[length] == ';');
  }
  lua_pop(L, 1);
  lua_pushlstring(L, kept.data, kept.len);
  lua_setfield(L, -3, "path");
  buf_free(&kept);
}

/* Searches the project's own lua_modules for C modules first, and lets the relative places of package.cpath count from
 * the root; C modules are loaded from disk. [package] -> same */
static void anchor_cpath(lua_State *L, const struct runtime *runtime) {
  struct buf anchored = {0};
  lua_pushliteral(L, "lua_modules/lib/lua/5.1/?.so;lua_modules/?.so;");
  lua_getfield(L, -2, "cpath");
  lua_concat(L, 2);
  for (const char *place = luaL_checkstring(L, -1); *place;) {
    size_t length = strcspn(place, ";");
    if (anchored.len) buf_put(&anchored, ";", 1);
    if (*place != '/') buf_printf(&anchored, "%s/", strcmp(runtime->root, "/") == 0 ? "" : runtime->root);
    buf_put(&anchored, place, length);
    place += length + (place[length] == ';');
  }
  lua_pop(L, 1);
  lua_pushlstring(L, anchored.data, anchored.len);
  lua_setfield(L, -2, "cpath");
  buf_free(&anchored);
}

/* [package] -> [package, list of templates] */
static void push_templates(lua_State *L, const struct runtime *runtime) {
  static const char *const templates[] = {"?.lua",
                                          "?/init.lua",
                                          "lua/?.lua",
                                          "lua/?/init.lua",
                                          "lua_modules/share/lua/5.1/?.lua",
                                          "lua_modules/share/lua/5.1/?/init.lua",
                                          "lua_modules/?.lua",
                                          "lua_modules/?/init.lua"};
  lua_newtable(L);
  for (size_t i = 0; i < sizeof templates / sizeof *templates; i++) {
    lua_pushstring(L, templates[i]);
    lua_rawseti(L, -2, (int)i + 1);
  }
  split_path(L, runtime);
}

/* Makes the function on top the searcher at place. [loaders, function] -> [loaders] */
static void insert(lua_State *L, int place) {
  for (int i = (int)lua_objlen(L, -2); i >= place; i--) {
    lua_rawgeti(L, -2, i);
    lua_rawseti(L, -3, i + 1);
  }
  lua_rawseti(L, -2, place);
}

void searchers_install(lua_State *L, struct runtime *runtime) {
  enum { FIRST = 1, BEHIND_PRELOAD = 3 };
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "loaders");  // [package, loaders]
  lua_pushcfunction(L, search_embedded);
  insert(L, FIRST);
  if (runtime->modules) {
    lua_pushlightuserdata(L, runtime);
    lua_pushvalue(L, -3);
    anchor_cpath(L, runtime);
    push_templates(L, runtime);
    lua_remove(L, -2);
    lua_pushcclosure(L, search_snapshot, 2);
    insert(L, BEHIND_PRELOAD);
  }
  lua_pop(L, 2);
}
