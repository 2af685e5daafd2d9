-- Prints the output of flows/package_audit.lua, read as JSON from standard input, as a table.
local cjson = require "cjson"

local summary = cjson.decode(io.read "*a").summary

local function row(name, packages, kib)
  print(("  %-32s %8s %10.1f MiB"):format(name, packages or "", kib / 1024))
end

print(("\n%d packages are installed, Installed-Size %d KiB in all\n"):format(summary.packages, summary.total_installed_size))
print "by section"
for _, section in ipairs(summary.by_section) do
  row(section.section, section.packages, section.installed_size)
end
print "\nthe largest"
for _, package in ipairs(summary.largest) do
  row(package.name, nil, package.installed_size)
end
