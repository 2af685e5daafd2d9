-- Nothing is global here but what LuaJIT has: modules get the rest by require or as arguments.
std = "luajit"
max_line_length = 140
exclude_files = { "build" }

files["spec"] = { std = "+busted" }
files["spec/support/run_host_specs.lua"] = { globals = { "arg" } }
